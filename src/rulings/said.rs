//! The choice that a ruling is about, as it is written.

use crate::explain::Explainer;
use crate::game::{Choice, Position, Ruling};

/// How the choice of a ruling is written for those who read the ruling.
pub(super) fn said(
    referee: &Explainer,
    position: &Position,
    (seat, choice): (u16, Choice),
    ruling: &Ruling,
    lang: &str,
) -> String {
    if let Some(written) = &ruling.written {
        return written.clone();
    }
    match ruling.seen {
        true => referee.say_seen(position, seat, choice, lang),
        false => referee.say(position, choice, lang),
    }
}
