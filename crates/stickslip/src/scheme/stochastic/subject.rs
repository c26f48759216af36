//! One path of any model that has a time-stepping view, as statistics want to see it.

use super::{PathId, Rule, refined, run};
use crate::error::Error;
use crate::model::{NoisyCascade, NoisyNetwork, NoisyOscillator, Place};
use crate::motion::State;
use crate::scheme::cascade::walk_implicit_euler;
use crate::scheme::network;
use crate::signal::noise::Noise;

/// What moves under noise.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// One mass.
    Oscillator(Box<NoisyOscillator>),
    /// Bastien's cascade: the mass is watched, and every element.
    Cascade(NoisyCascade),
    /// A network: every node is watched, and every slider.
    Network(NoisyNetwork),
}

/// What a contact did in the step before.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rub {
    /// How far it slid, m.
    pub slide: f64,
    /// What friction took, J.
    pub lost: f64,
    /// Whether it is at rest now.
    pub rests: bool,
}

impl From<NoisyOscillator> for Subject {
    fn from(model: NoisyOscillator) -> Self {
        Self::Oscillator(Box::new(model))
    }
}

impl From<NoisyCascade> for Subject {
    fn from(model: NoisyCascade) -> Self {
        Self::Cascade(model)
    }
}

impl From<NoisyNetwork> for Subject {
    fn from(model: NoisyNetwork) -> Self {
        Self::Network(model)
    }
}

impl Subject {
    /// Names of the points that are watched; one without a name where there is no other.
    pub fn points(&self) -> Vec<String> {
        match self {
            Self::Oscillator(_) | Self::Cascade(_) => vec![String::new()],
            Self::Network(m) => m.network.nodes().iter().map(|n| n.name.clone()).collect(),
        }
    }

    /// Which points have a mass, so that their velocity is a state.
    pub fn have_mass(&self) -> Vec<bool> {
        match self {
            Self::Oscillator(_) | Self::Cascade(_) => vec![true],
            Self::Network(m) => m.network.nodes().iter().map(|n| n.mass > 0.0).collect(),
        }
    }

    /// Whether some of its noises are white.
    pub fn has_white_noise(&self) -> bool {
        match self {
            Self::Oscillator(m) => m.noises.iter().any(|n| n.1.is_white()),
            Self::Cascade(m) => m.noises.iter().any(Noise::is_white),
            Self::Network(m) => m.noises.iter().any(|n| n.1.is_white()),
        }
    }

    /// Names of the contacts: of an oscillator one without, of a cascade the elements' numbers from 1.
    pub fn contacts(&self) -> Vec<String> {
        match self {
            Self::Oscillator(_) => vec![String::new()],
            Self::Cascade(m) => (1..=m.cascade.elements()).map(|i| i.to_string()).collect(),
            Self::Network(m) => m.network.sliders().iter().map(|s| s.name.clone()).collect(),
        }
    }

