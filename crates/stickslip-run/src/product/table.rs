//! Tables whose rows are produced one by one, so that a long table never stands in memory as text.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// As in the header of a CSV file.
    pub name: String,
    /// The SI unit; empty for words and pure numbers.
    pub unit: &'static str,
    /// Whether its texts are times, in ISO 8601.
    pub stamps: bool,
}

impl Column {
    /// A column with a unit.
    pub fn new(name: impl Into<String>, unit: &'static str) -> Self {
        Self { name: name.into(), unit, stamps: false }
    }

    /// A column of times, in ISO 8601.
    pub fn stamps(name: impl Into<String>) -> Self {
        Self { name: name.into(), unit: "", stamps: true }
    }
}

/// One value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Empty,
    /// A number.
    Number(f64),
    /// A count or an index.
    Whole(u64),
    /// A word or a name.
    Text(Cow<'a, str>),
}

impl Cell<'_> {
    /// A number that is empty where it is not finite.
    pub fn finite(x: f64) -> Self {
        if x.is_finite() { Self::Number(x) } else { Self::Empty }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(x) => Some(*x),
            Self::Whole(n) => Some(*n as f64),
            Self::Empty | Self::Text(_) => None,
        }
    }
}

impl From<f64> for Cell<'_> {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<Option<f64>> for Cell<'_> {
    fn from(x: Option<f64>) -> Self {
        x.map_or(Self::Empty, Self::Number)
    }
}

impl From<usize> for Cell<'_> {
    fn from(n: usize) -> Self {
        Self::Whole(n as u64)
    }
}

impl From<u64> for Cell<'_> {
    fn from(n: u64) -> Self {
        Self::Whole(n)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// The reader of a table has seen enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop;

/// Whether rows are still wanted.
pub type Flow = Result<(), Stop>;

/// Takes rows, one after the other.
pub type Rows<'a> = dyn FnMut(&[Cell<'_>]) -> Flow + 'a;

