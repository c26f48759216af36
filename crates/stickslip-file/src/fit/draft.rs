//! A first fit file for a table that nobody has described yet: which columns hold the times, the temperatures and the
//! displacements, and in which units. It is a guess from names and values, for people to correct.

use crate::diagnostic::{Diagnostic, Result};
use crate::table::{Peek, beginning, peek};
use crate::units::{LENGTHS, TEMPERATURES, TIMES};
use serde::{Deserialize, Serialize};

/// What a fit file says of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Draft {
    /// The table.
    pub file: String,
    /// The column of times.
    pub time: String,
    /// The unit of times that are numbers; empty for dates.
    pub time_unit: String,
    /// How dates are written; empty where the reader finds out by itself.
    pub time_format: String,
    /// `.` or `,`.
    pub decimal: String,
    /// The column of temperatures.
    pub drive: String,
    /// Their unit.
    pub drive_unit: String,
    /// The column of displacements.
    pub response: String,
    /// Their unit.
    pub response_unit: String,
    /// K_BP, N/m; NaN or none where it is not known.
    pub bearing_stiffness: Option<f64>,
}

impl Default for Draft {
    fn default() -> Self {
        let none = String::new;
        Self {
            file: none(),
            time: none(),
            time_unit: none(),
            time_format: none(),
            decimal: ".".to_owned(),
            drive: none(),
            drive_unit: "°C".to_owned(),
            response: none(),
            response_unit: "mm".to_owned(),
            bearing_stiffness: None,
        }
    }
}

/// What is seen of a table and what is guessed from it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Sketch {
    /// The guess.
    pub draft: Draft,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The first rows, as they are written.
    pub rows: Vec<Vec<String>>,
}

/// Rows that are shown.
const SHOWN: usize = 6;

impl Sketch {
    /// Of the table `file` that begins with `head`, which gzip may have compressed.
    ///
    /// ```
    /// use stickslip_file::fit::Sketch;
    /// let head = b"when;T [K];gap (mm)\n01.02.2020 10:00;281,5;10,2\n01.02.2020 11:00;282,0;10,3\n";
    /// let sketch = Sketch::of("a.csv", head)?;
    /// let draft = sketch.draft;
    /// assert_eq!((draft.time.as_str(), draft.drive.as_str(), draft.response.as_str()), ("when", "T [K]", "gap (mm)"));
    /// assert_eq!((draft.drive_unit.as_str(), draft.response_unit.as_str(), draft.decimal.as_str()), ("K", "mm", ","));
    /// # Ok::<(), stickslip_file::Diagnostic>(())
    /// ```
    ///
    /// # Errors
    /// Where there are no rows with at least two columns.
    pub fn of(file: &str, head: &[u8]) -> Result<Self> {
        let seen = peek(&beginning(file, head)?).ok_or_else(|| {
            Diagnostic::new(format!("{file}: no table was found in it")).help(
                "expected a header row with the names of the columns, and rows of numbers below it",
            )
        })?;
        Ok(Self::seen(file, seen))
    }

    /// Of the Parquet file `file`.
    ///
    /// # Errors
    /// Where it cannot be read.
    #[cfg(feature = "parquet")]
    pub fn of_parquet(file: &str, resources: &dyn crate::Resources) -> Result<Self> {
        Ok(Self::seen(file, crate::table::peek_parquet(resources, file)?))
    }

    fn seen(file: &str, seen: Peek) -> Self {
        let draft = guess(file, &seen);
        let rows = seen.rows.iter().take(SHOWN).cloned().collect();
        Self { draft, columns: seen.header, rows }
    }
}

/// The first of the columns left whose name holds one of the words (begins with it, if it ends in `_`), or else the first
/// one left.
fn take(left: &mut Vec<usize>, seen: &Peek, words: &[&str]) -> Option<usize> {
    let named = |i: &&usize| {
        let name = seen.header[**i].to_ascii_lowercase();
        words.iter().any(|w| if w.ends_with('_') { name.starts_with(w) } else { name.contains(w) })
    };
    let found = left.iter().find(named).or_else(|| left.first()).copied()?;
    left.retain(|i| *i != found);
    Some(found)
}

fn guess(file: &str, seen: &Peek) -> Draft {
    let all = 0..seen.header.len();
    let dates: Vec<usize> = all.clone().filter(|&i| seen.is_date(i)).collect();
    let mut numbers: Vec<usize> = all.filter(|&i| seen.is_number(i)).collect();
    let time = match dates.first() {
        Some(&date) => Some(date),
        None => take(&mut numbers, seen, &["time", "zeit", "date", "datum", "stamp", "seconds"]),
    };
    let drive = take(&mut numbers, seen, &["temp", "°c", "[k]", "degc", "t_"]);
    let response =
        take(&mut numbers, seen, &["disp", "versch", "weg", "gap", "move", "exten", "mm"]);
    let name = |i: Option<usize>| i.map(|i| seen.header[i].clone()).unwrap_or_default();
    let unit = |i: Option<usize>, known: &[&str]| i.and_then(|i| seen.unit(i, known));
    let times: Vec<&str> = TIMES.iter().map(|u| u.0).collect();
    let lengths: Vec<&str> = LENGTHS.iter().map(|u| u.0).collect();
    let degrees: Vec<&str> = TEMPERATURES.iter().map(|u| u.0).collect();
    let by_date = time.is_some_and(|i| seen.is_date(i));
    let time_unit = unit(time, &times).unwrap_or_else(|| "s".to_owned());
    Draft {
        file: file.to_owned(),
        time: name(time),
        time_unit: if by_date { String::new() } else { time_unit },
        time_format: String::new(),
        decimal: if seen.commas { "," } else { "." }.to_owned(),
        drive: name(drive),
        drive_unit: unit(drive, &degrees).unwrap_or_else(|| warmth(seen, drive).to_owned()),
        response: name(response),
        response_unit: unit(response, &lengths).unwrap_or_else(|| "mm".to_owned()),
        bearing_stiffness: None,
    }
}

