//! The event-driven solution of networks against independent ones.

#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use common::Random;
use stickslip::model::Network;
use stickslip::scheme::{cascade, exact, network};
use stickslip::{Cascade, EventKind, Motion, Signal};

/// Random single masses (all dampings, resonance, ramps, steps, sampled loads, f_d from 0 to f_s) against the
/// closed form.
#[test]
fn one_mass_is_the_exact_oscillator() {
    let (mut events, mut worst) = (0, 0.0f64);
    for seed in 0..400 {
        let (o, end) = common::problem(&mut Random(seed));
        let (fs, fd) = o.friction.constants().unwrap()[0];
        let load = o.force.clone() + o.stiffness * o.drive.clone();
        let mut b = Network::builder()
            .node("a", o.mass)
            .starting_at("a", o.initial.displacement, o.initial.velocity)
            .slider("s", "a", "ground", fs, fd)
            .force("a", load);
        if o.stiffness > 0.0 {
            b = b.spring("a", "ground", o.stiffness);
        }
        if o.damping > 0.0 {
            b = b.dashpot("a", "ground", o.damping);
        }
        let (want, found) =
            (exact::solve(&o, end).unwrap(), network::exact(&b.build().unwrap(), end));
        let found = found.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let scale = want.sample(500).fold(0.0, |m: f64, (_, u, _)| m.max(u.x.abs()).max(u.v.abs()));
        events += want.events().len();
        // A slip of a nanosecond in between is one of rounding: the load touches the limit.
        let apart = |times: Vec<f64>| {
            let alone = |i: &usize| {
                let near =
                    |j: usize| times.get(j).is_some_and(|t: &f64| (t - times[*i]).abs() < 1e-7);
                !(near(i + 1) || *i > 0 && near(i - 1))
            };
            (0..times.len()).filter(alone).map(|i| times[i]).collect::<Vec<_>>()
        };
        let left = apart(want.events().iter().map(|e| e.time).collect());
        let right = apart(found.events().iter().map(|e| e.time).collect());
        assert_eq!(left.len(), right.len(), "seed {seed}: {left:?} {right:?}");
        let gap = left.iter().zip(right).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        for (t, u, _) in want.sample(500) {
            let w = found.state(t);
            let error = (u.x - w.x[0]).abs().max((u.v - w.v[0]).abs());
            worst = worst.max(error / scale);
            assert!(error < 1e-12 * scale, "seed {seed} t {t}: {error:e}, events {gap:e}");
        }
    }
    println!("{events} events, {worst:e} of the motion");
    assert!(events > 2000, "{events}");
}

/// The cascade of the references, as a network.
#[test]
fn a_cascade_is_a_network() {
    let c = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
        .with_force(Signal::harmonic(2.5, 0.9, 0.0));
    let want = cascade::exact(&c, 20.0).unwrap();
    let n = Network::cascade(&c).build().unwrap();
    let found = network::exact(&n, 20.0).unwrap();
    for (t, u, _) in want.sample(2000) {
        let w = found.state(t);
        assert!((u.x - w.x[0]).abs() < 1e-10 && (u.v - w.v[0]).abs() < 1e-10, "{t}");
        assert!((u.force - 3.0 * (w.x[0] - w.x[1])).abs() < 1e-10, "{t}");
    }
    let e = found.energy(&n);
    assert!(e.relative_defect() < 1e-12 && e.friction > 1.0, "{e:?}");
}

/// Three inertias in a row, two clutches between them, normal forces that change, breakaway 1.1 × sliding; the last
/// is pulled back by a spring and all by the ground.
#[derive(Clone)]
struct Clutches {
    inertia: [f64; 3],
    torque: Signal,
    normal: [Signal; 2],
    sliding: f64,
    breakaway: f64,
    spring: f64,
}

