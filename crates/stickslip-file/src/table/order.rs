//! Rows whose time does not come after the one above: repeated rows, and clocks that were changed.
//!
//! * A row whose time and values are those of an earlier row is left out, and counted.
//! * Where times carry no zone, an hour that comes twice in a night to a Sunday in autumn, or is jumped over in one in
//!   spring, is a clock that was changed: times after it are counted on, or back, by that hour.
//! * Anything else is an error: two rows claim the same instant.

use super::time::{Clock, Moment, springs};

const HOUR: f64 = 3600.0;
/// So many rows may be missing where the clock was set back.
const MISSING: f64 = 3.0;
/// Steps longer than this say nothing about an hour.
const LONGEST: f64 = 3601.0;

/// What to do with a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Keep it at this time, s.
    Keep(f64),
    /// Leave it out: it repeats an earlier one.
    Repeated,
    /// It contradicts the row of this index.
    Contradicts(usize),
    /// It belongs before the row above.
    Back,
}

/// The time of a row.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    /// How times are counted.
    pub clock: &'a Clock,
    /// The time.
    pub moment: Moment,
    /// As it was written.
    pub stamp: &'a str,
    /// Seconds after the first time, as it stands.
    pub written: f64,
}

/// What has been seen so far.
#[derive(Debug, Default)]
pub struct Order {
    /// What clock changes have added to the times as written, s.
    shift: f64,
    repeated: usize,
    changes: Vec<String>,
}

impl Order {
    /// Judges a row; `seconds` and `values` are the rows so far, `row` its own values.
    pub fn judge(
        &mut self,
        At { clock, moment, stamp, written }: At<'_>,
        seconds: &[f64],
        values: &[Vec<f64>],
        row: &[f64],
    ) -> Verdict {
        let t = written + self.shift;
        let [.., before, last] = seconds else {
            return match seconds {
                [only] if t == *only => Self::same(0, values, row, &mut self.repeated),
                [only] if t < *only => Verdict::Back,
                _ => Verdict::Keep(t),
            };
        };
        let (last, step) = (*last, last - before);
        let night = step < LONGEST && clock.may_change(moment);
        if t > last {
            // Spring: exactly an hour is jumped over, in the night in which clocks are.
            if night && springs(moment) && (t - last - step - HOUR).abs() < 0.5 {
                self.change(-HOUR, stamp, "on", "no hour was taken to be missing");
                return Verdict::Keep(t - HOUR);
            }
            return Verdict::Keep(t);
        }
        let earlier = seconds.binary_search_by(|s| s.total_cmp(&t));
        if let Ok(i) = earlier
            && values.iter().zip(row).all(|(v, x)| same(v[i], *x))
        {
            self.repeated += 1;
            return Verdict::Repeated;
        }
        let on = t + HOUR;
        if night && on > last && on - last <= MISSING * step + 0.5 {
            self.change(HOUR, stamp, "back", "the hour was taken to come twice");
            return Verdict::Keep(on);
        }
        earlier.map_or(Verdict::Back, Verdict::Contradicts)
    }

    fn same(i: usize, values: &[Vec<f64>], row: &[f64], repeated: &mut usize) -> Verdict {
        if values.iter().zip(row).all(|(v, x)| same(v[i], *x)) {
            *repeated += 1;
            return Verdict::Repeated;
        }
        Verdict::Contradicts(i)
    }

    fn change(&mut self, by: f64, stamp: &str, way: &str, how: &str) {
        self.shift += by;
        self.changes.push(format!("set {way} an hour at {stamp}, and {how}"));
    }

    /// Rows that were read twice.
    pub fn repeated(&self, name: &str) -> Option<String> {
        let rows = if self.repeated == 1 { "row repeats an" } else { "rows repeat" };
        let earlier = if self.repeated == 1 { "earlier one" } else { "earlier ones" };
        (self.repeated > 0).then(|| {
            let count = self.repeated;
            format!(
                "{name}: {count} {rows} {earlier}, time and values, and {} left out",
                if count == 1 { "was" } else { "were" }
            )
        })
    }

