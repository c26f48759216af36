//! Any law on any slider, moving surfaces and springs that are not linear.

use super::independent::{Bodies, Force, Slider};
use crate::common::Random;
use stickslip::law::{Ageing, Growth};
use stickslip::model::machine::Curve;
use stickslip::model::{Machine, Network};
use stickslip::motion::Motion;
use stickslip::scheme::{machine, oscillator::adaptive::Options};
use stickslip::{EventKind, Law, Model, Problem, Scheme, Signal, solve, start};

fn tight() -> Options {
    Options::tolerance(1e-12)
}

fn any_law(r: &mut Random) -> Law {
    let [low, high] = [r.uniform(0.2, 0.8), r.uniform(0.8, 1.5)];
    match r.next() % 7 {
        0 => Law::coulomb(low).unwrap(),
        1 => Law::static_dynamic(high, low).unwrap(),
        2 => Law::stribeck_exponential(high, low, r.uniform(0.2, 0.6), 1.0, r.uniform(0.0, 0.2))
            .unwrap(),
        3 => Law::stribeck_exponential(high, low, r.uniform(0.2, 0.6), 2.0, 0.0).unwrap(),
        4 => Law::velocity_strengthening(low, high, r.uniform(0.5, 3.0)).unwrap(),
        5 => Law::stribeck(0.0, 0.0, r.uniform(0.5, 3.0), high).unwrap(),
        _ => Law::asymmetric(
            Law::stribeck_exponential(high, low, 0.4, 1.0, 0.0).unwrap(),
            Law::coulomb(low).unwrap(),
        )
        .unwrap(),
    }
}

