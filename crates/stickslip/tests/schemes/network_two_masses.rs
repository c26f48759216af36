//! Two masses with a two-phase contact between them, against a direct event-driven solution written for them alone.

use crate::common::Random;
use stickslip::Signal;
use stickslip::model::Network;
use stickslip::scheme::network;

/// m₁ ẍ₁ = F₁ − k₁x₁ − c₁ẋ₁ − k(x₁ − x₂) − c(ẋ₁ − ẋ₂) − λ₁₂ − λ₁,
/// m₂ ẍ₂ = F₂ − k₂x₂ − c₂ẋ₂ + k(x₁ − x₂) + c(ẋ₁ − ẋ₂) + λ₁₂ − λ₂,
/// with (f_s, f_d) of each of the contacts 12 (between them), 1 and 2 (on the ground).
struct Pair {
    mass: [f64; 2],
    /// To the ground, to the ground, between.
    stiffness: [f64; 3],
    damping: [f64; 3],
    /// Amplitude, ω, φ.
    force: [[f64; 3]; 2],
    contacts: [Option<(f64, f64)>; 3],
}

/// x₁, x₂, ẋ₁, ẋ₂.
type State = [f64; 4];

/// Order of the Taylor series, and the step: (0.004 · 3)¹⁴/14! is far below a rounding.
const ORDER: usize = 14;
const STEP: f64 = 0.004;
/// A little later, s: what begins at an instant shows by then.
const LATER: f64 = 1e-7;

impl Pair {
    fn random(r: &mut Random, grounds: usize) -> Self {
        let contact = |r: &mut Random| {
            let dynamic = r.uniform(0.3, 1.0);
            Some((dynamic * r.uniform(1.05, 1.5), dynamic))
        };
        let wave = |r: &mut Random| [r.uniform(1.0, 3.0), r.uniform(0.4, 2.0), r.uniform(0.0, 6.0)];
        Self {
            mass: [r.uniform(0.5, 2.0), r.uniform(0.5, 2.0)],
            stiffness: [r.uniform(0.5, 4.0), r.uniform(0.5, 4.0), r.uniform(0.3, 3.0)],
            damping: [r.uniform(0.01, 0.1), r.uniform(0.01, 0.1), r.uniform(0.01, 0.1)],
            force: [wave(r), wave(r)],
            contacts: [
                contact(r),
                contact(r).filter(|_| grounds > 1),
                contact(r).filter(|_| grounds > 0),
            ],
        }
    }

    /// Derivative number `k` of F_i.
    fn force(&self, i: usize, t: f64, k: usize) -> f64 {
        let [size, omega, phase] = self.force[i];
        let quarter = k as f64 * std::f64::consts::FRAC_PI_2;
        size * omega.powi(k as i32) * (omega * t + phase + quarter).cos()
    }

    /// Loads without friction (their derivative number `k`) for that of the state.
    fn loads(&self, t: f64, u: &State, k: usize) -> [f64; 2] {
        let [k1, k2, kc] = self.stiffness;
        let [c1, c2, cc] = self.damping;
        let between = kc * (u[0] - u[1]) + cc * (u[2] - u[3]);
        [
            self.force(0, t, k) - k1 * u[0] - c1 * u[2] - between,
            self.force(1, t, k) - k2 * u[1] - c2 * u[3] + between,
        ]
    }

    /// Accelerations under the loads `r` where contact e slips with the force `slip[e]`, and sticks where there is none.
    fn accelerations(&self, [r1, r2]: [f64; 2], slip: [Option<f64>; 3]) -> [f64; 2] {
        let [m1, m2] = self.mass;
        match slip {
            [Some(f), Some(f1), Some(f2)] => [(r1 - f - f1) / m1, (r2 + f - f2) / m2],
            [Some(f), None, Some(f2)] => [0.0, (r2 + f - f2) / m2],
            [Some(f), Some(f1), None] => [(r1 - f - f1) / m1, 0.0],
            [None, Some(f1), Some(f2)] => [(r1 - f1 + r2 - f2) / (m1 + m2); 2],
            _ => [0.0; 2], // two that stick hold the third
        }
    }

