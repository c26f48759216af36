//! Networks with the sign function with sign(0) = 0, for comparison: it never comes to rest (Bastien, Bernardin, Lamarque
//! 2013, §1.2.2), so it cannot see where a solution is not unique, and its paths carry no warning of it.

use super::account::{Account, NetworkRun, Step, lost, stored, stretch};
use super::convex_step::Kinematics;
use super::paced::Node;
use super::theta_method::recorded;
use crate::error::{Error, Obstacle};
use crate::grid::step_count;
use crate::interrupt::Interrupt;
use crate::model::Network;
use crate::motion::{Counts, Event, NetworkPhase, NetworkState};
use crate::scheme::network::NetworkPath;
use crate::scheme::stepper::{Stepper, Stepping};
use crate::signal::Signal;
use std::sync::Arc;

/// Refuses what the scheme has no meaning for: a free node without mass has no velocity of its own, and its steps take each
/// mass by itself.
///
/// # Errors
/// [`Error::Unsuitable`] with the first such node.
pub fn check_sign(network: &Network) -> Result<(), Error> {
    if let Some(shared) = network.shared_masses().first() {
        let nodes = shared.between.map(|i| network.nodes()[i].name.to_string());
        let reason = Obstacle::SharedMass { nodes };
        return Err(Error::Unsuitable { scheme: "sign-euler", reason });
    }
    match network.nodes().iter().find(|n| n.mass == 0.0 && n.motion.is_none()) {
        None => Ok(()),
        Some(node) => Err(Error::Unsuitable {
            scheme: "sign-euler",
            reason: Obstacle::NodeWithoutMass { node: node.name.to_string() },
        }),
    }
}

/// [`run_sign_euler`] on [0, `end`] (s) with steps `step` (s), with its path and what it reports.
///
/// # Errors
/// As [`run_sign_euler`].
///
/// ```
/// use stickslip::{Network, scheme::network};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Each half swing against 1 N loses 2 m: 5.5, −3.5, 1.5, and at 0.5 m friction holds.
/// let n = Network::builder()
///     .node("mass", 1.0)
///     .starting_at("mass", 5.5, 0.0)
///     .spring("mass", "ground", 1.0)
///     .slider("contact", "mass", "ground", 1.0, 1.0)
///     .build()?;
/// let (path, _) = network::sign_euler(&n, 12.0, 1e-4)?;
/// assert!((path.state(12.0).x[0] - 0.5).abs() < 1e-2);
/// # Ok(()) }
/// ```
pub fn sign_euler(
    network: &Network,
    end: f64,
    step: f64,
) -> Result<(NetworkPath, NetworkRun), Error> {
    let mut report = NetworkRun::default();
    let path = recorded(network, end, step, |observe| {
        report = run_sign_euler(network, end, step, observe)?;
        Ok(())
    })?;
    Ok((path, report))
}

/// Explicit Euler with the friction of the velocity before, streaming (n, x, ẋ, λ, sign of each slider's
/// velocity) at t_n, n = 0 … N, to `observe`:
///
/// # Errors
/// If a number is outside its range, a signal too short, a free node has no mass, or the motion leaves the range of finite numbers.
///
/// ```text
/// X⁺ = X + hV,   V⁺ = V + h M⁻¹ (F(t_n) − KX − CV − Gᵀλ),   λ = N(t_n) f_d sign(GV)
/// ```
///
/// At n = 0 no friction is known. The scheme oscillates about rest for ever.
pub fn run_sign_euler(
    network: &Network,
    end: f64,
    step: f64,
    mut observe: impl FnMut(usize, &[f64], &[f64], &[f64], &[i8]),
) -> Result<NetworkRun, Error> {
    network.check_until(end)?;
    check_sign(network)?;
    let count = step_count(end, step)?;
    let h = step;
    let nodes = network.nodes();
    let mut loads: Vec<_> = nodes.iter().map(|n| n.force.cursor()).collect();
    let mut normals: Vec<_> =
        network.sliders().iter().map(|s| s.normal.as_ref().map(Signal::cursor)).collect();
    let mut one = OneStep::new(network);
    let mut u = at_start(network);
    let mut forces: Vec<_> = (0..nodes.len()).map(|i| (i, 0.0, 0.0)).collect();
    one.signs(network, &u.v);
    let mut report = NetworkRun { counts: Counts::of_steps(count), ..NetworkRun::default() };
    let start = stored(network, &u);
    // The step overwrites the state, and the energies need both ends of it.
    let mut last = u.clone();
    observe(0, &u.x, &u.v, &one.lambda, &one.signs);
    let ends = network.sliders().iter().map(|s| s.ends()).collect();
    let interrupt = Interrupt::current();
    let account = Account::new(network, ends);
    for n in 0..count {
        let t = n as f64 * h;
        let t_next = (n + 1) as f64 * h;
        interrupt.check(t)?;
        for ((i, before, after), force) in forces.iter_mut().zip(&mut loads) {
            (*before, *after) = (force.value(t), force.before(t_next));
            one.load[*i] = *before;
        }
        for (normal, signal) in one.normal.iter_mut().zip(&mut normals) {
            *normal = signal.as_mut().map_or(1.0, |s| s.value(t).max(0.0));
        }
        one.step(network, &mut u, t_next, h);
        let forces = &forces[..];
        let lambda = &one.lambda[..];
        account.add(Step { from: &last, to: &u, forces, lambda, h }, &mut report.energy);
        last.x.copy_from_slice(&u.x);
        last.v.copy_from_slice(&u.v);
        observe(n + 1, &u.x, &u.v, &one.lambda, &one.signs);
    }
    let stop = stored(network, &u);
    report.energy.kinetic = stop.0 - start.0;
    report.energy.elastic = stop.1 - start.1;
    // What has left the finite numbers never returns to them, so one look at the end is enough.
    if u.x.iter().chain(&u.v).all(|u| u.is_finite()) {
        Ok(report)
    } else {
        Err(Error::NotFinite { time: end, step })
    }
}

