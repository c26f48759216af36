//! Loggers that write the mean over an interval instead of a reading.

use crate::diagnostic::{Diagnostic, Result};
use crate::node::Value;
use crate::place::{Place, Placed};
use crate::reader::Table;
use crate::units::duration;

/// The interval of which each row is the mean, as a file says it.
#[derive(Debug, Clone)]
pub(super) enum Interval {
    /// That from one row to the next.
    OfRows(Place),
    /// Of this length, s.
    Of(Placed<f64>),
}

/// Rows whose distances differ by more than this share are not evenly spaced.
const UNEVEN: f64 = 0.01;

impl Interval {
    /// What `average` of a table says.
    pub fn read(t: &Table<'_>) -> Result<Option<Self>> {
        if !t.has("average") {
            return Ok(None);
        }
        let node = t.open("average")?;
        match &node.value {
            Value::Bool(false) => Ok(None),
            Value::Bool(true) => Ok(Some(Self::OfRows(node.place.clone()))),
            Value::Text(_) => {
                let text = t.text("average", "a duration")?;
                let value = duration(&text)?;
                Ok(Some(Self::Of(Placed { value, place: text.place })))
            }
            other => Err(Diagnostic::at(
                &node.place,
                format!(
                    "`{}` holds {}; expected true or a duration such as \"20 ms\"",
                    t.path_of("average"),
                    other.describe()
                ),
            )
            .help("write `average = true` where each row is the mean since the row before")),
        }
    }

    /// Where it is given.
    pub fn place(&self) -> &Place {
        match self {
            Self::OfRows(place) => place,
            Self::Of(found) => &found.place,
        }
    }

    /// Its length, s, in a record with rows at these times.
    ///
    /// # Errors
    /// Where the rows leave it open, or it is not much shorter than the record.
    pub fn seconds(&self, times: &[f64]) -> Result<f64> {
        let mut steps: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        steps.sort_unstable_by(f64::total_cmp);
        let step = steps.get(steps.len() / 2).copied().unwrap_or(0.0);
        let length = match self {
            Self::Of(found) => found.value,
            // A row after a gap is the mean over an interval as long as all others: only shorter distances
            // contradict.
            Self::OfRows(place) if steps.first().is_some_and(|s| *s < (1.0 - UNEVEN) * step) => {
                let message = format!(
                    "`average = true` takes the distance of the rows for the interval, and they are not evenly spaced: \
                     usually {step:.6} s apart, and {:.6} s where they are closest",
                    steps[0]
                );
                return Err(Diagnostic::at(place, message)
                    .help("write the interval of the logger as a duration: average = \"20 ms\""));
            }
            Self::OfRows(_) => step,
        };
        let whole = times.first().zip(times.last()).map_or(0.0, |(a, b)| b - a);
        if length <= 0.5 * whole {
            return Ok(length);
        }
        let message = format!(
            "`average` is {length:.6} s, and the record lasts {whole:.6} s; expected an interval of half the record at most"
        );
        Err(Diagnostic::at(self.place(), message)
            .help("check the unit of the interval, and `time_unit`"))
    }
}
