//! Rigid stops against an independent solution: classical Runge–Kutta steps of a fixed length on a chain of masses with one
//! stop, impacts and openings found by halving, and the impulse and the push from the two masses alone.

use crate::common::Random;
use stickslip::model::{Bumper, Machine, Network};
use stickslip::scheme::{machine, oscillator::adaptive::Options};
use stickslip::solution::Role;
use stickslip::{EventKind, Problem, Scheme, Signal, solve};

/// A chain whose first mass hangs on the ground, every mass pulled by a harmonic force.
struct Chain {
    mass: Vec<f64>,
    /// Stiffness and damping towards the mass before.
    link: Vec<[f64; 2]>,
    /// Amplitude, angular frequency and phase.
    load: Vec<[f64; 3]>,
    /// The stop: its ends, its bounds, its restitution.
    ends: [Option<usize>; 2],
    bounds: [f64; 2],
    restitution: f64,
}

/// Rebounds below this are taken as none, m/s.
const NO_REBOUND: f64 = 1e-7;
/// Impacts above this are compared, m/s.
const CLEAR: f64 = 1e-3;

impl Chain {
    fn random(r: &mut Random) -> (Self, Vec<f64>) {
        let n = 2 + (r.next() % 2) as usize;
        let last = (r.next() % n as u64) as usize;
        let state = (0..2 * n).map(|_| r.uniform(-0.1, 0.1)).collect();
        let chain = Self {
            mass: (0..n).map(|_| r.uniform(0.5, 2.0)).collect(),
            link: (0..n).map(|_| [r.uniform(0.5, 3.0), r.uniform(0.02, 0.3)]).collect(),
            load: (0..n)
                .map(|_| [r.uniform(0.3, 2.0), r.uniform(0.4, 2.5), r.uniform(-3.0, 3.0)])
                .collect(),
            ends: [Some(last), last.checked_sub(1)],
            bounds: [r.uniform(-0.6, -0.25), r.uniform(0.25, 0.6)],
            restitution: r.uniform(0.0, 0.9),
        };
        (chain, state)
    }

    /// The value across the stop of what each node has.
    fn across(&self, of: &[f64]) -> f64 {
        self.ends[0].map_or(0.0, |i| of[i]) - self.ends[1].map_or(0.0, |i| of[i])
    }

    /// 1/m of both ends.
    fn lightness(&self) -> f64 {
        self.ends.iter().flatten().map(|i| 1.0 / self.mass[*i]).sum()
    }

    /// Adds what a push, or an impulse, `p` along the opening of the bound on this side does to `of`.
    fn push(&self, side: f64, p: f64, of: &mut [f64]) {
        for (end, sign) in self.ends.into_iter().zip([1.0, -1.0]) {
            if let Some(i) = end {
                of[i] += sign * side * p / self.mass[i];
            }
        }
    }

    /// The gap at the bound on this side: 1 below, −1 above.
    fn gap(&self, side: f64, u: &[f64]) -> f64 {
        side * (self.across(u) - self.bounds[usize::from(side < 0.0)])
    }

    /// Accelerations, and the push of the stop where it is closed on one side.
    fn accelerations(&self, t: f64, u: &[f64], closed: Option<f64>) -> (Vec<f64>, f64) {
        let n = self.mass.len();
        let mut f: Vec<f64> = self.load.iter().map(|[a, w, p]| a * (w * t + p).cos()).collect();
        for (i, [k, c]) in self.link.iter().enumerate() {
            let before = i.checked_sub(1);
            let pull = k * (u[i] - before.map_or(0.0, |j| u[j]))
                + c * (u[n + i] - before.map_or(0.0, |j| u[n + j]));
            f[i] -= pull;
            if let Some(j) = before {
                f[j] += pull;
            }
        }
        let mut a: Vec<f64> = f.iter().zip(&self.mass).map(|(f, m)| f / m).collect();
        let Some(side) = closed else { return (a, 0.0) };
        let p = -side * self.across(&a) / self.lightness();
        self.push(side, p, &mut a);
        (a, p)
    }

