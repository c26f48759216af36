//! One path of any model that has a time-stepping view, as statistics want to see it.

use super::{Bundle, PathId, Request, Rule, oscillator_of, run};
use crate::error::{Error, Obstacle};
use crate::grid::step_count;
use crate::instructions::Instructions;
use crate::interrupt::Interrupt;
use crate::model::{Hysteretic, Machine, Model, Network, Place, Problem};
use crate::motion::State;
use crate::scheme::contact_step::ContactStep;
use crate::scheme::isolated;
use crate::scheme::machine::theta_method::paths;
use crate::scheme::memory::fixed;
use crate::scheme::network::{self, Prepared};
use crate::scheme::planar::euler_steps as planar;
use crate::signal::Signal;
use crate::signal::noise::Group;

/// An error unless paths of a contact with memory can advance by `rule`.
fn check_bristle(h: &Hysteretic, rule: Rule) -> Result<(), Error> {
    let refused = match h.body() {
        None => "the displacement of an [element] is given, and no noise acts on it",
        Some(body) if body.mass == 0.0 => {
            "without a mass the velocity follows from a balance of forces, which has no steps under noise; give a mass"
        }
        Some(_) if rule == Rule::ImplicitEuler => return Ok(()),
        Some(_) => {
            let part = h.beyond_oscillators();
            let schemes = "paths advance by `implicit-euler`";
            let reason = Obstacle::Part { part, schemes };
            return Err(Error::Unsuitable { scheme: rule.name(), reason });
        }
    };
    Err(Error::NotOffered { what: ENSEMBLE, reason: refused.into() })
}

/// An error unless paths of a machine can advance by `rule`.
fn check_machine(m: &Machine, rule: Rule) -> Result<(), Error> {
    if let Some(part) = paths::denied(m) {
        let reason = format!(
            "{part}, so that paths of this network do not advance in steps; make its noises known, one path at a time"
        );
        return Err(Error::NotOffered { what: ENSEMBLE, reason });
    }
    if rule.theta().is_some() {
        return Ok(());
    }
    let schemes = "paths advance by `theta` and `implicit-euler`";
    let reason = Obstacle::Part { part: m.beyond_networks(), schemes };
    Err(Error::Unsuitable { scheme: rule.name(), reason })
}

/// What is not offered where a model has no paths that advance in steps.
const ENSEMBLE: &str = "an ensemble of paths";

/// Checks `problem`, and that its paths can advance by `rule`.
///
/// # Errors
/// If the problem is not well posed, or `rule` has no meaning for its model.
pub fn check(problem: &Problem, rule: Rule) -> Result<(), Error> {
    match (&problem.model, rule) {
        (Model::Oscillator(o), _) if o.has_rigid_stops() => {
            let reason = Obstacle::RigidStops.to_string();
            return Err(Error::NotOffered { what: ENSEMBLE, reason });
        }
        (Model::Oscillator(_), _) => {}
        (Model::Cascade(_), Rule::ExplicitSign) => {
            return Err(Error::Unsuitable {
                scheme: "sign-euler",
                reason: Obstacle::ElementsWithoutMass,
            });
        }
        (Model::Network(n), Rule::ExplicitSign) => network::check_sign(n)?,
        (Model::Cascade(_) | Model::Network(_), Rule::Euler) => {
            return Err(Error::Unsuitable { scheme: "euler", reason: Obstacle::OneMassOnly });
        }
        (Model::Cascade(_) | Model::Network(_), Rule::Theta | Rule::ImplicitEuler) => {}
        (Model::Hysteretic(h), _) => check_bristle(h, rule)?,
        (Model::Machine(m), _) => check_machine(m, rule)?,
        (Model::Planar(_) | Model::Isolated(_), Rule::ImplicitEuler) => {}
        (Model::Planar(_) | Model::Isolated(_), _) => {
            let part = "friction is a vector here, which the steps of the other schemes for paths do not know";
            let schemes = "paths advance by `implicit-euler`";
            let reason = Obstacle::Part { part, schemes };
            return Err(Error::Unsuitable { scheme: rule.name(), reason });
        }
        (Model::Impact(_), _) => {
            return Err(Error::NotOffered {
                what: ENSEMBLE,
                reason: "paths of a mass between walls do not advance in steps of friction; make its noises \
                         known, one path at a time"
                    .into(),
            });
        }
    }
    problem.check()
}

