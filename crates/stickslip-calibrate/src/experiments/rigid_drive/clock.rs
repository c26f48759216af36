//! Clocks of force and position that run apart.

use super::logged::Logged;
use super::{DriveParameters, Falling, Signals};
use crate::error::Error;
use crate::record::clocks::{self, Clocks, Found, Look, earlier};
use crate::record::steady::{self, Part, another_gain_of, matters};
use crate::statistics::filter::derivative;
use crate::statistics::regress::solve;

impl Signals {
    /// The rows of the least squares, with the force `low` that the filters have left.
    fn look(&self, falling: Option<&Falling>, low: &[f64]) -> Result<Look, Error> {
        let mut columns = self.matrix()?.to_vec();
        if let Some(falling) = falling {
            columns.extend(self.falls(falling)?);
        }
        let record = &self.record;
        Ok(Look {
            columns,
            force: self.at_rows(low, 0),
            slope: self.at_rows(&derivative(low, record.step), 0),
            time: self.rows.iter().map(|&i| record.start + record.step * i as f64).collect(),
            may_grow: true,
        })
    }

    /// What is said where the force has another gain from some time on and that matters to a number.
    pub(super) fn gain_said(
        &self,
        found: &DriveParameters,
        falling: Option<&Falling>,
        low: &[f64],
    ) -> Result<Option<String>, Error> {
        // Acceleration, velocity, its sign and 1, then what falls with the speed.
        let dry = if falling.is_some() { vec![2, 4] } else { vec![2] };
        let parts = [
            Part { name: "force of inertia", columns: vec![0] },
            Part { name: "viscous friction", columns: vec![1] },
            Part { name: "dry friction", columns: dry },
        ];
        let gain = another_gain_of(self.look(falling, low)?, &parts);
        let gain = gain.filter(|g| matters(g, [&found.mass, &found.viscous, &found.coulomb]));
        Ok(gain.map(|gain| steady::gain_said("the force is", &gain)))
    }

    /// What is said where the clocks run apart and that moves a number out of its interval.
    pub(super) fn clocks_said(
        &self,
        found: &DriveParameters,
        logged: &Logged,
        falling: Option<&Falling>,
        low: &[f64],
    ) -> Result<Option<String>, Error> {
        let record = &self.record;
        let count = record.columns[0].len();
        let time: Vec<f64> = (0..count).map(|i| record.start + record.step * i as f64).collect();
        let all: Vec<usize> = (0..count).collect();
        let signals_at = |clocks: &Clocks| -> Result<Self, Error> {
            let position = &record.columns[0];
            let mut moved = earlier(&time, position, &all, |t| clocks.late_at(t));
            // Beyond the ends nothing is known; the filters leave these rows out.
            let first = moved.iter().position(|v| v.is_finite()).unwrap_or(0);
            let last = moved.iter().rposition(|v| v.is_finite()).unwrap_or(0);
            let [before, after] = [moved[first], moved[last]];
            moved[..first].fill(before);
            moved[last + 1..].fill(after);
            self.with_position(moved, logged)
        };
        let look = |clocks: &Clocks| -> Option<Look> {
            let other;
            let signals = if clocks.rate == 0.0 && clocks.late == 0.0 {
                self
            } else {
                other = signals_at(clocks).ok()?;
                &other
            };
            signals.look(falling, low).ok()
        };
        // A delay that is the same all along is found on its own.
        let found_clocks = clocks::found(Clocks::alike(time[0], time[count - 1]), look);
        let Some(Found::Apart(clocks, _)) = found_clocks else { return Ok(None) };
        let aligned = signals_at(&clocks)?;
        let Look { columns, force, .. } = aligned.look(falling, low)?;
        let Some(fit) = solve(&columns, &force).map(|s| s.coefficients) else { return Ok(None) };
        let one_way = self.is_one_way();
        let all = [("M", &found.mass, 0), ("F_v", &found.viscous, 1), ("F_c", &found.coulomb, 2)];
        let changed: Vec<String> = all
            .into_iter()
            .filter(|(_, e, k)| {
                let out = |[low, high]: [f64; 2]| !(low..=high).contains(&fit[*k]);
                !(one_way && *k == 2) && e.value.is_some() && e.ci95.is_some_and(out)
            })
            .map(|(name, e, k)| {
                format!(
                    "{name} = {:.4} {} in place of {:.4}",
                    fit[k],
                    e.unit,
                    e.value.unwrap_or(f64::NAN)
                )
            })
            .collect();
        let lasts = time[count - 1] - time[0];
        Ok((!changed.is_empty()).then(|| {
            format!(
                "{}; with the clocks put right {}: set them from one source, or record both with one instrument",
                clocks.said(["position", "force"], lasts),
                changed.join(", ")
            )
        }))
    }
}
