//! The shipped games written by hand, as fast as we can: what the compiled evaluator is measured against.
//!
//! A rival plays the same game as the rule files to the letter: at every ply it finds all options, and the one who chooses picks one by its index.
//! Where another order than that of the rules is quicker it can tell the place that an option has there. `tests/rivals.rs` holds each against the rules.

// The bench and the test each use a part.
#![allow(dead_code)]

mod bits;
mod breakthrough;
pub mod chess;
mod confrontation;
mod connect_four;
mod dice;
mod hex;
mod lines;
mod reversi;
mod tic_tac_toe;

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

    /// The same where the options have another order than in the rules: theirs is that of the keys.
    ///
    /// # Errors
    /// The game is to be left.
    #[inline]
    fn choose_by(&mut self, n: usize, _key: impl Fn(usize) -> u64) -> Result<usize, Self::Stop> {
        self.choose(n)
    }
}

/// Which option has the `i`th key.
fn by_key(n: usize, i: usize, key: impl Fn(usize) -> u64) -> usize {
    let mut options: Vec<usize> = (0..n).collect();
    options.sort_by_key(|o| key(*o));
    options[i]
}

/// A game by hand.
pub trait Rival {
    /// The name of the shipped game.
    const GAME: &'static str;
    /// Whether its options have the order of the rules.
    const IN_ORDER: bool = true;

    /// Plays a whole game.
    ///
    /// # Errors
    /// The chooser stopped.
    fn play<C: Chooser>(chooser: &mut C) -> Result<End, C::Stop>;

    /// How many positions lie so many plies ahead of the one that a path of options leads to. Plays each path anew: slow, and sure to count what
    /// `play` plays.
    fn perft(path: &mut Vec<usize>, depth: u32) -> u64 {
        let Err(options) = Self::play(&mut Path { left: path }) else {
            return u64::from(depth == 0);
        };
        match depth {
            0 => 1,
            1 => options as u64,
            _ => {
                let mut total = 0;
                for i in 0..options {
                    path.push(i);
                    total += Self::perft(path, depth - 1);
                    path.pop();
                }
                total
            }
        }
    }
}

/// A game whose every ply is a decision about one list of moves.
pub trait Board: Copy {
    /// The moves there are, in any form that is quick to make.
    type Moves;
    /// The name of the shipped game.
    const GAME: &'static str;
    /// Whether its moves have the order of the rules.
    const IN_ORDER: bool = true;

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

    /// What sorts the moves as the rules do.
    #[inline]
    fn key(&self, _moves: &Self::Moves, i: usize) -> u64 {
        i as u64
    }
}

/// How many positions lie so many plies ahead.
pub fn perft_of<B: Board>(board: &B, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = board.moves();
    let n = B::count(&moves);
    if depth == 1 {
        return n as u64;
    }
    let ahead = |i| {
        let mut next = *board;
        match next.make(&moves, i) {
            Some(_) => 0,
            None => perft_of(&next, depth - 1),
        }
    };
    (0..n).map(ahead).sum()
}

impl<B: Board> Rival for B {
    const GAME: &'static str = B::GAME;
    const IN_ORDER: bool = B::IN_ORDER;

    #[inline]
    fn play<C: Chooser>(chooser: &mut C) -> Result<End, C::Stop> {
        let mut board = B::start();
        loop {
            let moves = board.moves();
            let n = B::count(&moves);
            if n == 0 {
                return Ok(board.stuck());
            }
            let i = chooser.choose_by(n, |i| board.key(&moves, i))?;
            if let Some(end) = board.make(&moves, i) {
                return Ok(end);
            }
        }
    }

    fn perft(path: &mut Vec<usize>, depth: u32) -> u64 {
        let mut board = B::start();
        for i in path {
            let moves = board.moves();
            let i = by_key(B::count(&moves), *i, |i| board.key(&moves, i));
            if board.make(&moves, i).is_some() {
                return u64::from(depth == 0);
            }
        }
        perft_of(&board, depth)
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

/// Follows a path of options in the order of the rules; at its end it stops with the number of options there.
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

    fn choose_by(&mut self, n: usize, key: impl Fn(usize) -> u64) -> Result<usize, ()> {
        Ok(by_key(n, self.choose(n)?, key))
    }
}

/// A rival, whichever it is.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name of the shipped game.
    pub game: &'static str,
    /// Whether its options have the order of the rules.
    pub in_order: bool,
    /// Plays a random game: how many plies, and how it ended.
    pub playout: fn(&mut Dice) -> (u64, End),
    /// Plays a game whose options a function picks; nothing if it had enough.
    /// Their order is that of the rules.
    pub follow: fn(&mut dyn FnMut(usize) -> Option<usize>) -> Option<End>,
    /// Numbers of positions so many plies ahead of the one that a path of options leads to.
    pub perft: fn(&[usize], u32) -> u64,
    /// Bytes of a position.
    pub size: usize,
}

const fn entry<R: Rival>() -> Entry {
    Entry {
        game: R::GAME,
        in_order: R::IN_ORDER,
        playout: playout::<R>,
        follow: follow::<R>,
        perft: perft::<R>,
        size: size_of::<R>(),
    }
}

/// All rivals.
pub const RIVALS: [Entry; 7] = [
    entry::<confrontation::Confrontation>(),
    entry::<chess::Chess>(),
    entry::<reversi::Reversi>(),
    entry::<breakthrough::Breakthrough>(),
    entry::<hex::Hex>(),
    entry::<connect_four::ConnectFour>(),
    entry::<tic_tac_toe::TicTacToe>(),
];

fn playout<R: Rival>(dice: &mut Dice) -> (u64, End) {
    let mut chooser = ByDice { dice, plies: 0 };
    let Ok(end) = R::play(&mut chooser);
    (chooser.plies, end)
}

fn follow<R: Rival>(choose: &mut dyn FnMut(usize) -> Option<usize>) -> Option<End> {
    R::play(&mut Asks(choose)).ok()
}

fn perft<R: Rival>(path: &[usize], depth: u32) -> u64 {
    R::perft(&mut path.to_vec(), depth)
}
