//! The variational equation along a linear arc, for all numbers at once.
//!
//! There ∂ₚa is a sum of few functions of time with constant factors: 1, t, z = x − d, v, a, the normal force, and
//! cos, sin and t sin of every harmonic. The integral ∫ Φ(t − s) (0, ·) ds is taken of each of these functions, so that one more
//! number costs no more than the sum of them; it is a closed form but next to resonance, where modes nearly coincide and over short
//! arcs. There it is taken by Gauss's rule.

use super::gauss::Parts;
use super::partial::Partial;
use crate::model::Oscillator;
use crate::motion::{LinearArc, Motion, Pair, Responses, Segment, State};
use crate::portable;
use crate::signal::Signal;
use crate::study::orbit::local::Local;

/// The functions that do not belong to a harmonic: 1, t, z, v, a, F_n.
const OWN: usize = 6;
/// And those that do: cos, sin, t sin.
const OF_A_WAVE: usize = 3;

/// The functions, their integrals and the factors of each number; kept from arc to arc.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    values: Vec<f64>,
    integrals: Vec<State>,
    factors: Vec<f64>,
}

/// Where a function is looked at.
struct Node {
    /// Where the segment starts, s: the pieces of the signals are those that hold there.
    start: f64,
    t: f64,
    u: State,
    /// The sliding friction against the motion, N, or for each newton of normal force.
    resistance: f64,
}

/// The signals of the load, and that which presses.
fn signals(o: &Oscillator) -> impl Iterator<Item = &Signal> {
    [&o.drive, &o.force].into_iter().chain(o.normal.as_ref())
}

