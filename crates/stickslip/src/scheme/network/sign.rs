//! Networks with the sign function with sign(0) = 0, for comparison: it never comes to rest (Bastien, Bernardin, Lamarque
//! 2013, §1.2.2).

use super::account::{NetworkRun, audit, stored, stretch};
use super::step::Kinematics;
use super::steps::recorded;
use crate::error::Error;
use crate::grid::step_count;
use crate::interrupt::Interrupt;
use crate::model::Network;
use crate::motion::Counts;
use crate::scheme::network::NetworkPath;
use crate::signal::Signal;

/// Refuses what the scheme has no meaning for: a free node without mass has no velocity of its own.
pub fn check_sign(network: &Network) -> Result<(), Error> {
    match network.nodes().iter().find(|n| n.mass == 0.0 && n.motion.is_none()) {
        None => Ok(()),
        Some(node) => Err(Error::Unsuitable {
            scheme: "sign-euler",
            reason: format!(
                "node `{}` has no mass, so there is no velocity before the step whose sign could be taken; give it a \
                 mass > 0 kg, or take implicit-euler",
                node.name
            ),
        }),
    }
}

/// [`run_sign_euler`] on [0, `end`] (s) with steps `step` (s), with its path and what it reports.
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
    let (count, h) = (step_count(end, step)?, step);
    let nodes = network.nodes();
    let mut u = Kinematics {
        x: nodes.iter().map(|n| n.displacement).collect(),
        v: nodes.iter().map(|n| n.velocity).collect(),
    };
    let mut loads: Vec<_> = nodes.iter().map(|n| n.force.cursor()).collect();
    let mut normals: Vec<_> =
        network.sliders().iter().map(|s| s.normal.as_ref().map(Signal::cursor)).collect();
    let (mut load, mut after) = (vec![0.0; nodes.len()], vec![0.0; nodes.len()]);
    let mut force = load.clone();
    let mut lambda = vec![0.0; network.sliders().len()];
    let mut signs = vec![0i8; lambda.len()];
    let prescribe = |t: f64, u: &mut Kinematics| {
        for (i, node) in nodes.iter().enumerate() {
            if let Some(m) = &node.motion {
                (u.x[i], u.v[i]) = (m.value(t), m.derivative(t));
            }
        }
    };
    prescribe(0.0, &mut u);
    read_signs(network, &u.v, &mut signs);
    let mut report = NetworkRun { counts: Counts::of_steps(count), ..NetworkRun::default() };
    let start = stored(network, &u);
    let mut last = u.clone();
    observe(0, &u.x, &u.v, &lambda, &signs);
    let interrupt = Interrupt::current();
    for n in 0..count {
        let (t, t_next) = (n as f64 * h, (n + 1) as f64 * h);
        interrupt.check(t)?;
        for i in 0..nodes.len() {
            load[i] = loads[i].value(t);
            after[i] = loads[i].before(t_next);
        }
        force.copy_from_slice(&load);
        pull_links(network, &u, &mut force);
        for (e, s) in network.sliders().iter().enumerate() {
            let normal = normals[e].as_mut().map_or(1.0, |s| s.value(t).max(0.0));
            lambda[e] = normal * s.dynamic * f64::from(signs[e]);
            pull(&mut force, s.between, lambda[e]);
        }
        for (i, node) in nodes.iter().enumerate() {
            u.x[i] += h * u.v[i];
            if node.motion.is_none() {
                u.v[i] += h / node.mass * force[i];
            }
        }
        prescribe(t_next, &mut u);
        read_signs(network, &u.v, &mut signs);
        audit(network, &mut report.energy, (&last, &u), ((&load, &after), &lambda, h));
        last.x.copy_from_slice(&u.x);
        last.v.copy_from_slice(&u.v);
        observe(n + 1, &u.x, &u.v, &lambda, &signs);
    }
    let stop = stored(network, &u);
    (report.energy.kinetic, report.energy.elastic) = (stop.0 - start.0, stop.1 - start.1);
    if u.x.iter().chain(&u.v).all(|u| u.is_finite()) {
        Ok(report)
    } else {
        Err(Error::NotFinite { time: end, step })
    }
}

/// The sign of the velocity of each slider.
fn read_signs(network: &Network, v: &[f64], signs: &mut [i8]) {
    for (sign, s) in signs.iter_mut().zip(network.sliders()) {
        let w = stretch(v, s.between);
        *sign = (w > 0.0) as i8 - (w < 0.0) as i8;
    }
}

/// Adds the forces of the springs and dashpots, N.
fn pull_links(network: &Network, u: &Kinematics, force: &mut [f64]) {
    for s in network.springs() {
        pull(force, s.between, s.coefficient * stretch(&u.x, s.between));
    }
    for d in network.dashpots() {
        pull(force, d.between, d.coefficient * stretch(&u.v, d.between));
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
}
