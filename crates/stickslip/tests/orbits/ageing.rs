//! Orbits under friction that ages: the static limit grows with the time at rest.

use crate::common::Random;
use std::f64::consts::TAU;
use stickslip::law::{Ageing, Growth};
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::study::orbit::{Forced, Method, Search, orbits, search};
use stickslip::{Law, Oscillator, Signal};

pub fn exponential(dynamic: f64, breakaway: f64, time: f64) -> Law {
    Law::Ageing(Ageing::new(dynamic, Growth::Exponential { breakaway, time }).unwrap())
}

/// A spring pulled at V, k = m = 1. A slip that begins at the extension f_d + D ends at f_d − D after 2π − 2 atan(D/V); the
/// stick lasts τ with −D + Vτ = g(τ) = S(1 − e^{−τ/T}), which is the next D. So D = Vτ/2 on the orbit, and the return map
/// has the slope g′/(V − g′). These are τ, D and the slope.
pub fn pulled(s: f64, time: f64, v: f64) -> [f64; 3] {
    // S(1 − e^{−τ/T}) = Vτ/2 by bisection, beyond the trivial root
    let f = |tau: f64| s * (1.0 - (-tau / time).exp()) - 0.5 * v * tau;
    let (mut low, mut high) = (1.0, 50.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    let tau = low;
    let d = 0.5 * v * tau;
    let slope = s / time * (-tau / time).exp();
    [tau, d, slope / (v - slope)]
}

#[test]
fn a_pulled_slider_that_ages_has_its_closed_form() {
    let (fd, s, time, v) = (1.0, 0.8, 3.0, 0.15);
    let [tau, d, want] = pulled(s, time, v);
    let law = exponential(fd, fd + s, time);
    let o = Oscillator::new(1.0, 1.0, law).with_drive(Signal::ramp(v, 0.0));
    let found = orbits(&o.into(), Method::Best, &Search::default()).unwrap();
    let orbit = &found.orbits[0];
    let period = TAU - 2.0 * (d / v).atan() + tau;
    assert!((orbit.period - period).abs() < 1e-9, "{} {period}", orbit.period);
    assert!((orbit.amplitude() - d).abs() < 2e-3 * d || orbit.amplitude() > d);
    let multiplier = orbit.multipliers[0].re;
    assert!((multiplier - want).abs() < 1e-7, "{multiplier} {want}");
    assert!(orbit.stable && orbit.stops == 1);
}

/// Friction that ages at once is a static limit: the numbers of orbits with one stop per half cycle, by independent computation.
#[test]
fn friction_that_ages_at_once_is_static_and_dynamic() {
    for (beta, fs, fd, x, multiplier) in [
        (0.75, 0.9, 0.8, 1.35621003292222, 0.31234322),
        (0.5, 0.85, 0.7, 1.18881486465631, 0.0013513199),
    ] {
        let o = Oscillator::new(1.0, 1.0, exponential(fd, fs, 1e-3))
            .with_force(Signal::harmonic(1.0, beta, 0.0));
        let forced = Forced::new(&o.into(), TAU / beta, Method::Best).unwrap();
        let mut wanted = Search::default();
        (wanted.starts, wanted.unstable) = (1, false);
        let found = search(&forced, &wanted).unwrap();
        let orbit = &found.orbits[0];
        assert!((orbit.amplitude() - x).abs() < 1e-9, "{} {x}", orbit.amplitude());
        assert!((orbit.multiplier() - multiplier).abs() < 1e-6, "{:?}", orbit.multipliers);
    }
}

/// An oscillator whose limit grows within a period, and whose age at the start of a period is a number of its own.
fn aged(r: &mut Random) -> (Oscillator, f64) {
    let beta = r.uniform(0.4, 1.6);
    let fd = r.uniform(0.3, 0.7);
    let law = exponential(fd, fd + r.uniform(0.1, 0.6), r.uniform(0.3, 3.0));
    let o = Oscillator::new(1.0, 1.0, law)
        .with_damping(r.uniform(0.0, 0.1))
        .with_force(Signal::harmonic(1.0, beta, r.uniform(0.0, TAU)));
    (o, TAU / beta)
}

/// The derivative of the map of displacement, velocity and time at rest is that of its divided differences.
#[test]
fn the_derivative_is_that_of_divided_differences() {
    let (mut r, mut compared, mut aged_starts) = (Random(17), 0, 0);
    for i in 0..60 {
        let (o, period) = aged(&mut r);
        let forced = Forced::new(&o.into(), period, Method::Best).unwrap();
        let at_rest = i % 2 == 0;
        let mut u = vec![r.uniform(-0.3, 0.3), r.uniform(-1.0, 1.0), 0.0];
        if at_rest {
            (u[1], u[2]) = (0.0, r.uniform(0.1, 2.0));
        }
        let Ok(p) = forced.passage(&u, 1) else { continue };
        if p.transversality < 1e-2 {
            continue;
        }
        // A velocity beside rest is another phase, and an age in slip means nothing.
        let columns = if at_rest { vec![0, 2] } else { vec![0, 1] };
        let h = 1e-5;
        for j in columns {
            let ends = [h, -h].map(|d| {
                let mut w = u.clone();
                w[j] += d;
                forced.passage(&w, 1).unwrap()
            });
            if ends.iter().any(|e| e.pattern != p.pattern) {
                continue;
            }
            for i in 0..3 {
                let quotient = (ends[0].end[i] - ends[1].end[i]) / (2.0 * h);
                let entry = p.jacobian.at(i, j);
                assert!(
                    (quotient - entry).abs() < 1e-5 * (1.0 + entry.abs()),
                    "{i} {j}: {quotient} {entry} of {u:?}"
                );
                compared += 1;
                aged_starts += usize::from(j == 2 && entry.abs() > 1e-3);
            }
        }
    }
    assert!(compared > 200 && aged_starts > 5, "{compared} {aged_starts}");
}

/// An orbit that is found is where one long motion, which knows its times at rest by itself, ends.
#[test]
fn a_long_motion_ends_on_the_orbit() {
    let (mut r, mut seen) = (Random(5), 0);
    for _ in 0..30 {
        let (o, period) = aged(&mut r);
        let o = o.with_damping(0.1);
        let forced = Forced::new(&o.clone().into(), period, Method::Best).unwrap();
        let mut wanted = Search::default();
        (wanted.starts, wanted.unstable) = (1, false);
        let Ok(found) = search(&forced, &wanted) else { continue };
        let orbit = &found.orbits[0];
        let cycles = 60.0 * period;
        let path = adaptive::solve(&o, cycles + period, Options::tolerance(1e-12)).unwrap();
        for i in 0..7 {
            let t = period * f64::from(i) / 7.0;
            let (a, b) = (path.state(cycles + t).x, orbit.path.state(t).x);
            assert!((a - b).abs() < 1e-7, "{i}: {a} {b}");
        }
        seen += usize::from(orbit.stops > 0);
    }
    assert!(seen > 3, "{seen}");
}
