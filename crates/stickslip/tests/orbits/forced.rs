//! Orbits of driven oscillators. Numbers: closed forms evaluated in 30-digit arithmetic.

use num_complex::Complex64;
use std::f64::consts::{PI, TAU};
use stickslip::study::orbit::{Forced, Found, Method, Orbit, Search, search};
use stickslip::{Law, Oscillator, Signal};

/// x″ + x = cos βt − friction: Den Hartog's oscillator.
pub fn den_hartog(beta: f64, fs: f64, fd: f64) -> Oscillator {
    let law = Law::static_dynamic(fs, fd).unwrap();
    Oscillator::new(1.0, 1.0, law).with_force(Signal::harmonic(1.0, beta, 0.0))
}

fn found(o: Oscillator, omega: f64, method: Method) -> Found {
    let forced = Forced::new(&o.into(), TAU / omega, method).unwrap();
    search(&forced, &Search::default()).unwrap()
}

fn orbit(o: Oscillator, omega: f64) -> Orbit {
    found(o, omega, Method::Best).orbits.swap_remove(0)
}

/// Den Hartog 1931 without stops: A² = V² − f²U²; multipliers are the squares of the eigenvalues of
/// −diag(1, r) R(π/β) (Shaw 1986).
#[test]
fn without_stops_amplitude_and_multipliers_are_den_hartogs_and_shaws() {
    let table = [
        (0.4, 0.1, 1.16393022131514, 0.301258380508, -0.3012583805, 0.0),
        (0.55, 0.3, 1.42471781653675, 0.179180896945, 0.5692859525, 0.0),
        (0.75, 0.3, 2.17818497743382, 0.606616461917, -0.283964405, 0.5360482708),
        (1.25, 0.4, 1.48004969692525, 0.705077567245, 0.2463452769, 0.6606423998),
        (2.0, 0.3, 0.297676184991529, 0.597505807881, -0.5975058079, 0.0),
        (3.0, 0.5, 0.0797855923130282, 0.179029342806, -0.005265568906, 0.1789518912),
    ];
    for (beta, f, a, r, re, im) in table {
        let o = orbit(den_hartog(beta, f, f), beta);
        assert!((o.amplitude() - a).abs() < 1e-12, "{beta}: {}", o.amplitude());
        assert!((o.max + o.min).abs() < 1e-12 && o.stops == 0 && o.stable && !o.family);
        // −diag(1, r) R(π/β) has this trace and the determinant r; its eigenvalues squared
        let half = -0.5 * (1.0 + r) * (PI / beta).cos();
        let root = Complex64::from(half * half - r).sqrt();
        let large = (half + root).norm().max((half - root).norm());
        let want = if root.im == 0.0 { large.powi(2) } else { r };
        // a double eigenvalue is known to the root of a rounding only
        let error = if half.abs() < 1e-9 { 1e-7 } else { 1e-10 };
        assert!((o.multiplier() - want).abs() < error, "{beta}: {} {want}", o.multiplier());
        let determinant = o.multipliers[0] * o.multipliers[1];
        assert!((determinant - r * r).norm() < 1e-11, "{beta}: {determinant}");
        assert!(
            (o.multipliers[0] - Complex64::new(re, im)).norm() < 1e-9,
            "{beta}: {:?}",
            o.multipliers
        );
        // friction takes 4 f A, and nothing else does
        assert!((o.dissipated - 4.0 * f * a).abs() < 1e-12);
        let c = o.equivalent_damping().unwrap();
        assert!((c - 4.0 * f / (PI * beta * a)).abs() < 1e-12);
    }
}

/// One stop per half cycle, f_s ≥ f_d: the release phase φ and the time τ of the slip. Over half a cycle a change of the
/// place of the stop delays the release by −δx/(β sin φ), after which the acceleration is f_d − f_s, so that the multiplier
/// is (cos τ − sin τ (f_s − f_d)/(β sin φ))².
#[test]
fn with_one_stop_per_half_cycle() {
    let table: [[f64; 8]; 6] = [
        [
            0.6,
            0.7,
            0.7,
            1.35193092599476,
            0.1369795996834,
            4.610271898296,
            0.1195029261,
            0.010391702,
        ],
        [
            1.25,
            0.85,
            0.85,
            0.0465906234447699,
            0.3984914399383,
            1.438460500827,
            0.4276547521,
            0.017410777,
        ],
        [
            2.0,
            0.8,
            0.8,
            0.0274765016822197,
            0.3905028910467,
            1.011075244394,
            0.3563295081,
            0.28190776,
        ],
        [0.5, 0.5, 0.5, 1.3034292041955, 0.1015032601046, 5.183423616921, 0.1750325092, 0.20594215],
        [
            0.75,
            0.9,
            0.8,
            1.35621003292222,
            0.1746032862836,
            3.978052188702,
            0.05030999544,
            0.31234322,
        ],
        [
            0.5,
            0.85,
            0.7,
            1.18881486465631,
            0.1949869842555,
            4.368690739095,
            0.304701274,
            0.0013513199,
        ],
    ];
    for [beta, fs, fd, at, phase, slip, stuck, printed] in table {
        let o = orbit(den_hartog(beta, fs, fd), beta);
        assert!((o.amplitude() - at).abs() < 1e-11, "{beta}: {}", o.amplitude());
        assert!(o.stops == 2 && o.stable, "{beta}: {} stops", o.stops);
        assert!((o.stuck_fraction - stuck).abs() < 1e-9, "{beta}: {}", o.stuck_fraction);
        let delay = (fs - fd) / (beta * (TAU * phase).sin());
        let multiplier = (slip.cos() - slip.sin() * delay).powi(2);
        // Printed to eight digits.
        assert!((multiplier - printed).abs() < 5e-9, "{beta}: {multiplier} {printed}");
        assert!(
            (o.multiplier() - multiplier).abs() < 1e-10,
            "{beta}: {:?} {multiplier}",
            o.multipliers
        );
        assert!(o.multipliers[1].norm() < 1e-15);
    }
}

