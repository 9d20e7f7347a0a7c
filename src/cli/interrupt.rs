//! Ctrl-C, or another signal to end, while a command works long: the first one lets it report what there is, the
//! second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// The exit code of a command that was cut off, as shells have it.
pub const CODE: u8 = 130;

/// Is set by the first Ctrl-C from now on, and by SIGTERM and SIGHUP. If the system does not let us listen, Ctrl-C ends
/// the process as it always does.
pub fn asked() -> &'static AtomicBool {
    let heard = || {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(CODE.into());
        }
    };
    let _ = ctrlc::try_set_handler(heard);
    &ASKED
}

/// Whether Ctrl-C was heard.
pub fn heard() -> bool {
    ASKED.load(Ordering::Relaxed)
}
