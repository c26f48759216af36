//! A beam with a friction contact, with all its degrees of freedom.

use std::f64::consts::TAU;
use stickslip::Signal;
use stickslip::model::Network;
use stickslip::model::network::Matrices;
use stickslip::study::orbit::{Forced, Method, Search, search};

/// Elements, and the numbers of free displacements and rotations.
const ELEMENTS: usize = 8;
const SIZE: usize = 2 * ELEMENTS;

type Square = [[f64; SIZE]; SIZE];

/// Mass and stiffness of a steel beam of Euler and Bernoulli that is clamped at its left end: length 2 m, height 0.1 m, thickness 0.3 m,
/// E = 185 GPa, ρ = 7830 kg/m³.
fn beam() -> (Square, Square) {
    let (l, area, inertia) = (2.0 / ELEMENTS as f64, 0.1 * 0.3, 0.3 * 0.1f64.powi(3) / 12.0);
    let (bending, weight) = (185e9 * inertia / l.powi(3), 7830.0 * area * l / 420.0);
    let k = [
        [12.0, 6.0 * l, -12.0, 6.0 * l],
        [6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l],
        [-12.0, -6.0 * l, 12.0, -6.0 * l],
        [6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l],
    ];
    let m = [
        [156.0, 22.0 * l, 54.0, -13.0 * l],
        [22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l],
        [54.0, 13.0 * l, 156.0, -22.0 * l],
        [-13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l],
    ];
    let (mut mass, mut stiffness) = ([[0.0; SIZE]; SIZE], [[0.0; SIZE]; SIZE]);
    for e in 0..ELEMENTS {
        for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
            let at = |i: usize| (2 * e + i).checked_sub(2);
            if let (Some(p), Some(q)) = (at(i), at(j)) {
                mass[p][q] += weight * m[i][j];
                stiffness[p][q] += bending * k[i][j];
            }
        }
    }
    (mass, stiffness)
}

/// Krack and Gross 2019, the eighth example of NLvib, without its regularised friction: μN = 1.5 N at the third node, 0.2 cos Ωt N at the tip, and
/// 1 % damping of the first mode with a stuck contact, 248.97320476976425 rad/s, proportional to the stiffness. Numbers: the modes of both patterns,
/// and the motion from rest over 70 periods, with 30 digits (mpmath), looked at 400 instants.
#[test]
fn a_beam_of_sixteen_degrees_of_freedom_has_its_orbit() {
    let (mass, stiffness) = beam();
    let (contact, tip, omega) = (4, 14, 200.0);
    let beta = 0.02 / 248.97320476976425;
    let rows = |of: &Square, by: f64| -> Vec<Vec<f64>> {
        of.iter().map(|r| r.iter().map(|x| by * x).collect()).collect()
    };
    let matrices = Matrices {
        mass: rows(&mass, 1.0),
        damping: rows(&stiffness, beta),
        stiffness: rows(&stiffness, 1.0),
    };
    let mut b = Network::builder();
    for i in 0..SIZE {
        b = b.node(format!("q{i}"), 0.0);
    }
    b = b.matrices(matrices);
    b = b.slider("friction", format!("q{contact}"), "ground", 1.5, 1.5);
    b = b.force(format!("q{tip}"), Signal::harmonic(0.2, omega, 0.0));
    let network = b.build().unwrap();
    let forced = Forced::new(&network.into(), TAU / omega, Method::Best).unwrap().looked_at(tip);
    let mut wanted = Search::default();
    (wanted.starts, wanted.unstable) = (1, false);
    let found = search(&forced, &wanted).unwrap();
    let orbit = &found.orbits[0];
    let path = orbit.network.as_ref().unwrap();
    const INSTANTS: usize = 400;
    let at = |i: usize| path.state(orbit.period * i as f64 / INSTANTS as f64).x[tip];
    let all: Vec<f64> = (0..INSTANTS).map(at).collect();
    let rms = (all.iter().map(|x| x * x).sum::<f64>() / INSTANTS as f64).sqrt();
    let most = all.iter().fold(0.0f64, |m, x| m.max(*x));
    assert!((rms / 6.9267328721406e-8 - 1.0).abs() < 1e-10, "{rms:e}");
    assert!((most / 9.4111128873158e-8 - 1.0).abs() < 1e-10, "{most:e}");
    assert!((orbit.stuck_fraction - 0.571331873112).abs() < 1e-10, "{}", orbit.stuck_fraction);
    // Beside another integration, its instants being others.
    assert!((rms / 6.926732864e-8 - 1.0).abs() < 2e-9, "{rms:e}");
    assert!((orbit.max / 9.411107418e-8 - 1.0).abs() < 2e-6, "{:e}", orbit.max);
    assert!(orbit.stable && found.complete && orbit.residual < 1e-12);
    assert!(path.segments().len() < 1000, "{}", path.segments().len());
}
