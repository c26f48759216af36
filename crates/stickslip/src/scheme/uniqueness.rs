//! Degenerate instants: a stick at its limit from which the mass may leave at will.
//!
//! Where the contact holds more at rest than in motion (f_s > f_d, ageing) and the load stands at
//! the limit without exceeding it, staying and leaving both solve the problem (seed 002 §3). Every
//! scheme stays, by its rule, and this module tells.

use crate::model::Oscillator;
use crate::trajectory::{Motion, Phase, Trajectory, Warning};

/// Distance from the limit, relative to the forces, that counts as being at it.
pub(crate) const NEAR: f64 = 1e-12;

/// Samples of the load in each smooth stretch. A touch narrower than their spacing is refined from
/// the samples around it; what lies between two others unseen is missed.
const SAMPLES: usize = 64;

/// Examines every stick of `path`.
pub(crate) fn examine_all(o: &Oscillator, path: &mut Trajectory) {
    if !o.friction.is_rule() {
        return;
    }
    let sticks: Vec<_> = path.phases().into_iter().filter(|p| p.0 == Phase::Stick).collect();
    for (_, start, stop) in sticks {
        examine(o, path, start, stop);
    }
}

/// Examines the stick of `path` over [start, stop] (s).
pub(crate) fn examine(o: &Oscillator, path: &mut Trajectory, start: f64, stop: f64) {
    let mut found: Vec<(f64, f64)> = Vec::new();
    {
        let segment = path.segment(start);
        let x = |t: f64| path.segment(t.min(stop)).arc.state(t).x;
        // The mass has rested since the phase began, which may be before this segment.
        let since = path
            .phases()
            .into_iter()
            .find(|p| p.0 == Phase::Stick && p.1 <= segment.start && start <= p.2)
            .map_or(start, |p| p.1);
        let mut from = start;
        while from < stop {
            let to = next_kink(o, since, from).min(stop);
            let view = View { o, since, from, to };
            view.stretch(&x, &mut found);
            from = to;
        }
    }
    for (from, to) in found {
        path.warn(Warning::NotUnique { from, to });
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

/// A smooth stretch of a stick.
struct View<'a> {
    o: &'a Oscillator,
    since: f64,
    from: f64,
    to: f64,
}

impl View<'_> {
    /// min over both sides of limit − side·b, over the forces' size; ∞ where leaving is no option.
    fn margin(&self, x: f64, t: f64) -> f64 {
        let t = t.min(self.to - 1e-12 * (self.to - self.from)); // the left limit at a jump
        let (o, age) = (self.o, t - self.since);
        let (b, n) = (o.load_at_rest(x, t), o.normal_force(t));
        let side = |s: f64| {
            let limit = n * o.friction.limit(s, age);
            let scale = b.abs() + limit;
            let holds_more = limit > n * o.friction.force(s, 0.0) * (1.0 + NEAR) || age == 0.0;
            let free = !o.is_blocked(x, s);
            if holds_more && free && scale > 0.0 { (limit - s * b) / scale } else { f64::INFINITY }
        };
        side(1.0).min(side(-1.0))
    }

    fn stretch(&self, x: &impl Fn(f64) -> f64, found: &mut Vec<(f64, f64)>) {
        let time = |i: usize| self.from + (self.to - self.from) * (i as f64 / SAMPLES as f64);
        let at = |t: f64| self.margin(x(t), t);
        let margins: Vec<f64> = (0..=SAMPLES).map(|i| at(time(i))).collect();
        if margins.iter().all(|m| m.abs() <= NEAR) {
            match found.last_mut() {
                Some(last) if last.1 == self.from => last.1 = self.to,
                _ => found.push((self.from, self.to)),
            }
            return;
        }
        for i in 0..=SAMPLES {
            let (before, after) = (i.saturating_sub(1), (i + 1).min(SAMPLES));
            let (a, m, b) = (margins[before], margins[i], margins[after]);
            if !(m <= a && m <= b && (-NEAR..0.5).contains(&m)) {
                continue;
            }
            let (t, least) = golden(at, time(before), time(after));
            // At the ends of a stick the limit is reached anyhow.
            let edge = 1e-6 * (self.to - self.from);
            let inside = t > self.from + edge && t < self.to - edge;
            if inside && least.abs() <= 10.0 * NEAR {
                found.push((t, t));
            }
        }
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
