//! What must go if the program ends now, and of which of the runs in this process.

use std::fs;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A run that makes files: a program has one, a process of Python as many as it writes folders at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner(u64);

impl Owner {
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

#[derive(Debug)]
pub struct Pending {
    /// Files that a run has made.
    files: Vec<(Owner, PathBuf)>,
    /// Directories made for them, the outermost first.
    directories: Vec<(Owner, PathBuf)>,
}

static PENDING: Mutex<Pending> = Mutex::new(Pending { files: Vec::new(), directories: Vec::new() });

/// Whether somebody is at work on the list.
static HELD: AtomicBool = AtomicBool::new(false);

/// The list, for one at a time.
pub struct Held(MutexGuard<'static, Pending>);

pub fn pending() -> Held {
    let guard = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
    HELD.store(true, Ordering::SeqCst);
    Held(guard)
}

impl Deref for Held {
    type Target = Pending;

    fn deref(&self) -> &Pending {
        &self.0
    }
}

impl DerefMut for Held {
    fn deref_mut(&mut self) -> &mut Pending {
        &mut self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        HELD.store(false, Ordering::SeqCst);
    }
}

/// Whether files are being made, or exchanged for older ones: what is half done then would stay if the program ended. A
/// program that is short of memory should have kept some for it.
pub fn is_at_work() -> bool {
    HELD.load(Ordering::SeqCst)
}

impl Pending {
    pub fn add_file(&mut self, owner: Owner, file: PathBuf) {
        self.files.push((owner, file));
    }

    pub fn add_directory(&mut self, owner: Owner, directory: PathBuf) {
        self.directories.push((owner, directory));
    }

    /// Removes what a run has made.
    pub fn remove(&mut self, owner: Owner) {
        self.remove_where(|of| of == owner);
    }

    /// Removes the files of a run, and not the directories that it has made for them.
    pub fn remove_files(&mut self, owner: Owner) {
        for (_, file) in self.files.extract_if(.., |(of, _)| *of == owner) {
            let _ = fs::remove_file(file);
        }
    }

    /// The files of a run have their names, or are no longer its own: they stay.
    pub fn keep_files(&mut self, owner: Owner) {
        self.files.retain(|(of, _)| *of != owner);
    }

    /// The same for the directories, too.
    pub fn keep(&mut self, owner: Owner) {
        self.keep_files(owner);
        self.directories.retain(|(of, _)| *of != owner);
    }

    fn remove_where(&mut self, goes: impl Fn(Owner) -> bool) {
        for (_, file) in self.files.extract_if(.., |(of, _)| goes(*of)) {
            let _ = fs::remove_file(file);
        }
        let gone: Vec<_> = self.directories.extract_if(.., |(of, _)| goes(*of)).collect();
        // Only empty directories go: `remove_dir` refuses others.
        for (_, directory) in gone.into_iter().rev() {
            let _ = fs::remove_dir(directory);
        }
    }
}

/// Removes unfinished files, for a program that ends now. A commit under way is finished first, and none begins any more.
pub fn abandon() -> impl Drop {
    let mut guard = pending();
    guard.remove_where(|_| true);
    guard
}

/// The same for a program that can wait for nothing. If somebody is at work on the list of these files, they stay for the
/// next run.
pub fn abandon_at_once() {
    if let Ok(mut pending) = PENDING.try_lock() {
        pending.remove_where(|_| true);
    }
}
