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
    pub(crate) fn first_of(values: &[i16; MAX_ARGS], count: usize, last: Option<i32>) -> Args {
        let mut args = Args { len: count.min(MAX_ARGS) as u8, values: *values };
        // What is not in use is zero, so that equal arguments are equal bytes.
        for (place, value) in args.values.iter_mut().enumerate() {
            if place >= count {
                *value = 0;
            }
        }
        if let Some(last) = last
            && let Some(place) = args.values.get_mut(count)
        {
            *place = last as i16;
            args.len += 1;
        }
        args
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
