//! Networks that several tests solve, and direct solutions of some.

use super::Random;
use stickslip::Signal;
use stickslip::model::{Network, NetworkBuilder};

/// Three inertias in a row, two clutches between them, normal forces that change, breakaway 1.1 × sliding; the last
/// is pulled back by a spring and all by the ground.
#[derive(Clone)]
pub struct Clutches {
    pub inertia: [f64; 3],
    pub torque: Signal,
    pub normal: [Signal; 2],
    pub sliding: f64,
    pub breakaway: f64,
    pub spring: f64,
}

impl Clutches {
    pub fn new(breakaway: f64, spring: f64) -> Self {
        let ramp = |t: &[f64], n: &[f64]| Signal::sampled(t, n).unwrap();
        Self {
            inertia: [1.0, 0.8, 1.5],
            torque: ramp(&[0.0, 2.0, 4.0, 10.0], &[0.0, 7.0, -5.0, 3.0])
                + Signal::harmonic(0.6, 3.0, 0.5),
            normal: [
                ramp(&[0.0, 1.0, 3.0, 6.0, 10.0], &[0.5, 5.0, 5.0, 1.0, 6.0]),
                ramp(&[0.0, 2.0, 5.0, 7.0, 10.0], &[1.0, 4.0, 0.5, 6.0, 6.0]),
            ],
            sliding: 0.5,
            breakaway,
            spring,
        }
    }

    /// Accelerations and clutch torques in the modes `s` (0 stuck, ±1), by hand for each of the four kinds.
    fn rates(&self, t: f64, u: &[f64; 6], s: [i8; 2]) -> ([f64; 3], [f64; 2]) {
        let (j, f, back) = (self.inertia, self.torque.value(t), -self.spring * u[2]);
        let slide = |k: usize| f64::from(s[k]) * self.sliding * self.normal[k].value(t);
        let (l1, l2) = match s {
            [0, 0] => {
                let a = (f + back) / (j[0] + j[1] + j[2]);
                ((j[1] + j[2]) * a - back, j[2] * a - back)
            }
            [0, _] => {
                let l2 = slide(1);
                (j[1] * (f - l2) / (j[0] + j[1]) + l2, l2)
            }
            [_, 0] => {
                let l1 = slide(0);
                (l1, (l1 + back) * j[2] / (j[1] + j[2]) - back)
            }
            _ => (slide(0), slide(1)),
        };
        ([(f - l1) / j[0], (l1 - l2) / j[1], (l2 + back) / j[2]], [l1, l2])
    }

    /// One step of the classical Runge–Kutta method.
    fn step(&self, u: [f64; 6], t: f64, h: f64, s: [i8; 2]) -> [f64; 6] {
        let slope = |t: f64, u: [f64; 6]| {
            let a = self.rates(t, &u, s).0;
            [u[3], u[4], u[5], a[0], a[1], a[2]]
        };
        let add = |k: &[f64; 6], h: f64| std::array::from_fn(|i| u[i] + h * k[i]);
        let k1 = slope(t, u);
        let k2 = slope(t + 0.5 * h, add(&k1, 0.5 * h));
        let k3 = slope(t + 0.5 * h, add(&k2, 0.5 * h));
        let k4 = slope(t + h, add(&k3, h));
        std::array::from_fn(|i| u[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]))
    }

    /// Small steps that end at the breakpoints, events by bisection: (time, clutch, mode) and the last state.
    pub fn solve(&self, end: f64) -> (Vec<(f64, usize, i8)>, [f64; 6]) {
        let (mut t, mut u, mut s) = (0.0, [0.0; 6], [0i8; 2]);
        let mut events = Vec::new();
        let h = 2.5e-4;
        let mut steps = 0.0;
        while t < end - 1e-13 {
            let bad = |dt: f64| -> Option<usize> {
                let w = self.step(u, t, dt, s);
                let l = self.rates(t + dt, &w, s).1;
                (0..2).find(|&k| {
                    let limit = self.breakaway * self.normal[k].value(t + dt);
                    if s[k] == 0 {
                        l[k].abs() > limit
                    } else {
                        f64::from(s[k]) * (w[3 + k] - w[4 + k]) < 0.0
                    }
                })
            };
            let next = h * (steps + 1.0);
            let dt = next - t;
            let Some(_) = bad(dt) else {
                (u, t, steps) = (self.step(u, t, dt, s), next, steps + 1.0);
                continue;
            };
            let (mut low, mut high) = (0.0, dt);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if bad(middle).is_some() { high = middle } else { low = middle }
            }
            let k = bad(high).unwrap();
            u = self.step(u, t, high, s);
            t += high;
            if s[k] == 0 {
                s[k] = if self.rates(t, &u, s).1[k] > 0.0 { 1 } else { -1 };
            } else {
                let was = s[k];
                let mean = 0.5 * (u[3 + k] + u[4 + k]);
                s[k] = 0;
                let held = self.breakaway * self.normal[k].value(t);
                if self.rates(t, &u, s).1[k].abs() <= held {
                    (u[3 + k], u[4 + k]) = (mean, mean);
                } else {
                    s[k] = -was;
                }
            }
            events.push((t, k, s[k]));
        }
        (events, u)
    }

    pub fn network(&self) -> Network {
        let mut b = Network::builder();
        for (i, j) in self.inertia.iter().enumerate() {
            b = b.node(format!("j{i}"), *j);
        }
        b = b
            .slider("c1", "j0", "j1", self.breakaway, self.sliding)
            .normal(self.normal[0].clone())
            .slider("c2", "j1", "j2", self.breakaway, self.sliding)
            .normal(self.normal[1].clone())
            .force("j0", self.torque.clone());
        if self.spring > 0.0 {
            b = b.spring("j2", "ground", self.spring);
        }
        b.build().unwrap()
    }
}

