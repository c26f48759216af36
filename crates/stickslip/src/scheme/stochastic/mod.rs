//! Time stepping under noise (Bensoussan et al. 2021, §3.3.2, Bastien, Bernardin, Lamarque 2013, §1.4).
//!
//! Four schemes, by their [`Rule`]s. In all of them ΔL is the impulse of white forces over the step and filtered noises enter
//! by their values at the ends of the step; both are exact in law. The contact's law answers by its resolvent where it has
//! one, by the two-phase rule where f_s > f_d.
//!
//! [`Rule::Theta`], the usual one, and [`Rule::ImplicitEuler`] are the θ-method ([`theta`], θ = ½ and 1) with
//! ΔL/M added to p. With θ = ½ the state of a linear model has exactly the stationary law that the equation of
//! Lyapunov gives, whatever the step, the damping and the number of nodes: nothing is driven and nothing is damped by
//! the steps. Under Ornstein–Uhlenbeck noise it has that of a noise with the same variance and the rate
//! (2/h) tanh(r h/2); under Kanai–Tajimi noise likewise.
//!
//! [`Rule::Euler`] is the scheme of Bensoussan et al. 2021 for one mass, bit for bit:
//!
//! ```text
//! X⁺ = X + h V
//! p  = V + (h/m) b + ΔL/m,      b = K (d(t_n) + noise − X) − c V + f(t_n) + noise
//! V⁺ = the law's answer to p
//! ```
//!
//! Its explicit spring gains ω²h/2 each second, against the c/2m of the damping. [`Rule::ExplicitSign`] puts the friction of
//! the velocity before, V⁺ = p − (h/m) f_d sign V: the scheme that a deterministic or filtered load makes chatter,
//! for comparison.
//!
//! [`run`] follows one path and is the reference, to the last bit, for the paths side by side of
//! [`lanes`](crate::lanes) and [`study::ensemble`](crate::study::ensemble). Elementary functions are
//! those of [`portable`](crate::portable), so a path does not depend on the machine.

mod bias;
mod bundle;
mod covariance;
mod load;
mod walker;

pub use crate::scheme::contact_step::ContactStep;
pub use bias::warnings;
pub use walker::{Walker, check, walk};

pub(crate) use bundle::{Bundle, Request, Tally};
pub(crate) use load::{Load, NoiseChunk, NoiseStates};

use crate::error::{Error, Obstacle};
use crate::grid::step_count;
use crate::instructions::Instructions;
use crate::law::{Law, TwoForces};
use crate::model::{Model, NoisyOscillator, Oscillator, Problem};
use crate::motion::{Grid, State, Trajectory};
use crate::scheme::machine::theta_method::paths;
use crate::scheme::oscillator::euler::{self, phases};
use crate::scheme::oscillator::theta_step::ThetaStep;
use crate::scheme::oscillator::{implicit_euler, sign as usual_sign, theta};
pub use crate::signal::noise::PathId;
use crate::signal::noise::{CHUNK, Group};

