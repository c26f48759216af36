//! Adding- and switching-sliding of x″ + c x′ + x = cos βt − f sgn x′, where conditions on closed-form slips have them.

use std::f64::consts::TAU;
use stickslip::study::orbit::{Forced, Kind, Method, Options, response};
use stickslip::{Error, Law, Oscillator, Signal};

/// The slip in positive direction from rest at `x` and the phase `phase` of the load: the phase and the place where it
/// ends. x = −f + Re G e^{iφ} + e^{−ct/2}(A cos wt + B sin wt).
fn slip([beta, c, f]: [f64; 3], phase: f64, x: f64) -> (f64, f64) {
    let (re, im) = (1.0 - beta * beta, c * beta);
    let size = re * re + im * im;
    // the forced motion U cos φ + W sin φ
    let (u, w) = (re / size, im / size);
    let (s, free) = (0.5 * c, (1.0 - 0.25 * c * c).sqrt());
    let a = x + f - u * phase.cos() - w * phase.sin();
    let b = (s * a - beta * (w * phase.cos() - u * phase.sin())) / free;
    let at = |t: f64| {
        let (cos, sin, decay) = ((free * t).cos(), (free * t).sin(), (-s * t).exp());
        let phi = phase + beta * t;
        let x = -f + u * phi.cos() + w * phi.sin() + decay * (a * cos + b * sin);
        let v = beta * (w * phi.cos() - u * phi.sin())
            + decay * ((free * b - s * a) * cos - (free * a + s * b) * sin);
        (x, v)
    };
    let mut t = 0.01;
    while at(t).1 > 0.0 {
        t += 0.01;
    }
    let (mut low, mut high) = (t - 0.01, t);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at(middle).1 > 0.0 { low = middle } else { high = middle }
    }
    (phase + beta * low, at(low).0)
}

/// The value at which `f` changes its sign.
fn zero(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    assert!(f(low) * f(high) < 0.0, "{} {}", f(low), f(high));
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if f(middle) * f(low) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The bifurcations over the friction.
fn over_friction(beta: f64, c: f64, from: f64, to: f64) -> Vec<(f64, Kind)> {
    let make = |f: f64| -> Result<Forced, Error> {
        let o = Oscillator::new(1.0, 1.0, Law::coulomb(f)?)
            .with_damping(c)
            .with_force(Signal::harmonic(1.0, beta, 0.0));
        Forced::new(&o.into(), TAU / beta, Method::Best)
    };
    let mut options = Options::new(from, to).with_count(20);
    options.seeds = 1;
    response(make, &options).unwrap().bifurcations().collect()
}

/// One slip in each half cycle ends at X, before the load has its maximum 1. The stick goes on through the maximum as
/// long as 1 − X ≤ f. Where the slip from −(1 − f), which begins at the phase with cos φ = 2f − 1, ends at 1 − f, the
/// mass is about to slip once more.
#[test]
fn a_stick_is_interrupted_where_the_load_touches_the_limit() {
    let range = |want: f64| (0.9 * want, 1.1 * want);
    for (beta, c, low, high) in [
        (0.2, 0.0, 0.35, 0.5),
        (0.28, 0.0, 0.1, 0.2),
        (0.2, 0.05, 0.4, 0.5),
        (0.26, 0.05, 0.2, 0.3),
    ] {
        let ends = |f: f64| slip([beta, c, f], -(2.0 * f - 1.0).acos(), f - 1.0).1 - (1.0 - f);
        let want = zero(low, high, ends);
        let (from, to) = range(want);
        for (from, to) in [(from, to), (to, from)] {
            let found = over_friction(beta, c, from, to);
            let kinds: Vec<Kind> = found.iter().map(|b| b.1).collect();
            assert!(kinds == [Kind::AddingSliding, Kind::Stops], "{beta} {c} {want}: {found:?}");
            assert!(found.iter().all(|b| (b.0 - want).abs() < 1e-9), "{want}: {found:?}");
        }
    }
}

/// One slip in each half cycle from −X to X, released where cos φ + X = f. At the end the load is cos φ − X. Where
/// that is −f, and rises, the mass is about to slip back shortly before it sticks.
#[test]
fn a_stick_begins_with_a_slip_to_the_other_side_where_the_load_is_at_the_limit() {
    let (beta, c) = (0.43, 0.05);
    // the release phase φ, for which the slip from −X to X is symmetric
    let release = |f: f64| {
        zero(-3.1, -2.7, |phase| {
            let x = phase.cos() - f;
            slip([beta, c, f], phase, x).1 + x
        })
    };
    let want = zero(0.19, 0.21, |f| {
        let (end, x) = slip([beta, c, f], release(f), release(f).cos() - f);
        end.cos() - x + f
    });
    for (from, to) in [(0.19, 0.21), (0.21, 0.19)] {
        let found = over_friction(beta, c, from, to);
        assert!(
            !found.is_empty() && found.iter().all(|b| b.1 == Kind::SwitchingSliding),
            "{found:?}"
        );
        assert!(found.iter().all(|b| (b.0 - want).abs() < 1e-9), "{want}: {found:?}");
    }
}
