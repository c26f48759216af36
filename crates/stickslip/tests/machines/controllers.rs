//! Controllers against closed forms: integrals at a limit, ticks, delays, readings, feed-forward.

use stickslip::model::machine::{
    AntiWindup, ControlLaw, FeedForward, Gains, GearBetween, Quantity, Sampling, StateSpace,
};
use stickslip::model::{Machine, Network};
use stickslip::scheme::machine::{MachinePath, solve};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::{EventKind, Signal};

/// A mass of 1 kg at 0, moving at `v` (m/s), with friction between rest and slip of these forces (N), under a controller.
fn run(v: f64, friction: Option<[f64; 2]>, law: ControlLaw, end: f64) -> MachinePath {
    let mut b = Network::builder().unjoined().node("a", 1.0).starting_at("a", 0.0, v);
    if let Some([rest, slip]) = friction {
        b = b.slider("s", "a", "ground", rest, slip);
    }
    let machine = Machine::new(b.build().unwrap()).unwrap();
    let machine = machine.with_controller("c", ["a", "ground"], "a", law).unwrap();
    solve(&machine, end, Options::tolerance(1e-12).with_atol(1e-14)).unwrap()
}

fn pi(proportional: f64, integral: f64) -> ControlLaw {
    ControlLaw::pid(Gains { proportional, integral, ..Gains::default() })
}

/// What rests under a reference that sinks: u = e + ∫ e reaches its limit, is kept there while the integral can do it, and
/// leaves it when ė + e = 0, from where on u falls by −0.05 (t − 9)².
#[test]
fn a_clamped_integral_keeps_the_force_at_its_limit() {
    let law = pi(1.0, 1.0).following(Signal::ramp(-0.1, 1.0)).limited(1.5, AntiWindup::Clamp);
    let path = run(0.0, Some([9.0, 9.0]), law.clone(), 12.0);
    // 1 − 0.1 t + t − 0.05 t² = 1.5
    let reaches = (0.9 - (0.81f64 - 0.1).sqrt()) / 0.1;
    let u = |t: f64| path.state(t).u[0];
    let free = |t: f64| 1.0 + 0.9 * t - 0.05 * t * t;
    assert!((u(0.5) - free(0.5)).abs() < 1e-12);
    assert!(u(reaches - 1e-9) < 1.5 && u(reaches + 1e-9) == 1.5);
    assert_eq!(u(5.0), 1.5);
    // The integral goes with the error: q = 1.5 − e.
    let q = |t: f64| path.state(t).control.states()[0];
    assert!((q(5.0) - (1.5 - 0.5)).abs() < 1e-11, "{}", q(5.0));
    assert!((u(12.0) - (1.5 - 0.05 * 9.0)).abs() < 1e-11, "{}", u(12.0));
    // Without a clamp the integral goes on, and the force is at its limit for longer.
    let path = run(0.0, Some([9.0, 9.0]), law.limited(1.5, AntiWindup::None), 12.0);
    assert_eq!(path.state(12.0).u[0], 1.5);
    let whole = 12.0 - 0.05 * 144.0;
    assert!((path.state(12.0).control.states()[0] - whole).abs() < 1e-11);
}

/// Under a constant error the force stands beyond its limit, the integral stands still, and a reference that jumps to the
/// other side brings the force back at once.
#[test]
fn a_clamped_integral_stands_still() {
    let reference = Signal::step(4.0, 1.0, -1.0);
    let law = pi(1.0, 1.0).following(reference).limited(1.5, AntiWindup::Clamp);
    let path = run(0.0, Some([9.0, 9.0]), law, 6.0);
    assert!((path.state(3.9).control.states()[0] - 0.5).abs() < 1e-12);
    assert!((path.state(4.5).u[0] - (-1.0 + 0.5 - 0.5)).abs() < 1e-12);
    assert!((path.state(6.0).u[0] + 1.5).abs() < 1e-12);
}

/// Gains as a state space do the same.
#[test]
fn a_state_space_does_what_its_gains_do() {
    let states = StateSpace { a: vec![0.0], b: vec![1.0], c: vec![5.0], d: 7.0 };
    let reference = || Signal::constant(0.3);
    let one = run(0.0, Some([1.0, 0.6]), pi(7.0, 5.0).following(reference()), 20.0);
    let law = ControlLaw::state_space(states).following(reference());
    let other = run(0.0, Some([1.0, 0.6]), law, 20.0);
    assert!(one.events().len() > 10 && one.events().len() == other.events().len());
    for (a, b) in one.events().iter().zip(other.events()) {
        assert!(a.kind == b.kind && (a.time - b.time).abs() < 1e-9, "{a:?} {b:?}");
    }
}

