//! A slab on isolators: every step solves its inclusion, closed forms, and the models that it contains.

use crate::common::Random;
use stickslip::model::Planar;
use stickslip::model::isolated::{Floor, Isolated, Isolator};
use stickslip::scheme::isolated;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::planar::{self, euler_steps};
use stickslip::solution::{IsolatedPath, IsolatedState};
use stickslip::{Error, EventKind, Law, Network, Problem, Scheme, Signal, solve, start};

pub fn square(k: f64) -> [[f64; 2]; 2] {
    [[k, 0.0], [0.0, k]]
}

/// A symmetric matrix that is not negative.
fn matrix(r: &mut Random, size: f64) -> [[f64; 2]; 2] {
    let [a, b] = [r.uniform(0.2, 1.0) * size, r.uniform(0.2, 1.0) * size];
    let off = r.uniform(-0.9, 0.9) * (a * b).sqrt();
    [[a, off], [off, b]]
}

fn wave(r: &mut Random, size: f64) -> Signal {
    Signal::harmonic(size * r.uniform(0.3, 1.0), r.uniform(0.5, 3.0), r.uniform(0.0, 6.0))
}

fn law(r: &mut Random) -> Law {
    let f = r.uniform(0.1, 0.6);
    match r.next() % 4 {
        0 => Law::coulomb(f),
        1 => Law::static_dynamic(f * r.uniform(1.0, 1.5), f),
        2 => Law::stribeck_exponential(f * r.uniform(1.0, 1.4), f, r.uniform(0.2, 1.0), 1.0, 0.0),
        _ => Law::velocity_strengthening(f, f * r.uniform(1.0, 2.0), r.uniform(0.5, 5.0)),
    }
    .unwrap()
}

/// A slab on isolators here and there, with floors or none.
pub fn any(r: &mut Random) -> Isolated {
    let place = |r: &mut Random| [r.uniform(-2.0, 2.0), r.uniform(-2.0, 2.0)];
    let isolators = (0..1 + r.next() % 6).map(|i| {
        let at = if i == 0 && r.chance(0.2) { [0.0; 2] } else { place(r) };
        let own = Isolator::new(format!("i{i}"), at, law(r)).with_stiffness(matrix(r, 0.5));
        let own = if r.chance(0.3) { own.with_damping(matrix(r, 0.1)) } else { own };
        let own = own.with_share(r.uniform(0.1, 0.6));
        if r.chance(0.3) { own.with_ellipse([1.0, r.uniform(0.5, 1.5)]) } else { own }
    });
    let isolators: Vec<_> = isolators.collect();
    let floors = (0..r.next() % 3).map(|i| Floor {
        at: [r.uniform(-0.3, 0.3), r.uniform(-0.3, 0.3)],
        stiffness_at: [r.uniform(-0.3, 0.3), r.uniform(-0.3, 0.3)],
        damping: matrix(r, 0.2),
        torsion_damping: 0.1,
        ..Floor::new(
            format!("f{i}"),
            [r.uniform(0.2, 1.0), r.uniform(0.2, 1.0)],
            matrix(r, 20.0),
            15.0,
        )
    });
    let floors: Vec<_> = floors.collect();
    let mut slab = Isolated::new(r.uniform(0.5, 2.0), r.uniform(0.5, 3.0), isolators)
        .with_floors(floors)
        .with_force([wave(r, 1.0), wave(r, 1.0)])
        .with_moment(wave(r, 0.3))
        .with_base([wave(r, 0.5), wave(r, 0.5)]);
    if r.chance(0.4) {
        slab = slab.with_normal(Signal::constant(2.0) + wave(r, 0.8));
    }
    if r.chance(0.5) {
        slab = slab
            .starting_at([r.uniform(-0.1, 0.1), 0.05], [r.uniform(-0.5, 0.5), 0.3])
            .turning(0.01, r.uniform(-0.05, 0.05));
    }
    slab
}

/// Whether every step of `path` solves the inclusion of its scheme. How many rests, turns about one isolator and slips of all there were.
fn check_steps(model: &Isolated, path: &IsolatedPath, h: f64, count: usize) -> [usize; 3] {
    let mut seen = [0; 3];
    for n in 0..count {
        let t = (n + 1) as f64 * h;
        let [from, to] = [path.state(n as f64 * h), path.state(t)];
        let gain: Vec<f64> = to.v.iter().zip(&from.v).map(|(a, b)| (a - b) / h).collect();
        for ((to, from), v) in to.q.iter().zip(&from.q).zip(&to.v) {
            assert!((to - from - h * v).abs() < 1e-13);
        }
        let does = check_instant(model, t, &to, &gain, 1e-8);
        seen[does] += 1;
    }
    seen
}

