//! What a bot that looks ahead takes for possible: worlds, and its options there.

use std::collections::BTreeSet;

use super::{Dice, Look};
use crate::game::{Choice, Position, SeenOption};

/// Worlds that the seat cannot tell apart, drawn at random, and the texts of its options in them.
pub struct Guess {
    /// The texts of the options in all worlds, in order.
    pub texts: Vec<String>,
    /// Worlds in which there is an option.
    pub worlds: Vec<World>,
}

/// A position that the seat considers possible, with its options there.
pub struct World {
    /// The position.
    pub position: Position,
    /// The number of each option's text, in order, and the choices that it stands for: at least one.
    pub first: Vec<(usize, Vec<Choice>)>,
}

impl Guess {
    /// Up to `count` worlds. There is none if none can be drawn.
    pub fn new(look: &Look<'_>, count: usize, dice: &mut Dice) -> Guess {
        let seen = look.worlds(count, dice);
        let texts: BTreeSet<&str> =
            seen.iter().flat_map(|(_, options)| options).map(|option| option.text.as_str()).collect();
        let texts: Vec<String> = texts.into_iter().map(str::to_owned).collect();
        let worlds = seen.into_iter().map(|(position, options)| World::new(position, options, &texts));
        let worlds = worlds.filter(|world| !world.first.is_empty()).collect();
        Guess { texts, worlds }
    }

    /// Which of the options in play has the text of this number ([`option_with`]).
    pub fn option(&self, text: Option<usize>, look: &Look<'_>, options: &[Choice], dice: &mut Dice) -> usize {
        let wanted = text.and_then(|n| self.texts.get(n));
        option_with(wanted.map(String::as_str), look, options, dice)
    }
}

/// The only one of some worlds, if the rules hide nothing (`hides`) and all its options have texts of their own.
pub fn open(worlds: &[World], hides: bool) -> Option<&World> {
    let [world] = worlds else { return None };
    let is_told = world.first.iter().all(|(_, choices)| choices.len() == 1);
    (is_told && !hides).then_some(world)
}

/// Which of the options in play has a text; of several that the seat cannot tell apart one at random, and any if there
/// is none.
pub fn option_with(text: Option<&str>, look: &Look<'_>, options: &[Choice], dice: &mut Dice) -> usize {
    let texts = look.texts(options);
    let alike: Vec<usize> = match text {
        Some(wanted) => (0..options.len()).filter(|i| texts.get(*i).is_some_and(|text| text == wanted)).collect(),
        None => Vec::new(),
    };
    match alike.is_empty() {
        true => dice.below(options.len()),
        false => alike.get(dice.below(alike.len())).copied().unwrap_or(0),
    }
}

impl World {
    fn new(position: Position, options: Vec<SeenOption>, texts: &[String]) -> World {
        let numbered = |option: SeenOption| {
            let text = texts.binary_search(&option.text).ok()?;
            (!option.choices.is_empty()).then_some((text, option.choices))
        };
        let mut first: Vec<(usize, Vec<Choice>)> = options.into_iter().filter_map(numbered).collect();
        first.sort();
        World { position, first }
    }
}
