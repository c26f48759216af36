//! A directory of results that appears whole or not at all, and in which nothing is touched that this program did not write.
//!
//! Every file is written under a new temporary name in the directory; [`Directory::commit`] gives all of them their names.
//! Whatever ends the program before that — an error, Ctrl-C, a signal — leaves nothing. What is replaced or removed has a name
//! that the command writes and the digest that was recorded when it was written; anything else there is somebody's.

mod names;
mod pending;
mod record;
mod sealed;
mod single;

use names::may_write;
use pending::{Owner, pending};
pub use pending::{abandon, abandon_at_once, is_at_work};
use record::{Known, Lines, Record, Run};
use sealed::Sealed;
pub use single::{Older, check_one, replace};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use stickslip_file::regular::{self, open_own, unlike_a_file};
use stickslip_file::{Diagnostic, Result};

/// A directory that results are being written to.
#[derive(Debug)]
pub struct Directory {
    directory: PathBuf,
    command: String,
    /// Of the files that go if the run fails.
    owner: Owner,
    /// The process that writes. A copy of it that a fork has made leaves the files alone.
    process: u32,
    /// In the names of all unfinished files of this run.
    token: String,
    /// The files that are written, in order.
    written: Vec<Known>,
    /// The results of the run before that are still as it left them, and when each was last changed.
    before: Vec<(Known, Option<SystemTime>)>,
    /// What a run that was killed has left, and what nobody can tell to be its own.
    left: Vec<String>,
    /// What is out of the way while files are exchanged.
    older: Vec<Known>,
    /// Whether nothing is to be undone any more.
    ended: bool,
    /// Locked while this run lives.
    lines: Lines,
}

impl Directory {
    /// Makes the directory if need be, checks that `command` may write its results there, and undoes what a run that was
    /// killed has left half done.
    ///
    /// # Errors
    /// Where it cannot be made, read or written, where another run writes to it, and where it holds results of another command
    /// or other files with the names of these results.
    pub fn prepare(directory: &Path, command: &str) -> Result<Self> {
        let owner = Owner::new();
        let missing: Vec<&Path> = directory
            .ancestors()
            .take_while(|d| !d.as_os_str().is_empty() && !d.exists())
            .collect();
        for made in missing.into_iter().rev() {
            pending().add_directory(owner, made.to_path_buf());
        }
        let prepared = Self::begin(directory, command, owner);
        if prepared.is_err() {
            pending().remove(owner);
        }
        prepared
    }

    fn begin(directory: &Path, command: &str, owner: Owner) -> Result<Self> {
        fs::create_dir_all(directory).map_err(|e| refused(directory, &e))?;
        let file = claim(directory, owner)?;
        let known = |e: io::Error| of_record(directory, &e);
        let (mut lines, record) = Lines::open(file).map_err(known)?;
        let left = match &record.open {
            Some(run) if record.done => finish(directory, run),
            Some(run) => undo(directory, run),
            None => Vec::new(),
        };
        // It speaks of no results: if this run leaves none either, it goes. Where it cannot be told whether somebody has
        // opened it meanwhile, it stays.
        if record.command.is_none() && cfg!(unix) {
            pending().add_file(owner, directory.join(RECORD));
        }
        if record.open.is_some() {
            lines.add("end").map_err(known)?;
        }
        let before = check(directory, command, &record)?;
        let token = regular::token();
        lines.add(&format!("run\t{command}\t{token}")).map_err(known)?;
        Ok(Self {
            directory: directory.to_path_buf(),
            command: command.to_owned(),
            owner,
            process: std::process::id(),
            token,
            written: Vec::new(),
            before,
            left,
            older: Vec::new(),
            ended: false,
            lines,
        })
    }

    /// Files that a run that was killed may have left, but that hold something else than it wrote: they are still there.
    pub fn left(&self) -> &[String] {
        &self.left
    }

    /// The names of the files so far, and of the summary, which holds them.
    pub fn names(&self) -> Vec<&str> {
        self.written.iter().map(|known| known.name.as_str()).chain([SUMMARY]).collect()
    }

