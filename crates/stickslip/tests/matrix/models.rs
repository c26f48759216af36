//! Models whose motion is known: in closed form, or at some instants from arithmetic with 30 digits.

use std::f64::consts::PI;
use stickslip::law::{Ageing, General, Growth};
use stickslip::{Cascade, Impact, Law, Model, Network, Oscillator, Problem, Signal, Stops};

/// A problem and its motion.
pub struct Known {
    pub name: String,
    pub problem: Problem,
    /// Instants (s), with displacement and velocity of every point in turn.
    pub truth: Vec<(f64, Vec<f64>)>,
    /// The coarsest step, s.
    pub step: f64,
    /// The schemes for models of its kind that do not treat this one.
    pub refused: &'static [&'static str],
}

impl Known {
    pub fn oscillator(&self) -> Option<&Oscillator> {
        if let Model::Oscillator(o) = &self.problem.model { Some(o) } else { None }
    }
}

/// Displacement and velocity of a point so many seconds after the beginning of a piece.
type Point = Box<dyn Fn(f64) -> [f64; 2]>;

/// A mass on a spring that rests at `centre`, from x and v on.
fn swing(centre: f64, omega: f64, [x, v]: [f64; 2]) -> Point {
    Box::new(move |s| {
        let (sin, cos) = (omega * s).sin_cos();
        [centre + (x - centre) * cos + v / omega * sin, v * cos - omega * (x - centre) * sin]
    })
}

/// A constant acceleration, from x and v on.
fn flight(a: f64, [x, v]: [f64; 2]) -> Point {
    Box::new(move |s| [x + s * (v + 0.5 * a * s), v + a * s])
}

fn rest(x: f64) -> Point {
    flight(0.0, [x, 0.0])
}

/// A motion in pieces, each with its beginning and its points, until `end`: at forty instants, none of them close to
/// the beginning of a piece, where a velocity may jump.
fn pieces(pieces: Vec<(f64, Vec<Point>)>, end: f64) -> Vec<(f64, Vec<f64>)> {
    let times = (0..40).map(|i| end * (f64::from(i) + 0.37) / 40.0);
    let apart = |t: &f64| pieces.iter().all(|(from, _)| (t - from).abs() > 0.01 * end);
    let state = |t: f64| {
        let (from, points) = pieces.iter().rev().find(|(from, _)| *from <= t).unwrap();
        points.iter().flat_map(|p| p(t - from)).collect()
    };
    times.filter(apart).map(|t| (t, state(t))).collect()
}

/// The same for one point.
fn of_one(path: Vec<(f64, Point)>, end: f64) -> Vec<(f64, Vec<f64>)> {
    pieces(path.into_iter().map(|(from, point)| (from, vec![point])).collect(), end)
}

pub fn models() -> Vec<Known> {
    let mut models = vec![
        free_decay(),
        free_decay_of_a_network(),
        asymmetric(),
        belt(),
        growing_with_the_speed(),
        weakening(),
        ageing(),
        resonance(),
        between_stops(),
        one_element(),
        four_elements(),
        clutch(),
        dropped(),
        on_a_spring_above_a_wall(),
    ];
    models.extend(references());
    models
}

/// Half turns about ±f/K, from x₀ > 0 at rest until the spring no longer overcomes friction: [f ahead, f back].
fn half_turns(k: f64, omega: f64, [ahead, back]: [f64; 2], x0: f64) -> Vec<(f64, Point)> {
    let (mut x, mut path) = (x0, vec![]);
    loop {
        let from = path.len() as f64 * PI / omega;
        // Above zero the spring pulls back, below it ahead.
        let centre = if x > 0.0 { back / k } else { -ahead / k };
        if x.abs() <= centre.abs() {
            path.push((from, rest(x)));
            return path;
        }
        path.push((from, swing(centre, omega, [x, 0.0])));
        x = 2.0 * centre - x;
    }
}

const DECAY: (f64, f64, f64, f64, f64) = (2.5, 4.0, 0.3, 2.0, 15.0);

fn free_decay() -> Known {
    let (m, k, f, x0, end) = DECAY;
    let o = Oscillator::new(m, k, Law::coulomb(f).unwrap()).starting_at(x0, 0.0);
    let truth = of_one(half_turns(k, (k / m).sqrt(), [f, f], x0), end);
    let (name, problem) = ("free decay".into(), Problem::new(o, end));
    Known { name, problem, truth, step: 0.02, refused: &[] }
}

