//! Random planar models against another integration: Cartesian velocities in time, an embedded pair of Runge and Kutta of
//! orders 4 and 5, small implicit steps where a slip begins, and nothing of the library but its random numbers.

use crate::common::Random;
use stickslip::model::Planar;
use stickslip::scheme::{oscillator::adaptive::Options, planar};
use stickslip::{EventKind, Law, Signal};

/// A sin-like wave of three numbers: A cos(ω t + φ).
type Wave = [f64; 3];

/// The numbers of a model, from which both sides are made.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub m: f64,
    k: [[f64; 2]; 2],
    c: [[f64; 2]; 2],
    pub e: [f64; 2],
    /// f_s, and f(v) = fd + (fk − fd) exp(−v r).
    pub fs: f64,
    fk: f64,
    fd: f64,
    r: f64,
    force: [Vec<Wave>; 2],
    base: [Vec<Wave>; 2],
    surface: [Vec<Wave>; 2],
    /// The normal force: 1, or 1 + a wave.
    normal: Option<Wave>,
    /// Reference and scale of the fall of the coefficient with it.
    pressure: Option<[f64; 2]>,
    /// Radius and weight of a bowl.
    bowl: Option<[f64; 2]>,
    /// Radius, stiffness and damping of a rim.
    rim: Option<[f64; 3]>,
    /// Radius and coefficient of restitution of a rigid rim, and whether the mass is in contact with it.
    pub wall: Option<[f64; 2]>,
    pub closed: bool,
    pub x: [f64; 2],
    pub v: [f64; 2],
    /// A record of the ground's accelerations, which the force takes back: times and values.
    record: Option<[Vec<f64>; 2]>,
}

fn wave(w: &Wave, t: f64, derivative: usize) -> f64 {
    let [a, omega, phase] = *w;
    match derivative {
        0 => a * (omega * t + phase).cos(),
        _ => -a * omega * (omega * t + phase).sin(),
    }
}

fn sum(waves: &[Wave], t: f64, derivative: usize) -> f64 {
    waves.iter().map(|w| wave(w, t, derivative)).sum()
}

impl Case {
    fn random(r: &mut Random) -> Self {
        let one = |r: &mut Random, size: f64| {
            [size * r.uniform(0.5, 1.5), r.uniform(0.4, 2.5), r.uniform(0.0, 6.3)]
        };
        let pair = |r: &mut Random, size: f64, n: usize| {
            [0, 1].map(|_| (0..n).map(|_| one(r, size)).collect::<Vec<_>>())
        };
        let square = |r: &mut Random, size: f64| {
            let [a, b] = [size * r.uniform(0.0, 1.0), size * r.uniform(0.0, 1.0)];
            let c = r.uniform(-0.9, 0.9) * (a * b).sqrt();
            [[a, c], [c, b]]
        };
        let fd = r.uniform(0.4, 1.2);
        let [fs, fk, rate] = match r.next() % 4 {
            0 => [fd, fd, 1.0],
            1 => [fd * r.uniform(1.0, 1.4), fd, 1.0],
            2 => {
                let fk = fd * r.uniform(1.05, 1.5);
                [fk, fk, r.uniform(0.5, 4.0)]
            }
            _ => {
                let fk = fd * r.uniform(0.4, 0.95);
                [fk, fk, r.uniform(0.5, 4.0)]
            }
        };
        let rests = r.chance(0.5);
        let v = [0, 1].map(|_| if rests { 0.0 } else { r.uniform(-1.0, 1.0) });
        let e = if r.chance(0.4) { [r.uniform(0.6, 1.4), r.uniform(0.6, 1.4)] } else { [1.0; 2] };
        let moves = r.chance(0.2);
        let shaken = r.chance(0.5);
        let pressed = r.chance(0.2);
        Self {
            m: r.uniform(0.5, 2.0),
            k: square(r, 1.5),
            c: square(r, 0.3),
            e,
            fs,
            fk,
            fd,
            r: rate,
            force: pair(r, 0.7, 2),
            base: if shaken { pair(r, 0.4, 1) } else { [vec![], vec![]] },
            surface: if moves { pair(r, 0.2, 1) } else { [vec![], vec![]] },
            normal: pressed.then(|| [0.4, r.uniform(0.4, 2.5), r.uniform(0.0, 6.3)]),
            pressure: None,
            bowl: None,
            rim: None,
            wall: None,
            closed: false,
            record: None,
            x: [0, 1].map(|_| r.uniform(-0.3, 0.3)),
            v,
        }
    }