/// The same up to `end` (s at the latest), at the caller's pace: see [`Stepper`].
///
/// # Errors
/// As [`sign_euler`].
pub fn sign_cursor(network: &Network, end: f64, step: f64) -> Result<Stepper<SignSteps>, Error> {
    network.check_until(end)?;
    check_sign(network)?;
    let one = OneStep::new(network);
    let phase = NetworkPhase::from([]);
    let mut scheme = SignSteps { network: Arc::new(network.clone()), one, phase };
    // No step has been taken, so no friction is known: the node has λ = 0, and the signs of its velocities.
    let node = scheme.node(at_start(network));
    Stepper::new(scheme, node, step, [0.0, end])
}

/// The state at t = 0.
fn at_start(network: &Network) -> Kinematics {
    let mut u = Kinematics::at_start(network);
    prescribe(network, 0.0, &mut u);
    // The links of this scheme name the ground by `None`, so it needs no place in the lists.
    u.x.pop(); // the ground
    u.v.pop();
    u
}

/// Puts the prescribed nodes where they are at `t` (s).
fn prescribe(network: &Network, t: f64, u: &mut Kinematics) {
    for (i, node) in network.nodes().iter().enumerate() {
        if let Some(m) = &node.motion {
            (u.x[i], u.v[i]) = (m.value(t), m.derivative(t));
        }
    }
}

/// What one step needs and gives.
#[derive(Debug, Clone)]
struct OneStep {
    /// Given at the start of the step: the forces on the nodes, N, and the normal forces.
    load: Vec<f64>,
    normal: Vec<f64>,
    /// λ in the step, N, and the signs of the velocities at its end.
    lambda: Vec<f64>,
    signs: Vec<i8>,
    force: Vec<f64>,
}

impl OneStep {
    fn new(network: &Network) -> Self {
        let nodes = network.nodes().len();
        let sliders = network.sliders().len();
        let load = vec![0.0; nodes];
        let force = vec![0.0; nodes];
        // The friction of a slider without a normal force is in newtons already: N = 1 leaves it as it is.
        let normal = vec![1.0; sliders];
        let lambda = vec![0.0; sliders];
        let signs = vec![0; sliders];
        Self { load, normal, lambda, signs, force }
    }

    /// Reads the signs of the sliders' velocities.
    fn signs(&mut self, network: &Network, v: &[f64]) {
        for (sign, s) in self.signs.iter_mut().zip(network.sliders()) {
            let w = stretch(v, s.between());
            *sign = (w > 0.0) as i8 - (w < 0.0) as i8;
        }
    }

    /// Advances `u` by a step of `h` to `t_next` (s).
    fn step(&mut self, network: &Network, u: &mut Kinematics, t_next: f64, h: f64) {
        // All forces are those of the start of the step: they are summed up before any place changes.
        self.force.copy_from_slice(&self.load);
        pull_links(network, u, &mut self.force);
        for (e, s) in network.sliders().iter().enumerate() {
            self.lambda[e] = self.normal[e] * s.dynamic * f64::from(self.signs[e]);
            pull(&mut self.force, s.between(), self.lambda[e]);
        }
        for (i, node) in network.nodes().iter().enumerate() {
            // X⁺ takes the velocity before, which the next line replaces.
            u.x[i] += h * u.v[i];
            if node.motion.is_none() {
                u.v[i] += h / node.mass * self.force[i];
            }
        }
        // The loop has moved the prescribed nodes by an Euler step too; they belong where their motion puts them.
        prescribe(network, t_next, u);
        self.signs(network, &u.v);
    }
}

/// The scheme one step at a time.
#[derive(Debug, Clone)]
pub struct SignSteps {
    network: Arc<Network>,
    one: OneStep,
    /// In the step before.
    phase: NetworkPhase,
}

impl SignSteps {
    /// A node to set out from.
    fn node(&mut self, u: Kinematics) -> Node {
        self.one.signs(&self.network, &u.v);
        self.one.lambda.fill(0.0);
        Node { u, lambda: self.one.lambda.clone(), signs: self.one.signs.clone() }
    }
}