/// What random networks have.
#[derive(Debug, Clone, Copy)]
pub struct Features {
    /// Loops of sliders, most of them; and a third has a hand that moves now and then.
    pub loops: bool,
    /// Sliders with f_s > f_d, half of them.
    pub two_phase: bool,
}

/// A tree of nodes with and without mass; springs and dashpots between them and to the ground; sliders, some under a
/// normal force that changes and nearly vanishes. With loops one to four more sliders between any two places.
pub fn random(r: &mut Random, features: Features) -> Network {
    let (mut b, count) = tree(r, features);
    if !features.loops {
        return b.build().unwrap();
    }
    let mut hand = 0;
    if r.chance(0.3) {
        let mut motion = vec![0.0];
        for i in 0..8 {
            let rests = r.chance(0.4);
            motion.push(motion[i] + if rests { 0.0 } else { r.uniform(-1.0, 1.0) });
        }
        let times: Vec<f64> = (0..9).map(|i| 2.0 * f64::from(i)).collect();
        b = b.node("hand", 0.0).motion("hand", Signal::sampled(&times, &motion).unwrap());
        let first = r.next() as usize % count;
        b = b.spring(format!("n{first}"), "hand", r.uniform(0.5, 2.0));
        hand = 1;
    }
    for k in 0..1 + r.next() % 4 {
        let i = r.next() as usize % count;
        let j = i + 1 + r.next() as usize % (count + hand);
        let other = match j {
            j if j < count => format!("n{j}"),
            j if j - i <= 2 && hand == 1 => "hand".to_owned(),
            _ => "ground".to_owned(),
        };
        let limit = r.uniform(0.2, 1.0);
        let ratio = if r.chance(0.5) || !features.two_phase { 1.0 } else { r.uniform(0.4, 1.0) };
        b = b.slider(format!("t{k}"), format!("n{i}"), other, limit, ratio * limit);
    }
    b.build().unwrap()
}

fn tree(r: &mut Random, features: Features) -> (NetworkBuilder, usize) {
    let count = 2 + (r.next() % 7) as usize;
    let mut b = Network::builder();
    for i in 0..count {
        let name = format!("n{i}");
        let mass = if i > 0 && r.chance(0.4) { 0.0 } else { r.uniform(0.2, 2.0) };
        b = b.node(&name, mass);
        if mass > 0.0 {
            b = b.starting_at(&name, r.uniform(-0.3, 0.3), r.uniform(-1.0, 1.0));
        }
        let before =
            if i == 0 || r.chance(0.2) { None } else { Some((r.next() % i as u64) as usize) };
        let other = before.map_or("ground".to_owned(), |j| format!("n{j}"));
        b = b.spring(&name, &other, r.uniform(0.5, 5.0));
        if r.chance(0.4) {
            b = b.dashpot(&name, &other, r.uniform(0.05, 0.5));
        }
        let limit = r.uniform(0.2, 1.0);
        let ratio = if r.chance(0.5) || !features.two_phase { 1.0 } else { r.uniform(0.4, 1.0) };
        // A slider to the ground or to a node that already has its own way there: never a loop.
        let end = match before {
            Some(j) if r.chance(0.4) => format!("n{j}"),
            _ => "ground".to_owned(),
        };
        if r.chance(0.8) {
            b = b.slider(format!("s{i}"), &name, end, limit, ratio * limit);
            if r.chance(0.3) {
                let wave =
                    Signal::harmonic(r.uniform(0.3, 1.0), r.uniform(0.5, 3.0), r.uniform(0.0, 6.0));
                b = b.normal(Signal::constant(1.0) + wave);
            }
        }
        if r.chance(0.6) {
            let wave =
                Signal::harmonic(r.uniform(0.5, 3.0), r.uniform(0.3, 2.0), r.uniform(0.0, 6.0));
            b = b.force(&name, wave + Signal::ramp(r.uniform(-0.1, 0.1), 0.0));
        }
    }
    (b, count)
}