    /// Writes one file, under a temporary name for now.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<()> {
        let path = self.directory.join(name);
        let failed = |e: io::Error| {
            Diagnostic::new(format!("{}: cannot be written: {e}; no file was left", path.display()))
                .help("check the space on the disk and the permissions of the directory")
        };
        if !may_write(&self.command, name) {
            let said = format!("`{}` has no result of this name", self.command);
            return Err(failed(io::Error::other(said)));
        }
        let temporary = unfinished(&self.directory, name, &self.token);
        let mut sealed = Sealed::new(name, &mut self.lines).map_err(failed)?;
        {
            // Under one lock, so that no file is made that an interruption would not find.
            let mut guard = pending();
            let file = OpenOptions::new().write(true).create_new(true).open(&temporary);
            sealed.put_into(file.map_err(failed)?);
            guard.add_file(self.owner, temporary);
        }
        write(&mut sealed).map_err(failed)?;
        let known = sealed.finish().map_err(failed)?;
        self.written.push(known);
        Ok(())
    }

    /// Gives every file its name, removes what the run before left and this one does not have, and says
    /// what was written. `inputs` are files that must not be replaced.
    ///
    /// # Errors
    /// Where a name is taken by something that this program did not write or by an input, or a file cannot be renamed: then
    /// everything is as it was.
    pub fn commit(mut self, inputs: &[String]) -> Result<String> {
        let mut guard = pending();
        let exchanged = self.find_older(inputs).and_then(|()| {
            self.announce()?;
            self.exchange()
        });
        if let Err(fault) = exchanged {
            // The lock goes before `self` is dropped, which takes it.
            drop(guard);
            return Err(fault);
        }
        self.older.iter().for_each(|k| drop(fs::remove_file(self.aside(&k.name))));
        guard.keep(self.owner);
        self.end();
        drop(guard);
        let names: Vec<&str> = self.written.iter().map(|known| known.name.as_str()).collect();
        Ok(format!("{}: {}", self.directory.display(), names.join(", ")))
    }

    /// Where an older file is until the new ones are all in place.
    fn aside(&self, name: &str) -> PathBuf {
        aside(&self.directory, name, &self.token)
    }

    /// Nothing of this run is left to undo; where older files are still out of their places, the next one sees to them.
    fn end(&mut self) {
        self.ended = true;
        let hidden = |known: &Known| unfinished(&self.directory, &known.name, &self.token);
        let mut all =
            self.older.iter().map(|k| self.aside(&k.name)).chain(self.written.iter().map(hidden));
        if all.all(|path| fs::symlink_metadata(path).is_err()) {
            // Without this line the next run looks for them once more.
            let _ = self.lines.add("end");
        }
    }

    /// Finds the results of the run before that go, whether new ones come in their places or not.
    fn find_older(&mut self, inputs: &[String]) -> Result<()> {
        let inputs: Vec<_> = inputs.iter().filter_map(|p| fs::metadata(p).ok()).collect();
        let is_input = |path: &Path| {
            fs::symlink_metadata(path)
                .is_ok_and(|found| inputs.iter().any(|i| regular::is_same(i, &found)))
        };
        let unchanged = |(known, changed): &(Known, Option<SystemTime>)| {
            let path = self.directory.join(&known.name);
            if is_input(&path) {
                return None;
            }
            let same = changed.is_some() && *changed == modified(&path);
            (same || known.is_at(&path)).then(|| known.clone())
        };
        let older: Vec<Known> = self.before.iter().filter_map(unchanged).collect();
        for Known { name, .. } in &self.written {
            let path = self.directory.join(name);
            if is_input(&path) {
                let said =
                    format!("{}: is an input of this run and would be replaced", path.display());
                return Err(Diagnostic::new(said).help("give another output directory"));
            }
            if let Ok(found) = fs::symlink_metadata(&path)
                && older.iter().all(|k| k.name != *name)
            {
                return Err(taken(&path, &found, &self.command));
            }
        }
        self.older = older;
        Ok(())
    }

    /// Records what is about to change, for the run that would have to undo it.
    fn announce(&mut self) -> Result<()> {
        let failed = |e: io::Error| refused(&self.directory, &e);
        for known in &self.older {
            self.lines.add_known("older", known).map_err(failed)?;
        }
        self.lines.add("exchange").map_err(failed)
    }

    /// Gives the files their names in place of all `older` ones; where that fails, those are back as they were.
    fn exchange(&mut self) -> Result<()> {
        let mut done = 0;
        let exchanged = self.steps(&mut done);
        if exchanged.is_err() {
            let placed = self.written[..done].iter();
            placed.for_each(|k| drop(fs::remove_file(self.directory.join(&k.name))));
            self.older.iter().for_each(|k| {
                let _ = place(&self.aside(&k.name), &self.directory.join(&k.name));
            });
        }
        exchanged
    }

    fn steps(&mut self, done: &mut usize) -> Result<()> {
        let directory = self.directory.clone();
        let failed = |path: &Path, e: &io::Error| {
            let said = format!("{}: cannot be written: {e}", path.display());
            Diagnostic::new(said).help("check the permissions of the directory")
        };
        for Known { name, .. } in &self.older {
            let path = directory.join(name);
            fs::rename(&path, self.aside(name)).map_err(|e| failed(&path, &e))?;
        }
        for Known { name, .. } in &self.written {
            let path = directory.join(name);
            let temporary = unfinished(&directory, name, &self.token);
            place(&temporary, &path).map_err(|e| failed(&path, &e))?;
            *done += 1;
        }
        // From here on the next run would not put the older files back.
        self.lines.add("done").map_err(|e| failed(&directory.join(SUMMARY), &e))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            return;
        }
        if !self.ended {
            pending().remove(self.owner);
            self.end();
        }
        // Where this process has copies of itself, these have the file open, too, and would keep its lock.
        self.lines.unlock();
    }
}