/// A random machine, the same bodies for the independent solution, and the state at the start.
fn random_machine(r: &mut Random) -> (Machine, Bodies, Vec<f64>) {
    let n = 1 + (r.next() % 4) as usize;
    let mass: Vec<f64> = (0..n).map(|_| r.uniform(0.5, 2.0)).collect();
    let x0: Vec<f64> = (0..n).map(|_| r.uniform(-0.5, 0.5)).collect();
    let v0: Vec<f64> =
        (0..n).map(|_| if r.chance(0.5) { 0.0 } else { r.uniform(-1.0, 1.0) }).collect();
    let name = |i: usize| format!("n{i}");
    let mut b = Network::builder();
    let mut force: Vec<Force> = Vec::new();
    let mut curves = Vec::new();
    let mut coupled = Vec::new();
    for i in 0..n {
        let (k, c) = (r.uniform(0.5, 3.0), r.uniform(0.0, 0.2));
        let own = r.chance(0.6) || i == 0;
        let (kg, cg) = (if own { r.uniform(0.5, 3.0) } else { 0.0 }, r.uniform(0.01, 0.2));
        let [a, w, p] = [r.uniform(-2.0, 2.0), r.uniform(0.4, 2.5), r.uniform(-3.0, 3.0)];
        let cubic = if r.chance(0.4) { r.uniform(-0.1, 0.5) } else { 0.0 };
        let square = if cubic > 0.0 { r.uniform(-0.2, 0.2) } else { 0.0 };
        let sine = if r.chance(0.3) { r.uniform(0.2, 1.0) } else { 0.0 };
        b = b.node(&*name(i), mass[i]).starting_at(&*name(i), x0[i], v0[i]);
        b = b.force(&*name(i), Signal::harmonic(a, w, p)).dashpot(&*name(i), "ground", cg);
        if own {
            b = b.spring(&*name(i), "ground", kg);
        }
        if i > 0 {
            b = b.spring(&*name(i - 1), &*name(i), k);
            if c > 0.0 {
                b = b.dashpot(&*name(i - 1), &*name(i), c);
            }
        }
        if cubic != 0.0 {
            curves.push((i, Curve::Powers(vec![0.0, square, cubic])));
        }
        if sine != 0.0 {
            curves.push((i, Curve::Sine { amplitude: sine, wave_number: 1.3 }));
        }
        coupled.push((k, c));
        force.push(Box::new(move |t, x, v| {
            let pull = kg * x[i] + cg * v[i] + square * x[i].powi(2) + cubic * x[i].powi(3);
            a * (w * t + p).cos() - pull - sine * (1.3 * x[i]).sin()
        }));
    }
    // What couples a node to its neighbours.
    let coupled = std::rc::Rc::new(coupled);
    let force: Vec<Force> = force
        .into_iter()
        .enumerate()
        .map(|(i, own)| -> Force {
            let coupled = coupled.clone();
            Box::new(move |t, x, v| {
                let link = |j: usize| {
                    let (k, c) = coupled[j];
                    k * (x[j - 1] - x[j]) + c * (v[j - 1] - v[j])
                };
                let before = if i > 0 { link(i) } else { 0.0 };
                let after = if i + 1 < x.len() { link(i + 1) } else { 0.0 };
                own(t, x, v) + before - after
            })
        })
        .collect();
    let mut sliders = Vec::new();
    let mut laws = Vec::new();
    for i in 0..n {
        if !r.chance(0.8) && i > 0 {
            continue;
        }
        let to = if i > 0 && r.chance(0.4) { Some(i - 1) } else { None };
        let (law, slider) = (any_law(r), format!("s{i}"));
        let end = to.map_or("ground".to_owned(), name);
        b = b.slider(&*slider, &*name(i), &*end, 1.0, 1.0);
        let pressed = r.chance(0.3);
        let swell = r.uniform(0.0, 0.6);
        if pressed {
            b = b.normal(Signal::constant(1.0) + Signal::harmonic(swell, 0.7, 0.0));
        }
        let moves = r.chance(0.4);
        let [steady, shaken] =
            if moves { [r.uniform(-0.5, 0.5), r.uniform(0.0, 0.3)] } else { [0.0; 2] };
        laws.push((
            slider,
            law.clone(),
            Signal::constant(steady) + Signal::harmonic(shaken, 1.1, 0.0),
        ));
        sliders.push(Slider {
            ends: [Some(i), to],
            law,
            surface: Box::new(move |t| steady + shaken * (1.1 * t).cos()),
            surface_rate: Box::new(move |t| -1.1 * shaken * (1.1 * t).sin()),
            normal: Box::new(move |t| if pressed { 1.0 + swell * (0.7 * t).cos() } else { 1.0 }),
        });
    }
    let mut machine = Machine::new(b.build().unwrap()).unwrap();
    for (slider, law, support) in laws {
        machine = machine.with_law(&slider, law).unwrap().with_support(&slider, support).unwrap();
    }
    for (i, curve) in curves {
        machine = machine.with_spring([&name(i), "ground"], curve).unwrap();
    }
    let u = x0.into_iter().chain(v0).collect();
    (machine, Bodies { mass, force, sliders }, u)
}

/// One random machine against the independent solution: the events and the last state.
fn agrees(seed: u64) -> Result<usize, String> {
    let mut r = Random(seed);
    let (machine, bodies, u) = random_machine(&mut r);
    let end = 8.0;
    let solved = bodies.solve(u, end, 1e-3);
    let (last, happened) = solved.ok_or(format!("{seed}: the independent solution stalls"))?;
    let path = machine::solve(&machine, end, tight()).map_err(|e| format!("{seed}: {e}"))?;
    let after = |e: &stickslip::Event| match e.kind {
        EventKind::Stick => 0,
        _ => path.segment(e.time).phase[e.place],
    };
    let mut events: Vec<_> = path.events().iter().map(|e| (e.time, e.place, after(e))).collect();
    let said = || format!("{seed}: {events:?} instead of {happened:?}");
    if events.len() != happened.len() {
        return Err(said());
    }
    for h in &happened {
        let found = events
            .iter()
            .position(|e| (e.0 - h.time).abs() < 1e-6 && e.1 == h.slider && e.2 == h.after);
        match found {
            Some(k) => drop(events.remove(k)),
            None => return Err(format!("{seed}: {h:?} is not among {events:?}")),
        }
    }
    let state = path.state(end);
    let got = state.x.iter().chain(&state.v);
    let worst = got.zip(&last).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let defect = path.energy().relative_defect();
    if worst > 1e-7 || defect > 1e-10 {
        return Err(format!("{seed}: states differ by {worst:.1e}, energies by {defect:.1e}"));
    }
    Ok(happened.len())
}

