//! What a loss gains from each part of the equation of motion: what reverse mode gathers before it asks how the parts depend on
//! the numbers.

use super::partial::{Here, Partial, StopRates};
use crate::model::{Oscillator, Wall};
use crate::portable;
use crate::signal::{Signal, SignalRate};

/// ∂L with respect to the parts of a signal: of each harmonic A, ω and φ, of each knot time, value and slope.
#[derive(Debug, Clone, Default)]
pub(super) struct SignalSums {
    pub waves: Vec<[f64; 3]>,
    pub knots: Vec<[f64; 3]>,
    /// The piece that was looked at last, and the time at which it holds, s.
    piece: (f64, usize),
    /// Whether anybody asks.
    wanted: bool,
}

impl SignalSums {
    pub fn new(signal: &Signal, wanted: bool) -> Self {
        let (waves, knots) =
            if wanted { (signal.harmonics().len(), signal.knots().len()) } else { (0, 0) };
        Self {
            waves: vec![[0.0; 3]; waves],
            knots: vec![[0.0; 3]; knots],
            piece: (f64::NAN, 0),
            wanted,
        }
    }

    /// `weight` for each unit of s at `t`, on the piece that holds at `from`.
    pub fn add(&mut self, signal: &Signal, from: f64, t: f64, weight: f64) {
        if !self.wanted || weight == 0.0 {
            return;
        }
        let knot = self.knot(signal, from);
        let at = signal.knots()[knot];
        let own = &mut self.knots[knot];
        *own = [own[0] - weight * at.rate, own[1] + weight, own[2] + weight * (t - at.time)];
        for (sum, h) in self.waves.iter_mut().zip(signal.harmonics()) {
            let (sin, cos) = portable::sin_cos(h.angle(t));
            let turn = weight * h.amplitude * sin;
            *sum = [sum[0] + weight * cos, sum[1] - turn * t, sum[2] - turn];
        }
    }

    /// `weight` for each unit of ṡ at `t`.
    fn add_slope(&mut self, signal: &Signal, from: f64, t: f64, weight: f64) {
        if !self.wanted || weight == 0.0 {
            return;
        }
        let knot = self.knot(signal, from);
        self.knots[knot][2] += weight;
        for (sum, h) in self.waves.iter_mut().zip(signal.harmonics()) {
            let (sin, cos) = portable::sin_cos(h.angle(t));
            let a = weight * h.amplitude;
            let w = h.angular_frequency;
            *sum =
                [sum[0] - weight * w * sin, sum[1] - a * (sin + w * t * cos), sum[2] - a * w * cos];
        }
    }

    fn knot(&mut self, signal: &Signal, from: f64) -> usize {
        if self.piece.0 != from {
            self.piece = (from, signal.piece(from));
        }
        self.piece.1
    }

    /// What all that makes of a number with which the signal changes so.
    pub fn of(&self, rate: Option<&SignalRate<'_>>) -> f64 {
        let Some(rate) = rate else { return 0.0 };
        let dot = |sums: &[[f64; 3]], rates: &[[f64; 3]]| -> f64 {
            let pairs = sums.iter().flatten().zip(rates.iter().flatten());
            pairs.filter(|(_, r)| **r != 0.0).map(|(s, r)| s * r).sum()
        };
        let (waves, knots) = rate.parts();
        dot(&self.waves, waves) + dot(&self.knots, knots)
    }
}

/// ∂L with respect to everything in the equation of motion that is a number, and the numbers that enter through functions.
#[derive(Debug)]
pub(super) struct Sums<'a> {
    o: &'a Oscillator,
    partials: &'a [Partial<'a>],
    mass: f64,
    stiffness: f64,
    damping: f64,
    normal_slope: f64,
    /// Of a sliding friction ahead and back that does not depend on the speed.
    sliding: [f64; 2],
    pub drive: SignalSums,
    pub force: SignalSums,
    pub support: SignalSums,
    pub normal: SignalSums,
    stops: StopRates,
    /// What each number gains by the ways in which it enters that are no sums of these.
    own: Vec<f64>,
    entering: Entering,
}

