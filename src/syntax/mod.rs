//! Text to tree: `.law` files, with every span kept. The only place that knows pest.
pub mod tree;