/// m v̇ = P (r − v) of a controller of the velocity.
#[test]
fn velocity_is_controlled() {
    let law = pi(2.0, 0.0).measuring(Quantity::Velocity).following(Signal::constant(0.5));
    let path = run(0.0, None, law, 2.0);
    assert!((path.state(2.0).v[0] - 0.5 * (1.0 - (-4.0f64).exp())).abs() < 1e-12);
}

/// What is read at k·0.5 s acts 0.2 s later; without gains the force is the dither there.
#[test]
fn a_delay_need_not_end_at_a_tick() {
    let sampling = Sampling { time: 0.5, delay: 0.2, quantum: 0.0 };
    let law = pi(0.0, 0.0).dithered(Signal::ramp(1.0, 1.0)).sampled(sampling);
    let path = run(0.0, None, law, 2.0);
    // 0, then 1, 1.5, 2, 2.5 from 0.2, 0.7, 1.2, 1.7 s.
    let forces: Vec<f64> = [0.1, 0.3, 0.8, 1.3, 1.8].map(|t| path.state(t).u[0]).to_vec();
    assert_eq!(forces, [0.0, 1.0, 1.5, 2.0, 2.5]);
    let v = 0.5 * (1.0 + 1.5 + 2.0) + 0.3 * 2.5;
    assert!((path.state(2.0).v[0] - v).abs() < 1e-13);
}

/// A mass that slows at 1 m/s² rests at 1 s, which is a tick: it rests first, then the force changes and takes it away.
#[test]
fn an_event_comes_before_a_tick_at_its_instant() {
    let sampling = Sampling { time: 0.5, delay: 0.0, quantum: 0.0 };
    let law = pi(0.0, 0.0).dithered(Signal::step(0.9, 0.0, 2.0)).sampled(sampling);
    let path = run(1.0, Some([1.5, 1.0]), law, 2.0);
    let told: Vec<_> = path.events().iter().map(|e| (e.kind, e.time)).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!([told[0].0, told[1].0], [EventKind::Stick, EventKind::Slip]);
    assert!((told[0].1 - 1.0).abs() < 1e-15 && told[1].1 == 1.0, "{told:?}");
    assert!((path.state(2.0).v[0] - 1.0).abs() < 1e-14);
}

/// A delay beyond the run, however long, leaves the force at zero.
#[test]
fn a_delay_may_be_longer_than_the_run() {
    for delay in [10.0, 1e18, 1e300] {
        let sampling = Sampling { time: 1e-2, delay, quantum: 0.0 };
        let path = run(0.5, None, pi(3.0, 1.0).sampled(sampling), 0.1);
        assert_eq!([path.state(0.1).u[0], path.state(0.1).v[0]], [0.0, 0.5]);
    }
}

/// More ticks than any machine could keep are refused at once.
#[test]
fn too_many_ticks_are_refused() {
    let machine = Machine::new(Network::builder().unjoined().node("a", 1.0).build().unwrap());
    let sampling = Sampling { time: 1e-12, delay: 0.0, quantum: 0.0 };
    let machine = machine.unwrap();
    let law = pi(1.0, 0.0).sampled(sampling);
    let machine = machine.with_controller("fast", ["a", "ground"], "a", law).unwrap();
    let said = solve(&machine, 20.0, Options::default()).unwrap_err().to_string();
    assert!(said.contains("2e13 ticks") && said.contains("`fast`"), "{said}");
    assert!(machine.check_until(1e-6).is_ok());
}

/// What is measured is read in whole quanta.
#[test]
fn readings_are_quantised() {
    let sampling = Sampling { time: 1.0, delay: 0.0, quantum: 0.25 };
    let law = pi(-4.0, 0.0).sampled(sampling);
    // u = 4 x, x = 0.7 is read as 0.75 at 1 s: 3 N.
    let path = run(0.7, Some([9.0, 0.0]), law, 1.5);
    assert!((path.state(1.2).u[0] - 3.0).abs() < 1e-15, "{}", path.state(1.2).u[0]);
}