/// The unit in which the temperatures of a place on Earth have values like these.
fn warmth(seen: &Peek, drive: Option<usize>) -> &'static str {
    let mean = drive.map_or(0.0, |i| seen.mean(i));
    if mean > 200.0 { "K" } else { "°C" }
}

impl Draft {
    /// The text of the fit file.
    pub fn to_toml(&self) -> String {
        let mut text = String::from("[data]\n");
        let mut line = |key: &str, value: &str| {
            if !value.is_empty() {
                // What JSON quotes reads as the same text in TOML.
                text += &format!("{key} = {}\n", serde_json::Value::from(value));
            }
        };
        line("file", &self.file);
        line("time", &self.time);
        line("time_unit", &self.time_unit);
        line("time_format", &self.time_format);
        line("decimal", if self.decimal == "," { "," } else { "" });
        line("drive", &self.drive);
        line("drive_unit", if self.drive_unit == "°C" { "" } else { &self.drive_unit });
        line("response", &self.response);
        line("response_unit", &self.response_unit);
        text += "\n[model]\nkind = \"thermal-bearing\"\n";
        if let Some(k) = self.bearing_stiffness.filter(|k| k.is_finite()) {
            text += &format!("bearing_stiffness = {k:?}\n");
        }
        text + "\n[fit]\nmethod = \"global\"\nseed = 1\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &str) -> Draft {
        Sketch::of("r.csv", head.as_bytes()).unwrap().draft
    }

    #[test]
    fn names_and_units_are_found_in_any_order() {
        let d = of(
            "displacement_mm,temperature,time\n1.5,3.9,2013-01-01T06:00:00Z\n1.6,3.9,2013-01-01T07:00:00Z\n",
        );
        let found = [&d.time, &d.drive, &d.response, &d.response_unit, &d.drive_unit];
        assert_eq!(found, ["time", "temperature", "displacement_mm", "mm", "°C"]);
        assert_eq!((d.time_unit.as_str(), d.decimal.as_str()), ("", "."));
        let d = of("t_h,T,x [cm]\n0,280.1,1\n1,281,1.5\n2,282,1.6\n");
        let found = [&d.time, &d.time_unit, &d.drive, &d.drive_unit, &d.response, &d.response_unit];
        assert_eq!(found, ["t_h", "h", "T", "K", "x [cm]", "cm"]);
    }

    #[test]
    fn a_row_of_units_and_lines_above_the_header_are_passed_over() {
        let d = of(
            "Station 7, south\nexported yesterday\nstamp\tair\tpier\n\tdegC\tum\n01/02/2020 10:00\t1\t5\n01/02/2020 11:00\t2\t6\n",
        );
        assert_eq!([&d.time, &d.drive, &d.response], ["stamp", "air", "pier"]);
        assert_eq!([&d.drive_unit, &d.response_unit], ["degC", "um"]);
    }

    #[test]
    fn a_compressed_or_wide_table_is_looked_at_too_wherever_it_is_cut() {
        let text = |i: u32| format!("{i};{},5;{},25\n", 280 + i * i % 17, i * i % 101);
        let plain = format!("when;T (K);gap (mm)\n{}", (0..9000).map(text).collect::<String>());
        let whole = Sketch::of("r.csv", plain.as_bytes()).unwrap();
        assert_eq!((whole.columns.len(), whole.draft.decimal.as_str()), (3, ","));
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut packed, plain.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        for end in [packed.len() / 2, packed.len() / 2 + 1, packed.len()] {
            let seen = Sketch::of("r.csv", &packed[..end]).unwrap();
            assert_eq!((&seen.columns, &seen.rows), (&whole.columns, &whole.rows), "{end}");
        }
        let wide: Vec<u8> = plain.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let seen = Sketch::of("r.csv", &wide[..20_001]).unwrap();
        assert_eq!((&seen.columns, &seen.rows), (&whole.columns, &whole.rows));
        assert!(Sketch::of("r.csv", &packed[..12]).is_err());
    }

    #[test]
    fn the_text_is_a_fit_file() {
        let mut d = of("a \"quoted\" time;b;c\n0;1,5;2\n1;2,5;3\n");
        d.bearing_stiffness = Some(2e9);
        let text = d.to_toml();
        let document = crate::Document::parse("fit.toml", text.clone()).unwrap();
        let data = &document.root().get("data").unwrap().node;
        assert_eq!(data.get("decimal").unwrap().node.value.describe(), "the text \",\"");
        assert!(text.contains("bearing_stiffness = 2000000000.0"), "{text}");
        assert!(Sketch::of("r.csv", b"\n \n").is_err());
    }
}
