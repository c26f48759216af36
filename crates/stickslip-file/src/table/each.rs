//! Several series in one table, which a column of names tells apart.

use super::Record;
use super::builder::{Builder, Built};
use crate::diagnostic::{Diagnostic, Result};
use crate::place::Placed;
use std::collections::HashMap;

/// Which series are read from a table of many.
#[derive(Debug, Clone)]
pub struct By {
    /// The column that names the series of a row.
    pub column: Placed<String>,
    /// The series that are wanted, by their names, and the place of each in what is returned.
    pub names: HashMap<String, usize>,
}

/// One series while the table is read. What is wrong with a row of it ends it, and no other.
pub(super) struct Slot<'a> {
    pub builder: Option<Builder<'a>>,
    pub fault: Option<Diagnostic>,
}

impl Slot<'_> {
    /// As many as there are names.
    pub fn all(by: &By) -> Vec<Self> {
        by.names.iter().map(|_| Self { builder: None, fault: None }).collect()
    }

    /// The whole series, about which `known` is to be said; nothing where the table has no row of it.
    pub fn finish(self, columns: usize, known: &[String]) -> Result<Option<Record>> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let Some(builder) = self.builder else { return Ok(None) };
        let mut warnings = Vec::new();
        let mut notices = known.to_vec();
        let Built { clock, seconds, values } = builder.finish(&mut warnings, &mut notices)?;
        let units = vec![None; columns];
        Ok(Some(Record { seconds, values, units, clock, warnings, notices }))
    }
}

/// The place of a name among those that are wanted.
pub(super) fn slot(by: &By, name: &str) -> Option<usize> {
    by.names.get(name).copied()
}

impl Record {
    /// Appends the rows of a later table. Rows that both tables hold are taken once.
    ///
    /// # Errors
    /// With a message and its remedy, where times cannot be compared, or both tables give other values for one time.
    pub fn append(&mut self, later: &Self) -> std::result::Result<(), (String, String)> {
        let help = || "export the tables again, so that each row is in one of them".to_owned();
        let by = later.clock.after(&self.clock).ok_or_else(|| {
            (
                "the times of its tables are written in ways that cannot be compared".to_owned(),
                "write the times of all tables in one way".to_owned(),
            )
        })?;
        let last = self.seconds.last().copied().unwrap_or(f64::NEG_INFINITY);
        for (i, t) in later.seconds.iter().map(|t| t + by).enumerate() {
            if t > last {
                self.seconds.push(t);
                self.values.iter_mut().zip(&later.values).for_each(|(all, new)| all.push(new[i]));
                continue;
            }
            let same = |(all, new): (&Vec<f64>, &Vec<f64>), k: usize| {
                all[k].to_bits() == new[i].to_bits() || (all[k].is_nan() && new[i].is_nan())
            };
            let twice = self
                .seconds
                .binary_search_by(|s| s.total_cmp(&t))
                .is_ok_and(|k| self.values.iter().zip(&later.values).all(|v| same(v, k)));
            if !twice {
                let at = self.clock.stamp(t).unwrap_or_else(|| format!("{t} s"));
                return Err((
                    format!("row {} overlaps the table before at {at} with other values", i + 1),
                    help(),
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{Place, Source};
    use crate::resources::Memory;
    use crate::table::{Manner, Wanted, read_each};
    use std::sync::Arc;

    /// Rows of other series are passed over, but not a header that puts the columns in another order, or a row that is too short to tell
    /// its series.
    #[test]
    fn what_is_passed_over_does_not_hide_another_header() {
        let source = Arc::new(Source { name: "f".into(), text: String::new() });
        let placed =
            |name: &str| Placed { value: name.to_owned(), place: Place::new(&source, 0..0) };
        let read = |text: &str| -> Result<Record> {
            let resources = Memory::default().with("a.csv", text);
            let wanted = Wanted {
                place: placed("").place,
                time: vec![placed("t")],
                columns: vec![placed("x"), placed("y")],
                says: Vec::new(),
            };
            let names = [("A".to_owned(), 0)].into_iter().collect();
            let by = By { column: placed("name"), names };
            let mut all = read_each(&resources, "a.csv", &wanted, &Manner::default(), &by)?;
            Ok(all.remove(0)?.expect("the table has rows of A"))
        };
        let rows = "0,A,1,2\n0,B,5,6\n1,A,3,4\n";
        let record = read(&format!("t,name,x,y\n{rows}")).unwrap();
        assert_eq!(record.values, [[1.0, 3.0], [2.0, 4.0]]);
        let record = read(&format!("t,name,x,y\n{rows}t,name,x,y\n2,A,7,8\n")).unwrap();
        assert_eq!(record.values, [[1.0, 3.0, 7.0], [2.0, 4.0, 8.0]]);
        assert!(record.notices[0].contains("the header comes again once"), "{:?}", record.notices);
        let turned = read(&format!("t,name,x,y\n{rows}t,name,y,x\n2,A,8,7\n")).unwrap_err();
        assert!(
            turned.message().contains("line 5 of the file: the columns are named once more"),
            "{turned}"
        );
        let short = "t x name y\n0 1 A 2\n1 A 4\n";
        assert!(read(short).unwrap_err().message().contains("3 fields, but the header names 4"));
    }
}