    /// How its paths advance, by the scheme's name in files.
    pub fn scheme(&self, rule: Rule) -> &'static str {
        match (rule, self) {
            (Rule::ExplicitSign, _) => "sign-euler",
            (Rule::Law, Self::Oscillator(_)) => "euler",
            (Rule::Law, Self::Cascade(_) | Self::Network(_)) => "implicit-euler",
        }
    }

    /// Whether it has no noise, so that all paths are the same.
    pub fn is_known(&self) -> bool {
        match self {
            Self::Oscillator(m) => m.noises.is_empty(),
            Self::Cascade(m) => m.noises.is_empty(),
            Self::Network(m) => m.noises.is_empty(),
        }
    }

    /// Checks every number, that the signals cover [0, end] (s), and that `rule` has a meaning.
    pub fn check_until(&self, end: f64, rule: Rule) -> Result<(), Error> {
        match self {
            Self::Oscillator(m) => m.check_until(end),
            Self::Cascade(m) => {
                if rule == Rule::ExplicitSign {
                    return Err(Error::Unsuitable {
                        scheme: "sign-euler",
                        reason: "the elements of a cascade have no mass, so there is no velocity before the \
                                 step whose sign could be taken; their rule is the resolvent's"
                            .into(),
                    });
                }
                m.check_until(end)
            }
            Self::Network(m) => {
                if rule == Rule::ExplicitSign {
                    network::check_sign(&m.network)?;
                }
                m.check_until(end)
            }
        }
    }

    /// Follows path `id` on [0, `end`] (s) with steps `step` (s): `see` gets n, the points and the contacts
    /// at t_n, n = 0 … N. Nothing is kept but the noise of this path. Returns the number of steps
    /// whose one-step problem was not solved to its tolerance.
    ///
    /// Oscillators go by [`run`](super::run()), cascades by scheme (4.1), networks by implicit Euler:
    /// resolvent Euler–Maruyama with the white noise's impulses, the values of filtered noises, or,
    /// with [`Rule::ExplicitSign`], the friction of the velocity before.
    pub fn walk(
        &self,
        id: PathId,
        end: f64,
        step: f64,
        rule: Rule,
        mut see: impl FnMut(usize, &[State], &[Rub]),
    ) -> Result<usize, Error> {
        match self {
            Self::Oscillator(m) => oscillator(m, id, (end, step), rule, see).map(|()| 0),
            Self::Cascade(m) => {
                let cascade = m.known(id, end, step)?;
                let mut rubs = vec![Rub { rests: true, ..Rub::default() }; cascade.elements()];
                let counts = walk_implicit_euler(&cascade, end, step, |n, u, _, slides| {
                    if n > 0 {
                        for ((rub, &slide), force) in
                            rubs.iter_mut().zip(slides).zip(&cascade.threshold)
                        {
                            let lost = force * slide.abs();
                            *rub = Rub { slide, lost, rests: slide == 0.0 };
                        }
                    }
                    see(n, &[State { x: u.x, v: u.v }], &rubs);
                })?;
                Ok(counts.inexact)
            }
            Self::Network(m) => {
                let network = m.known(id, end, step)?;
                let mut states = vec![State::default(); network.nodes().len()];
                let mut rubs = vec![Rub::default(); network.sliders().len()];
                let mut before = vec![0.0; rubs.len()];
                let look = |n: usize, x: &[f64], v: &[f64], lambda: &[f64], signs: &[i8]| {
                    for ((u, &x), &v) in states.iter_mut().zip(x).zip(v) {
                        *u = State { x, v };
                    }
                    for (e, s) in network.sliders().iter().enumerate() {
                        let at = |end: Option<usize>| end.map_or(0.0, |i| x[i]);
                        let now = at(s.between[0]) - at(s.between[1]);
                        // In an implicit step that ends at rest nothing slid: what rounding leaves is no
                        // slip. An explicit one slides with the velocity before, wherever it ends.
                        let still = n == 0 || (rule == Rule::Law && signs[e] == 0);
                        let slide = if still { 0.0 } else { now - before[e] };
                        let lost = lambda[e] * slide;
                        rubs[e] = Rub { slide, lost, rests: signs[e] == 0 };
                        before[e] = now;
                    }
                    see(n, &states, &rubs);
                };
                match rule {
                    Rule::Law => {
                        network::run(&network, end, step, 1.0, look).map(|r| r.counts.inexact)
                    }
                    Rule::ExplicitSign => {
                        network::run_sign_euler(&network, end, step, look).map(|_| 0)
                    }
                }
            }
        }
    }
}

/// The friction of an oscillator of any law, as its velocity relative to the support has it.
fn oscillator(
    model: &NoisyOscillator,
    id: PathId,
    (end, step): (f64, f64),
    rule: Rule,
    mut see: impl FnMut(usize, &[State], &[Rub]),
) -> Result<(), Error> {
    if model.is_plain() && model.noises.iter().all(|n| n.0 != Place::Support) {
        let (sliding, mut v) = (model.oscillator.friction.sliding(), 0.0);
        return run(model, id, end, step, rule, |n, u| {
            let slide = step * v;
            v = u.v;
            see(n, &[u], &[Rub { slide, lost: sliding * slide.abs(), rests: v == 0.0 }]);
        });
    }
    // Only its support and normal force are read here; the scheme makes its own of the rest.
    let known = refined(model, id, end, step)?;
    let mut support = known.support.cursor();
    let mut normal = known.normal.as_ref().map(|n| n.cursor());
    let law = &known.friction;
    let (mut w, mut n_before) = (0.0, 1.0);
    run(model, id, end, step, rule, |n, u| {
        let t = n as f64 * step;
        // X⁺ = X + h V: what it slid in the step before, it slid with the velocity before.
        let slide = if n == 0 { 0.0 } else { step * w };
        let friction = if w == 0.0 { 0.0 } else { n_before * law.force(w, w.abs()) };
        let lost = friction * slide.abs();
        w = u.v - support.value(t);
        n_before = normal.as_mut().map_or(1.0, |s| s.value(t).max(0.0));
        see(n, &[u], &[Rub { slide, lost, rests: w == 0.0 }]);
    })
}
