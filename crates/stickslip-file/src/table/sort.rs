//! Rows in any order, put in order of time.

use super::order::Verdict;
use super::time::Moment;

/// Watches the rows while they are read.
#[derive(Debug, Default)]
pub struct Sorter {
    last: Option<f64>,
    first: Option<(f64, Moment)>,
    moved: usize,
}

/// What was done.
#[derive(Debug, PartialEq)]
pub struct Sorted {
    /// The earliest time, where it was not the first.
    pub first: Option<Moment>,
    /// Rows that came too late.
    pub moved: usize,
    /// Rows that were left out.
    pub repeated: usize,
}

impl Sorter {
    /// Takes a row, `t` s after the first.
    pub fn take(&mut self, t: f64, moment: Moment) -> Verdict {
        self.moved += usize::from(self.last.is_some_and(|last| t < last));
        self.last = Some(t);
        if self.first.is_none_or(|f| t < f.0) {
            self.first = Some((t, moment));
        }
        Verdict::Keep(t)
    }

    /// Puts rows in order and their first time to 0. Two rows of one time with other values are an
    /// error: their indices.
    pub fn sort(
        self,
        seconds: &mut Vec<f64>,
        values: &mut [Vec<f64>],
    ) -> Result<Sorted, (usize, usize)> {
        // A stable sort: of rows with one time the first in the file is kept.
        let mut order: Vec<usize> = (0..seconds.len()).collect();
        order.sort_by(|a, b| seconds[*a].total_cmp(&seconds[*b]));
        let equal = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        let mut kept: Vec<usize> = Vec::with_capacity(order.len());
        for i in order {
            match kept.last() {
                Some(&last) if seconds[last] == seconds[i] => {
                    if !values.iter().all(|v| equal(v[last], v[i])) {
                        return Err((last, i));
                    }
                }
                _ => kept.push(i),
            }
        }
        let repeated = seconds.len() - kept.len();
        let zero = self.first.map_or(0.0, |f| f.0);
        *seconds = kept.iter().map(|i| seconds[*i] - zero).collect();
        for column in values {
            *column = kept.iter().map(|i| column[*i]).collect();
        }
        let first = self.first.filter(|f| f.0 != 0.0).map(|f| f.1);
        Ok(Sorted { first, moved: self.moved, repeated })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times, values, and what was done to them.
    type Rows = (Vec<f64>, Vec<f64>, Sorted);

    fn sorted(rows: &[(f64, f64)]) -> Result<Rows, (usize, usize)> {
        let mut sorter = Sorter::default();
        for r in rows {
            let _ = sorter.take(r.0, Moment::Number(r.0));
        }
        let mut seconds: Vec<f64> = rows.iter().map(|r| r.0).collect();
        let mut values = [rows.iter().map(|r| r.1).collect::<Vec<_>>()];
        let found = sorter.sort(&mut seconds, &mut values)?;
        let [values] = values;
        Ok((seconds, values, found))
    }

    #[test]
    fn rows_are_put_in_order_and_counted_from_the_earliest() {
        let rows = [(0.0, 1.0), (2.0, 3.0), (-1.0, 0.0), (1.0, 2.0), (1.0, 2.0)];
        let (t, x, said) = sorted(&rows).unwrap();
        assert_eq!((t, x), (vec![0.0, 1.0, 2.0, 3.0], vec![0.0, 1.0, 2.0, 3.0]));
        assert_eq!(said, Sorted { first: Some(Moment::Number(-1.0)), moved: 1, repeated: 1 });
        assert_eq!(sorted(&[(0.0, 1.0), (1.0, 1.0), (0.0, 2.0)]).unwrap_err(), (0, 2));
    }
}