    fn step(&self, t: f64, u: &[f64], h: f64, closed: Option<f64>) -> Vec<f64> {
        let n = self.mass.len();
        let slope = |t: f64, u: &[f64]| -> Vec<f64> {
            u[n..].iter().copied().chain(self.accelerations(t, u, closed).0).collect()
        };
        let ahead =
            |k: &[f64], h: f64| -> Vec<f64> { u.iter().zip(k).map(|(u, k)| u + h * k).collect() };
        let first = slope(t, u);
        let second = slope(t + 0.5 * h, &ahead(&first, 0.5 * h));
        let third = slope(t + 0.5 * h, &ahead(&second, 0.5 * h));
        let fourth = slope(t + h, &ahead(&third, h));
        let sum = |i: usize| first[i] + 2.0 * (second[i] + third[i]) + fourth[i];
        (0..2 * n).map(|i| u[i] + h / 6.0 * sum(i)).collect()
    }

    /// The side on which the motion ends: where a gap is passed, or a closed stop would pull.
    fn ends_on(&self, t: f64, u: &[f64], closed: Option<f64>) -> Option<f64> {
        match closed {
            Some(side) => (self.accelerations(t, u, closed).1 < 0.0).then_some(side),
            None => [1.0, -1.0].into_iter().find(|side| self.gap(*side, u) < 0.0),
        }
    }

    /// The last state, and the clear impacts: when, and how fast.
    fn solve(&self, mut u: Vec<f64>, end: f64, h: f64) -> (Vec<f64>, Vec<[f64; 2]>) {
        let n = self.mass.len();
        let (mut t, mut closed, mut impacts) = (0.0, None, Vec::new());
        let mut next = h;
        while t < end {
            let length = next.min(end - t);
            next = h;
            let there = self.step(t, &u, length, closed);
            let Some(side) = self.ends_on(t + length, &there, closed) else {
                t = if length < end - t { t + length } else { end };
                u = there;
                continue;
            };
            let (mut low, mut high) = (0.0, length);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                let there = self.step(t, &u, middle, closed);
                match self.ends_on(t + middle, &there, closed) {
                    Some(_) => high = middle,
                    None => low = middle,
                }
            }
            u = self.step(t, &u, high, closed);
            t += high;
            if closed.take().is_some() {
                continue;
            }
            let speed = side * self.across(&u[n..]);
            let rebound = -self.restitution * speed;
            let acceleration = side * self.across(&self.accelerations(t, &u, None).0);
            if -speed > CLEAR {
                impacts.push([t, -speed]);
            }
            let stays = rebound < NO_REBOUND && acceleration < 0.0;
            let after = if stays { 0.0 } else { rebound };
            self.push(side, (after - speed) / self.lightness(), &mut u[n..]);
            // What rounding left of the gap.
            let passed = self.gap(side, &u);
            self.push(side, -passed / self.lightness(), &mut u[..n]);
            if stays {
                closed = Some(side);
            } else if acceleration < 0.0 {
                // To the top of the flight: a whole step could pass over all of it.
                next = h.min(-after / acceleration);
            }
        }
        (u, impacts)
    }

    fn machine(&self, u: &[f64]) -> Machine {
        let n = self.mass.len();
        let name = |i: Option<usize>| i.map_or("ground".to_owned(), |i| format!("n{i}"));
        let mut b = Network::builder();
        for i in 0..n {
            let (own, before) = (name(Some(i)), name(i.checked_sub(1)));
            let [a, w, p] = self.load[i];
            b = b.node(&*own, self.mass[i]).starting_at(&*own, u[i], u[n + i]);
            b = b.force(&*own, Signal::harmonic(a, w, p));
            b = b.spring(&*own, &*before, self.link[i][0]).dashpot(
                &*own,
                &*before,
                self.link[i][1],
            );
        }
        let bounds = self.bounds.map(|b| Some(Signal::constant(b)));
        let rigid = Bumper::Rigid { restitution: self.restitution };
        let [one, other] = self.ends.map(name);
        let machine = Machine::new(b.build().unwrap()).unwrap();
        machine.with_stop("stop", [&one, &other], bounds, rigid).unwrap()
    }
}

