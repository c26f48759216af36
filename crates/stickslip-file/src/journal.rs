//! Where a long run leaves what is complete, line by line, so that it can go on after it was ended.

use std::io;
use std::sync::{Mutex, PoisonError};

/// Lines that outlive a run. A partially written line is ignored.
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

/// Whether a text may be a line of a journal, cut off by a kill or a power cut: it begins with a fingerprint, as all lines do.
fn is_torn(text: &[u8]) -> bool {
    text.get(..16).is_some_and(|p| p.iter().all(u8::is_ascii_hexdigit))
}

/// A line with the sum of it.
pub fn summed(line: &str) -> String {
    format!("{line}\t{:016x}\n", sum(line))
}

/// Lines in a file, which one run at a time may write to. The file is made with its first line: an empty one is never ours.
#[derive(Debug)]
pub struct JournalFile {
    path: std::path::PathBuf,
    file: Mutex<Option<std::fs::File>>,
}

impl JournalFile {
    /// Opens a file if there is one; what is in it is kept if the run goes on from there. No link is followed.
    ///
    /// # Errors
    /// Where it cannot be read or written, where another run writes to it, and where it is something else than a
    /// file of lines of a journal, an empty one among them.
    pub fn open(path: &std::path::Path, goes_on: bool) -> crate::Result<Self> {
        use crate::Diagnostic;
        let failed = |e: io::Error| {
            Diagnostic::new(format!("{}: cannot be written: {e}", path.display()))
                .help("check the space on the disk and the permissions of the directory")
        };
        let of = |file| Self { path: path.to_owned(), file: Mutex::new(file) };
        let Some(mut file) = crate::regular::open_own(path).map_err(failed)? else {
            return Ok(of(None));
        };
        if matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)) {
            return Err(Diagnostic::new(format!("{}: another run writes to it", path.display()))
                .help("wait until it ends, or give another output directory"));
        }
        let foreign = |said: &str| {
            Diagnostic::new(format!("{}: {said}", path.display()))
                .help("move it elsewhere, or give another name or output directory")
        };
        if crate::regular::names_of(&file.metadata().map_err(failed)?) > 1 {
            return Err(foreign("is one file under several names (hard links)"));
        }
        let mut text = Vec::new();
        io::Read::read_to_end(&mut io::Read::take(&file, BEGINNING), &mut text).map_err(failed)?;
        // What is no journal from its beginning on is not read to its end: it may be of any size.
        if text.len() as u64 == BEGINNING && !has_whole(&text) {
            return Err(foreign("holds nothing of an earlier run"));
        }
        io::Read::read_to_end(&mut file, &mut text).map_err(failed)?;
        let kept = kept(&text, goes_on).map_err(foreign)?;
        if kept == 0 {
            // No line of it is kept. If the file stayed, a run that ends before its first line would leave an empty one.
            remove(path, &file).map_err(failed)?;
            return Ok(of(None));
        }
        file.set_len(kept as u64).map_err(failed)?;
        io::Seek::seek(&mut file, io::SeekFrom::Start(kept as u64)).map_err(failed)?;
        Ok(of(Some(file)))
    }

    /// Nothing is to be continued any more: removes the file, unless somebody has replaced it.
    pub fn finish(self) {
        let file = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = file else { return };
        // A file that stays is harmless: it holds steps of work that is done.
        let _ = remove(&self.path, &file);
    }
}

/// So much of a file holds lines of a journal.
const BEGINNING: u64 = 1 << 20;

/// Whether a text holds a line of a journal.
fn has_whole(text: &[u8]) -> bool {
    let end = text.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    !whole_lines(&text[..end]).is_empty()
}

/// How many bytes of a journal are kept: a torn last line is cut off, so that the next one stands by itself; a run that
/// begins anew keeps none. A text of somebody else is neither cut nor written to.
fn kept(text: &[u8], goes_on: bool) -> Result<usize, &'static str> {
    let end = text.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let (lines, torn) = text.split_at(end);
    let whole = whole_lines(lines).len();
    let is_empty = text.is_empty();
    if is_empty || !torn.is_empty() && !is_torn(torn) || !lines.is_empty() && whole == 0 {
        return Err("holds nothing of an earlier run");
    }
    if goes_on {
        return Ok(end);
    }
    // A damaged line is passed over where a run goes on, but what is not known to be ours is not thrown away.
    if whole < lines.iter().filter(|b| **b == b'\n').count() {
        return Err("holds more than an earlier run has left");
    }
    Ok(0)
}

/// Removes an open file by its name. If somebody has put another one in its place, that one stays and ours is emptied.
fn remove(path: &std::path::Path, file: &std::fs::File) -> io::Result<()> {
    let opened = file.metadata()?;
    let is_there =
        std::fs::symlink_metadata(path).is_ok_and(|there| crate::regular::is_same(&there, &opened));
    if is_there { std::fs::remove_file(path) } else { file.set_len(0) }
}

