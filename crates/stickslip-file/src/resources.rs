//! Where files come from: a folder, a map in memory, whatever a program provides.

use crate::diagnostic::{Diagnostic, Remedy, Result};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufRead, Cursor};
use std::sync::{Arc, Mutex, PoisonError};

/// Files by their names. Nothing in this crate reads a file in any other way.
pub trait Resources: Send + Sync {
    /// The whole of a file.
    ///
    /// # Errors
    /// `NotFound`, `IsADirectory`, `PermissionDenied` and others, which messages explain.
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>>;

    /// A file to be read piece by piece: large tables are never held whole.
    ///
    /// # Errors
    /// As for [`Resources::read`].
    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        Ok(match self.read(name)? {
            Cow::Borrowed(bytes) => Box::new(bytes),
            Cow::Owned(bytes) => Box::new(Cursor::new(bytes)),
        })
    }

    /// Whether there is such a file.
    fn exists(&self, name: &str) -> bool {
        self.open(name).is_ok()
    }

    /// The files of a folder (`""`: the first one), by names that [`Resources::read`] takes.
    ///
    /// # Errors
    /// `Unsupported` where files cannot be listed.
    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let _ = folder;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A file of which pieces are read wherever they lie; nothing where files are streams only.
    ///
    /// # Errors
    /// As for [`Resources::read`].
    fn pieces(&self, name: &str) -> io::Result<Option<Box<dyn Pieces>>> {
        let _ = name;
        Ok(None)
    }

    /// A number that changes when a file is changed; nothing where that cannot be known.
    fn version(&self, name: &str) -> Option<u64> {
        let _ = name;
        None
    }

    /// Whether a table of this name is held in memory, so that the name is no path.
    fn is_held(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// A signal that needs no file: where a program holds its samples in memory, or has a function,
    /// the name that stands for it in a document gives it as it is.
    fn signal(&self, name: &str) -> Option<stickslip::Signal> {
        let _ = name;
        None
    }

    /// The same for a friction law: where a program has a law of its own, `friction.given = { name }` takes it.
    fn law(&self, name: &str) -> Option<stickslip::Law> {
        let _ = name;
        None
    }

    /// The same for a force of one mass: where a program has one of its own, `load.given = { name }` takes it.
    fn load(&self, name: &str) -> Option<stickslip::model::Load> {
        let _ = name;
        None
    }

    /// What `name`, written in the file `beside`, is called: names in a file are relative to the
    /// folder of that file.
    fn resolve(&self, beside: &str, name: &str) -> String {
        match beside.rsplit_once('/') {
            Some((folder, _)) if !name.starts_with('/') => format!("{folder}/{name}"),
            _ => name.to_owned(),
        }
    }
}

/// A file of which pieces are read wherever they lie.
pub trait Pieces: Send + Sync {
    /// Its length, bytes.
    fn length(&self) -> u64;

    /// Fills `piece` with the bytes from `start` on.
    ///
    /// # Errors
    /// Where the file ends before, or cannot be read.
    fn read(&self, start: u64, piece: &mut [u8]) -> io::Result<()>;
}

/// Opens a file; a folder, a missing and an unreadable file are told apart.
pub(crate) fn open<'a>(resources: &'a dyn Resources, name: &str) -> Result<Box<dyn BufRead + 'a>> {
    resources.open(name).map_err(|e| cannot_open(name, &e))
}

fn cannot_open(name: &str, error: &io::Error) -> Diagnostic {
    if error.kind() == io::ErrorKind::IsADirectory {
        return Diagnostic::new(format!("{name}: is a directory; expected a file"))
            .help("give the path of a file in it");
    }
    let fault = Diagnostic::new(format!("{name}: cannot be opened: {error}"));
    match error.kind() {
        io::ErrorKind::NotFound => {
            fault.help("check the path; paths in a file are relative to the folder of that file")
        }
        io::ErrorKind::PermissionDenied => fault.with_remedy(Remedy::Permission),
        // A pipe or a device.
        io::ErrorKind::Other => fault.help("write what it holds to a file first, and give that"),
        _ => fault.help("check the path and the disk"),
    }
}

impl<R: Resources + ?Sized> Resources for Arc<R> {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        (**self).read(name)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        (**self).open(name)
    }

    fn exists(&self, name: &str) -> bool {
        (**self).exists(name)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        (**self).list(folder)
    }

    fn pieces(&self, name: &str) -> io::Result<Option<Box<dyn Pieces>>> {
        (**self).pieces(name)
    }

    fn version(&self, name: &str) -> Option<u64> {
        (**self).version(name)
    }

    fn is_held(&self, name: &str) -> bool {
        (**self).is_held(name)
    }

    fn signal(&self, name: &str) -> Option<stickslip::Signal> {
        (**self).signal(name)
    }

    fn law(&self, name: &str) -> Option<stickslip::Law> {
        (**self).law(name)
    }

    fn load(&self, name: &str) -> Option<stickslip::model::Load> {
        (**self).load(name)
    }

    fn resolve(&self, beside: &str, name: &str) -> String {
        (**self).resolve(beside, name)
    }
}

/// Files in memory, for a browser, an FMU and tests.
///
/// ```
/// use stickslip_file::{Memory, Resources};
/// let files = Memory::default().with("rig/force.csv", "t,f\n0,1\n");
/// assert!(files.exists(&files.resolve("rig/model.toml", "force.csv")));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Memory(HashMap<String, Arc<[u8]>>);