/// Whether the state of a slab at `t` with these accelerations solves the inclusion, computed anew from the model: the balance of every body, to
/// `within`, and friction that is in the law of each isolator at its velocity. 0 for a rest, 1 for a turn about one isolator, 2 for a slip.
pub fn check_instant(
    model: &Isolated,
    t: f64,
    to: &IsolatedState,
    gain: &[f64],
    within: f64,
) -> usize {
    // Forces on bodies from the storeys, springs, dashpots and isolators at the end of the step.
    let mut force = vec![[0.0; 3]; 1 + model.floors.len()];
    let push = |on: &mut [f64; 3], arm: [f64; 2], f: [f64; 2]| {
        on[0] += f[0];
        on[1] += f[1];
        on[2] += arm[0] * f[1] - arm[1] * f[0];
    };
    let at = |u: &[f64], arm: [f64; 2]| [u[0] - u[2] * arm[1], u[1] + u[2] * arm[0]];
    let apply = |m: &[[f64; 2]; 2], u: [f64; 2]| {
        [m[0][0] * u[0] + m[0][1] * u[1], m[1][0] * u[0] + m[1][1] * u[1]]
    };
    force[0] = [model.force[0].value(t), model.force[1].value(t), model.moment.value(t)];
    let mut moving = 0;
    for (k, isolator) in model.isolators.iter().enumerate() {
        let [x, w] = [at(&to.q, isolator.at), at(&to.v, isolator.at)];
        let [spring, damper] = [apply(&isolator.stiffness, x), apply(&isolator.damping, w)];
        let f = to.friction[k];
        let sum = [0, 1].map(|i| f[i] - spring[i] - damper[i]);
        push(&mut force[0], isolator.at, sum);
        let n = model.normal.as_ref().map_or(1.0, |n| n.value(t) * isolator.share);
        let e = isolator.ellipse.0;
        let speed = w[0].hypot(w[1]);
        if w == [0.0; 2] {
            let used = (f[0] / e[0]).hypot(f[1] / e[1]);
            let limit = n * isolator.friction.limit(1.0, 0.0);
            assert!(used <= limit * (1.0 + 1e-9), "t = {t}: {used} above {limit}");
        } else {
            moving += 1;
            let size = (e[0] * w[0]).hypot(e[1] * w[1]);
            let law = n * isolator.friction.force(1.0, speed);
            for i in 0..2 {
                let want = -law * e[i] * e[i] * w[i] / size;
                assert!((f[i] - want).abs() < 1e-7 * law, "t = {t}: {f:?}, {want} {w:?}");
            }
        }
    }
    let mut below = [0.0; 2];
    for (i, floor) in model.floors.iter().enumerate() {
        let arm = |centre: [f64; 2]| [0, 1].map(|i| floor.stiffness_at[i] - centre[i]);
        let [lower, upper] = [arm(below), arm(floor.at)];
        let part = |u: &[f64]| {
            let [a, b] = [at(&u[3 * i..], lower), at(&u[3 * i + 3..], upper)];
            ([b[0] - a[0], b[1] - a[1]], u[3 * i + 5] - u[3 * i + 2])
        };
        let [(bent, twist), (rate, spin)] = [part(&to.q), part(&to.v)];
        let [spring, damper] = [apply(&floor.stiffness, bent), apply(&floor.damping, rate)];
        let f = [0, 1].map(|i| spring[i] + damper[i]);
        let moment = floor.torsion * twist + floor.torsion_damping * spin;
        push(&mut force[i], lower, f);
        push(&mut force[i + 1], upper, f.map(|f| -f));
        force[i][2] += moment;
        force[i + 1][2] -= moment;
        below = floor.at;
    }
    let inertia = |i: usize| match i {
        0 => [model.mass, model.inertia],
        _ => [model.floors[i - 1].mass, model.floors[i - 1].inertia],
    };
    for (i, f) in force.iter().enumerate() {
        let [m, j] = inertia(i);
        for c in 0..3 {
            let size = if c < 2 { m } else { j };
            let ground = if c < 2 { m * model.base[c].value(t) } else { 0.0 };
            let carried = size * gain[3 * i + c];
            let off = (carried - f[c] + ground).abs();
            assert!(off < within, "t = {t}, body {i}: {carried} {f:?}");
        }
    }
    match moving {
        0 => 0,
        m if m + 1 == model.isolators.len() => 1,
        _ => 2,
    }
}

