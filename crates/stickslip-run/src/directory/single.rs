//! One file that appears whole or not at all.
//!
//! It is written under a hidden name in the same folder, which it has until it is whole. An error and a signal take that file
//! away. What a kill leaves, the next file that is written into the folder takes away: a hidden name holds a proof of itself, so that
//! no file of somebody else is taken for one, and a run that lives has locked the file that it writes.

use super::pending::{Owner, pending};
use super::{place, taken_by};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use stickslip_file::regular::{self, open_own, unlike_a_file};
use stickslip_file::{Diagnostic, Remedy, Result, Sha256};

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
    let owner = Owner::new();
    forget_unfinished(path);
    let (mut file, temporary) = begin(path, owner).map_err(failed)?;
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

/// Makes the hidden file and locks it.
fn begin(path: &Path, owner: Owner) -> io::Result<(File, PathBuf)> {
    // Another run may take the file for one that was left, before it is locked; then this one begins again.
    for _ in 0..100 {
        let Some(temporary) = hidden(path) else {
            return Err(io::Error::other("it is not the name of a file"));
        };
        let file = {
            // Under one lock, so that no file is made that an interruption would not find.
            let mut guard = pending();
            let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
            guard.add_file(owner, temporary.clone());
            file
        };
        // Where files cannot be locked, none is ever taken for one that was left.
        let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken && fs::symlink_metadata(&temporary).is_ok() {
            return Ok((file, temporary));
        }
        pending().remove_files(owner);
    }
    Err(io::Error::other("other runs remove its unfinished file all the time"))
}

/// Removes the hidden files of runs that were killed from the folder of a file. Those that cannot be removed stay: they are in nobody's
/// way.
fn forget_unfinished(path: &Path) {
    // A path of one name has an empty one as its folder.
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().to_str().is_some_and(is_hidden) {
            continue;
        }
        // The lock goes with the process that wrote, so that a file that can be locked is nobody's any more.
        if let Ok(Some(file)) = open_own(&entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
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
        return Err(Diagnostic::new(said)
            .help("give another name, or move it elsewhere")
            .with_remedy(Remedy::Overwrite));
    }
    Ok(true)
}

/// A new name in the same folder that nobody can foresee.
fn hidden(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let token = regular::token();
    Some(path.with_file_name(format!(".{name}.{token}{}{UNFINISHED}", proof(name, &token))))
}

/// How hidden names end.
const UNFINISHED: &str = ".new";
/// Digits of a token, and of the proof behind it.
const DIGITS: usize = 16;

/// What shows that this program made a hidden name: digits that nobody writes by chance.
fn proof(name: &str, token: &str) -> String {
    let mut digest = Sha256::of(format!("stickslip, unfinished: {name}, {token}").as_bytes());
    digest.truncate(DIGITS);
    digest
}

/// Whether [`hidden`] has made a name.
fn is_hidden(name: &str) -> bool {
    let whole = || {
        let inside = name.strip_prefix('.')?.strip_suffix(UNFINISHED)?;
        let (name, digits) = inside.rsplit_once('.')?;
        let (token, rest) = digits.split_at_checked(DIGITS)?;
        Some(rest == proof(name, token))
    };
    whole().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|n| n.into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A name of ours is known again; with another digit, name or ending it is somebody's.
    #[test]
    fn a_hidden_name_proves_itself() {
        let made = hidden(Path::new("a.b.fmu")).unwrap();
        let made = made.to_str().unwrap();
        assert!(is_hidden(made), "{made}");
        let cut = made.strip_suffix(UNFINISHED).unwrap();
        let digit = if cut.ends_with('0') { "1" } else { "0" };
        let other = format!("{}{digit}{UNFINISHED}", &cut[..cut.len() - 1]);
        for foreign in [
            other.as_str(),
            made.replace("a.b", "a.c").as_str(),
            &made[1..],
            cut,
            ".a.b.fmu.0123456789abcdef.new",
            ".a.b.fmu.new",
            ".new",
            ".µµµµµµµµµ.new",
        ] {
            assert!(!is_hidden(foreign), "{foreign}");
        }
    }

    /// What a dead run has left goes, whichever file it was to be; what a run that lives has locked stays, and so do a stranger's file, a
    /// folder and a link with names of ours.
    #[test]
    fn only_what_the_dead_have_left_goes() {
        let folder = tempfile::TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut stay = vec!["out.fmu".to_owned(), "paper.txt".to_owned()];
        fs::write(at("paper.txt"), "mine").unwrap();
        fs::write(at(".out.fmu.0123456789abcdef.new"), "mine").unwrap();
        stay.push(".out.fmu.0123456789abcdef.new".to_owned());
        let named = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let held = hidden(&at("held.fmu")).unwrap();
        let living = File::create_new(&held).unwrap();
        living.lock().unwrap();
        stay.push(named(&held));
        let inside = hidden(&at("folder")).unwrap();
        fs::create_dir(&inside).unwrap();
        stay.push(named(&inside));
        #[cfg(unix)]
        {
            let link = hidden(&at("link")).unwrap();
            std::os::unix::fs::symlink(at("paper.txt"), &link).unwrap();
            stay.push(named(&link));
        }
        for left in ["out.fmu", "out.fmu", "another.fmu"] {
            fs::write(hidden(&at(left)).unwrap(), "a beginning").unwrap();
        }
        replace(&at("out.fmu"), b"whole", &[], Older::Any).unwrap();
        stay.sort();
        assert_eq!(names(folder.path()), stay);
        assert_eq!(fs::read(at("out.fmu")).unwrap(), b"whole");
        assert_eq!(fs::read(at("paper.txt")).unwrap(), b"mine");
        // When that run has ended, its file is left like the others.
        drop(living);
        replace(&at("out.fmu"), b"again", &[], Older::Any).unwrap();
        assert!(!names(folder.path()).contains(&named(&held)));
    }
}
