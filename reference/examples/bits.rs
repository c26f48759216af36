//! The digests of the fixed computations for WebAssembly, which has no standard output: two functions for whoever loads the
//! module. `cargo xtask bits` runs it in Node.js.

#![allow(unsafe_code, reason = "names that can be called from outside are unsafe to give")]

use std::sync::OnceLock;
use stickslip_run::Context;

static FOUND: OnceLock<String> = OnceLock::new();

fn found() -> &'static str {
    FOUND.get_or_init(|| match stickslip_reference::bits(&Context::silent()) {
        Ok(bits) => bits.to_string(),
        Err(why) => why.to_string(),
    })
}

/// Where the text begins in the memory of the module.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn bits() -> *const u8 {
    found().as_ptr()
}

/// How many bytes it has.
// SAFETY: as above.
#[unsafe(no_mangle)]
pub extern "C" fn bits_length() -> usize {
    found().len()
}
