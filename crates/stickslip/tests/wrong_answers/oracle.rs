//! An independent integrator: the classical Runge–Kutta method with steps so short that nothing of a law
//! is stepped over, and bisection for every event. Slow, simple, and without any code of the schemes.

use stickslip::{EventKind, Oscillator};

/// What the oracle finds: the events up to the end of a run and the state there.
pub struct EndOfRun {
    pub events: Vec<(EventKind, f64)>,
    pub x: f64,
    pub v: f64,
}

/// The friction's magnitude while sliding, N: side, speed (m/s).
pub type Friction<'a> = &'a dyn Fn(f64, f64) -> f64;

/// The longest step, s, and the speeds on which the friction bends: below `reach` (m/s) a step changes
/// the velocity by at most `change` (m/s).
#[derive(Clone, Copy)]
pub struct Fineness {
    pub step: f64,
    pub reach: f64,
    pub change: f64,
}

struct Run<'a> {
    o: &'a Oscillator,
    friction: Friction<'a>,
    fineness: Fineness,
    /// The breakpoint ahead, s: signals are read on its left.
    ahead: f64,
    t: f64,
    x: f64,
    v: f64,
    /// 0 at rest.
    side: f64,
    since: f64,
    events: Vec<(EventKind, f64)>,
}

/// Solves on [0, `end`] (s), laws without ageing and supports without stops.
pub fn solve(o: &Oscillator, friction: Friction<'_>, end: f64, fineness: Fineness) -> EndOfRun {
    let signals = [Some(&o.drive), Some(&o.force), Some(&o.support), o.normal.as_ref()];
    let mut breaks: Vec<f64> =
        signals.iter().flatten().flat_map(|s| s.breakpoints(0.0, end)).collect();
    breaks.push(end);
    breaks.sort_by(f64::total_cmp);
    let mut run = Run {
        o,
        friction,
        fineness,
        ahead: breaks[0],
        t: 0.0,
        x: o.initial.displacement,
        v: o.initial.velocity,
        side: 0.0,
        since: 0.0,
        events: Vec::new(),
    };
    run.begin(false);
    for at in breaks {
        run.ahead = at;
        while run.t < at {
            run.step();
        }
        if at < end {
            run.ahead = at + 1e-9; // what holds on the right
            run.begin(true);
        }
    }
    EndOfRun { events: run.events, x: run.x, v: run.v }
}

