//! What a motion shows at each instant: the columns of its solution, and that of a bearing.

use crate::heading::Heading;
use crate::product::Column;
use stickslip::{Model, Oscillator, Problem, Role, Rows, Solution};
use stickslip_file::{Diagnostic, Result};

/// The name of the column of a bearing's displacement.
pub(crate) const BEARING: &str = "z";

/// The columns of a solution, and z = x + K (d − x)/K_BP after them where K_BP is known.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    solution: &'a Solution,
    bearing: Option<(&'a Oscillator, f64)>,
    rotation: bool,
}

impl<'a> Shown<'a> {
    /// A solution of `problem`, and K_BP (N/m) if it is known.
    pub fn new(
        problem: &'a Problem,
        solution: &'a Solution,
        bearing_stiffness: Option<f64>,
    ) -> Self {
        let bearing = match (&problem.model, bearing_stiffness) {
            (Model::Oscillator(o), Some(stiffness)) => Some((o, stiffness)),
            _ => None,
        };
        Self { solution, bearing, rotation: false }
    }

    /// The same, in the units of a motion about an axis where `is` says so.
    pub fn turning(self, is: bool) -> Self {
        Self { rotation: is, ..self }
    }

    /// Names and units, and what each of them is; nothing for that of a bearing.
    pub fn columns(&self) -> Vec<(Column, Option<Role>)> {
        let heading = Heading::new("", self.rotation);
        let of = |c: &stickslip::Column| {
            (Column::new(c.name.as_str(), heading.unit(c.unit)), Some(c.role))
        };
        let mut all: Vec<_> = self.solution.columns().iter().map(of).collect();
        all.extend(self.bearing.map(|_| (Column::new(BEARING, heading.unit("m")), None)));
        all
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.solution.width() + usize::from(self.bearing.is_some())
    }

    /// Reads rows one after the other, at times that do not go back.
    pub fn rows(&self) -> ShownRows<'a> {
        ShownRows { rows: self.solution.rows(), bearing: self.bearing }
    }
}

/// The rows of what a motion shows.
#[derive(Debug)]
pub struct ShownRows<'a> {
    rows: Rows<'a>,
    bearing: Option<(&'a Oscillator, f64)>,
}

impl ShownRows<'_> {
    /// The row at `t` (s): a number for each column.
    pub fn at(&mut self, t: f64, out: &mut [f64]) {
        let Some((oscillator, stiffness)) = self.bearing else { return self.rows.at(t, out) };
        let last = out.len() - 1;
        self.rows.at(t, &mut out[..last]);
        out[last] = oscillator.bearing_displacement(t, out[0], stiffness);
    }
}

/// Whether a motion that lasts until `end` (s) can be read at these times.
///
/// # Errors
/// Of the first time that lies outside.
pub(crate) fn check_times(times: &[f64], end: f64) -> Result<()> {
    match times.iter().find(|t| !(**t >= 0.0 && **t <= end)) {
        Some(t) => Err(Diagnostic::command_line(format!(
            "a time is {t:?} s; the motion lasts from 0 to {end:?} s"
        ))),
        None => Ok(()),
    }
}
