//! The four methods for a cascade against a 30-digit reference, closed forms and each other.

use crate::common::Random;
use crate::common::campaign::campaign;
use stickslip::hysteresis::{Clamps, Sweep, TurningPoints};
use stickslip::motion::Motion;
use stickslip::scheme::cascade::{self, Replay};
use stickslip::{Cascade, EventKind, Signal};

/// Kind, time, displacement: an event-driven run in 30-digit arithmetic by independent code.
const EVENTS: [(char, f64, f64); 28] = [
    ('y', 0.373381933225697, 0.166666666666667),
    ('y', 0.909912145150121, 0.833333333333333),
    ('y', 1.20562835915405, 1.28333333333333),
    ('r', 2.12156626046059, 2.13651358094461),
    ('y', 2.59871019560902, 1.80318024761128),
    ('y', 3.21439497628251, 0.469846914277947),
    ('y', 3.5063684209885, -0.430153085722053),
    ('y', 4.50980952210148, -4.03333333333333),
    ('r', 5.72647384107259, -6.5576943669585),
    ('y', 6.11167952913019, -6.22436103362517),
    ('y', 6.60872596524833, -4.89102770029183),
    ('y', 6.83890630337409, -3.99102770029183),
    ('y', 7.89385311970814, 1.50897229970817),
    ('r', 9.66471632700354, 7.94858265072292),
    ('y', 10.0111722688256, 7.61524931738959),
    ('y', 10.4641820756822, 6.28191598405625),
    ('y', 10.675917824722, 5.38191598405625),
    ('y', 11.6637593343704, -0.118084015943747),
    ('r', 13.4147582623428, -6.69748089454069),
    ('y', 13.7623869560036, -6.36414756120736),
    ('y', 14.2232519854401, -5.03081422787403),
    ('y', 14.4421569242518, -4.13081422787403),
    ('y', 15.5241738203949, 1.36918577212597),
    ('r', 16.8836998811186, 5.34737265715518),
    ('y', 17.2432419984493, 5.01403932382184),
    ('y', 17.7218701288447, 3.68070599048851),
    ('y', 17.950860429504, 2.78070599048851),
    ('y', 19.1279731489669, -2.71929400951149),
];
const END: (f64, f64) = (-5.27035812607735, -1.2037909661811);

fn four_elements() -> Cascade {
    Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
        .with_force(Signal::harmonic(2.5, 0.9, 0.0))
}

#[test]
fn exact_meets_the_reference() {
    let c = four_elements();
    let path = cascade::exact(&c, 20.0).unwrap();
    assert_eq!(path.events().len(), EVENTS.len());
    let close = |got: f64, want: f64| (got - want).abs() < 1e-13 * want.abs().max(1.0) * 10.0;
    let mut expected_node = 0;
    for (e, (kind, time, x)) in path.events().iter().zip(EVENTS) {
        let yields = e.kind == EventKind::Yield;
        expected_node = if yields { expected_node + 1 } else { 0 };
        assert_eq!((yields, e.place), (kind == 'y', expected_node), "{e:?}");
        assert!(close(e.time, time) && close(e.x, x), "{e:?}, expected {time} {x}");
    }
    let end = path.state(20.0);
    assert!(close(end.x, END.0) && close(end.v, END.1), "{end:?}");
    let energy = path.energy(&c);
    assert!(energy.friction > 0.0 && energy.relative_defect() < 1e-13, "{energy:?}");
}

/// Euler's error halves with the step: implicit Euler and the clamps are the same scheme.
#[test]
fn implicit_euler_is_of_order_one() {
    let c = four_elements();
    let exact = cascade::exact(&c, 20.0).unwrap();
    let error = |h: f64| {
        let mut worst = 0.0f64;
        cascade::run_implicit_euler(&c, 20.0, h, |n, u, _| {
            let want = exact.state(n as f64 * h);
            worst = worst.max((u.x - want.x).hypot(u.v - want.v));
        })
        .unwrap();
        worst
    };
    let errors: Vec<f64> = (0..5).map(|j| error(0.004 / f64::from(1 << j))).collect();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 1.0).abs() < 0.1, "{errors:?}");
    }
}