impl Run<'_> {
    fn time(&self, t: f64) -> f64 {
        if t >= self.ahead { self.ahead * (1.0 - 1e-15) } else { t }
    }

    fn support(&self, t: f64) -> f64 {
        self.o.support.value(self.time(t))
    }

    fn at_rest(&self, t: f64, x: f64) -> f64 {
        let t = self.time(t);
        self.o.load(x, self.o.support.value(t), t) - self.o.mass * self.o.support.derivative(t)
    }

    fn limit(&self, side: f64, t: f64) -> f64 {
        self.o.normal_force(self.x, self.time(t)) * self.o.friction.limit(side, t - self.since)
    }

    fn record(&mut self, kind: EventKind) {
        self.events.push((kind, self.t));
    }

    /// What begins now; `known`: there is a phase before.
    fn begin(&mut self, known: bool) {
        let w = self.v - self.support(self.t);
        let before = self.side;
        if w.abs() > 1e-12 * (1.0 + self.v.abs()) {
            self.side = w.signum();
        } else {
            self.rests();
        }
        if known && before != self.side {
            self.record(match (before == 0.0, self.side == 0.0) {
                (true, _) => EventKind::Slip,
                (_, true) => EventKind::Stick,
                _ => EventKind::Reversal,
            });
        }
    }

    fn rests(&mut self) {
        self.v = self.support(self.t);
        let b = self.at_rest(self.t, self.x);
        let beyond = b.abs() > self.limit(b, self.t) * (1.0 + 1e-13);
        self.side = if beyond { b.signum() } else { 0.0 };
        self.since = self.t;
    }

    fn acceleration(&self, side: f64, t: f64, x: f64, v: f64) -> f64 {
        let at = self.time(t);
        let speed = (side * (v - self.o.support.value(at))).max(0.0);
        let friction = self.o.normal_force(x, at) * (self.friction)(side, speed);
        (self.o.load(x, v, at) - side * friction) / self.o.mass
    }

    fn runge_kutta(&self, h: f64) -> (f64, f64) {
        let (t, x, v, s) = (self.t, self.x, self.v, self.side);
        let a1 = self.acceleration(s, t, x, v);
        let (x2, v2) = (x + 0.5 * h * v, v + 0.5 * h * a1);
        let a2 = self.acceleration(s, t + 0.5 * h, x2, v2);
        let (x3, v3) = (x + 0.5 * h * v2, v + 0.5 * h * a2);
        let a3 = self.acceleration(s, t + 0.5 * h, x3, v3);
        let (x4, v4) = (x + h * v3, v + h * a3);
        let a4 = self.acceleration(s, t + h, x4, v4);
        (
            x + h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4),
            v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4),
        )
    }

    /// Where a mass at rest is carried in `h`: Simpson's rule on v_s.
    fn carried(&self, h: f64) -> f64 {
        let [a, b, c] = [0.0, 0.5, 1.0].map(|s| self.support(self.t + s * h));
        self.x + h / 6.0 * (a + 4.0 * b + c)
    }

    fn step(&mut self) {
        if self.side == 0.0 { self.stay() } else { self.slide() }
    }

    fn stay(&mut self) {
        let h = self.fineness.step.min(self.ahead - self.t);
        let leaves = |run: &Self, h: f64| {
            let b = run.at_rest(run.t + h, run.carried(h));
            b.abs() > run.limit(b, run.t + h) * (1.0 + 1e-14)
        };
        let (mut lo, mut hi) = (0.0, h);
        let leaving = leaves(self, h);
        if leaving {
            for _ in 0..60 {
                let mid = 0.5 * (lo + hi);
                if leaves(self, mid) { hi = mid } else { lo = mid }
            }
        }
        let (x, t) = (self.carried(hi), if hi == h { self.end_of(h) } else { self.t + hi });
        let b = self.at_rest(self.t + hi, x);
        (self.x, self.t, self.v) = (x, t, self.support(t));
        if leaving {
            self.side = b.signum();
            self.record(EventKind::Slip);
        }
    }

    fn end_of(&self, h: f64) -> f64 {
        if self.t + h >= self.ahead * (1.0 - 1e-15) { self.ahead } else { self.t + h }
    }

    fn slide(&mut self) {
        let w = self.side * (self.v - self.support(self.t));
        let Fineness { step, reach, change } = self.fineness;
        let a = self.acceleration(self.side, self.t, self.x, self.v).abs();
        let way = if w < 2.0 * reach { change } else { 0.25 * (w - reach) };
        let fine = if reach > 0.0 { way / a.max(1e-3) } else { step };
        let h = step.min(fine).min(self.ahead - self.t);
        let speed = |run: &Self, h: f64| {
            let (_, v) = run.runge_kutta(h);
            run.side * (v - run.support(run.t + h))
        };
        // Setting out, the speed begins at zero: what counts is that it falls below zero later.
        if speed(self, h) > 0.0 {
            let t = self.end_of(h);
            ((self.x, self.v), self.t) = (self.runge_kutta(h), t);
            return;
        }
        let (mut lo, mut hi) = (0.0, h);
        for _ in 0..70 {
            let mid = 0.5 * (lo + hi);
            if speed(self, mid) <= 0.0 { hi = mid } else { lo = mid }
        }
        (self.x, self.v) = self.runge_kutta(hi);
        self.t += hi;
        let before = self.side;
        self.rests();
        if self.side == 0.0 {
            self.record(EventKind::Stick);
        } else if self.side != before {
            self.record(EventKind::Reversal);
        }
    }
}
