//! How much of what acts on a model gets through: its transmissibility.

use super::extremes::range_of;
use super::local::Local;
use super::mesh::Mesh;
use crate::model::Oscillator;
use crate::motion::{EventKind, Motion, Phase, State, Trajectory};
use crate::scheme::network::NetworkPath;
use crate::signal::Signal;
use num_complex::Complex64;

/// Parts of an arc in which extremes of a force are looked for.
const PARTS: usize = 16;
/// Harmonics that agree to this are one motion.
const SAME: f64 = 1e-9;

/// A harmonic by its angular frequency, rad/s, and its complex amplitude; both 0 where a signal has none.
#[derive(Clone, Copy, PartialEq)]
struct Wave {
    rate: f64,
    size: Complex64,
}

/// The harmonics of a signal as one; `None` if they have several frequencies.
fn wave(s: &Signal) -> Option<Wave> {
    let all = s.harmonics();
    let rate = all.first().map_or(0.0, |h| h.angular_frequency);
    let size = all.iter().map(|h| Complex64::from_polar(h.amplitude, h.phase)).sum();
    all.iter().all(|h| h.angular_frequency == rate).then_some(Wave { rate, size })
}

/// Of an oscillator whose orbit has this amplitude, m: see [`Orbit::transmissibility`](super::Orbit::transmissibility).
pub(super) fn of_oscillator(o: &Oscillator, path: &Trajectory, amplitude: f64) -> Option<f64> {
    let [drive, support, force] = [&o.drive, &o.support, &o.force].map(wave);
    let drive = drive?;
    let support = support?;
    let force = force?;
    let [d, s, f] = [drive, support, force].map(|w| w.size.norm());
    match (d > 0.0, s > 0.0, f > 0.0) {
        (true, false, false) => Some(amplitude / d),
        (false, true, false) => Some(amplitude * support.rate / s),
        // The far end of the spring and the support are one base where the velocities are the same.
        (true, true, false) => {
            let apart = Complex64::I * drive.rate * drive.size - support.size;
            (drive.rate == support.rate && apart.norm() <= SAME * s).then_some(amplitude / d)
        }
        (false, false, true) => {
            let hits = path.events().iter().any(|e| e.kind == EventKind::Impact);
            (!hits).then(|| 0.5 * reaction(o, path) / f)
        }
        _ => None,
    }
}

/// The range of the force on the surroundings, F − m ẍ, N.
fn reaction(o: &Oscillator, path: &Trajectory) -> f64 {
    let mut least = f64::INFINITY;
    let mut most = f64::NEG_INFINITY;
    for s in path.segments().iter().filter(|s| s.end > s.start) {
        let State { x, v } = s.arc.state(0.5 * (s.start + s.end));
        let local = Local::new(o, s.start, x).moving(x, v);
        let force = |t: f64| {
            let u = s.arc.state(t);
            let a = match s.phase {
                Phase::Stick => 0.0,
                phase => local.acceleration(phase.sign(), t, u.x, u.v),
            };
            o.force.value(t) - o.mass * a
        };
        let (a, b) = range_of(&force, s.start, s.end, PARTS);
        (least, most) = (least.min(a), most.max(b));
    }
    most - least
}

/// Of a network whose node has this amplitude, m.
pub(super) fn of_network(mesh: &Mesh, path: &NetworkPath, amplitude: f64) -> Option<f64> {
    let nodes = mesh.network.nodes();
    let mut motion: Option<Wave> = None;
    for signal in nodes.iter().filter_map(|n| n.motion.as_ref()) {
        let w = wave(signal)?;
        let same = motion
            .is_none_or(|m| m.rate == w.rate && (m.size - w.size).norm() <= SAME * w.size.norm());
        if w.rate != 0.0 && !same {
            return None;
        }
        motion = if w.rate != 0.0 { Some(w) } else { motion };
    }
    let loaded: Vec<&Signal> =
        nodes.iter().map(|n| &n.force).filter(|f| !f.harmonics().is_empty()).collect();
    match (motion, loaded.as_slice()) {
        (Some(w), []) => Some(amplitude / w.size.norm()),
        (None, [force]) => {
            let size = wave(force)?.size.norm();
            // Of matrices nobody knows what belongs to the ground.
            let known = mesh.network.shared_masses().is_empty()
                && mesh.network.springs().iter().all(|s| s.coefficient >= 0.0);
            (known && size > 0.0).then(|| 0.5 * on_ground(mesh, path) / size)
        }
        _ => None,
    }
}

/// The range of the force on the ground and on nodes that are held, N.
fn on_ground(mesh: &Mesh, path: &NetworkPath) -> f64 {
    let network = &mesh.network;
    let held = |i: Option<usize>| i.is_none_or(|i| network.nodes()[i].motion.is_some());
    // 1 where the second end is on the ground, −1 where the first is.
    let side = |[a, b]: [Option<usize>; 2]| f64::from(i8::from(held(b)) - i8::from(held(a)));
    let mut least = f64::INFINITY;
    let mut most = f64::NEG_INFINITY;
    for s in path.segments().iter().filter(|s| s.end > s.start) {
        let force = |t: f64| {
            let u = s.arc.state(t);
            let apart = |of: &[f64], [a, b]: [Option<usize>; 2]| {
                a.map_or(0.0, |i| of[i]) - b.map_or(0.0, |i| of[i])
            };
            let springs = network.springs().iter();
            let springs: f64 =
                springs.map(|l| side(l.between()) * l.coefficient * apart(&u.x, l.between())).sum();
            let dashpots = network.dashpots().iter();
            let dashpots: f64 = dashpots
                .map(|l| side(l.between()) * l.coefficient * apart(&u.v, l.between()))
                .sum();
            let sliders = network.sliders().iter().zip(&u.friction);
            springs + dashpots - sliders.map(|(l, f)| side(l.between()) * f).sum::<f64>()
        };
        let (a, b) = range_of(&force, s.start, s.end, PARTS);
        (least, most) = (least.min(a), most.max(b));
    }
    most - least
}
