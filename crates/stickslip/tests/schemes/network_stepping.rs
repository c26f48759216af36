//! Networks against the exact oscillator, closed-form loops and direct event-driven solutions.

use crate::common::Random;
use crate::common::networks::Clutches;
use stickslip::hysteresis::{Backbone, Sweep};
use stickslip::model::Network;
use stickslip::scheme::network;
use stickslip::scheme::oscillator::exact;
use stickslip::{Cascade, EventKind, Law, Oscillator, Signal};

/// One mass with the two-phase law: the exact oscillator.
fn two_phase() -> (Network, Oscillator) {
    let drive = Signal::harmonic(1.5, 0.3, -std::f64::consts::FRAC_PI_2);
    let oscillator = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.0, 0.7).unwrap())
        .with_damping(0.05)
        .with_drive(drive.clone());
    let network = Network::builder()
        .node("hand", 0.0)
        .motion("hand", drive)
        .node("a", 1.0)
        .spring("hand", "a", 1.0)
        .dashpot("a", "ground", 0.05)
        .slider("s", "a", "ground", 1.0, 0.7)
        .build()
        .unwrap();
    (network, oscillator)
}

#[test]
fn one_mass_converges_to_the_exact_oscillator() {
    let (n, o) = two_phase();
    let path = exact::solve(&o, 60.0).unwrap();
    for (theta, most) in [(1.0, 1.3), (0.5, 1.3)] {
        let error = |h: f64| {
            let mut worst = 0.0f64;
            network::run(&n, 60.0, h, theta, |k, x, v, _, _| {
                let u = path.state(k as f64 * h);
                worst = worst.max((u.x - x[1]).abs()).max((u.v - v[1]).abs());
            })
            .unwrap();
            worst
        };
        let errors: Vec<f64> = (0..4).map(|j| error(0.01 / f64::from(1 << j))).collect();
        let order = (errors[0] / errors[3]).log2() / 3.0;
        assert!(order > 0.8 && order < most, "θ = {theta}: {errors:?}");
        assert!(errors[3] < 0.01, "θ = {theta}: {errors:?}");
    }
    let stepped = network::implicit_euler(&n, 60.0, 1e-3).unwrap();
    let kinds = |k: EventKind| path.events().iter().filter(|e| e.kind == k).count();
    for kind in [EventKind::Slip, EventKind::Stick] {
        assert_eq!(stepped.events().iter().filter(|e| e.kind == kind).count(), kinds(kind));
    }
    // A stick is exact: not a bit of motion.
    for s in stepped.segments().iter().filter(|s| s.phase[0] == 0) {
        let (a, b) = (stepped.state(s.start + 2e-3), stepped.state(s.end - 1e-3));
        assert!(a.x[1] == b.x[1] && b.v[1] == 0.0);
    }
}

/// Without events θ = ½ is of second order.
#[test]
fn theta_is_of_second_order_while_nothing_sticks() {
    let o = Oscillator::new(1.0, 4.0, Law::coulomb(0.5).unwrap())
        .with_damping(0.1)
        .starting_at(0.0, 9.0);
    let n = Network::builder()
        .node("a", 1.0)
        .starting_at("a", 0.0, 9.0)
        .spring("a", "ground", 4.0)
        .dashpot("a", "ground", 0.1)
        .slider("s", "a", "ground", 0.5, 0.5)
        .build()
        .unwrap();
    let path = exact::solve(&o, 0.7).unwrap();
    let error = |h: f64| {
        let u = network::theta(&n, 0.7, h, 0.5).unwrap().state(0.7);
        (u.x[0] - path.state(0.7).x).abs()
    };
    let errors = [error(0.01), error(0.005), error(0.0025)];
    assert!(errors.windows(2).all(|e| (e[0] / e[1] - 4.0).abs() < 0.1), "{errors:?}");
}

