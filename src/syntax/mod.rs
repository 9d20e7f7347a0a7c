//! Text to tree: `.law` files, with every span kept. The only place that knows pest.
mod colon;
mod fault;
mod lookalike;
mod parse;
mod split;
mod tokens;
pub mod tree;
pub mod written;

pub use fault::SyntaxFault;
pub use parse::{Parsed, keywords, parse, parse_again, parse_expr};
pub use tokens::{Sort, Token, declarations, tokens};
