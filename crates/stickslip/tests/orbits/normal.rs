//! A normal force that depends on the displacement.

use std::f64::consts::TAU;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{euler, exact, implicit_euler, quasi_static};
use stickslip::study::orbit::{Forced, Method};
use stickslip::study::sensitivity::{Change, along};
use stickslip::{EventKind, Law, Oscillator, Phase, Signal};

/// Feeny and Moon 1994, equation (6) with Coulomb's law: ẍ + 2ζẋ + x + (1 + 1.5 x) sgn ẋ = 1.9 cos 1.25 t, ζ = .015, and no friction
/// where 1 + 1.5 x < 0.
fn feeny_and_moon() -> Oscillator {
    Oscillator::new(1.0, 1.0, Law::coulomb(1.0).unwrap())
        .with_damping(0.03)
        .with_normal_slope(1.5)
        .with_force(Signal::harmonic(1.9, 1.25, 0.0))
}

/// Events and ends against an independent integration: SciPy's DOP853 at 1e-13, with its own events.
#[test]
fn feeny_and_moons_oscillator_is_that_of_an_independent_integration() {
    let o = feeny_and_moon().starting_at(0.5, 0.0);
    let path = adaptive::solve(&o, 30.0, Options::tolerance(1e-13)).unwrap();
    let want = [
        (EventKind::Slip, 1.8310529889547082, 0.5),
        (EventKind::Reversal, 4.142626085809681, -0.37016400951944306),
        (EventKind::Stick, 6.045079655788463, 0.8580354497278889),
        (EventKind::Slip, 6.964197197376467, 0.8580354497278889),
        (EventKind::Stick, 8.82822766875289, 0.44682827202277636),
    ];
    for (e, (kind, time, x)) in path.events().iter().zip(want) {
        assert_eq!(e.kind, kind);
        assert!((e.time - time).abs() < 1e-9 && (e.x - x).abs() < 1e-9, "{e:?}");
    }
    let u = path.state(30.0);
    assert!((u.x + 0.24894658194838457).abs() < 1e-9 && (u.v - 1.0993875056404774).abs() < 1e-9);
    assert!(path.energy(&o).relative_defect() < 1e-11);
}

/// The same from where the contact is open: it closes at x = −2/3 on the way back.
#[test]
fn a_contact_that_opens_has_no_friction_until_it_closes() {
    let o = feeny_and_moon().starting_at(-1.8, -0.3);
    let path = adaptive::solve(&o, 10.0, Options::tolerance(1e-13)).unwrap();
    let want = [
        (EventKind::Reversal, 0.0808767003012294, -1.812127919843111),
        (EventKind::Stick, 1.9106098092708088, 1.0622834045692617),
        (EventKind::Slip, 2.006343721278371, 1.0622834045692617),
        (EventKind::Stick, 3.6142194988174516, 0.8228676002691704),
        (EventKind::Slip, 6.953051162686194, 0.8228676002691704),
        (EventKind::Stick, 8.860570917063951, 0.3761673230661858),
    ];
    assert_eq!(path.events().len(), want.len());
    for (e, (kind, time, x)) in path.events().iter().zip(want) {
        assert_eq!(e.kind, kind);
        assert!((e.time - time).abs() < 1e-9 && (e.x - x).abs() < 1e-9, "{e:?}");
    }
    let closes = path.segments().iter().find(|s| (s.start - 0.9222458629685399).abs() < 1e-9);
    assert!((path.state(closes.unwrap().start).x + 2.0 / 3.0).abs() < 1e-14);
    assert!(path.energy(&o).relative_defect() < 1e-11);
    // Where it is open the friction is zero, and the load alone moves the mass.
    assert_eq!(o.friction_force(0.5, path.state(0.5), path.phase(0.5)), 0.0);
    assert_eq!(o.normal_force(-1.0, 0.0), 0.0);
    assert_eq!(o.normal_force(1.0, 0.0), 2.5);
}

/// A normal force in N with a slope: sliding with nothing but friction μ F (1 + s x), ẍ = −μ F (1 + s x)/m, is a harmonic motion about
/// −1/s until it stops where ẋ² = v₀² − μ F s ((x + 1/s)² − 1/s²)/m is zero.
#[test]
fn a_sliding_mass_stops_where_the_work_of_friction_is_its_energy() {
    let (mu, n, s, v) = (0.3, 2.0, 0.8, 1.5);
    let o = Oscillator::new(2.0, 0.0, Law::coulomb(mu).unwrap())
        .with_normal(Signal::constant(n))
        .with_normal_slope(s)
        .starting_at(0.0, v);
    let path = adaptive::solve(&o, 20.0, Options::tolerance(1e-12)).unwrap();
    let end = ((v * v * 2.0 / (mu * n * s)) + 1.0 / (s * s)).sqrt() - 1.0 / s;
    let rate = (mu * n * s / 2.0f64).sqrt();
    let time = (v * s / rate).atan() / rate;
    assert_eq!(path.events().len(), 1);
    let e = &path.events()[0];
    assert!((e.x - end).abs() < 1e-11 && (e.time - time).abs() < 1e-11, "{e:?} {end} {time}");
    // Thrown back towards a contact that opens at −1/s, it never stops if v² > μ F/(m s).
    let back = o.starting_at(0.0, -v);
    let path = adaptive::solve(&back, 20.0, Options::tolerance(1e-12)).unwrap();
    let leaves = -(v * v - mu * n / (2.0 * s)).sqrt();
    assert!(path.events().is_empty() && (path.state(20.0).v - leaves).abs() < 1e-11);
    assert!((path.energy(&back).friction - 0.5 * mu * n / s).abs() < 1e-11);
}

