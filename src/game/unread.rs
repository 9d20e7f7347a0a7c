//! Why a text is not a choice.

use std::fmt;

use super::Fault;
use crate::model::{CodeId, Model};
use crate::spelling::{hint, list};

/// A text that is not a choice here, but would be one at other moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The text.
    pub text: String,
    /// The questions that could be answered so: each a code and an instruction.
    pub places: Vec<(CodeId, u16)>,
}

/// Why a text is not a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// No choice, legal or not, is written like that; with the nearest notations, and the number of options.
    Unknown(String, Vec<String>),
    /// Several different choices are written so.
    Ambiguous(String, Vec<String>),
    /// It names something whose place the seat does not know.
    Unseen(String),
    /// No action is written like that, and another seat decides, or none; with the nearest notations.
    NotYours(String, Vec<String>),
    /// What is written so is asked at other moments.
    Elsewhere(Elsewhere),
    /// The rules fail at this position; and in words.
    Fault(Box<Fault>, String),
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Unknown(text, near) => {
                write!(f, "nothing here is written \"{text}\"{}", hint(near))
            }
            Unread::Ambiguous(text, all) => {
                write!(f, "\"{text}\" could be any of {}", list(all, 5))
            }
            Unread::Unseen(text) => {
                write!(f, "\"{text}\" names something that this seat does not know; write only its owner and `?`")
            }
            Unread::NotYours(text, near) => {
                write!(f, "no action is written \"{text}\"{}, and it is not this seat's decision", hint(near))
            }
            Unread::Elsewhere(Elsewhere { text, .. }) => write!(f, "\"{text}\" is not asked for now"),
            Unread::Fault(_, words) => write!(f, "the rules fail here: {words}"),
        }
    }
}

impl std::error::Error for Unread {}

impl Unread {
    /// For a fault of the rules.
    pub(crate) fn fault(fault: &Fault, model: &Model) -> Unread {
        Unread::Fault(Box::new(fault.clone()), fault.words(model))
    }
}