fn free_decay_of_a_network() -> Known {
    let (m, k, f, x0, end) = DECAY;
    let n = Network::builder()
        .node("a", m)
        .starting_at("a", x0, 0.0)
        .spring("a", "ground", k)
        .slider("s", "a", "ground", f, f)
        .build()
        .unwrap();
    let truth = of_one(half_turns(k, (k / m).sqrt(), [f, f], x0), end);
    let (name, problem) = ("free decay of a network".into(), Problem::new(n, end));
    Known { name, problem, truth, step: 0.02, refused: &[] }
}

fn asymmetric() -> Known {
    let (ahead, back) = (Law::coulomb(0.5).unwrap(), Law::coulomb(0.2).unwrap());
    let o = Oscillator::new(1.0, 2.0, Law::asymmetric(ahead, back).unwrap()).starting_at(2.0, 0.0);
    let truth = of_one(half_turns(2.0, 2f64.sqrt(), [0.5, 0.2], 2.0), 12.0);
    let (name, problem) = ("asymmetric law".into(), Problem::new(o, 12.0));
    Known { name, problem, truth, step: 0.02, refused: &["quasi-static"] }
}

/// A belt of velocity V carries the mass until the spring pulls with f_s; the slip ends where it has V again.
fn belt() -> Known {
    let (m, k, fs, fd, v) = (2.0, 8.0, 3.0, 2.0, 0.15);
    let o = Oscillator::new(m, k, Law::static_dynamic(fs, fd).unwrap())
        .with_support(Signal::constant(v))
        .starting_at((2.0 * fd - fs) / k, v);
    let omega = (k / m).sqrt();
    let stick = 2.0 * (fs - fd) / (k * v);
    let slip = 2.0 * (PI - ((fs - fd) * omega / (k * v)).atan()) / omega;
    let mut path = vec![];
    for cycle in 0..3 {
        let from = f64::from(cycle) * (stick + slip);
        path.push((from, flight(0.0, [(2.0 * fd - fs) / k, v])));
        path.push((from + stick, swing(fd / k, omega, [fs / k, v])));
    }
    let end = 2.9 * (stick + slip);
    let (truth, problem) = (of_one(path, end), Problem::new(o, end));
    Known { name: "belt".into(), problem, truth, step: 0.01, refused: &["quasi-static"] }
}

/// f + c|v| brakes a free mass: m v̇ = −f − c v.
fn growing_with_the_speed() -> Known {
    let (m, f, c, v0) = (1.3, 0.5, 0.3, 2.0);
    let law = General::function(move |s| f + c * s, (c, c)).unwrap();
    let o = Oscillator::new(m, 0.0, Law::General(law)).starting_at(0.0, v0);
    let brake = move |t: f64| {
        let fade = (-c * t / m).exp();
        [m / c * (v0 + f / c) * (1.0 - fade) - f / c * t, (v0 + f / c) * fade - f / c]
    };
    let stop = m / c * (c * v0 / f).ln_1p();
    let (end, x) = (1.3 * stop, brake(stop)[0]);
    let truth = of_one(vec![(0.0, Box::new(brake)), (stop, rest(x))], end);
    let (name, problem) = ("friction that grows with the speed".into(), Problem::new(o, end));
    Known { name, problem, truth, step: 0.02, refused: &["exact", "quasi-static"] }
}

/// D/(1 + C|v|) brakes a free mass: (1 + C v) v̇ = −D/m, and (1 + C v) v dv = −D/m dx.
fn weakening() -> Known {
    let (m, c, d, v0) = (1.5, 0.8, 0.9, 2.0);
    let o = Oscillator::new(m, 0.0, Law::stribeck(0.0, 0.0, c, d).unwrap()).starting_at(0.0, v0);
    let drop = move |v: f64| v * (1.0 + 0.5 * c * v);
    let way = move |v: f64| v * v * (0.5 + c * v / 3.0);
    let brake = move |t: f64| {
        let v = ((1.0 + 2.0 * c * (drop(v0) - d * t / m)).sqrt() - 1.0) / c;
        [m / d * (way(v0) - way(v)), v]
    };
    let stop = m / d * drop(v0);
    let (end, x) = (1.3 * stop, m / d * way(v0));
    let truth = of_one(vec![(0.0, Box::new(brake)), (stop, rest(x))], end);
    let (name, problem) = ("friction that falls with the speed".into(), Problem::new(o, end));
    Known { name, problem, truth, step: 0.02, refused: &["exact", "quasi-static"] }
}

