//! Runs whose loads are given piece by piece on the way: they are the runs under the whole signal.

use stickslip::law::{Ageing, Growth};
use stickslip::model::machine::{ControlLaw, Gains, Quantity, Sampling};
use stickslip::model::{Inlet, Loads, Machine};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::{
    Cascade, Event, EventKind, Impact, Law, Model, Network, Oscillator, Problem, Scheme, Signal,
    Stops, solve, start,
};

const END: f64 = 12.0;
const PIECE: f64 = 0.25;

/// A wave with corners at multiples of [`PIECE`].
fn corners(amplitude: f64, pace: f64) -> (Vec<f64>, Vec<f64>) {
    let times: Vec<f64> = (0..=(END / PIECE) as usize).map(|i| PIECE * i as f64).collect();
    let values = times.iter().map(|t| amplitude * ((pace * t).sin() + 0.3 * t.cos())).collect();
    (times, values)
}

/// The same wave whole, as a signal.
fn whole((times, values): &(Vec<f64>, Vec<f64>)) -> Signal {
    Signal::sampled(times, values).unwrap()
}

/// The run of `bare` with the wave added at `inlet` piece by piece: its events, its last row and what was lost.
fn in_pieces(
    bare: impl Into<Model>,
    scheme: &Scheme,
    inlet: Inlet,
    wave: &(Vec<f64>, Vec<f64>),
) -> (Vec<Event>, Vec<f64>, f64) {
    let problem = Problem::new(bare, END);
    let loads = Loads::of(&problem.model);
    let at = loads.inlets().iter().position(|i| *i == inlet).unwrap();
    let mut cursor = start(&problem, scheme).unwrap();
    cursor.count_losses();
    let (mut events, (times, values)) = (Vec::<Event>::new(), wave);
    let mut model = loads.from(0.0, PIECE, &vec![[0.0; 2]; loads.inlets().len()]).unwrap();
    for (t, u) in times.windows(2).zip(values.windows(2)) {
        let mut add = vec![[0.0; 2]; loads.inlets().len()];
        add[at] = [u[0], (u[1] - u[0]) / PIECE];
        loads.put(&mut model, t[0], t[1], &add).unwrap();
        assert_eq!(loads.from(t[0], t[1], &add).unwrap(), model);
        events.extend(cursor.change(&model, t[1]).unwrap());
        events.extend(cursor.advance(t[1]).unwrap());
    }
    let mut row = vec![0.0; cursor.columns().len()];
    cursor.row(&mut row);
    // What is lost in an impact stands in its event; every mass here is 1 kg.
    let hard = events.iter().filter(|e| e.duration == 0.0);
    let in_impacts: f64 = hard.map(|e| 0.5 * (e.before - e.v) * (e.before + e.v)).sum();
    let lost = cursor.lost() + in_impacts;
    (events, row, lost)
}

/// Compares with the run under the whole signal, to `tolerance`.
fn compare(
    (bare, full): (Model, Model),
    scheme: &Scheme,
    (inlet, wave): (Inlet, &(Vec<f64>, Vec<f64>)),
    tolerance: f64,
) {
    let is_machine = bare.as_machine().is_some();
    let want = solve(&Problem::new(full, END), scheme).unwrap();
    let (events, row, lost) = in_pieces(bare, scheme, inlet, wave);
    let (found, expected): (Vec<_>, Vec<_>) = (
        events.iter().map(|e| (e.kind, e.place)).collect(),
        want.events.iter().map(|e| (e.kind, e.place)).collect(),
    );
    assert_eq!(found, expected);
    assert!(events.len() > 2, "{events:?}");
    for (a, b) in events.iter().zip(&want.events) {
        assert!((a.time - b.time).abs() < tolerance, "{a:?} {b:?}");
    }
    let mut last = row.clone();
    want.row(END, &mut last);
    // Displacement and velocity: at the very end the loads, and with them the forces, are those of one side or the other.
    let moves = row.iter().zip(&last).take(2);
    assert!(moves.clone().all(|(a, b)| (a - b).abs() < tolerance), "{row:?} {last:?}");
    if is_machine {
        // What a machine loses is not counted on the way.
        return;
    }
    let e = want.energy();
    let expected = e.friction + e.viscous + e.impacts;
    assert!((lost - expected).abs() < tolerance * expected.max(1.0), "{lost} {expected}");
    assert!(lost > 0.1);
}

