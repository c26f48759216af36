//! A slab on isolators from event to event: the inclusion at every instant, closed forms, the mass on a plane, and the scheme with steps.

use super::isolated::{any, check_instant, eccentric, one_mass, square};
use crate::common::{Random, sized};
use stickslip::model::isolated::{Isolated, Isolator};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::{isolated, planar};
use stickslip::solution::IsolatedPath;
use stickslip::{Error, EventKind, Law, Problem, Scheme, Signal, start};

/// A slab that does not turn far.
fn some(seed: u64) -> Isolated {
    let slab = any(&mut Random(seed));
    let inertia = 4.0 * slab.inertia;
    Isolated { inertia, ..slab }
}

/// Whether `path` satisfies the inclusion at instants inside its segments and goes on over their ends. How many rests, turns about one isolator
/// and slips there were.
fn check_path(model: &Isolated, path: &IsolatedPath, r: &mut Random) -> [usize; 3] {
    let mut seen = [0; 3];
    for s in path.segments() {
        let length = s.end - s.start;
        if length < 1e-2 {
            continue;
        }
        for _ in 0..4 {
            let t = s.start + r.uniform(0.05, 0.95) * length;
            // A difference of order 4. What has just begun to slide, or is about to rest, turns faster than it sees.
            let d = 1e-4_f64;
            let at = |k: f64| path.state(t + k * d).v;
            let (a, b, c, e) = (at(-2.0), at(-1.0), at(1.0), at(2.0));
            let gain: Vec<f64> = (0..a.len())
                .map(|i| (a[i] - 8.0 * b[i] + 8.0 * c[i] - e[i]) / (12.0 * d))
                .collect();
            let state = path.state(t);
            let slow = model.isolators.iter().any(|i| {
                let w = state.velocity(i.at);
                let speed = w[0].hypot(w[1]);
                speed > 0.0 && speed < 3e-3
            });
            if !slow {
                seen[check_instant(model, t, &state, &gain, 2e-6)] += 1;
            }
        }
    }
    for pair in path.segments().windows(2) {
        use stickslip::motion::Motion;
        let [before, after] = [pair[0].arc.state(pair[0].end), pair[1].arc.state(pair[1].start)];
        for (a, b) in before.q.iter().chain(&before.v).zip(after.q.iter().chain(&after.v)) {
            assert!((a - b).abs() < 1e-8, "at {}: {a} and {b}", pair[0].end);
        }
    }
    seen
}