#[test]
fn every_step_solves_its_inclusion() {
    let mut seen = [0; 3];
    for seed in 0..150 {
        let mut r = Random(seed);
        let model = any(&mut r);
        let h = [1e-2, 2e-3][seed as usize % 2];
        let path = match isolated::implicit_euler(&model, 400.0 * h, h) {
            Ok(path) => path,
            // A slab that nothing holds against turning may turn far.
            Err(Error::NoSolution { .. }) => continue,
            Err(error) => panic!("{seed}: {error}"),
        };
        assert!(path.warnings().is_empty(), "{seed}: {:?}", path.warnings());
        let more = check_steps(&model, &path, h, 400);
        seen = [0, 1, 2].map(|i| seen[i] + more[i]);
    }
    assert!(seen.iter().all(|n| *n > 500), "{seen:?}");
}

/// A mass on two coupled springs under two waves, and the same as a slab.
pub fn one_mass() -> (Planar, [Signal; 2]) {
    let force = [Signal::harmonic(0.95, 1.1, -1.5), Signal::harmonic(0.75, 0.7, -1.5)];
    let mass = Planar::new(1.0, Law::static_dynamic(1.02, 0.92).unwrap())
        .with_stiffness_matrix([[0.3, 0.1], [0.1, 0.2]])
        .with_damping([0.05, 0.02])
        .with_force(force.clone());
    (mass, force)
}

#[test]
fn one_isolator_at_the_centre_is_the_mass_on_a_plane() {
    let (mass, force) = one_mass();
    let alone = Isolator::new("only", [0.0; 2], mass.friction.clone())
        .with_stiffness(mass.stiffness)
        .with_damping(mass.damping);
    let slab = Isolated::new(1.0, 3.0, vec![alone]).with_force(force);
    let h = 1e-3;
    let a = isolated::implicit_euler(&slab, 20.0, h).unwrap();
    let b = euler_steps::implicit_euler(&mass, 20.0, h).unwrap();
    assert!(a.events().len() > 4);
    let times = |events: &[stickslip::Event]| -> Vec<_> {
        events.iter().map(|e| (e.kind, e.time)).collect()
    };
    assert_eq!(times(a.events()), times(b.events()));
    for n in 0..=2000 {
        let t = f64::from(n) * 0.01;
        let (u, w) = (a.state(t), b.state(t));
        for i in 0..2 {
            assert!((u.q[i] - w.x[i]).abs() < 1e-11 && (u.v[i] - w.v[i]).abs() < 1e-11, "{t}");
        }
        assert_eq!((u.q[2], u.v[2]), (0.0, 0.0));
    }
}

/// Four isolators at the corners of a square, each with a quarter of everything.
#[test]
fn a_slab_without_eccentricity_is_the_mass_on_a_plane() {
    let (mass, force) = one_mass();
    let quarter = |m: [[f64; 2]; 2]| m.map(|row| row.map(|x| 0.25 * x));
    let corners = [[3.0, 2.0], [-3.0, 2.0], [-3.0, -2.0], [3.0, -2.0]];
    let isolators = corners.iter().enumerate().map(|(i, at)| {
        Isolator::new(format!("{i}"), *at, Law::static_dynamic(0.255, 0.23).unwrap())
            .with_stiffness(quarter(mass.stiffness))
            .with_damping(quarter(mass.damping))
    });
    let slab = Isolated::new(1.0, 3.0, isolators.collect()).with_force(force);
    let end = 15.0;
    let exact = planar::solve(&mass, end, Options::tolerance(1e-11)).unwrap();
    let errors = [4e-3, 1e-3, 2.5e-4].map(|h| {
        let path = isolated::implicit_euler(&slab, end, h).unwrap();
        let off = |i: u32| {
            let t = end * f64::from(i) / 500.0;
            let [p, q] = [path.state(t).q, exact.state(t).x.to_vec()];
            assert!(p[2].abs() < 1e-10, "it turns by {}", p[2]);
            (p[0] - q[0]).hypot(p[1] - q[1])
        };
        (1..=500).map(off).sum::<f64>() / 500.0
    });
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2() / 2.0;
        assert!((0.8..1.25).contains(&order), "order {order:.2} of {errors:?}");
    }
}

