//! What happens when there is no memory left: the program says so, removes its unfinished files and ends, as for any other
//! error. Rust would abort, which leaves them there and looks like a fault of the program.

#![allow(
    unsafe_code,
    reason = "an allocator cannot be written without it; this one hands everything to the system's, but for a small reserve"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use std::{panic, ptr, thread};
use stickslip_cli::NO_MEMORY;
use stickslip_run::directory;

#[global_allocator]
static MEMORY: Memory = Memory;

/// The system's allocator, whose refusals end the program; while results are put in place, a reserve helps out, so that none of
/// them is left half done.
struct Memory;

/// Bytes of the reserve: paths and lines of a record for some thousand files.
const RESERVED: usize = 1 << 20;
/// What parts of it begin at a multiple of.
const ALIGNED: usize = 64;

/// Memory that nobody uses as long as the system has some. Parts are handed out one after the other and never taken back.
#[repr(align(64))]
struct Reserve(UnsafeCell<[u8; RESERVED]>);

// SAFETY: the bytes are reached through the parts alone, of which no two overlap: see `part`.
unsafe impl Sync for Reserve {}

static RESERVE: Reserve = Reserve(UnsafeCell::new([0; RESERVED]));
static USED: AtomicUsize = AtomicUsize::new(0);

impl Reserve {
    /// A part that nobody has had; its bytes are zero. Null where there is no room.
    fn part(&self, layout: Layout) -> *mut u8 {
        let size = layout.size().next_multiple_of(ALIGNED);
        if layout.align() > ALIGNED || size > RESERVED {
            return ptr::null_mut();
        }
        let at = USED.fetch_add(size, Ordering::SeqCst);
        if at.saturating_add(size) > RESERVED {
            return ptr::null_mut();
        }
        self.0.get().cast::<u8>().wrapping_add(at)
    }

    fn holds(&self, place: *mut u8) -> bool {
        let begin = self.0.get() as usize;
        (begin..begin + RESERVED).contains(&(place as usize))
    }
}

// SAFETY: what the system's allocator gives is handed on, and goes back to it with the layout that it was asked for. What the
// reserve gives has the size and the alignment of the layout, overlaps nothing else, and is never given to the system.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        given(unsafe { System.alloc(layout) }, layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.alloc_zeroed(layout) }, layout)
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !RESERVE.holds(old) {
            // SAFETY: as above; what is not of the reserve is the system's.
            let place = unsafe { System.realloc(old, layout, size) };
            if !place.is_null() {
                return place;
            }
        }
        // SAFETY: the caller promises that the size is one for this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the new place is another one, and each has as many bytes as are copied. What the system refused to lengthen
        // is still there.
        unsafe {
            let place = if RESERVE.holds(old) {
                self.alloc(wanted)
            } else {
                given(ptr::null_mut(), wanted)
            };
            ptr::copy_nonoverlapping(old, place, layout.size().min(size));
            self.dealloc(old, layout);
            place
        }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        if !RESERVE.holds(old) {
            // SAFETY: as above.
            unsafe { System.dealloc(old, layout) }
        }
    }
}

/// What the system has given, or what the reserve has for it.
fn given(place: *mut u8, layout: Layout) -> *mut u8 {
    if !place.is_null() {
        return place;
    }
    let part = if directory::is_at_work() { RESERVE.part(layout) } else { place };
    if part.is_null() {
        end();
    }
    part
}

/// How long another thread that is refused memory waits for the first one to clean up, in steps of ten milliseconds.
const PATIENCE: u32 = 100;

thread_local!(static CLEANS_UP: Cell<bool> = const { Cell::new(false) });

/// Ends the program. The first thread that comes here says why and removes the unfinished files; the others wait until it is
/// done. If cleaning up itself asks for memory and is refused, the program ends at once.
#[cold]
fn end() -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if !ENDING.swap(true, Ordering::SeqCst) {
        CLEANS_UP.set(true);
        say(b"error: there is not enough memory\n |\n = help: ask for fewer rows, paths or points, or allow more memory (ulimit -v)\n");
        // A commit that is under way has a reserve, unless that is used up, too. It cannot be waited for, because this may be
        // its own thread. The next run undoes it.
        directory::abandon_at_once();
    } else if !CLEANS_UP.get() {
        // Bounded, because this thread may hold a lock that the first one needs.
        for _ in 0..PATIENCE {
            thread::sleep(Duration::from_millis(10));
        }
    }
    leave()
}

/// Ends the program in the same way where a thread begins and there is no memory for the stack on which Rust would tell of an
/// overflow of its own one. Rust panics then, outside of everything that catches panics, and who waits for the thread may wait
/// for ever.
pub fn end_where_a_thread_has_no_room() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |defect| {
        if defect.location().is_some_and(|l| l.file().ends_with("stack_overflow.rs")) {
            end();
        }
        usual(defect);
    }));
}

#[cfg(unix)]
fn say(text: &[u8]) {
    // Not through `std::io`: another thread that waits here may hold the lock of standard error.
    // SAFETY: the text is readable for its whole length.
    unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

#[cfg(not(unix))]
fn say(text: &[u8]) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), text);
}

/// `process::exit` runs what was registered to run at the end. That may ask for memory and come back here, which Rust answers
/// with a panic, and a panic asks for memory once more.
#[cfg(unix)]
fn leave() -> ! {
    // SAFETY: nothing of this process is used any more.
    unsafe { libc::_exit(NO_MEMORY) }
}

#[cfg(not(unix))]
fn leave() -> ! {
    std::process::exit(NO_MEMORY)
}