/// The record of what was written, which is locked by the run that writes.
const RECORD: &str = ".stickslip";
/// The file that lists the others.
const SUMMARY: &str = "summary.json";
/// Stands for the lock where files cannot be locked.
const BUSY: &str = ".stickslip.busy";

/// The name of a file until all are written.
fn unfinished(directory: &Path, name: &str, token: &str) -> PathBuf {
    directory.join(format!(".{name}.{token}.new"))
}

/// The name of an older file until the new ones are in place.
fn aside(directory: &Path, name: &str, token: &str) -> PathBuf {
    directory.join(format!(".{name}.{token}.old"))
}

/// When a regular file was changed.
fn modified(path: &Path) -> Option<SystemTime> {
    let found = fs::symlink_metadata(path).ok()?;
    if unlike_a_file(&found).is_some() { None } else { found.modified().ok() }
}

/// Moves a file to a name that nobody has.
fn place(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => {
            // If it keeps both names for now, the hidden one goes later.
            let _ = fs::remove_file(from);
            Ok(())
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(e),
        // Some file systems give a file one name only.
        Err(_) => match fs::symlink_metadata(to) {
            Err(e) if e.kind() == ErrorKind::NotFound => fs::rename(from, to),
            Err(e) => Err(e),
            Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        },
    }
}

/// Opens the record, or makes it, and locks it: the lock is the operating system's, and goes with the process.
fn claim(directory: &Path, owner: Owner) -> Result<File> {
    let path = directory.join(RECORD);
    let failed = |e: io::Error| of_record(directory, &e);
    // A run that ends may take the record away between two of these steps; then they begin again.
    for _ in 0..100 {
        let Some(file) = open_own(&path).map_err(failed)? else {
            match make(directory, owner)? {
                Some(file) => return Ok(file),
                None => continue,
            }
        };
        lock(&file, directory, owner)?;
        let found = file.metadata().map_err(failed)?;
        if regular::names_of(&found) > 1 {
            // Its name was given by a run that was killed before it could take back the first one.
            for second in unfinished_records(directory) {
                if fs::symlink_metadata(&second).is_ok_and(|other| regular::is_same(&other, &found))
                {
                    let _ = fs::remove_file(second);
                }
            }
        }
        match regular::names_of(&file.metadata().map_err(failed)?) {
            0 => pending().remove_files(owner),
            1 => return Ok(file),
            n => {
                let said = format!("it is one file under {n} names (hard links)");
                return Err(failed(io::Error::other(said)));
            }
        }
    }
    Err(busy(directory, "other runs begin and end in it all the time"))
}

