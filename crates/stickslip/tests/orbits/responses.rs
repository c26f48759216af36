//! Branches of orbits over a parameter and their bifurcations.

use std::f64::consts::TAU;
use stickslip::study::orbit::{End, Forced, Kind, Method, Options, Response, response};
use stickslip::{Error, Law, Oscillator, Signal, Stops};

/// x″ + x = cos βt − f sgn x′ over the friction f, at one β.
fn over_friction(beta: f64, from: f64, to: f64) -> Response {
    let make = |f: f64| -> Result<Forced, Error> {
        let o = Oscillator::new(1.0, 1.0, Law::coulomb(f)?);
        Forced::new(
            &o.with_force(Signal::harmonic(1.0, beta, 0.0)).into(),
            TAU / beta,
            Method::Best,
        )
    };
    response(make, &Options::new(from, to).with_count(60)).unwrap()
}

/// The largest friction without stops (Den Hartog 1931): for β ≥ ½ the load at the reversal reaches the limit.
#[test]
fn the_limit_of_motion_without_stops_is_den_hartogs() {
    let table = [
        (0.55, 0.428144580141673),
        (0.6, 0.531512540169226),
        (0.75, 0.784278361710538),
        (0.9, 0.81965037767283),
        (1.25, 0.698821143090012),
        (2.0, 0.596284793999944),
        (3.0, 9.0 / 16.0),
    ];
    for (beta, limit) in table {
        let r = over_friction(beta, 0.6 * limit, 1.3 * limit);
        let found: Vec<_> = r.bifurcations().collect();
        let at = |kind: Kind| found.iter().find(|b| b.1 == kind).map(|b| b.0);
        let stops = at(Kind::Stops).unwrap_or_else(|| panic!("{beta}: {found:?}"));
        assert!((stops - limit).abs() < 1e-10, "{beta}: {stops} {limit}");
        // Friction takes energy out of the load only if the displacement lags behind it: at the reversal the load goes on
        // to grow beyond the limit.
        assert_eq!(at(Kind::CrossingSliding), Some(stops), "{beta}: {found:?}");
    }
}

/// For other β < ½ a maximum of the load inside the half cycle comes first: the velocity is grazed.
#[test]
fn below_half_the_natural_frequency_the_velocity_is_grazed_first() {
    for (beta, limit) in [(0.3, 0.0864072778539656), (0.4, 0.143890321494475)] {
        let r = over_friction(beta, 0.7 * limit, 1.2 * limit);
        let found: Vec<_> = r.bifurcations().collect();
        let grazed = found.iter().find(|b| b.1 == Kind::GrazingSliding);
        let grazed = grazed.unwrap_or_else(|| panic!("{beta}: {found:?}")).0;
        assert!((grazed - limit).abs() < 1e-9, "{beta}: {grazed} {limit}");
    }
}

/// With damping and a static limit: where the load at the reversal equals the limit, on both sides of resonance.
#[test]
fn stops_begin_where_the_load_at_the_reversal_reaches_the_static_limit() {
    let make = |omega: f64| -> Result<Forced, Error> {
        let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.1, 1.0)?).with_damping(0.1);
        Forced::new(
            &o.with_force(Signal::harmonic(1.5, omega, 0.0)).into(),
            TAU / omega,
            Method::Best,
        )
    };
    let r = response(make, &Options::new(0.6, 1.4).with_count(160)).unwrap();
    for (omega, amplitude) in
        [(0.7486857316306344, 2.048041120503441), (1.206269084207898, 0.7733150237056075)]
    {
        let near = r.branches.iter().flat_map(|b| &b.points).filter(|p| p.kind.is_some());
        let best = near.min_by(|p, q| (p.value - omega).abs().total_cmp(&(q.value - omega).abs()));
        let best = best.expect("a bifurcation");
        assert!((best.value - omega).abs() < 1e-10, "{omega}: {}", best.value);
        assert!(
            (best.orbit.amplitude() - amplitude).abs() < 1e-9,
            "{omega}: {}",
            best.orbit.amplitude()
        );
    }
}

