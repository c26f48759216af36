//! All integration tests of the crate, in one program. A new file joins by one line here.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(clippy::disallowed_methods, reason = "tests compare with the C library")]

mod cascades;
mod impacts;
mod oscillators;