/// Makes the record; nothing where another run has made one meanwhile. It gets its name when it is locked and has its first
/// line, so that an empty file of this name is never a run's.
fn make(directory: &Path, owner: Owner) -> Result<Option<File>> {
    let failed = |e: io::Error| refused(directory, &e);
    let hidden = directory.join(format!("{RECORD}.{}.new", regular::token()));
    let made = {
        // Under one lock, so that no file is made that an interruption would not find.
        let mut guard = pending();
        let made = OpenOptions::new().read(true).write(true).create_new(true).open(&hidden);
        if made.is_ok() {
            guard.add_file(owner, hidden.clone());
        }
        made
    };
    let mut file = match made {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(directory).map_err(failed)?;
            return Ok(None);
        }
        made => made.map_err(failed)?,
    };
    lock(&file, directory, owner)?;
    file.write_all(record::first_line().as_bytes()).map_err(failed)?;
    let mut guard = pending();
    match place(&hidden, &directory.join(RECORD)) {
        Ok(()) => {
            drop(guard);
            for older in unfinished_records(directory) {
                forget(&older);
            }
            Ok(Some(file))
        }
        Err(e) => {
            guard.remove_files(owner);
            if e.kind() == ErrorKind::AlreadyExists { Ok(None) } else { Err(failed(e)) }
        }
    }
}

/// Records that have not got their name, of runs that begin or were killed.
fn unfinished_records(directory: &Path) -> Vec<PathBuf> {
    let is_one = |name: &str| {
        let inside = name.strip_prefix(RECORD).and_then(|rest| rest.strip_prefix('.'));
        inside.and_then(|rest| rest.strip_suffix(".new")).is_some_and(record::is_token)
    };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let named = entries.filter(|e| e.file_name().to_str().is_some_and(is_one));
    named.map(|e| e.path()).collect()
}

/// Removes a record that has not got its name if it holds what a run writes there, and no run is at it.
fn forget(path: &Path) {
    let Ok(Some(mut file)) = open_own(path) else { return };
    let mut bytes = Vec::new();
    let first = record::first_line().into_bytes();
    let short = file.metadata().is_ok_and(|m| m.len() == first.len() as u64);
    if short && file.try_lock().is_ok() && file.read_to_end(&mut bytes).is_ok() && bytes == first {
        let _ = fs::remove_file(path);
    }
}

/// Locks a record, or says that another run has.
fn lock(file: &File, directory: &Path, owner: Owner) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(fs::TryLockError::WouldBlock) => Err(busy(directory, "another run is writing to it")),
        Err(fs::TryLockError::Error(_)) => mark_busy(directory, owner),
    }
}

/// Where files cannot be locked, a file that only one run can make stands for the lock.
fn mark_busy(directory: &Path, owner: Owner) -> Result<()> {
    let path = directory.join(BUSY);
    let mut guard = pending();
    match File::create_new(&path) {
        Ok(_) => {
            guard.add_file(owner, path);
            Ok(())
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            let said = "another run is writing to it, or was killed while it did";
            Err(busy(directory, said).help(format!(
                "wait until it ends, or give another output directory; if no run is writing, remove {}",
                path.display()
            )))
        }
        Err(e) => Err(refused(directory, &e)),
    }
}

fn busy(directory: &Path, said: &str) -> Diagnostic {
    Diagnostic::new(format!("output directory {}: {said}", directory.display()))
        .help("wait until it ends, or give another output directory")
}