/// How many impacts agree.
fn agrees(seed: u64) -> Result<usize, String> {
    let (chain, u) = Chain::random(&mut Random(seed));
    let end = 12.0;
    let path = machine::solve(&chain.machine(&u), end, Options::tolerance(1e-12)).unwrap();
    let (last, impacts) = chain.solve(u, end, 1e-3);
    let speed =
        |e: &stickslip::Event| e.impulse.abs() * chain.lightness() / (1.0 + chain.restitution);
    let got: Vec<[f64; 2]> = path
        .events()
        .iter()
        .filter(|e| matches!(e.kind, EventKind::Impact | EventKind::Contact))
        .map(|e| [e.time, speed(e)])
        .filter(|e| e[1] > CLEAR)
        .collect();
    let near = |a: &[f64; 2], b: &[f64; 2]| (0..2).all(|k| (a[k] - b[k]).abs() < 1e-6);
    if got.len() != impacts.len() || !got.iter().zip(&impacts).all(|(a, b)| near(a, b)) {
        return Err(format!("{seed}: {got:?} instead of {impacts:?}"));
    }
    let state = path.state(end);
    let off = state.x.iter().chain(&state.v).zip(&last).map(|(a, b)| (a - b).abs());
    let worst = off.fold(0.0, f64::max);
    let defect = path.energy().relative_defect();
    if worst > 1e-6 || defect > 1e-10 {
        return Err(format!("{seed}: states differ by {worst:.1e}, energies by {defect:.1e}"));
    }
    Ok(got.len())
}

