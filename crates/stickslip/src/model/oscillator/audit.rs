//! Where the work of the load went.

use super::Oscillator;
use crate::interrupt::Interrupt;
use crate::motion::{Energy, Motion, Phase, Segment, State, Stretch, Trajectory};
use crate::numeric::GAUSS;
use crate::signal::{Cursor, Read, Signal};

impl Oscillator {
    /// Energy lost to friction, in the damper and in the dashpots of soft stops during `s`, J; a part of it where somebody
    /// asks to stop.
    pub(crate) fn lost_in(&self, s: &Segment) -> f64 {
        let mut e = Energy::default();
        let still = self.support.is_zero() && self.normal.is_none() && self.is_linear_in_pieces();
        let constants = self.friction.constants().filter(|_| still);
        let bare = self.damping == 0.0 && self.stops.is_none_or(|stops| stops.spring().is_none());
        match constants {
            Some(_) if matches!(s.arc, Stretch::Rest(_)) => {}
            Some(sliding) if bare => {
                let travelled = (s.arc.state(s.end).x - s.arc.state(s.start).x).abs();
                e.friction = sliding[usize::from(s.phase.sign() < 0.0)].1 * travelled;
            }
            _ => add_general(self, s, fastest(self), &mut e),
        }
        e.friction + e.viscous + e.impacts
    }
}

impl Trajectory {
    /// The energy audit of this motion of `oscillator`. Work and damping are integrated by
    /// quadrature along the path, independently of how the path was found.
    pub fn energy(&self, oscillator: &Oscillator) -> Energy {
        let o = oscillator;
        let m = o.mass;
        let k = o.stiffness;
        let (start, end) = self.span();
        // A mass that hits a stop at the very start has the velocity of before in the first segment, of no length.
        let first = self.segments().first().map(|s| s.arc.state(s.start));
        let a = first.unwrap_or_else(|| self.state(start));
        let b = self.state(end);
        let mut e = Energy {
            kinetic: 0.5 * m * (b.v - a.v) * (b.v + a.v),
            elastic: 0.5 * k * (b.x - a.x) * (b.x + a.x),
            ..Energy::default()
        };
        if let Some(stops) = &o.stops {
            e.elastic += stops.energy(b.x) - stops.energy(a.x);
            e.impacts += self.lost_in_impacts(o);
        }
        let constants = o
            .friction
            .constants()
            .filter(|_| o.support.is_zero() && o.normal.is_none() && o.is_linear_in_pieces());
        let Some(sliding) = constants else {
            self.general_energy(o, &mut e);
            return e.if_complete();
        };
        let load = o.load_signal();
        // The nodes of a stepped path never go back in time, over all its segments.
        let mut steps = load.cursor();
        for s in self.segments() {
            if matches!(s.arc, Stretch::Rest(_)) {
                continue;
            }
            let travelled = (s.arc.state(s.end).x - s.arc.state(s.start).x).abs();
            e.friction += sliding[usize::from(s.phase.sign() < 0.0)].1 * travelled;
            let from = s.start;
            // Inside a segment of an exact path the load is smooth: continue its piece to the end.
            let piece = load.piece_at(from);
            let smooth = matches!(s.arc, Stretch::Slip(_) | Stretch::Offset { .. });
            let stepped = matches!(s.arc, Stretch::Steps(_));
            let mut force = |t: f64| match (smooth, stepped) {
                (true, _) => piece.derivatives(t)[0],
                (_, true) => steps.value(t),
                _ => load.value(t),
            };
            for (from, to) in Interrupt::parts_of(panels(s)) {
                let half = 0.5 * (to - from);
                for &(node, weight) in rule(s) {
                    for t in [from + half * (1.0 - node), from + half * (1.0 + node)] {
                        let State { x, v } = s.arc.state(t);
                        let power = force(t) * v;
                        e.impacts += half * weight * o.stops.map_or(0.0, |s| s.loss(x, v));
                        e.work += half * weight * power;
                        e.gross_work += half * weight * power.abs();
                        e.viscous += half * weight * o.damping * v * v;
                    }
                }
            }
        }
        e.if_complete()
    }