impl Clutches {
    fn new(breakaway: f64, spring: f64) -> Self {
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
    fn solve(&self, end: f64) -> (Vec<(f64, usize, i8)>, [f64; 6]) {
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

    fn network(&self) -> Network {
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

/// Events and final speeds to 1e-9, where the direct solution's own steps are of the fourth order and as fine.
#[test]
fn coupled_clutches_against_a_direct_solution() {
    for (breakaway, spring) in [(0.55, 0.0), (0.55, 3.0), (0.5, 3.0), (0.9, 1.0)] {
        let c = Clutches::new(breakaway, spring);
        let (mut events, end) = c.solve(10.0);
        events.retain(|e| e.0 > 1e-12); // what slips from the start is no event
        let n = c.network();
        let path = network::exact(&n, 10.0).unwrap();
        let found = path.events();
        assert!(events.len() >= 4, "{events:?}");
        assert_eq!(found.len(), events.len(), "{found:?} {events:?}");
        // At one instant in any order.
        let order = |a: (f64, usize), b: (f64, usize)| {
            if (a.0 - b.0).abs() < 1e-9 { a.1.cmp(&b.1) } else { a.0.total_cmp(&b.0) }
        };
        events.sort_by(|a, b| order((a.0, a.1), (b.0, b.1)));
        let mut found = found.to_vec();
        found.sort_by(|a, b| order((a.time, a.slider), (b.time, b.slider)));
        for (f, (time, clutch, mode)) in found.iter().zip(&events) {
            assert!((f.time - time).abs() < 1e-9 && f.slider == *clutch, "{f:?} {time} {clutch}");
            assert_eq!(f.kind == EventKind::Stick, *mode == 0);
        }
        let last = path.state(10.0);
        for i in 0..3 {
            assert!(
                (last.x[i] - end[i]).abs() < 1e-9 && (last.v[i] - end[3 + i]).abs() < 1e-9,
                "{i}"
            );
        }
        let e = path.energy(&n);
        assert!(e.relative_defect() < 1e-12 && e.friction > 0.0, "{e:?}");
    }
}

/// A tree of nodes with and without mass; springs and dashpots between them and to the ground; two-phase sliders,
/// some under a normal force that changes and opens, without loops.
fn random(r: &mut Random) -> Network {
    let count = 2 + (r.next() % 7) as usize;
    let mut b = Network::builder();
    let mut sliding = vec![false; count];
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
        let ratio = if r.chance(0.5) { 1.0 } else { r.uniform(0.4, 1.0) };
        // A slider to the ground or to a node that already has its own way there: never a loop.
        let end = match before {
            Some(j) if r.chance(0.4) => format!("n{j}"),
            _ => "ground".to_owned(),
        };
        if r.chance(0.8) {
            b = b.slider(format!("s{i}"), &name, end, limit, ratio * limit);
            sliding[i] = true;
            if r.chance(0.3) {
                let wave =
                    Signal::harmonic(r.uniform(0.3, 1.2), r.uniform(0.5, 3.0), r.uniform(0.0, 6.0));
                b = b.normal(Signal::constant(1.0) + wave);
            }
        }
        if r.chance(0.6) {
            let wave =
                Signal::harmonic(r.uniform(0.5, 3.0), r.uniform(0.3, 2.0), r.uniform(0.0, 6.0));
            b = b.force(&name, wave + Signal::ramp(r.uniform(-0.1, 0.1), 0.0));
        }
    }
    b.build().unwrap()
}

/// What every solution must satisfy, at many instants: the laws of the sliders, the balance of each node (with the
/// acceleration from differences of the velocity), the energies; and events there are.
#[test]
fn random_networks_obey_their_laws() {
    let (mut events, mut refused, mut worst) = (0, 0, 0.0f64);
    for seed in 0..300 {
        let n = random(&mut Random(seed));
        assert!(n.remarks().is_empty());
        let path = match network::exact(&n, 12.0) {
            Ok(path) => path,
            // What cannot be decided is refused, not guessed; that must stay rare.
            Err(e) => {
                println!("seed {seed}: {e}");
                refused += 1;
                continue;
            }
        };
        events += path.events().len();
        let end = |u: &[f64], e: Option<usize>| e.map_or(0.0, |i| u[i]);
        let across = |u: &[f64], [a, b]: [Option<usize>; 2]| end(u, a) - end(u, b);
        for s in path.segments().iter().filter(|s| s.end - s.start > 1e-3) {
            let t = 0.5 * (s.start + s.end);
            let h = 1e-4f64.min(0.2 * (s.end - s.start));
            let (u, before, after) = (s.arc.state(t), s.arc.state(t - h), s.arc.state(t + h));
            let mut force: Vec<f64> = n.nodes().iter().map(|n| n.force.value(t)).collect();
            let mut pull = |[a, b]: [Option<usize>; 2], f: f64| {
                a.into_iter().for_each(|i| force[i] -= f);
                b.into_iter().for_each(|i| force[i] += f);
            };
            n.springs()
                .iter()
                .for_each(|l| pull(l.between, l.coefficient * across(&u.x, l.between)));
            n.dashpots()
                .iter()
                .for_each(|l| pull(l.between, l.coefficient * across(&u.v, l.between)));
            for (e, slider) in n.sliders().iter().enumerate() {
                let (lambda, w, normal) =
                    (-u.friction[e], across(&u.v, slider.between), slider.normal_at(t));
                pull(slider.between, lambda);
                match s.phase[e] {
                    0 => {
                        assert!(
                            lambda.abs() <= slider.static_ * normal + 1e-9,
                            "seed {seed} t {t}: {lambda}"
                        );
                        assert!(w.abs() < 1e-12, "seed {seed} t {t}: {w}");
                    }
                    sign => {
                        let f = f64::from(sign) * slider.dynamic * normal;
                        assert!((lambda - f).abs() < 1e-12, "seed {seed} t {t}: {lambda} {f}");
                        assert!(f64::from(sign) * w > -1e-10, "seed {seed} t {t}: {w}");
                    }
                }
            }
            for (i, node) in n.nodes().iter().enumerate() {
                let inertia = node.mass * (after.v[i] - before.v[i]) / (2.0 * h);
                assert!(
                    (force[i] - inertia).abs() < 1e-4,
                    "seed {seed} t {t} node {i}: {} {inertia}",
                    force[i]
                );
            }
        }
        let e = path.energy(&n);
        worst = worst.max(e.relative_defect());
        assert!(
            e.relative_defect() < 1e-12 && e.friction >= 0.0 && e.jumps > -1e-10,
            "seed {seed}: {e:?}"
        );
    }
    println!("{events} events; energies balance to {worst:e}; {refused} of 300 refused");
    assert!(refused <= 3);
    assert!(events > 3000, "{events}");
}

/// The time-stepping scheme comes to the exact solution, with order 1.
#[test]
fn implicit_euler_converges_to_the_exact_solution() {
    let (mut coarse, mut fine) = (0.0, 0.0);
    for seed in 0..40 {
        let n = random(&mut Random(seed));
        if n.sliders().iter().any(|s| s.dynamic < s.static_) {
            continue; // a discontinuous law: a late event changes what comes after
        }
        let path = network::exact(&n, 8.0).unwrap();
        let error = |h: f64| {
            let mut sum = 0.0;
            network::run(&n, 8.0, h, 1.0, |k, x, _, _, _| {
                if k % 50 == 0 && k > 0 {
                    let u = path.state(k as f64 * h);
                    sum += u.x.iter().zip(x).map(|(a, b)| (a - b).abs()).sum::<f64>() * h;
                }
            })
            .unwrap();
            sum
        };
        coarse += error(4e-3);
        fine += error(5e-4);
    }
    let order = (coarse / fine).log2() / 3.0;
    assert!(order > 0.9 && order < 1.1, "{order}: {coarse} {fine}");
}

/// A node without mass on a two-phase slider, pulled through a spring: it jumps by (f_s − f_d)/k when the spring
/// has reached f_s, and then slides at f_d behind the hand.
#[test]
fn a_node_without_mass_jumps_when_it_breaks_away() {
    let (k, fs, fd, speed) = (4.0, 2.0, 1.5, 0.5);
    let n = Network::builder()
        .node("hand", 0.0)
        .motion("hand", Signal::ramp(speed, 0.0))
        .node("a", 0.0)
        .spring("hand", "a", k)
        .slider("s", "a", "ground", fs, fd)
        .build()
        .unwrap();
    let path = network::exact(&n, 3.0).unwrap();
    let [event] = path.events() else { panic!("{:?}", path.events()) };
    assert!((event.time - fs / (k * speed)).abs() < 1e-15 && event.kind == EventKind::Slip);
    for t in [1.0, 1.5, 3.0] {
        let u = path.state(t);
        assert!((u.x[1] - (speed * t - fd / k)).abs() < 1e-15 && u.v[1] == speed, "{u:?}");
    }
    assert_eq!(path.state(0.99).x[1], 0.0);
    let e = path.energy(&n);
    assert!((e.jumps - (fs * fs - fd * fd) / (2.0 * k)).abs() < 1e-14, "{e:?}");
    assert!((e.friction - fd * speed * 2.0).abs() < 1e-14 && e.defect().abs() < 1e-14, "{e:?}");
}

/// A load that jumps onto a massless Prandtl element, and goes again: by hand.
#[test]
fn loads_that_jump_move_nodes_without_mass() {
    // Spring 2 N/m to the ground beside a slider of 1 N: x = (F − 1)/2, then back at F = 0: |0 − 2x| = 2 > 1.
    let n = Network::builder()
        .node("a", 0.0)
        .spring("a", "ground", 2.0)
        .slider("s", "a", "ground", 1.0, 1.0)
        .force("a", Signal::step(1.0, 0.0, 3.0) + Signal::step(2.0, 0.0, -3.0))
        .build()
        .unwrap();
    let path = network::exact(&n, 3.0).unwrap();
    let x = |t: f64| path.state(t).x[0];
    assert_eq!(x(0.9), 0.0);
    assert!((x(1.5) - 1.0).abs() < 1e-15 && (x(2.5) - 0.5).abs() < 1e-15, "{} {}", x(1.5), x(2.5));
    assert!(path.energy(&n).relative_defect() < 1e-14);
}

/// Equal blocks under equal loads break away, stop and turn at the same instants: each as if it were alone.
#[test]
fn simultaneous_events_are_solved_together() {
    for (fs, fd) in [(1.0, 1.0), (1.0, 0.6)] {
        let force = Signal::harmonic(1.8, 0.7, 0.0);
        let mut b = Network::builder().node("alone", 1.0).spring("alone", "ground", 0.5);
        b = b.slider("s", "alone", "ground", fs, fd).force("alone", force.clone());
        for i in 0..8 {
            let name = format!("n{i}");
            b = b.node(&name, 1.0).spring(&name, "ground", 0.5).force(&name, force.clone());
            b = b.slider(format!("s{i}"), &name, "ground", fs, fd);
            if i > 0 {
                b = b.spring(format!("n{}", i - 1), name, 3.0);
            }
        }
        let path = network::exact(&b.build().unwrap(), 60.0).unwrap();
        let alone: Vec<_> = path.events().iter().filter(|e| e.slider == 0).collect();
        assert!(alone.len() > 10);
        assert_eq!(path.events().len(), 9 * alone.len());
        for t in [1.0, 17.3, 42.0, 60.0] {
            let u = path.state(t);
            assert!(u.x.iter().all(|x| (x - u.x[0]).abs() < 1e-12), "{u:?}");
        }
    }
}

/// A stack pulled at its top: the limits decide which contact gives way, and the breakaway of one overloads the next
/// at the same instant.
#[test]
fn a_breakaway_can_overload_the_next_contact() {
    // Springless: top (1 kg) on base (1 kg) on the ground. The ground holds 2 N and then 1 N, the contact between
    // them 1.7 N. At F = 2 the ground gives way; a common acceleration (2 − 1)/2 needs F − a = 1.5 N between them.
    let stack = |between: f64| {
        Network::builder()
            .node("top", 1.0)
            .node("base", 1.0)
            .slider("between", "top", "base", between, between)
            .slider("below", "base", "ground", 2.0, 1.0)
            .force("base", Signal::ramp(1.0, 0.0))
            .build()
            .unwrap()
    };
    // Pulled at the base: at F = 2 it leaves at (2 − 1)/2 = 0.5 m/s² if 0.5 N can be passed to the top.
    let firm = network::exact(&stack(0.6), 2.1).unwrap();
    assert_eq!(firm.events().len(), 1);
    let slippery = network::exact(&stack(0.4), 2.1).unwrap();
    let [a, b] = slippery.events() else { panic!("{:?}", slippery.events()) };
    assert!(a.time == 2.0 && b.time == 2.0 && a.slider != b.slider);
    let u = slippery.state(2.1);
    // top: 0.4 N; base: ∫ (F − 1 − 0.4) = 0.6·0.1 + 0.1²/2.
    assert!((u.v[0] - 0.04).abs() < 1e-15 && (u.v[1] - 0.065).abs() < 1e-15, "{u:?}");
}

/// A block on a belt that starts with a jerk, and stops: velocities that jump make sliders slip at once.
#[test]
fn a_belt_that_starts_with_a_jerk() {
    let belt = Signal::sampled(&[0.0, 1.0, 3.0, 6.0], &[0.0, 0.0, 4.0, 4.0]).unwrap();
    let n = Network::builder()
        .node("belt", 0.0)
        .motion("belt", belt)
        .node("block", 2.0)
        .slider("s", "block", "belt", 3.0, 2.0)
        .build()
        .unwrap();
    let path = network::exact(&n, 6.0).unwrap();
    // From t = 1 the belt runs at 2 m/s; the block gains 1 m/s² and is as fast at t = 3, when the belt stops: it then
    // slides on and loses 1 m/s² until t = 5.
    let kinds: Vec<_> = path.events().iter().map(|e| (e.kind, e.time)).collect();
    let want = [(EventKind::Slip, 1.0), (EventKind::Reversal, 3.0), (EventKind::Stick, 5.0)];
    assert_eq!(kinds.len(), 3, "{kinds:?}");
    assert!(
        kinds.iter().zip(want).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-14),
        "{kinds:?}"
    );
    let last = path.state(6.0);
    assert!((last.x[1] - 4.0).abs() < 1e-14 && last.v[1] == 0.0, "{last:?}");
}

#[test]
fn what_is_not_served_is_refused_with_a_remedy() {
    let text = |n: stickslip::model::NetworkBuilder| {
        network::exact(&n.build().unwrap(), 1.0).unwrap_err().to_string()
    };
    let base = || Network::builder().node("a", 1.0).node("b", 1.0).spring("a", "b", 1.0);
    let looped = base()
        .slider("s1", "a", "ground", 1.0, 1.0)
        .slider("s2", "b", "ground", 1.0, 1.0)
        .slider("s3", "a", "b", 1.0, 1.0);
    let said = text(looped);
    assert!(
        said.contains("s1, s2") || said.contains("s3") && said.contains("implicit-euler"),
        "{said}"
    );
    let jump = base()
        .node("hand", 0.0)
        .spring("hand", "a", 1.0)
        .motion("hand", Signal::step(0.5, 0.0, 1.0));
    let said = text(jump);
    assert!(said.contains("hand") && said.contains("0.5") && said.contains("ramp"), "{said}");
}