/// How the paths advance in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Rule {
    /// The θ-method with θ = ½, the friction at the end of the step; for every kind of model.
    #[default]
    Theta,
    /// The explicit Euler scheme of the papers with the friction at the end of the step; for oscillators.
    Euler,
    /// Implicit Euler; of cascades scheme (4.1) of Bastien, Lamarque 2007.
    ImplicitEuler,
    /// Explicit Euler with the friction −f_d sign of the velocity before; for oscillators and networks.
    ExplicitSign,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Theta, Self::Euler, Self::ImplicitEuler, Self::ExplicitSign];

    /// The name of the scheme in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Theta => "theta",
            Self::Euler => "euler",
            Self::ImplicitEuler => "implicit-euler",
            Self::ExplicitSign => "sign-euler",
        }
    }

    /// θ, of the schemes that have one.
    pub fn theta(self) -> Option<f64> {
        match self {
            Self::Theta => Some(0.5),
            Self::ImplicitEuler => Some(1.0),
            Self::Euler | Self::ExplicitSign => None,
        }
    }

    /// The rules by which paths of `model` can advance, the usual one first.
    pub fn of(model: &Model) -> &'static [Self] {
        use Rule::{Euler, ExplicitSign, ImplicitEuler, Theta};
        match model {
            Model::Oscillator(_) => &[Theta, Euler, ImplicitEuler, ExplicitSign],
            Model::Network(_) => &[Theta, ImplicitEuler, ExplicitSign],
            Model::Cascade(_) => &[Theta, ImplicitEuler],
            Model::Hysteretic(h) if h.body().is_some_and(|b| b.mass > 0.0) => &[ImplicitEuler],
            Model::Machine(m) if paths::denied(m).is_none() => &[Theta, ImplicitEuler],
            Model::Planar(_) | Model::Isolated(_) => &[ImplicitEuler],
            Model::Impact(_) | Model::Machine(_) | Model::Hysteretic(_) => &[],
        }
    }
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
    // The quick path is for two constant forces on the ground; every other model takes the general step, with its noise read
    // in advance.
    if !model.is_plain() {
        return run_known(problem, id, step, rule, &mut observe);
    }
    let load = Load::new(&model, step, rule)?;
    let march = Path { model, load: &load, id, count };
    let last = match rule.theta() {
        // The coefficients of the step are computed once: on this path they are the same in every step.
        Some(theta) => {
            let step = ThetaStep::new(model.oscillator, step, theta);
            march.answered(Middle(step), step.push, observe)
        }
        None => {
            let start = Start::new(model.oscillator, step);
            if rule == Rule::ExplicitSign {
                let sliding = start.h_over_m * model.oscillator.friction.sliding();
                // The friction of the velocity before, relative to the support at that time: it may push a mass at
                // rest, and does.
                march.follow(start, observe, |p, v, s| p - sliding * sign(v - s[0]))
            } else {
                march.answered(start, start.h_over_m, observe)
            }
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
        reason: Obstacle::NoOscillator { kind: problem.kind() },
    })
}

/// Other laws, loads and supports: the noise of the path made known, and the scheme of such
/// models. Keeps the noise of the whole path. One copy serves whoever looks: such a step costs far more than a call.
fn run_known(
    problem: &Problem,
    id: PathId,
    step: f64,
    rule: Rule,
    observe: &mut dyn FnMut(usize, State),
) -> Result<(), Error> {
    // With its noise known the model is an oscillator like any other, and the scheme for these is the reference.
    let known = problem.known(id, step)?;
    let o = oscillator_of(&known)?.oscillator;
    match rule {
        Rule::Theta => theta::run(o, problem.end, step, 0.5, observe),
        Rule::ImplicitEuler => implicit_euler::run(o, problem.end, step, observe),
        Rule::Euler => euler::run(o, problem.end, step, observe),
        Rule::ExplicitSign => usual_sign::run_sign_euler(o, problem.end, step, observe),
    }
}

/// sign with sign 0 = 0.
#[inline(always)]
pub(crate) fn sign(v: f64) -> f64 {
    if v == 0.0 { 0.0 } else { 1f64.copysign(v) }
}

/// The law sees the velocity relative to that of the `support` at the end of the step; given are those at both ends.
#[inline(always)]
fn answer(law: impl TwoForces, p: f64, h_over_m: f64, support: [f64; 2]) -> f64 {
    law.advance(p - support[1], h_over_m) + support[1]
}

/// One path to be followed.
struct Path<'a> {
    model: NoisyOscillator<'a>,
    load: &'a Load,
    id: PathId,
    count: usize,
}

/// One step without friction: from x and v, the known load where the scheme looks at it, the random force at both ends of the
/// step (N) and the impulse (N·s).
trait Advance {
    /// p, m/s.
    fn free(&self, u: State, known: f64, force: [f64; 2], impulse: f64) -> f64;

