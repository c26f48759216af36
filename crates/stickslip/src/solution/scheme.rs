//! How a problem is advanced.

use crate::error::{Error, Obstacle};
use crate::scheme::impact::penalised::Penalty;
use crate::scheme::oscillator::adaptive;
use crate::scheme::stochastic::Rule;

/// How a problem is advanced. Which schemes treat which kind of model: see [`Model::schemes`](crate::Model::schemes).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Scheme {
    /// By events, to rounding.
    Exact,
    /// By events and steps, to a tolerance.
    Adaptive(adaptive::Options),
    /// Friction implicit, everything else explicit, with this step, s.
    Euler {
        /// h, s.
        step: f64,
    },
    /// Everything linear and friction implicit, with this step, s.
    ImplicitEuler {
        /// h, s.
        step: f64,
    },
    /// The θ-method of oscillators, networks and machines, with the friction at the end of the step.
    Theta {
        /// h, s.
        step: f64,
        /// θ, from ½ to 1.
        theta: f64,
    },
    /// Without inertia.
    QuasiStatic,
    /// The time steps of a cascade with the force by n clamps.
    Hysteresis {
        /// h, s.
        step: f64,
    },
    /// Time steps of a mass between rigid walls.
    Moreau {
        /// h, s.
        step: f64,
    },
    /// Walls of stiff springs.
    Penalised(Penalty),
    /// Explicit Euler with the sign function with sign(0) = 0, for comparison: it oscillates.
    SignEuler {
        /// h, s.
        step: f64,
    },
    /// Implicit Euler with the sign function with sign(0) = 0, for comparison: it soon has no next step.
    SignImplicit {
        /// h, s.
        step: f64,
    },
    /// A general-purpose solver with the sign function with sign(0) = 0, for comparison.
    GeneralPurpose {
        /// Which one.
        solver: crate::scheme::oscillator::general_purpose::Solver,
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance, m and m/s.
        atol: f64,
    },
}

impl Scheme {
    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Adaptive(_) => "adaptive",
            Self::Euler { .. } => "euler",
            Self::ImplicitEuler { .. } => "implicit-euler",
            Self::Theta { .. } => "theta",
            Self::QuasiStatic => "quasi-static",
            Self::Hysteresis { .. } => "hysteresis",
            Self::Moreau { .. } => "moreau",
            Self::Penalised(penalty) if penalty.engagement > 0.0 => "spring",
            Self::Penalised(_) => "yosida",
            Self::SignEuler { .. } => "sign-euler",
            Self::SignImplicit { .. } => "sign-implicit",
            Self::GeneralPurpose { solver, .. } => solver.name(),
        }
    }

    /// The rule by which paths under noise advance by it, if they do.
    pub fn rule(&self) -> Option<Rule> {
        match *self {
            Self::Theta { theta: 0.5, .. } => Some(Rule::Theta),
            Self::Euler { .. } => Some(Rule::Euler),
            Self::ImplicitEuler { .. } => Some(Rule::ImplicitEuler),
            Self::SignEuler { .. } => Some(Rule::ExplicitSign),
            _ => None,
        }
    }

    /// h (s) and θ of implicit Euler, whose θ is 1, and of the θ-method.
    pub(super) fn weighted(&self) -> Option<(f64, f64)> {
        match *self {
            Self::ImplicitEuler { step } => Some((step, 1.0)),
            Self::Theta { step, theta } => Some((step, theta)),
            _ => None,
        }
    }

    /// Its step, s, if it has one.
    pub fn step(&self) -> Option<f64> {
        match *self {
            Self::Euler { step }
            | Self::ImplicitEuler { step }
            | Self::Theta { step, .. }
            | Self::Hysteresis { step }
            | Self::Moreau { step }
            | Self::SignEuler { step }
            | Self::SignImplicit { step } => Some(step),
            _ => None,
        }
    }
}

/// The error of a scheme that does not treat models of this `kind`, only `others` do.
pub(super) fn refuse(
    scheme: &Scheme,
    kind: &'static str,
    others: &'static [&'static str],
) -> Error {
    let reason = Obstacle::Kind { kind, schemes: others };
    Error::Unsuitable { scheme: scheme.name(), reason }
}