type Produce = dyn Fn(&mut Rows<'_>) -> Flow + Send + Sync;

/// A table of numbers and words. Rows are produced again whenever they are asked for.
#[derive(Clone)]
pub struct Table {
    /// Unique among the tables of a product.
    pub name: String,
    /// One for each cell of a row.
    pub columns: Vec<Column>,
    produce: Arc<Produce>,
}

impl Table {
    /// A table whose rows `produce` hands over in order.
    pub fn new(
        name: impl Into<String>,
        columns: Vec<Column>,
        produce: impl Fn(&mut Rows<'_>) -> Flow + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), columns, produce: Arc::new(produce) }
    }

    /// Hands every row to `see`, until it has seen enough.
    pub fn each(&self, see: &mut Rows<'_>) -> Flow {
        (self.produce)(see)
    }

    /// All numbers of a column; NaN where there is none.
    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        let at = self.columns.iter().position(|c| c.name == name)?;
        let mut all = Vec::new();
        // Nothing stops this reader.
        let _ = self.each(&mut |row| {
            all.push(row.get(at).and_then(Cell::number).unwrap_or(f64::NAN));
            Ok(())
        });
        Some(all)
    }

    /// Writes CSV: a header row, commas, and numbers that read back to the same f64.
    pub fn write_csv(&self, w: &mut dyn Write) -> io::Result<()> {
        for (i, column) in self.columns.iter().enumerate() {
            separate(w, i)?;
            quoted(w, &inert(&column.name))?;
        }
        writeln!(w)?;
        self.write_rows(&mut |row| {
            for (i, cell) in row.iter().enumerate() {
                separate(w, i)?;
                match cell {
                    Cell::Empty => {}
                    Cell::Number(x) => number(w, *x)?,
                    Cell::Whole(n) => write!(w, "{n}")?,
                    Cell::Text(text) => quoted(w, &inert(text))?,
                }
            }
            writeln!(w)
        })
    }

    /// Writes `{"name", "columns": [{"name", "unit"}], "rows": [[…]]}`; numbers that are not finite
    /// and empty cells are null.
    pub fn write_json(&self, w: &mut dyn Write) -> io::Result<()> {
        let columns: Vec<_> = self
            .columns
            .iter()
            .map(|c| serde_json::json!({ "name": c.name, "unit": c.unit }))
            .collect();
        let head = serde_json::json!({ "name": self.name, "columns": columns }).to_string();
        write!(w, "{},\"rows\":[", head.strip_suffix('}').unwrap_or(&head))?;
        let mut first = true;
        self.write_rows(&mut |row| {
            w.write_all(if std::mem::take(&mut first) { b"[" } else { b",[" })?;
            for (i, cell) in row.iter().enumerate() {
                separate(w, i)?;
                match cell {
                    Cell::Number(x) if x.is_finite() => number(w, *x)?,
                    Cell::Empty | Cell::Number(_) => write!(w, "null")?,
                    Cell::Whole(n) => write!(w, "{n}")?,
                    Cell::Text(text) => serde_json::to_writer(&mut *w, text)?,
                }
            }
            w.write_all(b"]")
        })?;
        w.write_all(b"]}")
    }

    /// Hands every row to `write` until it fails.
    fn write_rows(&self, write: &mut dyn FnMut(&[Cell<'_>]) -> io::Result<()>) -> io::Result<()> {
        let mut failed = None;
        let flow = self.each(&mut |row| {
            write(row).map_err(|e| {
                failed = Some(e);
                Stop
            })
        });
        match failed {
            Some(e) if flow.is_err() => Err(e),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("name", &self.name).field("columns", &self.columns).finish()
    }
}

fn separate(w: &mut dyn Write, i: usize) -> io::Result<()> {
    if i > 0 { w.write_all(b",") } else { Ok(()) }
}

/// The shortest text that reads back to the same f64.
fn number(w: &mut dyn Write, x: f64) -> io::Result<()> {
    // There the crate writes e+16 and 0.00001.
    if x.abs() >= 1e16 || (1e-5..1e-4).contains(&x.abs()) || x.is_nan() {
        return write!(w, "{x:?}");
    }
    w.write_all(zmij::Buffer::new().format(x).as_bytes())
}

/// A text, quoted where a comma, a quote or a line break would be misread.
/// A text that no spreadsheet takes for a formula: names come from files that people send to each other, and what begins
/// like a formula gets an apostrophe in front, as spreadsheets themselves write a text of this kind.
fn inert(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}").into()
    } else {
        text.into()
    }
}

fn quoted(w: &mut dyn Write, text: &str) -> io::Result<()> {
    if text.contains([',', '"', '\n', '\r']) {
        write!(w, "\"{}\"", text.replace('"', "\"\""))
    } else {
        w.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = vec![Column::new("a,b", "m"), Column::new("name", ""), Column::new("n", "")];
        Table::new("t", columns, |rows| {
            rows(&[0.1.into(), "say \"x\"".into(), 3usize.into()])?;
            rows(&[f64::NAN.into(), Cell::Empty, 4usize.into()])
        })
    }

    /// A number may begin with a sign; a name that does is no formula.
    #[test]
    fn names_are_no_formulas() {
        let names = ["=1+1", "+1", "-2", "@SUM(A1)", "\t=1", "\r=1", "=\"a\",1", "b=1", "", "−1"];
        let table =
            Table::new("t", vec![Column::new("=x", ""), Column::new("n", "")], move |rows| {
                names.iter().try_for_each(|name| rows(&[(*name).into(), (-1.0).into()]))
            });
        let mut out = Vec::new();
        assert!(table.write_csv(&mut out).is_ok());
        let text = String::from_utf8_lossy(&out).into_owned();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().unwrap(), vec!["'=x", "n"]);
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        for (row, name) in rows.iter().zip(names) {
            let known =
                if "=+-@\t\r".contains(name.chars().next().unwrap_or('x')) { "'" } else { "" };
            assert_eq!((&row[0], &row[1]), ((known.to_owned() + name).as_str(), "-1.0"));
        }
        assert_eq!(rows.len(), names.len());
    }

    #[test]
    fn csv_quotes_names_and_keeps_every_bit_of_a_number() {
        let mut out = Vec::new();
        assert!(table().write_csv(&mut out).is_ok());
        let text = String::from_utf8_lossy(&out).into_owned();
        assert_eq!(text, "\"a,b\",name,n\n0.1,\"say \"\"x\"\"\",3\nNaN,,4\n");
        assert_eq!(table().numbers("n"), Some(vec![3.0, 4.0]));
        assert_eq!(table().numbers("m"), None);
    }

    /// Numbers of every size: each reads back to its bits, and has the form and the length that the standard library gives it.
    #[test]
    fn numbers_read_back_and_are_as_short_as_can_be() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        let check = |x: f64| {
            let mut out = Vec::new();
            assert!(number(&mut out, x).is_ok());
            let text = String::from_utf8_lossy(&out).into_owned();
            let usual = format!("{x:?}");
            let read: f64 = text.parse().unwrap_or(f64::NAN);
            assert!(read.to_bits() == x.to_bits() || x.is_nan(), "{text} for {usual}");
            let form = |text: &str| (text.len(), text.find('e'), text.find('.'));
            assert_eq!(form(&text), form(&usual), "{text} for {usual}");
        };
        for i in 0..100_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005);
            bits = bits.wrapping_add(1_442_695_040_888_963_407);
            check(f64::from_bits(bits));
            check((bits >> 11) as f64 * 10f64.powi(i % 40 - 30));
            check(f64::from(i) * 0.125);
        }
        let ends = [0.0, -0.0, 1e-5, 1e-4, 1e15, 1e16, 1e17, 5e-324, f64::MAX];
        ends.into_iter().chain([f64::INFINITY, f64::NAN]).for_each(check);
    }

    #[test]
    fn json_holds_the_same_rows() {
        let mut out = Vec::new();
        assert!(table().write_json(&mut out).is_ok());
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap_or_default();
        assert_eq!(value["columns"][0]["unit"], "m");
        assert_eq!(value["rows"][0], serde_json::json!([0.1, "say \"x\"", 3]));
        assert_eq!(value["rows"][1], serde_json::json!([null, null, 4]));
    }

    #[test]
    fn a_writer_that_fails_stops_the_rows() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::other("full"))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        assert!(table().write_csv(&mut Full).is_err());
        let mut seen = 0;
        let flow = table().each(&mut |_| {
            seen += 1;
            Err(Stop)
        });
        assert_eq!((flow, seen), (Err(Stop), 1));
    }
}