/// Follows path `id` of `problem` with steps `step` (s): `observe` gets n, the points and the contacts at
/// t_n, n = 0 … N. Nothing is kept but the noise of this path. Returns the number of steps whose one-step
/// problem was not solved to its tolerance.
///
/// Oscillators go by [`run`], cascades by scheme (4.1), its projection as the play of each element, networks and machines by the θ-method or implicit Euler: resolvent
/// Euler–Maruyama with the white noise's impulses, the values of filtered noises, or, with
/// [`Rule::ExplicitSign`], the friction of the velocity before. For many paths see [`Walker`].
///
/// # Errors
/// As [`check`], or if `step` does not fit the run.
pub fn walk(
    problem: &Problem,
    id: PathId,
    step: f64,
    rule: Rule,
    observe: impl FnMut(usize, &[State], &[ContactStep]),
) -> Result<usize, Error> {
    Walker::new(problem, step, rule)?.walk(id, observe)
}

/// Follows the paths of a problem one after the other. A clone shares what was prepared.
#[derive(Debug, Clone)]
pub struct Walker<'a> {
    problem: &'a Problem,
    step: f64,
    rule: Rule,
    /// Of a cascade or a small network.
    bundle: Option<Bundle<'a, 1>>,
    /// Of another network.
    prepared: Option<Prepared>,
}

impl<'a> Walker<'a> {
    /// Does once what all paths of `problem` with steps `step` (s) have in common.
    ///
    /// # Errors
    /// As [`walk`].
    pub fn new(problem: &'a Problem, step: f64, rule: Rule) -> Result<Self, Error> {
        check(problem, rule)?;
        // A single path is not worth the wide instructions, and their absence changes no bit.
        let request = Request { step, rule, level: f64::INFINITY, on: Instructions::Portable };
        let bundle = Bundle::new(problem, request)?;
        let prepared = match (&problem.model, rule) {
            // An explicit step needs no matrix, so there is nothing to prepare.
            (Model::Network(n), _) if bundle.is_none() => {
                rule.theta().map(|theta| Prepared::new(n, step, theta)).transpose()?
            }
            _ => None,
        };
        Ok(Self { problem, step, rule, bundle, prepared })
    }

    /// Follows path `id`: see [`walk`].
    ///
    /// # Errors
    /// If the motion leaves the range of finite numbers.
    pub fn walk(
        &mut self,
        id: PathId,
        observe: impl FnMut(usize, &[State], &[ContactStep]),
    ) -> Result<usize, Error> {
        let problem = self.problem;
        let step = self.step;
        let rule = self.rule;
        if let Some(bundle) = &mut self.bundle {
            return alone(problem, id, step, bundle, observe);
        }
        match &problem.model {
            Model::Network(n) => {
                let mut watch = Watch::new(n, rule, observe);
                let look = |n: usize, x: &[f64], v: &[f64], lambda: &[f64], signs: &[i8]| {
                    watch.look(n, x, v, lambda, signs);
                };
                match &mut self.prepared {
                    Some(prepared) => {
                        let forces = node_forces(problem, id, step)?;
                        prepared.run(problem.end, &forces, look).map(|r| r.counts.inexact)
                    }
                    None => {
                        let known = problem.known(id, step)?;
                        // Making the noises known changes signals only; the model stays a network.
                        let n = known.model.as_network().unwrap_or(n);
                        network::run_sign_euler(n, problem.end, step, look).map(|_| 0)
                    }
                }
            }
            Model::Oscillator(_) => oscillator(problem, id, step, rule, observe).map(|()| 0),
            _ => known(problem, id, step, rule, observe),
        }
    }
}