fn random_cascade(r: &mut Random, n: usize) -> Cascade {
    let spread = |r: &mut Random| 10f64.powf(r.uniform(-1.0, 1.0));
    let stiffness = (0..=n).map(|_| spread(r)).collect();
    let threshold: Vec<f64> =
        (0..n).map(|_| if r.chance(0.05) { 0.0 } else { 0.1 * spread(r) }).collect();
    let prestress = match r.chance(0.5) {
        true => Vec::new(),
        false => threshold.iter().map(|a| a * r.uniform(-1.0, 1.0)).collect(),
    };
    Cascade::new(1.0, stiffness, threshold)
        .with_prestress(prestress)
        .starting_at(r.uniform(-1.0, 1.0), 0.0)
}

/// W⁺ + K P = W − k₀ dx e₁ by cyclic coordinate descent to convergence: slow, short, independent.
struct ByDescent {
    k: Vec<f64>,
    alpha: Vec<f64>,
    w: Vec<f64>,
    v1: f64,
    x: f64,
}

impl ByDescent {
    fn advance(&mut self, x: f64) -> f64 {
        let n = self.alpha.len();
        let mut y = self.w.clone();
        y[0] -= self.k[0] * (x - self.x);
        self.x = x;
        let mut p = vec![0.0; n];
        let lambda = |p: &[f64], i: usize, k: &[f64]| {
            y[i] - (k[i] + k[i + 1]) * p[i]
                + if i > 0 { k[i] * p[i - 1] } else { 0.0 }
                + if i + 1 < n { k[i + 1] * p[i + 1] } else { 0.0 }
        };
        for _ in 0..20_000 {
            let mut change = 0.0f64;
            for i in 0..n {
                let d = self.k[i] + self.k[i + 1];
                let r = lambda(&p, i, &self.k) + d * p[i];
                let next = (r.abs() - self.alpha[i]).max(0.0).copysign(r) / d;
                change = change.max(d * (next - p[i]).abs());
                p[i] = next;
            }
            if change < 1e-16 {
                break;
            }
        }
        self.w = (0..n).map(|i| lambda(&p, i, &self.k)).collect();
        self.v1 -= p[0];
        self.k[0] * (x - self.v1)
    }
}

/// Clamps, turning points, sweep and projections on the same random paths; n up to 200, pre-stress,
/// zero thresholds, turning points at all scales, repeated and returning ones.
#[test]
fn all_methods_agree_on_prescribed_paths() {
    let (mut turns, mut deepest) = (0, 0);
    for seed in 0..60 {
        let r = &mut Random(seed);
        let n =
            if seed % 3 == 0 { 1 + (r.next() % 5) as usize } else { 1 + (r.next() % 200) as usize };
        let c = random_cascade(r, n);
        let reach = *c.backbone().breakpoints().last().unwrap();
        let mut clamps = Clamps::new(&c);
        let mut stack = TurningPoints::new(&c);
        let mut sweep = Sweep::new(&c);
        let mut implicit = PrescribedImplicit::new(&c);
        let mut descent = (n <= 6).then(|| ByDescent {
            k: c.stiffness.clone(),
            alpha: c.threshold.clone(),
            w: sweep.pulls().iter().map(|q| -q).collect(),
            v1: c.initial.displacement - sweep.force() / c.stiffness[0],
            x: c.initial.displacement,
        });
        let scale = c.stiffness[0] * (4.0 * reach + 1.0);
        let mut past = vec![c.initial.displacement];
        for step in 0..400 {
            let x = match r.next() % 8 {
                0 => past[(r.next() as usize) % past.len()],
                1 => *past.last().unwrap(),
                _ => {
                    *past.last().unwrap()
                        + reach * r.uniform(-1.0, 1.0) * 10f64.powf(r.uniform(-3.0, 0.0))
                }
            };
            past.push(x);
            sweep.advance(x);
            let want = sweep.force();
            let mut found = vec![clamps.advance(x), stack.advance(x), implicit.advance(x)];
            if let Some(d) = &mut descent {
                found.push(d.advance(x));
            }
            for (method, f) in found.iter().enumerate() {
                assert!(
                    (f - want).abs() < 1e-12 * scale,
                    "seed {seed} n {n} step {step} method {method}: {f} {want}, scale {scale}"
                );
            }
            for (w, q) in implicit.w.iter().zip(sweep.pulls()) {
                assert!((w + q).abs() < 1e-12 * scale, "seed {seed} n {n} step {step}: {w} {q}");
            }
            turns += 1;
            deepest = deepest.max(stack.depth());
        }
        assert!(implicit.worst < 1e-12);
    }
    assert!(turns == 24_000 && deepest > 5, "{deepest}");
}

