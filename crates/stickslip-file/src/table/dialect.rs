//! How a file of separated values is laid out: the separator, and the row that names the columns.

use super::text_of;
use crate::place::Placed;

/// So many rows may stand above the header.
const PREAMBLE: usize = 200;

/// Bytes that are squeezed at once.
const CHUNK: usize = 1 << 16;

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Between the columns.
    pub separator: u8,
    /// The names of the columns.
    pub header: Vec<String>,
    /// Rows up to and including the header, as the CSV reader counts them.
    pub rows: usize,
    /// Lines above the header that are neither blank nor remarks.
    pub skipped: usize,
}

/// Columns that are set apart by one blank or several, with each run of blanks made one and those at the ends of lines left out.
/// Blanks inside quotes stay.
pub struct Squeezed<R> {
    from: R,
    raw: Vec<u8>,
    /// Bytes that were squeezed, of which so many were given.
    ready: Vec<u8>,
    given: usize,
    quoted: bool,
    /// A blank was read, and no field has followed yet.
    blank: bool,
    /// Nothing but blanks was read of this line.
    begins: bool,
}

impl<R> Squeezed<R> {
    /// Of these bytes.
    pub fn new(from: R) -> Self {
        Self {
            from,
            raw: vec![0; CHUNK],
            ready: Vec::new(),
            given: 0,
            quoted: false,
            blank: false,
            begins: true,
        }
    }

    /// What becomes of a byte.
    fn put(&mut self, byte: u8) {
        self.quoted ^= byte == b'"';
        if matches!(byte, b'\n' | b'\r') {
            self.blank = false;
            self.begins = true;
            self.quoted = false;
        } else if matches!(byte, b' ' | b'\t') && !self.quoted {
            self.blank = !self.begins;
            return;
        } else {
            if self.blank {
                self.ready.push(b' ');
            }
            self.blank = false;
            self.begins = false;
        }
        self.ready.push(byte);
    }
}

impl<R: std::io::Read> std::io::Read for Squeezed<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        // A chunk of nothing but blanks leaves nothing, and is not the end.
        while self.given == self.ready.len() {
            self.ready.clear();
            self.given = 0;
            let count = self.from.read(&mut self.raw)?;
            if count == 0 {
                return Ok(0);
            }
            for i in 0..count {
                self.put(self.raw[i]);
            }
        }
        let left = &self.ready[self.given..];
        let count = left.len().min(out.len());
        out[..count].copy_from_slice(&left[..count]);
        self.given += count;
        Ok(count)
    }
}

/// A reader of separated values.
pub fn reader<R: std::io::Read>(separator: u8, from: R) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(1 << 16)
        .from_reader(from)
}

/// Finds the header of the table that begins with `head`: the row that names the most of the columns
/// that are `wanted`, or else the first one.
pub fn layout(head: &[u8], wanted: &[Placed<String>]) -> Option<Layout> {
    let usual = separator_of(head)?;
    let mut best: Option<(usize, Layout)> = None;
    for separator in [usual, b',', b';', b'\t', b'|'] {
        for (named, found) in rows(head, separator, wanted) {
            if best.as_ref().is_none_or(|(most, _)| named > *most) {
                best = Some((named, found));
            }
        }
    }
    // Blanks part columns where nothing else does: they also stand in names and between a date and a time of day.
    if wanted.len() > 1 && best.as_ref().is_none_or(|(named, _)| *named == 0) {
        let mut plain = Vec::new();
        let _ = std::io::Read::read_to_end(&mut Squeezed::new(head), &mut plain);
        let all = rows(&plain, b' ', wanted).into_iter().find(|(named, _)| *named == wanted.len());
        best = all.or(best);
    }
    best.map(|b| b.1)
}