#[test]
fn random_chains_with_a_stop_move_as_an_independent_solution_has_it() {
    let all: Vec<_> = (0..30).map(|k| agrees(300 + k)).collect();
    let wrong: Vec<_> = all.iter().filter_map(|a| a.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let impacts: usize = all.iter().filter_map(|a| a.as_ref().ok()).sum();
    assert!(impacts > 200, "{impacts} impacts only");
}

/// A run that begins beyond a rigid stop is refused with what to change; a soft stop may be entered, and what just fits begins.
#[test]
fn a_run_begins_within_its_rigid_stops() {
    let run = |x: f64, bumper: Bumper| {
        let n = Network::builder().unjoined().node("a", 1.0).starting_at("a", x, 0.0);
        let m = Machine::new(n.build().unwrap()).unwrap();
        let bounds = [None, Some(Signal::constant(0.3))];
        let m = m.with_stop("wall", ["a", "ground"], bounds, bumper).unwrap();
        machine::solve(&m, 1.0, Options::default()).map(|_| ())
    };
    let rigid = Bumper::Rigid { restitution: 0.5 };
    assert_eq!(run(0.3, rigid), Ok(()));
    let said = run(0.5, rigid).unwrap_err().to_string();
    for what in ["wall", "upper bound of 0.3 m", "is 0.5 m", "displacement"] {
        assert!(said.contains(what), "{what}: {said}");
    }
    assert_eq!(run(0.5, Bumper::Soft { stiffness: 10.0, damping: 0.0 }), Ok(()));
}

/// Nobody says of a driven machine that nothing drives it.
#[test]
fn loads_of_a_machine_without_a_common_period_are_named() {
    let (chain, u) = Chain::random(&mut Random(300));
    let model = stickslip::Model::from(chain.machine(&u));
    let said = stickslip::study::orbit::period_of(&model).unwrap_err().to_string();
    assert!(said.contains("no common period"), "{said}");
}

/// Between bounds that pass each other nothing can be: they do at 1 s.
#[test]
fn bounds_that_pass_each_other_are_refused() {
    let run = |end: f64| {
        let n = Network::builder().unjoined().node("a", 1.0);
        let m = Machine::new(n.build().unwrap()).unwrap();
        let bounds = [Some(Signal::ramp(1.0, -0.5)), Some(Signal::constant(0.5))];
        let rigid = Bumper::Rigid { restitution: 0.0 };
        let m = m.with_stop("press", ["a", "ground"], bounds, rigid).unwrap();
        machine::solve(&m, end, Options::default()).map(|_| ())
    };
    assert_eq!(run(0.9), Ok(()));
    let said = run(1.1).unwrap_err().to_string();
    assert!(said.contains("press") && said.contains("above its upper one at"), "{said}");
}

/// A wall reaches one mass at 0.5 s and pushes it against another one, behind which is the ground, at 0.7 s.
#[test]
fn masses_between_stops_that_meet_are_an_error() {
    let run = |end: f64| {
        let b = Network::builder().unjoined().node("a", 1.0).node("b", 1.0);
        let machine = Machine::new(b.starting_at("b", 0.5, 0.0).build().unwrap()).unwrap();
        let plastic = Bumper::Rigid { restitution: 0.0 };
        let at = |x: f64| Some(Signal::constant(x));
        let wall = Some(Signal::ramp(-1.0, 1.0));
        let machine = machine.with_stop("base", ["a", "ground"], [at(0.0), None], plastic);
        let machine = machine.unwrap().with_stop("wall", ["b", "ground"], [None, wall], plastic);
        let machine = machine.unwrap().with_stop("pair", ["a", "b"], [None, at(-0.3)], plastic);
        machine::solve(&machine.unwrap(), end, Options::default())
    };
    let path = run(0.69).unwrap();
    assert!((path.state(0.69).x[1] - 0.31).abs() < 1e-12 && path.state(0.69).x[0] == 0.0);
    let said = run(1.0).unwrap_err().to_string();
    assert!(said.contains("at t = 0.7 s") && said.contains("squeeze"), "{said}");
}

/// A rigid stop between nodes that nothing can stop is refused where it is stated.
#[test]
fn a_stop_between_prescribed_motions_is_refused() {
    let b = Network::builder().unjoined().node("a", 1.0).node("led", 1.0);
    let b = b.motion("led", Signal::ramp(1.0, 0.0)).build().unwrap();
    let machine = Machine::new(b).unwrap();
    let bounds = || [None, Some(Signal::constant(1.0))];
    let rigid = Bumper::Rigid { restitution: 0.5 };
    let said = machine.clone().with_stop("gap", ["led", "ground"], bounds(), rigid).unwrap_err();
    assert!(said.to_string().contains("both of its ends are prescribed"), "{said}");
    assert!(machine.with_stop("gap", ["led", "a"], bounds(), rigid).is_ok());
}

/// Three equal balls: the first one hits two that touch, or the outer ones hit the middle one from both sides; and two pairs that
/// have nothing to do with each other. Elastic: what comes of the first depends on the order (all at once p = 2/3, 1/3, 0 by the
/// rule, one by one the last ball takes everything), what comes of the others does not.
#[test]
fn impacts_whose_order_decides_are_told() {
    let run = |starts: &[(f64, f64)], pairs: &[(usize, usize)]| {
        let names = ["a", "b", "c", "d"];
        let mut b = Network::builder().unjoined();
        for (name, (x, v)) in names.iter().zip(starts) {
            b = b.node(*name, 1.0).starting_at(*name, *x, *v);
        }
        let mut machine = Machine::new(b.build().unwrap()).unwrap();
        for (first, second) in pairs {
            let bounds = [None, Some(Signal::constant(-1.0))];
            let elastic = Bumper::Rigid { restitution: 1.0 };
            let name = format!("{}{}", names[*first], names[*second]);
            let ends = [names[*first], names[*second]];
            machine = machine.with_stop(&name, ends, bounds, elastic).unwrap();
        }
        machine::solve(&machine, 2.0, Options::default()).unwrap()
    };
    let cradle = run(&[(0.0, 1.0), (2.0, 0.0), (3.0, 0.0)], &[(0, 1), (1, 2)]);
    let said: Vec<String> = cradle.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("the stops ab, bc at t = 1 s are taken together"), "{said:?}");
    let between = run(&[(0.0, 1.0), (2.0, 0.0), (4.0, -1.0)], &[(0, 1), (1, 2)]);
    assert!(between.warnings().is_empty(), "{:?}", between.warnings());
    assert!((between.state(2.0).v[0] + 1.0).abs() < 1e-12 && between.state(2.0).v[1].abs() < 1e-12);
    let apart = run(&[(0.0, 1.0), (2.0, 0.0), (10.0, 2.0), (13.0, 0.0)], &[(0, 1), (2, 3)]);
    assert_eq!(apart.events().len(), 2);
    assert!(apart.warnings().is_empty(), "{:?}", apart.warnings());
}