/// The sampled rule: sum with the present error, difference over a tick, and a sum that does not wind up.
#[test]
fn the_sampled_rule_is_that_of_the_guide() {
    let gains = Gains { proportional: 2.0, integral: 3.0, derivative: 0.5, filter: 0.0 };
    let sampling = Sampling { time: 0.5, delay: 0.0, quantum: 0.0 };
    let base = ControlLaw::pid(gains).following(Signal::ramp(1.0, 1.0)).sampled(sampling);
    // e = 1, 1.5, 2, …; u_k = 2 e + 1.5 Σ e + 0.5 (e_k − e_{k−1})/0.5, the first difference being 0.
    let u = |law: ControlLaw| {
        let path = run(0.0, Some([99.0, 99.0]), law, 3.0);
        [0.1, 0.6, 1.1, 1.6].map(|t| path.state(t).u[0])
    };
    assert_eq!(u(base.clone()), [3.5, 7.25, 11.25, 16.0]);
    assert_eq!(u(base.clone().limited(8.0, AntiWindup::None)), [3.5, 7.25, 8.0, 8.0]);
    // At the limit the sum stays 1.5·(1 + 1.5); the reference then sinks to where the force comes back.
    let sinks = Signal::sampled(&[0.0, 1.0, 1.5, 9.0], &[1.0, 2.0, -1.0, -1.0]).unwrap();
    let clamped = base.clone().following(sinks.clone()).limited(8.0, AntiWindup::Clamp);
    // At 1.5 s: e = −1: 2·(−1) + (3.75 − 1.5) + (−1 − 2) = −2.75, and with the sum that went on to 6.75 it is 0.25.
    assert_eq!(u(clamped), [3.5, 7.25, 8.0, -2.75]);
    let wound = base.following(sinks).limited(8.0, AntiWindup::None);
    assert_eq!(u(wound), [3.5, 7.25, 8.0, 0.25]);
}

/// sgn ṙ of r = sin t: a square wave, whose jumps are found exactly.
#[test]
fn feed_forward_turns_with_the_reference() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let reference = Signal::harmonic(1.0, 1.0, -quarter);
    let law = pi(0.0, 0.0).following(reference);
    let path = run(0.0, None, law.clone().feeding_forward(FeedForward::Sign { force: 0.7 }), 8.0);
    for (t, v) in [(quarter, 0.7 * quarter), (3.0 * quarter, -0.7 * quarter)] {
        assert!((path.state(t).v[0] - v).abs() < 1e-13, "{}", path.state(t).v[0]);
    }
    assert_eq!([path.state(1.5).u[0], path.state(1.6).u[0]], [0.7, -0.7]);
    let feed = FeedForward::Stribeck { breakaway: 1.0, dynamic: 0.6, velocity: 0.5, exponent: 2.0 };
    let path = run(0.0, None, law.feeding_forward(feed), 8.0);
    let at = |w: f64| w.signum() * (0.6 + 0.4 * (-(w / 0.5f64).powi(2)).exp());
    for t in [0.4, 1.5, 2.0, 5.0] {
        assert!((path.state(t).u[0] - at(f64::cos(t))).abs() < 1e-14);
    }
}

/// What a controller cannot be is said.
#[test]
fn wrong_controllers_are_refused() {
    let machine = || {
        let b = Network::builder().unjoined().node("a", 1.0).node("led", 1.0);
        let b = b.motion("led", Signal::constant(0.0));
        Machine::new(b.build().unwrap()).unwrap()
    };
    let told = |of: [&str; 2], on: &str, law: ControlLaw, what: &str| {
        let message = machine().with_controller("c", of, on, law).unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    };
    let ground = ["a", "ground"];
    told(["b", "ground"], "a", pi(1.0, 0.0), "no node `b`");
    told(["a", "a"], "a", pi(1.0, 0.0), "both of its ends");
    told(ground, "ground", pi(1.0, 0.0), "ground");
    told(ground, "led", pi(1.0, 0.0), "prescribed");
    told(ground, "a", pi(f64::NAN, 0.0), "proportional");
    told(ground, "a", pi(1.0, 0.0).limited(-1.0, AntiWindup::None), "limit");
    let sampling = Sampling { time: 0.0, delay: 0.0, quantum: 0.0 };
    told(ground, "a", pi(1.0, 0.0).sampled(sampling), "sample_time");
    let states = StateSpace { a: vec![], b: vec![1.0], c: vec![1.0], d: 0.0 };
    told(ground, "a", ControlLaw::state_space(states), "in B");
    let gain = ControlLaw::state_space(StateSpace { d: 1.0, ..StateSpace::default() });
    told(ground, "a", gain.limited(1.0, AntiWindup::Clamp), "clamp");
    let geared = || {
        let b = Network::builder().unjoined().node("a", 1.0).node("led", 1.0);
        let b = b.motion("led", Signal::constant(0.0)).build().unwrap();
        let gear = GearBetween { name: "g", between: ["a", "led"], ratio: 2.0, friction: None };
        Machine::geared(b, [gear]).unwrap()
    };
    let said = geared().with_controller("c", ground, "a", pi(1.0, 0.0)).unwrap_err().to_string();
    assert!(said.contains("gears join that node to `led`"), "{said}");
    let twice = machine().with_controller("c", ground, "a", pi(1.0, 0.0)).unwrap();
    let twice = twice.with_controller("c", ground, "a", pi(1.0, 0.0)).unwrap_err();
    assert!(twice.to_string().contains("name"), "{twice}");
}