/// Two stops per half cycle, at two places.
#[test]
fn with_two_stops_per_half_cycle() {
    for (beta, one, other) in
        [(0.2, 0.907603789983, 0.317026860573), (0.1, 0.743257316546, 0.434038243484)]
    {
        let o = orbit(den_hartog(beta, 0.3, 0.3), beta);
        assert_eq!(o.stops, 4);
        let at = |level: f64| {
            let sticks = o.path.segments().iter().filter(|s| s.phase == stickslip::Phase::Stick);
            sticks.map(|s| (o.path.state(s.start).x - level).abs()).fold(f64::INFINITY, f64::min)
        };
        for level in [one, -one, other, -other] {
            assert!(at(level) < 1e-11, "{beta}: {level} is missed by {}", at(level));
        }
    }
}

/// β = ½: a continuum of asymmetric orbits (Csernák and Stépán 2006), all with (max − min)/2 = 4/3.
#[test]
fn at_half_the_natural_frequency_there_is_a_family() {
    for start in [0.0, 0.9, 1.3, -1.1] {
        let o = orbit(den_hartog(0.5, 0.1, 0.1).starting_at(start, 0.2), 0.5);
        assert!(o.family && o.stable, "{:?}", o.multipliers);
        assert!((o.amplitude() - 4.0 / 3.0).abs() < 1e-12, "{}", o.amplitude());
        assert!((o.multipliers[0].re - 1.0).abs() < 1e-7);
    }
}

/// Motions from far away end at the ends of the continuum, where a stop is grazed: they are not orbits of their own. The one to which
/// the model's own start leads is the one that is listed. x = F + f at the upper turn, where F = 1, is one end; x = 8/3 + F − f, with
/// F = −1 at the lower turn, the other.
#[test]
fn a_continuum_is_listed_once() {
    for (start, end) in [(0.0, 1.1), (3.0, 5.0 / 3.0 - 0.1), (-3.0, 1.1)] {
        let all = found(den_hartog(0.5, 0.1, 0.1).starting_at(start, 0.0), 0.5, Method::Best);
        assert_eq!(all.orbits.len(), 1, "from {start}");
        let o = &all.orbits[0];
        assert!(o.family, "from {start}");
        assert!((o.max - end).abs() < 1e-4, "from {start}: {} for {end}", o.max);
    }
}

/// x″ + 2ζx′ + x = f₀ cos ωt − sgn x′; ζ = .05, f₀ = 1.5, static 1.1.
#[test]
fn with_damping_and_a_static_limit() {
    let law = Law::static_dynamic(1.1, 1.0).unwrap();
    let o = Oscillator::new(1.0, 1.0, law).with_damping(0.1);
    let o = orbit(o.with_force(Signal::harmonic(1.5, 0.9, 0.0)), 0.9);
    assert!((o.amplitude() - 2.4202363505744).abs() < 1e-12, "{}", o.amplitude());
}

/// Adaptive steps find the same orbits and multipliers as closed forms.
#[test]
fn both_solvers_agree() {
    for (beta, fs, fd) in [(0.55, 0.3, 0.3), (0.5, 0.85, 0.7), (2.0, 0.8, 0.8)] {
        let o = den_hartog(beta, fs, fd);
        let tight = Method::Adaptive(stickslip::study::orbit::TIGHT);
        let [a, b] =
            [Method::Exact, tight].map(|m| found(o.clone(), beta, m).orbits.swap_remove(0));
        assert!((a.amplitude() - b.amplitude()).abs() < 1e-11);
        assert!(
            (a.multipliers[0] - b.multipliers[0]).norm() < 1e-9,
            "{:?} {:?}",
            a.multipliers,
            b.multipliers
        );
    }
}
