//! Rows of any table, put together one at a time.

use super::order::{At, Order, Verdict};
use super::sort::Sorter;
use super::time::{Clock, Moment};
use super::{Complaint, Manner, clip};
use crate::diagnostic::{Diagnostic, Result};

/// Rows so far.
pub struct Builder<'a> {
    name: &'a str,
    /// What messages count: lines or rows.
    counted: &'static str,
    clock: Clock,
    seconds: Vec<f64>,
    values: Vec<Vec<f64>>,
    lines: Vec<u64>,
    order: Order,
    sorter: Option<Sorter>,
}

/// All rows.
pub struct Built {
    /// How times are counted.
    pub clock: Clock,
    /// Times, s.
    pub seconds: Vec<f64>,
    /// One list for each column.
    pub values: Vec<Vec<f64>>,
}

impl<'a> Builder<'a> {
    /// No rows yet of a table with so many `columns`.
    pub fn new(name: &'a str, clock: Clock, columns: usize, manner: &Manner) -> Self {
        Self {
            name,
            counted: "lines",
            clock,
            seconds: Vec::new(),
            values: vec![Vec::new(); columns],
            lines: Vec::new(),
            order: Order::default(),
            sorter: manner.sort.then(Sorter::default),
        }
    }

    /// Messages count `rows` instead of lines.
    #[cfg(feature = "parquet")]
    pub fn by(self, counted: &'static str) -> Self {
        Self { counted, ..self }
    }

    /// How times are counted.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Takes the row of a time, which is written as `stamp` in this line.
    pub fn take(
        &mut self,
        moment: Moment,
        stamp: &str,
        row: &[f64],
        line: u64,
    ) -> Result<(), Complaint> {
        let mut written = self.clock.since_first(moment, stamp)?;
        let verdict = match &mut self.sorter {
            Some(sorter) => sorter.take(written, moment),
            None => {
                // A time that comes twice may be the second one of an hour that repeats.
                if self.seconds.last().is_some_and(|&last| written <= last) {
                    written = self.clock.second_time(moment).unwrap_or(written);
                }
                let at = At { clock: &self.clock, moment, stamp, written };
                self.order.judge(at, &self.seconds, &self.values, row)
            }
        };
        match verdict {
            Verdict::Keep(t) => {
                self.seconds.push(t);
                self.lines.push(line);
                self.values.iter_mut().zip(row).for_each(|(column, x)| column.push(*x));
                Ok(())
            }
            Verdict::Repeated => Ok(()),
            verdict => Err(self.disorder(&verdict, stamp)),
        }
    }

    /// What is wrong with a row that comes too late, and what to do.
    fn disorder(&self, verdict: &Verdict, stamp: &str) -> Complaint {
        let stamp = clip(stamp);
        let message = match verdict {
            Verdict::Contradicts(i) => format!(
                "`{stamp}` repeats the time of {} {} with other values; expected one row for each time",
                self.counted.trim_end_matches('s'),
                self.lines.get(*i).copied().unwrap_or_default()
            ),
            _ => format!("`{stamp}` comes before the row above; expected increasing times"),
        };
        if self.clock.is_elapsed() {
            let help = "times of day begin again at midnight: name the column of the date as well, as in `time = [\"date\", \"time\"]`, \
                        or count the hours on (24:00:01)";
            return (message, help.to_owned());
        }
        let help = "sort the rows by time (`sort = true` does so) and keep one of each; where clocks change in \
                    autumn an hour repeats unless times carry their zone, as in 2013-10-27T02:30:00+01:00, or \
                    `time_zone` names it, as in \"Europe/Berlin\"";
        (message, help.to_owned())
    }

    /// All rows, in order of time; what may have changed their times goes to `warnings`, how they were written to
    /// `notices`.
    pub fn finish(self, warnings: &mut Vec<String>, notices: &mut Vec<String>) -> Result<Built> {
        let Self { name, counted, mut clock, mut seconds, mut values, lines, order, sorter } = self;
        notices.extend(order.repeated(name));
        warnings.extend(order.warnings(name));
        let Some(sorter) = sorter else { return Ok(Built { clock, seconds, values }) };
        let sorted = sorter.sort(&mut seconds, &mut values).map_err(|(a, b)| {
            let (a, b) = (lines[a].min(lines[b]), lines[a].max(lines[b]));
            Diagnostic::new(format!(
                "{name}: {counted} {a} and {b} give the same time with other values; expected one row \
                 for each time"
            ))
            .help("keep one row of each time")
        })?;
        if let Some(first) = sorted.first {
            clock = clock.starting_at(first);
        }
        if sorted.moved > 0 {
            notices.push(format!(
                "{name}: {} rows came before the row above: all were put in order of time",
                sorted.moved
            ));
        }
        if sorted.repeated > 0 {
            notices.push(format!(
                "{name}: {} rows repeat others, time and values, and were left out",
                sorted.repeated
            ));
        }
        Ok(Built { clock, seconds, values })
    }
}