/// A slab with two floors that is pushed along x alone: the network of three nodes by the same scheme.
#[test]
fn on_a_line_it_is_the_network() {
    let push = Signal::harmonic(2.2, 1.3, -1.5);
    let pads = [[1.0, 2.0], [1.0, -2.0]].map(|at| {
        Isolator::new("pad", at, Law::coulomb(0.45).unwrap()).with_stiffness(square(0.2))
    });
    let floors = vec![
        Floor { damping: square(0.2), ..Floor::new("first", [0.8, 1.0], square(9.0), 5.0) },
        Floor { damping: square(0.1), ..Floor::new("second", [0.5, 1.0], square(6.0), 5.0) },
    ];
    let slab = Isolated::new(1.0, 2.0, pads.to_vec())
        .with_floors(floors)
        .with_force([push.clone(), Signal::default()]);
    let line = Network::builder()
        .node("slab", 1.0)
        .node("first", 0.8)
        .node("second", 0.5)
        .spring("slab", "ground", 0.4)
        .spring("first", "slab", 9.0)
        .dashpot("first", "slab", 0.2)
        .spring("second", "first", 6.0)
        .dashpot("second", "first", 0.1)
        .slider("pads", "slab", "ground", 0.9, 0.9)
        .force("slab", push)
        .build()
        .unwrap();
    let (end, h) = (12.0, 1e-3);
    let a = isolated::implicit_euler(&slab, end, h).unwrap();
    let b = solve(&Problem::new(line, end), &Scheme::ImplicitEuler { step: h }).unwrap();
    let b = b.network().unwrap();
    assert!(a.events().iter().filter(|e| e.kind == EventKind::Stick).count() > 2);
    for n in 0..=1200 {
        let t = f64::from(n) * 0.01;
        let (u, w) = (a.state(t), b.state(t));
        for i in 0..3 {
            assert!((u.q[3 * i] - w.x[i]).abs() < 1e-9, "{t}: {} {}", u.q[3 * i], w.x[i]);
            assert!(u.q[3 * i + 1].abs() < 1e-12 && u.q[3 * i + 2].abs() < 1e-12);
        }
    }
}

/// A slab on n isolators at equal distance r from its centre, turned and let go: Coulomb's friction about the axis. Half cycles of π/ω about
/// ±M/K, with M = n f r and K = n k r², ω² = K/J, until |θ| ≤ M/K at a turning point.
#[test]
fn a_slab_turns_in_half_cycles_and_rests() {
    let (n, r, f, k, inertia) = (5.0, 4.0, 2.0, 3.0, 700.0);
    let isolators = (0..5).map(|i| {
        let angle = f64::from(i) * std::f64::consts::TAU / n;
        let at = [r * angle.cos(), r * angle.sin()];
        Isolator::new(format!("{i}"), at, Law::coulomb(f).unwrap()).with_stiffness(square(k))
    });
    let half: f64 = f / (k * r); // M/K
    let slab = Isolated::new(10.0, inertia, isolators.collect()).turning(0.16, 0.0);
    assert!(half > 0.16, "it rests where it starts");
    let path = isolated::implicit_euler(&slab, 2.0, 1e-3).unwrap();
    assert_eq!(path.state(2.0).q[2], 0.16);
    // With a tenth of the friction.
    let (f, half) = (0.1 * f, 0.1 * half);
    let isolators =
        slab.isolators.iter().map(|i| Isolator { friction: Law::coulomb(f).unwrap(), ..i.clone() });
    let slab = Isolated { isolators: isolators.collect(), ..slab };
    let omega = (n * k * r * r / inertia).sqrt();
    let mut turns: Vec<f64> = vec![0.16];
    while turns.last().unwrap().abs() > half {
        let last: f64 = *turns.last().unwrap();
        turns.push(-last.signum() * (last.abs() - 2.0 * half));
    }
    let rest = (turns.len() - 1) as f64 * std::f64::consts::PI / omega;
    let last = *turns.last().unwrap();
    assert_eq!(turns.len(), 6, "{turns:?}");
    let errors = [4e-3, 1e-3, 2.5e-4].map(|h| {
        let path = isolated::implicit_euler(&slab, rest + 2.0, h).unwrap();
        let state = path.state(rest + 1.0);
        assert_eq!(state.v[2], 0.0);
        assert_eq!(state.q, path.state(rest + 2.0).q);
        let stop = path.events().iter().rfind(|e| e.kind == EventKind::Stick).unwrap().time;
        assert!((stop - rest).abs() < 20.0 * h, "{stop} {rest}");
        (state.q[2] - last).abs()
    });
    assert!(errors[2] < 1e-4, "{errors:?}");
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2() / 2.0;
        assert!((0.8..1.25).contains(&order), "order {order:.2} of {errors:?}");
    }
}

