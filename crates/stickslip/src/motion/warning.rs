//! What a path should not be read without.

use crate::error::Remedy;
use std::fmt;

/// A doubt about a path that is no error. Its text says what, when, and what to do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// The load stays at the breakaway force while leaving is possible: any instant will do.
    NotUnique {
        /// First and last such instant, s (equal when the load only touches the limit).
        from: f64,
        /// See `from`.
        to: f64,
    },
    /// The same for sliders of a network that stick and can only leave together.
    SlidersNotUnique {
        /// Their names.
        sliders: Vec<String>,
        /// First and last such instant, s (equal when the load only touches the limit).
        from: f64,
        /// See `from`.
        to: f64,
    },
    /// Sliders of a network that pass their loads on to each other reach their breakaway forces at the same instant.
    ReachedTogether {
        /// Their names.
        sliders: Vec<String>,
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
    /// The relative velocity or the load came closer to an event than the tolerance can tell.
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
    /// The energies of the whole run do not balance to its tolerance.
    EnergyDefect {
        /// What is missing over all the energy that was turned over.
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
}

impl Warning {
    /// From when on a solution is reported not to be unique, s.
    pub(crate) fn not_unique_from(&self) -> Option<f64> {
        if let Self::NotUnique { from, .. } = self { Some(*from) } else { None }
    }

    /// What helps, where it can be said in general.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::NotUnique { from, to } if from == to => Some(Remedy::Perturb),
            Self::RestsAtLimit { .. } => Some(Remedy::Perturb),
            Self::NotUnique { .. } => Some(Remedy::ListSolutions),
            Self::SeveralSolutions { below, .. } if *below > 0.0 => Some(Remedy::ShortenStep),
            Self::SeveralSolutions { .. } => Some(Remedy::UseAdaptive),
            Self::NearMiss { .. } | Self::EnergyDefect { .. } | Self::WildArc { .. } => {
                Some(Remedy::TightenTolerances)
            }
            Self::SlidersNotUnique { .. }
            | Self::ReachedTogether { .. }
            | Self::StartsOutOfBalance { .. }
            | Self::InexactSteps { .. } => None,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUnique { from, to } if from == to => write!(
                f,
                "the load touches the breakaway force at t = {from} s: the solution is not unique (it may also leave there)"
            ),
            Self::NotUnique { from, to } => write!(
                f,
                "the load stays exactly at the breakaway force from t = {from} s to t = {to} s: the solution is not unique \
                 from t = {from} s on"
            ),
            Self::SlidersNotUnique { sliders, from, to } => {
                let names = sliders.join(", ");
                let s = if sliders.len() > 1 { "s" } else { "" };
                if from == to {
                    write!(
                        f,
                        "the load on the slider{s} {names} touches the breakaway force at t = {from} s: the solution is not unique \
                         (slip may also begin there); a slightly smaller or greater load decides"
                    )
                } else {
                    write!(
                        f,
                        "the load on the slider{s} {names} stays exactly at the breakaway force from t = {from} s to t = {to} s: the \
                         solution is not unique from t = {from} s on (slip may begin at any instant); a slightly smaller or \
                         greater load decides"
                    )
                }
            }
            Self::ReachedTogether { sliders, time } => write!(
                f,
                "the sliders {} reach their breakaway forces at the same instant t = {time} s, to rounding: which of them give \
                 way is decided with all held at their limits, and a slightly different load may go on otherwise",
                sliders.join(", ")
            ),
            Self::StartsOutOfBalance { node, distance, energy } => write!(
                f,
                "the node `{node}` has no mass and starts where its forces do not balance: it jumps by {distance} m at \
                 t = 0 s, and {energy} J are lost; start it in balance, or give it a mass"
            ),
            Self::SeveralSolutions { count, first, below } if *below > 0.0 => write!(
                f,
                "the friction weakens with the velocity: {count} steps from t = {first} s on had several solutions (the one \
                 nearest to the last velocity was taken); with a step below {below} s there is one"
            ),
            Self::SeveralSolutions { count, first, .. } => write!(
                f,
                "the friction weakens infinitely fast near rest: {count} steps from t = {first} s on had several solutions \
                 (the one nearest to the last velocity was taken), and no step is small enough; use the scheme adaptive"
            ),
            Self::NearMiss { time } => write!(
                f,
                "near t = {time} s the motion comes closer to an event than the tolerance can tell: it may have been missed; \
                 tighten rtol and atol to decide"
            ),
            Self::RestsAtLimit { time, margin } => write!(
                f,
                "at t = {time} s the mass comes to rest under a load within {:.1e} of the breakaway force, which is closer than \
                 this scheme knows it: it may as well slip on, and the motion after it differs",
                margin.abs()
            ),
            Self::EnergyDefect { defect } => write!(
                f,
                "the energies of the run balance to {defect:.1e} of what was turned over only, which is worse than its tolerance: \
                 something may have happened between the steps"
            ),
            Self::WildArc { time, excess } => write!(
                f,
                "near t = {time} s the motion is too wild for its dense output (residual {excess:.1e} times the tolerance): an \
                 event may have been missed there; tighten rtol and atol or smooth the load"
            ),
            Self::InexactSteps { inexact, steps, worst_residual } => write!(
                f,
                "{inexact} of {steps} steps were solved to a relative residual of {worst_residual:.1e} only"
            ),
        }
    }
}
