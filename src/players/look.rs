//! What a player may know of a position.

use std::cell::OnceCell;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Dice;
use crate::game::{Choice, Position, SeenOption, View};

/// What seats can know of positions. Every answer is the same for positions that the seat cannot tell apart.
pub trait Eyes {
    /// What a seat sees.
    fn view(&self, position: &Position, seat: u16) -> View;

    /// A hash of what a seat sees.
    fn seen(&self, position: &Position, seat: u16) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.view(position, seat).hash(&mut hasher);
        hasher.finish()
    }

    /// Up to `count` positions that look to the seat like this one, drawn at random, each with the seat's options as
    /// it reads them. Empty if none can be drawn.
    fn worlds(
        &self,
        _position: &Position,
        _seat: u16,
        _count: usize,
        _dice: &mut Dice,
    ) -> Vec<(Position, Vec<SeenOption>)> {
        Vec::new()
    }

    /// The options of the seat that decides, as it reads them. Empty if they cannot be told.
    fn options(&self, _position: &Position, _seat: u16) -> Vec<SeenOption> {
        Vec::new()
    }
}

impl<F: Fn(&Position, u16) -> View> Eyes for F {
    fn view(&self, position: &Position, seat: u16) -> View {
        self(position, seat)
    }
}

/// What a player may look at. The view is made only when it is asked for, so that it costs nothing otherwise. The
/// position itself cannot be had from it.
pub struct Look<'a> {
    eyes: &'a dyn Eyes,
    position: &'a Position,
    seat: u16,
    view: OnceCell<View>,
}

impl<'a> Look<'a> {
    /// A look of a seat at a position, through eyes that are asked for the view at most once.
    #[must_use]
    pub fn new(eyes: &'a dyn Eyes, position: &'a Position, seat: u16) -> Look<'a> {
        Look { eyes, position, seat, view: OnceCell::new() }
    }

    /// The seat that looks.
    #[must_use]
    pub fn seat(&self) -> u16 {
        self.seat
    }

    /// What the seat sees.
    #[must_use]
    pub fn view(&self) -> &View {
        self.view.get_or_init(|| self.eyes.view(self.position, self.seat))
    }

    /// A hash of what the seat sees.
    #[must_use]
    pub fn seen(&self) -> u64 {
        self.eyes.seen(self.position, self.seat)
    }

    /// Up to `count` positions that look to the seat like the one in play, with the options there as it reads them
    /// ([`Eyes::worlds`]). Their texts are the same as in the position in play.
    #[must_use]
    pub fn worlds(&self, count: usize, dice: &mut Dice) -> Vec<(Position, Vec<SeenOption>)> {
        self.eyes.worlds(self.position, self.seat, count, dice)
    }

    /// For each option in play its text as the seat reads it. Options that it cannot tell apart have the same text.
    #[must_use]
    pub fn texts(&self, options: &[Choice]) -> Vec<String> {
        let seen = self.eyes.options(self.position, self.seat);
        let text = |choice: &Choice| {
            let option = seen.iter().find(|option| option.choices.contains(choice));
            option.map(|option| option.text.clone()).unwrap_or_default()
        };
        options.iter().map(text).collect()
    }
}
