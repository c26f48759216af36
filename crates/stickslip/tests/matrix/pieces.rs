//! Every model by every scheme in pieces: the cursor against `solve`.

use super::models::{Known, models};
use super::{columns, schemes};
use crate::common::Random;
use stickslip::{
    Cursor, Error, Event, Network, Problem, Role, Scheme, Signal, Solution, solve, start,
};

/// Runs to the end in pieces of random length. Now and then the state is taken out, and put back later or into another
/// cursor, as if nothing had been between.
fn in_pieces(known: &Known, scheme: &Scheme, seed: u64) -> (Cursor, Vec<Event>) {
    let (mut r, mut events, mut kept) = (Random(seed), Vec::new(), None);
    let mut cursor = start(&known.problem, scheme).unwrap();
    let end = cursor.end();
    while cursor.time() < end {
        let until = (cursor.time() + r.uniform(0.0, 0.1) * end).min(end);
        events.extend(cursor.advance(until).unwrap());
        match kept.take() {
            None if r.chance(0.3) => kept = Some((cursor.state(), events.clone())),
            Some((state, then)) if r.chance(0.4) => {
                if r.chance(0.5) {
                    cursor = start(&known.problem, scheme).unwrap();
                }
                cursor.set_state(&state).unwrap();
                assert_eq!(cursor.time(), state.time());
                events = then;
            }
            other => kept = other,
        }
    }
    (cursor, events)
}

/// The columns of a cursor at its time and those of a solution, impulses aside: a cursor counts them anew.
fn is_there(cursor: &Cursor, solution: &Solution, most: f64, about: &str) {
    let count = solution.columns().len();
    let (mut found, mut want) = (vec![f64::NAN; count], vec![f64::NAN; count]);
    cursor.row(&mut found);
    solution.row(cursor.time(), &mut want);
    for role in [Role::Position, Role::Velocity, Role::Force] {
        for i in columns(solution, role) {
            let (a, b) = (found[i], want[i]);
            assert!((a - b).abs() <= most * (1.0 + b.abs()), "{about}: {a}, {b}");
        }
    }
}

/// Every scheme for the model, at its coarsest step.
fn suitable(known: &Known) -> impl Iterator<Item = (Scheme, Solution)> + '_ {
    let all = schemes().into_iter().map(|(scheme, _)| scheme(known.step));
    all.filter_map(|scheme| Some((scheme, solve(&known.problem, &scheme).ok()?)))
}

#[test]
fn a_run_in_pieces_has_the_events_of_the_whole_to_the_last_bit() {
    for known in models() {
        for (scheme, whole) in suitable(&known) {
            let about = format!("{} by {}", known.name, scheme.name());
            for seed in 0..2 {
                let (cursor, events) = in_pieces(&known, &scheme, seed);
                assert_eq!(events, whole.events, "{about}");
                assert_eq!(cursor.columns(), whole.columns(), "{about}");
                is_there(&cursor, &whole, 1e-9, &about);
                // A mass between walls rubs at none of them, and yet stays at one or the other.
                let walls = if known.problem.model.as_impact().is_some() { 2 } else { 0 };
                let contacts = known.problem.contacts().len() + walls;
                assert_eq!(cursor.phases().len(), contacts, "{about}");
            }
        }
    }
}

/// Taken out in the middle, in slip or stick, and put back: the same bits of the state as without that, at every later
/// instant. Looking on the way changes nothing.
#[test]
fn a_state_put_back_goes_on_with_the_same_bits() {
    let bits = |c: &Cursor| -> Vec<u64> {
        let mut row = vec![f64::NAN; c.columns().len()];
        c.row(&mut row);
        row.iter().map(|x| x.to_bits()).collect()
    };
    for known in models() {
        for (scheme, _) in suitable(&known) {
            let about = format!("{} by {}", known.name, scheme.name());
            let mut one = start(&known.problem, &scheme).unwrap();
            let middle = 0.377 * one.end();
            one.advance(middle).unwrap();
            let state = one.state();
            let mut other = start(&known.problem, &scheme).unwrap();
            other.set_state(&state).unwrap();
            for part in [0.4, 0.63, 1.0] {
                let until = part * one.end();
                let first = one.advance(until).unwrap().to_vec();
                assert_eq!(other.advance(until).unwrap(), first, "{about}");
                assert_eq!(bits(&one), bits(&other), "{about}");
                other.set_state(&one.clone().state()).unwrap();
            }
        }
    }
}

