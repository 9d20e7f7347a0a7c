//! Two sets of rules of one game next to each other: what is written otherwise, and what follows from it.
//!
//! Everything is told by names, never by lines: two sets of rules have nothing else in common.

mod ahead;
mod clashes;
mod comparison;
mod counts;
mod edits;
mod play;
mod played;
mod records;
mod rulings;
mod side;
mod waking;
mod written;

pub use ahead::{Ahead, Budget, Difference, Fork, ahead};
pub use clashes::{Clash, Clashes, clashes};
pub use comparison::{Comparison, Wanted};
pub use counts::{Counted, counts};
pub use edits::{Deciding, Edit, Edits, How};
pub use play::{Games, Mean, Play, Share, play};
pub use played::records_of;
pub use records::{Goes, OtherRecord, Records, records};
pub use rulings::{OtherRuling, Rulings, rulings};
pub use side::Side;
pub use waking::{Part, Waking, waking};
pub use written::{Change, Sort, Written, titles, written};