fn rig(law: Law) -> Oscillator {
    Oscillator::new(1.0, 2.0, law).with_damping(0.05).starting_at(0.3, 0.5)
}

#[test]
fn a_force_or_a_drive_given_in_pieces_is_the_whole_one() {
    let wave = corners(3.0, 1.7);
    let o = rig(Law::static_dynamic(1.2, 0.7).unwrap());
    let forced = o.clone().with_force(whole(&wave));
    compare((o.clone().into(), forced.into()), &Scheme::Exact, (Inlet::Force, &wave), 1e-11);
    let driven = o.clone().with_drive(whole(&wave));
    compare((o.clone().into(), driven.into()), &Scheme::Exact, (Inlet::Drive, &wave), 1e-11);
    let tight = Scheme::Adaptive(Options::tolerance(1e-12));
    let forced = o.clone().with_force(whole(&wave));
    compare((o.into(), forced.into()), &tight, (Inlet::Force, &wave), 1e-8);
}

#[test]
fn so_is_a_support_or_a_normal_force() {
    let wave = corners(0.6, 1.1);
    let o = rig(Law::static_dynamic(1.2, 0.7).unwrap()).with_force(Signal::harmonic(1.0, 2.0, 0.0));
    let carried = o.clone().with_support(whole(&wave));
    compare((o.clone().into(), carried.into()), &Scheme::Exact, (Inlet::Support, &wave), 1e-11);
    let pressed = o.with_normal(Signal::constant(1.5));
    let full = pressed.clone().with_normal(Signal::constant(1.5) + whole(&wave));
    compare((pressed.into(), full.into()), &Scheme::Exact, (Inlet::Normal, &wave), 1e-11);
}

#[test]
fn the_memory_of_a_contact_outlives_a_change() {
    // The limit grows with the time at rest: over many changes of the load the contact keeps its age.
    let wave = corners(2.2, 0.6);
    let growth = Growth::Exponential { breakaway: 1.6, time: 0.8 };
    let o = rig(Law::Ageing(Ageing::new(0.6, growth).unwrap()));
    let full = o.clone().with_force(whole(&wave));
    let tight = Scheme::Adaptive(Options::tolerance(1e-12));
    compare((o.into(), full.into()), &tight, (Inlet::Force, &wave), 1e-8);
}

#[test]
fn so_do_the_elements_of_a_cascade_and_the_sliders_of_a_network() {
    let wave = corners(2.5, 0.9);
    let c = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1]);
    let full = c.clone().with_force(whole(&wave));
    compare((c.into(), full.into()), &Scheme::Exact, (Inlet::Force, &wave), 1e-10);
    let network = |force: Signal| {
        Network::builder()
            .node("a", 1.0)
            .node("b", 2.0)
            .spring("a", "b", 3.0)
            .spring("b", "ground", 1.0)
            .slider("s", "a", "ground", 1.2, 1.0)
            .slider("r", "b", "ground", 0.4, 0.4)
            .force("a", force)
            .build()
            .unwrap()
    };
    let (bare, full) = (network(Signal::default()), network(whole(&wave)));
    compare((bare.into(), full.into()), &Scheme::Exact, (Inlet::NodeForce(0), &wave), 1e-9);
}

