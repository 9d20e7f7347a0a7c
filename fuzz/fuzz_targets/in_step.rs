//! Games made from bytes, played by all evaluators in step.
#![no_main]

#[path = "../../tests/generated/mod.rs"]
mod generated;

use generated::source::Bytes;
use generated::step::{Tried, try_game};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (head, rest) = data.split_at(data.len().min(8));
    let seed = head.iter().fold(0, |seed, byte| seed << 8 | u64::from(*byte));
    let game = generated::game(&mut Bytes(rest));
    if let Tried::Different(difference) = try_game(&game, seed, 1, 16) {
        let files: Vec<String> = game.files.iter().map(|(name, text)| format!("==== {name}\n{text}")).collect();
        panic!("{difference}\n{}", files.concat());
    }
});