/// A bar on two isolators at (±a, 0), pushed along y by F at x = e. The forces at rest follow from the balance: F (1 ± e/a)/2. It gives way at
/// F = 2 f/(1 + e/a), and turns then about the other isolator: J_a ω̇ = F (a + e) − 2 a f.
#[test]
fn a_bar_gives_way_at_one_isolator_and_turns_about_the_other() {
    let (a, e, f, m, j) = (2.0, 0.5, 3.0, 4.0, 9.0);
    let pads = [("left", -a), ("right", a)]
        .map(|(name, x)| Isolator::new(name, [x, 0.0], Law::coulomb(f).unwrap()));
    let bar = |force: f64| {
        Isolated::new(m, j, pads.to_vec())
            .with_force([Signal::default(), Signal::constant(force)])
            .with_moment(Signal::constant(force * e))
    };
    let limit = 2.0 * f / (1.0 + e / a);
    let held = isolated::implicit_euler(&bar(limit * (1.0 - 1e-9)), 10.0, 0.1).unwrap();
    let state = held.state(10.0);
    assert_eq!((&state.q, &state.v), (&vec![0.0; 3], &vec![0.0; 3]));
    assert!(held.events().is_empty());
    for (k, sign) in [(0, -1.0), (1, 1.0)] {
        let want = -limit * (1.0 + sign * e / a) / 2.0;
        assert!((state.friction[k][1] - want).abs() < 1e-7, "{:?}", state.friction);
        assert!(state.friction[k][0].abs() < 1e-7);
    }
    let force = 1.02 * limit;
    let (h, end) = (1e-3, 0.5);
    let path = isolated::implicit_euler(&bar(force), end, h).unwrap();
    let kinds: Vec<_> = path.events().iter().map(|e| (e.kind, e.place)).collect();
    // At rest at the start, which the first step ends at the right.
    assert_eq!(kinds, []);
    assert_eq!(path.phase(0.2).to_vec(), [true, false]);
    let spin = (force * (a + e) - 2.0 * a * f) / (j + m * a * a);
    let u = path.state(end);
    assert!((u.v[2] - spin * end).abs() < 1e-9, "{} {}", u.v[2], spin * end);
    assert!((u.v[1] - a * u.v[2]).abs() < 1e-15 && u.v[0].abs() < 1e-15);
    // At rest on the left: the velocity there is zero to the last bit.
    assert_eq!(u.velocity([-a, 0.0]), [0.0; 2]);
}

/// Under a moment alone isolators at equal distances share the load alike, however many: M/(n r) each, against the turn.
#[test]
fn forces_at_rest_are_shared_by_the_stated_rule() {
    for n in [3, 4, 7] {
        let isolators = (0..n).map(|i| {
            let angle = f64::from(i) * std::f64::consts::TAU / f64::from(n) + 0.3;
            let at = [2.0 * angle.cos(), 2.0 * angle.sin()];
            Isolator::new(format!("{i}"), at, Law::coulomb(1.0).unwrap())
        });
        let slab = Isolated::new(1.0, 1.0, isolators.collect());
        let most = 2.0 * f64::from(n);
        let held = slab.clone().with_moment(Signal::constant(0.9 * most));
        let state = isolated::implicit_euler(&held, 1.0, 0.1).unwrap().state(1.0);
        assert_eq!(state.v, [0.0; 3]);
        for (f, isolator) in state.friction.iter().zip(&slab.isolators) {
            let [x, y] = isolator.at;
            let want = [0.9 * y / 2.0, -0.9 * x / 2.0];
            assert!((f[0] - want[0]).abs() < 1e-9 && (f[1] - want[1]).abs() < 1e-9, "{f:?}");
        }
        let moved = slab.with_moment(Signal::constant(1.001 * most));
        let state = isolated::implicit_euler(&moved, 1.0, 0.1).unwrap().state(1.0);
        assert!((state.v[2] - 0.001 * most).abs() < 1e-9, "{:?}", state.v);
    }
}