    /// One on a bowl that stands, in which half of the coefficients fall with the pressure.
    fn on_a_bowl(r: &mut Random) -> Self {
        let plain = Self::random(r);
        let pressed = r.chance(0.5);
        let wave = [0.4, r.uniform(0.4, 2.5), r.uniform(0.0, 6.3)];
        Self {
            surface: [vec![], vec![]],
            normal: if pressed { Some(wave) } else { plain.normal },
            pressure: pressed.then(|| [r.uniform(0.5, 1.5), r.uniform(0.6, 3.0)]),
            bowl: Some([r.uniform(1.8, 3.0), r.uniform(4.0, 8.0)]),
            ..plain
        }
    }

    /// One on a surface that stands, with a rim that it meets.
    fn in_a_rim(r: &mut Random) -> Self {
        let plain = Self::random(r);
        let damping = if r.chance(0.5) { 0.0 } else { r.uniform(0.5, 4.0) };
        Self {
            surface: [vec![], vec![]],
            rim: Some([r.uniform(0.2, 0.5), r.uniform(5.0, 40.0), damping]),
            ..plain
        }
    }

    /// One on a surface that stands, in a rigid rim that it meets.
    pub(super) fn in_a_wall(r: &mut Random) -> Self {
        let plain = Self::random(r);
        let e = if r.chance(0.2) { 0.0 } else { r.uniform(0.1, 0.8) };
        let radius = r.uniform(0.2, 0.5);
        let start = plain.x.map(|x| 0.6 * radius / 0.3 * x);
        Self { surface: [vec![], vec![]], wall: Some([radius, e]), x: start, ..plain }
    }

    /// The model for the library.
    pub(super) fn model(&self) -> Planar {
        let signal = |waves: &Vec<Wave>| {
            let of = |w: &Wave| Signal::harmonic(w[0], w[1], w[2]);
            waves.iter().map(of).fold(Signal::default(), |a, b| a + b)
        };
        let both = |waves: &[Vec<Wave>; 2]| [signal(&waves[0]), signal(&waves[1])];
        let law = if self.fk == self.fd {
            Law::static_dynamic(self.fs, self.fd)
        } else if self.fk > self.fd {
            Law::stribeck_exponential(self.fk, self.fd, 1.0 / self.r, 1.0, 0.0)
        } else {
            Law::velocity_strengthening(self.fk, self.fd, self.r)
        };
        let mut model = Planar::new(self.m, law.unwrap())
            .with_stiffness_matrix(self.k)
            .with_damping_matrix(self.c)
            .with_ellipse(self.e)
            .with_force(both(&self.force))
            .with_base(both(&self.base))
            .with_support(both(&self.surface))
            .starting_at(self.x, self.v);
        if let Some([times, values]) = &self.record {
            let shaken = Signal::sampled(times, values).unwrap();
            for i in 0..2 {
                model.base[i] = model.base[i].clone() + shaken.clone();
                model.force[i] = model.force[i].clone() + self.m * shaken.clone();
            }
        }
        if let Some(w) = &self.normal {
            model = model.with_normal(Signal::constant(1.0) + Signal::harmonic(w[0], w[1], w[2]));
        }
        if let Some([reference, scale]) = self.pressure {
            model = model.with_pressure(reference, scale);
        }
        if let Some([radius, weight]) = self.bowl {
            model = model.with_bowl(radius, weight);
        }
        if let Some([radius, stiffness, damping]) = self.rim {
            model = model.with_rim(radius, stiffness, damping);
        }
        if let Some([radius, e]) = self.wall {
            model = model.with_rigid_rim(radius, e);
        }
        model
    }

    fn surface(&self, t: f64) -> [f64; 2] {
        [0, 1].map(|i| sum(&self.surface[i], t, 0))
    }

    pub(super) fn normal(&self, t: f64) -> f64 {
        let n = 1.0 + self.normal.as_ref().map_or(0.0, |w| wave(w, t, 0));
        n * self.pressure.map_or(1.0, |[n0, scale]| (-(n - n0) / scale).exp())
    }