/// Massless networks under a prescribed motion answer exactly at every node of time.
#[test]
fn assemblies_follow_their_closed_loops() {
    let x = Signal::harmonic(1.4, 1.0, -std::f64::consts::FRAC_PI_2);
    let elements = [(2.0, 1.0), (1.0, 1.1), (3.0, 0.6), (0.5, 0.0)];
    let b = Backbone::parallel(&elements, 0.4);
    let iwan =
        Network::maxwell_slip(1.0, &elements, 0.4).motion("mass", x.clone()).build().unwrap();
    let cascade = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1]);
    let chain = Network::cascade(&cascade).motion("mass", x.clone()).build().unwrap();
    let h = std::f64::consts::TAU / 400.0; // turning points on the grid
    let mut sweep = Sweep::new(&cascade);
    let top = (1.4, b.value(1.4));
    network::run(&iwan, 10.0, h, 1.0, |n, u, _, _, _| {
        let f = 0.4 * u[0]
            + elements.iter().enumerate().map(|(i, e)| e.0 * (u[0] - u[i + 1])).sum::<f64>();
        let want = match n {
            0..=100 => b.value(u[0]),
            101..=300 => b.branch(top, u[0]),
            301..=500 => b.branch((-top.0, -top.1), u[0]),
            _ => b.branch(top, u[0]),
        };
        assert!((f - want).abs() < 1e-12, "{n}: {f} {want}");
    })
    .unwrap();
    network::run(&chain, 10.0, h, 1.0, |n, u, _, lambda, _| {
        sweep.advance(u[0]);
        assert!((3.0 * (u[0] - u[1]) - sweep.force()).abs() < 1e-12, "{n}");
        if n > 0 {
            assert!(lambda.iter().zip(sweep.pulls()).all(|(l, q)| (l - q).abs() < 1e-12));
        }
    })
    .unwrap();
}

/// Masing's series model by hand: in series the displacements add up. Prandtl and Saint-Venant too.
#[test]
fn series_and_rigid_assemblies_by_hand() {
    let force = Signal::sampled(&[0.0, 4.0, 12.0], &[0.0, 4.0, -4.0]).unwrap();
    // A light mass, slowly loaded: x = F/k₀ + Σ max(F − α, 0)/k on first loading.
    let n =
        Network::masing(1e-9, 5.0, &[(2.0, 1.0), (1.0, 3.0)]).force("mass", force).build().unwrap();
    let path = network::implicit_euler(&n, 12.0, 1e-3).unwrap();
    let at = |t: f64| path.state(t).x[0];
    assert!((at(4.0) - (4.0 / 5.0 + 3.0 / 2.0 + 1.0)).abs() < 1e-6);
    // Back at F = 0 after 2α per cell: the first cell by (4 − 2)/2, the second not at all.
    assert!((at(8.0) - (0.0 + (3.0 / 2.0 - 2.0 / 2.0) + 1.0)).abs() < 1e-6, "{}", at(8.0));
    // A mass on a Saint-Venant element: v = ∫(F − α)/m.
    let n = Network::saint_venant(2.0, 1.0).force("mass", Signal::ramp(1.0, 0.0)).build().unwrap();
    let path = network::theta(&n, 3.0, 1e-3, 0.5).unwrap();
    assert_eq!(path.state(0.99).x[0], 0.0);
    assert!((path.state(3.0).v[0] - 0.25 * 4.0).abs() < 1e-3);
    let n =
        Network::prandtl(1.0, 10.0, 1.0).motion("mass", Signal::ramp(1.0, 0.0)).build().unwrap();
    let path = network::implicit_euler(&n, 1.0, 1e-3).unwrap();
    let (early, late) = (path.state(0.05), path.state(0.5));
    assert!((early.friction[0] + 0.5).abs() < 1e-12 && (late.friction[0] + 1.0).abs() < 1e-12);
    let n = Network::gephyroid(1.0, [1.0, 2.0, 0.5], [0.3, 0.4]);
    assert!(n.build().unwrap().remarks().is_empty());
}