/// The journal of the results in a folder, in the file `fleet.state`; without a folder nothing outlives the run.
///
/// # Errors
/// As for [`JournalFile::open`].
pub fn journal_in(
    folder: Option<&std::path::Path>,
    goes_on: bool,
) -> crate::Result<Box<dyn Journal>> {
    Ok(match folder {
        Some(folder) => Box::new(JournalFile::open(&folder.join("fleet.state"), goes_on)?),
        None => Box::new(Forgotten::default()),
    })
}

impl Journal for JournalFile {
    fn lines(&self) -> io::Result<Vec<String>> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = file.as_mut() else { return Ok(Vec::new()) };
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut text)?;
        Ok(whole_lines(&text))
    }

    fn add(&self, line: &str) -> io::Result<()> {
        // One call, so that lines of other threads never stand inside it.
        let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = open.as_mut() else {
            let mut options = std::fs::OpenOptions::new();
            let mut file = options.read(true).write(true).create_new(true).open(&self.path)?;
            // A file system that knows no locks lets two runs write; the lock of the folder holds there.
            let _ = file.try_lock();
            io::Write::write_all(&mut file, summed(line).as_bytes()).inspect_err(|_| {
                let _ = remove(&self.path, &file);
            })?;
            *open = Some(file);
            return Ok(());
        };
        let end = io::Seek::stream_position(file)?;
        io::Write::write_all(file, summed(line).as_bytes()).inspect_err(|_| {
            // A piece of a line, as a full disk leaves it, must not be the beginning of the next one.
            let _ = file.set_len(end);
            let _ = io::Seek::seek(file, io::SeekFrom::Start(end));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_somebody_stays_as_it_is() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("journal.csv");
        let whole = summed("0123456789abcdef 1");
        for text in
            ["", "t,x\n0,1\n0.1,2", "t,x\n", "fade", "0123456789abcdef 1\n", "0123456789abcde\t"]
        {
            for goes_on in [true, false] {
                std::fs::write(&path, text).unwrap();
                let said = JournalFile::open(&path, goes_on).unwrap_err().message().to_owned();
                assert!(said.contains("holds nothing of an earlier run"), "{text:?}: {said}");
                assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            }
        }
        for more in ["my notes", "my notes\n"] {
            std::fs::write(&path, whole.clone() + more).unwrap();
            assert!(JournalFile::open(&path, false).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole.clone() + more);
        }
        // The last line of a run that was killed while it wrote, and the first.
        for (text, lines) in
            [(whole.clone() + "0123456789abcdef 2", 1), ("0123456789abcdef 3ff0".into(), 0)]
        {
            std::fs::write(&path, &text).unwrap();
            let journal = JournalFile::open(&path, true).unwrap();
            journal.add("two").unwrap();
            assert_eq!(journal.lines().unwrap().len(), lines + 1);
            assert_eq!(journal.lines().unwrap().last().unwrap(), "two");
            drop(journal);
            std::fs::write(&path, &text).unwrap();
            assert!(JournalFile::open(&path, false).unwrap().lines().unwrap().is_empty());
        }
    }

    /// A journal that is done goes; one that somebody has put in its place stays. Without a line there is none.
    #[test]
    fn what_is_finished_is_removed_if_it_is_ours() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("state");
        let journal = JournalFile::open(&path, true).unwrap();
        journal.add("one").unwrap();
        journal.finish();
        assert!(!path.exists());
        for goes_on in [true, false] {
            JournalFile::open(&path, goes_on).unwrap().finish();
            assert!(!path.exists());
        }
        let journal = JournalFile::open(&path, true).unwrap();
        journal.add("one").unwrap();
        std::fs::rename(&path, folder.path().join("old")).unwrap();
        std::fs::write(&path, "mine").unwrap();
        journal.finish();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }

    /// Neither a link nor a pipe is opened: the first would be followed, the second waited for.
    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_refused() {
        let folder = tempfile::TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("outside"), "").unwrap();
        std::os::unix::fs::symlink(at("outside"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("nowhere"), at("dangling")).unwrap();
        std::fs::hard_link(at("outside"), at("second")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let cases =
            [("link", "a symbolic link"), ("dangling", "a symbolic link"), ("pipe", "a pipe")];
        for (name, said) in cases.into_iter().chain([("second", "several names")]) {
            for goes_on in [true, false] {
                let found = JournalFile::open(&at(name), goes_on).unwrap_err();
                assert!(found.message().contains(said), "{name}: {}", found.message());
            }
        }
        assert!(!at("nowhere").exists() && std::fs::read(at("outside")).unwrap().is_empty());
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