/// A chain long enough to be cut in pieces for several cores, with turning points at all scales: the front
/// of the slip is found in a few iterations each time, and where the sweep has it.
#[test]
fn long_chains_agree_and_take_few_iterations() {
    let r = &mut Random(11);
    let n = 200_000;
    let c = random_cascade(r, n);
    let reach = *c.backbone().breakpoints().last().unwrap();
    let (mut sweep, mut implicit) = (Sweep::new(&c), PrescribedImplicit::new(&c));
    let (mut clamps, mut stack) = (Clamps::new(&c), TurningPoints::new(&c));
    let mut x = c.initial.displacement;
    let (scale, mut travelled) = (c.backbone().value(reach), 0.0);
    for step in 0..40 {
        let dx = reach * r.uniform(-1.0, 1.0) * 10f64.powf(r.uniform(-5.0, 0.3));
        x += dx;
        travelled += dx.abs();
        sweep.advance(x);
        let want = sweep.force();
        // The projection balances forces k dx at n nodes, stiffnesses up to 10, the force is some n times
        // smaller; what is put back into the box rounds to one side.
        let rounding = n as f64 * f64::EPSILON * 10.0 * travelled;
        let exact = 1e-11 * scale;
        let found = [
            (clamps.advance(x), exact),
            (stack.advance(x), exact),
            (implicit.advance(x), rounding),
        ];
        for (f, bound) in found {
            assert!((f - want).abs() < bound, "step {step}: {f} {want}, bound {bound:e}");
        }
    }
    assert!(implicit.worst < 1e-12 && implicit.most <= 8, "{}", implicit.most);
}

/// The projection of scheme (4.1) along a prescribed path, from the public one-step room.
struct PrescribedImplicit {
    chain: stickslip::onestep::Chain,
    w: Vec<f64>,
    alpha: Vec<f64>,
    k0: f64,
    v1: f64,
    x: f64,
    /// The largest relative residual, and the most iterations in a step.
    worst: f64,
    most: usize,
}

impl PrescribedImplicit {
    fn new(c: &Cascade) -> Self {
        let k = &c.stiffness;
        let diagonal = k.windows(2).map(|k| k[0] + k[1]).collect();
        let start = Sweep::new(c);
        Self {
            chain: stickslip::onestep::Chain::new(diagonal, k[1..c.elements()].to_vec()).unwrap(),
            w: start.pulls().iter().map(|q| -q).collect(),
            alpha: c.threshold.clone(),
            k0: k[0],
            v1: c.initial.displacement - start.force() / k[0],
            x: c.initial.displacement,
            worst: 0.0,
            most: 0,
        }
    }

    fn advance(&mut self, x: f64) -> f64 {
        self.w[0] -= self.k0 * (x - self.x);
        self.x = x;
        let outcome = self.chain.solve(&self.w, &self.alpha);
        assert_eq!(outcome.status, stickslip::onestep::Status::ActiveSet, "{outcome:?}");
        self.worst = self.worst.max(outcome.relative_residual());
        self.most = self.most.max(outcome.iterations);
        for ((w, l), a) in self.w.iter_mut().zip(self.chain.lambda()).zip(&self.alpha) {
            *w = l.clamp(-a, *a);
        }
        self.v1 -= self.chain.p()[0];
        self.k0 * (x - self.v1)
    }
}

