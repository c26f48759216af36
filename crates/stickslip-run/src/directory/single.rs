//! One file that appears whole or not at all.

use super::pending::{Owner, pending};
use super::{place, taken_by};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use stickslip_file::regular::{self, unlike_a_file};
use stickslip_file::{Diagnostic, Result};

/// What may be replaced.
#[derive(Clone, Copy)]
pub enum Older<'a> {
    /// A file of which this says that the program wrote it.
    Ours(&'a (dyn Fn(&[u8]) -> bool + Sync)),
    /// Any regular file, because somebody has asked for it.
    Any,
}

/// Longer files are nobody's that this program knows: they are not read to find out.
const LONGEST: u64 = 1 << 28;

/// Writes a file, in place of an older one only if that may be replaced. `inputs` are files that must not be.
///
/// # Errors
/// Where something else is in its place, or it cannot be written: then everything is as it was.
pub fn replace(path: &Path, bytes: &[u8], inputs: &[String], older: Older<'_>) -> Result<()> {
    let failed = |e: io::Error| failed(path, &e);
    let is_there = check_one(path, inputs, older)?;
    let Some(temporary) = hidden(path) else {
        return Err(failed(io::Error::other("it is not the name of a file")));
    };
    let owner = Owner::new();
    let mut file = {
        // Under one lock, so that no file is made that an interruption would not find.
        let mut guard = pending();
        let made = OpenOptions::new().write(true).create_new(true).open(&temporary);
        let made = made.map_err(failed)?;
        guard.add_file(owner, temporary.clone());
        made
    };
    let written = file.write_all(bytes);
    let mut guard = pending();
    let put = |()| if is_there { fs::rename(&temporary, path) } else { place(&temporary, path) };
    let ended = written.and_then(put);
    if ended.is_err() {
        guard.remove(owner);
    }
    guard.keep(owner);
    ended.map_err(failed)
}

fn failed(path: &Path, e: &io::Error) -> Diagnostic {
    Diagnostic::new(format!("{}: cannot be written: {e}", path.display()))
        .help("give a file in a directory that you may write to")
}

/// Whether there is an older file, if [`replace`] may take its place.
///
/// # Errors
/// Where it may not.
pub fn check_one(path: &Path, inputs: &[String], older: Older<'_>) -> Result<bool> {
    let found = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        found => found.map_err(|e| failed(path, &e))?,
    };
    if let Some(other) = unlike_a_file(&found) {
        return Err(taken_by(path, other));
    }
    let is_input = |input: &String| fs::metadata(input).is_ok_and(|i| regular::is_same(&i, &found));
    if inputs.iter().any(is_input) {
        let said = format!("{}: is an input of this run and would be replaced", path.display());
        return Err(Diagnostic::new(said).help("give the output another name"));
    }
    let Older::Ours(is_ours) = older else { return Ok(true) };
    if found.len() > LONGEST || !fs::read(path).is_ok_and(|bytes| is_ours(&bytes)) {
        let said = format!(
            "{}: is there already, and is not a file that this program made, or was changed since",
            path.display()
        );
        return Err(Diagnostic::new(said).help("give another name, or move it elsewhere"));
    }
    Ok(true)
}

/// A new name in the same folder that nobody can foresee.
fn hidden(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    Some(path.with_file_name(format!(".{name}.{}.new", regular::token())))
}
