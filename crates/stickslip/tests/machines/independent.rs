//! An independent solution of small machines: classical Runge–Kutta steps of a fixed length on all nodes, with the forces of
//! what rests from one linear system, what rests decided by trying every combination, and events found by halving.
//!
//! Nothing of it is shared with the scheme: no coordinates of modes, no pivots, no interpolation, no polynomials. It holds
//! for machines in which what rests at once is never tied by more sliders than it takes.

use stickslip::Law;

/// A slider from one node to another, or to the ground.
pub struct Slider {
    pub ends: [Option<usize>; 2],
    pub law: Law,
    /// Velocity of its surface, m/s.
    pub surface: Box<dyn Fn(f64) -> f64>,
    /// The derivative of that.
    pub surface_rate: Box<dyn Fn(f64) -> f64>,
    /// Normal force, or 1.
    pub normal: Box<dyn Fn(f64) -> f64>,
}

/// The force on a node in a state: t, x, v.
pub type Force = Box<dyn Fn(f64, &[f64], &[f64]) -> f64>;

/// Nodes with masses, forces on them, sliders.
pub struct Bodies {
    pub mass: Vec<f64>,
    pub force: Vec<Force>,
    pub sliders: Vec<Slider>,
}

/// What happened: when, at which slider, and what it does from then on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Happened {
    pub time: f64,
    pub slider: usize,
    pub after: i8,
}

/// A state: displacements, then velocities.
type State = Vec<f64>;

/// Solves A x = b by elimination with pivots; `a` by rows.
fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        if a[pivot][k].abs() < 1e-12 {
            return None;
        }
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= f * a[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    Some(b)
}

impl Bodies {
    fn nodes(&self) -> usize {
        self.mass.len()
    }

    /// Velocity across slider `e`.
    fn speed(&self, e: usize, t: f64, u: &State) -> f64 {
        let n = self.nodes();
        let at = |end: Option<usize>| end.map_or(0.0, |i| u[n + i]);
        let [a, b] = self.sliders[e].ends;
        at(a) - at(b) - (self.sliders[e].surface)(t)
    }

    /// Accelerations of nodes and forces of what rests (on first ends), in these statuses.
    fn accelerations(&self, t: f64, u: &State, status: &[i8]) -> Option<(Vec<f64>, Vec<f64>)> {
        let n = self.nodes();
        let mut f: Vec<f64> = self.force.iter().map(|f| f(t, &u[..n], &u[n..])).collect();
        let held: Vec<usize> = (0..status.len()).filter(|e| status[*e] == 0).collect();
        for (e, s) in self.sliders.iter().enumerate() {
            if status[e] != 0 {
                let side = f64::from(status[e]);
                let r = side * (s.normal)(t) * s.law.force(side, side * self.speed(e, t, u));
                if let Some(a) = s.ends[0] {
                    f[a] -= r;
                }
                if let Some(b) = s.ends[1] {
                    f[b] += r;
                }
            }
        }
        let m = n + held.len();
        let mut a = vec![vec![0.0; m]; m];
        let mut b = f;
        for i in 0..n {
            a[i][i] = self.mass[i];
        }
        for (k, &e) in held.iter().enumerate() {
            for (end, sign) in self.sliders[e].ends.into_iter().zip([1.0, -1.0]) {
                if let Some(i) = end {
                    a[i][n + k] -= sign;
                    a[n + k][i] += sign;
                }
            }
            b.push((self.sliders[e].surface_rate)(t));
        }
        let solved = eliminate(a, b)?;
        let mut forces = vec![0.0; status.len()];
        held.iter().enumerate().for_each(|(k, e)| forces[*e] = solved[n + k]);
        Some((solved[..n].to_vec(), forces))
    }