impl Shapes {
    /// How the acceleration of a mass that slips towards `side` depends on each of the numbers from `start` (s) on; `false` where
    /// that takes more than these functions.
    pub fn prepare(
        &mut self,
        o: &Oscillator,
        partials: &[Partial<'_>],
        near: &Local<'_>,
        side: f64,
        start: f64,
    ) -> bool {
        let linear = o.friction.constants().is_some()
            && o.nonlinear.is_none()
            && near.bed().is_none()
            && !signals(o).any(Signal::has_functions);
        if !linear || !partials.iter().all(Partial::is_linear) {
            return false;
        }
        let waves: usize = signals(o).map(|s| s.harmonics().len()).sum();
        let count = OWN + OF_A_WAVE * waves;
        self.values.clear();
        self.values.resize(count, 0.0);
        self.integrals.clear();
        self.integrals.resize(count, State { x: 0.0, v: 0.0 });
        self.factors.clear();
        for p in partials {
            let from = self.factors.len();
            self.factors.resize(from + count, 0.0);
            let own = &mut self.factors[from..];
            [own[2], own[3], own[4]] = [-p.stiffness, -p.damping, -p.mass];
            own[5] = -side * p.sliding(o, side);
            let weights = [o.stiffness, 1.0, -Self::resistance(o, side)];
            let mut wave = OWN;
            for ((signal, rate), weight) in signals(o).zip(p.signals()).zip(weights) {
                let of = OF_A_WAVE * signal.harmonics().len();
                if let Some(rate) = rate {
                    rate.add_factors(weight, start, own, wave);
                }
                wave += of;
            }
            own.iter_mut().for_each(|f| *f /= o.mass);
        }
        true
    }

    /// The integrals over a part of an `arc` in y = x − `origin` towards `side` in closed form, the time of the functions running from
    /// `start` (s), and what becomes of a state at the beginning of the part; `None` where that would lose digits.
    pub fn close(
        &mut self,
        o: &Oscillator,
        arc: &LinearArc,
        origin: f64,
        side: f64,
        start: f64,
        [from, to]: [f64; 2],
    ) -> Option<[[f64; 2]; 2]> {
        let r = arc.responses(from, to)?;
        let affine = r.to_affine(start);
        let [mut z, v] = r.to_motion(start, &affine)?;
        z = plus(z, origin, affine[0]);
        let mut acting = [State::default(), State::default(), affine[0]];
        let mut wave = OWN;
        for (sum, signal) in acting.iter_mut().zip(signals(o)) {
            *sum = self.answer(signal, &r, &affine, start, &mut wave)?;
        }
        let [drive, force, normal] = acting;
        z = plus(z, -1.0, drive);
        let load = plus(plus(force, -o.stiffness, z), -o.damping, v);
        let a = plus(load, -Self::resistance(o, side), normal);
        let a = State { x: a.x / o.mass, v: a.v / o.mass };
        self.integrals[..OWN].copy_from_slice(&[affine[0], affine[1], z, v, a, normal]);
        Some(r.through)
    }

    /// The response to a signal; those to its functions are noted from `wave` on.
    fn answer(
        &mut self,
        signal: &Signal,
        r: &Responses<'_>,
        affine: &[State; 2],
        start: f64,
        wave: &mut usize,
    ) -> Option<State> {
        let knot = signal.knots()[signal.piece(start)];
        let mut sum = plus(plus(State::default(), knot.at(start), affine[0]), knot.rate, affine[1]);
        for h in signal.harmonics() {
            let [now, late] = r.to_wave(h, start)?;
            let re = |of: Pair| State { x: of[0].re, v: of[1].re };
            let im = |of: Pair| State { x: of[0].im, v: of[1].im };
            sum = plus(sum, h.amplitude, re(now));
            let own = &mut self.integrals[*wave..*wave + OF_A_WAVE];
            own.copy_from_slice(&[re(now), im(now), im(late)]);
            *wave += OF_A_WAVE;
        }
        Some(sum)
    }

    /// What the sliding friction against a motion towards `side` is, N, or for each newton of normal force.
    fn resistance(o: &Oscillator, side: f64) -> f64 {
        let of = |[ahead, back]: [(f64, f64); 2]| if side < 0.0 { back.1 } else { ahead.1 };
        side * o.friction.constants().map_or(0.0, of)
    }

    /// The integrals along a segment by Gauss's rule, the arc of which is this.
    pub fn gather(&mut self, o: &Oscillator, s: &Segment, arc: &LinearArc, parts: &Parts) {
        let resistance = Self::resistance(o, s.phase.sign());
        let half = parts.half;
        let whole = arc.propagator(2.0 * half);
        self.integrals.fill(State::default());
        for i in 0..parts.count {
            for i in &mut self.integrals {
                *i = through(&whole, *i);
            }
            for (node, weight) in parts.nodes {
                let later = arc.propagator(half * (1.0 - node));
                let t = parts.middle(i) + half * node;
                let at = Node { start: s.start, t, u: s.arc.state(t), resistance };
                self.add(o, &at, [0, 1].map(|i| 2.0 * half * weight * later[i][1]));
            }
        }
    }

    /// Adds a node of the rule: the functions `since` (s) the start, weighed with what becomes of them at the end of the part.
    fn add(&mut self, o: &Oscillator, at: &Node, response: [f64; 2]) {
        let [drive, force, normal] = self.look(o, at);
        let z = at.u.x - drive;
        let load = force - o.stiffness * z - o.damping * at.u.v;
        let a = (load - at.resistance * normal) / o.mass;
        [self.values[2], self.values[3], self.values[4], self.values[5]] = [z, at.u.v, a, normal];
        for (i, value) in self.integrals.iter_mut().zip(&self.values) {
            *i = State { x: i.x + response[0] * value, v: i.v + response[1] * value };
        }
    }

    /// Drive (m), force (N) and normal force (N, or the factor 1); their functions are noted.
    fn look(&mut self, o: &Oscillator, at: &Node) -> [f64; 3] {
        let since = at.t - at.start;
        [self.values[0], self.values[1]] = [1.0, since];
        let mut of = [0.0, 0.0, 1.0];
        let mut rest = &mut self.values[OWN..];
        for (value, signal) in of.iter_mut().zip(signals(o)) {
            *value = signal.knots()[signal.piece(at.start)].at(at.t);
            for h in signal.harmonics() {
                let (sin, cos) = portable::sin_cos(h.angle(at.t));
                *value += h.amplitude * cos;
                let (own, others) = rest.split_at_mut(OF_A_WAVE);
                own.copy_from_slice(&[cos, sin, since * sin]);
                rest = others;
            }
        }
        of
    }

    /// What the arc adds to the derivatives with respect to number `k`.
    pub fn sum(&self, k: usize) -> State {
        let count = self.integrals.len();
        let factors = &self.factors[k * count..(k + 1) * count];
        let mut sum = State { x: 0.0, v: 0.0 };
        for (i, factor) in self.integrals.iter().zip(factors) {
            // A function that does not depend on the number adds nothing, even where it is infinite.
            if *factor != 0.0 {
                sum = State { x: sum.x + factor * i.x, v: sum.v + factor * i.v };
            }
        }
        sum
    }
}

/// A sum with `by` times another state.
fn plus(sum: State, by: f64, other: State) -> State {
    State { x: sum.x + by * other.x, v: sum.v + by * other.v }
}

/// What becomes of a change of the state.
pub(super) fn through(m: &[[f64; 2]; 2], d: State) -> State {
    State { x: m[0][0] * d.x + m[0][1] * d.v, v: m[1][0] * d.x + m[1][1] * d.v }
}
