//! What a folder of results knows of itself: which command wrote which files, and their digests.
//!
//! The record is a file of lines, each with a sum behind it, to which runs add. A run announces every byte before it is
//! written, and every file before it gets its name: what a run that was killed has left can be told from what is
//! somebody else's, and is undone by the next one. The line `wrote` has the name of a file, its length and its digest once
//! a piece is added to it, and the first digits of the digests at the ends of the pages inside that piece.

use super::names::{is_command, may_write};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use stickslip_file::regular::unlike_a_file;
use stickslip_file::{Sha256, summed, whole_lines};

/// A file by its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub name: String,
    pub length: u64,
    /// Of SHA-256, in hexadecimal digits; of the beginning of a file its first sixteen.
    pub digest: String,
}

/// Operating systems write by pages, and end between two of them where the program is killed. Larger pages are multiples of
/// this one.
pub const PAGE: usize = 1 << 12;
/// As many digits of a digest tell the beginning of a file.
const DIGITS: usize = 16;

impl Known {
    /// Whether this is the file at `path`. A link to it is not.
    pub fn is_at(&self, path: &Path) -> bool {
        let regular = std::fs::symlink_metadata(path)
            .is_ok_and(|found| unlike_a_file(&found).is_none() && found.len() == self.length);
        regular && digest_of(path).is_ok_and(|digest| digest.starts_with(&self.digest))
    }
}

fn digest_of(path: &Path) -> io::Result<String> {
    let mut digest = Sha256::default();
    let mut file = File::open(path)?;
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(digest.hex()),
            n => digest.update(&piece[..n]),
        }
    }
}

/// A run that has begun.
#[derive(Debug, Clone, Default)]
pub struct Run {
    pub command: String,
    /// What the names of its unfinished files hold.
    pub token: String,
    /// Beginnings of files that it has written, the longest of each last.
    pub wrote: Vec<Known>,
    /// Files of the run before that it takes out of the way.
    pub older: Vec<Known>,
    /// Whether files were about to get their names.
    pub exchanging: bool,
}

impl Run {
    /// The files as they are when they are whole.
    pub fn whole(&self) -> Vec<Known> {
        let mut all: Vec<Known> = Vec::new();
        for known in &self.wrote {
            match all.iter_mut().find(|k| k.name == known.name) {
                Some(found) => found.clone_from(known),
                None => all.push(known.clone()),
            }
        }
        all
    }
}

/// What the first line of every record says.
const FIRST: &str = "stickslip";

/// The line that a record gets before it gets its name.
pub fn first_line() -> String {
    summed(FIRST)
}

/// What the lines say.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The command whose results are in the folder; nothing where there are none.
    pub command: Option<String>,
    /// They, as it left them.
    pub files: Vec<Known>,
    /// A run that has not ended, or whose older files may still be there.
    pub open: Option<Run>,
    /// Whether that one has put everything in place.
    pub done: bool,
}

impl Record {
    /// Takes lines one after the other; what is wrong with them otherwise.
    pub fn read(lines: &[String]) -> Result<Self, String> {
        let mut record = Self::default();
        for line in lines {
            record.take(line)?;
        }
        Ok(record)
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let odd = || format!("the line `{}` has no meaning", line.escape_debug());
        let parts: Vec<&str> = line.split('\t').collect();
        match (parts.as_slice(), &mut self.open) {
            ([FIRST], None) => {}
            (["run", command, token], None) if is_command(command) && is_token(token) => {
                let [command, token] = [command, token].map(|t| (*t).to_owned());
                self.open = Some(Run { command, token, ..Run::default() });
            }
            (["wrote", name, length, digest, pages @ ..], Some(run)) if !self.done => {
                let found = known(&run.command, &[name, length, digest]).ok_or_else(odd)?;
                run.wrote.extend(beginnings(&found, pages).ok_or_else(odd)?);
                run.wrote.push(found);
            }
            (["older", rest @ ..], Some(run)) if !self.done => {
                run.older.push(known(&run.command, rest).ok_or_else(odd)?);
            }
            (["exchange"], Some(run)) => run.exchanging = true,
            (["done"], Some(run)) => {
                (self.command, self.files) = (Some(run.command.clone()), run.whole());
                self.done = true;
            }
            (["end"], Some(_)) => (self.open, self.done) = (None, false),
            _ => return Err(odd()),
        }
        Ok(())
    }
}