    fn step(&self, t: f64, u: &State, h: f64, status: &[i8]) -> State {
        let n = self.nodes();
        let d = |t: f64, u: &State| -> State {
            let a = self.accelerations(t, u, status).expect("what rests is independent").0;
            u[n..].iter().copied().chain(a).collect()
        };
        let add =
            |k: &State, f: f64| -> State { u.iter().zip(k).map(|(u, k)| u + f * k).collect() };
        let k1 = d(t, u);
        let k2 = d(t + 0.5 * h, &add(&k1, 0.5 * h));
        let k3 = d(t + 0.5 * h, &add(&k2, 0.5 * h));
        let k4 = d(t + h, &add(&k3, h));
        (0..2 * n).map(|i| u[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])).collect()
    }

    /// The first slider that ends its status in the state, and which side it is.
    fn ends(&self, t: f64, u: &State, status: &[i8], since: &[f64]) -> Option<(usize, i8)> {
        let forces = self.accelerations(t, u, status)?.1;
        (0..status.len()).find_map(|e| {
            let s = &self.sliders[e];
            if status[e] != 0 {
                let w = f64::from(status[e]) * self.speed(e, t, u);
                return (w < 0.0).then_some((e, 0));
            }
            let limit = |side: f64| (s.normal)(t) * s.law.limit(side, t - since[e]);
            if forces[e] < -limit(1.0) {
                Some((e, 1))
            } else if forces[e] > limit(-1.0) {
                Some((e, -1))
            } else {
                None
            }
        })
    }

    /// Statuses that go on consistently, those in `open` being free to rest or slip either way: first by what they can hold
    /// at rest, then those that slip stay slipping.
    fn decide(&self, t: f64, u: &State, status: &mut [i8], open: &[usize], since: &[f64]) {
        let mut open = open.to_vec();
        loop {
            let mut found = None;
            for k in 0..3usize.pow(open.len() as u32) {
                let mut k = k;
                let mut tried = status.to_vec();
                for &e in &open {
                    tried[e] = [0, 1, -1][k % 3];
                    k /= 3;
                }
                if self.consistent(t, u, &tried, &open, since) {
                    found = Some(tried);
                    break;
                }
            }
            let found = found.expect("some combination goes on");
            let slips: Vec<usize> = open.iter().copied().filter(|e| found[*e] != 0).collect();
            status.copy_from_slice(&found);
            if slips.is_empty() {
                return;
            }
            open.retain(|e| !slips.contains(e));
        }
    }

    /// Whether those in `open` go on like this when each of them resists with what it holds at rest.
    fn consistent(&self, t: f64, u: &State, tried: &[i8], open: &[usize], since: &[f64]) -> bool {
        let n = self.nodes();
        // Those that slip from rest are loads of the size of their limits.
        let mut known: Vec<f64> = vec![0.0; n];
        let mut status = tried.to_vec();
        for &e in open {
            let s = &self.sliders[e];
            if tried[e] != 0 {
                let side = f64::from(tried[e]);
                let here = side * (s.normal)(t) * s.law.force(side, side * self.speed(e, t, u));
                let limit = side * (s.normal)(t) * s.law.limit(side, t - since[e]);
                for (end, sign) in s.ends.into_iter().zip([1.0, -1.0]) {
                    if let Some(i) = end {
                        known[i] += sign * (here - limit);
                    }
                }
            }
        }
        let force = |i: usize, t: f64, x: &[f64], v: &[f64]| (self.force[i])(t, x, v) + known[i];
        let Some((a, forces)) = self.with(&force).accelerations(t, u, &status) else {
            return false;
        };
        status.clear();
        open.iter().all(|&e| {
            let s = &self.sliders[e];
            let at = |end: Option<usize>| end.map_or(0.0, |i| a[i]);
            let relative = at(s.ends[0]) - at(s.ends[1]) - (s.surface_rate)(t);
            let limit = |side: f64| (s.normal)(t) * s.law.limit(side, t - since[e]);
            match tried[e] {
                0 => -limit(1.0) <= forces[e] && forces[e] <= limit(-1.0),
                side => f64::from(side) * relative >= 0.0,
            }
        })
    }

    /// The same bodies under other forces.
    fn with<'a>(&'a self, force: &'a Each<'a>) -> Forced<'a> {
        Forced { bodies: self, force }
    }

    /// From `u` to `end` (s) by steps of `h` (s): the last state and what happened; nothing where rounding sends it round in
    /// circles.
    pub fn solve(&self, u: State, end: f64, h: f64) -> Option<(State, Vec<Happened>)> {
        let mut status: Vec<i8> = (0..self.sliders.len())
            .map(|e| self.speed(e, 0.0, &u).partial_cmp(&0.0).map_or(0, |o| o as i8))
            .collect();
        let (mut t, mut u) = (0.0, u);
        let mut since = vec![0.0; status.len()];
        let open: Vec<usize> = (0..status.len()).filter(|e| status[*e] == 0).collect();
        self.decide(t, &u, &mut status, &open, &since);
        let mut happened = Vec::new();
        let mut rounds = 0.0;
        while t < end {
            rounds += 1.0;
            if rounds > 2.0 * end / h + 1e3 {
                return None;
            }
            let length = h.min(end - t);
            let next = self.step(t, &u, length, &status);
            if self.ends(t + length, &next, &status, &since).is_none() {
                t = if length < h { end } else { t + length };
                u = next;
                continue;
            }
            let (mut lo, mut hi) = (0.0, length);
            for _ in 0..60 {
                let mid = 0.5 * (lo + hi);
                let there = self.step(t, &u, mid, &status);
                if self.ends(t + mid, &there, &status, &since).is_some() {
                    hi = mid;
                } else {
                    lo = mid;
                }
            }
            let there = self.step(t, &u, hi, &status);
            let (e, after) =
                self.ends(t + hi, &there, &status, &since).expect("halving ends behind it");
            t += hi;
            u = there;
            let before = status.clone();
            status[e] = after;
            let open: Vec<usize> =
                (0..status.len()).filter(|k| status[*k] == 0 && (after == 0 || *k != e)).collect();
            self.decide(t, &u, &mut status, &open, &since);
            self.settle(t, &mut u, &status);
            for k in 0..status.len() {
                if status[k] != before[k] {
                    since[k] = t;
                    happened.push(Happened { time: t, slider: k, after: status[k] });
                }
            }
            assert!(happened.len() < 10_000, "{happened:?}");
        }
        Some((u, happened))
    }

    /// Takes the rounding out of the velocities across what rests: the lighter share of it to each end.
    fn settle(&self, t: f64, u: &mut State, status: &[i8]) {
        let n = self.nodes();
        for _ in 0..50 {
            for e in 0..status.len() {
                let [a, b] = self.sliders[e].ends;
                if status[e] != 0 {
                    continue;
                }
                let w = self.speed(e, t, u);
                let inverse = |end: Option<usize>| end.map_or(0.0, |i| 1.0 / self.mass[i]);
                let p = w / (inverse(a) + inverse(b));
                if let Some(i) = a {
                    u[n + i] -= p / self.mass[i];
                }
                if let Some(i) = b {
                    u[n + i] += p / self.mass[i];
                }
            }
        }
    }
}

