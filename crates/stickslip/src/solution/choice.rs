//! The scheme of a problem for which none is named.

use super::Scheme;
use crate::error::{Error, Obstacle};
use crate::model::{Cascade, Hysteretic, Impact, Machine, Model, Network, Oscillator};
use crate::scheme::oscillator::{adaptive, exact};
use crate::scheme::{impact, machine, network};

/// A scheme that was chosen for a model, and why it is not the usual one.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// How the model is advanced.
    pub scheme: Scheme,
    /// What the scheme `exact` cannot treat, in words; without it `exact` was chosen, or what a step asks for.
    pub because: Option<String>,
}

impl Choice {
    fn usual(scheme: Scheme) -> Self {
        Self { scheme, because: None }
    }
}

impl Scheme {
    /// A scheme that can treat `model` where none is named: closed forms wherever there are any, whatever else treats
    /// the model to a tolerance or exactly otherwise. `step` (s) is a time step that is known; a network with one is
    /// advanced by it.
    ///
    /// ```
    /// use stickslip::{Law, Oscillator, Scheme};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// let of = |law| Scheme::suited_to(&Oscillator::new(1.0, 1.0, law).into(), None);
    /// assert_eq!(of(Law::static_dynamic(1.2, 1.0)?)?.scheme, Scheme::Exact);
    /// let chosen = of(Law::stribeck_exponential(1.2, 1.0, 0.1, 1.0, 0.0)?)?;
    /// assert_eq!(chosen.scheme.name(), "adaptive");
    /// let why = "the friction depends on the velocity or on the time at rest";
    /// assert_eq!(chosen.because.as_deref(), Some(why));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsuitable`] where only a scheme with a step can treat the model and no step is known.
    pub fn suited_to(model: &Model, step: Option<f64>) -> Result<Choice, Error> {
        match model {
            Model::Oscillator(o) => Ok(for_oscillator(o)),
            Model::Cascade(c) => for_cascade(c, step),
            Model::Network(n) => for_network(n, step),
            Model::Impact(i) => for_impact(i, step),
            Model::Machine(m) => Ok(for_machine(m)),
            Model::Planar(_) => Ok(Choice::usual(Scheme::Adaptive(adaptive::Options::default()))),
            Model::Hysteretic(h) => Ok(for_hysteretic(h)),
            // Files of slabs have always been able to leave out the scheme and give a step.
            Model::Isolated(_) => Ok(Choice::usual(match step {
                Some(step) => Scheme::ImplicitEuler { step },
                None => Scheme::Adaptive(adaptive::Options::default()),
            })),
        }
    }
}

fn for_oscillator(o: &Oscillator) -> Choice {
    match exact::obstacle(o) {
        None => Choice::usual(Scheme::Exact),
        because => Choice { scheme: Scheme::Adaptive(adaptive::Options::default()), because },
    }
}

fn for_cascade(c: &Cascade, step: Option<f64>) -> Result<Choice, Error> {
    let functions = c.force.has_functions();
    if c.displacement.is_some() {
        let because = Some("the displacement of the mass is prescribed".to_owned());
        return Ok(Choice { scheme: Scheme::QuasiStatic, because });
    }
    if functions {
        return stepped(NO_CLOSED_FORM, step, |step| Scheme::ImplicitEuler { step });
    }
    Ok(Choice::usual(Scheme::Exact))
}

fn for_network(n: &Network, step: Option<f64>) -> Result<Choice, Error> {
    // Files of networks have always been able to leave out the scheme and give a step.
    if let Some(step) = step {
        return Ok(Choice::usual(Scheme::ImplicitEuler { step }));
    }
    match network::exact_obstacle(n) {
        None => Ok(Choice::usual(Scheme::Exact)),
        Some(because) => stepped(&because, step, |step| Scheme::ImplicitEuler { step }),
    }
}

fn for_machine(m: &Machine) -> Choice {
    // Where `exact` can treat it, too, it takes longer: it is for those who name it.
    let because = machine::exact_obstacle(m).map(str::to_owned);
    Choice { scheme: Scheme::Adaptive(adaptive::Options::default()), because }
}

fn for_hysteretic(h: &Hysteretic) -> Choice {
    let because = Some(h.beyond_oscillators().to_owned());
    Choice { scheme: Scheme::Adaptive(adaptive::Options::default()), because }
}

fn for_impact(i: &Impact, step: Option<f64>) -> Result<Choice, Error> {
    if impact::is_closed(i) {
        return Ok(Choice::usual(Scheme::Exact));
    }
    stepped(NO_CLOSED_FORM, step, |step| Scheme::Moreau { step })
}

const NO_CLOSED_FORM: &str = "a load is a function without a closed form";

/// A scheme with a step, because of what stands in the way of `exact`.
fn stepped(
    because: &str,
    step: Option<f64>,
    scheme: impl Fn(f64) -> Scheme,
) -> Result<Choice, Error> {
    match step {
        Some(step) => Ok(Choice { scheme: scheme(step), because: Some(because.to_owned()) }),
        None => Err(Error::Unsuitable {
            scheme: "exact",
            reason: Obstacle::NeedsStep { part: because.to_owned() },
        }),
    }
}
