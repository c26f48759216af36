//! A network made ready for steps of one length, for any number of paths.

use super::account::{Account, NetworkRun, Observe, Step, stored, stretch};
use super::convex_step::{Given, Kinematics, OneStep, solved};
use crate::error::{Error, require};
use crate::grid::step_count;
use crate::interrupt::Interrupt;
use crate::model::Network;
use crate::motion::{Counts, Energy};
use crate::signal::{Read, Signal};
use std::borrow::Cow;
use std::sync::Arc;

/// A network made ready for the θ-method with steps of one length: its unknowns are ordered and the pattern of their
/// matrix is analysed once. Each [`run`](Self::run) then follows one path, to which forces of its own may be added.
///
/// A clone shares what was prepared, so an ensemble gives one to each of its workers. A path does not depend on the
/// paths that were run before it.
///
/// ```
/// use stickslip::{Signal, model::Network, scheme::network::Prepared};
/// # fn main() -> Result<(), stickslip::Error> {
/// let network = Network::builder().node("a", 1.0).slider("s", "a", "ground", 1.0, 1.0).build()?;
/// let mut prepared = Prepared::new(&network, 0.01, 1.0)?;
/// for force in [0.5, 1.5] {
///     let mut x = 0.0;
///     prepared.run(1.0, &[(0, Signal::constant(force))], |_, u, _, _, _| x = u[0])?;
///     assert_eq!(x > 0.0, force > 1.0);
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Prepared {
    network: Arc<Network>,
    step: f64,
    one: OneStep,
    /// How far the signals of the network have been checked, s.
    checked: f64,
}

impl Prepared {
    /// Prepares `network` for steps of length `step` (s) by the θ-method, ½ ≤ `theta` ≤ 1; 1 is implicit Euler.
    ///
    /// # Errors
    /// If `step` is not a finite time > 0 s or `theta` is outside its range.
    pub fn new(network: &Network, step: f64, theta: f64) -> Result<Self, Error> {
        let one = one_step(network, step, theta)?;
        Ok(Self { network: Arc::new(network.clone()), step, one, checked: 0.0 })
    }

    /// The network and its step.
    pub(super) fn into_parts(self) -> (Arc<Network>, OneStep) {
        (self.network, self.one)
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Follows one path on [0, `end`] (s), streaming (n, x, ẋ, λ, slip) at t_n, n = 0 … N, to `observe`. The forces
    /// `extra` (node, N) act beside those of the network. Nothing is kept, and nothing allocated after the start. At
    /// n = 0 no friction is known.
    ///
    /// # Errors
    /// If a signal does not cover the run, a node does not exist, or the motion leaves the range of finite numbers.
    pub fn run(
        &mut self,
        end: f64,
        extra: &[(usize, Signal)],
        mut observe: impl FnMut(usize, &[f64], &[f64], &[f64], &[i8]),
    ) -> Result<NetworkRun, Error> {
        // An ensemble runs thousands of paths to one end: the signals are checked once.
        if self.checked != end {
            self.network.check_until(end)?;
            self.checked = end;
        }
        march(&self.network, &mut self.one, end, self.step, extra, &mut observe)
    }
}

/// Of `network` for steps of length `step` (s) by the θ-method.
pub(super) fn one_step(network: &Network, step: f64, theta: f64) -> Result<OneStep, Error> {
    require("the step", step, step > 0.0, "a finite time > 0 s")?;
    require("theta", theta, (0.5..=1.0).contains(&theta), "a number from 0.5 to 1")?;
    OneStep::new(network, step, theta)
}

/// Follows a path of `network`, which has been checked, by its step `one` on [0, `end`] with steps `h` (s).
pub(super) fn march(
    network: &Network,
    one: &mut OneStep,
    end: f64,
    h: f64,
    extra: &[(usize, Signal)],
    observe: Observe<'_>,
) -> Result<NetworkRun, Error> {
    let count = step_count(end, h)?;
    let sums = sums(network, extra, end)?;
    let mut forces: Vec<_> = sums.iter().map(|(i, f)| (*i, f.cursor())).collect();
    let mut normals: Vec<_> = normals(network).map(|(e, n)| (e, n.cursor())).collect();
    // Few nodes are prescribed: they are looked up once, not in every step.
    let prescribed: Vec<_> = motions(network).collect();
    let mut loads = Loads::new(network);
    let account = Account::new(network, one.sliders());
    let n = network.nodes().len();
    let mut u = Kinematics::at_start(network);
    set_out(network, one, 0.0, &mut u);
    let mut report = NetworkRun { counts: Counts::of_steps(count), ..NetworkRun::default() };
    let start = stored(network, &u);
    let mut next = u.clone();
    observe(0, &u.x[..n], &u.v[..n], &one.lambda, &one.signs);
    let interrupt = Interrupt::current();
    for k in 1..=count {
        let span = [(k - 1) as f64 * h, k as f64 * h];
        interrupt.check(span[0])?;
        let readers = forces.iter_mut().map(|(i, f)| (*i, f));
        loads.read(
            span,
            readers,
            prescribed.iter().copied(),
            normals.iter_mut().map(|(e, n)| (*e, n)),
        );
        let given = loads.given();
        let outcome = one.advance(network, &u, &mut next, &given);
        report.counts.iterations += outcome.iterations;
        report.counts.inexact += usize::from(!solved(&outcome));
        report.counts.note_residual(outcome.relative_residual());
        let forces = given.forces;
        let lambda = &one.lambda[..];
        account.add(Step { from: &u, to: &next, forces, lambda, h }, &mut report.energy);
        // Two states in turn, so that no step allocates.
        std::mem::swap(&mut u, &mut next);
        observe(k, &u.x[..n], &u.v[..n], &one.lambda, &one.signs);
    }
    let stop = stored(network, &u);
    let Energy { kinetic, elastic, .. } = &mut report.energy;
    (*kinetic, *elastic) = (stop.0 - start.0, stop.1 - start.1);
    let finite = u.x.iter().chain(&u.v).all(|v| v.is_finite());
    if finite && report.counts.worst_residual.is_finite() {
        Ok(report)
    } else {
        Err(Error::NotFinite { time: end, step: h })
    }
}

/// The force on each node that has one, the network's and those of the path.
fn sums<'a>(
    network: &'a Network,
    extra: &[(usize, Signal)],
    end: f64,
) -> Result<Vec<(usize, Cow<'a, Signal>)>, Error> {
    let nodes = network.nodes();
    let zero = Signal::default();
    let mut loaded: Vec<bool> = nodes.iter().map(|n| n.force != zero).collect();
    for (node, force) in extra {
        let known = *node < nodes.len();
        require("the number of a force's node", *node as f64, known, "one of the nodes")?;
        force.require_domain("force", 0.0, end)?;
        loaded[*node] = true;
    }
    let loaded = nodes.iter().enumerate().zip(&loaded).filter(|n| *n.1);
    let mut sums: Vec<_> = loaded.map(|((i, n), _)| (i, Cow::Borrowed(&n.force))).collect();
    for (node, force) in extra {
        // The list is in the order of the nodes, and each of these is in it, since it has just been marked as loaded.
        if let Ok(k) = sums.binary_search_by_key(node, |s| s.0) {
            let sum = std::mem::take(&mut sums[k].1).into_owned() + force.clone();
            sums[k].1 = Cow::Owned(sum);
        }
    }
    // A path may cancel the network's own force; what is zero need not be read.
    sums.retain(|s| *s.1 != zero);
    Ok(sums)
}

