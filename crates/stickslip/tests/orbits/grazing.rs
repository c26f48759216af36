//! Grazing-sliding of di Bernardo, Kowalczyk and Nordmark 2003 (Kowalczyk and Piiroinen 2008): a mass on a belt under
//! x″ + x = C(1 − x′) + A cos νt, C(w) = α₀ sgn w − α₁ w + α₂ w³.

use std::f64::consts::TAU;
use stickslip::scheme::oscillator::adaptive::Options as Tolerances;
use stickslip::study::orbit::{Forced, Kind, Method, Options, Search, response, search};
use stickslip::{Error, Law, Oscillator, Signal};

fn belt(nu: f64) -> Result<Forced, Error> {
    let o = Oscillator::new(1.0, 1.0, Law::cubic(1.5, 1.5, 0.45)?)
        .with_support(Signal::constant(1.0))
        .with_force(Signal::harmonic(0.1, nu, 0.0))
        .starting_at(1.0, 0.0);
    let tight = Method::Adaptive(Tolerances::tolerance(1e-12).with_atol(1e-14));
    Forced::new(&o.into(), TAU / nu, tight)
}

/// The orbit of four periods of the load touches the belt's velocity at ν = 1.707799714885, x = 1.419866007188: an
/// integration at 30 digits, published as 1.7077997.
#[test]
fn grazing_sliding_is_located_and_named() {
    let mut options = Options::new(1.7079, 1.7077).with_count(2).with_periods(4);
    options.seeds = 1;
    options.search.starts = 1;
    let found = response(belt, &options).unwrap();
    let at: Vec<_> = found.bifurcations().collect();
    let (nu, _) =
        at.iter().find(|b| b.1 == Kind::GrazingSliding).unwrap_or_else(|| panic!("{at:?}"));
    assert!((nu - 1.707799714885).abs() < 1e-9, "{nu}");
    let points = || found.branches.iter().flat_map(|b| &b.points);
    let grazing = points().find(|p| p.kind == Some(Kind::GrazingSliding)).unwrap();
    // the highest velocity is that of the belt, at x = 1.419866007188
    let path = &grazing.orbit.path;
    let samples = path.sample(4_001);
    let near = samples.max_by(|a, b| a.1.v.total_cmp(&b.1.v)).unwrap().0;
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut a, mut b) = (near - 4e-3, near + 4e-3);
    while b - a > 1e-7 {
        let (c, d) = (b - golden * (b - a), a + golden * (b - a));
        if path.state(c).v > path.state(d).v { b = d } else { a = c }
    }
    let top = path.state(0.5 * (a + b));
    assert!((top.v - 1.0).abs() < 1e-9 && (top.x - 1.419866007188).abs() < 1e-5, "{top:?}");
    assert!(points().filter(|p| p.value > nu + 1e-9).all(|p| p.orbit.stops == 0 && p.orbit.stable));
}

/// Below the grazing there is chaos at once: nothing repeats after four periods, and the largest exponent is positive.
#[test]
fn below_the_grazing_there_is_chaos() {
    let forced = belt(1.70).unwrap();
    let mut wanted = Search::default();
    (wanted.periods, wanted.starts, wanted.transient, wanted.unstable) = (4, 1, 40, false);
    assert!(search(&forced, &wanted).is_err());
    // A stick forgets a direction; the sum over many periods is of the map on a line.
    let states = forced.states(&[1.0, 0.0], 300).unwrap();
    let distinct =
        |k: usize| (200..300 - k).all(|i| (states[i][0] - states[i + k][0]).abs() > 1e-9);
    assert!((1..=12).all(distinct));
}