const PLACES: [[f64; 2]; 4] = [[2.0, 1.0], [-1.5, 1.2], [-1.8, -1.0], [2.2, -0.7]];
const FRICTION: [f64; 4] = [0.5, 0.3, 0.4, 0.2];
const SPRINGS: [f64; 4] = [0.6, 0.4, 0.5, 0.3];

/// A slab on eccentric isolators, with a floor, on ground that shakes both ways; friction at rest is `more` times that in slip.
pub fn eccentric(more: f64) -> (Isolated, [Signal; 2]) {
    let isolators = (0..4).map(|i| {
        let law = Law::static_dynamic(more * FRICTION[i], FRICTION[i]).unwrap();
        Isolator::new(format!("{i}"), PLACES[i], law).with_stiffness(square(SPRINGS[i]))
    });
    let ground = [Signal::harmonic(0.8, 1.1, -0.4), Signal::harmonic(0.6, 1.7, 0.9)];
    let model = Isolated::new(2.0, 5.0, isolators.collect())
        .with_floors(vec![Floor::new("roof", [1.0, 2.0], square(12.0), 20.0)])
        .with_base(ground.clone());
    (model, ground)
}

/// Against another integration, of friction that is made smooth, f w/√(|w|² + ε²), by small explicit steps of order 4: a slab with
/// eccentric isolators of different laws and a floor.
#[test]
fn an_eccentric_slab_agrees_with_another_integration() {
    let places = PLACES;
    let (fs, ks) = (FRICTION, SPRINGS);
    let (m, j, mf, jf, kf, tf) = (2.0, 5.0, 1.0, 2.0, 12.0, 20.0);
    let (model, ground) = eccentric(1.0);
    let (end, eps) = (8.0_f64, 2e-5);
    let rate = |t: f64, y: &[f64; 12]| -> [f64; 12] {
        let (q, v) = y.split_at(6);
        let a = [0, 1].map(|i| ground[i].value(t));
        let mut f = [-m * a[0], -m * a[1], 0.0, -mf * a[0], -mf * a[1], 0.0];
        for i in 0..3 {
            let pull = if i < 2 { kf } else { tf } * (q[i + 3] - q[i]);
            f[i] += pull;
            f[i + 3] -= pull;
        }
        for (i, [px, py]) in places.iter().enumerate() {
            let w = [v[0] - v[2] * py, v[1] + v[2] * px];
            let x = [q[0] - q[2] * py, q[1] + q[2] * px];
            let size = (w[0] * w[0] + w[1] * w[1] + eps * eps).sqrt();
            let r = [0, 1].map(|c| -fs[i] * w[c] / size - ks[i] * x[c]);
            f[0] += r[0];
            f[1] += r[1];
            f[2] += px * r[1] - py * r[0];
        }
        let mut out = [0.0; 12];
        out[..6].copy_from_slice(v);
        for (c, mass) in [m, m, j, mf, mf, jf].into_iter().enumerate() {
            out[6 + c] = f[c] / mass;
        }
        out
    };
    let step = 1e-5_f64;
    let mut y = [0.0; 12];
    let add = |y: &[f64; 12], k: &[f64; 12], s: f64| std::array::from_fn(|i| y[i] + s * k[i]);
    let mut truth = vec![y];
    for n in 0..(end / step).round() as usize {
        let t = n as f64 * step;
        let k1 = rate(t, &y);
        let k2 = rate(t + 0.5 * step, &add(&y, &k1, 0.5 * step));
        let k3 = rate(t + 0.5 * step, &add(&y, &k2, 0.5 * step));
        let k4 = rate(t + step, &add(&y, &k3, step));
        y = std::array::from_fn(|i| y[i] + step / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        if (n + 1) % 1000 == 0 {
            truth.push(y);
        }
    }
    let errors = [1.6e-2, 4e-3, 1e-3].map(|h| {
        let path = isolated::implicit_euler(&model, end, h).unwrap();
        let off = |(i, y): (usize, &[f64; 12])| {
            let u = path.state(i as f64 * 0.01);
            (0..6).map(|c| (u.q[c] - y[c]).powi(2)).sum::<f64>().sqrt()
        };
        truth.iter().enumerate().map(off).sum::<f64>() / truth.len() as f64
    });
    let size = truth.iter().map(|y| y[0].abs()).fold(0.0, f64::max);
    let turned = truth.iter().map(|y| y[2].abs()).fold(0.0, f64::max);
    assert!(size > 0.1 && turned > 0.01, "{size} {turned}");
    assert!(errors[2] < 2e-3 * size, "{errors:?} of {size}");
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2() / 2.0;
        assert!((0.8..1.25).contains(&order), "order {order:.2} of {errors:?}");
    }
}