    /// How clocks were changed, which users should check.
    pub fn warnings(self, name: &str) -> impl Iterator<Item = String> {
        let name = name.to_owned();
        self.changes.into_iter().map(move |c| {
            format!(
                "{name}: the times look like those of a clock that was {c}; to be sure give `time_zone`, as in \
                 \"Europe/Berlin\", or times with their offset, as in 2013-10-27T02:30:00+01:00"
            )
        })
    }
}

fn same(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::time::{Looks, Style, looks};

    fn style(stamp: &str) -> Style {
        match looks(stamp, None).unwrap() {
            Looks::Like(style) => style,
            Looks::DayOrMonth => panic!("{stamp}"),
        }
    }

    /// Times as written and one column through a judge; the times that were kept, and the warnings.
    fn run(rows: &[(&str, f64)]) -> (Vec<f64>, Vec<String>, Option<Verdict>) {
        let clock = Clock::of(style(rows[0].0), rows[0].0, None).unwrap();
        let mut order = Order::default();
        let mut seconds = vec![];
        let mut values = vec![vec![]];
        for &(stamp, x) in rows {
            let moment = clock.read(stamp).unwrap();
            let written = clock.since_first(moment, stamp).unwrap();
            let at = At { clock: &clock, moment, stamp, written };
            match order.judge(at, &seconds, &values, &[x]) {
                Verdict::Keep(t) => {
                    seconds.push(t);
                    values[0].push(x);
                }
                Verdict::Repeated => {}
                bad => return (seconds, vec![], Some(bad)),
            }
        }
        let said = order.repeated("f.csv").into_iter().chain(order.warnings("f.csv"));
        (seconds, said.collect(), None)
    }

    #[test]
    fn repeated_rows_go_and_contradictions_are_named() {
        let (kept, said, bad) = run(&[("0", 1.0), ("1", 2.0), ("1", 2.0), ("0", 1.0), ("2", 3.0)]);
        assert_eq!((kept, bad), (vec![0.0, 1.0, 2.0], None));
        assert!(said[0].contains("2 rows repeat"), "{said:?}");
        assert_eq!(run(&[("0", 1.0), ("1", 2.0), ("1", 2.5)]).2, Some(Verdict::Contradicts(1)));
        assert_eq!(run(&[("0", 1.0), ("2", 2.0), ("1", 2.5)]).2, Some(Verdict::Back));
        assert_eq!(run(&[("0", 1.0), ("0", 2.0)]).2, Some(Verdict::Contradicts(0)));
    }

    #[test]
    fn an_hour_twice_in_autumn_and_none_in_spring() {
        let autumn = [
            ("2013-10-27 01:00", 1.0),
            ("2013-10-27 01:30", 2.0),
            ("2013-10-27 02:00", 3.0),
            ("2013-10-27 02:30", 4.0),
            ("2013-10-27 02:00", 5.0),
            ("2013-10-27 02:30", 6.0),
            ("2013-10-27 03:00", 7.0),
            ("2014-03-30 01:30", 8.0),
            ("2014-03-30 03:00", 9.0),
        ];
        let (kept, said, bad) = run(&autumn[..7]);
        assert_eq!(bad, None);
        assert_eq!(kept, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0].map(|h: f64| 3600.0 * h));
        assert!(said[0].contains("set back an hour at 2013-10-27 02:00"), "{said:?}");
        // Another Sunday, another hour: an error.
        let shifted = ["2013-12-08 02:00", "2013-12-08 02:30", "2013-12-08 02:00"];
        let shifted: Vec<_> = shifted.iter().zip([1.0, 2.0, 3.0]).map(|(s, x)| (*s, x)).collect();
        assert_eq!(run(&shifted).2, Some(Verdict::Contradicts(0)));
        let spring =
            ["2014-03-30 01:00", "2014-03-30 01:30", "2014-03-30 03:00", "2014-03-30 03:30"];
        let spring: Vec<_> =
            spring.iter().zip([1.0, 2.0, 3.0, 4.0]).map(|(s, x)| (*s, x)).collect();
        let (kept, said, _) = run(&spring);
        assert_eq!(kept, [0.0, 1800.0, 3600.0, 5400.0]);
        assert!(said[0].contains("set on an hour"), "{said:?}");
    }
}
