//! Which files are libraries for FMUs: ours, of this version, and for the platform for which they are given.

use stickslip_file::{Diagnostic, Result};

/// What every library of ours says somewhere, before its version; `stickslip-fmi` keeps the text.
const MARK: &[u8] = b"stickslip library for FMUs, version ";

/// The system and the processor for which a file of machine code was made.
fn platform(bytes: &[u8]) -> Option<String> {
    let short = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let long = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (system, processor) = match bytes {
        [0x7f, b'E', b'L', b'F', ..] => ("linux", u32::from(short(18)?)),
        [b'M', b'Z', ..] => ("windows", u32::from(short(long(0x3c)? as usize + 4)?)),
        [0xcf, 0xfa, 0xed, 0xfe, ..] => ("darwin", long(4)?),
        _ => return None,
    };
    let processor = match processor {
        0x3e | 0x8664 | 0x0100_0007 => "x86_64",
        0xb7 | 0xaa64 | 0x0100_000c => "aarch64",
        _ => return None,
    };
    Some(format!("{processor}-{system}"))
}

/// The version that a library of ours names.
fn version(bytes: &[u8]) -> Option<String> {
    let at = bytes.windows(MARK.len()).position(|w| w == MARK)? + MARK.len();
    // It ends with a zero.
    Some(bytes[at..].iter().take(40).take_while(|b| **b != 0).map(|b| char::from(*b)).collect())
}

/// Refuses a file that is not our library for `wanted`: an importer would load it, and fail in its own words or crash.
///
/// # Errors
/// What the file is instead.
pub fn check(file: &str, bytes: &[u8], wanted: &str) -> Result<()> {
    let fault = |what: String| {
        let remedy = "take the library of stickslip-fmi that belongs to this version and platform";
        Err(Diagnostic::new(format!("{file}: {what}")).help(remedy))
    };
    let Some(found) = platform(bytes) else {
        return fault("this is not a library for any platform of FMI".to_owned());
    };
    let own = env!("CARGO_PKG_VERSION");
    match version(bytes) {
        None => fault("this library is not the one that goes into FMUs".to_owned()),
        Some(v) if v != own => fault(format!("this library is of version {v}; expected {own}")),
        Some(_) if found != wanted => {
            fault(format!("this library is for {found}; expected one for {wanted}"))
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of a library for Linux on x86-64 with this text in it.
    fn linux(text: &str) -> Vec<u8> {
        let mut bytes = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0];
        bytes.resize(18, 0);
        bytes.extend([0x3e, 0]);
        bytes.extend(text.bytes());
        bytes
    }

    #[test]
    fn only_our_own_library_is_taken() {
        let own = format!("{}{}\0", String::from_utf8_lossy(MARK), env!("CARGO_PKG_VERSION"));
        assert!(check("f", &linux(&own), "x86_64-linux").is_ok());
        let wrong: [(Vec<u8>, &str, &str); 6] = [
            (Vec::new(), "x86_64-linux", "not a library"),
            (b"#!/bin/sh\n".to_vec(), "x86_64-linux", "not a library"),
            (own.clone().into_bytes(), "x86_64-linux", "not a library"),
            (linux("libm"), "x86_64-linux", "not the one"),
            (linux(&own.replace(env!("CARGO_PKG_VERSION"), "99.0.0")), "x86_64-linux", "99.0.0"),
            (linux(&own), "aarch64-linux", "is for x86_64-linux"),
        ];
        for (bytes, platform, said) in wrong {
            let error = check("f", &bytes, platform).unwrap_err();
            assert!(error.message().contains(said), "{}", error.message());
        }
    }
}
