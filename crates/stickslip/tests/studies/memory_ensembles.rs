//! Paths of contacts with memory under noise: against the equation of Lyapunov for small motions, against the Fokker–Planck equation of
//! dry friction for large ones, and path by path.

use stickslip::law::memory::{BoucWen, Dahl, Lugre, MaxwellSlip, Memory, Shape, StribeckLimit};
use stickslip::model::hysteretic::{Body, Hysteretic};
use stickslip::scheme::stochastic::{PathId, Rule, walk, warnings};
use stickslip::study::ensemble::{Plan, run};
use stickslip::{Error, Noise, Place, Problem, Scheme, Signal, solve};

const MASS: f64 = 1.2;
const SPRING: f64 = 3.0;
const DASHPOT: f64 = 0.8;

/// Contacts that add 5 N/m to the spring as long as they move by less than some metres, and what they add to the dashpot, N·s/m.
fn soft() -> [(Memory, f64); 4] {
    let limit = StribeckLimit::new(4e3, 3e3, 50.0, 2.0).unwrap();
    let plain = StribeckLimit::new(4e3, 4e3, 50.0, 2.0).unwrap();
    let shape = Shape { a: 1.0, beta: 1e-3, gamma: 2e-4, exponent: 1.0 };
    [
        (Dahl::new(4e3, 5.0, 1.0).unwrap().into(), 0.0),
        (Lugre::new(limit, 5.0, 0.3, 0.2).unwrap().into(), 0.5),
        (BoucWen::new(5.0, 0.4, shape).unwrap().into(), 0.0),
        (MaxwellSlip::new(plain, vec![2.0, 3.0], vec![0.5, 0.5], 0.0, 0.1).unwrap().into(), 0.1),
    ]
}

fn on(law: Memory, force: Signal) -> Hysteretic {
    Hysteretic::carrying(law, Body { damping: DASHPOT, force, ..Body::new(MASS, SPRING) })
}

/// White noise makes the scheme's variances Σ (s²/h) y_k² of its answers y_k to a force of 1 N over one step, as long as it is linear: no
/// random number is drawn. Lyapunov's are s²/2cK and s²/2cm; what implicit Euler lacks of them is what is warned of.
#[test]
fn small_motions_have_the_variances_of_lyapunov_less_what_is_warned_of() {
    let (step, end) = (0.01, 20.0);
    for (law, dashpot) in soft() {
        let pulse = Signal::stepwise(&[0.0, step, end], &[1.0, 0.0, 0.0]).unwrap();
        let problem = Problem::new(on(law.clone(), pulse), end);
        let answer = solve(&problem, &Scheme::ImplicitEuler { step }).unwrap();
        let mut row = vec![0.0; answer.columns().len()];
        let mut sums = [0.0; 2];
        for k in 1..=2000 {
            answer.row(step * f64::from(k), &mut row);
            sums[0] += row[0] * row[0] / step;
            sums[1] += row[1] * row[1] / step;
        }
        let c = DASHPOT + dashpot;
        let stiffness = SPRING + 5.0;
        let exact = [0.5 / (c * stiffness), 0.5 / (c * MASS)];
        let taken = 0.5 * stiffness / MASS * step;
        let bias = taken / (0.5 * c / MASS + taken);
        for (sum, exact) in sums.iter().zip(exact) {
            // To the first order in h; the next is (ω h)² = 7e-4 and some of δ h.
            assert!((sum / exact - 1.0 + bias).abs() < 0.01, "{law:?}: {sum} {exact} {bias}");
        }
        let noisy = Problem::new(on(law.clone(), Signal::default()), end)
            .with_noise(Place::Force, Noise::White { intensity: 0.5 });
        let said = warnings(&noisy, step, Rule::ImplicitEuler).join("; ");
        let percent = format!("up to {:.1} %", 100.0 * bias);
        let rounded = format!("up to {:.0} %", 100.0 * bias);
        assert!(said.contains(&percent) || said.contains(&rounded), "{said} {percent}");
        // With a step by which less than one per cent is lacking nothing is said.
        let short = 1e-4;
        assert!(warnings(&noisy, short, Rule::ImplicitEuler).is_empty());
        // Paths scatter as that: 600 of them within 4.5 standard errors of a variance, √(2/600).
        let plan = Plan::new(noisy, step, 5).with_rows(2);
        let ensemble = run(&plan, 0..600, 1, &mut ()).unwrap();
        let found = &ensemble.points[0].rows[1];
        for (found, sum) in [found.x.variance(), found.v.variance()].iter().zip(sums) {
            let ratio = found / (0.25 * sum);
            assert!((ratio - 1.0).abs() < 4.5 * (2.0f64 / 600.0).sqrt(), "{law:?}: {ratio}");
        }
    }
}