/// The branch without stops follows Den Hartog's formula at every point.
#[test]
fn every_point_of_a_branch_is_an_orbit() {
    let f = 0.3;
    let make = |beta: f64| -> Result<Forced, Error> {
        let o = Oscillator::new(1.0, 1.0, Law::coulomb(f)?);
        Forced::new(
            &o.with_force(Signal::harmonic(1.0, beta, 0.0)).into(),
            TAU / beta,
            Method::Best,
        )
    };
    let r = response(make, &Options::new(1.2, 3.0).with_count(100)).unwrap();
    assert_eq!(r.branches.len(), 1);
    for p in &r.branches[0].points {
        let beta = p.value;
        let v = 1.0 / (1.0 - beta * beta);
        let u = (std::f64::consts::FRAC_PI_2 / beta).tan() / beta;
        let a = (v * v - f * f * u * u).sqrt();
        assert!((p.orbit.amplitude() - a).abs() < 1e-11, "{beta}: {} {a}", p.orbit.amplitude());
        assert!(p.orbit.stable && p.orbit.residual < 1e-11);
    }
}

/// Orbits of three periods between soft stops are a closed curve: it is followed round once, from one end of its frequencies to the
/// other and back. Where it is given up before that, it says so, and does not say that it came back.
#[test]
fn a_closed_branch_is_closed_and_one_that_is_given_up_is_not() {
    let make = |omega: f64| -> Result<Forced, Error> {
        let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.0)?)
            .with_damping(0.05)
            .with_stops(Stops::soft(Some(-0.5), Some(0.5), 2.0, 0.0))
            .with_force(Signal::harmonic(3.0, omega, 0.0))
            .starting_at(1.5, 0.0);
        Forced::new(&o.into(), TAU / omega, Method::Best)
    };
    let mut options = Options::new(2.9, 4.6).with_count(400).with_periods(3);
    let ends = |r: &Response| -> Vec<[End; 2]> { r.branches.iter().map(|b| b.ends).collect() };
    let whole = response(make, &options).unwrap();
    assert_eq!(ends(&whole), [[End::Range; 2], [End::Joined; 2]]);
    options.rounds = 1;
    let short = response(make, &options).unwrap();
    let given_up = ends(&short);
    assert_eq!(given_up[0], [End::Range; 2], "{given_up:?}");
    assert!(given_up[1..].iter().all(|e| e.contains(&End::Unfinished)), "{given_up:?}");
    assert!(!short.is_whole());
}

/// x″ + 0.02 x′ + x = cos ωt − ½ sgn x′.
fn slow(omega: f64) -> Result<Forced, Error> {
    let o = Oscillator::new(1.0, 1.0, Law::coulomb(0.5)?).with_damping(0.02);
    Forced::new(&o.with_force(Signal::harmonic(1.0, omega, 0.0)).into(), TAU / omega, Method::Best)
}

/// Between ω = 0.02 and 0.5 twelve sticks in a period become two. However far apart the orbits of a branch are, where the number of
/// sticks differs between neighbours there is a bifurcation, and it is one of those that many orbits show.
#[test]
fn where_sticks_come_or_go_there_is_a_bifurcation_however_few_the_points() {
    let over = |count: usize| response(slow, &Options::new(0.02, 0.5).with_count(count)).unwrap();
    let fine: Vec<_> = over(300).bifurcations().collect();
    for count in [2, 3, 10] {
        let r = over(count);
        let found: Vec<_> = r.bifurcations().collect();
        let near = |b: &(f64, Kind)| fine.iter().any(|f| f.1 == b.1 && (f.0 - b.0).abs() < 1e-9);
        assert!(found.len() >= 10 && found.iter().all(near), "{count}: {found:?} {fine:?}");
        for w in r.branches.iter().flat_map(|b| b.points.windows(2)) {
            let plain = w.iter().all(|p| p.kind.is_none());
            let same = w[0].orbit.stops == w[1].orbit.stops;
            assert!(same || !plain, "{count}: between {} and {}", w[0].value, w[1].value);
        }
        assert!(r.is_whole());
    }
}

/// Under two harmonics the velocity of a linear mass changes its sign more or less often in a period, which is no bifurcation where
/// nothing rubs; with friction it is one.
#[test]
fn without_friction_a_sign_of_the_velocity_is_no_event() {
    let over = |friction: f64| {
        let make = move |share: f64| -> Result<Forced, Error> {
            let load = Signal::harmonic(1.0, 0.5, 0.0) + Signal::harmonic(share, 1.5, 0.4);
            let o = Oscillator::new(1.0, 1.0, Law::coulomb(friction)?).with_damping(0.3);
            Forced::new(&o.with_force(load).into(), TAU / 0.5, Method::Best)
        };
        let found = response(make, &Options::new(0.05, 2.0).with_count(40)).unwrap();
        found.bifurcations().collect::<Vec<_>>()
    };
    assert_eq!(over(0.0), []);
    assert!(!over(0.02).is_empty());
}
