//! Where a long run leaves what is complete, line by line, so that it can go on after it was ended.

use std::io;
use std::sync::{Mutex, PoisonError};

/// Lines that outlive a run. A line that was not written whole is none.
pub trait Journal: Send + Sync {
    /// The lines so far.
    ///
    /// # Errors
    /// Where they cannot be read.
    fn lines(&self) -> io::Result<Vec<String>>;

    /// Adds a line.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn add(&self, line: &str) -> io::Result<()>;
}

/// Lines in memory, for runs that are not continued.
#[derive(Debug, Default)]
pub struct Forgotten(Mutex<Vec<String>>);

impl Journal for Forgotten {
    fn lines(&self) -> io::Result<Vec<String>> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn add(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

/// The sum that stands behind a line: FNV-1a.
pub(crate) fn sum(text: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// The lines of a text that are whole.
pub fn whole_lines(text: &[u8]) -> Vec<String> {
    let whole = |line: &[u8]| {
        let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
        let (line, found) = line.rsplit_once('\t')?;
        (found == format!("{:016x}", sum(line))).then(|| line.to_owned())
    };
    text.split_inclusive(|b| *b == b'\n').filter_map(whole).collect()
}

/// Whether a text may be the first line of a journal, cut off by a kill or a power cut: it begins with a fingerprint, as all lines do.
#[cfg(feature = "fs")]
fn is_torn(text: &[u8]) -> bool {
    let print = text.get(..16).is_some_and(|p| p.iter().all(u8::is_ascii_hexdigit));
    print && !text.contains(&b'\n')
}

/// A line with the sum of it.
pub fn summed(line: &str) -> String {
    format!("{line}\t{:016x}\n", sum(line))
}

/// Lines in a file, which one run at a time may write to.
#[cfg(feature = "fs")]
#[derive(Debug)]
pub struct JournalFile {
    file: Mutex<std::fs::File>,
}

#[cfg(feature = "fs")]
impl JournalFile {
    /// Opens a file, or makes one; what is in it is kept if the run goes on from there.
    ///
    /// # Errors
    /// Where it cannot be made, read or written, where another run writes to it, and where the run goes on and the file holds
    /// something else than lines of a journal.
    pub fn open(path: &std::path::Path, goes_on: bool) -> crate::Result<Self> {
        use crate::Diagnostic;
        let name = path.display();
        let failed = |e: io::Error| {
            Diagnostic::new(format!("{name}: cannot be written: {e}"))
                .help("check the space on the disk and the permissions of the directory")
        };
        let mut options = std::fs::OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(failed)?;
        if matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)) {
            return Err(Diagnostic::new(format!("{name}: another run writes to it"))
                .help("wait until it ends, or give another output directory"));
        }
        if goes_on {
            // A torn last line is cut off, so that the next one stands by itself.
            let mut text = Vec::new();
            io::Read::read_to_end(&mut file, &mut text).map_err(failed)?;
            if !text.is_empty() && whole_lines(&text).is_empty() && !is_torn(&text) {
                // Somebody's file: it is neither cut nor written to.
                return Err(Diagnostic::new(format!("{name}: holds nothing of an earlier run"))
                    .help("remove it, or give another name"));
            }
            let end = text.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            file.set_len(end as u64).map_err(failed)?;
            io::Seek::seek(&mut file, io::SeekFrom::Start(end as u64)).map_err(failed)?;
        } else {
            file.set_len(0).map_err(failed)?;
        }
        Ok(Self { file: Mutex::new(file) })
    }
}

/// Lines in a file that is made when somebody asks for them.
#[cfg(feature = "fs")]
#[derive(Debug)]
pub struct JournalOnDemand {
    path: std::path::PathBuf,
    open: std::sync::OnceLock<JournalFile>,
}

#[cfg(feature = "fs")]
impl JournalOnDemand {
    /// The lines of the file `path`, and those that are added to it.
    pub fn new(path: std::path::PathBuf) -> Self {
        Self { path, open: std::sync::OnceLock::new() }
    }

    fn file(&self) -> io::Result<&JournalFile> {
        if let Some(file) = self.open.get() {
            return Ok(file);
        }
        let file = JournalFile::open(&self.path, true);
        let file = file.map_err(|e| io::Error::other(e.message().to_owned()))?;
        Ok(self.open.get_or_init(|| file))
    }

    /// Nothing is to be continued any more: removes the file, if this run made or continued it.
    pub fn finish(self) {
        if self.open.get().is_some() {
            // A file that stays is harmless: it holds steps of a fit that is done.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(feature = "fs")]
impl Journal for JournalOnDemand {
    fn lines(&self) -> io::Result<Vec<String>> {
        self.file()?.lines()
    }

    fn add(&self, line: &str) -> io::Result<()> {
        self.file()?.add(line)
    }
}

/// The journal of the results in a folder, in the file `fleet.state`; without a folder nothing outlives the run.
///
/// # Errors
/// As for [`JournalFile::open`].
#[cfg(feature = "fs")]
pub fn journal_in(
    folder: Option<&std::path::Path>,
    goes_on: bool,
) -> crate::Result<Box<dyn Journal>> {
    Ok(match folder {
        Some(folder) => Box::new(JournalFile::open(&folder.join("fleet.state"), goes_on)?),
        None => Box::new(Forgotten::default()),
    })
}

#[cfg(feature = "fs")]
impl Journal for JournalFile {
    fn lines(&self) -> io::Result<Vec<String>> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut text)?;
        Ok(whole_lines(&text))
    }

    fn add(&self, line: &str) -> io::Result<()> {
        // One call, so that lines of other threads never stand inside it.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let end = io::Seek::stream_position(&mut *file)?;
        io::Write::write_all(&mut *file, summed(line).as_bytes()).inspect_err(|_| {
            // A piece of a line, as a full disk leaves it, must not be the beginning of the next one.
            let _ = file.set_len(end);
            let _ = io::Seek::seek(&mut *file, io::SeekFrom::Start(end));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "fs")]
    #[test]
    fn a_file_of_somebody_stays_as_it_is() {
        let path = std::env::temp_dir().join(format!("journal-{}.csv", std::process::id()));
        std::fs::write(&path, "t,x\n0,1\n0.1,2").unwrap();
        let said = JournalFile::open(&path, true).unwrap_err().message().to_owned();
        assert!(said.contains("holds nothing of an earlier run"), "{said}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "t,x\n0,1\n0.1,2");
        std::fs::write(&path, summed("one") + "torn").unwrap();
        let journal = JournalFile::open(&path, true).unwrap();
        journal.add("two").unwrap();
        assert_eq!(journal.lines().unwrap(), ["one", "two"]);
        drop(journal);
        // The first line of a run that was killed while it wrote.
        std::fs::write(&path, "0123456789abcdef 3ff0").unwrap();
        let journal = JournalFile::open(&path, true).unwrap();
        journal.add("one").unwrap();
        assert_eq!(journal.lines().unwrap(), ["one"]);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn torn_and_changed_lines_are_none() {
        let text = summed("one") + &summed("two") + &summed("three");
        assert_eq!(whole_lines(text.as_bytes()), ["one", "two", "three"]);
        assert_eq!(whole_lines(&text.as_bytes()[..text.len() - 1]), ["one", "two"]);
        assert_eq!(whole_lines(text.replace("two", "twO").as_bytes()), ["one", "three"]);
        assert!(whole_lines(b"").is_empty());
    }
}
