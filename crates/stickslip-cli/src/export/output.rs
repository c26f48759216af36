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
    /// (temporary, final) paths.
    files: Vec<(PathBuf, PathBuf)>,
    inputs: Vec<PathBuf>,
}

impl Output {
    /// Makes the directory if need be and checks that it can be written. `inputs` are files that
    /// must not be replaced.
    pub fn prepare(directory: &Path, inputs: &[PathBuf]) -> Result<Self> {
        let output = Self {
            directory: directory.to_path_buf(),
            files: Vec::new(),
            inputs: inputs.iter().filter_map(|p| p.canonicalize().ok()).collect(),
        };
        let missing =
            directory.ancestors().take_while(|d| !d.as_os_str().is_empty() && !d.exists());
        pending().directories =
            missing.map(Path::to_path_buf).collect::<Vec<_>>().into_iter().rev().collect();
        fs::create_dir_all(directory).map_err(|e| output.refused(&e))?;
        let probe = output.temporary("probe");
        File::create_new(&probe).map_err(|e| output.refused(&e))?;
        let _ = fs::remove_file(probe);
        Ok(output)
    }

    fn refused(&self, e: &io::Error) -> Fault {
        let name = self.directory.display();
        let found =
            if self.directory.is_file() { "it is a file".to_owned() } else { e.to_string() };
        Fault::new(format!("output directory {name}: cannot be written: {found}"))
            .help("give --out a directory that you may write to")
    }

    fn temporary(&self, name: &str) -> PathBuf {
        self.directory.join(format!(".{name}.{}.tmp", process::id()))
    }

    /// Writes one file, under a temporary name for now.
    pub fn write(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let (temporary, path) = (self.temporary(name), self.directory.join(name));
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
        self.files.push((temporary, path));
        Ok(())
    }

    /// Gives every file its name, and says what was written.
    pub fn commit(mut self) -> Result<String> {
        let mut guard = pending();
        for (_, path) in &self.files {
            if path.is_dir() {
                return Err(release(
                    guard,
                    Fault::new(format!(
                        "{}: is a directory; expected a file or nothing",
                        path.display()
                    ))
                    .help("remove it, or give another output directory"),
                ));
            }
            if path.canonicalize().is_ok_and(|p| self.inputs.contains(&p)) {
                return Err(release(
                    guard,
                    Fault::new(format!(
                        "{}: is an input of this run and would be replaced",
                        path.display()
                    ))
                    .help("give another output directory"),
                ));
            }
        }
        let mut names = Vec::new();
        for (temporary, path) in std::mem::take(&mut self.files) {
            if let Err(e) = fs::rename(&temporary, &path) {
                return Err(release(
                    guard,
                    Fault::new(format!("{}: cannot be written: {e}", path.display()))
                        .help("check the permissions of the directory"),
                ));
            }
            names.extend(path.file_name().map(|n| n.to_string_lossy().into_owned()));
        }
        guard.files.clear();
        guard.directories.clear();
        Ok(format!("{}: {}", self.directory.display(), names.join(", ")))
    }
}

/// Gives the lock back before `Output` is dropped, which takes it.
fn release(guard: MutexGuard<'_, Pending>, fault: Fault) -> Fault {
    drop(guard);
    fault
}

impl Drop for Output {
    fn drop(&mut self) {
        pending().remove();
    }
}