impl Stepping for SignSteps {
    type Node = Node;
    type State = NetworkState;
    type Phase = NetworkPhase;

    fn step(&mut self, [t, t_next]: [f64; 2], h: f64, from: &Node, to: &mut Node) {
        let network = &*self.network;
        let one = &mut self.one;
        for (load, node) in one.load.iter_mut().zip(network.nodes()) {
            *load = node.force.value(t);
        }
        for (normal, slider) in one.normal.iter_mut().zip(network.sliders()) {
            *normal = slider.normal_at(t);
        }
        // The step overwrites what it starts from, and the node before must stay as it is.
        to.u.x.copy_from_slice(&from.u.x);
        to.u.v.copy_from_slice(&from.u.v);
        one.signs.copy_from_slice(&from.signs);
        one.step(network, &mut to.u, t_next, h);
        to.lambda.copy_from_slice(&one.lambda);
        to.signs.copy_from_slice(&one.signs);
    }

    fn begin(&mut self, nodes: &[Node]) {
        self.phase = self.phase(nodes);
    }

    fn arrive(&mut self, t: f64, nodes: &[Node], events: &mut Vec<Event>) {
        nodes[0].changes(&self.network, t, &nodes[1], &mut self.phase, events);
    }

    const COUNTS_LOSSES: bool = true;

    fn lost(&self, _: f64, h: f64, [from, to]: [&Node; 2]) -> f64 {
        lost(&self.network, [&from.u, &to.u], &to.lambda, h)
    }

    fn state(&self, nodes: &[Node], s: f64) -> NetworkState {
        nodes[0].blend(&nodes[1], s, self.network.nodes().len())
    }

    fn phase(&self, nodes: &[Node]) -> NetworkPhase {
        nodes[0].phase(&nodes[1])
    }

    fn is_finite(&self, node: &Node) -> bool {
        node.is_finite()
    }

    fn place(&mut self, t: f64, state: NetworkState, _: &[Node], _: f64) -> Result<Node, Error> {
        let mut u = Kinematics::of(state);
        prescribe(&self.network, t, &mut u);
        u.x.pop();
        u.v.pop();
        Ok(self.node(u))
    }
}

/// Adds the forces of the springs and dashpots, N.
fn pull_links(network: &Network, u: &Kinematics, force: &mut [f64]) {
    for s in network.springs() {
        pull(force, s.between(), s.coefficient * stretch(&u.x, s.between()));
    }
    for d in network.dashpots() {
        pull(force, d.between(), d.coefficient * stretch(&u.v, d.between()));
    }
}

/// A force that pulls the first end towards the second, N.
fn pull(force: &mut [f64], [a, b]: [Option<usize>; 2], f: f64) {
    if let Some(i) = a {
        force[i] -= f;
    }
    if let Some(i) = b {
        force[i] += f;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::model::Oscillator;
    use crate::scheme::oscillator::sign;

    /// One mass on the ground is the oscillator's scheme, and a chain of two conserves momentum but
    /// for what the ground takes.
    #[test]
    fn one_mass_is_the_oscillator() {
        let force = || Signal::harmonic(2.0, 1.3, 0.2);
        let o = Oscillator::new(1.5, 2.0, Law::coulomb(0.7).unwrap()).with_damping(0.1);
        let o = o.with_force(force()).starting_at(0.4, 0.3);
        let network = Network::builder()
            .node("a", 1.5)
            .starting_at("a", 0.4, 0.3)
            .spring("a", "ground", 2.0)
            .dashpot("a", "ground", 0.1)
            .slider("s", "a", "ground", 0.7, 0.7)
            .force("a", force())
            .build()
            .unwrap();
        let mut want = Vec::new();
        sign::run_sign_euler(&o, 10.0, 0.01, |_, u| want.push(u)).unwrap();
        run_sign_euler(&network, 10.0, 0.01, |n, x, v, _, _| {
            assert!((x[0] - want[n].x).abs() < 1e-11 && (v[0] - want[n].v).abs() < 1e-11, "{n}");
        })
        .unwrap();
    }

    #[test]
    fn a_node_without_mass_is_refused() {
        let network = Network::builder()
            .node("a", 0.0)
            .spring("a", "ground", 2.0)
            .slider("s", "a", "ground", 0.7, 0.7)
            .build()
            .unwrap();
        let refused = run_sign_euler(&network, 1.0, 0.1, |_, _, _, _, _| ()).unwrap_err();
        assert!(refused.to_string().contains("`a` has no mass"), "{refused}");
    }

    #[test]
    fn shared_masses_are_refused() {
        let mass = vec![vec![2.0, 0.5], vec![0.5, 1.0]];
        let matrices = crate::model::network::Matrices { mass, ..Default::default() };
        let b = Network::builder().node("a", 0.0).node("b", 0.0).matrices(matrices);
        let network = b.slider("s", "a", "ground", 0.7, 0.7).build().unwrap();
        let refused = run_sign_euler(&network, 1.0, 0.1, |_, _, _, _, _| ()).unwrap_err();
        assert!(refused.to_string().contains("share mass"), "{refused}");
    }
}