/// A stiff bristle without a spring is dry friction: dv = −(f/m) sign v dt + (s/m) dB has the density exp(−2 f m |v|/s²) and the variance
/// s⁴/(2 f² m²).
#[test]
fn a_stiff_bristle_has_the_variance_of_dry_friction() {
    let law = Dahl::new(1.0, 2e4, 1.0).unwrap();
    let body = Body::new(1.0, 0.0);
    let problem = Problem::new(Hysteretic::carrying(law, body), 12.0)
        .with_noise(Place::Force, Noise::White { intensity: 1.0 });
    let plan = Plan::new(problem, 5e-3, 11).with_rows(2);
    let ensemble = run(&plan, 0..1500, 1, &mut ()).unwrap();
    let found = ensemble.points[0].rows[1].v.variance();
    // The kurtosis of the density is 6: the standard error of the variance is √(5/1500).
    assert!((found / 0.5 - 1.0).abs() < 4.5 * (5.0f64 / 1500.0).sqrt(), "{found}");
}

/// A path is the motion of the same scheme under its noise made known, and its friction takes what the noise gives.
#[test]
fn paths_are_motions_under_known_noise() {
    let limit = StribeckLimit::new(1.5, 1.0, 0.05, 2.0).unwrap();
    let law = Lugre::new(limit, 1e3, 5.0, 0.4).unwrap();
    let coloured = Noise::OrnsteinUhlenbeck { rate: 2.0, intensity: 3.0, scale: 1.0 };
    let problem = Problem::new(on(law.into(), Signal::harmonic(1.0, 2.0, 0.0)), 5.0)
        .with_noise(Place::Force, Noise::White { intensity: 0.5 })
        .with_noise(Place::Drive, coloured);
    let id = PathId { seed: 3, path: 7 };
    let step = 2e-3;
    let known = problem.known(id, step).unwrap();
    let motion = solve(&known, &Scheme::ImplicitEuler { step }).unwrap();
    let mut row = vec![0.0; motion.columns().len()];
    let (mut lost, mut rests, mut last) = (0.0, 0, [0.0; 2]);
    walk(&problem, id, step, Rule::ImplicitEuler, |n, states, contacts| {
        motion.row(step * n as f64, &mut row);
        last = [states[0].x, states[0].v];
        assert_eq!(last, [row[0], row[1]], "{n}");
        lost += contacts[0].lost;
        rests += usize::from(contacts[0].rests);
    })
    .unwrap();
    let energy = motion.energy();
    // The friction of the steps and that of the motion between them differ by the first order.
    assert!((lost / energy.friction - 1.0).abs() < 0.05, "{lost} {energy:?}");
    assert!(rests > 100 && rests < 2400, "{rests}");
}

#[test]
fn what_has_no_steps_under_noise_is_refused() {
    let white = Noise::White { intensity: 0.5 };
    let [(law, _), ..] = soft();
    let noisy =
        Problem::new(on(law.clone(), Signal::default()), 1.0).with_noise(Place::Force, white);
    let refused = |rule| {
        let plan = Plan::new(noisy.clone(), 0.01, 1).with_rule(rule).with_rows(2);
        run(&plan, 0..2, 1, &mut ()).unwrap_err()
    };
    for rule in [Rule::Theta, Rule::Euler, Rule::ExplicitSign] {
        let said = refused(rule);
        assert!(matches!(said, Error::Unsuitable { .. }), "{said}");
        assert!(said.to_string().contains("implicit-euler"), "{said}");
    }
    assert_eq!(Rule::of(&noisy.model), [Rule::ImplicitEuler]);
    let led = Problem::new(Hysteretic::led(law, Signal::ramp(0.1, 0.0)), 1.0);
    assert!(Rule::of(&led.model).is_empty());
    let plan = Plan::new(led, 0.01, 1).with_rows(2);
    assert!(matches!(run(&plan, 0..2, 1, &mut ()), Err(Error::NotOffered { .. })));
}
