//! Lines of a file in bounded memory.

use crate::diagnostic::{Diagnostic, Result};
use std::borrow::Cow;
use std::io::{BufRead, Read};

/// Longest line that can be a row of a table, bytes.
const LONGEST: usize = 1 << 20;

/// Reads lines, one at a time.
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    number: u64,
    name: String,
}

/// One line without its end.
pub struct Line<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its number in the file, from 1.
    pub number: u64,
}

impl Line<'_> {
    /// Whether there is nothing on it.
    pub fn is_blank(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    /// As text: UTF-8, or else Latin-1, in which every byte is a character (a `°` in a header
    /// must not spoil the columns beside it).
    pub fn text(&self) -> String {
        match std::str::from_utf8(self.bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => self.bytes.iter().map(|&b| char::from(b)).collect(),
        }
    }
}

impl<R: BufRead> Lines<R> {
    /// Lines of `reader`, called `name` in messages.
    pub fn new(reader: R, name: String) -> Self {
        Self { reader, buffer: Vec::new(), number: 0, name }
    }

    /// The next line; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<Line<'_>>> {
        self.buffer.clear();
        let name = &self.name;
        (&mut self.reader).take(LONGEST as u64 + 1).read_until(b'\n', &mut self.buffer).map_err(
            |e| Diagnostic::new(format!("{name}, line {}: cannot be read: {e}", self.number + 1)),
        )?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        if self.buffer.len() > LONGEST {
            return Err(Diagnostic::new(format!(
                "{name}, line {}: longer than 1 MiB; expected a row of a table",
                self.number
            ))
            .help("check that this is a CSV file with line ends"));
        }
        let mut bytes = self.buffer.as_slice();
        if self.number == 1 {
            bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        }
        bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        Ok(Some(Line { bytes, number: self.number }))
    }
}

/// Complains about a first line that cannot be the header of a CSV file.
pub fn refuse_other_formats(name: &str, first: &str) -> Result<()> {
    let starts = |s: &str| first.starts_with(s);
    let what: Cow<'_, str> = if starts("PAR1") {
        "a Parquet file, which is not available in this version".into()
    } else if starts("PK\u{3}\u{4}") {
        "a spreadsheet or archive".into()
    } else if starts("\u{1f}\u{8b}") {
        "a compressed file".into()
    } else if starts("\u{ff}\u{fe}") || starts("\u{fe}\u{ff}") {
        "text in UTF-16".into()
    } else if first.contains('\0') {
        "a binary file".into()
    } else if first.contains('\r') {
        "text with carriage returns for line ends".into()
    } else {
        return Ok(());
    };
    Err(Diagnostic::new(format!("{name}: this is {what}; expected CSV text"))
        .help("export the table as CSV in UTF-8, with a header row"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_lines_and_a_byte_order_mark_are_no_content() {
        let mut lines = Lines::new(&b"\xEF\xBB\xBFa,b\r\n\n1,\xb02"[..], "f".into());
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            seen.push((line.number, line.text()));
        }
        assert_eq!(seen, [(1, "a,b".into()), (2, String::new()), (3, "1,°2".into())]);
    }

    #[test]
    fn a_line_without_end_is_refused_in_bounded_memory() {
        let mut lines =
            Lines::new(std::io::BufReader::new(std::io::repeat(b'1')), "endless".into());
        let message = lines.next().err().unwrap().to_string();
        assert!(message.contains("endless, line 1: longer than 1 MiB"), "{message}");
        assert!(lines.buffer.capacity() < 4 << 20);
    }
}
