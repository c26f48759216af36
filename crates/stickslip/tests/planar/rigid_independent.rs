//! Random models in rigid rims against another integration: Cartesian velocities in time, bisection of steps where the mass meets the
//! rim, every bounce one by one, and in contact the push that keeps the mass on its circle.

use super::independent::{Case, set_out, step};
use crate::common::{Random, sized};
use stickslip::EventKind;
use stickslip::scheme::{oscillator::adaptive::Options, planar};

/// Speed of a bounce, m/s, below which the mass stays at the rim.
const SMALL: f64 = 1e-7;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    /// It slides inside.
    Slides,
    /// It goes along the rim.
    Along,
    /// It rests inside.
    Rests,
    /// It rests at the rim.
    RestsAtRim,
}

/// The push that leaves friction the smallest share, by sections, and how much of N f_s is exceeded then.
fn held_at_rim(case: &Case, t: f64, x: [f64; 2]) -> (f64, f64) {
    let b = case.load(t, x, [0.0; 2]);
    let far = x[0].hypot(x[1]);
    let share = |push: f64| {
        let left = [0, 1].map(|i| (b[i] - push * x[i] / far) / case.e[i]);
        left[0].hypot(left[1])
    };
    let (mut low, mut high) = (0.0, 10.0 * b[0].hypot(b[1]) + 1e-12);
    for _ in 0..200 {
        let [p, q] = [(2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0];
        if share(p) < share(q) { high = q } else { low = p }
    }
    let push = 0.5 * (low + high);
    (push, share(push) - case.normal(t) * case.fs)
}

struct Run {
    case: Case,
    t: f64,
    u: [f64; 4],
    mode: Mode,
    fresh: bool,
    h: f64,
    events: Vec<(EventKind, f64)>,
}

impl Run {
    fn tell(&mut self, kind: EventKind) {
        self.events.push((kind, self.t));
    }

    fn far(&self) -> f64 {
        self.u[0].hypot(self.u[1])
    }

    fn along(&self) -> [f64; 2] {
        [-self.u[1] / self.far(), self.u[0] / self.far()]
    }

    /// On the circle, and along it.
    fn project(&mut self, radius: f64) {
        let scale = radius / self.far();
        self.u[0] *= scale;
        self.u[1] *= scale;
        let t = self.along();
        let speed = self.u[2] * t[0] + self.u[3] * t[1];
        self.u[2] = speed * t[0];
        self.u[3] = speed * t[1];
    }

    fn switch(&mut self, mode: Mode) {
        self.mode = mode;
        self.case.closed = mode == Mode::Along;
        self.h = 1e-6;
    }

    /// From rest at the rim, or from a halt there that nothing holds.
    fn leave_rest(&mut self) {
        let x = [self.u[0], self.u[1]];
        let (push, _) = held_at_rim(&self.case, self.t, x);
        let b = self.case.load(self.t, x, [0.0; 2]);
        let t = self.along();
        let far = self.far();
        let ahead: f64 = (0..2).map(|i| t[i] * (b[i] - push * x[i] / far)).sum();
        let sign = ahead.signum();
        self.u[2] = 1e-9 * sign * t[0];
        self.u[3] = 1e-9 * sign * t[1];
        if push > 1e-9 && self.case.push(self.t, &self.u) > 0.0 {
            self.switch(Mode::Along);
        } else {
            self.u[2] = 0.0;
            self.u[3] = 0.0;
            self.tell(EventKind::Release);
            self.switch(Mode::Slides);
            self.fresh = true;
        }
    }

    fn rest(&mut self, until: f64) {
        let x = [self.u[0], self.u[1]];
        let at_rim = self.mode == Mode::RestsAtRim;
        let exceeds = |case: &Case, t: f64| {
            if at_rim { held_at_rim(case, t, x).1 > 0.0 } else { case.held(t, x) > 0.0 }
        };
        let d = (until - self.t).min(1e-3);
        if !exceeds(&self.case, self.t + d) {
            self.t = if d == until - self.t { until } else { self.t + d };
            return;
        }
        let (mut low, mut high) = (0.0, d);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if exceeds(&self.case, self.t + middle) { high = middle } else { low = middle }
        }
        self.t += high;
        self.tell(EventKind::Slip);
        if at_rim {
            self.leave_rest();
        } else {
            self.switch(Mode::Slides);
            self.fresh = true;
        }
    }

    /// The end of the step of `d` at which `is_over` begins to be true.
    fn cut(&mut self, d: f64, is_over: impl Fn(&Case, f64, &[f64; 4]) -> bool) {
        let (mut low, mut high) = (0.0, d);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let (u, _) = step(&self.case, self.t, &self.u, middle);
            if is_over(&self.case, self.t + middle, &u) { high = middle } else { low = middle }
        }
        self.u = step(&self.case, self.t, &self.u, high).0;
        self.t += high;
    }

    fn strike(&mut self, radius: f64, e: f64) {
        let far = self.far();
        let n = [self.u[0] / far, self.u[1] / far];
        let out = self.u[2] * n[0] + self.u[3] * n[1];
        for i in 0..2 {
            self.u[2 + i] -= (1.0 + e) * out * n[i];
            // A little inside, so that the next step does not begin beyond the rim.
            self.u[i] = radius * (1.0 - 1e-15) * n[i];
        }
        self.h = 1e-6;
        if e * out < SMALL {
            let free = self.u;
            self.project(radius);
            let slow = self.u[2].hypot(self.u[3]) < 10.0 * SMALL;
            let x = [self.u[0], self.u[1]];
            if slow && held_at_rim(&self.case, self.t, x).1 < 0.0 {
                self.tell(EventKind::Touch);
                self.tell(EventKind::Stick);
                self.u = [x[0], x[1], 0.0, 0.0];
                self.switch(Mode::RestsAtRim);
            } else if self.case.push(self.t, &self.u) > 0.0 {
                self.tell(EventKind::Touch);
                self.switch(Mode::Along);
            } else {
                self.u = free;
            }
        }
    }

    fn slide(&mut self, until: f64) {
        let [radius, e] = self.case.wall.unwrap();
        if self.fresh {
            set_out(&self.case, &mut self.t, &mut self.u);
            self.fresh = false;
            self.h = 1e-6;
        }
        let d = self.h.min(until - self.t);
        if d <= 0.0 {
            return;
        }
        let (next, error) = step(&self.case, self.t, &self.u, d);
        if error.is_nan() || error > 1.0 {
            self.h =
                if error.is_nan() { 0.1 * d } else { d * (0.9 * error.powf(-0.2)).clamp(0.1, 0.9) };
            assert!(self.h > 1e-16, "the other integration is stuck at {}", self.t);
            return;
        }
        let along = self.mode == Mode::Along;
        if !along && next[0].hypot(next[1]) > radius {
            self.cut(d, |_, _, u| u[0].hypot(u[1]) > radius);
            self.strike(radius, e);
            return;
        }
        if along && self.case.push(self.t + d, &next) < 0.0 {
            self.cut(d, |case, t, u| case.push(t, u) < 0.0);
            self.project(radius * (1.0 - 1e-15));
            self.tell(EventKind::Release);
            self.switch(Mode::Slides);
            return;
        }
        self.t = if d == until - self.t { until } else { self.t + d };
        self.u = next;
        self.h = d * if error > 0.0 { (0.9 * error.powf(-0.2)).min(4.0) } else { 4.0 };
        // Steps between two bounces or along the rim do not pass over what is short.
        self.h = self.h.min(0.01);
        if along {
            self.project(radius);
        }
        let x = [self.u[0], self.u[1]];
        if self.u[2].hypot(self.u[3]) >= 1e-9 {
            return;
        }
        let mode = if along { Mode::RestsAtRim } else { Mode::Rests };
        let exceeds =
            if along { held_at_rim(&self.case, self.t, x).1 } else { self.case.held(self.t, x) };
        if exceeds < 0.0 {
            self.u = [x[0], x[1], 0.0, 0.0];
            self.tell(EventKind::Stick);
            self.switch(mode);
        }
    }
}

