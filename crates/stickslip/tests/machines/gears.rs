//! Gears: against an independent solution, closed forms, and what is refused.
//!
//! The independent solution knows no modes: at every instant it tries all signs of what the gears hand on, with the torques as
//! unknowns beside the acceleration, and asserts that exactly one choice agrees with itself. Rest ends where the same
//! solution of a slip would accelerate.

use crate::common::Random;
use stickslip::model::machine::{GearBetween, GearFriction};
use stickslip::model::network::Matrices;
use stickslip::model::{Bumper, Machine, Network};
use stickslip::scheme::{machine, oscillator::adaptive::Options};
use stickslip::{EventKind, Signal};

/// Nodes in a row, each joined to the next by a gear.
struct Train {
    mass: Vec<f64>,
    /// Amplitude, angular frequency and phase of the force on each node, and a steady part.
    load: Vec<[f64; 4]>,
    /// Ratio, f₀, μ forward and backward of each gear.
    gear: Vec<[f64; 4]>,
    /// Stiffness and damping from the last node to the ground.
    link: [f64; 2],
    /// Coulomb friction of the last node on the ground.
    brake: f64,
}

/// Trains whose last nodes are joined by a spring and a dashpot.
struct Trains {
    all: Vec<Train>,
    between: [f64; 2],
}

/// What a train does: its acceleration at the last node, and what each gear hands on.
type Moves = (f64, Vec<f64>);

impl Train {
    fn random(r: &mut Random) -> Self {
        let n = 2 + (r.next() % 2) as usize;
        let gear = (1..n).map(|_| {
            let ratio = r.uniform(0.7, 4.0) * if r.chance(0.3) { -1.0 } else { 1.0 };
            [ratio, r.uniform(0.0, 0.2), r.uniform(0.0, 0.35), r.uniform(0.0, 0.35)]
        });
        let gear: Vec<[f64; 4]> = gear.collect();
        let load = |r: &mut Random| {
            [r.uniform(0.5, 2.5), r.uniform(0.5, 3.0), r.uniform(-3.0, 3.0), r.uniform(-1.0, 1.0)]
        };
        Self {
            mass: (0..n).map(|_| r.uniform(0.4, 1.5)).collect(),
            load: (0..n).map(|_| load(r)).collect(),
            gear,
            link: [r.uniform(0.0, 2.0), r.uniform(0.05, 0.3)],
            brake: if r.chance(0.4) { r.uniform(0.1, 0.8) } else { 0.0 },
        }
    }

    /// The velocity of each node where the last one moves at 1.
    fn ratios(&self) -> Vec<f64> {
        let n = self.mass.len();
        let mut ratio = vec![1.0; n];
        for i in (0..n - 1).rev() {
            ratio[i] = self.gear[i][0] * ratio[i + 1];
        }
        ratio
    }

    /// The accelerations that agree with themselves where the last node moves, or would move, towards `side` and `pull` acts on it.
    fn moves(&self, t: f64, side: f64, pull: f64) -> Vec<Moves> {
        let (n, ratio) = (self.mass.len(), self.ratios());
        let force: Vec<f64> =
            self.load.iter().map(|[a, w, p, c]| c + a * (w * t + p).cos()).collect();
        let mut found = Vec::new();
        for signs in 0..1u32 << (n - 1) {
            let sign = |g: usize| if signs >> g & 1 == 0 { 1.0 } else { -1.0 };
            // T_g = α_g a + β_g, from the last node back to the first, where the balance gives a.
            let [mut slope, mut constant] =
                [self.mass[n - 1], side * self.brake - force[n - 1] - pull];
            let mut loads = Vec::new();
            for i in (0..n - 1).rev() {
                loads.push([slope, constant]);
                let [r, f0, forward, backward] = self.gear[i];
                let s = side * ratio[i].signum();
                let mu = if s > 0.0 { forward } else { backward };
                // m ẍ = F − T/r − s (f₀ + μ σ T) + what the gear before hands on.
                let g = 1.0 / r + s * mu * sign(i);
                slope = self.mass[i] * ratio[i] + g * slope;
                constant = g * constant + s * f0 - force[i];
            }
            let a = -constant / slope;
            let t: Vec<f64> = loads.iter().rev().map(|[k, c]| k * a + c).collect();
            if t.iter().enumerate().all(|(g, t)| t * sign(g) >= -1e-12) {
                found.push((a, t));
            }
        }
        found
    }
}

