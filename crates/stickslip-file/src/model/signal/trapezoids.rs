//! `pulses = { amplitude, period, width, start, offset, count }`, `trapezoids = { …, rise, top, fall, … }`.

use crate::diagnostic::{Diagnostic, Result};
use crate::number::{readable, short};
use crate::place::{Place, Placed};
use crate::reader::{Table, Variant, any, not_negative, positive};
use crate::reading::Gathered;
use serde::Serialize;
use stickslip::signal::{MOST_TRAPEZOIDS, Trapezoid};

/// `pulses`: trapezoids whose edges are jumps.
#[derive(Debug, Clone, Serialize)]
pub struct Pulses {
    amplitude: f64,
    period: f64,
    width: f64,
    #[serde(flatten)]
    train: Train,
}

/// `trapezoids`, as [`stickslip::signal::Trapezoid`].
#[derive(Debug, Clone, Serialize)]
pub struct Trapezoids {
    amplitude: f64,
    period: f64,
    rise: f64,
    top: f64,
    fall: f64,
    #[serde(flatten)]
    train: Train,
}

/// When the first one begins, what is between them, and how many there are.
#[derive(Debug, Clone, Serialize)]
struct Train {
    start: f64,
    offset: f64,
    /// As the file gives it; nothing where they last as long as the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    /// So many are made.
    #[serde(skip)]
    made: usize,
    #[serde(skip)]
    place: Place,
}

impl Pulses {
    /// Reads the signal's numbers.
    pub fn read(signal: &Variant<'_>, unit: &'static str, gathered: &Gathered) -> Result<Self> {
        let t = signal.table(&["amplitude", "period", "width", "start", "offset", "count"])?;
        let amplitude = t.number("amplitude", any(unit))?;
        let period = t.number("period", positive("s"))?;
        let width = t.number("width", positive("s"))?;
        within(&t, "width", width, period)?;
        Ok(Self { amplitude, period, width, train: Train::read(&t, unit, period, gathered)? })
    }

    /// The library's signal.
    pub fn build(&self) -> Result<stickslip::Signal, stickslip::Error> {
        let Self { amplitude, period, width, ref train } = *self;
        let Train { start, offset, made, .. } = *train;
        stickslip::Signal::pulses(amplitude, period, width, start, offset, made)
    }

    /// Checks that they last until the end of the run.
    pub fn check_covers(&self, end: &Placed<f64>) -> Result<()> {
        self.train.check_covers(self.period, end)
    }
}

impl Trapezoids {
    /// Reads the signal's numbers.
    pub fn read(signal: &Variant<'_>, unit: &'static str, gathered: &Gathered) -> Result<Self> {
        let known = ["amplitude", "period", "rise", "top", "fall", "start", "offset", "count"];
        let t = signal.table(&known)?;
        let amplitude = t.number("amplitude", any(unit))?;
        let period = t.number("period", positive("s"))?;
        let time = |key: &str| t.number_or(key, not_negative("s"), 0.0);
        let rise = time("rise")?;
        let top = time("top")?;
        let fall = time("fall")?;
        let whole = rise + top + fall;
        if whole == 0.0 {
            let message = format!("`{}` has neither `rise` nor `top` nor `fall`", t.path());
            return Err(Diagnostic::at(t.place(), message)
                .help("give one of them, in s; what is left out is 0"));
        }
        within(&t, "rise + top + fall", whole, period)?;
        let train = Train::read(&t, unit, period, gathered)?;
        Ok(Self { amplitude, period, rise, top, fall, train })
    }

    /// The library's signal.
    pub fn build(&self) -> Result<stickslip::Signal, stickslip::Error> {
        let Self { amplitude, period, rise, top, fall, ref train } = *self;
        let Train { start, offset, made, .. } = *train;
        let shape = Trapezoid { amplitude, period, rise, top, fall, start, offset };
        stickslip::Signal::trapezoids(shape, made)
    }

    /// Checks that they last until the end of the run.
    pub fn check_covers(&self, end: &Placed<f64>) -> Result<()> {
        self.train.check_covers(self.period, end)
    }
}

/// An error if what takes `length` does not fit into `period`, s.
fn within(t: &Table<'_>, what: &str, length: f64, period: f64) -> Result<()> {
    if length <= period * (1.0 + 1e-12) {
        return Ok(());
    }
    let message = format!(
        "`{}`: {what} is {} s, longer than the period of {} s",
        t.path(),
        short(length),
        short(period)
    );
    Err(Diagnostic::at(t.place(), message).help("take a longer `period`, or shorter parts"))
}

impl Train {
    fn read(t: &Table<'_>, unit: &'static str, period: f64, gathered: &Gathered) -> Result<Self> {
        let start = t.number_or("start", any("s"), 0.0)?;
        let offset = t.number_or("offset", any(unit), 0.0)?;
        let count = if t.has("count") { Some(t.whole_or("count", 1, 1)?) } else { None };
        // Without a number of them they last as long as the run: one more than begin in it.
        let begin = ((gathered.end.unwrap_or(0.0) - start) / period).floor() + 1.0;
        let made = count.map_or(begin.max(1.0), |n| n as f64);
        let place = t.place().clone();
        if made > MOST_TRAPEZOIDS as f64 {
            let message = format!(
                "`{}` has {} periods; expected at most {MOST_TRAPEZOIDS}",
                t.path(),
                readable(made, 0)
            );
            return Err(Diagnostic::at(&place, message)
                .help("take a longer `period`, a smaller `count`, or a shorter run"));
        }
        Ok(Self { start, offset, count, made: made as usize, place })
    }

    fn check_covers(&self, period: f64, end: &Placed<f64>) -> Result<()> {
        let last = self.start + self.made as f64 * period;
        if self.count.is_some() || end.value <= last * (1.0 + 1e-9) {
            return Ok(());
        }
        let message = format!(
            "the periods that were made last until {} s, and the run until {} s",
            short(last),
            short(end.value)
        );
        Err(Diagnostic::at(&self.place, message).help("give their number as `count`"))
    }
}
