//! Interruptions.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use stickslip_run::directory;

/// Somebody is computing who can stop early and keep what is complete.
static PATIENT: AtomicBool = AtomicBool::new(false);
/// They have been asked to.
static ASKED: AtomicBool = AtomicBool::new(false);

/// While it lives, the first interruption asks politely: the holder looks at [`Patience::is_over`]
/// now and then. The second one ends the program.
#[derive(Debug)]
pub struct Patience(());

impl Patience {
    /// Begins to be patient.
    pub fn new() -> Self {
        PATIENT.store(true, Ordering::SeqCst);
        Self(())
    }

    /// Whether an interruption has come.
    pub fn is_over(&self) -> bool {
        ASKED.load(Ordering::SeqCst)
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        PATIENT.store(false, Ordering::SeqCst);
    }
}

/// On Ctrl-C, SIGTERM or SIGHUP: removes unfinished files and ends with code 130. A commit under
/// way is finished first, since it holds the lock. Who has [`Patience`] is asked first.
pub fn clean_up_when_interrupted() {
    let _ = ctrlc::set_handler(|| {
        if PATIENT.swap(false, Ordering::SeqCst) {
            ASKED.store(true, Ordering::SeqCst);
            return;
        }
        let _held = directory::abandon();
        process::exit(130);
    });
}
