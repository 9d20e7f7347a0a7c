//! Fuzzing of rules: see `tests/inputs/mod.rs`.
#![no_main]

#[path = "../../tests/inputs/mod.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|data: &[u8]| inputs::rules(data));
