//! A file of which every byte is announced before it is written.

use super::record::{Known, Lines, PAGE};
use std::fs::File;
use std::io::{self, Write};
use stickslip_file::Sha256;

/// As many bytes are written at once: for each such piece there is a line in the record.
const PIECE: usize = 1 << 18;

/// A file under way.
pub struct Sealed<'a> {
    name: String,
    lines: &'a mut Lines,
    file: Option<File>,
    digest: Sha256,
    length: u64,
    piece: Vec<u8>,
}

impl<'a> Sealed<'a> {
    /// Announces an empty file, to which [`put_into`](Self::put_into) gives a place.
    pub fn new(name: &str, lines: &'a mut Lines) -> io::Result<Self> {
        let name = name.to_owned();
        let digest = Sha256::default();
        let piece = Vec::new();
        let sealed = Self { name, lines, file: None, digest, length: 0, piece };
        sealed.lines.add_wrote(&sealed.known(), &[])?;
        Ok(sealed)
    }

    /// The file that the bytes go to.
    pub fn put_into(&mut self, file: File) {
        self.file = Some(file);
    }

    /// Writes the rest.
    pub fn finish(mut self) -> io::Result<Known> {
        self.put()?;
        Ok(self.known())
    }

    fn known(&self) -> Known {
        Known { name: self.name.clone(), length: self.length, digest: self.digest.hex() }
    }

    fn put(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        // A kill can end the write below after any page.
        let mut pages = Vec::with_capacity(self.piece.len() / PAGE);
        for page in self.piece.chunks(PAGE) {
            if !self.length.is_multiple_of(PIECE as u64) {
                pages.push(self.known());
            }
            self.digest.update(page);
            self.length += page.len() as u64;
        }
        self.lines.add_wrote(&self.known(), &pages)?;
        if let Some(file) = &mut self.file {
            file.write_all(&self.piece)?;
        }
        self.piece.clear();
        Ok(())
    }
}

impl Write for Sealed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PIECE - self.piece.len());
        self.piece.extend_from_slice(&bytes[..taken]);
        if self.piece.len() == PIECE {
            self.put()?;
        }
        Ok(taken)
    }

    /// Pieces are written when they are whole.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
