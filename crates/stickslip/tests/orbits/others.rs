//! Orbits that nothing drives, sections, exponents, basins, and random models.

use crate::common::Random;
use std::f64::consts::{PI, TAU};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::oscillator::exact;
use stickslip::study::orbit::{
    Attraction, Forced, Found, Method, Orbit, Search, attractors, basins, orbits, search,
};
use stickslip::study::sweep::Span;
use stickslip::{Law, Oscillator, Phase, Signal};

/// Leine, van Campen, de Kraker, van den Steen 1998: m = k = 1, F = 1/(1 + 3|w|), belt 0.2. Numbers: an independent
/// integration at 1e-13.
#[test]
fn the_belt_of_leine_and_others_has_its_period() {
    let law = Law::stribeck(0.0, 0.0, 3.0, 1.0).unwrap();
    let belt = Oscillator::new(1.0, 1.0, law).with_support(Signal::constant(0.2));
    let mut wanted = Search::default();
    wanted.starts = 1;
    let found = orbits(&belt.into(), Method::Best, &wanted).unwrap();
    let o = &found.orbits[0];
    assert!((o.period - 12.001031294831).abs() < 1e-10, "{}", o.period);
    assert_eq!((o.multiplier(), o.stops, o.stable), (0.0, 1, true));
    let slips = o.path.segments().iter().filter(|s| s.phase != Phase::Stick);
    let end = slips.map(|s| s.end).fold(0.0, f64::max);
    assert!((end - 4.2959995254802).abs() < 1e-10, "{end}");
    assert!((o.path.state(end).x + 0.54100635387008).abs() < 1e-10);
}

/// A spring pulled at V: slip lasts until the relative velocity is zero again, in closed form. With D = (f_s − f_d)/k
/// and s = V/ω the slip of the extension is −D cos − s sin …, half a turn plus twice atan(s/D) complementary.
#[test]
fn a_pulled_slider_has_its_closed_form() {
    let (fs, fd, v) = (1.2, 1.0, 0.2);
    let law = Law::static_dynamic(fs, fd).unwrap();
    let o = Oscillator::new(1.0, 1.0, law).with_drive(Signal::ramp(v, 0.0));
    let found = orbits(&o.into(), Method::Best, &Search::default()).unwrap();
    // z = d − x: from z = f_s, ż = V it moves as f_d + D cos t + V sin t; the mass is at rest again when ż = V:
    // −D sin t + V cos t = V, so t = 2π − 2 atan(D/V) from the tangent of half the angle. Then z is f_d − D, and the
    // spring is pulled up to f_s at V.
    let d = fs - fd;
    let slip = TAU - 2.0 * (d / v).atan();
    let stick = 2.0 * d / v;
    let orbit = &found.orbits[0];
    assert!((orbit.period - slip - stick).abs() < 1e-12, "{} {}", orbit.period, slip + stick);
    assert_eq!((orbit.drift, orbit.multiplier(), orbit.stops), (v, 0.0, 1));
}

/// Of a motion that settles to an orbit the exponents are the logarithms of the multipliers.
#[test]
fn exponents_of_an_orbit_are_those_of_its_multipliers() {
    let beta = 0.55;
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.3).unwrap())
        .with_force(Signal::harmonic(1.0, beta, 0.0));
    let forced = Forced::new(&o.into(), TAU / beta, Method::Best).unwrap();
    let found = forced.lyapunov(&[0.0, 0.0], 100, 400).unwrap();
    // the multipliers of Den Hartog's orbit at β = .55, f = .3
    let want = [0.5692859525f64, 0.05639660295].map(|m| m.ln() / forced_period(beta));
    for (f, w) in found.iter().zip(want) {
        assert!((f - w).abs() < 1e-3 * w.abs(), "{found:?} {want:?}");
    }
}

fn forced_period(beta: f64) -> f64 {
    TAU / beta
}

/// Every start of a system with one attractor leads to it; the section of an orbit repeats one state.
#[test]
fn basins_and_sections_know_the_attractor() {
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.85).unwrap())
        .with_force(Signal::harmonic(1.0, 1.25, 0.0));
    let forced = Forced::new(&o.into(), TAU / 1.25, Method::Best).unwrap();
    let found = search(&forced, &Search::default()).unwrap();
    assert!(found.complete && found.orbits.iter().filter(|o| o.stable).count() == 1);
    let span = |end: f64, count: usize| Span { from: -end, to: end, count };
    let grid = basins(&forced, &found.orbits, span(3.0, 9), span(2.0, 7), 200).unwrap();
    assert_eq!(grid.reached, vec![1; 63]);
    let states = forced.states(&[2.0, 0.0], 80).unwrap();
    let orbit = &found.orbits[0];
    assert!((states[79][0] - orbit.state[0]).abs() < 1e-12 && states.len() == 80);
}

