//! What a simulator returns for a case: a table with the columns `event,t,where,x,v`, and derivatives in more columns where it has them.

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
    /// Derivatives of t, x and v with respect to each number of [`Results::wrt`]; NaN where none is given. Of an event that of its time counts, of a
    /// state those of displacement and velocity.
    pub rates: Vec<[f64; 3]>,
}

/// All rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Results {
    /// In the order of the table.
    pub rows: Vec<Entry>,
    /// Keys of the numbers with respect to which there are derivatives; none where the table has no column of them.
    pub wrt: Vec<String>,
}

/// What stands before a key in the name of a column of derivatives: `dt/oscillator.mass` is ∂t/∂m.
const OF: [&str; 3] = ["dt/", "dx/", "dv/"];

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
        self.rows.push(Entry { event, t, place, x, v, rates: Vec::new() });
    }

    /// Reads a CSV file with a header row; columns beside those that are needed do no harm. `name` is what
    /// messages call it. Columns such as `dt/oscillator.mass`, `dx/oscillator.mass` and `dv/oscillator.mass` are derivatives with respect to the number at that key.
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
        let mut results = Self { wrt: keys(&header), ..Self::default() };
        let of = |key: &String| OF.map(|of| at(&format!("{of}{key}")));
        let columns: Vec<[Option<usize>; 3]> = results.wrt.iter().map(of).collect();
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
            let rate = |at: Option<usize>| at.map_or(Ok(f64::NAN), |at| number(at, true));
            let three = |[t, x, v]: &[Option<usize>; 3]| Ok([rate(*t)?, rate(*x)?, rate(*v)?]);
            let rates = columns.iter().map(three).collect::<Result<_>>()?;
            results.rows.push(Entry {
                event: cell(event).to_owned(),
                t: number(t, false)?,
                place: place.map_or("", cell).to_owned(),
                x: number(x, true)?,
                v: number(v, true)?,
                rates,
            });
        }
        Ok(results)
    }
}

/// The keys of all columns of derivatives, in the order in which they come first.
fn keys(header: &csv::StringRecord) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for key in header.iter().filter_map(|h| OF.iter().find_map(|of| h.strip_prefix(of))) {
        if !keys.iter().any(|k| k == key) {
            keys.push(key.to_owned());
        }
    }
    keys
}
