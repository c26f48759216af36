//! What a path should not be read without.

use crate::error::{Remedy, Short};
use std::fmt;

/// A doubt about a path that is no error. Its text says what, when, and what to do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// The load stands at the breakaway force while leaving is possible. The selection rule keeps the mass at rest; without it
    /// any of these instants will do, and with a slightly greater load the mass slips: the solution by the rule does not
    /// depend continuously on the load.
    NotUnique {
        /// First and last such instant, s (equal when the load only touches the limit).
        from: f64,
        /// See `from`.
        to: f64,
    },
    /// The same for sliders of a network or a machine that stick and can only leave together.
    SlidersNotUnique {
        /// Their names.
        sliders: Vec<String>,
        /// First and last such instant, s (equal when the load only touches the limit).
        from: f64,
        /// See `from`.
        to: f64,
    },
    /// Sliders of a network or a machine that pass their loads on to each other reach their breakaway forces at the same instant, or so
    /// nearly that it cannot be told which of them is first.
    ReachedTogether {
        /// Their names.
        sliders: Vec<String>,
        /// When, s.
        time: f64,
    },
    /// A slider of a network or a machine comes to rest and makes others give way in the same instant, or a load that jumps does: what
    /// all of them do then depends on which is first.
    OrderDecides {
        /// The names of all of them.
        sliders: Vec<String>,
        /// When, s.
        time: f64,
    },
    /// Rigid stops of a machine are met at the same instant, and lead to other velocities when they are taken one after the
    /// other.
    ImpactsTogether {
        /// Their names.
        stops: Vec<String>,
        /// When, s.
        time: f64,
    },
    /// Nodes without mass of a network start where no forces balance, and jump at t = 0 (in a time-stepping scheme in
    /// the first step).
    StartsOutOfBalance {
        /// The node that jumps farthest.
        node: String,
        /// How far it jumps, m.
        distance: f64,
        /// What all jumps lose, by friction and by the quick motion of a mass however small, J.
        energy: f64,
    },
    /// Velocity weakening left several solutions of a step's equation.
    SeveralSolutions {
        /// How many steps.
        count: usize,
        /// t of the first one, s.
        first: f64,
        /// The step, s, below which every step has one solution (0: none does).
        below: f64,
    },
    /// The relative velocity, the load or the distance from a rigid stop came closer to an event than the tolerance, or for
    /// `exact` the rounding, can tell.
    NearMiss {
        /// When, s.
        time: f64,
    },
    /// A slip ends under a load so near the breakaway force that the scheme cannot tell whether the mass rests.
    RestsAtLimit {
        /// When, s.
        time: f64,
        /// (limit − |load|)/limit, as the scheme found it.
        margin: f64,
    },
    /// The same of sliders of a machine that can only leave together.
    SlidersRestAtLimit {
        /// Their names.
        sliders: Vec<String>,
        /// When, s.
        time: f64,
        /// |limit − |load||/limit, as the scheme found it.
        margin: f64,
    },
    /// A slip comes to rest where its load is just the sliding friction: the velocity touches zero, and the mass, which
    /// holds more at rest than in slip, stays where a slightly greater load would have kept it moving. Schemes with steps
    /// report it too where the mass slips on and its velocity was no farther from zero than their error.
    GrazesRest {
        /// When, s.
        time: f64,
        /// |load − sliding friction| there, as the scheme found it, relative to the sum of both.
        margin: f64,
    },
    /// The normal force of a mass on a plane falls below zero: the run ends there.
    LiftsOff {
        /// When, s.
        time: f64,
    },
    /// What leads a cascade begins elsewhere than the cascade, which is led there at once.
    LedFromElsewhere {
        /// Where the cascade starts, m.
        start: f64,
        /// Where what leads it begins, m.
        lead: f64,
    },
    /// The quasi-static scheme starts where the mass cannot stick: its inertia, which the scheme does not have, decides where
    /// it goes.
    StartsBeyondLimit {
        /// The load, N.
        load: f64,
        /// The breakaway force, N.
        limit: f64,
    },
    /// The drive is too fast for the quasi-static scheme.
    FastDrive {
        /// When it changes a slip most, s.
        time: f64,
        /// What it does while a slip lasts, over the size of the slip.
        share: f64,
    },
    /// White noise acts on contacts that hold more at rest than in slip. As the step becomes shorter the distribution of the
    /// state and the dissipated energy have limits, which no longer depend on f_s. The share of time in stick and the number
    /// of slips have no meaningful one.
    WhiteNoise,
    /// The numbers of a law with memory let it give out energy.
    ActiveLaw {
        /// The slider of a network that has this law.
        slider: Option<String>,
        /// The inequality that they violate.
        condition: String,
    },
    /// The energies of the whole run do not balance to its tolerance.
    EnergyDefect {
        /// What is missing over all the energy that was converted.
        defect: f64,
    },
    /// The energies of a run by time steps are so far from balance that its motion is not that of the model.
    LongSteps {
        /// The step, s.
        step: f64,
        /// What is missing, or comes from nothing, over all the energy that passed through the system.
        defect: f64,
    },
    /// A step's motion is wilder than its dense output can follow.
    WildArc {
        /// When, s.
        time: f64,
        /// Residual of the equation of motion over the tolerance.
        excess: f64,
    },
    /// Some steps' problems were not solved to rounding.
    InexactSteps {
        /// How many.
        inexact: usize,
        /// Of how many steps.
        steps: usize,
        /// The largest residual, relative to the forces.
        worst_residual: f64,
    },
    /// Warnings of one kind of which only the first hundred are listed.
    Unlisted {
        /// How many are not.
        count: usize,
        /// The last of them.
        last: Box<Warning>,
    },
}

