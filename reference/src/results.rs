//! What a simulator returns for a case: a table with the columns `event,t,where,x,v`.

use stickslip_file::{Diagnostic, Result};

/// One row of a table of results.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// A kind of event, or `state`, `sample`, `not-unique`, `no-solution`.
    pub event: String,
    /// When, s.
    pub t: f64,
    /// The node, contact, wall or element; empty where there is only one.
    pub place: String,
    /// Displacement, m; NaN where none is given.
    pub x: f64,
    /// Velocity, m/s; NaN where none is given.
    pub v: f64,
}

/// All rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Results {
    /// In the order of the table.
    pub rows: Vec<Entry>,
}

/// Words in the column `event` that are no events.
pub const STATE: &str = "state";
/// See [`STATE`]: a velocity drawn from the law of a random case.
pub const SAMPLE: &str = "sample";
/// See [`STATE`]: the solution is not unique from `t` on.
pub const NOT_UNIQUE: &str = "not-unique";
/// See [`STATE`]: there is no solution beyond `t`.
pub const NO_SOLUTION: &str = "no-solution";

impl Results {
    /// Adds a row.
    pub fn push(&mut self, event: &str, t: f64, place: &str, [x, v]: [f64; 2]) {
        let (event, place) = (event.to_owned(), place.to_owned());
        self.rows.push(Entry { event, t, place, x, v });
    }

    /// Reads a CSV file with a header row; columns beside those that are needed do no harm. `name` is what
    /// messages call it.
    ///
    /// ```
    /// use stickslip_reference::Results;
    /// let text = "event,t,where,x,v\nstick,4.0,,4.0,0.0\nstate,100.0,,4.0,0.0\n";
    /// let results = Results::read("results.csv", text.as_bytes())?;
    /// assert_eq!(results.rows[0].t, 4.0);
    /// # Ok::<(), stickslip_file::Diagnostic>(())
    /// ```
    ///
    /// # Errors
    /// If a column is missing, or a number is none.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
        let wrong = |e: csv::Error| Diagnostic::new(format!("{name}: {e}"));
        let header = reader.headers().map_err(wrong)?.clone();
        let at = |column: &str| header.iter().position(|h| h == column);
        let needed = |column: &str| {
            at(column).ok_or_else(|| {
                let found = header.iter().collect::<Vec<_>>().join(", ");
                Diagnostic::new(format!("{name}: there is no column `{column}` among {found}"))
                    .help("expected the columns event, t, where, x and v; `where` may be left out if it is always empty")
            })
        };
        let (event, t, x, v) = (needed("event")?, needed("t")?, needed("x")?, needed("v")?);
        let place = at("where");
        let mut results = Self::default();
        for (i, record) in reader.records().enumerate() {
            let record = record.map_err(wrong)?;
            let cell = |at: usize| record.get(at).unwrap_or_default();
            let number = |at: usize, may_be_empty: bool| match cell(at) {
                "" if may_be_empty => Ok(f64::NAN),
                text => text.parse::<f64>().map_err(|_| {
                    let column = header.get(at).unwrap_or_default();
                    Diagnostic::new(format!(
                        "{name}, row {}, column `{column}`: found `{text}`, expected a number",
                        i + 2
                    ))
                }),
            };
            results.rows.push(Entry {
                event: cell(event).to_owned(),
                t: number(t, false)?,
                place: place.map_or("", cell).to_owned(),
                x: number(x, true)?,
                v: number(v, true)?,
            });
        }
        Ok(results)
    }
}