/// A servo that is told where to go or how fast, and a mass on a belt whose speed is told.
#[test]
fn so_do_references_of_controllers_and_speeds_of_surfaces() {
    let servo = |quantity: Quantity, sampling: Option<Sampling>, reference: Signal| {
        let network = Network::builder()
            .unjoined()
            .node("a", 1.0)
            .node("b", 0.5)
            .spring("a", "b", 40.0)
            .dashpot("a", "b", 0.3)
            .slider("s", "b", "ground", 0.6, 0.4)
            .build()
            .unwrap();
        let gains = Gains { proportional: 12.0, integral: 3.0, derivative: 2.0, filter: 0.05 };
        let law = ControlLaw::pid(gains).measuring(quantity).following(reference);
        let law = ControlLaw { sampling, ..law };
        Machine::new(network).unwrap().with_controller("pid", ["a", "ground"], "a", law).unwrap()
    };
    let sampled = Sampling { time: 0.125, delay: 0.0625, quantum: 0.0 };
    for (quantity, sampling) in [
        (Quantity::Displacement, None),
        (Quantity::Velocity, None),
        (Quantity::Displacement, Some(sampled)),
    ] {
        let (times, values) = corners(0.6, 1.3);
        // What a controller is told to begin with does not jump, for the filter of its derivative remembers.
        let wave = (times, values.iter().map(|u| u - values[0]).collect());
        let bare = servo(quantity, sampling, Signal::default());
        let full = servo(quantity, sampling, whole(&wave));
        let at = Inlet::Reference(0, quantity);
        compare((bare.into(), full.into()), &Scheme::Exact, (at, &wave), 1e-9);
    }

    let belt = |speed: Signal| {
        let network = Network::builder()
            .node("a", 1.0)
            .spring("a", "ground", 2.0)
            .slider("s", "a", "ground", 1.0, 0.6)
            .build()
            .unwrap();
        Machine::new(network).unwrap().with_support("s", speed).unwrap()
    };
    let wave = corners(0.5, 0.9);
    let (bare, full) = (belt(Signal::constant(0.3)), belt(Signal::constant(0.3) + whole(&wave)));
    compare((bare.into(), full.into()), &Scheme::Exact, (Inlet::SliderSupport(0), &wave), 1e-9);
}

/// A mass that flies, hits and rests: the load, and the wall under it. Each corner of a load cuts a sequence of bounces
/// anew, so their number is not compared.
#[test]
fn so_do_a_force_and_a_wall_of_an_impact_model() {
    let ball = Impact::new(1.0, 0.6).with_spring(0.5, 0.05).starting_at(0.4, 0.0);
    let ball = ball.with_force(Signal::constant(-2.0));
    let (load, shake) = (corners(1.5, 1.7), corners(0.05, 1.7));
    let pulled = ball.clone().with_force(Signal::constant(-2.0) + whole(&load));
    let shaken = ball.clone().between(Some(whole(&shake)), None);
    for (full, inlet, wave) in [(pulled, Inlet::Force, &load), (shaken, Inlet::LowerWall, &shake)] {
        let want = solve(&Problem::new(full, END), &Scheme::Exact).unwrap();
        let (events, row, lost) = in_pieces(ball.clone(), &Scheme::Exact, inlet, wave);
        let mut last = row.clone();
        want.row(END, &mut last);
        assert!((row[0] - last[0]).abs() < 1e-6, "{inlet}: {row:?} {last:?}");
        let e = want.energy();
        let expected = e.viscous + e.impacts;
        assert!((lost - expected).abs() < 1e-6 && expected > 0.1, "{inlet}: {lost} {expected}");
        assert!(events.iter().any(|e| e.kind == EventKind::Rest), "{inlet}");
    }
}

#[test]
fn a_wall_that_jumps_over_the_mass_is_refused_and_one_that_jumps_away_lets_it_fall() {
    let ball = Impact::new(1.0, 0.5).with_force(Signal::constant(-2.0));
    let problem = Problem::new(ball, 9.0);
    let loads = Loads::of(&problem.model);
    assert_eq!(loads.inlets(), [Inlet::Force, Inlet::LowerWall]);
    let mut cursor = start(&problem, &Scheme::Exact).unwrap();
    let wall = |x: f64| loads.from(0.0, 9.0, &[[0.0; 2], [x, 0.0]]).unwrap();
    let refused = cursor.change(&wall(0.1), 9.0).unwrap_err().to_string();
    assert!(refused.contains("jumps over"), "{refused}");
    let told = cursor.change(&wall(-1.0), 9.0).unwrap();
    assert_eq!(told.iter().map(|e| e.kind).collect::<Vec<_>>(), [EventKind::Release]);
    let met = cursor.advance(1.5).unwrap();
    assert!((met[0].time - 1.0).abs() < 1e-12 && met[0].kind == EventKind::Impact, "{met:?}");
}

/// The grid of a stepping scheme begins anew at each change: with steps that divide the pieces it is the same grid.
#[test]
fn stepping_schemes_take_changes_at_their_nodes() {
    let wave = corners(3.0, 1.7);
    let o = rig(Law::static_dynamic(1.2, 0.7).unwrap());
    let full = o.clone().with_force(whole(&wave));
    for scheme in [Scheme::Euler { step: 0.0078125 }, Scheme::ImplicitEuler { step: 0.0078125 }] {
        let want = solve(&Problem::new(full.clone(), END), &scheme).unwrap();
        let (_, row, _) = in_pieces(o.clone(), &scheme, Inlet::Force, &wave);
        let mut last = row.clone();
        want.row(END, &mut last);
        assert!((row[0] - last[0]).abs() < 1e-9 && (row[1] - last[1]).abs() < 1e-9, "{row:?}");
    }
}