    /// How far the contacts that stick are from their limits: negative if no forces within them do.
    fn reserve(&self, r: [f64; 2], slip: [Option<f64>; 3], limit: [f64; 3]) -> f64 {
        let [r1, r2] = r;
        match slip {
            [Some(_), Some(_), Some(_)] => f64::INFINITY,
            [Some(f), None, Some(_)] => limit[1] - (r1 - f).abs(),
            [Some(f), Some(_), None] => limit[2] - (r2 + f).abs(),
            [None, Some(f1), Some(_)] => {
                let a = self.accelerations(r, slip)[0];
                limit[0] - (r1 - f1 - self.mass[0] * a).abs()
            }
            // All stick: |λ₁₂| ≤ f, |R₁ − λ₁₂| ≤ f₁, |R₂ + λ₁₂| ≤ f₂ for some λ₁₂.
            _ => {
                let least = (-limit[0]).max(r1 - limit[1]).max(-limit[2] - r2);
                limit[0].min(r1 + limit[1]).min(limit[2] - r2) - least
            }
        }
    }

    /// Sliding forces in the mode `s` (0 sticks), none where a contact sticks. A contact that is not there slips for
    /// ever, at no force.
    fn sliding(&self, s: [i8; 3], by: [f64; 3]) -> [Option<f64>; 3] {
        std::array::from_fn(|e| match (self.contacts[e], s[e]) {
            (None, _) => Some(0.0),
            (_, 0) => None,
            (_, sign) => Some(f64::from(sign) * by[e]),
        })
    }

    fn limits(&self) -> ([f64; 3], [f64; 3]) {
        let of = |which: fn((f64, f64)) -> f64| self.contacts.map(|c| c.map_or(0.0, which));
        (of(|c| c.0), of(|c| c.1))
    }

    /// The state `dt` later by its Taylor series.
    fn later(&self, t: f64, u: &State, dt: f64, s: [i8; 3]) -> State {
        let slip = self.sliding(s, self.limits().1);
        let (mut sum, mut derivative, mut factor) = (*u, *u, 1.0);
        for k in 0..ORDER {
            let r = self.loads(t, &derivative, k);
            // Constant forces have no derivatives.
            let slip = if k == 0 { slip } else { slip.map(|f| f.map(|_| 0.0)) };
            let a = self.accelerations(r, slip);
            derivative = [derivative[2], derivative[3], a[0], a[1]];
            factor *= dt / (k + 1) as f64;
            (0..4).for_each(|i| sum[i] += factor * derivative[i]);
        }
        sum
    }

    /// Velocities across the contacts.
    fn across(u: &State) -> [f64; 3] {
        [u[2] - u[3], u[2], u[3]]
    }

    /// The mode that the laws with the forces `alpha` allow: by trying all.
    fn mode(&self, t: f64, u: &State, alpha: [f64; 3]) -> [i8; 3] {
        let (v, r) = (Self::across(u), self.loads(t, u, 0));
        let mut found = Vec::new();
        for code in 0..27 {
            let s: [i8; 3] = [code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1];
            let there = |e: usize| self.contacts[e].is_some();
            if (0..3)
                .any(|e| !there(e) && s[e] != 1 || v[e] != 0.0 && there(e) && s[e] != sign(v[e]))
            {
                continue;
            }
            let sticks = |e: usize| there(e) && s[e] == 0;
            if (0..3).filter(|&e| sticks(e)).count() == 2 && (0..3).all(there) {
                continue; // two that stick hold the third
            }
            let slip = self.sliding(s, alpha);
            let [a1, a2] = self.accelerations(r, slip);
            let a = [a1 - a2, a1, a2];
            let leaves = |e: usize| !there(e) || s[e] == 0 || v[e] != 0.0 || sign(a[e]) == s[e];
            if (0..3).all(leaves) && self.reserve(r, slip, alpha) >= 0.0 {
                found.push(s);
            }
        }
        assert_eq!(found.len(), 1, "t {t} {u:?}: {found:?}");
        found[0]
    }