/// Warnings of one origin: the first hundred of them, and how many come after these.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warnings {
    listed: Vec<Warning>,
    unlisted: usize,
    last: Option<Warning>,
}

impl Warnings {
    /// A run with more has one cause, which the first ones show.
    pub(crate) const MOST: usize = 100;

    pub(crate) fn push(&mut self, warning: Warning) {
        if self.listed.len() < Self::MOST {
            self.listed.push(warning);
        } else {
            self.unlisted += 1;
            self.last = Some(warning);
        }
    }

    /// Notes that these sliders stand at their limits from the first of two times to the other (s): what goes on from a time that was noted
    /// before is one with it.
    pub(crate) fn not_unique(&mut self, names: Vec<String>, [from, to]: [f64; 2]) {
        let before = self.latest_first().find_map(|w| match w {
            Warning::SlidersNotUnique { sliders, to, .. } if *sliders == names => Some(to),
            _ => None,
        });
        match before {
            Some(end) if *end >= from - 1e-9 * from.abs() => *end = end.max(to),
            _ => self.push(Warning::SlidersNotUnique { sliders: names, from, to }),
        }
    }

    /// From the latest to the first, those that are not listed by the last of them alone.
    pub(crate) fn latest_first(&mut self) -> impl Iterator<Item = &mut Warning> {
        self.last.iter_mut().chain(self.listed.iter_mut().rev())
    }

    /// All that is told.
    pub(crate) fn told(&self) -> impl Iterator<Item = Warning> + '_ {
        let rest = self
            .last
            .iter()
            .map(|last| Warning::Unlisted { count: self.unlisted, last: Box::new(last.clone()) });
        self.listed.iter().cloned().chain(rest)
    }
}

impl Warning {
    /// From when on a solution is reported not to be unique, s.
    pub(crate) fn not_unique_from(&self) -> Option<f64> {
        if let Self::NotUnique { from, .. } = self { Some(*from) } else { None }
    }

    /// When it is about an instant, s: the first.
    pub fn time(&self) -> Option<f64> {
        match self {
            Self::NotUnique { from: time, .. }
            | Self::SlidersNotUnique { from: time, .. }
            | Self::ReachedTogether { time, .. }
            | Self::OrderDecides { time, .. }
            | Self::ImpactsTogether { time, .. }
            | Self::SeveralSolutions { first: time, .. }
            | Self::NearMiss { time }
            | Self::RestsAtLimit { time, .. }
            | Self::SlidersRestAtLimit { time, .. }
            | Self::GrazesRest { time, .. }
            | Self::FastDrive { time, .. }
            | Self::LiftsOff { time }
            | Self::WildArc { time, .. } => Some(*time),
            Self::Unlisted { last, .. } => last.time(),
            _ => None,
        }
    }