#[test]
fn coupled_clutches_against_a_direct_solution() {
    let ramp = |t: &[f64], n: &[f64]| Signal::sampled(t, n).unwrap();
    let c = Clutches {
        torque: ramp(&[0.0, 2.0, 4.0, 10.0], &[0.0, 4.0, -2.0, 1.0]),
        normal: [
            ramp(&[0.0, 1.0, 3.0, 6.0, 10.0], &[0.0, 5.0, 5.0, 1.0, 6.0]),
            ramp(&[0.0, 2.0, 5.0, 7.0, 10.0], &[1.0, 4.0, 0.5, 6.0, 6.0]),
        ],
        ..Clutches::new(0.55, 0.0)
    };
    let (events, speeds) = c.solve(10.0);
    assert!(events.len() >= 4, "{events:?}");
    let n = c.network();
    let mut errors = Vec::new();
    for h in [4e-3, 2e-3, 1e-3, 5e-4] {
        let path = network::implicit_euler(&n, 10.0, h).unwrap();
        let end = path.state(10.0);
        errors.push((0..3).map(|i| (end.v[i] - speeds[3 + i]).abs()).fold(0.0, f64::max));
        let found: Vec<_> = path.events().iter().filter(|e| e.time > 0.0).collect();
        if h < 6e-4 {
            let direct: Vec<_> = events.iter().filter(|e| e.0 > h).collect();
            assert_eq!(found.len(), direct.len(), "{found:?} {events:?}");
            for (f, (time, clutch, mode)) in found.iter().zip(direct) {
                // An event is seen at the end of its step, and a speed is off by about a step's change.
                assert!(
                    (f.time - time).abs() < 4.0 * h && f.place == *clutch,
                    "{f:?} {time} {clutch}"
                );
                assert_eq!(f.kind == EventKind::Stick, *mode == 0);
            }
        }
    }
    assert!(errors[3] < 2e-3 && errors[3] < 0.3 * errors[0], "{errors:?}");
    // The exact scheme, to what the direct solution's own steps allow.
    let path = network::exact(&n, 10.0).unwrap();
    let found: Vec<_> = path.events().iter().filter(|e| e.time > 0.0).collect();
    let direct: Vec<_> = events.iter().filter(|e| e.0 > 1e-9).collect();
    assert_eq!(found.len(), direct.len(), "{found:?} {events:?}");
    for (f, (time, clutch, _)) in found.iter().zip(direct) {
        assert!((f.time - time).abs() < 1e-5 && f.place == *clutch, "{f:?} {time} {clutch}");
    }
}

/// Two masses, a two-phase contact between them and one to the ground, against small explicit steps of
/// the same modes.
#[test]
fn two_masses_with_two_phase_contacts() {
    let pull = Signal::ramp(0.5, 0.0);
    let n = Network::builder()
        .node("top", 1.0)
        .node("base", 3.0)
        .spring("base", "ground", 2.0)
        .slider("between", "top", "base", 1.0, 0.6)
        .slider("below", "base", "ground", 2.0, 1.5)
        .force("top", pull.clone())
        .build()
        .unwrap();
    // By hand: all at rest until the pull 0.5 t exceeds 1 at t = 2 (the base needs 2). Then the top slides at
    // 0.6 and the base, pushed by 0.6 < 2, stays: v = ∫(0.5 t − 0.6).
    let path = network::implicit_euler(&n, 6.0, 1e-4).unwrap();
    let first = path.events()[0];
    assert!((first.time - 2.0).abs() < 1e-3 && first.place == 0);
    assert_eq!(path.events().len(), 1);
    let end = path.state(6.0);
    let want = 0.25 * (36.0 - 4.0) - 0.6 * 4.0;
    assert!((end.v[0] - want).abs() < 1e-3 && end.x[1] == 0.0, "{end:?} {want}");
    assert!((end.friction[0] + 0.6).abs() < 1e-12 && (end.friction[1] + 0.6).abs() < 1e-9);
    // With a weaker ground contact the base breaks away together with the top at t = 1: the spring takes
    // both along as one mass of 4 kg.
    let n = Network::builder()
        .node("top", 1.0)
        .node("base", 3.0)
        .spring("base", "ground", 2.0)
        .slider("between", "top", "base", 5.0, 4.0)
        .slider("below", "base", "ground", 0.5, 0.5)
        .force("top", pull)
        .build()
        .unwrap();
    let one =
        Oscillator::new(4.0, 2.0, Law::coulomb(0.5).unwrap()).with_force(Signal::ramp(0.5, 0.0));
    let exact = exact::solve(&one, 6.0).unwrap();
    let path = network::theta(&n, 6.0, 1e-3, 0.5).unwrap();
    for t in [0.9, 2.0, 4.0, 6.0] {
        let (u, want) = (path.state(t), exact.state(t));
        assert_eq!(u.v[0], u.v[1]);
        assert!((u.x[0] - want.x).abs() < 1e-3, "{t}: {u:?} {want:?}");
    }
}