    /// All forces on the mass but friction and what its surface's acceleration takes.
    pub(super) fn load(&self, t: f64, x: [f64; 2], v: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|i| {
            let held = self.k[i][0] * x[0] + self.k[i][1] * x[1];
            // The slope of the sphere is that of an angle whose sine is |r|/R.
            let slope = |[radius, weight]: [f64; 2]| {
                let sine = x[0].hypot(x[1]) / radius;
                weight * sine.asin().tan() * if sine > 0.0 { x[i] / (sine * radius) } else { 0.0 }
            };
            let held = held + self.bowl.map_or(0.0, slope) + self.pushed(x, v, i);
            let damped = self.c[i][0] * v[0] + self.c[i][1] * v[1];
            sum(&self.force[i], t, 0) - self.m * sum(&self.base[i], t, 0) - held - damped
        })
    }

    /// What the rim does against the axis `i`.
    fn pushed(&self, x: [f64; 2], v: [f64; 2], i: usize) -> f64 {
        let far = x[0].hypot(x[1]);
        match self.rim {
            Some([radius, k, c]) if far > radius => {
                let speed = (x[0] * v[0] + x[1] * v[1]) / far;
                (k * (far - radius) + c * speed).max(0.0) * x[i] / far
            }
            _ => 0.0,
        }
    }

    fn sliding(&self, t: f64, w: [f64; 2]) -> [f64; 2] {
        let v = w[0].hypot(w[1]);
        let f = self.normal(t) * (self.fd + (self.fk - self.fd) * (-self.r * v).exp());
        let s = (self.e[0] * w[0]).hypot(self.e[1] * w[1]);
        [0, 1].map(|i| -f * self.e[i] * self.e[i] * w[i] / s)
    }

    /// What the surface has to hold at rest, over what it can.
    pub(super) fn held(&self, t: f64, x: [f64; 2]) -> f64 {
        let v = self.surface(t);
        let b = self.load(t, x, v);
        let b = [0, 1].map(|i| (b[i] - self.m * sum(&self.surface[i], t, 1)) / self.e[i]);
        b[0].hypot(b[1]) - self.normal(t) * self.fs
    }

    fn rate(&self, t: f64, u: &[f64; 4]) -> [f64; 4] {
        let s = self.surface(t);
        let v = [u[2], u[3]];
        let b = self.load(t, [u[0], u[1]], v);
        let f = self.sliding(t, [v[0] - s[0], v[1] - s[1]]);
        let push = if self.closed { self.push(t, u) } else { 0.0 };
        let far = u[0].hypot(u[1]);
        let a = [0, 1].map(|i| (b[i] + f[i] - push * u[i] / far) / self.m);
        [v[0], v[1], a[0], a[1]]
    }

    /// What keeps a mass that goes along a rigid rim on its circle.
    pub(super) fn push(&self, t: f64, u: &[f64; 4]) -> f64 {
        let v = [u[2], u[3]];
        let b = self.load(t, [u[0], u[1]], v);
        let f = self.sliding(t, v);
        let far = u[0].hypot(u[1]);
        let across = |w: [f64; 2]| (w[0] * u[0] + w[1] * u[1]) / far;
        let along = (v[1] * u[0] - v[0] * u[1]) / far;
        across(b) + across(f) + self.m * along * along / far
    }
}

/// Coefficients of Dormand and Prince.
const A: [[f64; 6]; 7] = [
    [0.0; 6],
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
const C: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
const E: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// A step of `h`, and its error over the tolerance.
pub(super) fn step(case: &Case, t: f64, u: &[f64; 4], h: f64) -> ([f64; 4], f64) {
    let mut k = [[0.0; 4]; 7];
    let mut stage = *u;
    for i in 0..7 {
        stage = *u;
        for (j, s) in stage.iter_mut().enumerate() {
            *s += h * (0..i).map(|l| A[i][l] * k[l][j]).sum::<f64>();
        }
        k[i] = case.rate(t + C[i] * h, &stage);
    }
    let error = (0..4).map(|j| {
        let e: f64 = h * (0..7).map(|i| E[i] * k[i][j]).sum::<f64>();
        e.abs() / (1e-12 + 1e-11 * stage[j].abs())
    });
    (stage, error.fold(0.0, f64::max))
}

/// Small implicit steps with friction along the velocity at their end, where a slip begins.
pub(super) fn set_out(case: &Case, t: &mut f64, u: &mut [f64; 4]) {
    let h = 2e-6;
    for _ in 0..1000 {
        let next = *t + h;
        let s = case.surface(next);
        let b = case.load(next, [u[0], u[1]], [u[2], u[3]]);
        let q = [0, 1].map(|i| u[2 + i] - s[i] + h * b[i] / case.m);
        let now = [u[2] - case.surface(*t)[0], u[3] - case.surface(*t)[1]];
        let v = now[0].hypot(now[1]);
        let f = case.normal(next) * (case.fd + (case.fk - case.fd) * (-case.r * v).exp());
        let lambda = h * f / case.m;
        // |E w| by bisection of Σ (e q/(σ + λ e²))² = 1.
        let sum = |sigma: f64| -> f64 {
            (0..2).map(|i| (case.e[i] * q[i] / (sigma + lambda * case.e[i].powi(2))).powi(2)).sum()
        };
        let mut low = 0.0;
        let mut high = 2.0 * (q[0].hypot(q[1]) + lambda);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if sum(middle) > 1.0 { low = middle } else { high = middle }
        }
        let w = [0, 1].map(|i| q[i] * low / (low + lambda * case.e[i].powi(2)));
        for i in 0..2 {
            u[2 + i] = w[i] + s[i];
            u[i] += h * u[2 + i];
        }
        *t = next;
    }
}