    /// Whether it tells of an instant at which the motion is sensitive to its load. Along one path of a noise the load comes
    /// that near to a limit again and again, by chance and for this path alone: what is computed from many paths has a limit
    /// all the same, and the doubt says nothing about it.
    pub fn is_sensitive_instant(&self) -> bool {
        match self {
            Self::NotUnique { .. }
            | Self::RestsAtLimit { .. }
            | Self::SlidersRestAtLimit { .. }
            | Self::GrazesRest { .. }
            | Self::NearMiss { .. } => true,
            Self::Unlisted { last, .. } => last.is_sensitive_instant(),
            _ => false,
        }
    }

    /// Whether it tells of an instant at which the motion of a network or a machine has no derivative. Whether what happens together goes on
    /// doing so is asked of each number.
    pub(crate) fn parts_neighbours(&self) -> bool {
        match self {
            Self::SlidersNotUnique { .. } | Self::OrderDecides { .. } => true,
            Self::Unlisted { last, .. } => last.parts_neighbours(),
            other => other.is_sensitive_instant(),
        }
    }

    /// What helps, where it can be said in general.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::NotUnique { from, to } if from == to => Some(Remedy::Perturb),
            Self::RestsAtLimit { .. } | Self::GrazesRest { .. } => Some(Remedy::Perturb),
            Self::NotUnique { .. } => Some(Remedy::ListSolutions),
            Self::SeveralSolutions { below, .. } if *below > 0.0 => Some(Remedy::ShortenStep),
            Self::LongSteps { .. } => Some(Remedy::ShortenStep),
            Self::SeveralSolutions { .. } => Some(Remedy::UseAdaptive),
            Self::NearMiss { .. } | Self::EnergyDefect { .. } | Self::WildArc { .. } => {
                Some(Remedy::TightenTolerances)
            }
            Self::Unlisted { last, .. } => last.remedy(),
            Self::ActiveLaw { .. }
            | Self::SlidersNotUnique { .. }
            | Self::SlidersRestAtLimit { .. }
            | Self::ReachedTogether { .. }
            | Self::OrderDecides { .. }
            | Self::ImpactsTogether { .. }
            | Self::StartsOutOfBalance { .. }
            | Self::LedFromElsewhere { .. }
            | Self::LiftsOff { .. }
            | Self::StartsBeyondLimit { .. }
            | Self::FastDrive { .. }
            | Self::WhiteNoise
            | Self::InexactSteps { .. } => None,
        }
    }
}

/// A number to two digits.
struct Digits(f64);

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded: f64 = format!("{:.1e}", self.0).parse().unwrap_or(self.0);
        write!(f, "{}", Short(rounded))
    }
}

/// When a load is at its limit: at one instant, or over a time.
fn at_limit(f: &mut fmt::Formatter<'_>, what: &str, from: f64, to: f64) -> fmt::Result {
    let from = Short(from).to_string();
    let to = Short(to).to_string();
    if from == to {
        return write!(
            f,
            "{what} touches the breakaway force at t = {from} s: the solution by the selection rule (no slip while |load| ≤ f_s) \
             does not depend continuously on the load here; with a slightly greater load slip begins"
        );
    }
    write!(
        f,
        "{what} stays exactly at the breakaway force from t = {from} s to t = {to} s: the solution by the selection rule (no \
         slip while |load| ≤ f_s) does not depend continuously on the load here; with a slightly greater load slip begins at \
         one of these instants"
    )
}

