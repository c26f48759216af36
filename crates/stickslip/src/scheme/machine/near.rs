//! Instants at which a motion comes so near to an event that it cannot be told whether it gets there, or stands where it may leave at will.
//!
//! Where a slider that holds f_s at rest and f_d < f_s in slip stands at its limit without exceeding it, staying and leaving both solve the
//! problem (Schatzman, Lamarque, Bastien 1999, §3). Where a rigid stop is touched without being struck, neighbouring motions strike it, with
//! velocities that grow with the root of what parts them. Elsewhere a touch changes nothing.

use super::guards::{Ends, Found, Stepper};
use super::{Steps as By, System};
use crate::model::Bumper;
use crate::motion::Warning;
use crate::scheme::oscillator::adaptive::Options;

/// What comes to within so many tolerances of zero may have reached it, as for one mass.
const BLURRED: f64 = 10.0;
/// What stands for the tolerances of a run to rounding: what many events before have left of the digits.
const ROUNDED: Options = Options { rtol: 1e-11, atol: 1e-17, leave_at: None };

impl Stepper<'_> {
    /// How near to zero the guard of this number may come without the tolerances telling that it does not get there; nothing where the motion
    /// is the same whether it does or not. `size` is that of its terms.
    pub(super) fn blur(&self, k: usize, size: f64, by: By) -> Option<f64> {
        let parts = self.flow.parts;
        let Options { rtol, atol, .. } = match by {
            By::Exact => ROUNDED,
            By::Adaptive(options) => options,
        };
        match self.watched.guards[k] {
            // A rest that lasts no time counts where the slider is held by more than what it slid with.
            Ends::Rests(e) => {
                let at_will = parts.links.at_will.get(e).is_some_and(|at_will| at_will.slips);
                (at_will && self.normal(e) > 0.0).then_some(BLURRED * (atol + rtol * size))
            }
            Ends::GivesWay(d) => {
                let blur = BLURRED * rtol * size;
                // What is not pressed holds nothing that it could lose.
                (self.falls(d) > blur).then_some(blur)
            }
            Ends::Meets(c) => {
                let rigid = matches!(parts.contacts[c].bumper, Bumper::Rigid { .. });
                let row = &parts.rows[parts.sliders + c];
                let place: f64 = row.masses.iter().map(|(i, w)| (w * self.at.x[*i]).abs()).sum();
                rigid.then_some(BLURRED * (atol + rtol * place.max(size)))
            }
            _ => None,
        }
    }

    /// What the numbers of the law of slider `e` are multiplied by where the step ends.
    fn normal(&self, e: usize) -> f64 {
        let Self { flow, at, step, .. } = self;
        flow.parts.normal(e, step.t + step.h, &flow.window, &flow.mode.status, at)
    }

    /// By how much the forces fall that hold in the direction of number `d` when it gives way where the step ends, N.
    fn falls(&self, d: usize) -> f64 {
        let parts = self.flow.parts;
        let now = self.step.t + self.step.h;
        let rows = self.flow.mode.directions[d].rows.iter();
        let falls = rows.filter(|(e, _)| parts.links.at_will.get(*e).is_some_and(|a| a.rests));
        let falls = falls.filter_map(|(e, w)| {
            let [side, normal] = [w.signum(), self.normal(*e)];
            let slides = normal * parts.law(*e)?.force(side, 0.0);
            Some(w.abs() * (parts.limit(*e, side, now - self.since[*e], normal) - slides))
        });
        falls.sum()
    }
}

impl System {
    /// Warns of a guard that comes `near` to zero in a step made so, and of one that `stays` there.
    pub(super) fn note_near(
        &mut self,
        s: &Stepper<'_>,
        near: Option<Found>,
        stays: Option<usize>,
        by: By,
    ) {
        if let Some((k, time)) = near {
            match s.watched.guards[k] {
                Ends::GivesWay(d) if by == By::Exact => self.note_limit(s, d, [time, time]),
                _ => self.warnings.push(Warning::NearMiss { time }),
            }
        }
        if let Some(k) = stays
            && let Ends::GivesWay(d) = s.watched.guards[k]
        {
            self.note_limit(s, d, [s.step.t, s.step.t + s.step.h]);
        }
    }

    /// Warns that what is held stands at its limit in the direction of number `d` over a time (s).
    fn note_limit(&mut self, s: &Stepper<'_>, d: usize, [from, to]: [f64; 2]) {
        let parts = &self.parts;
        let own = parts.machine.network().sliders();
        let rows = s.flow.mode.directions[d].rows.iter();
        let names = rows.filter_map(|(e, _)| own.get(*e)).map(|slider| slider.name.to_string());
        let names: Vec<String> = names.collect();
        let before = self.warnings.latest_first().find_map(|w| match w {
            Warning::SlidersNotUnique { sliders, to, .. } if *sliders == names => Some(to),
            _ => None,
        });
        match before {
            // Steps that follow each other are one time.
            Some(end) if *end >= from => *end = to.max(*end),
            _ => self.warnings.push(Warning::SlidersNotUnique { sliders: names, from, to }),
        }
    }
}