/// The noises of one path on the nodes of a network, made known.
fn node_forces(problem: &Problem, id: PathId, step: f64) -> Result<Vec<(usize, Signal)>, Error> {
    let all = problem.realized(id, step)?.into_iter();
    let on_nodes = all.filter_map(|(place, force)| match place {
        Place::Node(node) => Some((node, force)),
        _ => None,
    });
    Ok(on_nodes.collect())
}

/// Follows a path that could go side by side with others.
fn alone(
    problem: &Problem,
    id: PathId,
    step: f64,
    bundle: &mut Bundle<'_, 1>,
    mut observe: impl FnMut(usize, &[State], &[ContactStep]),
) -> Result<usize, Error> {
    let count = step_count(problem.end, step)?;
    bundle.restart(Group { seed: id.seed, paths: [id.path] }, 1);
    let mut states: Vec<State> = (0..problem.points().len()).map(|p| bundle.state(p, 0)).collect();
    let mut contacts = vec![ContactStep::default(); bundle.contact_count()];
    let mut look = |n: usize, bundle: &mut Bundle<'_, 1>| {
        states.iter_mut().enumerate().for_each(|(p, u)| *u = bundle.state(p, 0));
        for (e, c) in contacts.iter_mut().enumerate() {
            let contact = bundle.contact(e);
            // Nobody asks for the durations of slips here, and they would pile up.
            contact.ended.clear();
            let (slide, lost) = contact.last(0);
            *c = ContactStep { slide, lost, rests: contact.rest[0] != 0.0 };
        }
        observe(n, &states, &contacts);
    };
    look(0, bundle);
    let interrupt = Interrupt::current();
    for steps in interrupt.ranges(count) {
        for n in steps {
            // Step by step, as the observer wants to see each; side by side paths go whole chunks at a time.
            bundle.advance(n as u64 + 1);
            look(n + 1, bundle);
        }
    }
    interrupt.check(problem.end)?;
    if states.iter().all(|u| u.x.is_finite() && u.v.is_finite()) {
        Ok(bundle.inexact(0) as usize)
    } else {
        Err(Error::NotFinite { time: problem.end, step })
    }
}

/// The nodes and contacts of a network as statistics want to see them.
struct Watch<'a, F> {
    network: &'a Network,
    rule: Rule,
    states: Vec<State>,
    contacts: Vec<ContactStep>,
    before: Vec<f64>,
    observe: F,
}

impl<'a, F: FnMut(usize, &[State], &[ContactStep])> Watch<'a, F> {
    fn new(network: &'a Network, rule: Rule, observe: F) -> Self {
        let nodes = network.nodes().len();
        let sliders = network.sliders().len();
        let states = vec![State::default(); nodes];
        let contacts = vec![ContactStep::default(); sliders];
        Self { network, rule, states, contacts, before: vec![0.0; sliders], observe }
    }

    fn look(&mut self, n: usize, x: &[f64], v: &[f64], lambda: &[f64], signs: &[i8]) {
        for ((u, &x), &v) in self.states.iter_mut().zip(x).zip(v) {
            *u = State { x, v };
        }
        for (e, s) in self.network.sliders().iter().enumerate() {
            let at = |end: Option<usize>| end.map_or(0.0, |i| x[i]);
            let now = at(s.between()[0]) - at(s.between()[1]);
            // Where an implicit step ends at rest, and one of θ = ½ begins there too, nothing slid: what rounding
            // leaves is no slip. An explicit one slides with the velocity before, wherever it ends.
            let rested = match self.rule {
                Rule::ImplicitEuler => signs[e] == 0,
                Rule::Theta => signs[e] == 0 && self.contacts[e].rests,
                Rule::Euler | Rule::ExplicitSign => false,
            };
            let still = n == 0 || rested;
            let slide = if still { 0.0 } else { now - self.before[e] };
            let lost = lambda[e] * slide;
            self.contacts[e] = ContactStep { slide, lost, rests: signs[e] == 0 };
            self.before[e] = now;
        }
        (self.observe)(n, &self.states, &self.contacts);
    }
}