    /// The kinetic energy that rigid stops take: where the velocity jumps.
    fn lost_in_impacts(&self, o: &Oscillator) -> f64 {
        if o.stops.is_none_or(|s| s.restitution().is_none()) {
            return 0.0;
        }
        let jump = |pair: &[Segment]| {
            let before = pair[0].arc.state(pair[0].end);
            let after = pair[1].arc.state(pair[1].start);
            0.5 * o.mass * (before.v - after.v) * (before.v + after.v)
        };
        self.segments().windows(2).map(jump).sum()
    }

    /// Work and losses where friction varies or the support moves: all by quadrature.
    fn general_energy(&self, o: &Oscillator, e: &mut Energy) {
        let fastest = fastest(o);
        self.segments().iter().for_each(|s| add_general(o, s, fastest, e));
    }
}

/// Adds work and losses of a segment where friction varies or the support moves, all by quadrature; `fastest` is the
/// fastest of all harmonics, rad/s.
fn add_general(o: &Oscillator, s: &Segment, fastest: f64, e: &mut Energy) {
    // Where nothing moves there is no power.
    if matches!(s.arc, Stretch::Rest(_)) && o.support.is_zero() {
        return;
    }
    if matches!(s.arc, Stretch::Steps(_)) {
        add_panels::<{ 2 * GAUSS_STEP.len() }>(o, s, &GAUSS_STEP, panels(s), e);
        return;
    }
    let parts = |(from, to): (f64, f64)| {
        let n = (fastest * (to - from)).ceil().clamp(1.0, 1e4);
        let at = move |i: f64| if i == n { to } else { from + (to - from) * (i / n) };
        (0..n as u32).map(move |i| (at(f64::from(i)), at(f64::from(i) + 1.0)))
    };
    add_panels::<{ 2 * GAUSS.len() }>(o, s, &GAUSS, panels(s).flat_map(parts), e);
}

/// Adds work and losses of these panels of a segment by the rule with these pairs of nodes, `N` in all.
fn add_panels<const N: usize>(
    o: &Oscillator,
    s: &Segment,
    rule: &[(f64, f64)],
    panels: impl Iterator<Item = (f64, f64)>,
    e: &mut Energy,
) {
    let mut ahead = Signals::ahead(o, s.start);
    for (from, to) in Interrupt::parts_of(panels) {
        let half = 0.5 * (to - from);
        let times: [f64; N] = std::array::from_fn(|k| {
            let node = rule[k / 2].0;
            from + half * if k % 2 == 0 { 1.0 - node } else { 1.0 + node }
        });
        let states = s.arc.states(&times);
        // Pairs of nodes go back in time, which signals can be read at one after the other within their pieces only.
        let until = ahead.until(from);
        let signals = if times.iter().all(|t| *t < until) {
            times.map(|t| ahead.at(t))
        } else {
            let mut anywhere = Signals::anywhere(o);
            times.map(|t| anywhere.at(t))
        };
        for k in 0..N {
            let t = times[k];
            let State { x, v } = states[k];
            let [d, f, support, normal] = signals[k];
            let friction = match s.phase {
                Phase::Stick => o.friction_force(t, states[k], s.phase),
                _ => o.sliding_friction(s.phase.sign(), x, v - support, normal),
            };
            let (stop, loss) = o.stops.map_or((0.0, 0.0), |s| (s.force(x, v), s.loss(x, v)));
            let load = o.load_under(d, f, states[k], t);
            let driven = load - stop + o.stiffness * x + o.damping * v;
            let weight = half * rule[k / 2].1;
            e.impacts += weight * loss;
            e.work += weight * (driven * v + friction * support);
            e.gross_work += weight * (driven * v).abs();
            e.viscous += weight * o.damping * v * v;
            if s.phase != Phase::Stick {
                e.friction += weight * (friction * (v - support)).abs();
            }
        }
    }
}

/// The signals of an oscillator, read by `R`.
struct Signals<R> {
    drive: R,
    force: R,
    support: R,
    normal: Option<R>,
}

