//! What `exact` is of machines beyond the references and the random machines: stiff parts, what it refuses, and when it is chosen.

use stickslip::model::machine::{ControlLaw, Curve, Gains};
use stickslip::model::{Bumper, Machine, Model, Network};
use stickslip::scheme::machine::exact;
use stickslip::solution::Choice;
use stickslip::{Error, EventKind, Law, Scheme, Signal};

/// A mass that a force of 1 N pulls against a dashpot so strong that its velocity is there within 10⁻⁷ s: m v̇ = F − c v from
/// rest, x = F/c (t − T (1 − exp(−t/T))), T = m/c, over 10⁸ T.
#[test]
fn what_has_died_out_does_not_shorten_steps() {
    let (mass, damping) = (1.0, 1e7);
    let network = Network::builder()
        .unjoined()
        .node("mass", mass)
        .dashpot("mass", "ground", damping)
        .force("mass", Signal::constant(1.0))
        .build()
        .unwrap();
    let stop = [None, Some(Signal::constant(1.0))];
    let rigid = Bumper::Rigid { restitution: 0.5 };
    let machine = Machine::new(network).unwrap();
    let machine = machine.with_stop("far", ["mass", "ground"], stop, rigid).unwrap();
    let path = exact(&machine, 10.0).unwrap();
    let lag = mass / damping;
    for t in [1e-8, 1e-7, 1e-6, 1e-3, 1.0, 10.0] {
        let x = (t + lag * (-t / lag).exp_m1()) / damping;
        let v = -(-t / lag).exp_m1() / damping;
        let state = path.state(t);
        assert!((state.x[0] - x).abs() < 1e-14 * (t + lag) / damping, "{t}: {} {x}", state.x[0]);
        assert!((state.v[0] - v).abs() < 1e-14 / damping, "{t}: {} {v}", state.v[0]);
    }
    // 0.14 T of the beginning would be 7·10⁸ steps.
    let steps: usize = path.segments().iter().map(|s| s.arc.steps()).sum();
    assert!(steps < 300, "{steps}");
}

/// A ball that falls on a floor at rest, or on one that rises or sinks as the ball does in addition: with the restitution e the impacts come at t_k = t₀ (1 + 2 (e + … + e^k)),
/// t₀ = √(2 h/g), and it rests from t₀ (1 + e)/(1 − e) on.
#[test]
fn bounces_come_when_they_should_and_end_in_rest() {
    [0.0, 0.3, -0.7].into_iter().for_each(bounces);
}

/// On a floor that moves at `floor` (m/s).
fn bounces(floor: f64) {
    let e: f64 = 0.7;
    let network = Network::builder()
        .unjoined()
        .node("ball", 2.0)
        .starting_at("ball", 1.0, floor)
        .force("ball", Signal::constant(-2.0 * 9.81))
        .build()
        .unwrap();
    let bounds = [Some(Signal::ramp(floor, 0.0)), None];
    let rigid = Bumper::Rigid { restitution: e };
    let machine = Machine::new(network).unwrap();
    let machine = machine.with_stop("floor", ["ball", "ground"], bounds, rigid).unwrap();
    let path = exact(&machine, 5.0).unwrap();
    let first = (2.0f64 / 9.81).sqrt();
    let impacts: Vec<f64> =
        path.events().iter().filter(|e| e.kind == EventKind::Impact).map(|e| e.time).collect();
    assert!(impacts.len() > 35, "{}", impacts.len());
    let mut at = first;
    for (k, time) in impacts.iter().enumerate() {
        assert!((time - at).abs() < 1e-13, "{floor}: impact {k} at {time} instead of {at}");
        at += 2.0 * first * e.powi(k as i32 + 1);
    }
    let rests = first * (1.0 + e) / (1.0 - e);
    let [after, state] = [rests + 1e-6, 5.0].map(|t| path.state(t));
    assert!((after.v[0] - floor).abs() < 1e-15 && (state.v[0] - floor).abs() < 1e-15);
    assert!((state.x[0] - 5.0 * floor).abs() < 1e-14, "{floor}: {}", state.x[0]);
}

/// What it cannot go on from on the way has its name, not that of `adaptive`, whose loop it shares.
#[test]
fn its_errors_have_its_name() {
    let network = Network::builder().unjoined().node("ball", 1.0).starting_at("ball", 0.1, 0.0);
    let machine = Machine::new(network.build().unwrap()).unwrap();
    // The floor is suddenly above the ball.
    let jumps = [Some(Signal::step(1.0, 0.0, 0.5)), None];
    let rigid = Bumper::Rigid { restitution: 0.5 };
    let machine = machine.with_stop("floor", ["ball", "ground"], jumps, rigid).unwrap();
    let error = exact(&machine, 2.0).unwrap_err();
    assert!(matches!(error, Error::Unsuitable { scheme: "exact", .. }), "{error}");
}

fn slider(law: Law) -> Machine {
    let network = Network::builder()
        .unjoined()
        .node("cart", 1.0)
        .spring("cart", "ground", 10.0)
        .slider("pad", "cart", "ground", 1.0, 1.0)
        .force("cart", Signal::harmonic(3.0, 2.0, 0.0))
        .build()
        .unwrap();
    let gains = Gains { proportional: 4.0, integral: 1.0, derivative: 0.5, filter: 0.01 };
    let machine = Machine::new(network).unwrap().with_law("pad", law).unwrap();
    machine.with_controller("pid", ["cart", "ground"], "cart", ControlLaw::pid(gains)).unwrap()
}

/// It treats machines whose parts are linear between events, and names the part that is not.
#[test]
fn it_treats_what_is_linear_between_events() {
    let because = |machine: &Machine| {
        let choice: Choice = Scheme::suited_to(&Model::from(machine.clone()), None).unwrap();
        assert_eq!(choice.scheme.name(), "adaptive");
        choice.because
    };
    let linear = slider(Law::static_dynamic(1.0, 0.8).unwrap());
    assert_eq!(because(&linear), None);
    let falling = slider(Law::stribeck_exponential(1.0, 0.8, 0.1, 1.0, 0.0).unwrap());
    assert!(because(&falling).unwrap().contains("depends on the speed"));
    let bends = Curve::Sine { amplitude: 1.0, wave_number: 1.0 };
    let pendulum = linear.clone().with_spring(["cart", "ground"], bends).unwrap();
    assert!(because(&pendulum).unwrap().contains("a spring"));
    // A power of nothing does not bend, and neither does play.
    let straight = Curve::Powers(vec![2.0, 0.0]).with_play([-0.1, 0.1]);
    let play = linear.clone().with_spring(["cart", "ground"], straight).unwrap();
    assert_eq!(because(&play), None);
    for machine in [falling, pendulum] {
        let error = exact(&machine, 1.0).unwrap_err();
        assert!(matches!(error, Error::Unsuitable { scheme: "exact", .. }), "{error}");
    }
    for machine in [linear, play] {
        assert!(exact(&machine, 1.0).is_ok());
    }
}