impl Memory {
    /// With this file too.
    pub fn with(mut self, name: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        self.insert(name, bytes);
        self
    }

    /// Adds a file, or replaces one.
    pub fn insert(&mut self, name: impl Into<String>, bytes: impl AsRef<[u8]>) {
        self.0.insert(name.into(), bytes.as_ref().into());
    }
}

impl Resources for Memory {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        let found = self.0.get(name).ok_or_else(no_such_file)?;
        Ok(Cow::Borrowed(found))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let inside = |name: &&String| match folder {
            "" => !name.contains('/'),
            _ => name
                .strip_prefix(folder)
                .and_then(|n| n.strip_prefix('/'))
                .is_some_and(|n| !n.contains('/')),
        };
        let mut names: Vec<_> = self.0.keys().filter(inside).cloned().collect();
        names.sort();
        Ok(names)
    }
}

fn no_such_file() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "there is no such file")
}

/// Keeps whatever was read from other resources, where reading is slow or is done many times.
#[derive(Debug)]
pub struct Cached<R> {
    from: R,
    read: Mutex<HashMap<String, Arc<[u8]>>>,
}

impl<R: Resources> Cached<R> {
    /// Files of `from`, each read once.
    pub fn new(from: R) -> Self {
        Self { from, read: Mutex::default() }
    }

    fn get(&self, name: &str) -> io::Result<Arc<[u8]>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = read.get(name) {
            return Ok(bytes.clone());
        }
        let bytes: Arc<[u8]> = self.from.read(name)?.as_ref().into();
        read.insert(name.to_owned(), bytes.clone());
        Ok(bytes)
    }
}

impl<R: Resources> Resources for Cached<R> {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        Ok(Cow::Owned(self.get(name)?.to_vec()))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        Ok(Box::new(Cursor::new(self.get(name)?)))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.from.list(folder)
    }

    fn resolve(&self, beside: &str, name: &str) -> String {
        self.from.resolve(beside, name)
    }
}

/// Files of the file system: names are paths, relative ones start from the working directory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paths;

impl Paths {
    /// Opens the file at this path.
    ///
    /// # Errors
    /// As for [`Resources::open`].
    pub fn open_file(path: &str) -> io::Result<Box<dyn BufRead + 'static>> {
        let file = crate::regular::open(std::path::Path::new(path))?;
        Ok(Box::new(io::BufReader::with_capacity(1 << 16, file)))
    }
}

impl Resources for Paths {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut self.open(name)?, &mut bytes)?;
        Ok(Cow::Owned(bytes))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn BufRead + '_>> {
        Self::open_file(name)
    }

    fn exists(&self, name: &str) -> bool {
        std::path::Path::new(name).is_file()
    }

    fn pieces(&self, name: &str) -> io::Result<Option<Box<dyn Pieces>>> {
        let file = crate::regular::open(std::path::Path::new(name))?;
        let length = file.metadata()?.len();
        Ok(Some(Box::new(Opened { file: Mutex::new(file), length })))
    }

    fn version(&self, name: &str) -> Option<u64> {
        let found = std::fs::metadata(name).ok()?;
        let since = found.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        let nanoseconds = since.as_nanos() as u64;
        Some(nanoseconds.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ found.len())
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let entries = std::fs::read_dir(if folder.is_empty() { "." } else { folder })?;
        let mut names = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            let path = std::path::Path::new(folder).join(name);
            if path.is_file() {
                names.push(path.display().to_string());
            }
        }
        names.sort();
        Ok(names)
    }

    fn resolve(&self, beside: &str, name: &str) -> String {
        let folder = std::path::Path::new(beside).parent();
        folder.unwrap_or(std::path::Path::new("")).join(name).display().to_string()
    }
}

/// An open file, and its length when it was opened.
struct Opened {
    file: Mutex<std::fs::File>,
    length: u64,
}

impl Pieces for Opened {
    fn length(&self) -> u64 {
        self.length
    }

    fn read(&self, start: u64, piece: &mut [u8]) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        io::Seek::seek(&mut *file, io::SeekFrom::Start(start))?;
        io::Read::read_exact(&mut *file, piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counted(Memory, AtomicUsize);

    impl Resources for Counted {
        fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.read(name)
        }
    }

    #[test]
    fn a_cached_file_is_read_once() {
        let counted = Arc::new(Counted(Memory::default().with("a", "text"), AtomicUsize::new(0)));
        let cached = Cached::new(counted.clone());
        for _ in 0..3 {
            let mut text = String::new();
            cached.open("a").unwrap().read_to_string(&mut text).unwrap();
            assert_eq!((text.as_str(), cached.read("a").unwrap().as_ref()), ("text", &b"text"[..]));
        }
        assert_eq!(counted.1.load(Ordering::Relaxed), 1);
        assert_eq!(cached.read("b").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn names_in_a_file_start_from_its_folder() {
        let files = Memory::default().with("rig/a.csv", "").with("b.csv", "").with("rig/x/c", "");
        assert_eq!(files.resolve("rig/model.toml", "a.csv"), "rig/a.csv");
        assert_eq!(files.resolve("model.toml", "a.csv"), "a.csv");
        assert_eq!(files.resolve("rig/model.toml", "/a.csv"), "/a.csv");
        assert_eq!(files.list("rig").unwrap(), ["rig/a.csv"]);
        assert_eq!(files.list("").unwrap(), ["b.csv"]);
    }
}