/// A limit of 1 N + 1 N/s · t against a load of 1.5 N/s · t: they meet after 2 s.
fn ageing() -> Known {
    let growth = Growth::Power { breakaway: 3.0, time: 2.0, exponent: 1.0 };
    let o = Oscillator::new(1.0, 0.0, Law::Ageing(Ageing::new(1.0, growth).unwrap()))
        .with_force(Signal::ramp(1.5, 0.0));
    // v̇ = 1.5 t − 1 = 2 + 1.5 s.
    let slip = |s: f64| [s * s * (1.0 + 0.25 * s), s * (2.0 + 0.75 * s)];
    let truth = of_one(vec![(0.0, rest(0.0)), (2.0, Box::new(slip))], 5.0);
    let (name, problem) = ("ageing limit".into(), Problem::new(o, 5.0));
    Known { name, problem, truth, step: 0.02, refused: &["exact", "quasi-static"] }
}

/// ẍ + x = cos t from rest without friction: x = (t/2) sin t.
fn resonance() -> Known {
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.0).unwrap())
        .with_force(Signal::harmonic(1.0, 1.0, 0.0));
    let grow = |t: f64| [0.5 * t * t.sin(), 0.5 * (t.sin() + t * t.cos())];
    let truth = of_one(vec![(0.0, Box::new(grow))], 10.0);
    Known {
        name: "resonance".into(),
        problem: Problem::new(o, 10.0),
        truth,
        step: 0.01,
        refused: &[],
    }
}

/// Friction of 0.8 N brakes 2 kg between rigid stops 2 m apart: v² falls by 2 · 0.4 m/s² times the way.
fn between_stops() -> Known {
    let o = Oscillator::new(2.0, 0.0, Law::coulomb(0.8).unwrap())
        .with_stops(Stops::rigid(Some(-1.0), Some(1.0), 0.5))
        .starting_at(0.0, 4.0);
    let (mut t, mut x, mut v, mut path) = (0.0, 0.0, 4.0f64, vec![]);
    for way in [1.0, 2.0] {
        path.push((t, flight(-0.4 * v.signum(), [x, v])));
        let speed = (v * v - 0.8 * way).sqrt();
        t += (v.abs() - speed) / 0.4;
        (x, v) = (v.signum(), -0.5 * speed * v.signum());
    }
    path.push((t, flight(-0.4 * v.signum(), [x, v])));
    path.push((t + v.abs() / 0.4, rest(x + v * v.abs() / 0.8)));
    let end = 1.2 * (t + v.abs() / 0.4);
    let refused = &["euler", "implicit-euler", "theta", "quasi-static"];
    let (name, truth) = ("between rigid stops".into(), of_one(path, end));
    Known { name, problem: Problem::new(o, end), truth, step: 0.01, refused }
}

/// k₀ alone until the element yields at α/k₀, then k₀ and k₁ one behind the other; k₀ alone after the turn.
fn one_element() -> Known {
    let c = Cascade::new(1.0, vec![2.0, 2.0], vec![1.0]).starting_at(0.0, 2.0);
    let (stiff, soft) = (2f64.sqrt(), 1.0);
    // x = v₀/ω sin ωt reaches 1/2, where half of ω t's sine is: then v² = 4 − 2/4.
    let (yields, v) = ((0.5 * stiff / 2.0).asin() / stiff, 3.5f64.sqrt());
    // The soft pair has a force of 1 N at 1/2 m: its centre is at −1/2 m. It turns where tan s = v.
    let turns = yields + v.atan();
    let farthest = -0.5 + 1.0f64.hypot(v);
    // After the turn the force is 1 N + (x_turn − 1/2) · 1 N/m and falls with k₀.
    let centre = farthest - (farthest + 0.5) / 2.0;
    // It yields the other way after 2α/k₀ = 1 m.
    let end = turns + (1.0 - 1.0 / (farthest - centre)).acos() / stiff;
    let path = vec![
        (0.0, swing(0.0, stiff, [0.0, 2.0])),
        (yields, swing(-0.5, soft, [0.5, v])),
        (turns, swing(centre, stiff, [farthest, 0.0])),
    ];
    let (truth, problem) = (of_one(path, end), Problem::new(c, end));
    Known {
        name: "cascade of one element".into(),
        problem,
        truth,
        step: 0.005,
        refused: &["quasi-static"],
    }
}

/// Reversals and the end of a forced cascade, in 30-digit arithmetic by independent code.
fn four_elements() -> Known {
    let c = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
        .with_force(Signal::harmonic(2.5, 0.9, 0.0));
    let truth = vec![
        (2.12156626046059, vec![2.13651358094461, 0.0]),
        (5.72647384107259, vec![-6.5576943669585, 0.0]),
        (9.66471632700354, vec![7.94858265072292, 0.0]),
        (13.4147582623428, vec![-6.69748089454069, 0.0]),
        (16.8836998811186, vec![5.34737265715518, 0.0]),
        (20.0, vec![-5.27035812607735, -1.2037909661811]),
    ];
    let (name, problem) = ("cascade of four elements".into(), Problem::new(c, 20.0));
    Known { name, problem, truth, step: 0.01, refused: &[] }
}

