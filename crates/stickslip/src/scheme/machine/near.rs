//! Instants at which a motion comes so near to an event that it cannot be told whether it gets there, or stands where it may leave at will.
//!
//! Where a slider that holds f_s at rest and f_d < f_s in slip stands at its limit without exceeding it, staying and leaving both solve the
//! problem (Schatzman, Lamarque, Bastien 1999, §3). Where a rigid stop is touched without being struck, neighbouring motions strike it, with
//! velocities that grow with the root of what parts them. Elsewhere a touch changes nothing.
//!
//! A minimum is seen inside a step. One that lies on the border of two steps, to rounding, may not be.

use super::guards::{Ends, Found, Stepper};
use super::{Steps as By, System};
use crate::model::Bumper;
use crate::motion::Warning;

/// What comes to within so many tolerances of zero may have got there, as for one mass.
const BLURRED: f64 = 10.0;
/// What a run to rounding knows of a number, over the size of its terms: what many events before have left of its digits.
const KNOWN: f64 = 1e-10;

impl Stepper<'_> {
    /// How near to zero the guard of this number may come without its being known that it does not get there; nothing where the motion is the
    /// same whether it does or not. `size` is that of its terms.
    pub(super) fn blur(&self, k: usize, size: f64) -> Option<f64> {
        let parts = self.flow.parts;
        let [relative, least] = match self.by {
            By::Exact => [KNOWN, 0.0],
            By::Adaptive(options) => [BLURRED * options.rtol, BLURRED * options.atol],
        };
        match self.watched.guards[k] {
            // A rest that lasts no time counts where the slider is held by more than what it slid with.
            Ends::Rests(e) => {
                let at_will = parts.links.at_will.get(e).is_some_and(|at_will| at_will.slips);
                (at_will && self.normal(e) > 0.0).then_some(least + relative * size)
            }
            Ends::GivesWay(d) => {
                // What is not pressed holds nothing that it could lose.
                let rows = self.flow.mode.directions[d].rows.iter();
                let rows =
                    rows.filter(|(e, _)| parts.links.at_will.get(*e).is_some_and(|a| a.rests));
                let falls: f64 = rows.map(|(e, w)| w.abs() * self.fall(*e, w.signum())).sum();
                (falls > relative * size).then_some(relative * size)
            }
            Ends::Meets(c) => {
                let rigid = matches!(parts.contacts[c].bumper, Bumper::Rigid { .. });
                let row = &parts.rows[parts.sliders + c];
                let place: f64 = row.masses.iter().map(|(i, w)| (w * self.at.x[*i]).abs()).sum();
                rigid.then_some(least + relative * place.max(size))
            }
            _ => None,
        }
    }

    /// What the numbers of the law of slider `e` are multiplied by where the step ends.
    fn normal(&self, e: usize) -> f64 {
        let Self { flow, at, step, .. } = self;
        flow.parts.normal(e, step.t + step.h, &flow.window, &flow.mode.status, at)
    }

    /// By how much the force of row `e` falls if it gives way towards `side` where the step ends, N.
    fn fall(&self, e: usize, side: f64) -> f64 {
        let now = self.step.t + self.step.h;
        self.flow.fall(e, side, now, now - self.since[e], &self.at)
    }
}

impl System {
    /// Warns of guards that come near to zero in a step, and of those that stay there.
    pub(super) fn note_near(&mut self, s: &Stepper<'_>, near: &[Found], stay: &[usize]) {
        for &(k, time) in near {
            match s.watched.guards[k] {
                Ends::GivesWay(d) if s.by == By::Exact => self.note_limit(s, d, [time, time]),
                _ => self.warnings.push(Warning::NearMiss { time }),
            }
        }
        for &k in stay {
            if let Ends::GivesWay(d) = s.watched.guards[k] {
                self.note_limit(s, d, [s.step.t, s.step.t + s.step.h]);
            }
        }
    }

    /// Warns that what is held stands at its limit in the direction of number `d` over a time (s).
    fn note_limit(&mut self, s: &Stepper<'_>, d: usize, times: [f64; 2]) {
        let rows = &s.flow.mode.directions[d].rows;
        let names = self.names(|e| rows.iter().any(|row| row.0 == e));
        self.warnings.not_unique(names, times);
    }
}