/// Two modes that friction couples (Hoffmann, Fischer, Allgaier and Gaul 2002, §2): M ẍ + K x = 0 with the couplings k₁₂ − Δ and k₁₂ + Δ,
/// stated by a controller that measures one node and acts on the other. The couplings are not equal; the squares of the
/// angular frequencies, (k₁₁ + k₂₂)/2 ± √((k₁₁ − k₂₂)²/4 + k₁₂² − Δ²) at masses of 1, become complex where Δ exceeds its bound.
#[test]
fn couplings_that_are_not_equal_flutter_beyond_their_bound() {
    let [k1, k2, spring] = [10.0, 7.0, 1.0];
    let coupled = |delta: f64, end: f64| {
        let network = Network::builder()
            .node("a", 1.0)
            .node("b", 1.0)
            .starting_at("a", 1.0, 0.0)
            .starting_at("b", -0.4, 0.3)
            .spring("a", "ground", k1)
            .spring("b", "ground", k2)
            .spring("a", "b", spring)
            .build()
            .unwrap();
        let by = |proportional: f64| ControlLaw::pid(Gains { proportional, ..Gains::default() });
        let machine = Machine::new(network)
            .unwrap()
            .with_controller("ab", ["b", "ground"], "a", by(-delta))
            .unwrap()
            .with_controller("ba", ["a", "ground"], "b", by(delta))
            .unwrap();
        solve(&machine, end, Options::tolerance(1e-12).with_atol(1e-14)).unwrap()
    };
    // The spring between them adds to both diagonals, and couples with −1.
    let mean = 0.5 * (k1 + k2) + spring;
    let under = |delta: f64| 0.25 * (k1 - k2) * (k1 - k2) + spring * spring - delta * delta;
    let bound = (0.25 * (k1 - k2) * (k1 - k2) + spring * spring).sqrt();
    // Against the closed form x″ = −K x by its eigenvalues: with s = mean ± √under the state is cos and sin of √s t in both modes.
    for delta in [0.6, 0.999 * bound] {
        let root = under(delta).sqrt();
        let [s, r] = [mean + root, mean - root];
        let path = coupled(delta, 40.0);
        // x = p + q with K p = s p, K q = r q: p = (K − r) x/(s − r).
        let k = |x: [f64; 2]| {
            let [a, b] = [k1 + spring, k2 + spring];
            [a * x[0] - (spring + delta) * x[1], (delta - spring) * x[0] + b * x[1]]
        };
        let part = |x: [f64; 2], other: f64, own: f64| {
            let kx = k(x);
            [0, 1].map(|i| (kx[i] - other * x[i]) / (own - other))
        };
        for t in [3.0, 17.0, 40.0] {
            let state = path.state(t);
            for i in 0..2 {
                let of = |own: f64, other: f64| {
                    let w = own.sqrt();
                    let x = part([1.0, -0.4], other, own)[i];
                    let v = part([0.0, 0.3], other, own)[i];
                    x * (w * t).cos() + v / w * (w * t).sin()
                };
                let x = of(s, r) + of(r, s);
                assert!((state.x[i] - x).abs() < 1e-8, "{delta} {t}: {} {x}", state.x[i]);
            }
        }
    }
    // Beyond the bound one pair grows by exp(σ t): (σ + iω)² = −mean + i √−under.
    let delta = 1.1 * bound;
    let coupling = (-under(delta)).sqrt();
    let growth = (0.5 * (mean.hypot(coupling) - mean)).sqrt();
    let path = coupled(delta, 20.0);
    // All four roots are ±σ ± iω: a number of the state is e^σt A + e^−σt B with A and B of the period 2π/ω, and of three values one
    // period apart the outer two are together 2 cosh(2πσ/ω) times the middle one.
    let period = std::f64::consts::TAU / (0.5 * (mean.hypot(coupling) + mean)).sqrt();
    for start in [0.3, 2.0, 11.0] {
        let [a, b, c] = [0.0, 1.0, 2.0].map(|n| path.state(start + n * period));
        for i in 0..2 {
            let measured = (a.x[i] + c.x[i]) / (2.0 * b.x[i]);
            let wanted = (growth * period).cosh();
            assert!((measured / wanted - 1.0).abs() < 1e-9, "{start}: {measured} {wanted}");
        }
    }
    assert!((path.energy().relative_defect()) < 1e-9);
}