/// A clutch of 0.6 N between 1 kg at 2 m/s, pushed by 0.3 N, and 2 kg at rest: one velocity after 10/3 s.
fn clutch() -> Known {
    let n = Network::builder()
        .node("a", 1.0)
        .node("b", 2.0)
        .starting_at("a", 0.0, 2.0)
        .slider("clutch", "a", "b", 0.6, 0.6)
        .force("a", Signal::constant(0.3))
        .build()
        .unwrap();
    let (locks, v) = (10.0 / 3.0, 1.0);
    let (a, b) = (locks * (2.0 - 0.15 * locks), 0.15 * locks * locks);
    let path = vec![
        (0.0, vec![flight(-0.3, [0.0, 2.0]), flight(0.3, [0.0, 0.0])]),
        (locks, vec![flight(0.1, [a, v]), flight(0.1, [b, v])]),
    ];
    let (truth, problem) = (pieces(path, 6.0), Problem::new(n, 6.0));
    Known { name: "clutch".into(), problem, truth, step: 0.02, refused: &[] }
}

/// A ball from 1 m, with an impact after √(2/g) and each flight e times as long as the one before.
fn dropped() -> Known {
    let (g, e) = (9.81, 0.8);
    let ball = Impact::new(1.0, e).with_force(Signal::constant(-g)).starting_at(1.0, 0.0);
    let (mut t, mut v) = ((2.0f64 / g).sqrt(), (2.0f64 * g).sqrt());
    let mut path = vec![(0.0, flight(-g, [1.0, 0.0]))];
    for _ in 0..3 {
        v *= e;
        path.push((t, flight(-g, [0.0, v])));
        t += 2.0 * v / g;
    }
    let end = t - 0.2 * v / g;
    let (truth, problem) = (of_one(path, end), Problem::new(ball, end));
    Known { name: "dropped ball".into(), problem, truth, step: 0.002, refused: &[] }
}

/// x = cos 2t from 1 m to the wall at −0.3 m, then arcs of the same circle, each as long as the first to and fro.
fn on_a_spring_above_a_wall() -> Known {
    let (wall, omega) = (-0.3f64, 2.0);
    let model = Impact::new(1.0, 1.0)
        .with_spring(4.0, 0.0)
        .between(Some(Signal::constant(wall)), None)
        .starting_at(1.0, 0.0);
    let (fall, v) = (wall.acos() / omega, omega * (1.0 - wall * wall).sqrt());
    let mut path = vec![(0.0, swing(0.0, omega, [1.0, 0.0]))];
    for i in 0..4 {
        path.push((fall * f64::from(2 * i + 1), swing(0.0, omega, [wall, v])));
    }
    let end = 7.7 * fall;
    let (truth, problem) = (of_one(path, end), Problem::new(model, end));
    Known { name: "on a spring above a wall".into(), problem, truth, step: 0.002, refused: &[] }
}

/// Two-phase oscillators in 30-digit arithmetic: their sticks and reversals in the first half minute.
fn references() -> Vec<Known> {
    let text = include_str!("../schemes/reference/oscillator.txt");
    let case = |block: &str| {
        let (head, events) = block.split_once('\n').unwrap();
        let of = |key: &str| -> f64 {
            let found = head.split(' ').find_map(|w| w.strip_prefix(key)?.strip_prefix('='));
            found.unwrap().parse().unwrap()
        };
        let end = of("T").min(30.0);
        let o = Oscillator::new(of("m"), of("K"), Law::static_dynamic(of("fs"), of("fd")).unwrap())
            .with_damping(of("c"))
            .with_drive(Signal::harmonic(of("A"), of("w"), of("phi")))
            .starting_at(of("x0"), of("v0"));
        let at_rest = |line: &str| {
            let mut words = line.split(' ').skip(1).map(|w| w.parse::<f64>().unwrap());
            let (t, x) = (words.next()?, words.next()?);
            (!line.starts_with("end") && t < end).then(|| (t, vec![x, 0.0]))
        };
        let refused: &[&str] = if of("v0") == 0.0 { &[] } else { &["quasi-static"] };
        Known {
            name: head.split(' ').next().unwrap().into(),
            problem: Problem::new(o, end),
            truth: events.lines().filter_map(at_rest).collect(),
            step: 0.01,
            refused,
        }
    };
    text.split("case ").skip(1).map(case).collect()
}
