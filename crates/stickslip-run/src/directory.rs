//! A directory of results that appears whole or not at all.
//!
//! Every file is written under a temporary name in the directory; [`Directory::commit`] renames them
//! all. Whatever ends the program before that — an error, Ctrl-C, a signal — leaves nothing.

use crate::product::listed;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};
use stickslip_file::{Diagnostic, Result};

/// What must go if the program ends now.
#[derive(Debug)]
struct Pending {
    /// Temporary files.
    files: Vec<PathBuf>,
    /// Directories made for them, the outermost first.
    directories: Vec<PathBuf>,
}

static PENDING: Mutex<Pending> = Mutex::new(Pending { files: Vec::new(), directories: Vec::new() });

fn pending() -> MutexGuard<'static, Pending> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pending {
    fn remove(&mut self) {
        for file in self.files.drain(..) {
            let _ = fs::remove_file(file);
        }
        // Only empty directories go: `remove_dir` refuses others.
        for directory in self.directories.drain(..).rev() {
            let _ = fs::remove_dir(directory);
        }
    }
}

/// Removes unfinished files, for a program that ends now. A commit under way is finished first, and none begins any more.
pub fn abandon() -> impl Drop {
    let mut guard = pending();
    guard.remove();
    guard
}

/// A directory that results are being written to.
#[derive(Debug)]
pub struct Directory {
    directory: PathBuf,
    /// Names of the files that are written, in order.
    names: Vec<String>,
    /// What the run before left, by its own list.
    before: Vec<String>,
    /// Locked while this run lives: what it leaves is a dead run's if the lock is free.
    lock: File,
}

impl Directory {
    /// Makes the directory if need be, checks that it can be written, and removes what runs that were
    /// killed have left in it.
    ///
    /// # Errors
    /// Where it cannot be made, read or written.
    pub fn prepare(directory: &Path) -> Result<Self> {
        let missing =
            directory.ancestors().take_while(|d| !d.as_os_str().is_empty() && !d.exists());
        pending().directories =
            missing.map(Path::to_path_buf).collect::<Vec<_>>().into_iter().rev().collect();
        let made = fs::create_dir_all(directory).and_then(|()| {
            recover(directory);
            let path = temporary(directory, RUN);
            let lock = File::create(&path)?;
            // Where files cannot be locked, leftovers stay.
            let _ = lock.try_lock();
            pending().files.push(path);
            Ok((lock, summary(directory)?))
        });
        let (lock, summary) = made.map_err(|e| {
            pending().remove();
            refused(directory, &e)
        })?;
        let (before, names) = (listed(&summary), Vec::new());
        Ok(Self { before, directory: directory.to_path_buf(), names, lock })
    }