/// Stuck positions in [−.137, 1.272], and one growing direction: by the derivatives, and by a companion at 1e-7 (Benettin).
#[test]
fn feeny_and_moons_oscillator_is_chaotic() {
    let o = feeny_and_moon().starting_at(0.5, 0.0);
    let path = adaptive::solve(&o, 30_000.0, Options::tolerance(1e-9)).unwrap();
    let sticks = path.phases().into_iter().filter(|p| p.0 == Phase::Stick && p.1 > 100.0);
    let stuck: Vec<f64> = sticks.map(|p| path.state(p.1).x).collect();
    let least = stuck.iter().fold(f64::INFINITY, |a, x| a.min(*x));
    let most = stuck.iter().fold(f64::NEG_INFINITY, |a, x| a.max(*x));
    println!("{} sticks in [{least}, {most}]", stuck.len());
    assert!(stuck.len() > 6000);
    assert!((least + 0.137).abs() < 5e-4 && (most - 1.272).abs() < 5e-4, "{least} {most}");
    let opens = path.segments().windows(2).filter(|w| w[0].phase == w[1].phase).count();
    assert!(opens > 100, "{opens}");
    let options = Options::tolerance(1e-11);
    let forced = Forced::new(&o.into(), TAU / 1.25, Method::Adaptive(options)).unwrap();
    let (before, count) = (40, 300);
    let exponents = forced.lyapunov(&[0.5, 0.0], before, count).unwrap();
    let (mut u, mut sum) = ([0.5, 0.0], 0.0);
    let mut w = [0.5 + 1e-7, 0.0];
    for k in 0..before + count {
        u = forced.states(&u, 1).unwrap()[0];
        w = forced.states(&w, 1).unwrap()[0];
        let d = (w[0] - u[0]).hypot(w[1] - u[1]);
        sum += if k >= before { (d / 1e-7).ln() } else { 0.0 };
        w = [0, 1].map(|i| u[i] + (w[i] - u[i]) * 1e-7 / d);
    }
    let benettin = sum / (count as f64 * TAU / 1.25);
    println!("{exponents:?} {benettin}");
    assert!(exponents[0] > 0.03 && (exponents[0] - benettin).abs() < 0.1 * benettin);
}

/// Steps converge to it with order one, and the schemes that cannot take it say so.
#[test]
fn steps_converge_to_it_and_other_schemes_refuse_it() {
    let o = feeny_and_moon().starting_at(-1.8, -0.3);
    let path = adaptive::solve(&o, 6.0, Options::tolerance(1e-12)).unwrap();
    let error = |h: f64, implicit: bool| {
        let steps =
            if implicit { implicit_euler::solve(&o, 6.0, h) } else { euler::solve(&o, 6.0, h) };
        let steps = steps.unwrap();
        (1..60)
            .map(|i| 0.1 * f64::from(i))
            .fold(0.0f64, |worst, t| worst.max((steps.state(t).x - path.state(t).x).abs()))
    };
    for implicit in [false, true] {
        let (coarse, fine) = (error(1e-3, implicit), error(5e-4, implicit));
        assert!(fine < 1e-2 && (coarse / fine - 2.0).abs() < 0.2, "{coarse} {fine}");
    }
    let said = exact::solve(&o, 1.0).unwrap_err().to_string();
    assert!(said.contains("normal force") && said.contains("adaptive"), "{said}");
    assert!(quasi_static::solve(&feeny_and_moon(), 1.0).is_err());
    let endless = feeny_and_moon().with_normal_slope(f64::NAN);
    assert!(endless.check().unwrap_err().to_string().contains("1/m"));
    let pulled = feeny_and_moon().with_force(Signal::default()).with_drive(Signal::ramp(0.1, 0.0));
    let asked = stickslip::study::orbit::orbits(&pulled.into(), Method::Best, &Default::default());
    assert!(asked.unwrap_err().to_string().contains("runs away"));
}

/// The derivative with respect to the slope itself, against differences.
#[test]
fn it_has_derivatives_with_respect_to_its_numbers() {
    let at = |slope: f64| feeny_and_moon().with_normal_slope(slope).starting_at(-1.8, -0.3);
    let solve = |o: &Oscillator| adaptive::solve(o, 8.0, Options::tolerance(1e-13)).unwrap();
    let (o, less, more) = (at(1.5), at(1.5 - 1e-4), at(1.5 + 1e-4));
    let change = Change::Number { less: &less, more: &more, apart: 2e-4 };
    let times = [0.5, 1.5, 1.95, 3.0, 5.0, 7.5];
    let found = along(&o, &solve(&o), &[change], &times).unwrap();
    let (less, more) = (solve(&less), solve(&more));
    for (t, f) in times.iter().zip(found) {
        let want = (more.state(*t).x - less.state(*t).x) / 2e-4;
        assert!((f.x - want).abs() < 1e-5 * (1.0 + want.abs()), "{t}: {} {want}", f.x);
    }
}
