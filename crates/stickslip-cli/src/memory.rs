//! What happens when there is no memory left: the program says so, removes its unfinished files and ends, as for any other
//! error. Rust would abort, which leaves them there and looks like a fault of the program.

#![allow(
    unsafe_code,
    reason = "an allocator cannot be written without it; this one hands everything to the system's"
)]

use crate::fault::NO_MEMORY;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use stickslip_run::directory;

#[global_allocator]
static MEMORY: Memory = Memory;

/// The system's allocator, whose refusals end the program.
struct Memory;

// SAFETY: every call goes to the system's allocator with the arguments that were given, and its answer goes back unless it is
// null, when the call does not return.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        given(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.realloc(old, layout, size) })
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

fn given(place: *mut u8) -> *mut u8 {
    if place.is_null() {
        end();
    }
    place
}

/// Nothing here may count on memory; if it is asked for all the same, and refused again, the program ends at once.
#[cold]
fn end() -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if !ENDING.swap(true, Ordering::SeqCst) {
        let said = b"error: there is not enough memory\n |\n = help: ask for fewer rows, paths or points, or allow more memory (ulimit -v)\n";
        let _ = io::stderr().write_all(said);
        // A commit under way cannot be waited for: this may be its own thread. The next run would undo it.
        directory::abandon_at_once();
    }
    process::exit(NO_MEMORY)
}