/// What happened and the states at these times.
fn integrate(case: &Case, times: &[f64]) -> (Vec<(EventKind, f64)>, Vec<[f64; 4]>) {
    let mut t = 0.0;
    let mut u = [case.x[0], case.x[1], case.v[0], case.v[1]];
    let mut events = Vec::new();
    let mut states = Vec::new();
    let s = case.surface(0.0);
    let mut slips = [u[2] - s[0], u[3] - s[1]] != [0.0; 2] || case.held(0.0, case.x) > 0.0;
    let mut fresh = slips && [u[2] - s[0], u[3] - s[1]] == [0.0; 2];
    let mut h: f64 = 1e-3;
    for &until in times {
        while t < until {
            if !slips {
                // At rest the surface carries it: steps of 1 ms by Simpson's rule, and bisection.
                let d = (until - t).min(1e-3);
                let carried = |d: f64| {
                    let v = [t, t + 0.5 * d, t + d].map(|t| case.surface(t));
                    [0, 1].map(|i| u[i] + d * (v[0][i] + 4.0 * v[1][i] + v[2][i]) / 6.0)
                };
                let d = if case.held(t + d, carried(d)) > 0.0 {
                    let mut low = 0.0;
                    let mut high = d;
                    for _ in 0..60 {
                        let middle = 0.5 * (low + high);
                        if case.held(t + middle, carried(middle)) > 0.0 {
                            high = middle
                        } else {
                            low = middle
                        }
                    }
                    slips = true;
                    fresh = true;
                    events.push((EventKind::Slip, t + high));
                    high
                } else {
                    d
                };
                let x = carried(d);
                t = if d == until - t { until } else { t + d };
                let v = case.surface(t);
                u = [x[0], x[1], v[0], v[1]];
                continue;
            }
            if fresh {
                set_out(case, &mut t, &mut u);
                fresh = false;
                h = 1e-6;
            }
            let d = h.min(until - t);
            if d <= 0.0 {
                break;
            }
            let (next, error) = step(case, t, &u, d);
            if error.is_nan() || error > 1.0 {
                h = d * (0.9 * error.powf(-0.2)).clamp(0.1, 0.9);
                if error.is_nan() {
                    h = 0.1 * d;
                }
                assert!(h > 1e-16, "the other integration is stuck at {t}");
                continue;
            }
            t = if d == until - t { until } else { t + d };
            u = next;
            h = d * if error > 0.0 { (0.9 * error.powf(-0.2)).min(4.0) } else { 4.0 };
            let s = case.surface(t);
            if (u[2] - s[0]).hypot(u[3] - s[1]) < 1e-9 && case.held(t, [u[0], u[1]]) < 0.0 {
                slips = false;
                u = [u[0], u[1], s[0], s[1]];
                events.push((EventKind::Stick, t));
            }
        }
        states.push(u);
    }
    (events, states)
}

