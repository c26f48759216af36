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

use crate::model::{Forces, Oscillator};
use crate::motion::{EventKind, Motion, Phase, State, Stretch, Trajectory, Warning};

/// Distance from the limit, relative to the forces, that counts as being at it.
pub(crate) const NEAR: f64 = 1e-12;

/// A load below this share of the limit is not near it.
const FAR: f64 = 0.9;

/// Samples of the load in each smooth stretch. A touch narrower than their spacing is refined from
/// the samples around it; what lies between two others unseen is missed.
const SAMPLES: usize = 64;

/// Nodes that are looked at together.
const TOGETHER: usize = 16;

/// More doubts than anybody reads.
const MOST_DOUBTS: usize = 100;

/// How near to the sliding friction closed forms see a velocity touch zero: the root of a rounding.
pub(crate) const GRAZE: f64 = 1e-7;

/// The same for what is worth examining.
pub(crate) const SUSPECT: f64 = 1e-9;

/// Examines every stick of `path`.
pub(crate) fn examine_all(o: &Oscillator, path: &mut Trajectory) {
    examine_where(o, path, |_, _| true);
}

/// Examines the sticks of `path` that hold at one of `times` (s), which increase.
pub(crate) fn examine_at(o: &Oscillator, path: &mut Trajectory, times: &[f64]) {
    if times.is_empty() {
        return;
    }
    let mut times = times.iter().peekable();
    examine_where(o, path, |start, stop| {
        while times.next_if(|&&t| t < start).is_some() {}
        times.peek().is_some_and(|&&t| t < stop)
    });
}

/// Examines the ends of the slips of `path`: whether the load there is so near the breakaway force that the
/// scheme cannot tell whether the mass rests or slips on. `known` gives, from the time that the mass has
/// been moving (s), how well the scheme knows the load, relative to it.
pub(crate) fn examine_rests(o: &Oscillator, path: &mut Trajectory, known: impl Fn(f64) -> f64) {
    if !o.friction.is_rule() {
        return;
    }
    let mut doubts = Vec::new();
    let mut since = path.span().0;
    for e in path.events() {
        if e.kind == EventKind::Slip {
            since = e.time;
        }
        if !matches!(e.kind, EventKind::Stick | EventKind::Reversal) {
            continue;
        }
        let b = o.load_at_rest(e.x, e.time);
        let (limit, band) =
            (o.normal_force(e.x, e.time) * o.friction.limit(b, 0.0), known(e.time - since));
        if limit > 0.0 && (limit - b.abs()).abs() <= band.min(0.1) * limit && !o.is_blocked(e.x, b)
        {
            doubts.push((e.time, (limit - b.abs()) / limit));
        }
    }
    let told: Vec<f64> = path.warnings().iter().filter_map(Warning::not_unique_from).collect();
    for (time, margin) in doubts.into_iter().take(MOST_DOUBTS) {
        if !told.contains(&time) {
            path.warn(Warning::RestsAtLimit { time, margin });
        }
    }
}

/// Examines the ends of the slips of `path`: whether a slip comes to rest while the load there is the sliding friction, to
/// what is `known` of an acceleration of zero, relative to the forces. Its velocity then only touches zero; a load however little greater would keep the mass moving, whereas
/// once at rest it is held by f_s.
pub(crate) fn examine_grazes(
    o: &Oscillator,
    path: &mut Trajectory,
    known: impl Fn(Landing) -> f64,
) {
    if !o.friction.is_rule() {
        return;
    }
    let mut found = Vec::new();
    for two in path.phases().windows(2) {
        let [(slip, ..), (Phase::Stick, time, _)] = two else { continue };
        let (side, x) = (slip.sign(), path.state(*time).x);
        let (b, n) = (o.load_at_rest(x, *time), o.normal_force(x, *time));
        let (sliding, limit) = (n * o.friction.force(side, 0.0), n * o.friction.limit(side, 0.0));
        let landing = Landing { side, x, time: *time, forces: b.abs() + sliding };
        let near = (side * b - sliding).abs() <= known(landing) * landing.forces;
        if near && b != 0.0 && limit > sliding * (1.0 + NEAR) && !o.is_blocked(x, side) {
            found.push(*time);
        }
    }
    tell_grazes(path, &found);
}