/// The results of the run before that are as it left them. All other files whose names this command writes are in its way.
fn check(
    directory: &Path,
    command: &str,
    record: &Record,
) -> Result<Vec<(Known, Option<SystemTime>)>> {
    if let Some(before) = record.command.as_deref().filter(|before| *before != command) {
        let said = format!(
            "output directory {}: holds results of `{before}`; expected an empty directory or results of `{command}`",
            directory.display()
        );
        return Err(Diagnostic::new(said).help("give another output directory"));
    }
    let kept = |known: &Known| {
        let path = directory.join(&known.name);
        // First the time: what is changed while it is read has another one.
        let changed = modified(&path);
        known.is_at(&path).then(|| (known.clone(), changed))
    };
    let before: Vec<_> = record.files.iter().filter_map(kept).collect();
    let entries = fs::read_dir(directory).map_err(|e| refused(directory, &e))?;
    let mut names: Vec<String> =
        entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    let foreign = |name: &&String| {
        may_write(command, name) && before.iter().all(|(known, _)| known.name != **name)
    };
    match names.iter().find(foreign).map(|name| directory.join(name)) {
        Some(path) => match fs::symlink_metadata(&path) {
            Ok(found) => Err(taken(&path, &found, command)),
            Err(e) => Err(refused(directory, &e)),
        },
        None => Ok(before),
    }
}

/// A name that a result may get is taken.
fn taken(path: &Path, found: &fs::Metadata, command: &str) -> Diagnostic {
    let name = path.display();
    if let Some(other) = unlike_a_file(found) {
        return taken_by(path, other);
    }
    let said = format!(
        "{name}: is not as `stickslip {command}` has left it, or was written by somebody else, and a result may get this name"
    );
    Diagnostic::new(said).help("move it elsewhere, or give another output directory")
}

fn taken_by(path: &Path, other: &str) -> Diagnostic {
    Diagnostic::new(format!("{}: is {other}; expected a file or nothing", path.display()))
        .help("remove it, or give another output")
}

/// A run that was killed before all its files were in place has put none there. What cannot be told to be its own stays.
fn undo(directory: &Path, run: &Run) -> Vec<String> {
    let place_of = |known: &Known| directory.join(&known.name);
    for known in run.whole().iter().filter(|_| run.exchanging) {
        // Where the file of the run before was the same, it does not matter which of them this is.
        if !run.older.contains(known) && known.is_at(&place_of(known)) {
            let _ = fs::remove_file(place_of(known));
        }
    }
    for known in run.older.iter().filter(|_| run.exchanging) {
        let moved = aside(directory, &known.name, &run.token);
        if !known.is_at(&moved) {
            continue;
        }
        let is_there = known.is_at(&place_of(known));
        let _ = if is_there { fs::remove_file(&moved) } else { place(&moved, &place_of(known)) };
    }
    for known in &run.wrote {
        let path = unfinished(directory, &known.name, &run.token);
        if known.is_at(&path) {
            let _ = fs::remove_file(path);
        }
    }
    remaining(directory, run)
}

/// Removes the hidden files of a run that was killed after all its files were in place.
fn finish(directory: &Path, run: &Run) -> Vec<String> {
    let older = run.older.iter().map(|k| (k, aside(directory, &k.name, &run.token)));
    let whole = run.whole();
    let second = whole.iter().map(|k| (k, unfinished(directory, &k.name, &run.token)));
    for (known, path) in older.chain(second) {
        if known.is_at(&path) {
            let _ = fs::remove_file(path);
        }
    }
    remaining(directory, run)
}

/// Names that a run had for a while, and that are still there.
fn remaining(directory: &Path, run: &Run) -> Vec<String> {
    let new = run.whole().into_iter().map(|k| unfinished(directory, &k.name, &run.token));
    let old = run.older.iter().map(|k| aside(directory, &k.name, &run.token));
    let all = new.chain(old).filter(|path| fs::symlink_metadata(path).is_ok());
    all.map(|path| path.display().to_string()).collect()
}

fn of_record(directory: &Path, e: &io::Error) -> Diagnostic {
    let path = directory.join(RECORD);
    Diagnostic::new(format!("{}: cannot be the record of earlier results: {e}", path.display()))
        .help("give another output directory, or remove this file")
}

fn refused(directory: &Path, e: &io::Error) -> Diagnostic {
    let found = if directory.is_file() { "it is a file".to_owned() } else { e.to_string() };
    Diagnostic::new(format!("output directory {}: cannot be written: {found}", directory.display()))
        .help("give a directory that you may write to")
}