#[test]
fn energies_balance_to_the_order_of_the_steps() {
    let (model, _) = eccentric(1.3);
    let defects = [4e-3, 1e-3, 2.5e-4].map(|h| {
        let energy = isolated::implicit_euler(&model, 6.0, h).unwrap().energy();
        assert!(energy.friction > 0.0);
        energy.relative_defect()
    });
    assert!(defects[2] < 1e-3, "{defects:?}");
    for pair in defects.windows(2) {
        let order = (pair[0] / pair[1]).log2() / 2.0;
        assert!((0.8..1.25).contains(&order), "order {order:.2} of {defects:?}");
    }
}

#[test]
fn a_run_in_pieces_is_the_whole_run() {
    let problem = Problem::new(eccentric(1.3).0, 8.0);
    let scheme = Scheme::ImplicitEuler { step: 1e-3 };
    let whole = solve(&problem, &scheme).unwrap();
    assert!(!whole.events.is_empty());
    let mut cursor = start(&problem, &scheme).unwrap();
    let mut events = Vec::new();
    let mut row = vec![0.0; whole.columns().len()];
    let mut want = row.clone();
    for k in 1..=40 {
        let t = f64::from(200 * k) * 1e-3;
        events.extend(cursor.advance(t).unwrap().to_vec());
        cursor.row(&mut row);
        whole.row(t, &mut want);
        for (a, b) in row.iter().zip(&want) {
            assert!((a - b).abs() < 1e-12, "{t}: {a} {b}");
        }
    }
    let short = |e: &stickslip::Event| (e.kind, e.time, e.place);
    let [a, b]: [Vec<_>; 2] = [events, whole.events].map(|all| all.iter().map(short).collect());
    assert_eq!(a, b);
}

#[test]
fn what_cannot_be_is_refused() {
    let pad = |law: Law| Isolator::new("pad", [1.0, 0.0], law);
    let coulomb = || pad(Law::coulomb(0.1).unwrap());
    let said =
        |slab: Isolated, h: f64| isolated::implicit_euler(&slab, 10.0, h).unwrap_err().to_string();
    assert!(said(Isolated::new(1.0, 1.0, vec![]), 0.1).contains("there is none; add one"));
    assert!(said(Isolated::new(1.0, 0.0, vec![coulomb()]), 0.1).contains("inertia > 0 kg·m²"));
    let spun = Isolated::new(1.0, 1.0, vec![coulomb()]).with_moment(Signal::constant(1.0));
    assert!(said(spun, 0.01).contains("expected at most 0.2 rad"));
    let weak = Law::stribeck_exponential(2.0, 1.0, 0.01, 1.0, 0.0).unwrap();
    let slab = Isolated::new(1.0, 1.0, vec![pad(weak)]);
    assert!(said(slab.clone(), 0.1).contains("take a shorter step"));
    assert!(isolated::implicit_euler(&slab, 1.0, 1e-3).is_ok());
    let problem = Problem::new(slab, 1.0);
    let refused = solve(&problem, &Scheme::Exact).unwrap_err().to_string();
    assert!(refused.contains("adaptive, implicit-euler"), "{refused}");
    // Two discs at one place are one, with the sum of their limits.
    let twice = Isolated::new(1.0, 1.0, vec![coulomb(), coulomb()]);
    assert!(said(twice, 0.1).contains("stand at the same place"));
}