/// Examines the slips of a path with steps `h` (s) that goes on where the velocity is nearest to zero: a scheme of first order
/// knows it to h times the forces over the mass, and where that reaches zero the mass may as well stop.
pub(crate) fn examine_touches(o: &Oscillator, path: &mut Trajectory, h: f64) {
    if !o.friction.is_rule() {
        return;
    }
    let grid = path.segments().iter().find_map(|s| match &s.arc {
        Stretch::Steps(grid) => Some(grid.clone()),
        _ => None,
    });
    let Some(grid) = grid else { return };
    let (known, mut found) = (graze_of_steps(o, h), Vec::new());
    // A minimum of |w| in a slip, at the node before number n.
    let mut examine = |n: usize, [before, w, after]: [f64; 3]| {
        if before * w <= 0.0 || after * w <= 0.0 {
            return;
        }
        let (side, x, time) = (w.signum(), grid.states[n - 1].x, (n - 1) as f64 * h);
        let (b, normal) = (o.load_at_rest(x, time), o.normal_force(x, time));
        let (sliding, limit) =
            (normal * o.friction.force(side, 0.0), normal * o.friction.limit(side, 0.0));
        let landing = Landing { side, x, time, forces: b.abs() + sliding };
        let near = w.abs() * o.mass <= h * landing.forces
            && (side * b - sliding).abs() <= known(landing) * landing.forces;
        if near && b != 0.0 && limit > sliding * (1.0 + NEAR) && !o.is_blocked(x, side) {
            found.push(time);
        }
    };
    let is_least = |[before, w, after]: [f64; 3]| {
        (before.abs() >= w.abs()) & (after.abs() > w.abs()) & (w != 0.0)
    };
    if o.support.is_zero() {
        // Many nodes at a time, which mostly hold no minimum.
        let three = |u: &[State]| [u[0].v, u[1].v, u[2].v];
        let last = grid.states.len();
        for first in (0..last.saturating_sub(2)).step_by(TOGETHER) {
            let nodes = grid.states[first..(first + TOGETHER + 2).min(last)].windows(3);
            if !nodes.clone().fold(false, |any, u| any | is_least(three(u))) {
                continue;
            }
            for (n, u) in (first + 2..).zip(nodes).filter(|(_, u)| is_least(three(u))) {
                examine(n, three(u));
            }
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

/// Warns of slips that end, at `times` (s), while the load is the sliding friction.
pub(crate) fn tell_grazes(path: &mut Trajectory, times: &[f64]) {
    for &time in times.iter().take(MOST_DOUBTS) {
        path.warn(Warning::GrazesRest { time });
    }
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
        (2.0 * rise.max(0.0) / forces).sqrt().min(0.25)
    }
}

/// What a scheme of first order with steps `h` (s) knows of the load after some time in motion, relative.
pub(crate) fn of_steps(o: &Oscillator, h: f64) -> impl Fn(f64) -> f64 + use<> {
    let rate = o.natural_frequency();
    move |moving: f64| h * rate * (1.0 + rate * moving)
}

/// Examines the sticks [start, stop] (s) of `path` that are `wanted`.
fn examine_where(o: &Oscillator, path: &mut Trajectory, mut wanted: impl FnMut(f64, f64) -> bool) {
    if !o.friction.is_rule() {
        return;
    }
    let mut found = Vec::new();
    let mut forces = is_straight(o).then(|| Forces::new(o));
    for (_, start, stop) in path.phases().into_iter().filter(|p| p.0 == Phase::Stick) {
        match &mut forces {
            _ if !wanted(start, stop) => {}
            Some(forces) => {
                let x = path.state(0.5 * (start + stop)).x;
                examine_straight(forces, x, (start, stop), &mut found);
            }
            None => examine(o, path, start, stop, &mut found),
        }
    }
    for (from, to) in found {
        path.warn(Warning::NotUnique { from, to });
    }
}

/// Examines the stick of `path` over [start, stop] (s): instants and stretches at the limit.
fn examine(o: &Oscillator, path: &Trajectory, start: f64, stop: f64, found: &mut Vec<(f64, f64)>) {
    let x = |t: f64| path.segment(t.min(stop)).arc.state(t).x;
    let mut from = start;
    while from < stop {
        let to = next_kink(o, start, from).min(stop);
        View { o, start, stop, from, to }.stretch(&x, found);
        from = to;
    }
}

/// Whether loads and limits are straight lines between their kinks, and the mass rests on the ground.
fn is_straight(o: &Oscillator) -> bool {
    let signals = [Some(&o.drive), Some(&o.force), Some(&o.support), o.normal.as_ref()];
    signals.into_iter().flatten().all(|s| s.fastest() == 0.0 && !s.has_functions())
        && o.is_linear()
        && o.support.is_zero()
        && o.friction.constants().is_some()
}

/// [`examine`] where all is straight: two looks between two kinks are enough, and a sampled drive, which may have a kink at every
/// step, is read in turn. `x` (m) is where the mass rests.
fn examine_straight(
    forces: &mut Forces<'_>,
    x: f64,
    (start, stop): (f64, f64),
    found: &mut Vec<(f64, f64)>,
) {
    let law = &forces.oscillator().friction;
    let least = law.limit(1.0, 0.0).min(law.limit(-1.0, 0.0));
    let mut from = start;
    while from < stop {
        let (b, n) = forces.at_rest(x, from);
        let to = forces.until().min(stop);
        let last = to - 1e-12 * (to - from); // the left limit at a jump
        let (c, m) = forces.at_rest(x, last);
        // Mostly the load is far below the limit, as at all times in between.
        if b.abs() < FAR * n * least && c.abs() < FAR * m * least {
            from = to;
            continue;
        }
        let first = margin(forces.oscillator(), x, (b, n), from - start);
        let second = margin(forces.oscillator(), x, (c, m), last - start);
        if first.abs() <= NEAR && second.abs() <= NEAR {
            join(found, from, to);
        } else {
            // A kink that only reaches the limit; at the ends of the stick it is reached anyhow.
            for (t, m) in [(from, first), (to, second)] {
                if m.abs() <= NEAR && start < t && t < stop {
                    join(found, t, t);
                }
            }
        }
        from = to;
    }
}

/// The next instant at which the load or the limit is not smooth, s.
fn next_kink(o: &Oscillator, since: f64, t: f64) -> f64 {
    let signals = [Some(&o.drive), Some(&o.force), Some(&o.support), o.normal.as_ref()];
    let next =
        signals.into_iter().flatten().map(|s| s.next_breakpoint(t)).fold(f64::INFINITY, f64::min);
    let age = since + o.friction.next_kink(t - since);
    if age > t { next.min(age) } else { next }
}

impl Forces<'_> {
    /// The load on a mass that rests on the ground, N, and the normal force at `t` (s), which never goes back.
    fn at_rest(&mut self, x: f64, t: f64) -> (f64, f64) {
        (self.load(x, 0.0, t), self.normal(x, t))
    }
}

/// min over both sides of limit − side·b, over the forces' size, under the load b and the normal force n; ∞ where leaving is no option.
fn margin(o: &Oscillator, x: f64, (b, n): (f64, f64), age: f64) -> f64 {
    let side = |s: f64| {
        let limit = n * o.friction.limit(s, age);
        let scale = b.abs() + limit;
        let holds_more = limit > n * o.friction.force(s, 0.0) * (1.0 + NEAR) || age == 0.0;
        let free = !o.is_blocked(x, s);
        if holds_more && free && scale > 0.0 { (limit - s * b) / scale } else { f64::INFINITY }
    };
    side(1.0).min(side(-1.0))
}

/// A smooth stretch [from, to] of a stick over [start, stop], s.
struct View<'a> {
    o: &'a Oscillator,
    start: f64,
    stop: f64,
    from: f64,
    to: f64,
}

