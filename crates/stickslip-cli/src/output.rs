//! A directory of results that appears whole or not at all.
//!
//! Every file is written under a temporary name in the directory; [`Output::commit`] renames them
//! all. Whatever ends the program before that — an error, Ctrl-C, a signal — leaves nothing.

use crate::fault::{Fault, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What must go if the program ends now.
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
        let mut guard = pending();
        guard.remove();
        process::exit(130);
    });
}

/// A directory that results are being written to.
pub struct Output {
    directory: PathBuf,
    /// Names of the files that are written, in order.
    names: Vec<String>,
    /// What the run before left, by its own list.
    before: Vec<String>,
    /// Locked while this run lives: what it leaves is a dead run's if the lock is free.
    lock: File,
}

impl Output {
    /// Makes the directory if need be, checks that it can be written, and removes what runs that were
    /// killed have left in it.
    pub fn prepare(directory: &Path) -> Result<Self> {
        let missing =
            directory.ancestors().take_while(|d| !d.as_os_str().is_empty() && !d.exists());
        pending().directories =
            missing.map(Path::to_path_buf).collect::<Vec<_>>().into_iter().rev().collect();
        let made = fs::create_dir_all(directory).and_then(|()| {
            let path = temporary(directory, LOCK);
            let lock = File::create(&path)?;
            // Where files cannot be locked, leftovers stay.
            let _ = lock.try_lock();
            pending().files.push(path);
            Ok(lock)
        });
        let lock = made.map_err(|e| {
            pending().remove();
            refused(directory, &e)
        })?;
        let directory = directory.to_path_buf();
        let output = Self { before: listed(&directory), directory, names: Vec::new(), lock };
        output.remove_leftovers();
        Ok(output)
    }

    /// Removes temporary files of runs that live no longer: their lock is free.
    fn remove_leftovers(&self) {
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        let names: Vec<String> =
            entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
        let own = process::id().to_string();
        let locks = names.iter().filter_map(|n| run_of(n).filter(|r| r.0 == LOCK && r.1 != own));
        for (_, run) in locks {
            let path = self.directory.join(format!(".{LOCK}.{run}.tmp"));
            if !File::open(&path).is_ok_and(|lock| lock.try_lock().is_ok()) {
                continue;
            }
            for name in names.iter().filter(|n| run_of(n).is_some_and(|r| r.1 == run)) {
                let _ = fs::remove_file(self.directory.join(name));
            }
            let _ = fs::remove_file(path);
        }
    }

    /// The names of the files so far, and of the summary, which holds them.
    pub fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).chain([SUMMARY]).collect()
    }

    /// Writes one file, under a temporary name for now.
    pub fn write(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<()> {
        let (temporary, path) = (temporary(&self.directory, name), self.directory.join(name));
        let failed = |e: io::Error| {
            Fault::new(format!("{}: cannot be written: {e}; no file was left", path.display()))
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
    pub fn commit(mut self, inputs: &[String]) -> Result<String> {
        let inputs: Vec<PathBuf> =
            inputs.iter().filter_map(|p| Path::new(p).canonicalize().ok()).collect();
        let is_input = |p: &Path| p.canonicalize().is_ok_and(|p| inputs.contains(&p));
        let names = std::mem::take(&mut self.names);
        let mut guard = pending();
        let ended = self.check(&names, is_input).and_then(|()| self.rename(&names));
        if let Err(fault) = ended {
            // The lock goes before `self` is dropped, which takes it.
            drop(guard);
            return Err(fault);
        }
        for old in self.before.iter().filter(|n| !names.contains(n)) {
            let path = self.directory.join(old);
            if path.is_file() && !is_input(&path) {
                let _ = fs::remove_file(path);
            }
        }
        let _ = self.lock.unlock();
        let _ = fs::remove_file(temporary(&self.directory, LOCK));
        guard.files.clear();
        guard.directories.clear();
        drop(guard);
        Ok(format!("{}: {}", self.directory.display(), names.join(", ")))
    }

    fn check(&self, names: &[String], is_input: impl Fn(&Path) -> bool) -> Result<()> {
        for path in names.iter().map(|n| self.directory.join(n)) {
            if path.is_dir() {
                let said =
                    format!("{}: is a directory; expected a file or nothing", path.display());
                return Err(Fault::new(said).help("remove it, or give another output directory"));
            }
            if is_input(&path) {
                let said =
                    format!("{}: is an input of this run and would be replaced", path.display());
                return Err(Fault::new(said).help("give another output directory"));
            }
        }
        Ok(())
    }

    fn rename(&self, names: &[String]) -> Result<()> {
        for name in names {
            let path = self.directory.join(name);
            fs::rename(temporary(&self.directory, name), &path).map_err(|e| {
                Fault::new(format!("{}: cannot be written: {e}", path.display()))
                    .help("check the permissions of the directory")
            })?;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        pending().remove();
    }
}

/// The file whose lock says that a run lives.
const LOCK: &str = "run";
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

/// The files that the run before has listed in its summary; none without such a list.
fn listed(directory: &Path) -> Vec<String> {
    let text = fs::read(directory.join(SUMMARY)).unwrap_or_default();
    let summary: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    if summary["program"] != "stickslip" {
        return Vec::new();
    }
    let names = summary["files"].as_array().into_iter().flatten().filter_map(|n| n.as_str());
    // Names only: nothing outside the directory is touched.
    names.filter(|n| !n.contains(['/', '\\']) && *n != "..").map(str::to_owned).collect()
}

fn refused(directory: &Path, e: &io::Error) -> Fault {
    let found = if directory.is_file() { "it is a file".to_owned() } else { e.to_string() };
    Fault::new(format!("output directory {}: cannot be written: {found}", directory.display()))
        .help("give --out a directory that you may write to")
}

/// Writes one file in place of an older one: whole, or not at all.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let part = path.with_extension("part");
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    written.map_err(|e| {
        let _ = fs::remove_file(&part);
        Fault::new(format!("{}: cannot be written: {e}", path.display()))
            .help("give a file in a directory that you may write to")
    })
}
