//! The rows of a file of separated values, in bounded memory, with the number of each line.

use super::decode::{LONGEST, Text, too_long};
use super::dialect::{Layout, Squeezed, reader};
use super::{Complaint, clip, text_of};
use crate::diagnostic::{Diagnostic, Result};
use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// Reads rows, one at a time.
pub struct Rows<'a> {
    name: String,
    header: Vec<String>,
    separator: u8,
    reader: csv::Reader<Guard<Box<dyn Read + 'a>>>,
    record: csv::ByteRecord,
    watch: Rc<Watch>,
    ends: Ends,
    line: u64,
    /// Rows of numbers so far.
    row: u64,
}

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ends {
    Lf,
    CrLf,
    Cr,
}

/// What is known of the bytes that were read.
#[derive(Debug, Default)]
struct Watch {
    /// Bytes since the last row.
    since: Cell<usize>,
    ended: Cell<bool>,
}

/// Stops a row that has no end.
struct Guard<R> {
    from: R,
    watch: Rc<Watch>,
}

impl<R: Read> Read for Guard<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.watch.since.get() > LONGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let count = self.from.read(out)?;
        self.watch.since.set(self.watch.since.get() + count);
        self.watch.ended.set(count == 0);
        Ok(count)
    }
}

impl<'a> Rows<'a> {
    /// The rows below the header.
    pub fn new(name: &str, text: Text<'a>, layout: Layout) -> Result<Self> {
        let ends = match text.head.iter().position(|b| *b == b'\n') {
            None if text.head.contains(&b'\r') => Ends::Cr,
            Some(i) if i > 0 && text.head[i - 1] == b'\r' => Ends::CrLf,
            _ => Ends::Lf,
        };
        let watch = Rc::new(Watch::default());
        let from: Box<dyn Read + 'a> = match layout.separator {
            b' ' => Box::new(Squeezed::new(text.all)),
            _ => Box::new(text.all),
        };
        let reader = reader(layout.separator, Guard { from, watch: watch.clone() });
        let record = csv::ByteRecord::new();
        let header = layout.header;
        let name = name.to_owned();
        let separator = layout.separator;
        let mut rows =
            Self { name, header, separator, reader, record, watch, ends, line: 0, row: 0 };
        for _ in 0..layout.rows {
            rows.next()?;
        }
        rows.row = 0;
        Ok(rows)
    }

    /// Goes to the next row; false at the end of the file.
    pub fn next(&mut self) -> Result<bool> {
        let before = self.reader.position().line();
        self.watch.since.set(0);
        let found = self.reader.read_byte_record(&mut self.record).map_err(|e| {
            let line = before.max(self.line + 1);
            match e.into_kind() {
                csv::ErrorKind::Io(e) if e.kind() == io::ErrorKind::FileTooLarge => {
                    too_long(&self.name, line)
                }
                csv::ErrorKind::Io(e) => {
                    Diagnostic::new(format!("{}, line {line}: cannot be read: {e}", self.name))
                }
                other => Diagnostic::new(format!("{}, line {line}: {other:?}", self.name)),
            }
        })?;
        let here = self.reader.position().line();
        let inside = self.lines_inside();
        self.line = match self.ends {
            Ends::Lf if !self.watch.ended.get() => (here - 1).saturating_sub(inside),
            Ends::Lf | Ends::CrLf => here.saturating_sub(inside),
            Ends::Cr => self.line + 1,
        };
        self.row += u64::from(found);
        Ok(found)
    }

    /// Ends of lines inside the fields of the present row: mostly none, which is found quickly.
    fn lines_inside(&self) -> u64 {
        let all = self.record.as_slice();
        if !all.contains(&b'\n') {
            return 0;
        }
        all.iter().filter(|b| **b == b'\n').count() as u64
    }

    /// Does not count the present row.
    pub fn leave_out(&mut self) {
        self.row -= 1;
    }

    /// Whether every field is empty.
    pub fn is_blank(&self) -> bool {
        self.record.iter().all(|f| f.trim_ascii().is_empty())
    }

    /// Whether the row names the `wanted` columns once more, as where tables were put together. The same header is told from another
    /// one, under which the rows that follow would be read wrongly.
    pub fn names_columns(&self, wanted: impl Iterator<Item = usize> + Clone) -> Result<bool> {
        let own =
            |f: &[u8]| text_of(f).trim_start_matches(['\u{feff}', '#', ' ']).trim().to_owned();
        let names = wanted.filter_map(|i| self.header.get(i));
        // Most rows do not hold the first name. Names that are numbers cannot be told from values.
        let first = names.clone().next().map_or("", String::as_str);
        let holds = |f: &[u8]| f.trim_ascii().ends_with(first.as_bytes());
        if !self.record.iter().any(holds) || names.clone().all(|n| n.parse::<f64>().is_ok()) {
            return Ok(false);
        }
        let mut fields: Vec<String> = self.record.iter().map(own).collect();
        if fields.first().is_some_and(String::is_empty) && fields.len() > self.header.len() {
            // The sign of a remark that stands alone.
            fields.remove(0);
        }
        if !names.clone().all(|name| fields.contains(name)) {
            return Ok(false);
        }
        if fields == self.header {
            return Ok(true);
        }
        let message = format!(
            "{}, line {} of the file: the columns are named once more, and otherwise than in the header",
            self.name, self.line
        );
        Err(Diagnostic::new(message)
            .help("put the columns of the rows below it in the order of the header, or into a file of their own"))
    }

    /// Whether there is more on the line than its end.
    pub fn has_fields(&self) -> bool {
        self.record.len() > 1
    }

    /// The line of the file, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The field of a column, if the row reaches so far.
    pub fn field(&self, column: usize) -> Option<Cow<'_, str>> {
        self.record.get(column).map(|f| text_of(f.trim_ascii()))
    }

    /// All fields as one text, if they are UTF-8: [`cut`](Self::cut) then need not look at each for itself.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.record.as_slice()).ok()
    }

    /// The field of a column, from the [`text`](Self::text) of this row.
    pub fn cut<'r>(&'r self, text: Option<&'r str>, column: usize) -> Result<Cow<'r, str>> {
        let field = text.and_then(|text| text.get(self.record.range(column)?));
        field.map_or_else(|| self.get(column), |f| Ok(Cow::Borrowed(f.trim_ascii())))
    }

    /// The field of a column.
    pub fn get(&self, column: usize) -> Result<Cow<'_, str>> {
        self.field(column).ok_or_else(|| {
            let found = self.record.len();
            let expected = self.header.len();
            let help = "complete or remove the row; a missing value is an empty field between \
                        separators";
            let message = format!("the row ends after {found} of {expected} columns");
            self.fault(column, (message, help.to_owned()))
        })
    }

    /// Whether the row has empty fields beyond the last column; other fields there are an error.
    pub fn has_surplus(&self) -> Result<bool> {
        let found = self.record.len();
        let expected = self.header.len();
        if found <= expected {
            return Ok(false);
        }
        if self.record.iter().skip(expected).all(|f| f.trim_ascii().is_empty()) {
            return Ok(true);
        }
        let is_whole = |f: &[u8]| !f.is_empty() && f.iter().all(u8::is_ascii_digit);
        let commas =
            self.separator == b',' && self.record.iter().filter(|f| is_whole(f)).count() > 1;
        let help = if commas {
            "the numbers are probably written with decimal commas, which cannot be told from the \
             commas between the columns: export the table with semicolons between the columns, or \
             with decimal points"
        } else {
            "name every column in the header row, and put a field that holds a separator in quotes"
        };
        Err(self.wrong_width().help(help))
    }

    /// A value that is missing between blanks leaves no trace, and those behind it move up: such a row needs a field for each column.
    pub fn is_whole(&self) -> Result<()> {
        if self.separator != b' ' || self.record.len() == self.header.len() {
            return Ok(());
        }
        Err(self.wrong_width().help(
            "between blanks nothing shows which value is missing, or where a text with a blank ends: write NA for a missing value, \
             put texts in quotes, or export the table with semicolons between the columns",
        ))
    }

    fn wrong_width(&self) -> Diagnostic {
        let Self { name, row, line, .. } = self;
        let found = self.record.len();
        let fields = if found == 1 { "field" } else { "fields" };
        Diagnostic::new(format!(
            "{name}, row {row} (line {line} of the file): {found} {fields}, but the header names \
             {} columns",
            self.header.len()
        ))
    }

    /// A complaint about a field of this row.
    pub fn fault(&self, column: usize, (message, help): Complaint) -> Diagnostic {
        let Self { name, row, line, header, .. } = self;
        let column = header.get(column).map(|h| clip(h)).unwrap_or_default();
        Diagnostic::new(format!(
            "{name}, row {row} (line {line} of the file), column `{column}`: {message}"
        ))
        .help(help)
    }
}