/// How far a contact slides in a step `h` (s) at the velocity `w` before it and `next` after it.
fn way(rule: Rule, h: f64, w: f64, next: f64) -> f64 {
    // Explicit steps go with the velocity before.
    let theta = rule.theta().unwrap_or(0.0);
    if theta == 0.0 { h * w } else { (1.0 - theta) * h * w + theta * h * next }
}

/// Follows a path of a model whose steps know no noise: its values on this path are made loads first.
fn known(
    problem: &Problem,
    id: PathId,
    step: f64,
    rule: Rule,
    mut observe: impl FnMut(usize, &[State], &[ContactStep]),
) -> Result<usize, Error> {
    let known = problem.known(id, step)?;
    match &known.model {
        Model::Machine(m) => paths::run(m, problem.end, step, rule.theta().unwrap_or(1.0), observe),
        Model::Isolated(slab) => isolated::run(slab, problem.end, step, observe),
        // Neither solves a problem by iterations that could end too soon.
        Model::Hysteretic(h) => {
            fixed::run(h, problem.end, step, |n, u, did| observe(n, &[u], &[did])).map(|()| 0)
        }
        Model::Planar(p) => {
            planar::run(p, problem.end, step, |n, u, did| observe(n, &u, &[did])).map(|()| 0)
        }
        other => Err(Error::NotOffered { what: ENSEMBLE, reason: other.kind().into() }),
    }
}

/// The friction of an oscillator of any law, as its velocity relative to the support has it.
fn oscillator(
    problem: &Problem,
    id: PathId,
    step: f64,
    rule: Rule,
    mut observe: impl FnMut(usize, &[State], &[ContactStep]),
) -> Result<(), Error> {
    let model = oscillator_of(problem)?;
    if model.is_plain() && model.noises.iter().all(|n| n.place != Place::Support) {
        // Two constant forces on a ground at rest: while it slides the friction is f_d, and nothing else is to be
        // known.
        let sliding = model.oscillator.friction.sliding();
        let mut v = 0.0;
        return run(problem, id, step, rule, |n, u| {
            let slide = if n == 0 { 0.0 } else { way(rule, step, v, u.v) };
            v = u.v;
            let lost = sliding * slide.abs();
            observe(n, &[u], &[ContactStep { slide, lost, rests: v == 0.0 }]);
        });
    }
    // Only its support and normal force are read here; the scheme makes its own of the rest.
    let known = problem.known(id, step)?;
    let known = oscillator_of(&known)?.oscillator;
    let mut support = known.support.cursor();
    let mut normal = known.normal.as_ref().map(|n| n.cursor());
    let law = &known.friction;
    let mut w = 0.0;
    let mut n_before = 1.0;
    let mut x_before = known.initial.displacement;
    run(problem, id, step, rule, |n, u| {
        let t = n as f64 * step;
        let next = u.v - support.value(t);
        let slide = if n == 0 { 0.0 } else { way(rule, step, w, next) };
        let n_now = normal.as_mut().map_or(1.0, |s| s.value(t).max(0.0));
        // The resolvent takes the friction and the normal force of the end of the step, the usual sign those of its
        // start; both take the place before the step. With these very forces the energies balance step by step.
        let (speed, other, pressing) = match rule {
            Rule::ExplicitSign => (w, next, n_before),
            Rule::Theta | Rule::ImplicitEuler | Rule::Euler => (next, w, n_now),
        };
        // In a step that comes to rest friction is what stops the mass, which is not known here: it counts as it came.
        let during = if speed == 0.0 { other } else { speed };
        let friction = match during {
            0.0 => 0.0,
            _ => pressing * known.nonlinear.pressing(x_before) * law.force(during, during.abs()),
        };
        let lost = friction * slide.abs();
        w = next;
        n_before = n_now;
        x_before = u.x;
        observe(n, &[u], &[ContactStep { slide, lost, rests: w == 0.0 }]);
    })
}