    /// X⁺ − X, m.
    fn way(&self, v: f64, next: f64) -> f64;
}

/// The forces at the start of the step.
#[derive(Clone, Copy)]
struct Start {
    h: f64,
    k: f64,
    c: f64,
    h_over_m: f64,
    inverse_mass: f64,
}

impl Start {
    fn new(o: &Oscillator, h: f64) -> Self {
        let h_over_m = h / o.mass;
        let inverse_mass = 1.0 / o.mass;
        Self { h, k: o.stiffness, c: o.damping, h_over_m, inverse_mass }
    }
}

impl Advance for Start {
    fn free(&self, u: State, known: f64, [before, _]: [f64; 2], impulse: f64) -> f64 {
        let b = known + before - self.k * u.x - self.c * u.v;
        u.v + self.h_over_m * b + self.inverse_mass * impulse
    }

    fn way(&self, v: f64, _: f64) -> f64 {
        self.h * v
    }
}

/// The forces between the start and the end of the step.
#[derive(Clone, Copy)]
struct Middle(ThetaStep);

impl Advance for Middle {
    fn free(&self, u: State, known: f64, [before, after]: [f64; 2], impulse: f64) -> f64 {
        let load = known + self.0.between(before, after);
        self.0.free(u.x, u.v, load) + self.0.kick * impulse
    }

    fn way(&self, v: f64, next: f64) -> f64 {
        self.0.way(v, next)
    }
}

impl Path<'_> {
    /// The law answers, `lambda` being the velocity that a force of 1 N gives in a step, m/s.
    fn answered(
        &self,
        step: impl Advance,
        lambda: f64,
        observe: impl FnMut(usize, State),
    ) -> State {
        match &self.model.oscillator.friction {
            Law::Coulomb(law) => self.follow(step, observe, |p, _, s| answer(*law, p, lambda, s)),
            Law::StaticDynamic(law) => {
                self.follow(step, observe, |p, _, s| answer(*law, p, lambda, s))
            }
            // Two constant forces only come here; the general step answers for them too.
            law => self.follow(step, observe, |p, v, s| {
                law.step(p - s[1], lambda, 0.0, v - s[0]).w + s[1]
            }),
        }
    }

    /// `answer(p, V, support before and after)` is V⁺.
    fn follow(
        &self,
        step: impl Advance,
        mut observe: impl FnMut(usize, State),
        answer: impl Fn(f64, f64, [f64; 2]) -> f64,
    ) -> State {
        let o = self.model.oscillator;
        let load = self.load;
        let group = Group { seed: self.id.seed, paths: [self.id.path] };
        // One lane: the same code makes the noise of paths side by side, so that the bits are the same.
        let mut states_of_noise = load.states_of_noise::<1>();
        let mut noise = NoiseChunk::new();
        let mut known = load.known();
        let mut u = State::from(o.initial);
        observe(0, u);
        for n in 0..self.count {
            let i = n % CHUNK;
            // Noise is made for many steps at once: the generator and the filters run over arrays.
            if i == 0 {
                let chunk = (n / CHUNK) as u64;
                let on = Instructions::Portable;
                load.make(on, &group, chunk, &mut states_of_noise, &mut noise);
                known.chunk(chunk);
            }
            // A chunk of noise has the values at both of its ends, so that the last step needs nothing of the next
            // chunk.
            let force = [noise.force[i][0], noise.force[i + 1][0]];
            let p = step.free(u, known.values[i], force, noise.impulse[i][0]);
            // The friction answers relative to the support at the end of the step; the usual sign looks at the start.
            let support = [noise.support[i][0], noise.support[i + 1][0]];
            let v = answer(p, u.v, support);
            u = State { x: u.x + step.way(u.v, v), v };
            observe(n + 1, u);
        }
        u
    }
}