/// A stiff network, which goes on by the modes of its pattern once it has done so for many arcs without an event: a run in
/// pieces, states that are taken out and put back on the way, and one run to the end come to the same bits.
#[test]
fn a_stiff_network_goes_on_with_the_same_bits() {
    let network = Network::builder()
        .node("heavy", 1.0)
        .node("light", 0.01)
        .spring("heavy", "ground", 1.0)
        .spring("heavy", "light", 1e4)
        .slider("rub", "heavy", "ground", 0.5, 0.5)
        .force("light", Signal::harmonic(1.2, 0.7, 0.0))
        .build()
        .unwrap();
    let (name, problem) = ("a stiff network".into(), Problem::new(network, 20.0));
    let known = Known { name, problem, truth: Vec::new(), step: 0.0, refused: &[] };
    let whole = solve(&known.problem, &Scheme::Exact).unwrap();
    // Some ten seconds lie between two events on average, ten thousand radians of the fast motion.
    assert!((2..12).contains(&whole.events.len()), "{:?}", whole.events);
    let bits = |c: &Cursor| -> Vec<[u64; 2]> {
        c.state().points.iter().map(|u| [u.x.to_bits(), u.v.to_bits()]).collect()
    };
    let mut once = start(&known.problem, &Scheme::Exact).unwrap();
    once.advance(20.0).unwrap();
    for seed in 0..4 {
        let (cursor, events) = in_pieces(&known, &Scheme::Exact, seed);
        assert_eq!(events, whole.events);
        assert_eq!(bits(&cursor), bits(&once));
    }
}

/// A mass that is lifted or kicked in the middle of its motion goes on as a run that begins there.
#[test]
fn changed_points_begin_a_new_motion() {
    let mut changed = 0;
    for known in models() {
        for (scheme, _) in suitable(&known) {
            let about = format!("{} by {}", known.name, scheme.name());
            let mut cursor = start(&known.problem, &scheme).unwrap();
            let end = cursor.end();
            cursor.advance(0.31 * end).unwrap();
            let before = cursor.state();
            let mut state = before.clone();
            for u in &mut state.points {
                u.v += 0.25;
            }
            if let Err(error) = cursor.set_state(&state) {
                assert_eq!(scheme.name(), "quasi-static", "{about}: {error}");
                continue;
            }
            changed += 1;
            assert_eq!(cursor.time(), before.time(), "{about}");
            for (u, want) in cursor.state().points.iter().zip(&state.points) {
                assert!((u.v - want.v).abs() < 1e-12 * (1.0 + want.v.abs()), "{about}");
                assert!((u.x - want.x).abs() < 1e-12 * (1.0 + want.x.abs()), "{about}");
            }
            cursor.advance(end).unwrap();
            // And back to before the kick.
            cursor.set_state(&before).unwrap();
            assert_eq!(cursor.state().points, before.points, "{about}");
        }
    }
    assert!(changed > 20);
}

/// A state of another problem, of another scheme or with other points is refused, and the run is as it was.
#[test]
fn a_state_that_does_not_belong_is_refused() {
    let all = models();
    let (decay, belt) = (&all[0].problem, &all[3].problem);
    let mut cursor = start(decay, &Scheme::Exact).unwrap();
    cursor.advance(1.0).unwrap();
    let own = cursor.state();
    let foreign = [
        start(belt, &Scheme::Exact).unwrap().state(),
        start(decay, &Scheme::Euler { step: 0.01 }).unwrap().state(),
    ];
    for state in foreign {
        let error = cursor.set_state(&state).unwrap_err();
        assert!(matches!(error, Error::BadState { .. }), "{error}");
    }
    let mut more = own.clone();
    more.points.push(more.points[0]);
    assert!(cursor.set_state(&more).unwrap_err().to_string().contains("2 points"));
    let mut wild = own.clone();
    wild.points[0].x = f64::NAN;
    assert!(cursor.set_state(&wild).unwrap_err().to_string().contains("finite"));
    assert_eq!((cursor.time(), cursor.state().points), (1.0, own.points));
    assert!(cursor.advance(0.5).is_err() && cursor.advance(1e9).is_err());
    cursor.advance(2.0).unwrap();
}

/// A run that is told to stop stands where it is and goes on later with the same events.
#[test]
fn every_advance_can_be_interrupted_and_resumed() {
    for known in models() {
        for (scheme, whole) in suitable(&known) {
            let about = format!("{} by {}", known.name, scheme.name());
            let mut cursor = start(&known.problem, &scheme).unwrap();
            let (end, mut events, mut stops) = (cursor.end(), Vec::new(), 0);
            loop {
                let result = cursor.advance_while(end, |_| false).map(|_| ());
                events.extend_from_slice(cursor.events());
                match result {
                    Ok(()) => break,
                    Err(Error::Interrupted { time }) => assert_eq!(time, cursor.time(), "{about}"),
                    Err(error) => panic!("{about}: {error}"),
                }
                stops += 1;
            }
            assert_eq!(events, whole.events, "{about}");
            let steps = scheme.step().map_or(0, |_| whole.counts.steps);
            assert!(stops > 0 || steps < 70 && whole.events.len() < 2, "{about}");
        }
    }
}