impl View<'_> {
    fn margin(&self, x: f64, t: f64) -> f64 {
        let t = t.min(self.to - 1e-12 * (self.to - self.from)); // the left limit at a jump
        let loads = (self.o.load_at_rest(x, t), self.o.normal_force(x, t));
        margin(self.o, x, loads, t - self.start)
    }

    fn stretch(&self, x: &impl Fn(f64) -> f64, found: &mut Vec<(f64, f64)>) {
        let samples = SAMPLES;
        let time = |i: usize| self.from + (self.to - self.from) * (i as f64 / samples as f64);
        let at = |t: f64| self.margin(x(t), t);
        let mut margins = [0.0; SAMPLES + 1];
        margins.iter_mut().enumerate().for_each(|(i, m)| *m = at(time(i)));
        if margins.iter().all(|m| m.abs() <= NEAR) {
            join(found, self.from, self.to);
            return;
        }
        // A kink that only reaches the limit; at the ends of the stick it is reached anyhow.
        for (t, m) in [(self.from, margins[0]), (self.to, margins[samples])] {
            if m.abs() <= NEAR && self.start < t && t < self.stop {
                join(found, t, t);
            }
        }
        let edge = 1e-6 * (self.to - self.from);
        for i in 0..=samples {
            let (before, after) = (i.saturating_sub(1), (i + 1).min(samples));
            let (a, m, b) = (margins[before], margins[i], margins[after]);
            if !(m <= a && m <= b && (-NEAR..0.5).contains(&m)) {
                continue;
            }
            let (t, least) = golden(at, time(before), time(after));
            let inside = t > self.from + edge && t < self.to - edge;
            if inside && least.abs() <= 10.0 * NEAR {
                join(found, t, t);
            }
        }
    }
}

/// Adds a stretch at the limit, joined to the one before if they touch.
fn join(found: &mut Vec<(f64, f64)>, from: f64, to: f64) {
    match found.last_mut() {
        Some(last) if from <= last.1 => last.1 = last.1.max(to),
        _ => found.push((from, to)),
    }
}

/// The least value of a function with one minimum in [a, b].
fn golden(f: impl Fn(f64) -> f64, mut a: f64, mut b: f64) -> (f64, f64) {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let (mut c, mut d) = (b - RATIO * (b - a), a + RATIO * (b - a));
    let (mut fc, mut fd) = (f(c), f(d));
    for _ in 0..60 {
        if fc < fd {
            (b, d, fd) = (d, c, fc);
            c = b - RATIO * (b - a);
            fc = f(c);
        } else {
            (a, c, fc) = (c, d, fd);
            d = a + RATIO * (b - a);
            fd = f(d);
        }
    }
    if fc < fd { (c, fc) } else { (d, fd) }
}