/// The value and the slope with which a signal arrives at `t`.
pub(crate) fn just_before(signal: &Signal, t: f64) -> (f64, f64) {
    let knots = signal.knots();
    let piece = knots.partition_point(|k| k.time < t).saturating_sub(1);
    // Only a knot exactly at t makes arriving there different from setting out.
    if knots.get(piece + 1).is_none_or(|next| next.time != t) {
        return (signal.value(t), signal.derivative(t));
    }
    let [value, slope, ..] = signal.nth_piece(piece).derivatives(t);
    (value, slope)
}

/// Puts a run at `t` (s) with nothing of what was before: prescribed nodes go where they are led, and sliders that move slip.
pub(super) fn set_out(network: &Network, one: &mut OneStep, t: f64, u: &mut Kinematics) {
    for (i, motion) in motions(network) {
        (u.x[i], u.v[i]) = (motion.value(t), motion.derivative(t));
    }
    one.restart();
    // Only now, for a restart takes every slider for one at rest.
    for (sign, s) in one.signs.iter_mut().zip(network.sliders()) {
        let v = stretch(&u.v, s.between());
        *sign = (v > 0.0) as i8 - (v < 0.0) as i8;
    }
}

/// The nodes of `network` on which it puts forces.
pub(super) fn forces(network: &Network) -> impl Iterator<Item = (usize, &Signal)> {
    let loaded = network.nodes().iter().enumerate().filter(|(_, n)| !n.force.is_zero());
    loaded.map(|(i, n)| (i, &n.force))
}

/// The prescribed nodes of `network`.
pub(super) fn motions(network: &Network) -> impl Iterator<Item = (usize, &Signal)> {
    network.nodes().iter().enumerate().filter_map(|(i, n)| Some((i, n.motion.as_ref()?)))
}

/// The sliders of `network` with a normal force.
pub(super) fn normals(network: &Network) -> impl Iterator<Item = (usize, &Signal)> {
    network.sliders().iter().enumerate().filter_map(|(e, s)| Some((e, s.normal.as_ref()?)))
}

/// What is given during a step.
#[derive(Debug, Clone)]
pub(super) struct Loads {
    /// The loaded nodes with their forces at the start and at the end of the step.
    forces: Vec<(usize, f64, f64)>,
    /// The prescribed nodes with their places and velocities at its end.
    motion: Vec<(usize, f64, f64)>,
    /// What the forces of the sliders are multiplied by; empty if no normal force is given.
    normal: Vec<f64>,
}

