//! Transmissibility against closed forms.

use std::f64::consts::{FRAC_PI_2, TAU};
use stickslip::model::Network;
use stickslip::study::orbit::{Forced, Method, Orbit, Search, search};
use stickslip::{Law, Model, Oscillator, Signal};

/// The orbit to which a start at rest leads.
fn orbit(model: &Model, beta: f64, node: usize) -> Orbit {
    let forced = Forced::new(model, TAU / beta, Method::Best).unwrap().looked_at(node);
    search(&forced, &Search::default()).unwrap().orbits.swap_remove(0)
}

fn oscillator(f: f64) -> Oscillator {
    Oscillator::new(1.0, 1.0, Law::coulomb(f).unwrap())
}

/// Without stops the mass comes to its turning point with the friction against it, so that the ground holds A + f there;
/// A by Den Hartog 1931.
#[test]
fn the_ground_under_den_hartogs_mass_holds_a_plus_f() {
    for (beta, f, a) in [
        (2.0, 0.3, 0.297676184991529),
        (1.25, 0.4, 1.48004969692525),
        (0.75, 0.3, 2.17818497743382),
    ] {
        let o = oscillator(f).with_force(Signal::harmonic(1.0, beta, 0.0) + Signal::constant(0.2));
        let found = orbit(&o.into(), beta, 0).transmissibility.unwrap();
        assert!((found - (a + f)).abs() < 1e-10, "{beta}: {found}");
    }
}

/// √((1 + (2ζβ)²)/((1 − β²)² + (2ζβ)²)): a force on a mass on a spring and a dashpot, and a base that moves.
#[test]
fn spring_and_dashpot_transmit_what_textbooks_say() {
    let (zeta, p) = (0.1, 0.7);
    for beta in [0.5f64, 1.1, 3.0] {
        let v = 2.0 * zeta * beta;
        let want = ((1.0 + v * v) / ((1.0 - beta * beta).powi(2) + v * v)).sqrt();
        let o = oscillator(0.0).with_damping(2.0 * zeta).with_force(Signal::harmonic(p, beta, 0.4));
        let found = orbit(&o.into(), beta, 0).transmissibility.unwrap();
        assert!((found - want).abs() < 1e-9, "force, {beta}: {found} {want}");
        let isolator = || {
            let all = Network::builder().node("mass", 1.0).node("base", 0.0);
            all.spring("mass", "base", 1.0).dashpot("mass", "base", 2.0 * zeta)
        };
        // A slider of its own gives the network something to slide.
        let still =
            |n: stickslip::model::NetworkBuilder| n.slider("rail", "mass", "base", 0.0, 0.0);
        let shaken = still(isolator().motion("base", Signal::harmonic(p, beta, 0.4)));
        let found = orbit(&shaken.build().unwrap().into(), beta, 0).transmissibility.unwrap();
        assert!((found - want).abs() < 1e-8, "base, {beta}: {found} {want}");
        let pushed = still(isolator().motion("base", Signal::constant(0.0)));
        let pushed = pushed.force("mass", Signal::harmonic(p, beta, 0.0)).build().unwrap();
        let found = orbit(&pushed.into(), beta, 0).transmissibility.unwrap();
        assert!((found - want).abs() < 1e-8, "pushed, {beta}: {found} {want}");
    }
}

/// A base y = Y cos βt that moves the spring and the friction: relative to it the mass moves as Den Hartog's under β²Y cos βt,
/// z = f + PV cos(βt + φ) − f cos t − f tan(π/2β) sin t from z(0) = A, with PV cos φ = A and PV sin φ = −fU.
#[test]
fn a_shaken_mass_with_friction_has_den_hartogs_relative_motion() {
    let (y, f) = (1.0, 0.5);
    for beta in [0.8f64, 1.4, 2.2] {
        let p = beta * beta * y;
        let (v, t) = (1.0 / (1.0 - beta * beta), (FRAC_PI_2 / beta).tan());
        let u = t / beta;
        let a = ((p * v).powi(2) - (f * u).powi(2)).sqrt();
        let phase = (-f * u / (p * v)).atan2(a / (p * v));
        let x = |s: f64| {
            let z = f + p * v * (beta * s + phase).cos() - f * s.cos() - f * t * s.sin();
            z + y * (beta * s + phase).cos()
        };
        // Half a period, for the other half is its mirror image.
        let n = 2_000_000;
        let half = 0.5 * TAU / beta;
        let most = (0..=n).map(|i| x(half * f64::from(i) / f64::from(n)).abs()).fold(0.0, f64::max);
        let o = oscillator(f)
            .with_drive(Signal::harmonic(y, beta, 0.0))
            .with_support(Signal::harmonic(-beta * y, beta, -FRAC_PI_2));
        let found = orbit(&o.into(), beta, 0);
        assert_eq!(found.stops, 0);
        let found = found.transmissibility.unwrap();
        assert!((found - most / y).abs() < 1e-10 * most, "{beta}: {found} {most}");
        let n = Network::builder()
            .node("mass", 1.0)
            .node("base", 0.0)
            .spring("mass", "base", 1.0)
            .slider("rail", "mass", "base", f, f)
            .motion("base", Signal::harmonic(y, beta, 0.0));
        let found = orbit(&n.build().unwrap().into(), beta, 0).transmissibility.unwrap();
        assert!((found - most / y).abs() < 1e-8 * most, "network, {beta}: {found} {most}");
    }
}

/// Where it means nothing it is not given.
#[test]
fn several_loads_have_no_transmissibility() {
    let two = oscillator(0.1).with_damping(0.1).with_force(Signal::harmonic(1.0, 2.0, 0.0));
    let both = two.clone().with_drive(Signal::harmonic(1.0, 2.0, 0.0));
    assert_eq!(orbit(&both.into(), 2.0, 0).transmissibility, None);
    let mixed = two.with_force(Signal::harmonic(1.0, 2.0, 0.0) + Signal::harmonic(0.2, 4.0, 0.0));
    assert_eq!(orbit(&mixed.into(), 2.0, 0).transmissibility, None);
}