/// The force on each node in a state.
type Each<'a> = dyn Fn(usize, f64, &[f64], &[f64]) -> f64 + 'a;

/// Bodies under other forces.
struct Forced<'a> {
    bodies: &'a Bodies,
    force: &'a Each<'a>,
}

impl Forced<'_> {
    fn accelerations(&self, t: f64, u: &State, status: &[i8]) -> Option<(Vec<f64>, Vec<f64>)> {
        let n = self.bodies.nodes();
        // Forces are linear in the accelerations: what the others add is seen as a difference.
        let (a, forces) = self.bodies.accelerations(t, u, status)?;
        let own: Vec<f64> = (0..n).map(|i| (self.bodies.force[i])(t, &u[..n], &u[n..])).collect();
        let more: Vec<f64> =
            (0..n).map(|i| (self.force)(i, t, &u[..n], &u[n..]) - own[i]).collect();
        let (b, g) = self.bodies.response(&more, status)?;
        let sum = |x: Vec<f64>, y: Vec<f64>| x.iter().zip(y).map(|(x, y)| x + y).collect();
        Some((sum(a, b), sum(forces, g)))
    }
}

impl Bodies {
    /// Accelerations and forces of what rests under these forces alone.
    fn response(&self, f: &[f64], status: &[i8]) -> Option<(Vec<f64>, Vec<f64>)> {
        let n = self.nodes();
        let held: Vec<usize> = (0..status.len()).filter(|e| status[*e] == 0).collect();
        let m = n + held.len();
        let mut a = vec![vec![0.0; m]; m];
        let mut b = f.to_vec();
        b.resize(m, 0.0);
        for i in 0..n {
            a[i][i] = self.mass[i];
        }
        for (k, &e) in held.iter().enumerate() {
            for (end, sign) in self.sliders[e].ends.into_iter().zip([1.0, -1.0]) {
                if let Some(i) = end {
                    a[i][n + k] -= sign;
                    a[n + k][i] += sign;
                }
            }
        }
        let solved = eliminate(a, b)?;
        let mut forces = vec![0.0; status.len()];
        held.iter().enumerate().for_each(|(k, e)| forces[*e] = solved[n + k]);
        Some((solved[..n].to_vec(), forces))
    }
}
