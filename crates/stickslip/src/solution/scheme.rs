//! One verb for every model and scheme.

use super::{Solution, cascade, impact, network, oscillator};
use crate::error::Error;
use crate::model::{Model, Problem};
use crate::scheme::adaptive;
use crate::scheme::impact::penalised::Penalty;

/// How a problem is advanced. Which schemes treat which kind of model: see [`Model::schemes`].
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
    /// The θ-method of networks.
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
    #[cfg(feature = "general-purpose")]
    GeneralPurpose {
        /// Which one.
        solver: crate::scheme::general_purpose::Solver,
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
            #[cfg(feature = "general-purpose")]
            Self::GeneralPurpose { solver, .. } => solver.name(),
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

/// Solves `problem` by `scheme`.
///
/// # Errors
/// If the problem is not well posed ([`Kind::Input`](crate::error::Kind)), has no solution, or does not suit the
/// scheme. Noises must have been made known first: see [`Problem::known`].
///
/// ```
/// use stickslip::{Cascade, Problem, Scheme, Signal, solve};
/// # fn main() -> Result<(), stickslip::Error> {
/// let c = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
///     .with_force(Signal::harmonic(2.5, 0.9, 0.0));
/// let solution = solve(&Problem::new(c, 20.0), &Scheme::Exact)?;
/// assert_eq!(solution.events.len(), 28);
/// let names: Vec<_> = solution.columns().iter().map(|c| c.name.as_str()).collect();
/// assert_eq!(names, ["x", "v", "force", "w1", "w2", "w3", "w4"]);
/// # Ok(()) }
/// ```
pub fn solve(problem: &Problem, scheme: &Scheme) -> Result<Solution, Error> {
    if !problem.noises.is_empty() {
        let reason = "it solves one path of the noises at a time; make them known first".to_owned();
        return Err(Error::Unsuitable { scheme: scheme.name(), reason });
    }
    match &problem.model {
        Model::Oscillator(o) => oscillator::solve(o, problem.end, scheme),
        Model::Cascade(c) => cascade::solve(c, problem.end, scheme),
        Model::Network(n) => network::solve(n, problem.end, scheme),
        Model::Impact(i) => impact::solve(i, problem.end, scheme),
    }
}

/// The error of a scheme that does not treat models of this `kind`, only `others` do.
pub(super) fn refuse(scheme: &Scheme, kind: &str, others: &[&str]) -> Error {
    let reason = format!("it is a model of the kind {kind}; use one of {}", others.join(", "));
    Error::Unsuitable { scheme: scheme.name(), reason }
}