/// A held support velocity that jumps leaves the mass behind; one that jumps by a rounding does not.
#[test]
fn a_support_that_jumps_breaks_the_stick_and_a_rounding_does_not() {
    let o = Oscillator::new(1.0, 0.0, Law::coulomb(1.0).unwrap());
    let problem = Problem::new(o, 9.0);
    let loads = Loads::of(&problem.model);
    let mut cursor = start(&problem, &Scheme::Exact).unwrap();
    let support = |v: f64| [[0.0; 2], [0.0; 2], [v, 0.0]];
    let kicked = cursor.change(&loads.from(0.0, 1.0, &support(0.5)).unwrap(), 1.0).unwrap();
    assert_eq!(kicked[0].kind, EventKind::Slip);
    let caught = cursor.advance(1.0).unwrap();
    assert!((caught[0].time - 0.5).abs() < 1e-15 && caught[0].kind == EventKind::Stick);
    let next = loads.from(1.0, 2.0, &support(0.5 + 1e-16)).unwrap();
    assert!(cursor.change(&next, 2.0).unwrap().is_empty());
    assert!((cursor.state().points[0].v - 0.5).abs() < 1e-15);
}

/// The impulse of a soft stop is counted once, though its spring is entered under many pieces of load.
#[test]
fn a_soft_stop_gives_its_impulse_once() {
    let wave = corners(2.0, 1.3);
    let stops = Stops::soft(Some(-0.4), Some(0.4), 50.0, 0.2);
    let o = rig(Law::coulomb(0.3).unwrap()).with_stops(stops);
    let full = o.clone().with_force(whole(&wave));
    let want = solve(&Problem::new(full, END), &Scheme::Exact).unwrap();
    let (events, ..) = in_pieces(o, &Scheme::Exact, Inlet::Force, &wave);
    assert_eq!(events.len(), want.events.len());
    let impulses = events.iter().zip(&want.events).map(|(a, b)| (a.impulse - b.impulse).abs());
    assert!(impulses.fold(0.0, f64::max) < 1e-9);
    assert!(want.events.iter().any(|e| e.impulse != 0.0));
}