impl Warning {
    /// Its text where the problem itself is in doubt.
    fn fmt_problem(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUnique { from, to } => at_limit(f, "the load", *from, *to),
            Self::SlidersNotUnique { sliders, from, to } => {
                let s = if sliders.len() > 1 { "s" } else { "" };
                let what = format!("the load on the slider{s} {}", sliders.join(", "));
                at_limit(f, &what, *from, *to)?;
                f.write_str("; a slightly smaller or greater load decides")
            }
            Self::ReachedTogether { sliders, time } => write!(
                f,
                "the sliders {} reach their breakaway forces at the same instant t = {} s, to 10⁻¹⁰ of them: which of them \
                 gives way first cannot be decided, and a slightly different load may lead to another motion",
                sliders.join(", "),
                Short(*time)
            ),
            Self::OrderDecides { sliders, time } => write!(
                f,
                "the sliders {} come to rest or give way at the same instant t = {} s: which of them is first decides what \
                 they do next, and a slightly different load may lead to another motion",
                sliders.join(", "),
                Short(*time)
            ),
            Self::ImpactsTogether { stops, time } => write!(
                f,
                "the impacts at the stops {} at t = {} s are taken together; one after the other they lead to other velocities, \
                 and a slightly different start may lead to another motion",
                stops.join(", "),
                Short(*time)
            ),
            Self::StartsOutOfBalance { node, distance, energy } => write!(
                f,
                "the node `{node}` has no mass and starts where its forces do not balance: it jumps by {} m at \
                 t = 0 s, and {} J are lost; start it in balance, or give it a mass",
                Short(*distance),
                Short(*energy)
            ),
            Self::GrazesRest { time, margin } => write!(
                f,
                "at t = {} s the load is within {} of the sliding friction (relative to both) as the mass comes to rest: the \
                 velocity only touches zero there, and the solution by the selection rule does not depend continuously on \
                 the load here; a slightly smaller load stops the mass, a slightly greater one lets it slip on",
                Short(*time),
                Digits(*margin)
            ),
            Self::LiftsOff { time } => write!(
                f,
                "the normal force falls below zero at t = {} s: the mass lifts off its surface, and the run ends there",
                Short(*time)
            ),
            Self::LedFromElsewhere { start, lead } => write!(
                f,
                "the prescribed displacement of the cascade begins at {} m, but the cascade starts at {} m: \
                 it jumps there at t = 0, and its elements are loaded or slip on the way; if it should begin there, set \
                 its initial displacement to {} m",
                Short(*lead),
                Short(*start),
                Short(*lead)
            ),
            Self::WhiteNoise => f.write_str(
                "white noise acts on friction that is greater at rest than in slip: as the step becomes shorter, the \
                 distribution of displacement and velocity and the dissipated energy approach limits that no longer depend \
                 on the static friction, but the share of time in stick and the number of slips depend on the step and fall \
                 to zero, and slips last longer and longer; use filtered noise if static friction matters",
            ),
            _ => self.fmt_scheme(f),
        }
    }

    /// Its text where the scheme is in doubt.
    fn fmt_scheme(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SeveralSolutions { count, first, below } if *below > 0.0 => write!(
                f,
                "the friction weakens with the velocity: {count} steps from t = {} s on had several solutions, and the one \
                 nearest to the velocity before was taken; with a step below {} s there is only one",
                Short(*first),
                Short(*below)
            ),
            Self::SeveralSolutions { count, first, .. } => write!(
                f,
                "the friction weakens infinitely fast near rest: {count} steps from t = {} s on had several solutions, and \
                 the one nearest to the velocity before was taken; no step is small enough, so use the scheme adaptive",
                Short(*first)
            ),
            Self::NearMiss { time } => write!(
                f,
                "near t = {} s the motion comes closer to an event than the tolerance can tell: the event may have been \
                 missed; tighten rtol and atol to decide, or change the model a little where the scheme has none",
                Short(*time)
            ),
            Self::SlidersRestAtLimit { sliders, time, margin } => write!(
                f,
                "at t = {} s the {} {} to rest under a load within {:.1e} of the breakaway force: this scheme cannot decide \
                 whether to stick or to slip on, and the motion after it is uncertain",
                Short(*time),
                if sliders.len() > 1 { "sliders" } else { "slider" },
                sliders.join(", ") + if sliders.len() > 1 { " come" } else { " comes" },
                margin
            ),
            Self::RestsAtLimit { time, margin } => write!(
                f,
                "at t = {} s the mass comes to rest under a load within {:.1e} of the breakaway force: this scheme cannot decide \
                 whether it sticks or slips on; the solution by the selection rule may not depend continuously on the load \
                 here, and the motion after it is uncertain",
                Short(*time),
                margin.abs()
            ),
            Self::StartsBeyondLimit { load, limit } => write!(
                f,
                "the run starts under a load of {} N, beyond the breakaway force of {} N, but the quasi-static scheme has no \
                 inertia that could decide where the mass goes from there: start it in stick, or use exact",
                Short(*load),
                Short(*limit)
            ),
            Self::FastDrive { time, share } => write!(
                f,
                "the drive is too fast for the quasi-static scheme: in the slip at t = {} s it moves by {} times \
                 the size of the slip, so slips may merge, turn back or come at other times; use exact",
                Short(*time),
                Digits(*share)
            ),
            Self::ActiveLaw { slider: None, condition } => {
                write!(f, "the numbers of the friction law let it give out energy: {condition}")
            }
            Self::ActiveLaw { slider: Some(slider), condition } => {
                write!(
                    f,
                    "the numbers of the friction law of `{slider}` let it give out energy: {condition}"
                )
            }
            Self::EnergyDefect { defect } => write!(
                f,
                "the energies of the run balance only to {defect:.1e} of all that was converted, where rtol asks for better: \
                 the steps are too long for the motion, or something happened between them; tighten rtol and atol"
            ),
            Self::LongSteps { step, defect } => write!(
                f,
                "steps of {} s are too long for this motion: {:.0} % of the energy that passed through the system is lost or \
                 created by the scheme",
                Short(*step),
                100.0 * defect
            ),
            Self::WildArc { time, excess } => write!(
                f,
                "near t = {} s the motion changes too fast for its dense output (residual {excess:.1e} times the tolerance): an \
                 event may have been missed there; tighten rtol and atol or smooth the load",
                Short(*time)
            ),
            Self::InexactSteps { inexact, steps, worst_residual } => write!(
                f,
                "{inexact} of {steps} steps were solved only to a relative residual of {worst_residual:.1e}"
            ),
            Self::Unlisted { count, last } => {
                let (s, are) = if *count == 1 { ("", "is") } else { ("s", "are") };
                write!(f, "{count} more warning{s} like this {are} not listed, the last: {last}")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_problem(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred are listed; of the others their number is told, and the last.
    #[test]
    fn warnings_that_are_not_listed_are_counted() {
        let told = |count: usize| -> Vec<Warning> {
            let mut warnings = Warnings::default();
            (0..count).for_each(|i| warnings.push(Warning::NearMiss { time: i as f64 }));
            warnings.told().collect()
        };
        assert_eq!((told(0).len(), told(99).len(), told(100).len()), (0, 99, 100));
        assert!(told(100).iter().all(|w| matches!(w, Warning::NearMiss { .. })));
        let all = told(250);
        assert_eq!(all.len(), 101);
        let last = Warning::NearMiss { time: 249.0 };
        assert_eq!(all[100], Warning::Unlisted { count: 150, last: Box::new(last.clone()) });
        let text = all[100].to_string();
        assert_eq!(text, format!("150 more warnings like this are not listed, the last: {last}"));
        assert!(all[100].is_sensitive_instant() && all[100].time() == Some(249.0));
        assert_eq!(all[100].remedy(), last.remedy());
        assert!(told(101)[100].to_string().starts_with("1 more warning like this is not listed"));
    }

    #[test]
    fn numbers_have_six_digits() {
        for (number, text) in [
            (34.824_982_368_307_6, "34.825"),
            (0.003_605_836_480_765_28, "0.00360584"),
            (0.5, "0.5"),
            (0.0, "0"),
            (-3.0, "-3"),
            (123_456.7, "123457"),
            (1.234_567e9, "1.23457e9"),
            (2.5e-7, "2.5e-7"),
        ] {
            assert_eq!(Short(number).to_string(), text);
        }
        let error = crate::Error::NotFinite { time: 34.824_982_368_307_6, step: 1.0 / 3.0 };
        assert!(error.to_string().contains("at t = 34.825 s"), "{error}");
        assert!(error.to_string().contains("the step 0.333333 s"), "{error}");
        // Schemes without steps of a fixed length have none that could be too large.
        let error = crate::Error::NotFinite { time: 3.0, step: 0.0 }.to_string();
        assert!(!error.contains("step") && error.contains("magnitudes"), "{error}");
        // Instants that are printed alike are one.
        let touch = Warning::NotUnique { from: 34.824_982_368_307_6, to: 34.824_982_368_307_61 };
        assert!(touch.to_string().contains("touches the breakaway force at t = 34.825 s"));
    }
}
