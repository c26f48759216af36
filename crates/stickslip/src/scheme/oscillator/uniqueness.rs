//! Degenerate instants: a stick at its limit from which the mass may leave at will.
//!
//! Where the contact holds more at rest than in motion (f_s > f_d, ageing) and the load stands at
//! the limit without exceeding it, staying and leaving both solve the problem (Schatzman, Lamarque, Bastien 1999, §3). Every
//! scheme stays, by its rule, and this module tells.
//!
//! A slip that ends where the load *is* the breakaway force is the same case at one instant. Closed forms see
//! it to rounding. A scheme with an error cannot: its own end of the slip lies on one side of the limit, and
//! what it can say is that the load was nearer to the limit than it knows it
//! ([`Warning::RestsAtLimit`]). A tighter tolerance or a shorter step that comes out on the same side
//! decides; if the sides change, the problem itself has two solutions there. What the time-stepping schemes know
//! is estimated from step, frequency and the time in motion; a doubt that they do not see is one
//! farther from the limit than that.
//!
//! A slip that ends where the load is just the sliding friction is another such instant: the velocity touches zero without
//! an acceleration ([`Warning::GrazesRest`]). A velocity that is known to ε is known to touch zero only where the
//! acceleration is below √ε, so this is how near the schemes look.

pub(crate) use super::at_limit::{NEAR, examine_all, examine_at};

use crate::model::Oscillator;
use crate::motion::{EventKind, Phase, State, Stretch, Trajectory, Warning, Warnings};

/// Nodes that are looked at together.
const TOGETHER: usize = 16;

/// How near to the sliding friction closed forms see a velocity touch zero: the root of a rounding.
pub(crate) const GRAZE: f64 = 1e-7;

/// Events and loads nearer to a limit than this part of it are worth examining.
pub(crate) const SUSPECT: f64 = 1e-9;

/// Examines the ends of the slips of `path`: whether the load there is so near the breakaway force that the
/// scheme cannot tell whether the mass rests or slips on. `known` gives, from the time that the mass has
/// been moving (s), how well the scheme knows the load, relative to it.
pub(crate) fn examine_rests(o: &Oscillator, path: &mut Trajectory, known: impl Fn(f64) -> f64) {
    if !o.friction.leaves_at_will() {
        return;
    }
    let mut doubts = Vec::new();
    let mut since = path.span().0;
    for e in path.events() {
        if e.kind == EventKind::Slip {
            // What a scheme knows of the load is the less, the longer the mass has been in motion.
            since = e.time;
        }
        if !matches!(e.kind, EventKind::Stick | EventKind::Reversal) {
            continue;
        }
        let b = o.load_at_rest(e.x, e.time);
        let limit = o.normal_force(e.x, e.time) * o.friction.limit(b, 0.0);
        let band = known(e.time - since);
        if limit > 0.0 && (limit - b.abs()).abs() <= band.min(0.1) * limit && !o.is_blocked(e.x, b)
        {
            doubts.push((e.time, (limit - b.abs()) / limit));
        }
    }
    // An instant at which the motion is not unique is told already, and more strongly.
    let told: Vec<f64> = path.warnings().iter().filter_map(Warning::not_unique_from).collect();
    let mut found = Warnings::default();
    for (time, margin) in doubts.into_iter().filter(|d| !told.contains(&d.0)) {
        found.push(Warning::RestsAtLimit { time, margin });
    }
    found.told().for_each(|w| path.warn(w));
}

/// Examines the ends of the slips of `path`: whether a slip comes to rest while the load there is the sliding friction, to
/// what is `known` of an acceleration of zero, relative to the forces. Its velocity then only touches zero; a load however little greater would keep the mass moving, whereas
/// once at rest it is held by f_s.
pub(crate) fn examine_grazes(
    o: &Oscillator,
    path: &mut Trajectory,
    known: impl Fn(Landing) -> f64,
) {
    if !o.friction.leaves_at_will() {
        return;
    }
    let mut found = Vec::new();
    for two in path.phases().windows(2) {
        let [(slip, ..), (Phase::Stick, time, _)] = two else { continue };
        let side = slip.sign();
        let x = path.state(*time).x;
        let b = o.load_at_rest(x, *time);
        let n = o.normal_force(x, *time);
        let sliding = n * o.friction.force(side, 0.0);
        let limit = n * o.friction.limit(side, 0.0);
        let landing = Landing { side, x, time: *time, forces: b.abs() + sliding };
        let near = (side * b - sliding).abs() <= known(landing) * landing.forces;
        if near && b != 0.0 && limit > sliding * (1.0 + NEAR) && !o.is_blocked(x, side) {
            found.push((*time, (side * b - sliding).abs() / landing.forces));
        }
    }
    tell_grazes(path, &found);
}