/// Random cascades in motion: the equation of motion by small Verlet steps with the clamps, the
/// energy audit, and the elements' state inside the box at all times.
#[test]
fn exact_agrees_with_small_steps_and_closes_its_energy() {
    campaign("cascades", 30, |seed, tally| {
        let r = &mut Random(100 + seed);
        let n = 1 + (r.next() % 12) as usize;
        let c = random_cascade(r, n);
        let force = Signal::harmonic(r.uniform(0.2, 3.0), r.uniform(0.3, 3.0), r.uniform(0.0, 6.0))
            + Signal::harmonic(r.uniform(0.0, 1.0), r.uniform(0.3, 5.0), 0.0)
            + match r.next() % 3 {
                0 => Signal::step(3.3, 0.4, -0.7),
                1 => Signal::ramp(0.2, -0.3),
                _ => Signal::sampled(&[0.0, 2.0, 5.5, 20.0], &[0.0, 2.0, -1.0, 1.0]).unwrap(),
            };
        let c = c.with_force(force).starting_at(r.uniform(-1.0, 1.0), r.uniform(-2.0, 2.0));
        let end = 12.0;
        let path = cascade::exact(&c, end).unwrap();
        let energy = path.energy(&c);
        assert!(energy.relative_defect() < 1e-12, "seed {seed}: {energy:?}");
        assert!(energy.friction >= 0.0);
        // Störmer–Verlet: second order with this force.
        let h = 1e-4;
        let mut clamps = Clamps::new(&c);
        let (mut x, mut v) = (c.initial.displacement, c.initial.velocity);
        let mut f = clamps.advance(x);
        let mut replay = Replay::new(&c, &path);
        let mut w = vec![0.0; n];
        let mut worst = 0.0f64;
        for i in 0..(end / h) as usize {
            let t = i as f64 * h;
            // At a jump of the force the step before ends with the value from the left.
            v += 0.5 * h * (c.force.value(t) - f);
            x += h * v;
            f = clamps.advance(x);
            v += 0.5 * h * (c.force.value(t + h - 1e-9) - f);
            if i % 500 == 499 {
                let u = path.state(t + h);
                worst = worst.max((u.x - x).abs()).max((u.v - v).abs()).max((u.force - f).abs());
                replay.friction(t + h, &mut w);
                for (w, a) in w.iter().zip(&c.threshold) {
                    assert!(w.abs() <= a + 1e-12, "seed {seed} at {t}: {w} beyond {a}");
                }
                assert!((replay.to(t + h).force() - u.force).abs() < 1e-11);
            }
        }
        assert!(worst < 2e-5, "seed {seed}: {worst}");
        tally.worst("distance from small steps", worst, seed);
        tally.worst("relative defect of the energy", energy.relative_defect(), seed);
        tally.add("events", path.events().len());
        for pair in path.segments().windows(2) {
            let (a, b) = (pair[0].arc.state(pair[0].end), pair[1].arc.state(pair[1].start));
            assert!(
                (a.x - b.x).abs() + (a.v - b.v).abs() < 1e-12 && (a.force - b.force).abs() < 1e-11
            );
        }
    });
}

#[test]
fn a_mass_in_equilibrium_stays() {
    // S_n x = F with nothing loaded: 1/S = 1/2 + 1/2.
    let c = Cascade::new(1.0, vec![2.0, 2.0], vec![1.0])
        .with_force(Signal::constant(0.5))
        .starting_at(0.5, 0.0);
    let path = cascade::exact(&c, 10.0).unwrap();
    assert!(path.events().is_empty());
    assert_eq!(path.state(7.0).x, 0.5);
    // Then the force steps up: it moves, and turns.
    let c = Cascade { force: Signal::step(4.0, 0.5, 0.9), ..c };
    let path = cascade::exact(&c, 10.0).unwrap();
    assert_eq!(path.state(3.9).x, 0.5);
    // Spring k0 = 2 alone at first, x = 0.5 + 0.2 (1 − cos √2 τ): back at the start after π√2.
    let turn = path.events()[0];
    let half = std::f64::consts::PI / 2f64.sqrt();
    assert!((turn.time - 4.0 - half).abs() < 1e-12 && (turn.x - 0.9).abs() < 1e-12, "{turn:?}");
}

/// Step schemes leave the same path as each other to rounding, and read the same events as exact.
#[test]
fn step_schemes_agree_and_see_the_events() {
    let c = four_elements();
    let (a, b) = (
        cascade::implicit_euler(&c, 20.0, 1e-3).unwrap(),
        cascade::hysteresis(&c, 20.0, 1e-3).unwrap(),
    );
    let exact = cascade::exact(&c, 20.0).unwrap();
    for ((_, a, _), (_, b, _)) in a.sample(2001).zip(b.sample(2001)) {
        assert!((a.x - b.x).abs() < 1e-11 && (a.v - b.v).abs() < 1e-11);
    }
    assert_eq!(a.events().len(), exact.events().len());
    for (e, want) in a.events().iter().zip(exact.events()) {
        assert!(e.kind == want.kind && e.place == want.place, "{e:?} {want:?}");
        assert!((e.time - want.time).abs() < 0.05, "{e:?} {want:?}");
    }
    let counts = cascade::run_implicit_euler(&c, 20.0, 1e-3, |_, _, _| ()).unwrap();
    assert!(counts.fallbacks == 0 && counts.worst_residual < 1e-14, "{counts:?}");
}