/// Random networks: forces that sliders can hold move nothing, and the energies balance ever better.
#[test]
fn random_networks_rest_and_balance() {
    for seed in 0..30 {
        let r = &mut Random(seed);
        let count = 2 + (r.next() % 8) as usize;
        let build = |r: &mut Random, strength: f64| {
            let mut b = Network::builder();
            for i in 0..count {
                b = b.node(format!("n{i}"), r.uniform(0.2, 2.0));
            }
            for i in 0..count {
                let limit = r.uniform(0.3, 1.0);
                b = b.slider(format!("s{i}"), format!("n{i}"), "ground", limit, limit);
                b = b.force(
                    format!("n{i}"),
                    Signal::harmonic(strength * limit, r.uniform(0.3, 2.0), 1.0),
                );
                if i > 0 {
                    let (p, q) = (format!("n{}", r.next() as usize % i), format!("n{i}"));
                    b = b.spring(&p, &q, r.uniform(0.5, 5.0)).dashpot(&p, &q, 0.1);
                    if r.chance(0.5) {
                        b = b.slider(format!("t{i}"), p, q, 0.3, 0.3);
                    }
                }
            }
            b.build().unwrap()
        };
        let quiet = build(&mut Random(seed), 0.99);
        let path = network::implicit_euler(&quiet, 5.0, 0.01).unwrap();
        assert!(path.events().is_empty() && path.state(5.0).x.iter().all(|x| *x == 0.0));
        let loud = build(&mut Random(seed), 4.0);
        let defect = |h: f64| {
            let run = network::run(&loud, 5.0, h, 0.5, |_, _, _, _, _| ()).unwrap();
            assert!(
                run.counts.inexact == 0 && run.counts.worst_residual < 1e-12,
                "seed {seed}: {run:?}"
            );
            assert!(run.energy.friction > 0.0 && run.energy.viscous >= 0.0);
            run.energy.defect().abs() / run.energy.work.abs()
        };
        let (coarse, fine) = (defect(0.01), defect(0.00125));
        assert!(fine < 1e-4 + 0.3 * coarse, "seed {seed}: {coarse} {fine}");
    }
}

#[test]
fn a_spring_block_chain_slips_in_avalanches() {
    let n = Network::burridge_knopoff(20, 1.0, 20.0, 1.0, (1.0, 0.6), 0.01)
        .starting_at("b7", 0.2, 0.0)
        .build()
        .unwrap();
    let path = network::implicit_euler(&n, 300.0, 0.02).unwrap();
    let slips = path.events().iter().filter(|e| e.kind == EventKind::Slip).count();
    assert!(slips >= 20, "{slips}");
    // On the long run the blocks follow the plate, f_s/k behind it at most, before they overshoot.
    let end = path.state(300.0);
    assert!((1..=20).all(|i| end.x[i] > 3.0 - 1.0 - 1.0 && end.x[i] < 3.0 + 1.0), "{:?}", end.x);
}

#[test]
fn bad_networks_are_refused_with_a_place_and_a_remedy() {
    let good = || Network::builder().node("a", 1.0).node("b", 0.0).spring("a", "b", 1.0);
    assert!(good().build().is_ok());
    let text = |b: stickslip::model::NetworkBuilder| b.build().unwrap_err().to_string();
    assert!(text(good().spring("a", "c", 1.0)).contains("no node `c`"));
    assert!(text(good().node("a", 2.0)).contains("node `a`"));
    assert!(text(good().node("ground", 2.0)).contains("ground"));
    assert!(text(good().node("c", 0.0)).contains("nothing holds it"));
    assert!(text(good().node("c", 0.0).slider("s", "c", "a", 1.0, 1.0)).contains("sliders alone"));
    assert!(text(good().spring("a", "b", 0.0)).contains("spring 2"));
    assert!(text(good().spring("a", "a", 1.0)).contains("same"));
    assert!(text(good().dashpot("a", "ground", -1.0)).contains("dashpot 1"));
    assert!(text(good().slider("s", "a", "b", 1.0, 1.2)).contains("1.2"));
    assert!(text(good().slider("s", "a", "b", -1.0, -1.0)).contains("slider `s`"));
    let two = good().slider("s", "a", "ground", 1.0, 1.0).slider("s", "b", "ground", 1.0, 1.0);
    assert!(text(two).contains("slider `s`"));
    let moved = good().motion("a", Signal::ramp(1.0, 0.0));
    assert!(text(moved.slider("s", "a", "ground", 1.0, 1.0)).contains("rigid"));
    assert!(text(good().force("z", Signal::constant(1.0))).contains("no node `z`"));
    assert!(text(Network::builder()).contains("node"));
    assert!(text(good().node("c", -1.0)).contains("mass"));
    let said = text(good().node("lost", 2.0).force("lost", Signal::constant(1.0)));
    assert!(said.contains("node `lost`") && said.contains("touches it"), "{said}");
    let said = text(good().node("hand", 0.0).motion("hand", Signal::ramp(1.0, 0.0)));
    assert!(said.contains("node `hand`") && said.contains("touches it"), "{said}");
    // A loop of sliders is accepted, and its consequence said.
    let looped = good()
        .slider("s1", "a", "ground", 1.0, 1.0)
        .slider("s2", "a", "b", 1.0, 1.0)
        .slider("s3", "b", "ground", 1.0, 1.0)
        .build()
        .unwrap();
    assert_eq!(looped.remarks().len(), 1);
    let said = looped.remarks()[0].to_string();
    assert!(["s1", "s2", "s3"].iter().all(|s| said.contains(s)), "{said}");
}

