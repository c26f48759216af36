//! A look at the head of a table that nobody has described: its header, its first rows and what they hold.

use super::dialect::reader;
use super::text_of;

/// So many rows are looked at.
pub(super) const ROWS: usize = 200;

/// The head of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Peek {
    /// The names of the columns.
    pub header: Vec<String>,
    /// A row of units below the header, if there is one.
    pub units: Vec<String>,
    /// The first rows of values, as they are written.
    pub rows: Vec<Vec<String>>,
    /// Whether fractions are set off by commas.
    pub commas: bool,
}

/// What the beginning of a file holds; nothing if it holds no two columns.
pub fn peek(head: &[u8]) -> Option<Peek> {
    let whole = head.iter().rposition(|b| *b == b'\n').map_or(head, |end| &head[..=end]);
    let read = |separator| rows(whole, separator);
    let all = [b'\t', b';', b',', b'|'].map(read);
    // The separator that makes the most columns of values; ties go to the first.
    all.into_iter().flatten().rev().max_by_key(|p| p.rows.iter().map(Vec::len).min())
}

fn rows(head: &[u8], separator: u8) -> Option<Peek> {
    let mut all: Vec<Vec<String>> = Vec::new();
    let fields = |r: &csv::ByteRecord| r.iter().map(|f| text_of(f).trim().to_owned()).collect();
    for record in reader(separator, head).byte_records().take(ROWS) {
        all.push(fields(&record.ok()?));
    }
    let commas = separator != b',';
    let is_value = |f: &String| is_date(f) || number(f, commas).is_some();
    let values =
        |row: &Vec<String>| row.len() > 1 && row.iter().filter(|f| is_value(f)).count() > 1;
    let first = all.iter().position(values)?;
    let width = all[first].len();
    let mut above = all[..first].iter().rev().filter(|r| r.len() == width);
    let mut header = above.next()?.clone();
    let mut units = Vec::new();
    if header.iter().any(String::is_empty) || header.iter().all(|f| f.chars().count() <= 4) {
        // A row of units, if names stand above it.
        if let Some(names) = above.next().filter(|n| n.iter().all(|f| !f.is_empty())) {
            units = std::mem::replace(&mut header, names.clone());
        }
    }
    header[0] = header[0].trim_start_matches(['#', ' ', '\u{feff}']).to_owned();
    let rows: Vec<_> = all.into_iter().skip(first).filter(|r| r.len() == width).collect();
    let written = |f: &String| !is_date(f) && f.contains(',') && number(f, true).is_some();
    let commas = commas && rows.iter().flatten().any(written);
    Some(Peek { header, units, rows, commas })
}

/// Whether a field is a date: digits, and what stands between them.
fn is_date(field: &str) -> bool {
    let digits = field.chars().filter(char::is_ascii_digit).count();
    let between = |c: char| field.matches(c).count();
    let day = between('-') == 2 || between('/') == 2 || between('.') == 2 || between('-') == 3;
    digits >= 6 && day && field.starts_with(|c: char| c.is_ascii_digit())
}

fn number(field: &str, commas: bool) -> Option<f64> {
    let plain = field.parse::<f64>().ok();
    plain.or_else(|| commas.then(|| field.replace(',', ".").parse().ok()).flatten())
}

impl Peek {
    fn column(&self, i: usize) -> impl Iterator<Item = &String> {
        self.rows.iter().map(move |r| &r[i])
    }

    /// Whether a column holds dates.
    pub fn is_date(&self, i: usize) -> bool {
        self.column(i).next().is_some_and(|f| is_date(f))
    }

    /// Whether a column holds numbers, at least in places.
    pub fn is_number(&self, i: usize) -> bool {
        self.column(i).any(|f| number(f, self.commas).is_some())
            && !self.column(i).any(|f| is_date(f))
    }

    /// The mean of a column.
    pub fn mean(&self, i: usize) -> f64 {
        let numbers: Vec<f64> = self.column(i).filter_map(|f| number(f, self.commas)).collect();
        numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
    }

    /// The unit of a column, if it is one of `known`: from a row of units, or from the end of its name, as in
    /// `gap (mm)`, `gap_mm`, `gap [mm]`.
    pub fn unit(&self, i: usize, known: &[&str]) -> Option<String> {
        let name = self.header[i].as_str();
        let ends = name.rsplit(['_', '(', '[', ' ', '/', '.']).next().unwrap_or_default();
        let ends = if ends.len() == name.len() { "" } else { ends };
        let written = self.units.get(i).map_or("", String::as_str);
        let plain = |u: &str| u.trim_matches(['(', ')', '[', ']', ' ']).to_owned();
        [plain(written), plain(ends)].into_iter().find(|u| known.contains(&u.as_str()))
    }
}