/// An elastic ball between two walls, and an undamped mass on a spring after whole periods: nothing is gained and nothing lost, and
/// the rounding of what goes back and forth is no defect of the energies.
#[test]
fn what_loses_nothing_has_balanced_energies() {
    let b = Network::builder().unjoined().node("a", 3.0).starting_at("a", 0.3, 1.7);
    let machine = Machine::new(b.build().unwrap()).unwrap();
    let bounds = [Some(Signal::constant(0.0)), Some(Signal::constant(1.0))];
    let elastic = Bumper::Rigid { restitution: 1.0 };
    let machine = machine.with_stop("walls", ["a", "ground"], bounds, elastic).unwrap();
    let path = machine::solve(&machine, 100.0, Options::default()).unwrap();
    assert_eq!(path.events().len(), 170);
    assert!(path.warnings().is_empty(), "{:?}", path.warnings());
    let b = Network::builder().unjoined().node("a", 1.0).spring("a", "ground", 1.0);
    let b = b.slider("s", "a", "ground", 0.0, 0.0).starting_at("a", 1.0, 0.0);
    let machine = Machine::new(b.build().unwrap()).unwrap();
    let path = machine::solve(&machine, 10.0 * std::f64::consts::TAU, Options::default()).unwrap();
    assert!(path.warnings().is_empty(), "{:?}", path.warnings());
    let energy = path.energy();
    assert!((energy.level - 0.5).abs() < 1e-9, "{energy:?}");
}

/// What reads displacements and velocities in pairs, derivatives and sweeps among it, relies on this.
#[test]
fn a_machine_has_a_displacement_for_each_velocity_and_gaps_apart() {
    let network = Network::builder().node("a", 1.0).node("b", 1.0).spring("a", "b", 1.0);
    let rigid = Bumper::Rigid { restitution: 0.5 };
    let [lower, upper] = [-1.0, 1.0].map(|bound| Some(Signal::constant(bound)));
    let machine = Machine::new(network.build().unwrap()).unwrap();
    let machine = machine.with_stop("left", ["a", "ground"], [lower, None], rigid).unwrap();
    let machine = machine.with_stop("right", ["b", "a"], [None, upper], rigid).unwrap();
    let solution =
        solve(&Problem::new(machine, 1.0), &Scheme::Adaptive(Options::default())).unwrap();
    let of = |role: Role| {
        let columns = solution.columns().iter().filter(move |c| c.role == role);
        columns.map(|c| c.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of(Role::Position), ["x_a", "x_b"]);
    assert_eq!(of(Role::Velocity), ["v_a", "v_b"]);
    assert_eq!(of(Role::Gap), ["gap_left", "gap_right"]);
}
