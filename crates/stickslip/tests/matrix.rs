//! Every model whose motion is known, by every scheme.
//!
//! A scheme joins by one line in [`schemes`], with the order or the tolerance that it promises; a model by one line in
//! [`models::models`], with its motion. Every pair is solved through the one function `solve`: the solution keeps the
//! promise, or the scheme says that it does not treat the model. Not in the list are the schemes that are there to
//! show what fails (the sign function with sign(0) = 0).

mod models;
mod pieces;

use models::{Known, models};
use stickslip::error::Kind;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::study::order::Softness;
use stickslip::{Error, Interrupt, Phase, Problem, Role, Scheme, Solution, solve};

/// What a scheme promises.
#[derive(Clone, Copy)]
enum Promise {
    /// Errors of the state below this, and an energy audit that closes to it; relative to the largest state.
    Tolerance(f64),
    /// An error that is halved so many times when h is halved.
    Order(f64),
    /// The motion of a mass without inertia, which is another one.
    NoInertia,
}

/// A scheme for each h (s, or m/N for the compliance of walls), and its promise.
type Line = (fn(f64) -> Scheme, Promise);

fn schemes() -> Vec<Line> {
    use Promise::{NoInertia, Order, Tolerance};
    vec![
        (|_| Scheme::Exact, Tolerance(1e-12)),
        (|_| Scheme::Adaptive(Options::tolerance(1e-10)), Tolerance(1e-7)),
        (|step| Scheme::Euler { step }, Order(1.0)),
        (|step| Scheme::ImplicitEuler { step }, Order(1.0)),
        (|step| Scheme::Theta { step, theta: 0.5 }, Order(1.0)),
        (|step| Scheme::Theta { step, theta: 1.0 }, Order(1.0)),
        (|step| Scheme::Hysteresis { step }, Order(1.0)),
        (|step| Scheme::Moreau { step }, Order(1.0)),
        (|h| Scheme::Penalised(Softness::Spring.at(1e-3 * h)), Order(0.5)),
        (|h| Scheme::Penalised(Softness::Yosida.at(1e-3 * h)), Order(0.5)),
        (|_| Scheme::QuasiStatic, NoInertia),
    ]
}

/// Where the columns of one role stand.
fn columns(s: &Solution, role: Role) -> Vec<usize> {
    (0..s.columns().len()).filter(|&i| s.columns()[i].role == role).collect()
}

/// Displacements and velocities of all points at `t` from the columns, in turn.
fn state(s: &Solution, t: f64) -> Vec<f64> {
    let mut row = vec![f64::NAN; s.columns().len()];
    s.row(t, &mut row);
    let pairs = columns(s, Role::Position).into_iter().zip(columns(s, Role::Velocity));
    pairs.flat_map(|(x, v)| [row[x], row[v]]).collect()
}

/// The same from the path of the model's own type.
fn typed(s: &Solution, t: f64) -> Vec<f64> {
    if let Some(path) = s.oscillator() {
        let u = path.state(t);
        return vec![u.x, u.v];
    }
    if let Some(path) = s.cascade() {
        let u = path.state(t);
        return vec![u.x, u.v];
    }
    if let Some(path) = s.impact() {
        let u = path.state(t);
        return vec![u.x, u.v];
    }
    let u = s.network().unwrap().state(t);
    u.x.iter().zip(&u.v).flat_map(|(x, v)| [*x, *v]).collect()
}

/// The largest |number| that is known, or one.
fn scale(known: &Known) -> f64 {
    known.truth.iter().flat_map(|(_, u)| u).fold(1.0, |most, x| x.abs().max(most))
}

/// The largest distance to what is known.
fn error(known: &Known, s: &Solution) -> f64 {
    let mut worst = 0.0f64;
    for (t, want) in &known.truth {
        let got = state(s, *t);
        assert_eq!(got.len(), want.len(), "{}", known.name);
        worst = got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(worst, f64::max);
    }
    worst
}

/// What holds of every solution: its columns are those of the typed path, friction takes energy and never gives any,
/// and the energies balance to `audit`.
fn is_sound(known: &Known, scheme: &Scheme, s: &Solution, audit: f64) {
    let about = format!("{} by {}", known.name, scheme.name());
    assert_eq!(s.span(), (0.0, known.problem.end), "{about}");
    for t in s.equally_spaced(57) {
        for (a, b) in state(s, t).iter().zip(typed(s, t)) {
            assert!((a - b).abs() <= 1e-12 * scale(known), "{about} at {t} s: {a}, typed {b}");
        }
    }
    let energy = s.energy();
    assert!(energy.relative_defect() < audit, "{about}: {audit:e}, {energy:?}");
    // What friction has taken by a quarter, a half, … of the run only grows.
    let mut taken = 0.0;
    for quarter in 1..=4 {
        let end = known.problem.end * f64::from(quarter) / 4.0;
        let part = solve(&Problem { end, ..known.problem.clone() }, scheme).unwrap();
        let friction = part.energy().friction;
        assert!(friction >= taken - 1e-12 * taken, "{about}: {taken} J, then {friction} J");
        taken = friction;
    }
    if let (Some(path), Some(o)) = (s.oscillator(), known.oscillator()) {
        for (t, u, phase) in path.sample(311) {
            let relative = u.v - o.support.value(t);
            let power = o.friction_force(t, u, phase) * relative;
            assert!(phase == Phase::Stick || power <= 0.0, "{about} at {t} s: {power} W");
        }
    }
}