#[test]
fn random_machines_move_as_an_independent_solution_has_it() {
    let all: Vec<_> = (0..24).map(|k| agrees(1000 + k)).collect();
    let wrong: Vec<_> = all.iter().filter_map(|a| a.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let events: usize = all.iter().filter_map(|a| a.as_ref().ok()).sum();
    assert!(events > 100, "{events} events only");
}

#[test]
#[ignore = "minutes"]
fn many_random_machines_move_as_an_independent_solution_has_it() {
    let wrong: Vec<_> = (0..400).filter_map(|k| agrees(50_000 + k).err()).collect();
    println!("{wrong:#?}");
    assert!(wrong.len() <= 2, "{} of 400", wrong.len());
}

/// A mass on a belt that starts at once: friction drags it with f_d until it rides, x = f t²/2m.
#[test]
fn a_belt_takes_a_mass_along() {
    let n =
        Network::builder().node("a", 2.0).slider("belt", "a", "ground", 1.0, 1.0).build().unwrap();
    let law = Law::static_dynamic(1.5, 1.0).unwrap();
    let m = Machine::new(n).unwrap().with_law("belt", law).unwrap();
    let m = m.with_support("belt", Signal::constant(0.75)).unwrap();
    let path = machine::solve(&m, 4.0, tight()).unwrap();
    let events: Vec<_> = path.events().iter().map(|e| (e.kind, e.time)).collect();
    assert_eq!(events.len(), 1);
    assert!(events[0].0 == EventKind::Stick && (events[0].1 - 1.5).abs() < 1e-12, "{events:?}");
    let s = path.state(4.0);
    assert!((s.x[0] - (0.75 * 1.5 / 2.0 + 0.75 * 2.5)).abs() < 1e-12 && s.v[0] == 0.75, "{s:?}");
    assert!(path.energy().relative_defect() < 1e-13, "{:?}", path.energy());
}

/// Simpson's rule for `f` on [`from`, `to`].
fn simpson<const N: usize>(from: f64, to: f64, f: impl Fn(f64) -> [f64; N]) -> [f64; N] {
    const PARTS: usize = 4_000;
    let h = (to - from) / PARTS as f64;
    let mut sums = [0.0; N];
    for i in 0..=PARTS {
        let weight = match i {
            0 | PARTS => 1.0,
            _ if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let at = f(from + (to - from) * (i as f64 / PARTS as f64));
        sums.iter_mut().zip(at).for_each(|(sum, a)| *sum += weight * a);
    }
    sums.map(|sum| sum * h / 3.0)
}

/// The energies of a run against Simpson's rule on the powers of its states, from event to event: what they differ by is far below
/// the tolerance of the run, whatever that is.
#[test]
fn energies_are_the_integrals_of_the_powers_of_the_states() {
    const DAMPING: f64 = 0.3;
    let load = Signal::harmonic(1.2, 3.0, 0.4);
    let n = Network::builder().node("a", 1.0).node("b", 0.5).starting_at("b", 0.2, 0.0);
    let n = n.spring("a", "ground", 20.0).spring("b", "a", 35.0).dashpot("b", "a", DAMPING);
    let n = n.force("b", load.clone()).slider("p", "a", "ground", 1.0, 1.0);
    let n = n.slider("q", "b", "a", 0.2, 0.2).build().unwrap();
    let law = Law::stribeck_exponential(1.0, 0.6, 0.3, 2.0, 0.1).unwrap();
    let m = Machine::new(n).unwrap().with_law("p", law).unwrap();
    let m = m.with_support("p", Signal::constant(0.5)).unwrap();
    for rtol in [1e-3, 1e-6, 1e-9, 1e-12] {
        let path = machine::solve(&m, 10.0, Options::tolerance(rtol)).unwrap();
        let [mut work, mut friction, mut viscous] = [0.0; 3];
        for s in path.segments() {
            let powers = |t: f64| {
                let at = s.arc.state(t);
                let w = at.v[1] - at.v[0];
                let rubs = -at.friction[0] * (at.v[0] - 0.5) - at.friction[1] * w;
                [load.value(t) * at.v[1] + 0.5 * at.friction[0], rubs, DAMPING * w * w]
            };
            let [a, b, c] = simpson(s.start, s.end, powers);
            work += a;
            friction += b;
            viscous += c;
        }
        let energy = path.energy();
        let small = (1e-3 * rtol).max(1e-12);
        for (found, wanted) in
            [(energy.work, work), (energy.friction, friction), (energy.viscous, viscous)]
        {
            assert!((found - wanted).abs() <= small * friction, "{rtol}: {found} {wanted}");
        }
        assert!(path.events().len() > 10 && friction > 1.0, "{:?}", path.events().len());
    }
}

/// Two sliders on one mass hold 1 + 0.5 N together, and break at once when the load is more.
#[test]
fn sliders_that_hold_the_same_mass_break_together() {
    let n = Network::builder()
        .node("a", 1.0)
        .slider("one", "a", "ground", 1.0, 1.0)
        .slider("two", "a", "ground", 0.5, 0.5)
        .force("a", Signal::ramp(0.5, 0.0))
        .build()
        .unwrap();
    let weak = Law::stribeck_exponential(1.0, 0.4, 0.3, 1.0, 0.0).unwrap();
    let m = Machine::new(n).unwrap().with_law("one", weak).unwrap();
    let path = machine::solve(&m, 4.0, tight()).unwrap();
    let events: Vec<_> = path.events().iter().map(|e| (e.kind, e.place)).collect();
    assert_eq!(events, [(EventKind::Slip, 0), (EventKind::Slip, 1)]);
    assert!(path.events().iter().all(|e| (e.time - 3.0).abs() < 1e-12));
    let held = path.state(2.0).friction;
    assert!((held[0] + held[1] + 1.0).abs() < 1e-9, "{held:?}");
    assert!(held[0].abs() <= 1.0 && held[1].abs() <= 0.5, "{held:?}");
}

/// What rests on each other has one velocity, to the last bit, for as long as it rests.
#[test]
fn what_rests_cannot_drift() {
    let n = Network::builder()
        .node("a", 1.0)
        .node("b", 0.7)
        .spring("a", "ground", 2.0)
        .slider("s", "a", "b", 5.0, 5.0)
        .force("a", Signal::harmonic(1.3, 0.9, 0.2))
        .build()
        .unwrap();
    let law = Law::stribeck_exponential(5.0, 4.0, 0.3, 1.0, 0.0).unwrap();
    let m = Machine::new(n).unwrap().with_law("s", law).unwrap();
    let path = machine::solve(&m, 200.0, tight()).unwrap();
    assert!(path.events().is_empty());
    for k in 0..=1000 {
        let s = path.state(0.2 * f64::from(k));
        assert_eq!(s.v[0], s.v[1]);
        assert!((s.x[0] - s.x[1]).abs() < 1e-15, "{s:?}");
    }
}

/// However a run is cut into pieces, it has the same events.
#[test]
fn pieces_have_the_bits_of_the_whole() {
    let mut r = Random(1007);
    let (machine, ..) = random_machine(&mut r);
    let problem = Problem::new(machine, 8.0);
    let scheme = Scheme::suited_to(&problem.model, None).unwrap().scheme;
    let whole = solve(&problem, &scheme).unwrap();
    assert!(whole.events.len() > 2);
    let mut cursor = start(&problem, &scheme).unwrap();
    let mut events = Vec::new();
    for k in 1..=80 {
        events.extend_from_slice(cursor.advance(0.1 * f64::from(k)).unwrap());
    }
    assert_eq!(events, whole.events);
    let mut row = vec![0.0; whole.columns().len()];
    let mut last = row.clone();
    cursor.row(&mut row);
    whole.row(8.0, &mut last);
    assert_eq!(row, last);
}

/// What the other schemes say of a machine is true of it.
#[test]
fn other_schemes_say_what_they_cannot_treat() {
    let n = Network::builder().node("a", 1.0).slider("s", "a", "ground", 1.0, 1.0).build().unwrap();
    let m = Machine::new(n).unwrap();
    let law = Law::stribeck_exponential(1.0, 0.5, 0.1, 1.0, 0.0).unwrap();
    let fast = Model::from(m.clone().with_law("s", law).unwrap());
    let moving = Model::from(m.with_support("s", Signal::constant(1.0)).unwrap());
    for (model, what) in [(fast, "depends on the speed"), (moving, "surface under a slider moves")]
    {
        let choice = Scheme::suited_to(&model, Some(0.1)).unwrap();
        assert_eq!(choice.scheme.name(), "adaptive");
        // A surface that moves is linear between events, and friction that depends on the speed is not.
        let linear = !what.contains("speed");
        assert_eq!(choice.because.is_none(), linear);
        assert_eq!(solve(&Problem::new(model.clone(), 1.0), &Scheme::Exact).is_ok(), linear);
        for scheme in [Scheme::Exact, Scheme::Euler { step: 0.1 }, Scheme::QuasiStatic] {
            if linear && scheme == Scheme::Exact {
                continue;
            }
            let said = solve(&Problem::new(model.clone(), 1.0), &scheme).unwrap_err().to_string();
            assert!(said.contains(what) && said.contains(scheme.name()), "{said}");
            assert!(start(&Problem::new(model.clone(), 1.0), &scheme).is_err());
        }
    }
}

/// A limit that grows with the time at rest: 1 + 0.2 (1 − e^{−t}) meets the load 0.3 t there.
#[test]
fn a_limit_that_ages_is_met_where_it_has_grown_to_the_load() {
    let law =
        Law::Ageing(Ageing::new(1.0, Growth::Exponential { breakaway: 1.2, time: 1.0 }).unwrap());
    let n = Network::builder()
        .node("a", 1.0)
        .slider("s", "a", "ground", 1.0, 1.0)
        .force("a", Signal::ramp(0.3, 0.0))
        .build()
        .unwrap();
    let m = Machine::new(n).unwrap().with_law("s", law).unwrap();
    let path = machine::solve(&m, 6.0, tight()).unwrap();
    let t = path.events()[0].time;
    assert!((0.3 * t - 1.2 + 0.2 * (-t).exp()).abs() < 1e-13, "{t}");
}

/// A mass that turns within a load between what an ageing contact holds at once and what it has held before: it turns, and
/// has not rested. From −3.5 m it slides about −1 m to 1.5 m, and from there about 1 m to 0.5 m.
#[test]
fn what_comes_to_rest_has_not_rested_yet() {
    let growth = Growth::Power { breakaway: 2.0, time: 1.0, exponent: 1.0 };
    let network = Network::builder()
        .node("a", 1.0)
        .starting_at("a", -3.5, 0.0)
        .spring("a", "ground", 1.0)
        .slider("s", "a", "ground", 1.0, 1.0);
    let law = Law::Ageing(Ageing::new(1.0, growth).unwrap());
    let machine = Machine::new(network.build().unwrap()).unwrap().with_law("s", law).unwrap();
    let path = machine::solve(&machine, 10.0, Options::tolerance(1e-11)).unwrap();
    let told: Vec<_> = path.events().iter().map(|e| (e.kind, e.time)).collect();
    let [(EventKind::Reversal, turn), (EventKind::Stick, stop)] = told[..] else {
        panic!("{told:?}")
    };
    let pi = std::f64::consts::PI;
    assert!((turn - pi).abs() < 1e-9 && (stop - 2.0 * pi).abs() < 1e-9, "{told:?}");
    assert!((path.state(10.0).x[0] - 0.5).abs() < 1e-9);
}