    /// The names of the files so far, and of the summary, which holds them.
    pub fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).chain([SUMMARY]).collect()
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
        let (temporary, path) = (temporary(&self.directory, name), self.directory.join(name));
        let failed = |e: io::Error| {
            Diagnostic::new(format!("{}: cannot be written: {e}; no file was left", path.display()))
                .help("check the space on the disk and the permissions of the directory")
        };
        let file = {
            // Under one lock, so that no file is made that an interruption would not find.
            let mut guard = pending();
            let options =
                OpenOptions::new().write(true).create(true).truncate(true).open(&temporary);
            guard.files.push(temporary.clone());
            options.map_err(failed)?
        };
        let mut writer = BufWriter::with_capacity(1 << 16, file);
        write(&mut writer).and_then(|()| writer.flush()).map_err(failed)?;
        self.names.push(name.to_owned());
        Ok(())
    }

    /// Gives every file its name, removes what the run before left and this one does not have, and says
    /// what was written. `inputs` are files that must not be replaced.
    ///
    /// # Errors
    /// Where a name is taken by a directory or an input, or a file cannot be renamed: then everything is as it was.
    pub fn commit(mut self, inputs: &[String]) -> Result<String> {
        let inputs: Vec<PathBuf> =
            inputs.iter().filter_map(|p| Path::new(p).canonicalize().ok()).collect();
        let is_input = |p: &Path| p.canonicalize().is_ok_and(|p| inputs.contains(&p));
        let names = std::mem::take(&mut self.names);
        let mut guard = pending();
        let left = self.before.iter().filter(|n| !names.contains(n));
        let mut older: Vec<String> = names.iter().chain(left).cloned().collect();
        older.retain(|n| self.directory.join(n).is_file() && !is_input(&self.directory.join(n)));
        let ended = self
            .check(&names, is_input)
            .and_then(|()| self.announce(&names))
            .and_then(|()| self.exchange(&names, &older));
        if let Err(fault) = ended {
            // The lock goes before `self` is dropped, which takes it.
            drop(guard);
            return Err(fault);
        }
        if older.iter().filter(|n| fs::remove_file(self.aside(n)).is_err()).count() == 0 {
            let _ = fs::remove_file(temporary(&self.directory, DONE));
        }
        let _ = self.lock.unlock();
        guard.files.clear();
        guard.directories.clear();
        drop(guard);
        Ok(format!("{}: {}", self.directory.display(), names.join(", ")))
    }

    /// Where an older file is until the new ones are all in place.
    fn aside(&self, name: &str) -> PathBuf {
        temporary(&self.directory, &format!("{name}{OLD}"))
    }

    fn check(&self, names: &[String], is_input: impl Fn(&Path) -> bool) -> Result<()> {
        for path in names.iter().map(|n| self.directory.join(n)) {
            if path.is_dir() {
                let said =
                    format!("{}: is a directory; expected a file or nothing", path.display());
                return Err(
                    Diagnostic::new(said).help("remove it, or give another output directory")
                );
            }
            if is_input(&path) {
                let said =
                    format!("{}: is an input of this run and would be replaced", path.display());
                return Err(Diagnostic::new(said).help("give another output directory"));
            }
        }
        Ok(())
    }

    /// Writes what is about to get its name into the lock, for the run that would have to undo it.
    fn announce(&mut self, names: &[String]) -> Result<()> {
        self.lock.write_all(names.join("\n").as_bytes()).map_err(|e| refused(&self.directory, &e))
    }

    /// Gives the files their names in place of all `older` ones; where that fails, those are back as they were.
    fn exchange(&self, names: &[String], older: &[String]) -> Result<()> {
        let path = |name: &String| self.directory.join(name);
        let mut done = 0;
        let step = |name: &String, from: &Path, to: &Path| {
            fs::rename(from, to).map_err(|e| {
                let said = format!("{}: cannot be written: {e}", path(name).display());
                Diagnostic::new(said).help("check the permissions of the directory")
            })
        };
        let put = |n: &String| {
            step(n, &temporary(&self.directory, n), &path(n))?;
            done += 1;
            Ok(())
        };
        let (run, mark) = (temporary(&self.directory, RUN), temporary(&self.directory, DONE));
        let exchanged = older
            .iter()
            .try_for_each(|n| step(n, &path(n), &self.aside(n)))
            .and_then(|()| names.iter().try_for_each(put))
            // From here on the next run would not put the older files back.
            .and_then(|()| step(&SUMMARY.to_owned(), &run, &mark));
        if exchanged.is_err() {
            names[..done].iter().for_each(|n| drop(fs::remove_file(path(n))));
            older.iter().for_each(|n| drop(fs::rename(self.aside(n), path(n))));
        }
        exchanged
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        pending().remove();
    }
}

/// The file whose lock says that a run lives, and which names the files that it is about to put in place.
const RUN: &str = "run";
/// What it is called when they are all in place, and older ones are removed.
const DONE: &str = "done";
/// The ending of an older file until then.
const OLD: &str = ".old";
/// The file that lists the others.
const SUMMARY: &str = "summary.json";

/// The name of a file until all are written.
fn temporary(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!(".{name}.{}.tmp", process::id()))
}

/// The name and the run of a temporary file.
fn run_of(name: &str) -> Option<(&str, &str)> {
    let (name, run) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    run.parse::<u32>().is_ok().then_some((name, run))
}

/// What the run before has left as its list of files; nothing where there is none.
fn summary(directory: &Path) -> io::Result<Vec<u8>> {
    match fs::read(directory.join(SUMMARY)) {
        // A directory in its place is refused in the end.
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory) => {
            Ok(Vec::new())
        }
        read => read,
    }
}

/// Cleans up behind runs that live no longer: their lock is free. One that was killed while it exchanged older files
/// for new ones has exchanged none.
fn recover(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let names: Vec<String> =
        entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
    for (mark, run) in names.iter().filter_map(|n| run_of(n)) {
        let path = directory.join(format!(".{mark}.{run}.tmp"));
        let is_mark = mark == RUN || mark == DONE;
        if !is_mark || !File::open(&path).is_ok_and(|lock| lock.try_lock().is_ok()) {
            continue;
        }
        let left = || names.iter().filter_map(|n| run_of(n)).filter(|n| n.1 == run).map(|n| n.0);
        if mark == RUN {
            let announced = fs::read_to_string(&path).unwrap_or_default();
            let placed = announced.lines().filter(|n| left().all(|l| l != *n));
            placed.for_each(|n| drop(fs::remove_file(directory.join(n))));
            for (old, name) in left().filter_map(|n| Some((n, n.strip_suffix(OLD)?))) {
                let aside = directory.join(format!(".{old}.{run}.tmp"));
                let _ = fs::rename(aside, directory.join(name));
            }
        }
        for name in left().filter(|n| *n != mark) {
            let _ = fs::remove_file(directory.join(format!(".{name}.{run}.tmp")));
        }
        let _ = fs::remove_file(path);
    }
}

fn refused(directory: &Path, e: &io::Error) -> Diagnostic {
    let found = if directory.is_file() { "it is a file".to_owned() } else { e.to_string() };
    Diagnostic::new(format!("output directory {}: cannot be written: {found}", directory.display()))
        .help("give a directory that you may write to")
}
