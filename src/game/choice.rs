//! A choice: one option of a decision, or one outcome of chance.

use crate::model::{ActionId, Answer, MAX_ARGS};

/// The arguments of an action, members and numbers alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Args {
    len: u8,
    values: [i16; MAX_ARGS],
}

impl Args {
    /// Makes arguments from a list; whatever exceeds [`MAX_ARGS`] or 16 bits is dropped (the checker forbids both).
    #[must_use]
    pub fn new(values: &[i32]) -> Args {
        let mut args = Args::default();
        for (place, value) in args.values.iter_mut().zip(values) {
            *place = *value as i16;
        }
        args.len = values.len().min(MAX_ARGS) as u8;
        args
    }

    /// The first of some values, so many, and one that follows them; what does not fit is dropped.
    #[cfg(feature = "jit")]
    #[inline]
    pub(crate) fn first_of(values: &[i16; MAX_ARGS], count: usize, last: Option<i32>) -> Args {
        // What is not in use is zero, so that equal arguments are equal bytes. Each place is written once: to read what
        // was just written in parts is slow.
        let args = std::array::from_fn(|i| match values.get(i) {
            Some(value) if i < count => *value,
            _ if i == count => last.unwrap_or(0) as i16,
            _ => 0,
        });
        Args { len: (count + usize::from(last.is_some())).min(MAX_ARGS) as u8, values: args }
    }

    /// These and one that follows them, if it fits.
    #[cfg(feature = "jit")]
    #[inline]
    pub(crate) fn and(&self, last: i32) -> Args {
        Args::first_of(&self.values, usize::from(self.len), Some(last))
    }

    /// As a slice.
    #[must_use]
    pub fn as_slice(&self) -> &[i16] {
        self.values.get(..self.len as usize).unwrap_or(&[])
    }
}

/// A choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// An action with its arguments.
    Act(ActionId, Args),
    /// A member or number: chosen, picked, rolled, or the next of several.
    Value(i32),
    /// Yes.
    Yes,
    /// Doing nothing: an optional decision is declined, a question answered *no*, or a choice of several is complete.
    Pass,
}

impl Choice {
    /// How it answers a decision.
    #[must_use]
    pub fn answer(self) -> Answer {
        match self {
            Choice::Pass => Answer::Pass,
            Choice::Act(..) | Choice::Value(_) | Choice::Yes => Answer::Chosen,
        }
    }
}