/// The numbers that enter in ways of their own.
#[derive(Debug)]
struct Entering {
    /// Those that change the friction law, the forces that are not linear, or when a breakpoint comes.
    law: Vec<usize>,
    forces: Vec<usize>,
    moving: Vec<usize>,
    /// Whether the friction in slip does not depend on the speed, whatever they are.
    constant: bool,
    /// Whether the normal force may change.
    presses: bool,
}

impl Entering {
    fn new(o: &Oscillator, partials: &[Partial<'_>]) -> Self {
        let which = |of: fn(&Partial<'_>) -> bool| {
            partials.iter().enumerate().filter(|(_, p)| of(p)).map(|(k, _)| k).collect()
        };
        Self {
            law: which(|p| p.changes_law()),
            forces: which(|p| p.changes_forces()),
            moving: which(|p| p.moves()),
            constant: o.friction.constants().is_some()
                && partials.iter().all(Partial::has_constant_law),
            presses: o.normal.is_some()
                || o.nonlinear.normal_slope != 0.0
                || partials.iter().any(Partial::presses),
        }
    }
}

/// Which samples are asked for: those of the drive, the force, the support, the normal force.
pub(super) type Sampled = [bool; 4];

impl<'a> Sums<'a> {
    pub fn new(o: &'a Oscillator, partials: &'a [Partial<'a>], sampled: Sampled) -> Self {
        let signal = |i: usize, s: &Signal| {
            let asked = partials.iter().any(|p| p.each_signal()[i].is_some());
            SignalSums::new(s, asked || sampled[i])
        };
        Self {
            o,
            partials,
            mass: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            normal_slope: 0.0,
            sliding: [0.0; 2],
            drive: signal(0, &o.drive),
            force: signal(1, &o.force),
            support: signal(2, &o.support),
            // Where there is none, nobody asks for it.
            normal: signal(3, o.normal.as_ref().unwrap_or(&o.force)),
            stops: StopRates::default(),
            own: vec![0.0; partials.len()],
            entering: Entering::new(o, partials),
        }
    }

    /// `weight` for each m/s² of the acceleration `a` of a mass that slips.
    pub fn acceleration(&mut self, h: &Here<'_>, a: f64, weight: f64) {
        if weight == 0.0 {
            return;
        }
        let o = self.o;
        let weight = weight / o.mass;
        let speed = (h.side * (h.v - h.near.support(h.t)[0])).max(0.0);
        self.load(h, weight);
        self.mass -= weight * a;
        let [n, ..] = h.near.normal(h.t, h.x);
        if self.entering.presses {
            self.press(h, -h.side * weight * o.friction.force(h.side, speed));
        }
        if self.entering.constant {
            self.sliding[usize::from(h.side < 0.0)] -= h.side * weight * n;
        } else {
            let by = -h.side * weight * n;
            let of = |p: &Partial<'_>| by * p.law_rate(o, |l| l.force(h.side, speed));
            by_numbers(self.partials, &mut self.own, &self.entering.law, of);
        }
        if self.support.wanted {
            let slope = h.near.friction_slope(h.side, speed);
            self.support.add(&o.support, h.from, h.t, weight * n * slope);
        }
    }

    /// `weight` for each newton of the load b.
    fn load(&mut self, h: &Here<'_>, weight: f64) {
        let o = self.o;
        let [d, ..] = h.near.signals(h.t);
        let z = h.x - d;
        self.force.add(&o.force, h.from, h.t, weight);
        self.stiffness -= weight * z;
        self.damping -= weight * h.v;
        if self.drive.wanted {
            let slope = h.near.spring_slope(h.t, h.x);
            self.drive.add(&o.drive, h.from, h.t, weight * slope);
        }
        let of = |p: &Partial<'_>| weight * p.rate(o, |m| m.nonlinear.force(z, h.x, h.v, h.t));
        by_numbers(self.partials, &mut self.own, &self.entering.forces, of);
        if let Some((at, stiffness, _)) = h.near.bed() {
            let wall = if h.x >= at { Wall::Upper } else { Wall::Lower };
            self.stops.stiffness += weight * (at - h.x);
            self.stops.damping -= weight * h.v;
            *self.stops.at_mut(wall) += weight * stiffness;
        }
    }

    /// `weight` for each newton (or unit) of the normal force.
    fn press(&mut self, h: &Here<'_>, weight: f64) {
        let [n, _, _] = h.near.normal(h.t, h.x);
        let [_, _, here] = h.near.signals(h.t);
        if n != 0.0 {
            self.normal_slope += weight * here * h.x;
        }
        if let Some(normal) = &self.o.normal {
            let factor = if here == 0.0 { 1.0 } else { n / here };
            self.normal.add(normal, h.from, h.t, weight * factor);
        }
    }

    /// `weight` for each newton of the load at rest, b − m v̇_s.
    pub fn load_at_rest(&mut self, h: &Here<'_>, weight: f64) {
        let o = self.o;
        let [s, s1, _] = h.near.support(h.t);
        self.load(&Here { v: s, ..*h }, weight);
        self.mass -= weight * s1;
        if self.support.wanted {
            let (_, bv) = h.near.load_slopes(h.t, h.x, s);
            self.support.add(&o.support, h.from, h.t, weight * bv);
            self.support.add_slope(&o.support, h.from, h.t, -weight * o.mass);
        }
    }

    /// `weight` for each newton of the limit of a mass that has rested for `age` (s).
    pub fn limit(&mut self, h: &Here<'_>, age: f64, weight: f64) {
        let o = self.o;
        let [n, ..] = h.near.normal(h.t, h.x);
        self.press(h, weight * o.friction.limit(h.side, age));
        let of = |p: &Partial<'_>| weight * n * p.law_rate(o, |l| l.limit(h.side, age));
        by_numbers(self.partials, &mut self.own, &self.entering.law, of);
    }

    /// `weight` for each m/s of the support's velocity.
    pub fn carried(&mut self, from: f64, t: f64, weight: f64) {
        self.support.add(&self.o.support, from, t, weight);
    }

    /// `weight` for each metre of the position of a stop.
    pub fn stop(&mut self, wall: Wall, weight: f64) {
        *self.stops.at_mut(wall) += weight;
    }

    /// `weights` for each unit of the restitution, the stiffness and the damping of the stops.
    pub fn bumper(&mut self, [restitution, stiffness, damping]: [f64; 3]) {
        self.stops.restitution += restitution;
        self.stops.stiffness += stiffness;
        self.stops.damping += damping;
    }

    /// `weight` for each second by which the breakpoint at `t` moves.
    pub fn moved(&mut self, t: f64, weight: f64) {
        if weight != 0.0 {
            let of = |p: &Partial<'_>| weight * p.breakpoint(t).unwrap_or(0.0);
            by_numbers(self.partials, &mut self.own, &self.entering.moving, of);
        }
    }

    /// Whether the breakpoint at `t` (s) moves with some number.
    pub fn is_moved(&self, t: f64) -> bool {
        self.entering.moving.iter().any(|k| self.partials[*k].breakpoint(t).is_some())
    }

    /// ∂L with respect to each number, but for what it changes at the start.
    pub fn numbers(&self) -> Vec<f64> {
        let one = |(p, own): (&Partial<'a>, &f64)| {
            let signals = [&self.drive, &self.force, &self.support, &self.normal];
            let of_signals: f64 =
                signals.into_iter().zip(p.each_signal()).map(|(sums, rate)| sums.of(rate)).sum();
            let sliding = [1.0, -1.0].map(|side| p.sliding(self.o, side));
            let plain = [
                (self.mass, p.mass),
                (self.stiffness, p.stiffness),
                (self.damping, p.damping),
                (self.normal_slope, p.normal_slope()),
                (self.sliding[0], sliding[0]),
                (self.sliding[1], sliding[1]),
            ];
            let plain = plain.iter().filter(|(_, r)| *r != 0.0).map(|(s, r)| s * r).sum::<f64>();
            own + of_signals + plain + self.stops.of(&p.stops)
        };
        self.partials.iter().zip(&self.own).map(one).collect()
    }
}

/// What these numbers gain, each by itself.
fn by_numbers<'a>(
    partials: &[Partial<'a>],
    own: &mut [f64],
    which: &[usize],
    of: impl Fn(&Partial<'a>) -> f64,
) {
    for &k in which {
        own[k] += of(&partials[k]);
    }
}