/// A mass that turns under more load than its contact holds turns in one event, wherever in a step that is; it comes to
/// rest once. Free decay by 2 f/K = 0.5 m each half turn from 2.1 m on: at 1.6, 1.1 and 0.6 m it turns, at 0.1 m it rests.
#[test]
fn a_slider_that_turns_does_not_stick() {
    let network = Network::builder()
        .node("a", 1.0)
        .starting_at("a", 2.1, 0.0)
        .spring("a", "ground", 4.0)
        .slider("s", "a", "ground", 1.0, 1.0)
        .build()
        .unwrap();
    use EventKind::{Reversal, Stick};
    for i in 0..200 {
        let step = 0.02 + 1e-4 * f64::from(i);
        for theta in [1.0, 0.5] {
            let (path, _) = network::solve(&network, 10.0, step, theta).unwrap();
            let events: Vec<_> =
                path.events().iter().filter(|e| e.time > 2.0 * step).map(|e| e.kind).collect();
            // At the last turns of implicit Euler, which damps, the mass may rest one half turn earlier.
            let turns = events.len() - 1;
            assert_eq!(events[turns], Stick, "h {step}, theta {theta}: {events:?}");
            assert!(
                events[..turns].iter().all(|k| *k == Reversal),
                "h {step}, theta {theta}: {events:?}"
            );
            assert!((2..=3).contains(&turns), "h {step}, theta {theta}: {events:?}");
        }
    }
}

/// A chain, a grid and a network in no order, all longer than a piece: x, ẋ, friction, slip and energies on one, two and
/// three threads.
#[cfg(feature = "parallel")]
#[test]
fn long_networks_have_the_same_bits_on_any_number_of_threads() {
    let chain = Network::burridge_knopoff(140_000, 1.0, 20.0, 1.0, (1.0, 0.6), 0.1);
    let force = Signal::harmonic(4.0, 3.0, 0.0);
    let networks = [
        chain.force("b70000", force.clone()).build().unwrap(),
        long_grid(270, 1).force("m5", force.clone()).build().unwrap(),
        long_grid(270, 7919).force("m5", force).build().unwrap(),
    ];
    for net in &networks {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut bits, mut slips) = (0u64, 0usize);
                let mut mix = |u: u64| bits = (bits ^ u).wrapping_mul(0x100_0000_01b3);
                let run = network::run(net, 0.3, 0.05, 0.7, |_, x, v, l, s| {
                    x.iter().chain(v).chain(l).for_each(|u| mix(u.to_bits()));
                    s.iter().for_each(|s| mix(*s as u64));
                    slips += s.iter().filter(|s| **s != 0).count();
                });
                (bits, slips, run.unwrap())
            })
        };
        let one = on(1);
        assert!(one.1 > 0 && one.2.energy.work > 0.0);
        assert!([2, 3].into_iter().all(|threads| on(threads) == one));
    }
}

/// n × n masses, the k-th at the place k·`stride` in the grid, with a dashpot and a slider to the ground each.
#[cfg(feature = "parallel")]
fn long_grid(n: usize, stride: usize) -> stickslip::model::NetworkBuilder {
    let all = n * n;
    let name = |place: usize| format!("m{}", place * stride % all);
    let mut b = Network::builder();
    for i in 0..all {
        let own = format!("m{i}");
        b = b.node(&own, 1.0).dashpot(&own, "ground", 0.1);
        b = b.slider(format!("s{i}"), &own, "ground", 0.5, 0.3).starting_at(&own, 0.01, 0.0);
    }
    for place in 0..all {
        if place % n > 0 {
            b = b.spring(name(place - 1), name(place), 5.0);
        }
        if place >= n {
            b = b.spring(name(place - n), name(place), 5.0);
        }
    }
    b
}