    /// The rule in two phases: who is at rest is held by f_s, who breaks away goes on at f_d.
    fn decide(&self, t: f64, u: &State, was: [i8; 3]) -> [i8; 3] {
        let (breakaway, dynamic) = self.limits();
        let v = Self::across(u);
        // The loads a little later, while all goes on as it did: what has just reached its limit is beyond it.
        let w = self.later(t, u, LATER, was);
        let soon = [w[0], w[1], u[2], u[3]];
        let mut alpha =
            std::array::from_fn(|e| if v[e] == 0.0 { breakaway[e] } else { dynamic[e] });
        loop {
            let s = self.mode(t + LATER, &soon, alpha);
            let mut changed = false;
            for e in 0..3 {
                if s[e] != 0 && alpha[e] > dynamic[e] {
                    (alpha[e], changed) = (dynamic[e], true);
                }
            }
            if !changed {
                return s;
            }
        }
    }

    /// Events (time, contact, mode), and states at multiples of `every` steps.
    fn solve(&self, end: f64, every: usize) -> (Vec<(f64, usize, i8)>, Vec<State>) {
        let (breakaway, dynamic) = self.limits();
        let (mut t, mut u) = (0.0, [0.0; 4]);
        let mut s = self.decide(0.0, &u, [0; 3]);
        let (mut events, mut states, mut steps) = (Vec::new(), vec![u], 0usize);
        while steps as f64 * STEP < end - 1e-9 {
            // What is over within dt: a slip, or all that sticks.
            let over = |dt: f64| -> Option<Option<usize>> {
                let w = self.later(t, &u, dt, s);
                let v = Self::across(&w);
                let rests = (0..3).find(|&e| {
                    self.contacts[e].is_some() && s[e] != 0 && f64::from(s[e]) * v[e] < 0.0
                });
                let r = self.loads(t + dt, &w, 0);
                let gives = self.reserve(r, self.sliding(s, dynamic), breakaway) < 0.0;
                rests.map(Some).or(gives.then_some(None))
            };
            let next = (steps + 1) as f64 * STEP;
            let dt = next - t;
            if over(dt).is_none() {
                (u, t, steps) = (self.later(t, &u, dt, s), next, steps + 1);
                if steps % every == 0 {
                    states.push(u);
                }
                continue;
            }
            let (mut low, mut high) = (0.0, dt);
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                if over(middle).is_some() { high = middle } else { low = middle }
            }
            let what = over(high).unwrap();
            (u, t) = (self.later(t, &u, high, s), t + high);
            match what {
                // Who comes to rest is at rest, and so is who sticks to it.
                Some(0) if s[2] == 0 => u[2] = u[3],
                Some(0) => u[3] = u[2],
                Some(_) if s[0] == 0 => (u[2], u[3]) = (0.0, 0.0),
                Some(e) => u[e + 1] = 0.0,
                None => {}
            }
            let was = s;
            s = self.decide(t, &u, was);
            assert!(s != was, "t {t}");
            let changed = (0..3).filter(|&e| self.contacts[e].is_some() && s[e] != was[e]);
            events.extend(changed.map(|e| (t, e, s[e])));
        }
        (events, states)
    }

    fn network(&self) -> Network {
        let wave = |i: usize| {
            let [size, omega, phase] = self.force[i];
            Signal::harmonic(size, omega, phase)
        };
        let mut b = Network::builder()
            .node("1", self.mass[0])
            .node("2", self.mass[1])
            .force("1", wave(0))
            .force("2", wave(1));
        for (e, (i, j)) in [("1", "2"), ("1", "ground"), ("2", "ground")].into_iter().enumerate() {
            let branch = (e + 2) % 3;
            b = b.spring(i, j, self.stiffness[branch]).dashpot(i, j, self.damping[branch]);
            if let Some((fs, fd)) = self.contacts[e] {
                b = b.slider(format!("{e}"), i, j, fs, fd);
            }
        }
        b.build().unwrap()
    }
}

