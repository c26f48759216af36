//! Paths of contacts with memory under noise: against the equation of Lyapunov for small motions, against the Fokker–Planck equation of
//! dry friction for large ones, and path by path.

use crate::common::sized;
use stickslip::law::memory::{BoucWen, Dahl, Lugre, MaxwellSlip, Memory, Shape, StribeckLimit};
use stickslip::model::hysteretic::{Body, Hysteretic};
use stickslip::model::{Bumper, Machine, Network};
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
    let (step, end) = (0.01, sized(12.0, 20.0));
    for (law, dashpot) in soft() {
        let pulse = Signal::stepwise(&[0.0, step, end], &[1.0, 0.0, 0.0]).unwrap();
        let problem = Problem::new(on(law.clone(), pulse), end);
        let answer = solve(&problem, &Scheme::ImplicitEuler { step }).unwrap();
        let mut row = vec![0.0; answer.columns().len()];
        let mut sums = [0.0; 2];
        for k in 1..=(end / step).round() as u32 {
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
        // Paths scatter as that: n of them within 4.5 standard errors of a variance, √(2/n).
        let paths = sized(150, 600);
        let plan = Plan::new(noisy, step, 5).with_rows(2);
        let ensemble = run(&plan, 0..paths, 1, &mut ()).unwrap();
        let found = &ensemble.points[0].rows[1];
        for (found, sum) in [found.x.variance(), found.v.variance()].iter().zip(sums) {
            let ratio = found / (0.25 * sum);
            assert!((ratio - 1.0).abs() < 4.5 * (2.0 / paths as f64).sqrt(), "{law:?}: {ratio}");
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
    let paths = sized(300, 1500);
    let plan = Plan::new(problem, 5e-3, 11).with_rows(2);
    let ensemble = run(&plan, 0..paths, 1, &mut ()).unwrap();
    let found = ensemble.points[0].rows[1].v.variance();
    // The kurtosis of the density is 6: the standard error of the variance is √(5/n).
    assert!((found / 0.5 - 1.0).abs() < 4.5 * (5.0 / paths as f64).sqrt(), "{found}");
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

/// The mass of the first tests in a network, on a slider with this law.
fn rail(law: Memory, force: Signal) -> Machine {
    let network = Network::builder()
        .node("mass", MASS)
        .spring("mass", "ground", SPRING)
        .dashpot("mass", "ground", DASHPOT)
        .slider("rail", "mass", "ground", 0.0, 0.0)
        .force("mass", force)
        .build();
    network.and_then(Machine::new).and_then(|m| m.with_memory("rail", law, [])).unwrap()
}

/// One mass in a network goes the paths of an oscillator, under the same noise and with the same losses.
#[test]
fn a_slider_with_memory_goes_the_paths_of_an_oscillator() {
    let limit = StribeckLimit::new(1.5, 1.0, 0.05, 2.0).unwrap();
    let law: Memory = Lugre::new(limit, 1e3, 5.0, 0.4).unwrap().into();
    let load = Signal::harmonic(1.0, 2.0, 0.0);
    let white = Noise::White { intensity: 0.5 };
    let alone = Problem::new(on(law.clone(), load.clone()), 5.0).with_noise(Place::Force, white);
    let slider = Problem::new(rail(law, load), 5.0).with_noise(Place::Node(0), white);
    let follow = |problem: &Problem, path: u64| {
        let mut all = Vec::new();
        let id = PathId { seed: 8, path };
        walk(problem, id, 2e-3, Rule::ImplicitEuler, |_, states, contacts| {
            all.push((states[0], contacts[0]));
        })
        .unwrap();
        all
    };
    let mut slipped = 0;
    for path in 0..3 {
        for (a, b) in follow(&alone, path).iter().zip(follow(&slider, path)) {
            assert!((a.0.x - b.0.x).abs() < 1e-9 && (a.0.v - b.0.v).abs() < 1e-8, "{a:?} {b:?}");
            assert!((a.1.lost - b.1.lost).abs() < 1e-9, "{a:?} {b:?}");
            assert_eq!(a.1.rests, b.1.rests);
            slipped += usize::from(!a.1.rests);
        }
    }
    assert!(slipped > 100, "{slipped}");
}

/// With θ = ½ the bristles alone damp by the step, as a dashpot of h k does: s²/2(c + h k)K of Lyapunov's variance is left, and that is
/// warned of.
#[test]
fn bristles_take_of_a_variance_what_is_warned_of() {
    let (step, end) = (0.01, 100.0);
    for (law, dashpot) in soft() {
        // A part of the spring of Bouc and Wen is none that a bristle takes along.
        if matches!(law, Memory::BoucWen(_)) {
            continue;
        }
        let pulse = Signal::stepwise(&[0.0, step, end], &[1.0, 0.0, 0.0]).unwrap();
        let problem = Problem::new(rail(law.clone(), pulse), end);
        let answer = solve(&problem, &Scheme::Theta { step, theta: 0.5 }).unwrap();
        let mut row = vec![0.0; answer.columns().len()];
        let mut sum = 0.0;
        for k in 1..=10_000 {
            answer.row(step * f64::from(k), &mut row);
            sum += row[1] * row[1] / step;
        }
        let c = DASHPOT + dashpot;
        let bias = step * 5.0 / (c + step * 5.0);
        let off = 1.0 - sum / (0.5 / (c * MASS));
        assert!((off - bias).abs() < 0.1 * bias, "{law:?}: {off} {bias}");
        let noisy = Problem::new(rail(law.clone(), Signal::default()), end)
            .with_noise(Place::Node(0), Noise::White { intensity: 0.5 });
        let said = warnings(&noisy, step, Rule::Theta).join("; ");
        let percent = said.split_once("variances are up to ").unwrap().1.split(' ').next().unwrap();
        let told: f64 = 0.01 * percent.parse::<f64>().unwrap();
        assert!((told - bias).abs() < 0.1 * bias, "{said} {bias}");
        assert!(warnings(&noisy, 1e-3, Rule::Theta).is_empty());
        let by_euler = warnings(&noisy, step, Rule::ImplicitEuler).join("; ");
        assert!(by_euler.contains("implicit-euler damps the motion"), "{by_euler}");
        // Paths scatter as that.
        let short = Problem::new(noisy.model, sized(12.0, 20.0))
            .with_noise(Place::Node(0), Noise::White { intensity: 0.5 });
        let plan = Plan::new(short, step, 6).with_rows(2);
        assert_eq!(plan.scheme(), "theta");
        let paths = sized(200, 300);
        let found = run(&plan, 0..paths, 1, &mut ()).unwrap().points[0].rows[1].v.variance();
        let most = 4.5 * (2.0 / paths as f64).sqrt();
        assert!((found / (0.25 * sum) - 1.0).abs() < most, "{law:?}");
    }
}

/// Two masses, a bristle between them, another on the rail, and a stop: a path is the motion of the same scheme under its noise made
/// known, and what its contacts lose is the energy that the friction of that motion takes.
#[test]
fn paths_of_machines_are_motions_under_known_noise() {
    let limit = StribeckLimit::new(1.5, 1.0, 0.05, 2.0).unwrap();
    let network = Network::builder()
        .node("a", 1.0)
        .node("b", 0.5)
        .spring("a", "b", 20.0)
        .spring("a", "ground", 10.0)
        .slider("rail", "a", "ground", 0.0, 0.0)
        .slider("between", "a", "b", 0.0, 0.0)
        .slider("dry", "b", "ground", 0.3, 0.2)
        .force("a", Signal::harmonic(3.0, 2.0, 0.0))
        .build();
    let wall = [None, Some(Signal::constant(0.05))];
    let machine = network
        .and_then(Machine::new)
        .and_then(|m| m.with_memory("rail", Lugre::new(limit, 1e3, 5.0, 0.4)?, []))
        .and_then(|m| m.with_memory("between", Dahl::new(0.5, 200.0, 1.0)?, []))
        .and_then(|m| {
            m.with_stop("wall", ["b", "ground"], wall, Bumper::Rigid { restitution: 0.3 })
        })
        .unwrap();
    let problem = Problem::new(machine, 6.0)
        .with_noise(Place::Node(1), Noise::White { intensity: 0.4 })
        .with_noise(
            Place::Node(0),
            Noise::OrnsteinUhlenbeck { rate: 2.0, intensity: 3.0, scale: 1.0 },
        );
    let id = PathId { seed: 4, path: 2 };
    let step = 2e-3;
    let known = problem.known(id, step).unwrap();
    for (rule, scheme) in [
        (Rule::ImplicitEuler, Scheme::ImplicitEuler { step }),
        (Rule::Theta, Scheme::Theta { step, theta: 0.5 }),
    ] {
        let motion = solve(&known, &scheme).unwrap();
        let columns = motion.columns();
        let at = |name: &str| columns.iter().position(|c| c.name == name).unwrap();
        let (xa, vb) = (at("x_a"), at("v_b"));
        let mut row = vec![0.0; columns.len()];
        let (mut lost, mut met) = (0.0, 0.0f64);
        let inexact = walk(&problem, id, step, rule, |n, states, contacts| {
            motion.row(step * n as f64, &mut row);
            assert!((states[0].x - row[xa]).abs() < 1e-12, "{rule:?} {n}");
            assert!((states[1].v - row[vb]).abs() < 1e-9, "{rule:?} {n}");
            lost += contacts.iter().map(|c| c.lost).sum::<f64>();
            met = met.max(states[1].x);
        })
        .unwrap();
        assert_eq!(inexact, 0);
        let energy = motion.energy();
        // What a slider goes by rounding while it rests is left out of the losses of a path.
        assert!((lost / energy.friction - 1.0).abs() < 1e-6, "{lost} {energy:?}");
        assert!(met > 0.049, "{met}");
    }
}