/// f_d < P < f_s at resonance: rest is a continuum of orbits, beside an orbit that moves. By theory a start at rest with
/// |x| ≤ f_s − P stays: the load never exceeds f_s. Every start reaches what time integration from it reaches.
#[test]
fn basins_know_rest_as_a_continuum() {
    let law = Law::static_dynamic(1.1, 0.6).unwrap();
    let o = Oscillator::new(1.0, 1.0, law)
        .with_damping(0.2)
        .with_force(Signal::harmonic(1.0, 1.0, 0.0));
    let forced = Forced::new(&o.clone().into(), TAU, Method::Best).unwrap();
    let found = attractors(&forced, &Search::default()).unwrap();
    let stable: Vec<_> = found.orbits.iter().filter(|o| o.stable).collect();
    assert!(stable.len() == 2 && found.complete, "{}", stable.len());
    let rest = 1 + found.orbits.iter().position(|o| o.family).unwrap() as u32;
    let attraction = Attraction::new(&forced, &found.orbits, 300).unwrap();
    for x in [-0.099, 0.0, 0.099] {
        assert_eq!(attraction.reached([x, 0.0]), rest);
    }
    for i in 0..6 {
        for j in 0..5 {
            let start = [-3.0 + 1.2 * f64::from(i), -3.0 + 1.5 * f64::from(j)];
            let path =
                exact::solve(&o.clone().starting_at(start[0], start[1]), 300.0 * TAU).unwrap();
            let still =
                path.phase(299.5 * TAU) == Phase::Stick && path.phase(299.0 * TAU) == Phase::Stick;
            assert_eq!(attraction.reached(start) == rest, still, "{start:?}");
        }
    }
}

/// The largest exponent of a chaotic motion is the growth of a small difference: by the derivative and by two motions.
#[test]
fn an_exponent_of_chaos_is_the_growth_of_differences() {
    // a hardening spring under a large load with little friction (Ueda's oscillator)
    let mut o = Oscillator::new(1.0, 0.0, Law::coulomb(0.02).unwrap())
        .with_damping(0.05)
        .with_force(Signal::harmonic(7.5, 1.0, 0.0));
    o.nonlinear.stiffness = vec![0.0, 1.0];
    let forced = Forced::new(&o.into(), TAU, Method::Adaptive(Options::tolerance(1e-9))).unwrap();
    let exponents = forced.lyapunov(&[1.0, 1.0], 60, 400).unwrap();
    assert!(exponents[0] > 0.05, "{exponents:?}");
    // Benettin: a companion at 1e-7, drawn back after every period
    let (mut u, mut w, mut sum) = ([1.0, 1.0], [1.0 + 1e-7, 1.0], 0.0);
    for k in 0..460 {
        u = forced.states(&u, 1).unwrap()[0];
        w = forced.states(&w, 1).unwrap()[0];
        let d = (w[0] - u[0]).hypot(w[1] - u[1]);
        if k >= 60 {
            sum += (d / 1e-7).ln();
        }
        w = [0, 1].map(|i| u[i] + (w[i] - u[i]) * 1e-7 / d);
    }
    let benettin = sum / (400.0 * TAU);
    assert!((exponents[0] - benettin).abs() < 0.15 * benettin, "{exponents:?} {benettin}");
}