/// How many of `seeds` were compared, with how many events at the rim.
fn compare(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let mut events = 0;
    let mut compared = 0;
    for seed in seeds {
        let case = Case::in_a_wall(&mut Random(seed));
        let end = 8.0;
        let times: Vec<f64> = (1..=16).map(|i| end * f64::from(i) / 16.0).collect();
        let path = planar::solve(&case.model(), end, Options::tolerance(1e-10)).unwrap();
        let u = [case.x[0], case.x[1], case.v[0], case.v[1]];
        let rests = case.v == [0.0; 2];
        let slips = !rests || case.held(0.0, case.x) > 0.0;
        let mode = if slips { Mode::Slides } else { Mode::Rests };
        let mut run =
            Run { case, t: 0.0, u, mode, fresh: slips && rests, h: 1e-3, events: Vec::new() };
        let mut states = Vec::new();
        for &until in &times {
            while run.t < until {
                match run.mode {
                    Mode::Rests | Mode::RestsAtRim => run.rest(until),
                    Mode::Slides | Mode::Along => run.slide(until),
                }
            }
            states.push(run.u);
        }
        let want = run.events;
        // Both sum up bounces at different impacts, and the other integration turns round without a word.
        let passed = [EventKind::Impact, EventKind::Reversal];
        let told = path.events().iter().filter(|e| !passed.contains(&e.kind));
        let found: Vec<_> = told.map(|e| (e.kind, e.time)).collect();
        let kinds = |all: &[(EventKind, f64)]| all.iter().map(|e| e.0).collect::<Vec<_>>();
        assert_eq!(kinds(&found), kinds(&want), "seed {seed}: {found:?} {want:?}");
        for ((_, a), (_, b)) in found.iter().zip(&want) {
            assert!((a - b).abs() < 1e-4, "seed {seed}: {a} {b}");
        }
        for (&t, u) in times.iter().zip(&states) {
            // The other integration takes its first steps of a slip beyond the sample.
            if want.iter().any(|e| e.0 == EventKind::Slip && t > e.1 && t < e.1 + 3e-3) {
                continue;
            }
            let s = path.state(t);
            let off = (s.x[0] - u[0]).hypot(s.x[1] - u[1]);
            assert!(off < 1e-5, "seed {seed} at {t}: {off:.1e}");
        }
        let defect = path.energy().relative_defect();
        assert!(defect <= 1e-9, "seed {seed}: {defect:.1e}");
        events += path.events().iter().filter(|e| e.place == 1).count();
        compared += 1;
    }
    (compared, events)
}

#[test]
fn random_models_in_rigid_rims_agree_with_another_integration() {
    let count = sized(20, 200);
    let (compared, events) = compare(0..count);
    assert!(events > 5 * compared, "{compared} models, {events} events at the rim");
}
