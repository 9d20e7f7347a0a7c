#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = lawspeaker::check::check(&[(String::from("game.law"), String::from_utf8_lossy(data).into_owned())], &[]);
});