/// How many of `seeds` were compared, with how many events.
fn compare(seeds: std::ops::Range<u64>, of: fn(&mut Random) -> Case) -> (usize, usize) {
    let mut events = 0;
    let mut compared = 0;
    for seed in seeds {
        let case = of(&mut Random(seed));
        let end = 12.0;
        // A sample at the end of the start of a slip would lie inside its small steps.
        let times: Vec<f64> = (1..=24).map(|i| end * f64::from(i) / 24.0).collect();
        let path = planar::solve(&case.model(), end, Options::tolerance(1e-10)).unwrap();
        let (want, states) = integrate(&case, &times);
        // With an ellipse a mass may come to a halt against a load that the ellipse cannot hold, and turn round: the other
        // integration passes such an instant without a word.
        let other = [EventKind::Reversal, EventKind::Touch, EventKind::Release];
        let touches = path.events().iter().filter(|e| other[1..].contains(&e.kind)).count();
        let halts = path.events().iter().filter(|e| !other.contains(&e.kind));
        let found: Vec<_> = halts.map(|e| (e.kind, e.time)).collect();
        assert!(
            case.e[0] != case.e[1] || found.len() + touches == path.events().len(),
            "seed {seed}"
        );
        let kinds = |all: &[(EventKind, f64)]| all.iter().map(|e| e.0).collect::<Vec<_>>();
        assert_eq!(kinds(&found), kinds(&want), "seed {seed}: {found:?} {want:?}");
        for ((_, a), (_, b)) in found.iter().zip(&want) {
            assert!((a - b).abs() < 1e-5, "seed {seed}: {a} {b}");
        }
        for (&t, u) in times.iter().zip(&states) {
            // The other integration takes its first steps of a slip beyond the sample.
            if want.iter().any(|e| e.0 == EventKind::Slip && t > e.1 && t < e.1 + 3e-3) {
                continue;
            }
            let s = path.state(t);
            let off = (s.x[0] - u[0]).hypot(s.x[1] - u[1]);
            let fast = (s.v[0] - u[2]).hypot(s.v[1] - u[3]);
            assert!(off < 1e-6 && fast < 1e-5, "seed {seed} at {t}: {off:.1e} {fast:.1e}");
        }
        // Each step errs by less than the tolerance, and their errors have both signs: the sum stays below it.
        let defect = path.energy().relative_defect();
        assert!(defect <= 1e-10, "seed {seed}: {defect:.1e}");
        assert!(path.warnings().is_empty(), "seed {seed}: {:?}", path.warnings());
        events += path.events().len();
        compared += 1;
    }
    (compared, events)
}

#[test]
fn random_planar_models_agree_with_another_integration() {
    let (compared, events) = compare(0..40, Case::random);
    assert!(compared == 40 && events > 100, "{compared} models, {events} events");
}

#[test]
fn random_models_on_bowls_agree_with_another_integration() {
    let (compared, events) = compare(0..40, Case::on_a_bowl);
    assert!(compared == 40 && events > 100, "{compared} models, {events} events");
}

/// The ground shakes by a record of 50 rows a second, and a force takes that back: the motion is the one without, but the steps end
/// at 600 kinks.
#[test]
fn kinks_of_a_record_leave_the_motion_as_it_is() {
    let of = |r: &mut Random| {
        let plain = Case::random(r);
        let times: Vec<f64> = (0..=600).map(|i| 0.02 * f64::from(i)).collect();
        let values = times.iter().map(|_| r.uniform(-1.0, 1.0)).collect();
        Case { record: Some([times, values]), ..plain }
    };
    let (compared, events) = compare(2000..2020, of);
    assert!(compared == 20 && events > 30, "{compared} models, {events} events");
}

/// Some 40 models, half of which have a rim without a dashpot.
#[test]
fn random_models_in_rims_agree_with_another_integration() {
    let (compared, events) = compare(0..40, Case::in_a_rim);
    assert!(compared == 40 && events > 300, "{compared} models, {events} events");
}

#[test]
#[ignore = "minutes: 500 models"]
fn five_hundred_random_models_in_rims_agree_with_another_integration() {
    let (compared, events) = compare(1000..1500, Case::in_a_rim);
    println!("{compared} models, {events} events");
    assert!(compared == 500 && events > 4000, "{compared} models, {events} events");
}

#[test]
#[ignore = "minutes: 500 models"]
fn five_hundred_random_models_on_bowls_agree_with_another_integration() {
    let (compared, events) = compare(1000..1500, Case::on_a_bowl);
    println!("{compared} models, {events} events");
    assert!(compared == 500 && events > 1000, "{compared} models, {events} events");
}

#[test]
#[ignore = "minutes: 500 models"]
fn five_hundred_random_planar_models_agree_with_another_integration() {
    let (compared, events) = compare(1000..1500, Case::random);
    println!("{compared} models, {events} events");
    assert!(compared == 500 && events > 1000, "{compared} models, {events} events");
}