/// A free mass meets an undamped stop with 1 m/s and leaves it with −1 m/s: 2 N·s, whenever its loads are given anew. The motion
/// in the stop begins at the very instant of the first change.
#[test]
fn loads_that_change_as_a_soft_stop_is_met_do_not_count_its_impulse_twice() {
    let stops = Stops::soft(None, Some(1.0), 4.0, 0.0);
    let o = Oscillator::new(1.0, 0.0, Law::coulomb(0.0).unwrap());
    let problem = Problem::new(o.with_stops(stops).starting_at(0.0, 1.0), 9.0);
    let loads = Loads::of(&problem.model);
    for scheme in [Scheme::Exact, Scheme::Adaptive(Options::tolerance(1e-12))] {
        let met = solve(&problem, &scheme).unwrap().events[0].time;
        assert!((met - 1.0).abs() < 1e-12, "{met}");
        for changes in [vec![met], vec![met, met], vec![0.5, met, 1.4]] {
            let mut cursor = start(&problem, &scheme).unwrap();
            let mut events: Vec<Event> = Vec::new();
            for t in changes {
                events.extend(cursor.advance(t).unwrap());
                let same = loads.from(t, 9.0, &vec![[0.0; 2]; loads.inlets().len()]).unwrap();
                events.extend(cursor.change(&same, 9.0).unwrap());
            }
            events.extend(cursor.advance(9.0).unwrap());
            let impulse: f64 = events.iter().map(|e| e.impulse).sum();
            assert!((impulse.abs() - 2.0).abs() < 1e-9, "{scheme:?} {impulse} {events:?}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.1).unwrap())
        .with_normal(Signal::constant(1.0))
        .starting_at(1.0, 0.0);
    let problem = Problem::new(o, 9.0);
    let loads = Loads::of(&problem.model);
    assert!(loads.from(0.0, 1.0, &[[f64::NAN, 0.0], [0.0; 2], [0.0; 2], [0.0; 2]]).is_err());
    let negative = [[0.0; 2], [0.0; 2], [0.0; 2], [0.0, -2.0]];
    assert!(loads.from(0.0, 0.4, &negative).is_ok() && loads.from(0.0, 1.0, &negative).is_err());
    let mut cursor = start(&problem, &Scheme::Exact).unwrap();
    cursor.advance(1.0).unwrap();
    let before = cursor.state().points[0];
    assert!(cursor.change(&problem.model, 1.0).is_err(), "the end is not after the present time");
    let other = Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]);
    assert!(cursor.change(&other.into(), 2.0).is_err());
    assert_eq!(cursor.state().points[0], before);
    cursor.advance(2.0).unwrap();
}

#[test]
fn steps_count_what_they_lose_to_their_order() {
    let o = rig(Law::static_dynamic(1.2, 0.7).unwrap()).with_force(Signal::harmonic(2.0, 1.3, 0.0));
    let e = solve(&Problem::new(o.clone(), END), &Scheme::Exact).unwrap().energy();
    let want = e.friction + e.viscous;
    for (scheme, finer) in [
        (Scheme::Euler { step: 2e-3 }, Scheme::Euler { step: 1e-3 }),
        (Scheme::ImplicitEuler { step: 2e-3 }, Scheme::ImplicitEuler { step: 1e-3 }),
    ] {
        let lost = |scheme: &Scheme| {
            let mut cursor = start(&Problem::new(o.clone(), END), scheme).unwrap();
            assert!(cursor.count_losses());
            cursor.advance(END).unwrap();
            cursor.lost()
        };
        let [coarse, fine] = [lost(&scheme), lost(&finer)].map(|lost| (lost - want).abs() / want);
        assert!(coarse < 3e-2 && fine < 0.6 * coarse, "{coarse} {fine}");
    }
}

/// What a stepping run of a network, a cascade or a mass between walls has lost is what its scheme's own balance says, or
/// comes to what the exact motion loses.
#[test]
fn so_do_the_steps_of_the_other_models() {
    let lost = |model: &Model, scheme: &Scheme| {
        let mut cursor = start(&Problem::new(model.clone(), END), scheme).unwrap();
        assert!(cursor.count_losses());
        cursor.advance(END).unwrap();
        cursor.lost()
    };
    let network = Network::builder()
        .node("a", 1.0)
        .node("b", 2.0)
        .spring("a", "b", 3.0)
        .spring("b", "ground", 1.0)
        .dashpot("a", "b", 0.2)
        .slider("s", "a", "ground", 1.2, 1.0)
        .force("a", Signal::harmonic(3.0, 1.7, 0.0))
        .build()
        .unwrap();
    let network = Model::from(network);
    let step = 4e-3;
    for scheme in [
        Scheme::ImplicitEuler { step },
        Scheme::Theta { step, theta: 0.5 },
        Scheme::SignEuler { step },
    ] {
        let e = solve(&Problem::new(network.clone(), END), &scheme).unwrap().energy();
        let want = e.friction + e.viscous;
        assert!((lost(&network, &scheme) - want).abs() < 1e-9 * want, "{scheme:?}");
    }
    let ball = Impact::new(1.0, 0.6).with_spring(0.5, 0.05).starting_at(0.4, 0.0);
    let ball = Model::from(ball.with_force(Signal::harmonic(2.0, 0.7, 0.0)));
    let e = solve(&Problem::new(ball.clone(), END), &Scheme::Moreau { step }).unwrap().energy();
    let want = e.viscous + e.impacts;
    assert!((lost(&ball, &Scheme::Moreau { step }) - want).abs() < 1e-9 * want);
    let cascade = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1]);
    let cascade = Model::from(cascade.with_force(Signal::harmonic(2.5, 0.9, 0.0)));
    let want =
        solve(&Problem::new(cascade.clone(), END), &Scheme::Exact).unwrap().energy().friction;
    for scheme in [Scheme::ImplicitEuler { step: 1e-3 }, Scheme::Hysteresis { step: 1e-3 }] {
        assert!((lost(&cascade, &scheme) - want).abs() < 1e-2 * want, "{scheme:?}");
    }
}