/// Of each train: 0 at rest, or the sign of the velocity of its last node.
type Sides = Vec<f64>;

impl Trains {
    fn random(r: &mut Random) -> Self {
        let count = 1 + (r.next() % 2) as usize;
        let between =
            if count == 2 { [r.uniform(0.5, 2.0), r.uniform(0.02, 0.2)] } else { [0.0; 2] };
        Self { all: (0..count).map(|_| Train::random(r)).collect(), between }
    }

    fn pull(&self, k: usize, u: &[f64]) -> f64 {
        let n = self.all.len();
        let own = &self.all[k].link;
        let mut pull = -own[0] * u[k] - own[1] * u[n + k];
        if n == 2 {
            let other = 1 - k;
            pull -=
                self.between[0] * (u[k] - u[other]) + self.between[1] * (u[n + k] - u[n + other]);
        }
        pull
    }

    /// What train k does on this side.
    fn moves(&self, k: usize, t: f64, u: &[f64], side: f64) -> Moves {
        let mut found = self.all[k].moves(t, side, self.pull(k, u));
        assert!(!found.is_empty(), "no signs agree at {t}");
        found.swap_remove(0)
    }

    fn step(&self, t: f64, u: &[f64], h: f64, sides: &Sides) -> Vec<f64> {
        let n = self.all.len();
        let slope = |t: f64, u: &[f64]| -> Vec<f64> {
            let a = (0..n).map(|k| match sides[k] {
                0.0 => 0.0,
                side => self.moves(k, t, u, side).0,
            });
            u[n..].iter().copied().chain(a).collect()
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

    /// The side to which a train at rest leaves, 0 if it stays.
    fn leaves(&self, k: usize, t: f64, u: &[f64]) -> f64 {
        let goes = |side: f64| self.moves(k, t, u, side).0 * side > 0.0;
        if goes(1.0) {
            1.0
        } else if goes(-1.0) {
            -1.0
        } else {
            0.0
        }
    }

    /// The signs of what is handed on by trains that move.
    fn signs(&self, t: f64, u: &[f64], sides: &Sides) -> Vec<Vec<bool>> {
        let of = |k: usize| match sides[k] {
            0.0 => Vec::new(),
            side => self.moves(k, t, u, side).1.iter().map(|t| *t > 0.0).collect(),
        };
        (0..self.all.len()).map(of).collect()
    }

    /// Which train something happens to in a step that ends here.
    fn happens(&self, t: f64, u: &[f64], sides: &Sides, signs: &[Vec<bool>]) -> bool {
        let n = self.all.len();
        let one = |k: usize| match sides[k] {
            0.0 => self.leaves(k, t, u) != 0.0,
            side => u[n + k] * side < 0.0,
        };
        (0..n).any(one) || self.signs(t, u, sides) != signs
    }

    /// The last state, and the events: when, the train, and what.
    fn solve(&self, mut u: Vec<f64>, end: f64, h: f64) -> (Vec<f64>, Vec<(f64, usize, EventKind)>) {
        let n = self.all.len();
        let mut sides: Sides = (0..n).map(|k| self.leaves(k, 0.0, &u)).collect();
        let (mut t, mut events) = (0.0, Vec::new());
        while t < end {
            let signs = self.signs(t, &u, &sides);
            let length = h.min(end - t);
            let there = self.step(t, &u, length, &sides);
            if !self.happens(t + length, &there, &sides, &signs) {
                t = if length < end - t { t + length } else { end };
                u = there;
                continue;
            }
            let (mut low, mut high) = (0.0, length);
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                match self.happens(t + middle, &self.step(t, &u, middle, &sides), &sides, &signs) {
                    true => high = middle,
                    false => low = middle,
                }
            }
            u = self.step(t, &u, high, &sides);
            t += high;
            let before = sides.clone();
            for k in 0..n {
                if before[k] == 0.0 {
                    sides[k] = self.leaves(k, t, &u);
                } else if u[n + k] * before[k] <= 0.0 {
                    u[n + k] = 0.0;
                    sides[k] = self.leaves(k, t, &u);
                }
                let kind = match (before[k], sides[k]) {
                    (a, b) if a == b => continue,
                    (0.0, _) => EventKind::Slip,
                    (_, 0.0) => EventKind::Stick,
                    _ => EventKind::Reversal,
                };
                events.push((t, k, kind));
            }
            let now = self.signs(t, &u, &sides);
            for k in (0..n).filter(|k| before[*k] != 0.0 && sides[*k] != 0.0) {
                let turned = signs[k].iter().zip(&now[k]).filter(|(a, b)| a != b).count();
                events.extend((0..turned).map(|_| (t, k, EventKind::LoadReversal)));
            }
        }
        (u, events)
    }

    fn machine(&self) -> Machine {
        let name = |k: usize, i: usize| format!("t{k}n{i}");
        let mut b = Network::builder().unjoined();
        for (k, train) in self.all.iter().enumerate() {
            for (i, mass) in train.mass.iter().enumerate() {
                let [a, w, p, c] = train.load[i];
                b = b.node(name(k, i), *mass);
                b = b.force(name(k, i), Signal::harmonic(a, w, p) + Signal::constant(c));
            }
            let last = name(k, train.mass.len() - 1);
            if train.link[0] > 0.0 {
                b = b.spring(&*last, "ground", train.link[0]);
            }
            b = b.dashpot(&*last, "ground", train.link[1]);
            if train.brake > 0.0 {
                b = b.slider(format!("brake{k}"), &*last, "ground", train.brake, train.brake);
            }
        }
        if let [one, other] = &self.all[..] {
            let ends = [name(0, one.mass.len() - 1), name(1, other.mass.len() - 1)];
            b = b.spring(&*ends[0], &*ends[1], self.between[0]);
            b = b.dashpot(&*ends[0], &*ends[1], self.between[1]);
        }
        let mut gears = Vec::new();
        for (k, train) in self.all.iter().enumerate() {
            for (i, [ratio, force, forward, backward]) in train.gear.iter().enumerate() {
                let friction =
                    GearFriction { force: *force, forward: *forward, backward: *backward };
                gears.push((format!("t{k}g{i}"), [name(k, i), name(k, i + 1)], *ratio, friction));
            }
        }
        let given = gears.iter().map(|(name, [a, b], ratio, friction)| GearBetween {
            name,
            between: [a, b],
            ratio: *ratio,
            friction: Some(*friction),
        });
        Machine::geared(b.build().unwrap(), given).unwrap()
    }
}

/// One random machine: how many events agree.
fn agrees(seed: u64) -> usize {
    let trains = Trains::random(&mut Random(seed));
    let n = trains.all.len();
    let end = 6.0;
    let (last, wanted) = trains.solve(vec![0.0; 2 * n], end, 1e-3);
    let machine = trains.machine();
    let path = machine::solve(&machine, end, Options::tolerance(1e-11)).unwrap();
    let state = path.state(end);
    let mut node = 0;
    for (k, train) in trains.all.iter().enumerate() {
        node += train.mass.len();
        let [x, v] = [state.x[node - 1], state.v[node - 1]];
        let wrong = (x - last[k]).abs().max((v - last[n + k]).abs());
        assert!(wrong < 1e-7, "seed {seed}: train {k} ends at {x}, {v}; expected {last:?}");
    }
    // Every friction of a train starts and stops with it: one event of each is compared.
    let sliders = machine.network().sliders().len();
    let first = |k: usize| trains.all[..k].iter().map(|t| t.gear.len()).sum::<usize>();
    let train = |g: usize| (0..n).rfind(|k| first(*k) <= g).unwrap();
    let told: Vec<(f64, usize, EventKind)> = path
        .events()
        .iter()
        .filter(|e| e.place >= sliders)
        .map(|e| (e.time, e.place - sliders, e.kind))
        .filter(|(_, g, kind)| *kind == EventKind::LoadReversal || first(train(*g)) == *g)
        .map(|(t, g, kind)| (t, train(g), kind))
        .collect();
    assert_eq!(told.len(), wanted.len(), "seed {seed}: {told:#?} but {wanted:#?}");
    let mut left = told;
    for (t, k, kind) in &wanted {
        let near = left.iter().position(|e| e.1 == *k && e.2 == *kind && (e.0 - t).abs() < 1e-6);
        let near =
            near.unwrap_or_else(|| panic!("seed {seed}: {t} {k} {kind} is not in {left:#?}"));
        left.swap_remove(near);
    }
    let defect = path.energy().relative_defect();
    assert!(defect < 1e-8, "seed {seed}: the energies miss {defect:e}");
    wanted.len()
}

/// Chains of gears with friction by direction, brakes and springs: every event and the last state. Thirty of them at night.
#[test]
fn random_trains_move_as_an_independent_solution_has_it() {
    let trains = if std::env::var_os("STICKSLIP_NIGHTLY").is_some() { 30 } else { 8 };
    let events: usize = (1..=trains).map(agrees).sum();
    assert!(3 * events > 20 * trains as usize, "only {events} events");
}

/// The same on more machines: minutes.
#[test]
#[ignore = "a campaign of minutes"]
fn many_random_trains() {
    let events: usize = (1000..1400).map(agrees).sum();
    assert!(events > 2000, "only {events} events");
}

fn gear<'a>(ratio: f64, friction: Option<GearFriction>) -> GearBetween<'a> {
    GearBetween { name: "gear", between: ["a", "b"], ratio, friction }
}

fn two(mass: [f64; 2]) -> stickslip::model::NetworkBuilder {
    Network::builder().unjoined().node("a", mass[0]).node("b", mass[1])
}

/// What hits a load feels the inertia behind the gear: m_b + n² m_a.
#[test]
fn an_impact_feels_the_mass_behind_the_gear() {
    let (n, e) = (3.0, 0.6);
    let [ma, mb, mc] = [0.2, 1.0, 1.7];
    let network = two([ma, mb]).node("c", mc).starting_at("c", -1.0, 2.0).build().unwrap();
    let machine = Machine::geared(network, [gear(n, None)]).unwrap();
    let bounds = [None, Some(Signal::constant(0.0))];
    let rigid = Bumper::Rigid { restitution: e };
    let machine = machine.with_stop("gap", ["c", "b"], bounds, rigid).unwrap();
    let path = machine::solve(&machine, 1.0, Options::default()).unwrap();
    assert_eq!(path.events()[0].kind, EventKind::Impact);
    let seen = mb + n * n * ma;
    let p = (1.0 + e) * 2.0 / (1.0 / mc + 1.0 / seen);
    let state = path.state(1.0);
    assert!((state.v[1] - p / seen).abs() < 1e-13, "{state:?}");
    assert!((state.v[0] - n * p / seen).abs() < 1e-13);
    assert!((state.v[2] - (2.0 - p / mc)).abs() < 1e-13);
    assert!((path.events()[0].impulse + p).abs() < 1e-13);
    assert!(path.energy().relative_defect() < 1e-12);
}

/// A massless side only hands on: a lever pulled by a force.
#[test]
fn a_side_without_a_mass_hands_on() {
    let network = two([0.0, 2.0]).force("a", Signal::constant(3.0)).build().unwrap();
    let machine = Machine::geared(network, [gear(4.0, None)]).unwrap();
    let path = machine::solve(&machine, 1.0, Options::default()).unwrap();
    let state = path.state(1.0);
    // m_b ẍ_b = n F = T
    assert!((state.v[1] - 6.0).abs() < 1e-12 && (state.v[0] - 24.0).abs() < 1e-11);
    assert!((state.load[0] - 12.0).abs() < 1e-12);
}

/// A prescribed motion leads the whole train, and the gear says which force that takes.
#[test]
fn a_led_side_leads_the_other() {
    for (led, follows) in [("a", "b"), ("b", "a")] {
        let network = two([0.5, 2.0]);
        let network = network.motion(
            led,
            Signal::ramp(0.5, 0.0) + Signal::harmonic(0.1, 2.0, -std::f64::consts::FRAC_PI_2),
        );
        let network = network.spring(follows, "ground", 3.0).build().unwrap();
        let machine = Machine::geared(network, [gear(2.0, None)]).unwrap();
        let path = machine::solve(&machine, 2.0, Options::default());
        // x = 0.5 t + 0.1 sin 2t begins with a velocity that the other node must have.
        let message = path.unwrap_err().to_string();
        assert!(message.contains("velocity"), "{message}");
        let ratio = if led == "a" { 0.5 } else { 2.0 };
        let network = two([0.5, 2.0]).starting_at(follows, 0.0, 0.7 * ratio);
        let network = network.motion(
            led,
            Signal::ramp(0.5, 0.0) + Signal::harmonic(0.1, 2.0, -std::f64::consts::FRAC_PI_2),
        );
        let network = network.spring(follows, "ground", 3.0).build().unwrap();
        let machine = Machine::geared(network, [gear(2.0, None)]).unwrap();
        let path = machine::solve(&machine, 2.0, Options::default()).unwrap();
        let t: f64 = 1.3;
        let [x, a] = [0.5 * t + 0.1 * (2.0 * t).sin(), -0.4 * (2.0 * t).sin()];
        let state = path.state(t);
        let other = usize::from(led == "a");
        assert!((state.x[other] - ratio * x).abs() < 1e-12);
        let mass = [0.5, 2.0][other];
        let needs = mass * ratio * a + 3.0 * ratio * x;
        // T acts on b; on a acts −T/n.
        let expected = if other == 1 { needs } else { -2.0 * needs };
        assert!((state.load[0] - expected).abs() < 1e-11, "{led}: {state:?} {expected}");
        assert!(path.energy().relative_defect() < 1e-9);
    }
}

#[test]
fn what_gears_cannot_be_is_refused() {
    let told =
        |network: stickslip::model::NetworkBuilder, gears: &[GearBetween<'_>], what: &str| {
            let message = Machine::geared(network.build().unwrap(), gears.to_vec());
            let message = message.unwrap_err().to_string();
            assert!(message.contains(what), "{message}");
        };
    told(two([1.0, 1.0]), &[gear(0.0, None)], "ratio is 0");
    told(two([1.0, 1.0]), &[gear(f64::NAN, None)], "ratio is NaN");
    told(two([0.0, 0.0]), &[gear(2.0, None)], "has a mass");
    told(two([1.0, 1.0]), &[GearBetween { between: ["a", "c"], ..gear(2.0, None) }], "no node `c`");
    told(
        two([1.0, 1.0]),
        &[GearBetween { between: ["a", "ground"], ..gear(2.0, None) }],
        "the ground",
    );
    let again = GearBetween { name: "other", ..gear(3.0, None) };
    told(two([1.0, 1.0]), &[gear(2.0, None), again], "ring");
    told(two([1.0, 1.0]), &[gear(2.0, None), gear(3.0, None)], "name");
    let both = two([1.0, 1.0]).motion("a", Signal::default()).motion("b", Signal::default());
    told(both, &[gear(2.0, None)], "prescribed");
    let negative = GearFriction::new(0.1, -0.1);
    told(two([1.0, 1.0]), &[gear(2.0, Some(negative))], "-0.1");
    let led = two([1.0, 1.0]).motion("b", Signal::default());
    told(led, &[gear(2.0, Some(GearFriction::new(0.1, 0.1)))], "prescribed");
    // A node that is led and shares mass with one that is free: the force of its acceleration on that one would be missing.
    let rows = |rows: [[f64; 3]; 3]| rows.map(Vec::from).to_vec();
    let coupled = Matrices {
        mass: rows([[1.0, 0.0, 0.2], [0.0, 1.0, 0.0], [0.2, 0.0, 1.0]]),
        stiffness: rows([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        ..Matrices::default()
    };
    let nodes = || Network::builder().node("a", 0.0).node("b", 0.0).node("c", 0.0);
    let moved = nodes().matrices(coupled.clone()).motion("b", Signal::default());
    told(moved, &[gear(2.0, None)], "shares");
    let free = nodes().matrices(coupled).build().unwrap();
    assert!(Machine::geared(free, [gear(2.0, None)]).is_ok());
    // A start that the gear does not allow.
    let apart = two([1.0, 1.0]).starting_at("a", 1.0, 0.0).build().unwrap();
    let machine = Machine::geared(apart, [gear(2.0, None)]).unwrap();
    let message = machine::solve(&machine, 1.0, Options::default()).unwrap_err().to_string();
    assert!(message.contains("2 times that of `b` is 0"), "{message}");
}

/// μ < 1/n + n J_a/J_b is the edge: just below it the machine is read, at it and above it is refused with both numbers. Drives
/// that lock themselves, μ ≥ 1/n, are below it.
#[test]
fn the_edge_of_uniqueness_is_where_theory_has_it() {
    let (n, ja, jb) = (20.0, 0.02, 4.0);
    let edge = 1.0 / n + n * ja / jb;
    let of = |mu: f64| {
        let network = two([ja, jb]).build().unwrap();
        Machine::geared(network, [gear(n, Some(GearFriction::new(0.1, mu)))])
    };
    assert!(edge > 1.0 / n && of(edge * (1.0 - 1e-9)).is_ok() && of(1.1 / n).is_ok());
    let message = of(edge * (1.0 + 1e-9)).unwrap_err().to_string();
    assert!(message.contains("0.15"), "{message}");
    // A brake that holds another inertia to the load moves the edge: that is found when it holds.
    let network = two([ja, jb])
        .node("c", 100.0)
        .slider("clutch", "b", "c", 50.0, 50.0)
        .force("a", Signal::constant(1.0))
        .build()
        .unwrap();
    let machine = Machine::geared(network, [gear(n, Some(GearFriction::new(0.0, 0.09)))]).unwrap();
    let message = machine::solve(&machine, 1.0, Options::default()).unwrap_err().to_string();
    assert!(message.contains("hold to it") && message.contains("0.09"), "{message}");
}

/// A loop around a motor that moves its load through a gear comes to rest where that of one mass m + J/n² does: `hunt` shifts
/// what gears join together.
#[test]
fn a_loop_with_a_gear_hunts_as_the_mass_that_it_feels() {
    use stickslip::model::machine::{ControlLaw, Gains};
    use stickslip::study::hunt::{Search, hunt};
    let law = || {
        let gains = Gains { proportional: 6.5, integral: 8.5, derivative: 3.0, ..Gains::default() };
        ControlLaw::pid(gains).following(Signal::constant(1.0))
    };
    let rail = |b: stickslip::model::NetworkBuilder| b.slider("rail", "a", "ground", 1.0, 0.7);
    let one = rail(Network::builder().unjoined().node("a", 1.0)).build().unwrap();
    let one = Machine::new(one).unwrap().with_controller("pid", ["a", "ground"], "a", law());
    let both = rail(two([0.6, 1.6])).build().unwrap();
    let both = Machine::geared(both, [gear(2.0, None)]).unwrap();
    let both = both.with_controller("pid", ["a", "ground"], "a", law());
    let search = Search::within(400.0);
    let [one, both] = [one, both].map(|m| hunt(&m.unwrap(), &search).unwrap());
    assert_eq!(one.starts.len(), both.starts.len());
    for (p, q) in one.starts.iter().zip(&both.starts) {
        assert!((p.error - q.error).abs() < 1e-9, "{p:?} {q:?}");
    }
    let [p, q] = [&one.cycles[0], &both.cycles[0]];
    assert!((p.period - q.period).abs() < 1e-6 * p.period, "{p:?} {q:?}");
}

/// Of more than 14 gears in a row not all signs are tried. Between equal masses a friction on the first side of gear h answers
/// in the load of gear g by (g + 1)/16 or (15 − g)/16, with all rows of |B| at most 7.5: below 1/7.5 they are accepted.
#[test]
fn many_gears_are_told_where_they_cannot_be_decided() {
    let chain = |count: usize, coefficient: f64| {
        let names: Vec<String> = (0..=count).map(|i| format!("n{i}")).collect();
        let b = names.iter().fold(Network::builder().unjoined(), |b, n| b.node(n, 1.0));
        let gears = names.windows(2).map(|pair| GearBetween {
            name: &pair[0],
            between: [&pair[0], &pair[1]],
            ratio: 1.0,
            friction: Some(GearFriction::new(0.0, coefficient)),
        });
        Machine::geared(b.build().unwrap(), gears)
    };
    assert!(chain(15, 0.13).is_ok());
    let said = chain(15, 0.4).unwrap_err().to_string();
    assert!(said.contains("more than 14 gears"), "{said}");
    // Few enough are tried.
    let said = chain(6, 0.4).map(|_| ()).map_err(|e| e.to_string());
    assert!(!said.is_err_and(|e| e.contains("more than")));
}