impl Loads {
    /// Room for those of `network`.
    pub fn new(network: &Network) -> Self {
        let nodes = network.nodes().len();
        let presses = normals(network).next().is_some();
        Self {
            // A path may bring forces of its own: with room for every node none of its steps has to allocate.
            forces: Vec::with_capacity(nodes),
            motion: Vec::with_capacity(nodes),
            normal: vec![1.0; if presses { network.sliders().len() } else { 0 }],
        }
    }

    /// Reads the step over `[t, t_next]` (s). Signals may jump or bend at the ends of a step: what counts is their course
    /// inside.
    pub fn read<'a>(
        &mut self,
        [t, t_next]: [f64; 2],
        forces: impl Iterator<Item = (usize, impl Read)>,
        motions: impl Iterator<Item = (usize, &'a Signal)>,
        normals: impl Iterator<Item = (usize, impl Read)>,
    ) {
        self.forces.clear();
        self.forces.extend(forces.map(|(i, mut force)| {
            let start = force.value(t); // in order of time, for readers that do not go back
            (i, start, force.before(t_next))
        }));
        self.motion.clear();
        self.motion.extend(motions.map(|(i, motion)| {
            let (x, v) = just_before(motion, t_next);
            (i, x, v)
        }));
        for (e, mut normal) in normals {
            // Friction is taken at the end of the step, and so is what presses; where N touches zero its rounding may
            // be negative.
            self.normal[e] = normal.before(t_next).max(0.0);
        }
    }

    pub fn given(&self) -> Given<'_> {
        Given { forces: &self.forces, motion: &self.motion, normal: &self.normal }
    }
}

#[cfg(test)]
mod tests {
    use super::super::theta_method;
    use super::*;

    /// Three masses in a row, with sliders to the ground (a chain) or also between them (the general problem).
    fn network(between: bool) -> Network {
        let mut b = Network::builder();
        for (i, limit) in [0.3, 0.5, 0.4].into_iter().enumerate() {
            let name = format!("n{i}");
            let slider = format!("s{i}");
            b = b.node(&name, 1.0).slider(slider, &name, "ground", limit, 0.7 * limit);
            if i > 0 {
                let before = format!("n{}", i - 1);
                b = b.spring(&before, &name, 5.0);
                if between {
                    b = b.slider(format!("t{i}"), &before, &name, 0.2, 0.15);
                }
            }
        }
        b.force("n1", Signal::harmonic(0.8, 2.0, 0.1)).build().unwrap()
    }

    /// Every path of a prepared network, in any order, has the bits of a run that prepares for it alone.
    #[test]
    fn paths_do_not_depend_on_the_paths_before() {
        type Rows = Vec<(Vec<f64>, Vec<f64>, Vec<f64>, Vec<i8>)>;
        let times: Vec<f64> = (0..=40).map(|i| 0.1 * f64::from(i)).collect();
        let wild = |seed: f64| {
            let values: Vec<f64> = times.iter().map(|t| (seed + 70.0 * t * t).sin()).collect();
            Signal::sampled(&times, &values).unwrap()
        };
        for between in [false, true] {
            let network = network(between);
            let mut prepared = Prepared::new(&network, 0.01, 1.0).unwrap();
            let mut other = prepared.clone();
            for seed in [1.0, 2.0, 3.0, 1.0] {
                let extra = [(0, wild(seed)), (2, wild(seed + 0.5)), (1, wild(-seed))];
                let mut known = network.clone();
                extra.iter().for_each(|(i, f)| known.push(*i, f.clone()));
                let keep = |rows: &mut Rows, (x, v): (&[f64], &[f64]), l: &[f64], s: &[i8]| {
                    rows.push((x.to_vec(), v.to_vec(), l.to_vec(), s.to_vec()));
                };
                let mut alone = Rows::new();
                let mut again = Rows::new();
                let want = theta_method::run(&known, 4.0, 0.01, 1.0, |_, x, v, l, s| {
                    keep(&mut alone, (x, v), l, s);
                });
                let one = if seed == 2.0 { &mut other } else { &mut prepared };
                let found = one.run(4.0, &extra, |_, x, v, l, s| keep(&mut again, (x, v), l, s));
                assert_eq!(found.unwrap(), want.unwrap());
                assert!(alone == again && alone.iter().any(|row| row.3.contains(&1)));
            }
        }
    }

    #[test]
    fn a_force_on_no_node_is_refused() {
        let mut prepared = Prepared::new(&network(false), 0.01, 1.0).unwrap();
        let run = prepared.run(1.0, &[(3, Signal::constant(1.0))], |_, _, _, _, _| ());
        assert!(run.unwrap_err().to_string().contains("node"));
        let short = Signal::sampled(&[0.0, 0.5], &[0.0, 1.0]).unwrap();
        assert!(prepared.run(1.0, &[(0, short)], |_, _, _, _, _| ()).is_err());
        assert!(Prepared::new(&network(false), f64::NAN, 1.0).is_err());
        assert!(Prepared::new(&network(false), 0.1, 0.4).is_err());
    }
}