fn sign(v: f64) -> i8 {
    (v > 0.0) as i8 - (v < 0.0) as i8
}

const END: f64 = 20.0;
/// Steps between two states that are compared: 0.4 s.
const EVERY: usize = 100;

/// Events to 1e-9 s and states to 1e-9 m, m/s; with none, one and two contacts with the ground (then in a loop).
#[test]
fn exact_is_the_direct_solution() {
    for grounds in 0..3 {
        let (mut count, mut latest, mut worst) = (0, 0.0f64, 0.0f64);
        for seed in 0..crate::common::problems(40) {
            let pair = Pair::random(&mut Random(seed), grounds);
            let (events, states) = pair.solve(END, EVERY);
            let n = pair.network();
            assert_eq!(n.remarks().len(), usize::from(grounds == 2));
            let path = network::exact(&n, END).unwrap();
            // At one instant in any order.
            let order = |a: &(f64, usize, i8), b: &(f64, usize, i8)| {
                if (a.0 - b.0).abs() < 1e-9 { a.1.cmp(&b.1) } else { a.0.total_cmp(&b.0) }
            };
            let contact = |slider: usize| n.sliders()[slider].name.parse().unwrap();
            let sign = |slider: usize, t: f64| path.phase(t)[slider];
            let mut found: Vec<_> = path
                .events()
                .iter()
                .map(|e| (e.time, contact(e.place), sign(e.place, e.time)))
                .collect();
            let mut want = events;
            want.sort_by(order);
            found.sort_by(order);
            assert_eq!(found.len(), want.len(), "{grounds} {seed}: {found:?} {want:?}");
            for (a, b) in found.iter().zip(&want) {
                assert!(a.1 == b.1 && a.2 == b.2, "{grounds} {seed}: {a:?} {b:?}");
                latest = latest.max((a.0 - b.0).abs());
            }
            for (k, u) in states.iter().enumerate() {
                let w = path.state((k * EVERY) as f64 * STEP);
                let error = (0..2).map(|i| (w.x[i] - u[i]).abs().max((w.v[i] - u[2 + i]).abs()));
                worst = error.fold(worst, f64::max);
            }
            count += want.len();
            let e = path.energy(&n);
            assert!(e.relative_defect() < 1e-12 && e.friction >= 0.0, "{grounds} {seed}: {e:?}");
        }
        println!("{grounds} on the ground: {count} events, {latest:e} s; states {worst:e}");
        assert!(latest < 1e-9 && worst < 1e-9, "{grounds}: {latest:e} {worst:e}");
        assert!(count as u64 > 10 * crate::common::problems(40), "{count}");
    }
}

/// Order 1 of the implicit scheme, in spite of the law's jump: an event comes late by a part of a step, and what follows
/// with it.
#[test]
fn implicit_euler_comes_to_the_direct_solution_with_order_one() {
    for grounds in 0..3 {
        let mut orders: Vec<f64> = Vec::new();
        for seed in 0..24 {
            let pair = Pair::random(&mut Random(seed), grounds);
            let (_, states) = pair.solve(END, EVERY);
            let n = pair.network();
            let error = |halvings: u32| {
                let parts = 1usize << halvings;
                let (mut sum, mut rows) = (0.0, 0);
                network::run(&n, END, STEP / parts as f64, 1.0, |k, x, _, _, _| {
                    if k % (EVERY * parts) == 0 {
                        let u = states[k / (EVERY * parts)];
                        sum += (x[0] - u[0]).abs() + (x[1] - u[1]).abs();
                        rows += 1;
                    }
                })
                .unwrap();
                assert_eq!(rows, states.len());
                sum
            };
            orders.push((error(0) / error(3)).log2() / 3.0);
        }
        orders.sort_by(f64::total_cmp);
        let [low, median, high] = [6, 12, 18].map(|i| orders[i]);
        println!("{grounds} on the ground: orders {low:.3} {median:.3} {high:.3}");
        assert!((median - 1.0).abs() < 0.1 && low > 0.8 && high < 1.2, "{orders:?}");
    }
}