/// Whether this is what the names of unfinished files hold.
pub fn is_token(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A name, a length and a digest, if this command may write such a file.
fn known(command: &str, parts: &[&str]) -> Option<Known> {
    let [name, length, digest] = parts else { return None };
    let is_digest = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
    let length = length.parse().ok()?;
    let found = Known { name: (*name).to_owned(), length, digest: (*digest).to_owned() };
    (is_digest && may_write(command, name)).then_some(found)
}

/// The beginnings of a file that end with the last pages before its end.
fn beginnings(whole: &Known, pages: &[&str]) -> Option<Vec<Known>> {
    let [pages] = pages else { return pages.is_empty().then(Vec::new) };
    let is_whole =
        pages.len().is_multiple_of(DIGITS) && pages.bytes().all(|b| b.is_ascii_hexdigit());
    let count = (pages.len() / DIGITS) as u64;
    let before = whole.length.saturating_sub(1) / PAGE as u64;
    if !is_whole || count > before {
        return None;
    }
    let known = |i: u64| Known {
        name: whole.name.clone(),
        length: (before - count + 1 + i) * PAGE as u64,
        digest: pages[i as usize * DIGITS..][..DIGITS].to_owned(),
    };
    Some((0..count).map(known).collect())
}

/// The file that the lines are in. It is locked, so that one run at a time adds to it.
#[derive(Debug)]
pub struct Lines {
    file: File,
}

/// Longer ones are not ours: a run adds some hundred bytes for each file, and a thousand for each 256 KiB of one.
const LONGEST: u64 = 1 << 28;

impl Lines {
    /// The lines of a file, and what was before them in it.
    ///
    /// # Errors
    /// Where it cannot be read, or holds something else.
    pub fn open(mut file: File) -> io::Result<(Self, Record)> {
        let wrong = |said: String| {
            io::Error::other(format!("{said}; expected what an earlier run has left there"))
        };
        let length = file.metadata()?.len();
        if length > LONGEST {
            return Err(wrong(format!("it has {length} bytes")));
        }
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut text)?;
        // The last line may be torn; all others are whole, or somebody else has written them.
        let end = text.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        if end == 0 {
            return Err(wrong("it has no line".to_owned()));
        }
        let lines = whole_lines(&text[..end]);
        if lines.len() != text[..end].iter().filter(|b| **b == b'\n').count() {
            return Err(wrong("it holds other lines".to_owned()));
        }
        let torn = std::str::from_utf8(&text[end..]).unwrap_or("\n");
        if !torn.is_empty() && !is_beginning(torn) {
            return Err(wrong("its last line is another".to_owned()));
        }
        let record = Record::read(&lines).map_err(wrong)?;
        file.set_len(end as u64)?;
        file.seek(SeekFrom::Start(end as u64))?;
        Ok((Self { file }, record))
    }

    /// Adds a line.
    pub fn add(&mut self, line: &str) -> io::Result<()> {
        let end = self.file.stream_position()?;
        self.file.write_all(summed(line).as_bytes()).inspect_err(|_| {
            // A piece of a line, as a full disk leaves it, must not be the beginning of the next one.
            let _ = self.file.set_len(end);
            let _ = self.file.seek(SeekFrom::Start(end));
        })
    }

    /// Lets the next run have it.
    pub fn unlock(&self) {
        let _ = self.file.unlock();
    }

    /// Announces what a file is about to hold, and what it holds after each of the `pages` before.
    pub fn add_wrote(&mut self, known: &Known, pages: &[Known]) -> io::Result<()> {
        if pages.is_empty() {
            return self.add_known("wrote", known);
        }
        let pages: String = pages.iter().map(|page| &page.digest[..DIGITS]).collect();
        self.add(&format!("wrote\t{}\t{}\t{}\t{pages}", known.name, known.length, known.digest))
    }

    /// Adds a line about a file.
    pub fn add_known(&mut self, what: &str, known: &Known) -> io::Result<()> {
        self.add(&format!("{what}\t{}\t{}\t{}", known.name, known.length, known.digest))
    }
}

/// Whether a text may be the beginning of a line.
fn is_beginning(text: &str) -> bool {
    let words = ["run\t", "wrote\t", "older\t", "exchange\t", "done\t", "end\t"];
    words.iter().any(|word| text.starts_with(word) || word.starts_with(text))
}