impl<'a> Signals<Cursor<'a>> {
    /// To be read from `t` (s) on.
    fn ahead(o: &'a Oscillator, t: f64) -> Self {
        Self::read_with(o, |signal| signal.cursor_from(t))
    }

    /// Until when all are on the pieces that hold at `t`, s.
    fn until(&mut self, t: f64) -> f64 {
        let Self { drive, force, support, normal } = self;
        let end = |signal: &mut Cursor<'_>| {
            signal.piece(t);
            signal.until()
        };
        let always =
            [end(drive), end(force), end(support)].into_iter().fold(f64::INFINITY, f64::min);
        normal.as_mut().map_or(always, |normal| always.min(end(normal)))
    }
}

impl<'a> Signals<&'a Signal> {
    /// To be read at any time.
    fn anywhere(o: &'a Oscillator) -> Self {
        Self::read_with(o, |signal| signal)
    }
}

impl<R: Read> Signals<R> {
    fn read_with<'a>(o: &'a Oscillator, reader: impl Fn(&'a Signal) -> R) -> Self {
        let normal = o.normal.as_ref().map(&reader);
        Self {
            drive: reader(&o.drive),
            force: reader(&o.force),
            support: reader(&o.support),
            normal,
        }
    }

    /// d (m), f (N), v_s (m/s) and F_n (N, or 1) at `t`.
    #[inline]
    fn at(&mut self, t: f64) -> [f64; 4] {
        let normal = self.normal.as_mut().map_or(1.0, |normal| normal.value(t));
        [self.drive.value(t), self.force.value(t), self.support.value(t), normal]
    }
}

/// The fastest of all harmonics that act on the mass, rad/s.
fn fastest(o: &Oscillator) -> f64 {
    let signals = [Some(&o.drive), Some(&o.force), Some(&o.support), o.normal.as_ref()];
    signals.into_iter().flatten().map(|s| s.fastest()).fold(0.0, f64::max)
}

/// The same with 2 points: exact for cubics, all that a step's straight interpolants need.
const GAUSS_STEP: [(f64, f64); 1] = [(0.577_350_269_189_625_8, 1.0)];

/// The rule for the panels of a segment.
fn rule(s: &Segment) -> &'static [(f64, f64)] {
    if matches!(s.arc, Stretch::Steps(_)) { &GAUSS_STEP } else { &GAUSS }
}

/// Intervals short enough for the quadrature to be exact to rounding on the segment's motion.
fn panels(s: &Segment) -> impl Iterator<Item = (f64, f64)> {
    let start = s.start;
    let end = s.end;
    let arc = match &s.arc {
        Stretch::Carried { relative, .. } => relative,
        arc => arc,
    };
    let chain = match arc {
        Stretch::Dense(dense) => Some(dense.clone()),
        _ => None,
    };
    let mut link = 0;
    let (fast, slow) = match arc {
        Stretch::Slip(arc) | Stretch::Offset { arc, .. } | Stretch::Frozen(arc) => arc.rates(),
        Stretch::Steps(grid) => (1.0 / grid.step, 1.0 / grid.step),
        Stretch::HalfPeriod { angular_frequency, .. } => (*angular_frequency, *angular_frequency),
        _ => (64.0 / (end - start), 64.0 / (end - start)),
    };
    let on_grid = matches!(s.arc, Stretch::Steps(_));
    let mut t = start;
    std::iter::from_fn(move || {
        if t >= end {
            return None;
        }
        if let Some(chain) = &chain {
            // One panel for each step of an adaptive arc.
            let from = t;
            loop {
                let (at, h) = chain.interval(link)?;
                link += 1;
                if at + h > from {
                    t = (at + h).min(end);
                    return Some((from, t));
                }
            }
        }
        // Transients on the fast rate die out: panels grow with the time since the start.
        let length =
            if on_grid { 1.0 / fast } else { (1.0 / fast + 0.25 * (t - start)).min(1.0 / slow) };
        let from = t;
        // A segment of a rounding's length has no room for panels.
        t = if from + 1.001 * length >= end || from + length <= from { end } else { from + length };
        Some((from, t))
    })
}
