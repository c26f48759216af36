//! Time stepping under noise (Bensoussan et al. 2021, §3.3.2, Bastien, Bernardin, Lamarque 2013, §1.4).
//!
//! ```text
//! X⁺ = X + h V
//! p  = V + (h/m) b + ΔL/m,      b = K (d(t_n) + noise − X) − c V + f(t_n) + noise
//! V⁺ = the rule's answer to p
//! ```
//!
//! ΔL is the impulse of white forces over the step (exact in law), filtered noises enter by their
//! value at t_n (exact in law). [`Rule::Law`] answers as the contact does: by its resolvent where
//! it has one (Euler–Maruyama for a monotone inclusion), by the two-phase rule where f_s > f_d.
//! [`Rule::ExplicitSign`] puts the friction of the velocity before, V⁺ = p − (h/m) f_d sign V:
//! the scheme that a deterministic or filtered load makes chatter, for comparison.
//!
//! [`run`] follows one path and is the reference, to the last bit, for the paths side by side of
//! [`lanes`](crate::lanes) and [`study::ensemble`](crate::study::ensemble). Elementary functions are
//! those of [`portable`](crate::portable), so a path does not depend on the machine.

mod bundle;
mod load;
mod walker;

pub use walker::{ContactStep, Walker, check, scheme_name, walk};

pub(crate) use bundle::{Bundle, Request, Tally};
pub(crate) use load::{Load, NoiseChunk, NoiseStates};

use crate::error::Error;
use crate::grid::step_count;
use crate::instructions::Instructions;
use crate::law::{Law, TwoForces};
use crate::model::{NoisyOscillator, Problem};
use crate::motion::{Grid, State, Trajectory};
use crate::scheme::oscillator::euler::{self, phases};
use crate::scheme::oscillator::sign as usual_sign;
pub use crate::signal::noise::PathId;
use crate::signal::noise::{CHUNK, Group};

/// How friction answers in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Rule {
    /// As the contact's law says: resolvent or two-phase rule.
    #[default]
    Law,
    /// Friction −f_d sign of the velocity before.
    ExplicitSign,
}

/// One path of an oscillator with steps `step` (s), as a trajectory in phases.
///
/// # Errors
/// If the problem is not well posed, or its model is not an oscillator.
pub fn solve(problem: &Problem, id: PathId, step: f64, rule: Rule) -> Result<Trajectory, Error> {
    let mut states = Vec::with_capacity(step_count(problem.end, step)? + 1);
    run(problem, id, step, rule, |_, state| states.push(state))?;
    Ok(phases(Grid { step, states }, problem.end))
}

/// The same, streaming (n, X_n, V_n), n = 0 … N, to `observe` and keeping nothing.
///
/// # Errors
/// As [`solve`].
pub fn run(
    problem: &Problem,
    id: PathId,
    step: f64,
    rule: Rule,
    mut observe: impl FnMut(usize, State),
) -> Result<(), Error> {
    check(problem, rule)?;
    let model = oscillator_of(problem)?;
    let count = step_count(problem.end, step)?;
    if !model.is_plain() {
        return run_known(problem, id, step, rule, &mut observe);
    }
    let load = Load::new(&model, step)?;
    let h_over_m = step / model.oscillator.mass;
    let march = Path { model, load: &load, id, count };
    let last = match (rule, &model.oscillator.friction) {
        (Rule::Law, Law::Coulomb(law)) => {
            march.follow(observe, |p, _, s| answer(*law, p, h_over_m, s))
        }
        (Rule::Law, Law::StaticDynamic(law)) => {
            march.follow(observe, |p, _, s| answer(*law, p, h_over_m, s))
        }
        // Two constant forces only come here; the general step answers for them too.
        (Rule::Law, law) => {
            march.follow(observe, |p, v, s| law.step(p - s.1, h_over_m, 0.0, v - s.0).w + s.1)
        }
        (Rule::ExplicitSign, law) => {
            let sliding = h_over_m * law.sliding();
            march.follow(observe, |p, v, s| p - sliding * sign(v - s.0))
        }
    };
    if last.x.is_finite() && last.v.is_finite() {
        Ok(())
    } else {
        Err(Error::NotFinite { time: problem.end, step })
    }
}

/// The oscillator of a problem, or an error.
fn oscillator_of(problem: &Problem) -> Result<NoisyOscillator<'_>, Error> {
    problem.noisy_oscillator().ok_or_else(|| Error::Unsuitable {
        scheme: "euler",
        reason: format!("it is a model of the kind {}, not an oscillator", problem.kind()),
    })
}

/// Other laws, loads and supports: the noise of the path made known, and the Euler scheme of such
/// models. Keeps the noise of the whole path. One copy serves whoever looks: such a step costs far more than a call.
fn run_known(
    problem: &Problem,
    id: PathId,
    step: f64,
    rule: Rule,
    observe: &mut dyn FnMut(usize, State),
) -> Result<(), Error> {
    let known = problem.known(id, step)?;
    let o = oscillator_of(&known)?.oscillator;
    match rule {
        Rule::Law => euler::run(o, problem.end, step, observe),
        Rule::ExplicitSign => usual_sign::run_sign_euler(o, problem.end, step, observe),
    }
}

/// sign with sign 0 = 0.
#[inline(always)]
pub(crate) fn sign(v: f64) -> f64 {
    if v == 0.0 { 0.0 } else { 1f64.copysign(v) }
}

/// The law sees the velocity relative to the support at the end of the step.
#[inline(always)]
fn answer(law: impl TwoForces, p: f64, h_over_m: f64, support: (f64, f64)) -> f64 {
    law.advance(p - support.1, h_over_m) + support.1
}

/// One path to be followed.
struct Path<'a> {
    model: NoisyOscillator<'a>,
    load: &'a Load,
    id: PathId,
    count: usize,
}

impl Path<'_> {
    /// `answer(p, V, support before and after)` is V⁺.
    fn follow(
        &self,
        mut observe: impl FnMut(usize, State),
        answer: impl Fn(f64, f64, (f64, f64)) -> f64,
    ) -> State {
        let (o, load) = (self.model.oscillator, self.load);
        let (h, k, c) = (load.step, o.stiffness, o.damping);
        let (h_over_m, inverse_mass) = (h / o.mass, 1.0 / o.mass);
        let group = Group { seed: self.id.seed, paths: [self.id.path] };
        let (mut states_of_noise, mut noise) = (load.states_of_noise::<1>(), NoiseChunk::new());
        let mut known = load.known();
        let mut u = State { x: o.initial.displacement, v: o.initial.velocity };
        observe(0, u);
        for n in 0..self.count {
            let i = n % CHUNK;
            if i == 0 {
                let chunk = (n / CHUNK) as u64;
                let on = Instructions::Portable;
                load.make(on, &group, chunk, &mut states_of_noise, &mut noise);
                known.chunk(chunk);
            }
            let b = known.values[i] + noise.force[i][0] - k * u.x - c * u.v;
            let p = u.v + h_over_m * b + inverse_mass * noise.impulse[i][0];
            let support = (noise.support[i][0], noise.support[i + 1][0]);
            u = State { x: u.x + h * u.v, v: answer(p, u.v, support) };
            observe(n + 1, u);
        }
        u
    }
}
