//! The shipped games written by hand, as fast as we can: what the compiled evaluator is measured against.
//!
//! A rival plays the same game as the rule files to the letter: at every ply it finds all options, in the same number and order, and the one who
//! chooses picks one by its index. `tests/rivals.rs` holds each against the rules.

// The bench and the test each use a part.
#![allow(dead_code)]

mod bits;
mod confrontation;
mod dice;

use std::convert::Infallible;

pub use dice::Dice;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The label of the ending in the rules.
    pub label: &'static str,
    /// The seat that wins; nobody: a draw.
    pub winner: Option<u16>,
}

/// Picks options.
pub trait Chooser {
    /// Why it no longer wants to.
    type Stop;

    /// The index of one of `n` options, at least one.
    ///
    /// # Errors
    /// The game is to be left.
    fn choose(&mut self, n: usize) -> Result<usize, Self::Stop>;
}

/// A game by hand.
pub trait Rival {
    /// The name of the shipped game.
    const GAME: &'static str;

    /// Plays a whole game.
    ///
    /// # Errors
    /// The chooser stopped.
    fn play<C: Chooser>(chooser: &mut C) -> Result<End, C::Stop>;
}

/// A game whose every ply is a decision about one list of moves.
pub trait Board: Copy {
    /// The moves there are, in any form that is quick to make.
    type Moves;
    /// The name of the shipped game.
    const GAME: &'static str;

    /// The first position.
    fn start() -> Self;

    /// All legal moves.
    fn moves(&self) -> Self::Moves;

    /// How many they are.
    fn count(moves: &Self::Moves) -> usize;

    /// Makes one of them; how the game ended, if it did.
    fn make(&mut self, moves: &Self::Moves, i: usize) -> Option<End>;

    /// How a game ends in which there is no move.
    fn stuck(&self) -> End;
}

impl<B: Board> Rival for B {
    const GAME: &'static str = B::GAME;

    #[inline]
    fn play<C: Chooser>(chooser: &mut C) -> Result<End, C::Stop> {
        let mut board = B::start();
        loop {
            let moves = board.moves();
            let n = B::count(&moves);
            if n == 0 {
                return Ok(board.stuck());
            }
            let i = chooser.choose(n)?;
            if let Some(end) = board.make(&moves, i) {
                return Ok(end);
            }
        }
    }
}

/// Every option is equally likely.
struct ByDice<'a> {
    dice: &'a mut Dice,
    plies: u64,
}

impl Chooser for ByDice<'_> {
    type Stop = Infallible;

    #[inline]
    fn choose(&mut self, n: usize) -> Result<usize, Infallible> {
        self.plies += 1;
        Ok(self.dice.below(n))
    }
}

/// Follows a path of options; at its end it stops with the number of options there.
struct Path<'a> {
    left: &'a [usize],
}

impl Chooser for Path<'_> {
    type Stop = usize;

    fn choose(&mut self, n: usize) -> Result<usize, usize> {
        let (first, rest) = self.left.split_first().ok_or(n)?;
        self.left = rest;
        Ok(*first)
    }
}

/// Asks a function, which may say that it is enough.
struct Asks<'a>(&'a mut dyn FnMut(usize) -> Option<usize>);

impl Chooser for Asks<'_> {
    type Stop = ();

    fn choose(&mut self, n: usize) -> Result<usize, ()> {
        (self.0)(n).ok_or(())
    }
}

/// A rival, whichever it is.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name of the shipped game.
    pub game: &'static str,
    /// Plays a random game: how many plies, and how it ended.
    pub playout: fn(&mut Dice) -> (u64, End),
    /// Plays a game whose options a function picks; nothing if it had enough.
    pub follow: fn(&mut dyn FnMut(usize) -> Option<usize>) -> Option<End>,
    /// Numbers of positions so many plies ahead of the one that a path of options leads to.
    pub perft: fn(&[usize], u32) -> u64,
    /// Bytes of a position.
    pub size: usize,
}

const fn entry<R: Rival>() -> Entry {
    Entry { game: R::GAME, playout: playout::<R>, follow: follow::<R>, perft: perft::<R>, size: size_of::<R>() }
}

/// All rivals.
pub const RIVALS: [Entry; 1] = [entry::<confrontation::Confrontation>()];

fn playout<R: Rival>(dice: &mut Dice) -> (u64, End) {
    let mut chooser = ByDice { dice, plies: 0 };
    let Ok(end) = R::play(&mut chooser);
    (chooser.plies, end)
}

fn follow<R: Rival>(choose: &mut dyn FnMut(usize) -> Option<usize>) -> Option<End> {
    R::play(&mut Asks(choose)).ok()
}

/// Plays each path anew: slow, and sure to count what `play` plays.
fn perft<R: Rival>(path: &[usize], depth: u32) -> u64 {
    fn count<R: Rival>(path: &mut Vec<usize>, depth: u32) -> u64 {
        let Err(options) = R::play(&mut Path { left: path }) else {
            return u64::from(depth == 0);
        };
        match depth {
            0 => 1,
            1 => options as u64,
            _ => {
                let mut total = 0;
                for i in 0..options {
                    path.push(i);
                    total += count::<R>(path, depth - 1);
                    path.pop();
                }
                total
            }
        }
    }
    count::<R>(&mut path.to_vec(), depth)
}