/// The greatest distance between the places of two paths.
fn apart(a: &IsolatedPath, b: &IsolatedPath, end: f64) -> f64 {
    let at = |i: u32| {
        let t = end * f64::from(i) / 100.0;
        let [a, b] = [a.state(t).q, b.state(t).q];
        a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    (0..=100).map(at).fold(0.0, f64::max)
}

/// Random slabs with floors, of every law: at every instant the balance holds and each force is in its law, energies close, and
/// the scheme with steps comes to the same motion with an error that is halved with the step.
#[test]
fn random_slabs_satisfy_the_inclusion_and_are_the_limit_of_steps() {
    let end = 6.0;
    let mut seen = [0; 3];
    let mut events = 0;
    let mut compared = 0;
    for seed in 0..sized(40, 500) {
        let model = some(seed);
        let path = match isolated::adaptive(&model, end, Options::tolerance(1e-10)) {
            Ok(path) => path,
            // A slab that nothing holds against turning may turn far.
            Err(Error::NoSolution { .. }) => continue,
            Err(error) => panic!("{seed}: {error}"),
        };
        assert!(path.warnings().is_empty(), "{seed}: {:?}", path.warnings());
        events += path.events().len();
        let more = check_path(&model, &path, &mut Random(seed));
        seen = [0, 1, 2].map(|i| seen[i] + more[i]);
        if compared < sized(8, 100) && !path.events().is_empty() {
            let by_steps = |h: f64| isolated::implicit_euler(&model, end, h).unwrap();
            let errors = [4e-3, 1e-3].map(|h| apart(&path, &by_steps(h), end));
            let order = (errors[0] / errors[1]).log2() / 2.0;
            assert!((0.75..1.3).contains(&order), "{seed}: order {order:.2} of {errors:?}");
            compared += 1;
        }
    }
    assert!(compared > 5 && events > 200, "{compared} {events}");
    assert!(seen.iter().all(|n| *n > 40), "{seen:?}");
}

/// Four isolators at the corners of a rectangle, each with a quarter of everything: the mass on a plane, event by event.
#[test]
fn without_eccentricity_it_is_the_mass_on_a_plane() {
    let (mass, force) = one_mass();
    let corners = [[3.0, 2.0], [-3.0, 2.0], [-3.0, -2.0], [3.0, -2.0]];
    let isolators = corners.iter().enumerate().map(|(i, at)| {
        Isolator::new(format!("{i}"), *at, Law::static_dynamic(0.255, 0.23).unwrap())
            .with_stiffness(mass.stiffness.map(|row| row.map(|k| 0.25 * k)))
            .with_damping(mass.damping.map(|row| row.map(|c| 0.25 * c)))
    });
    let slab = Isolated::new(1.0, 3.0, isolators.collect()).with_force(force);
    let end = 40.0;
    let one = planar::solve(&mass, end, Options::tolerance(1e-11)).unwrap();
    let all = isolated::adaptive(&slab, end, Options::tolerance(1e-11)).unwrap();
    let own: Vec<_> = all.events().iter().filter(|e| e.place == 0).collect();
    assert!(one.events().len() >= 8);
    assert_eq!(own.len(), one.events().len());
    for (a, b) in own.iter().zip(one.events()) {
        assert_eq!(a.kind, b.kind);
        assert!((a.time - b.time).abs() < 1e-8, "{} {}", a.time, b.time);
    }
    for i in 0..=400 {
        let t = end * f64::from(i) / 400.0;
        let [p, q] = [all.state(t).q, one.state(t).x.to_vec()];
        for c in 0..2 {
            assert!((p[c] - q[c]).abs() < 1e-8, "{t}: {p:?} {q:?}");
        }
        assert!(p[2].abs() < 1e-9, "{t}: it turns by {}", p[2]);
    }
}

/// A slab on n isolators at equal distance r from its centre, turned and let go: Coulomb's friction about the axis. Half cycles of π/ω about
/// ±M/K, with M = n f r and K = n k r², ω² = K/J, until |θ| ≤ M/K at a turning point.
#[test]
fn a_slab_turns_in_half_cycles_and_rests() {
    let (n, r, f, k, inertia) = (5.0, 4.0, 0.2, 3.0, 700.0);
    let isolators = (0..5).map(|i| {
        let angle = f64::from(i) * std::f64::consts::TAU / n;
        let at = [r * angle.cos(), r * angle.sin()];
        Isolator::new(format!("{i}"), at, Law::coulomb(f).unwrap()).with_stiffness(square(k))
    });
    let half: f64 = f / (k * r);
    let slab = Isolated::new(10.0, inertia, isolators.collect()).turning(0.16, 0.0);
    let omega = (n * k * r * r / inertia).sqrt();
    let mut turns: Vec<f64> = vec![0.16];
    while turns.last().unwrap().abs() > half {
        let last: f64 = *turns.last().unwrap();
        turns.push(-last.signum() * (last.abs() - 2.0 * half));
    }
    let cycles = turns.len() - 1;
    let end = (cycles as f64 + 1.0) * std::f64::consts::PI / omega;
    let path = isolated::adaptive(&slab, end, Options::tolerance(1e-11)).unwrap();
    let own: Vec<_> = path.events().iter().filter(|e| e.place == 0).collect();
    // It slides off at the start; at each turning point it reverses, and at the last one it rests.
    let halts: Vec<_> = own.iter().filter(|e| e.kind != EventKind::Slip).collect();
    assert_eq!(halts.len(), cycles);
    for (i, halt) in halts.iter().enumerate() {
        let time = (i + 1) as f64 * std::f64::consts::PI / omega;
        assert!((halt.time - time).abs() < 1e-9, "{} {time}", halt.time);
        let kind = if i + 1 < cycles { EventKind::Reversal } else { EventKind::Stick };
        assert_eq!(halt.kind, kind);
        assert!((path.state(time).q[2] - turns[i + 1]).abs() < 1e-10);
    }
    assert_eq!(path.state(end).v, [0.0; 3]);
}

/// A bar on two isolators at (±a, 0), pushed along y at x = e by a force that grows as F t: it gives way at F t = 2 f/(1 + e/a) and turns about the other
/// isolator, with J_a ω̇ = F t (a + e) − 2 a f. The force ends at `off`; the friction stops the turn then.
#[test]
fn a_bar_turns_about_one_isolator_and_rests() {
    let (a, e, f, m, j, rate) = (2.0, 0.5, 3.0, 4.0, 9.0, 1.7);
    let pads = [("left", -a), ("right", a)]
        .map(|(name, x)| Isolator::new(name, [x, 0.0], Law::coulomb(f).unwrap()));
    let begins = 2.0 * f / (1.0 + e / a) / rate;
    let off = begins + 0.3;
    let push = |arm: f64| {
        let most = rate * arm * off;
        let grows = Signal::sampled(&[0.0, off, 5.0], &[0.0, most, most]).unwrap();
        grows + Signal::step(off, 0.0, -most)
    };
    let bar = Isolated::new(m, j, pads.to_vec())
        .with_force([Signal::default(), push(1.0)])
        .with_moment(push(e));
    let path = isolated::adaptive(&bar, 4.0, Options::tolerance(1e-11)).unwrap();
    let about = j + m * a * a;
    // ω = F (a + e) τ²/(2 J_a) after τ, for the moment 2 a f is that at the start.
    let spin = rate * (a + e) * 0.3_f64.powi(2) / (2.0 * about);
    let rests = off + spin * about / (2.0 * a * f);
    let seen: Vec<_> = path.events().iter().map(|e| (e.kind, e.place)).collect();
    assert_eq!(seen, [(EventKind::Slip, 1), (EventKind::Stick, 1)]);
    assert!((path.events()[0].time - begins).abs() < 1e-10, "{:?}", path.events()[0]);
    assert!((path.events()[1].time - rests).abs() < 1e-9, "{:?} {rests}", path.events()[1]);
    let turned = rate * (a + e) * 0.3_f64.powi(3) / (6.0 * about) + 0.5 * spin * (rests - off);
    let state = path.state(4.0);
    assert!((state.q[2] - turned).abs() < 1e-10, "{} {turned}", state.q[2]);
    // The left one has not moved, to the last bit of its velocity.
    assert_eq!(path.state(off).velocity([-a, 0.0]), [0.0; 2]);
    assert!(state.displacement([-a, 0.0]).iter().all(|x| x.abs() < 1e-15));
}

/// In pieces, and put back, it is the same run; a slab that is set going slides.
#[test]
fn a_run_in_pieces_is_the_whole_run() {
    let (slab, _) = eccentric(1.2);
    let scheme = Scheme::Adaptive(Options::tolerance(1e-9));
    let problem = Problem::new(slab, 20.0);
    let whole = stickslip::solve(&problem, &scheme).unwrap();
    let mut run = start(&problem, &scheme).unwrap();
    let mut events = Vec::new();
    for t in [0.3, 1.7, 3.1, 9.0, 20.0] {
        events.extend(run.advance(t).unwrap().to_vec());
    }
    assert!(!events.is_empty());
    let short = |e: &stickslip::Event| (e.kind, e.time, e.place);
    let [a, b]: [Vec<_>; 2] = [events, whole.events].map(|all| all.iter().map(short).collect());
    assert_eq!(a, b);
}