/// Errors for h, h/2, h/4 and h/8. Where in a step an event falls is a matter of chance, and so is the error of a
/// single run: each is the mean over steps of nearly the same length.
fn errors(known: &Known, scheme: fn(f64) -> Scheme) -> [f64; 4] {
    const NEARLY: i32 = 12;
    [1.0, 0.5, 0.25, 0.125].map(|part| {
        let one = |i| {
            let h = part * known.step * (1.0 + 0.0163 * f64::from(i));
            error(known, &solve(&known.problem, &scheme(h)).unwrap())
        };
        (0..NEARLY).map(one).sum::<f64>() / f64::from(NEARLY)
    })
}

fn check(known: &Known, (scheme, promise): Line) {
    let first = scheme(known.step);
    let about = format!("{} by {}", known.name, first.name());
    // Of cascades the θ-method is there with θ = ½ only.
    let another = matches!(first, Scheme::Theta { theta, .. } if theta != 0.5)
        && known.problem.model.as_cascade().is_some();
    let suits = known.problem.model.schemes().contains(&first.name())
        && !another
        && !known.refused.contains(&first.name());
    let solution = match solve(&known.problem, &first) {
        Err(e) => {
            assert!(!suits, "{about}: {e}");
            assert_eq!(e.kind(), Kind::Scheme, "{about}: {e}");
            return;
        }
        Ok(solution) => solution,
    };
    assert!(suits, "{about}: it should not be solved");
    match promise {
        Promise::NoInertia => {}
        Promise::Tolerance(most) => {
            let error = error(known, &solution) / scale(known);
            println!("{about}: error {error:.1e}");
            assert!(error < most, "{about}: error {error:e} against {most:e}");
            is_sound(known, &first, &solution, most);
        }
        Promise::Order(order) => {
            let errors = errors(known, scheme);
            let shown = (errors[0] / errors[3]).log2() / 3.0;
            println!("{about}: errors {errors:?}, order {shown:.2}");
            let exact = errors[0] < 1e-11 * scale(known);
            assert!(exact || shown > order - 0.15, "{about}: order {shown}, {errors:?}");
            let fine = scheme(known.step / 8.0);
            let solution = solve(&known.problem, &fine).unwrap();
            is_sound(known, &fine, &solution, 0.05);
        }
    }
}

#[test]
fn every_scheme_keeps_its_promise_for_every_model_or_says_that_it_does_not_treat_it() {
    for known in models() {
        for line in schemes() {
            check(&known, line);
        }
    }
}

/// What is asked to stop does so, whatever it is, and is whole again when it is not.
#[test]
fn every_scheme_can_be_stopped() {
    let interrupt = Interrupt::new();
    interrupt.request();
    let mut stopped = 0;
    for known in models() {
        for (scheme, _) in schemes() {
            let scheme = scheme(1e-3 * known.problem.end);
            match interrupt.during(|| solve(&known.problem, &scheme)) {
                Err(Error::Interrupted { time }) => {
                    assert!((0.0..=known.problem.end).contains(&time));
                    stopped += 1;
                }
                Err(Error::Unsuitable { .. }) => {}
                other => panic!("{} by {}: {:?}", known.name, scheme.name(), other.map(drop)),
            }
        }
    }
    assert!(stopped > 50, "{stopped}");
}

/// Energies of a motion whose sums may have ended early are no numbers; asked again they are what they were.
#[test]
fn energies_are_whole_or_unknown() {
    let interrupt = Interrupt::new();
    interrupt.request();
    for known in models() {
        for (scheme, _) in schemes() {
            let scheme = scheme(1e-2 * known.problem.end);
            let Ok(solution) = solve(&known.problem, &scheme) else { continue };
            let (whole, stopped) = (solution.energy(), interrupt.during(|| solution.energy()));
            let about = format!("{} by {}", known.name, scheme.name());
            assert!(
                stopped == whole || stopped.defect().is_nan() && stopped.work.is_nan(),
                "{about}"
            );
            assert_eq!(solution.energy(), whole, "{about}");
        }
    }
}