/// Rows that may be the header, with the number of wanted columns that they name.
fn rows(head: &[u8], separator: u8, wanted: &[Placed<String>]) -> Vec<(usize, Layout)> {
    let mut reader = reader(separator, head);
    let mut record = csv::ByteRecord::new();
    let mut found = Vec::new();
    let mut skipped = 0;
    for row in 1..=PREAMBLE {
        if !reader.read_byte_record(&mut record).unwrap_or(false) {
            break;
        }
        let mut header: Vec<String> = record.iter().map(|f| text_of(f).trim().to_owned()).collect();
        let remark = header[0].starts_with('#');
        if remark {
            header[0] = header[0].trim_start_matches(['#', ' ']).to_owned();
            // `# t x` between blanks: the sign stands alone, and names no column.
            if separator == b' ' && header[0].is_empty() {
                header.remove(0);
            }
        }
        if header.iter().all(String::is_empty) {
            continue;
        }
        let named = wanted.iter().filter(|w| header.contains(&w.value)).count();
        if named > 0 || !remark {
            found.push((named, Layout { separator, header, rows: row, skipped }));
        }
        skipped += usize::from(!remark);
    }
    found
}

/// The separator that occurs most in the first line that is no remark.
fn separator_of(head: &[u8]) -> Option<u8> {
    let lines = head.split(|b| matches!(b, b'\n' | b'\r'));
    let first = lines.into_iter().find(|l| !l.trim_ascii().is_empty() && !l.starts_with(b"#"));
    let first = first.or_else(|| (!head.trim_ascii().is_empty()).then_some(head))?;
    let count = |s: &u8| first.iter().filter(|b| *b == s).count();
    // Ties go to the last: the comma.
    [b'\t', b';', b','].into_iter().max_by_key(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{Place, Source};
    use std::sync::Arc;

    fn names(names: &[&str]) -> Vec<Placed<String>> {
        let source = Arc::new(Source { name: "f".into(), text: String::new() });
        let place = |n: &&str| Placed { value: (*n).to_owned(), place: Place::new(&source, 0..0) };
        names.iter().map(place).collect()
    }

    #[test]
    fn the_header_is_the_row_that_names_the_columns() {
        let toa5 = "\"TOA5\",\"CR1000\",\"CR1000\"\n\"TIMESTAMP\",\"RECORD\",\"T_C\"\n\"TS\",\"RN\",\"C\"\n";
        let found = layout(toa5.as_bytes(), &names(&["TIMESTAMP", "T_C"])).unwrap();
        assert_eq!((found.rows, found.skipped, found.header[2].as_str()), (2, 1, "T_C"));
        let text = b"Station; Bridge, south\nt;a\n1,5;2,5\n";
        let found = layout(text, &names(&["t", "a"])).unwrap();
        assert_eq!((found.separator, found.rows), (b';', 2));
        let found = layout(b"# t,a\n1,2\n", &names(&["t", "a"])).unwrap();
        assert_eq!((found.header, found.rows), (vec!["t".to_owned(), "a".to_owned()], 1));
        let found = layout(b"\n\n# remark\nx,y\n1,2\n", &names(&["t"])).unwrap();
        assert_eq!((found.header[0].as_str(), found.skipped), ("x", 0));
        assert_eq!(layout(b"\n \n", &names(&["t"])), None);
        let text = b"  t    a b\n  1   2 3\n";
        let found = layout(text, &names(&["t", "a"])).unwrap();
        assert_eq!((found.separator, found.header.len()), (b' ', 3));
        // A blank in a name, or one wanted column, is no table that blanks divide.
        assert_eq!(layout(b"t [s],a\n1,2\n", &names(&["t [s]", "a"])).unwrap().separator, b',');
        assert_eq!(layout(b"t x\n1 2\n", &names(&["t"])).unwrap().header.len(), 1);
        // As NumPy writes it.
        let found = layout(b"# t x\n1 2\n", &names(&["t", "x"])).unwrap();
        assert_eq!(found.header, ["t", "x"]);
    }

    #[test]
    fn runs_of_blanks_are_one() {
        let squeezed = |text: &str, size: usize| {
            let mut from = Squeezed::new(text.as_bytes());
            let mut out = Vec::new();
            let mut part = vec![0; size];
            while let Ok(count @ 1..) = std::io::Read::read(&mut from, &mut part) {
                out.extend_from_slice(&part[..count]);
            }
            String::from_utf8(out).unwrap()
        };
        for size in [1, 2, 3, 64] {
            assert_eq!(squeezed("  a   b\tc \n 1  2 3\r\n", size), "a b c\n1 2 3\r\n");
            assert_eq!(squeezed("\"a  b\"  c\n", size), "\"a  b\" c\n");
            assert_eq!(squeezed("      ", size), "");
        }
    }
}