/// Examines the slips of a path with steps `h` (s) that goes on where the velocity is nearest to zero: a scheme of first order
/// knows it to h times the forces over the mass, and where that reaches zero the mass may as well stop.
pub(crate) fn examine_touches(o: &Oscillator, path: &mut Trajectory, h: f64) {
    if !o.friction.leaves_at_will() {
        return;
    }
    let grid = path.segments().iter().find_map(|s| match &s.arc {
        Stretch::Steps(grid) => Some(grid.clone()),
        _ => None,
    });
    let Some(grid) = grid else { return };
    let known = graze_of_steps(o, h);
    let mut found = Vec::new();
    // A minimum of |w| in a slip, at the node before number n.
    let mut examine = |n: usize, [before, w, after]: [f64; 3]| {
        if before * w <= 0.0 || after * w <= 0.0 {
            return;
        }
        let side = w.signum();
        let x = grid.states[n - 1].x;
        let time = (n - 1) as f64 * h;
        let b = o.load_at_rest(x, time);
        let normal = o.normal_force(x, time);
        let sliding = normal * o.friction.force(side, 0.0);
        let limit = normal * o.friction.limit(side, 0.0);
        let landing = Landing { side, x, time, forces: b.abs() + sliding };
        // Both: the velocity may be zero, and the acceleration there may be zero.
        let near = w.abs() * o.mass <= h * landing.forces
            && (side * b - sliding).abs() <= known(landing) * landing.forces;
        if near && b != 0.0 && limit > sliding * (1.0 + NEAR) && !o.is_blocked(x, side) {
            found.push((time, (side * b - sliding).abs() / landing.forces));
        }
    };
    let is_least = |[before, w, after]: [f64; 3]| {
        (before.abs() >= w.abs()) & (after.abs() > w.abs()) & (w != 0.0)
    };
    if o.support.is_zero() {
        // Many nodes at a time: where |w| only rises, or never does, there is no minimum.
        let rises = |u: &[State]| u[1].v.abs() > u[0].v.abs();
        let three = |u: &[State]| [u[0].v, u[1].v, u[2].v];
        let last = grid.states.len();
        // Neighbouring pieces overlap by two nodes, so that a minimum at their border is seen.
        for first in (0..last.saturating_sub(2)).step_by(TOGETHER) {
            let nodes = &grid.states[first..(first + TOGETHER + 2).min(last)];
            let rising = nodes.windows(2).map(|u| usize::from(rises(u))).sum::<usize>();
            if rising == 0 || rising + 1 == nodes.len() {
                continue;
            }
            let minima = (first + 2..).zip(nodes.windows(3)).filter(|(_, u)| is_least(three(u)));
            minima.for_each(|(n, u)| examine(n, three(u)));
        }
    } else {
        let mut support = o.support.cursor();
        let mut last = [0.0; 3];
        for (n, u) in grid.states.iter().enumerate() {
            last = [last[1], last[2], u.v - support.value(n as f64 * h)];
            if is_least(last) {
                examine(n, last);
            }
        }
    }
    tell_grazes(path, &found);
}

/// Warns of slips that end, at these times (s), while the load is so near the sliding friction, relative to both.
pub(crate) fn tell_grazes(path: &mut Trajectory, found: &[(f64, f64)]) {
    let mut warnings = Warnings::default();
    for &(time, margin) in found {
        warnings.push(Warning::GrazesRest { time, margin });
    }
    warnings.told().for_each(|w| path.warn(w));
}

/// The end of a slip.
#[derive(Clone, Copy)]
pub(crate) struct Landing {
    /// Direction of the slip.
    side: f64,
    /// Where the mass is then, m.
    x: f64,
    /// When, s.
    time: f64,
    /// Load and sliding friction, N.
    forces: f64,
}

/// How small an acceleration at rest must be so that a scheme of first order with steps `h` (s) cannot tell a velocity that
/// touches zero from one that crosses it, relative to the forces. A velocity with the curvature ḃ/m that is known to
/// δ ≈ h·forces/m crosses zero at √(2 δ ḃ/m). Where the load falls there is no touch.
pub(crate) fn graze_of_steps(o: &Oscillator, h: f64) -> impl Fn(Landing) -> f64 + use<'_> {
    move |Landing { side, x, time, forces }| {
        let before = (time - h).max(0.0);
        let rise = side * (o.load_at_rest(x, time) - o.load_at_rest(x, before));
        // The load's rise over a step is ḃh: δ = h·forces/m in √(2 δ ḃ/m), relative to forces/m.
        (2.0 * rise.max(0.0) / forces).sqrt().min(0.25)
    }
}

/// What a scheme of first order with steps `h` (s) knows of the load after some time in motion, relative.
pub(crate) fn of_steps(o: &Oscillator, h: f64) -> impl Fn(f64) -> f64 + use<> {
    let rate = o.natural_frequency();
    move |moving: f64| h * rate * (1.0 + rate * moving)
}
