//! Sticks at their limit: where the load on a mass at rest stands at the breakaway force without exceeding it, and the mass may
//! leave at will (see [`uniqueness`](super::uniqueness)).

use crate::model::{Forces, Oscillator};
use crate::motion::{Motion, Phase, Trajectory, Warning};
use crate::numeric::golden;
use crate::signal::Piece;

/// Distance from the limit, relative to the forces, that counts as being at it.
pub(crate) const NEAR: f64 = 1e-12;

/// What a rounding does to a load K (d − x) + f, relative to the size of its terms. Where a weak contact holds between large forces
/// that cancel (K d ≫ f_s), this is more than [`NEAR`] of what is left of them.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A distance from the limit, relative to the forces, that no rounding makes.
const CLEAR: f64 = 1e-6;

/// A load below this share of the limit is not near it.
const FAR: f64 = 0.9;

/// Samples of the load in each smooth stretch. A touch narrower than their spacing is refined from
/// the samples around it; what lies between two others unseen is missed.
const SAMPLES: usize = 64;

/// How often a stretch is halved before its load is sampled.
const HALVINGS: u32 = 6;

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

/// Examines the sticks [start, stop] (s) of `path` that are `wanted`.
fn examine_where(o: &Oscillator, path: &mut Trajectory, mut wanted: impl FnMut(f64, f64) -> bool) {
    if !o.friction.leaves_at_will() {
        return;
    }
    let mut found = Vec::new();
    let examine = if is_straight(o) { examine_straight } else { examine };
    for (_, start, stop) in path.phases().into_iter().filter(|p| p.0 == Phase::Stick) {
        if wanted(start, stop) {
            examine(o, path, start, stop, &mut found);
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
        let view = View { o, start, stop, from, to };
        match Rest::new(o, x(0.5 * (from + to)), from) {
            Some(rest) if rest.only_passes(from, to, HALVINGS) => view.kinks(&x, found),
            _ => view.stretch(&x, found),
        }
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
/// step, is read in turn.
fn examine_straight(
    o: &Oscillator,
    path: &Trajectory,
    start: f64,
    stop: f64,
    found: &mut Vec<(f64, f64)>,
) {
    let least = o.friction.limit(1.0, 0.0).min(o.friction.limit(-1.0, 0.0));
    let mut forces = Forces::from(o, start);
    let x = path.state(0.5 * (start + stop)).x;
    let mut from = start;
    while from < stop {
        let at_rest = forces.straight(x, from);
        let to = forces.until().min(stop);
        let last = to - 1e-12 * (to - from); // the left limit at a jump
        let [(b, n), (c, m)] = [at_rest(from), at_rest(last)];
        // Mostly the load is far below the limit, as at all times in between.
        if b.abs() < FAR * n * least && c.abs() < FAR * m * least {
            from = to;
            continue;
        }
        let first = margin(o, x, b, n, from, from - start);
        let second = margin(o, x, c, m, last, last - start);
        if first.abs() <= NEAR && second.abs() <= NEAR {
            join(found, from, to);
        } else {
            // A kink that only reaches the limit, or a load that falls from the start on; at the end of the stick the limit
            // is reached anyhow.
            for (t, m) in [(from, first), (to, second)] {
                if m.abs() <= NEAR && start <= t && t < stop {
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
    /// On the pieces that hold at `t` (s), which never goes back: from a time (s) there to the load on a mass that rests on the ground at
    /// `x` (m) and to the normal force, N.
    fn straight(&mut self, x: f64, t: f64) -> impl Fn(f64) -> (f64, f64) + use<> {
        let k = self.oscillator().stiffness;
        let (drive, force, normal) = self.pieces(t);
        move |t| (k * (drive.at(t) - x) + force.at(t), normal.map_or(1.0, |n| n.at(t)))
    }
}

/// min over both sides of limit − side·b, over the forces' size, under the load b and the normal force n at `t` (s), a time `age` (s)
/// after the mass came to rest; ∞ where leaving is no option. A rounding of the terms of the load is no more than [`NEAR`].
fn margin(o: &Oscillator, x: f64, b: f64, n: f64, t: f64, age: f64) -> f64 {
    let side = |s: f64| {
        let limit = n * o.friction.limit(s, age);
        let scale = b.abs() + limit;
        let holds_more = limit > n * o.friction.force(s, 0.0) * (1.0 + NEAR)
            || age == 0.0
            || o.friction.weakening() == f64::INFINITY;
        let free = !o.is_blocked(x, s);
        if !(holds_more && free && scale > 0.0) {
            return f64::INFINITY;
        }
        let margin = (limit - s * b) / scale;
        if margin.abs() <= NEAR || margin.abs() > CLEAR {
            return margin;
        }
        let terms = o.stiffness * (o.drive.value(t).abs() + x.abs()) + o.force.value(t).abs();
        margin * scale / (scale + ROUNDING / NEAR * terms)
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
        let load = self.o.load_at_rest(x, t);
        let normal = self.o.normal_force(x, t);
        margin(self.o, x, load, normal, t, t - self.start)
    }

    /// A kink that only reaches the limit, or the start of a stick; at its end the limit is reached anyhow.
    fn kinks(&self, x: &impl Fn(f64) -> f64, found: &mut Vec<(f64, f64)>) {
        for t in [self.from, self.to] {
            if self.start <= t && t < self.stop && self.margin(x(t), t).abs() <= NEAR {
                join(found, t, t);
            }
        }
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
        self.kinks(x, found);
        // What is at an end of the stretch is a kink, which has been looked at; a minimum must lie inside.
        let edge = 1e-6 * (self.to - self.from);
        for i in 0..=samples {
            let before = i.saturating_sub(1);
            let after = (i + 1).min(samples);
            let a = margins[before];
            let m = margins[i];
            let b = margins[after];
            // Only a local minimum that may come near zero is worth sixty looks.
            if !(m <= a && m <= b && (-NEAR..0.5).contains(&m)) {
                continue;
            }
            let (t, least) = golden(time(before), time(after), 60, &at);
            let inside = t > self.from + edge && t < self.to - edge;
            // Golden section finds a minimum to half the digits of the time, its value to all of them but a few.
            if inside && least.abs() <= 10.0 * NEAR {
                join(found, t, t);
            }
        }
    }
}

/// A mass that rests on the ground at `x` (m) under smooth loads, held by forces that do not depend on time.
struct Rest<'a> {
    x: f64,
    stiffness: f64,
    drive: Piece<'a>,
    force: Piece<'a>,
    /// Σ |A| ω² of the load: a bound on its second derivative, N/s².
    bend: f64,
    /// f_s ahead and back, N.
    limits: [f64; 2],
}

impl<'a> Rest<'a> {
    /// From `from` (s) to the next kink; `None` where more than the load varies.
    fn new(o: &'a Oscillator, x: f64, from: f64) -> Option<Self> {
        let limits = o.friction.constants().filter(|_| o.is_plain())?.map(|(fs, _)| fs);
        let drive = o.drive.piece_at(from);
        let force = o.force.piece_at(from);
        let bend = o.stiffness * drive.derivative_bound(2) + force.derivative_bound(2);
        Some(Self { x, stiffness: o.stiffness, drive, force, bend, limits })
    }

    /// Whether all over [from, to] (s) the load b stays off the limits, or only rises or only falls, so that it passes a limit
    /// without touching it. About the middle b is a straight line to within B s²/2, |b̈| ≤ B. Without the cosines of samples, and
    /// certain; where this cannot tell, halves of the time are looked at.
    fn only_passes(&self, from: f64, to: f64, halvings: u32) -> bool {
        let middle = 0.5 * (from + to);
        let half = 0.5 * (to - from);
        let d = self.drive.derivatives(middle);
        let f = self.force.derivatives(middle);
        let b = self.stiffness * (d[0] - self.x) + f[0];
        let rate = self.stiffness * d[1] + f[1];
        let size = self.stiffness * (d[0].abs() + self.x.abs()) + f[0].abs();
        let turn = half * self.bend;
        let reach = half * (rate.abs() + 0.5 * half * self.bend);
        // Far more than rounding errors and than what counts as near.
        let beyond = |limit: f64| 1e-6 * (size + limit);
        let [ahead, back] = self.limits;
        let is_off = b + reach < ahead - beyond(ahead) && reach - b < back - beyond(back);
        let is_monotonic = half * (rate.abs() - turn) > beyond(ahead.max(back));
        is_off
            || is_monotonic
            || halvings > 0
                && self.only_passes(from, middle, halvings - 1)
                && self.only_passes(middle, to, halvings - 1)
    }
}

/// Adds a stretch at the limit, joined to the one before if they touch.
fn join(found: &mut Vec<(f64, f64)>, from: f64, to: f64) {
    match found.last_mut() {
        Some(last) if from <= last.1 => last.1 = last.1.max(to),
        _ => found.push((from, to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::signal::Signal;
    use std::f64::consts::PI;

    /// f = f_s − A + A cos ωt touches f_s at t = 0 and, with A > f_s, passes −f_s between the touches, where it falls.
    #[test]
    fn a_touch_is_never_taken_for_a_passage() {
        for (limit, amplitude, w) in [(1.0, 0.3, 0.7), (2.0, 2.5, 3.0), (0.4, 0.1, 11.0)] {
            let law = Law::static_dynamic(limit, 0.5 * limit).unwrap();
            let force = Signal::constant(limit - amplitude) + Signal::harmonic(amplitude, w, 0.0);
            let o = Oscillator::new(1.0, 1.0, law).with_force(force);
            let passes = |from: f64, to: f64| {
                Rest::new(&o, 0.0, from).unwrap().only_passes(from, to, HALVINGS)
            };
            for before in [1e-9, 1e-4, 0.1, 0.9] {
                for after in [1e-9, 1e-4, 0.1, 0.9] {
                    let touch = 2.0 * PI / w;
                    assert!(
                        !passes(touch * (1.0 - before), touch * (1.0 + after)),
                        "{before} {after}"
                    );
                }
            }
            assert!(passes(0.1 * PI / w, 0.9 * PI / w));
        }
    }
}
