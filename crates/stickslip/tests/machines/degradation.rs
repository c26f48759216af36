//! Bouc and Wen's spring that degrades with the work done on it, by what follows from its equations in closed form and by the method of Runge and
//! Kutta.

use std::f64::consts::FRAC_PI_2;
use stickslip::law::memory::{BoucWen, Degradation, Shape};
use stickslip::model::hysteretic::{Body, Hysteretic};
use stickslip::model::{Machine, Network};
use stickslip::scheme::memory;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::{Problem, Scheme, Signal, solve};

const STIFFNESS: f64 = 40.0;
const RATIO: f64 = 0.1;

fn law(strength: f64, stiffness: f64, exponent: f64) -> BoucWen {
    let shape = Shape { a: 1.0, beta: 5.0, gamma: 5.0, exponent };
    BoucWen::new(STIFFNESS, RATIO, shape)
        .unwrap()
        .degrading(Degradation { strength, stiffness })
        .unwrap()
}

/// ±0.3 m at 1 rad/s from 0: three times its bound.
fn way() -> Signal {
    Signal::harmonic(0.3, 1.0, -FRAC_PI_2)
}

/// With γ = β it is unbent by dz/dx = 1/η. Without a loss of stiffness that is a straight line; with one it is elastic, so that
/// ln η − δ (1 − α) k z²/2 stays what it is, η = 1 + δ ε.
#[test]
fn a_degrading_spring_is_unbent_as_its_closed_forms_say() {
    for stiffness in [0.0, 0.2] {
        let law = law(0.3, stiffness, 1.0);
        let path =
            memory::solve(&Hysteretic::led(law, way()), 20.0, Options::tolerance(1e-12)).unwrap();
        let mut turned = 0;
        for peak in [FRAC_PI_2, 3.0 * FRAC_PI_2, 11.0 * FRAC_PI_2] {
            let at = |t: f64| path.state(t);
            let kept = |t: f64| {
                let s = at(t);
                let eta = 1.0 + stiffness * s.z[1];
                let elastic = 0.5 * stiffness * (1.0 - RATIO) * STIFFNESS * s.z[0] * s.z[0];
                if stiffness > 0.0 { eta.ln() - elastic } else { s.z[0] - s.x }
            };
            let first = kept(peak);
            let side = at(peak).z[0].signum();
            for k in 1..100 {
                let t = peak + 0.01 * f64::from(k);
                if side * at(t).z[0] <= 0.0 {
                    break;
                }
                turned += 1;
                assert!((kept(t) - first).abs() < 1e-10, "{stiffness} {t}: {}", kept(t) - first);
            }
        }
        assert!(turned > 100, "{turned}");
        // It is weaker in each cycle than in the one before.
        let peaks = [1.0, 5.0, 9.0].map(|k| path.state(k * FRAC_PI_2).z[0]);
        assert!(peaks[0] > 1.05 * peaks[1] && peaks[1] > 1.05 * peaks[2], "{peaks:?}");
    }
}

/// x, v, z and ε of 1 kg on a spring of 10 N/m by the method of Runge and Kutta.
fn marched(law: [f64; 3], end: f64, steps: usize) -> [f64; 4] {
    let [strength, stiffness, exponent] = law;
    let slope = |t: f64, [x, v, z, work]: [f64; 4]| {
        let nu = 1.0 + strength * work;
        let eta = 1.0 + stiffness * work;
        let bends = nu * z.abs().powf(exponent) * (5.0 + 5.0 * (v * z).signum());
        let force = RATIO * STIFFNESS * x + (1.0 - RATIO) * STIFFNESS * z;
        let push = 8.0 * (2.0 * t).sin();
        [v, push - 10.0 * x - force, v * (1.0 - bends) / eta, (1.0 - RATIO) * STIFFNESS * z * v]
    };
    let h = end / steps as f64;
    let along = |y: [f64; 4], k: [f64; 4], h: f64| [0, 1, 2, 3].map(|i| y[i] + h * k[i]);
    let mut y = [0.0; 4];
    for n in 0..steps {
        let t = n as f64 * h;
        let a = slope(t, y);
        let b = slope(t + 0.5 * h, along(y, a, 0.5 * h));
        let c = slope(t + 0.5 * h, along(y, b, 0.5 * h));
        let d = slope(t + h, along(y, c, h));
        y = [0, 1, 2, 3].map(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    y
}

fn body() -> Body {
    Body { force: Signal::harmonic(8.0, 2.0, -FRAC_PI_2), ..Body::new(1.0, 10.0) }
}

#[test]
fn a_mass_on_a_degrading_spring_moves_as_an_independent_integration_has_it() {
    for numbers in [[0.3, 0.0, 1.0], [0.0, 0.2, 1.0], [0.3, 0.2, 1.5], [0.0, 0.0, 1.0]] {
        let [strength, stiffness, exponent] = numbers;
        let model = Hysteretic::carrying(law(strength, stiffness, exponent), body());
        let end = 6.0;
        let expected = marched(numbers, end, 200_000);
        let path = memory::solve(&model, end, Options::tolerance(1e-11)).unwrap();
        let at = path.state(end);
        let work = at.z.get(1).copied().unwrap_or(expected[3]);
        let found = [at.x, at.v, at.z[0], work];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{numbers:?}: {found} {expected}");
        }
        // A network says the same of its slider, and steps of a fixed length come to it by the first power of their length.
        let network = Network::builder()
            .node("a", 1.0)
            .spring("a", "ground", 10.0)
            .slider("s", "a", "ground", 1.0, 1.0)
            .force("a", Signal::harmonic(8.0, 2.0, -FRAC_PI_2))
            .build()
            .unwrap();
        let law = law(strength, stiffness, exponent);
        let machine = Machine::new(network).unwrap().with_memory("s", law, []).unwrap();
        let scheme = Scheme::Adaptive(Options::tolerance(1e-11));
        let network = solve(&Problem::new(machine, end), &scheme).unwrap();
        let mut row = vec![0.0; network.columns().len()];
        network.row(end, &mut row);
        let x = network.columns().iter().position(|c| c.name == "x_a").unwrap();
        assert!((row[x] - at.x).abs() < 1e-8, "{numbers:?}: {} {}", row[x], at.x);
        let error = |step: f64| {
            (memory::fixed::solve(&model, end, step).unwrap().state(end).x - at.x).abs()
        };
        let [coarse, fine] = [error(2e-3), error(5e-4)];
        assert!((2.5..6.5).contains(&(coarse / fine)), "{numbers:?}: {coarse} {fine}");
    }
}