/// Where the search says that it is complete, every motion from random starts comes to an orbit that it lists. How many
/// motions were followed.
pub fn none_is_missed(forced: &Forced, found: &Found, r: &mut Random, seed: u64) -> usize {
    if !found.complete {
        return 0;
    }
    let apart = |a: &[f64], b: &[f64]| {
        forced.size(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
    };
    let mut followed = 0;
    for _ in 0..3 {
        let mut u: Vec<f64> = forced.typical().iter().map(|s| s * r.uniform(-4.0, 4.0)).collect();
        for round in 0..6 {
            let Ok(end) = forced.passage(&u, 100) else { break };
            let mut rest = vec![end.end];
            for _ in 0..6 {
                rest.extend(forced.passage(&rest[rest.len() - 1], 1).map(|p| p.end));
            }
            u.clone_from(&rest[rest.len() - 1]);
            rest.pop();
            if found.orbits.iter().any(|o| o.stable && apart(&o.state, &u) < 1e-3) {
                followed += 1;
                break;
            }
            let change = rest.last().map_or(f64::INFINITY, |s| apart(s, &u));
            // One of a continuum, or on its slow way to the edge of one.
            if change < if round < 5 { 1e-8 } else { 1e-5 } {
                let listed = found.orbits.iter().any(|o| o.family && joined(forced, &u, o));
                assert!(listed, "{seed}: {u:?} is not among the orbits");
                followed += 1;
                break;
            }
            // What repeats after a few periods, but not after one.
            let repeats = change > 1e-5 && rest.iter().any(|s| apart(s, &u) < 1e-8);
            assert!(
                !repeats,
                "{seed}: {u:?} repeats after some periods, and is not among the orbits"
            );
            assert!(round < 5, "{seed}: {u:?} comes to none of the orbits");
        }
    }
    followed
}

/// Whether orbits lie all the way from `u` to one of a continuum: Newton's method finds one next to each point between.
fn joined(forced: &Forced, u: &[f64], orbit: &Orbit) -> bool {
    let apart = |a: &[f64], b: &[f64]| {
        forced.size(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
    };
    let (mut before, length) = (u.to_vec(), apart(u, &orbit.state));
    (1..=16).all(|i| {
        let share = f64::from(i) / 16.0;
        let between: Vec<f64> =
            u.iter().zip(&orbit.state).map(|(u, o)| u + share * (o - u)).collect();
        let Some(there) = forced.newton(&between, 1) else { return false };
        let step = apart(&there.state, &before);
        before = there.state;
        step <= 0.2 * length + 1e-4
    })
}

fn random_models(count: u64) -> usize {
    let (mut found_in, mut followed) = (0, 0);
    for seed in 0..count {
        let mut r = Random(7000 + seed);
        let fd = r.uniform(0.1, 1.0);
        let law = Law::static_dynamic(fd * r.uniform(1.0, 1.5), fd).unwrap();
        let omega = r.uniform(0.3, 3.0);
        let o = Oscillator::new(r.uniform(0.5, 2.0), r.uniform(0.5, 2.0), law)
            .with_damping(r.uniform(0.02, 0.3))
            .with_force(
                Signal::harmonic(r.uniform(0.5, 4.0), omega, r.uniform(0.0, PI))
                    + Signal::constant(r.uniform(-0.2, 0.2)),
            );
        let forced = Forced::new(&o.into(), TAU / omega, Method::Best).unwrap();
        let Ok(found) = search(&forced, &Search::default()) else { continue };
        found_in += 1;
        followed += none_is_missed(&forced, &found, &mut r, seed);
        for orbit in &found.orbits {
            assert!(orbit.residual <= 1e-11, "{seed}: {}", orbit.residual);
            let m = orbit.multiplier();
            if !orbit.stable
                || orbit.family
                || orbit.transversality < 1e-3
                || !(1e-3..0.95).contains(&m)
            {
                continue;
            }
            decays(&forced, orbit, seed);
        }
    }
    println!("{followed} motions from random starts come to an orbit that is listed");
    found_in
}

/// A small perturbation decays over some periods as the largest multiplier says.
fn decays(forced: &Forced, orbit: &Orbit, seed: u64) {
    let e = 1e-6 * (orbit.max - orbit.min);
    let p = forced.passage(&orbit.state, 1).unwrap();
    // A mass that is held by more than it drags with in motion is let go by any push: the map jumps there.
    let stuck = orbit.path.segments()[0].phase == Phase::Stick;
    let mut d = [e, if stuck { 0.0 } else { 0.4 * e }];
    let mut u: Vec<f64> = orbit.state.iter().zip(d).map(|(u, d)| u + d).collect();
    for _ in 0..2 {
        u = forced.passage(&u, 1).unwrap().end;
        let next = [0, 1].map(|i| p.jacobian.at(i, 0) * d[0] + p.jacobian.at(i, 1) * d[1]);
        d = next;
    }
    for i in 0..2 {
        let found = u[i] - orbit.state[i];
        assert!(
            (found - d[i]).abs() < 2e-2 * e + 1e-12,
            "{seed}: {found:e} {:e} {:?} {:?} {}",
            d[i],
            orbit.pattern,
            orbit.path.events(),
            orbit.transversality
        );
    }
}

#[test]
fn orbits_of_random_models_come_back_and_their_multipliers_are_true() {
    let count = 40;
    assert!(random_models(count) as u64 >= count * 3 / 4);
}

/// `cargo test --release -p stickslip --test all thousand_random -- --ignored --nocapture`
#[test]
#[ignore = "a campaign of minutes"]
fn a_thousand_random_models() {
    println!("{} of 1000 have an orbit of one period", random_models(1000));
}
