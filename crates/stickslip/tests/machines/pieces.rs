//! What is made of pieces, and what is pressed by a force of the machine itself, against closed forms.

use stickslip::model::machine::Curve;
use stickslip::model::{Bumper, Machine, Network, NetworkBuilder};
use stickslip::scheme::{machine, oscillator::adaptive::Options};
use stickslip::{Error, EventKind, Law, Signal};

fn sharp() -> Options {
    Options::tolerance(1e-12)
}

/// A shoe of 1 kg on a spring of 4 N/m, and a block of 2 kg that a slider with the coefficient `mu` brakes.
fn brake(block: [f64; 2], mu: f64, load: f64) -> Machine {
    let network = Network::builder()
        .unjoined()
        .node("shoe", 1.0)
        .starting_at("shoe", 0.5, 0.0)
        .node("block", 2.0)
        .starting_at("block", block[0], block[1])
        .slider("pad", "block", "ground", 0.0, 0.0)
        .force("block", Signal::constant(load))
        .build()
        .unwrap();
    Machine::new(network)
        .unwrap()
        .with_law("pad", Law::coulomb(mu).unwrap())
        .unwrap()
        .with_named_spring("spring", ["shoe", "ground"], Curve::Powers(vec![4.0]))
        .unwrap()
}

/// The shoe swings, x = cos(2t)/2: it presses with 2 cos 2t where that is positive, and the block loses μ/m ∫ N dt.
#[test]
fn a_spring_presses_while_it_pulls() {
    for factor in [1.0, -1.0] {
        let machine = brake([0.0, 5.0], 0.3, 0.0).pressed_by_spring("pad", "spring", factor);
        let path = machine::solve(&machine.unwrap(), 13.0, sharp()).unwrap();
        // ∫ max(0, ± 2 cos 2s) ds = the sum of full half-waves, each of 2, and what the last one has so far.
        let impulse = |t: f64| -> f64 {
            let steps = 200_000;
            let h = t / f64::from(steps);
            let force = |s: f64| (factor * 2.0 * (2.0 * s).cos()).max(0.0);
            (0..steps).map(|i| h * force(h * (f64::from(i) + 0.5))).sum()
        };
        let quarter = std::f64::consts::FRAC_PI_4;
        // By the closed form: after whole half-waves nothing has to be integrated.
        for k in 1..5 {
            let t = quarter * f64::from(4 * k);
            let path_v = path.state(t).v[1];
            assert!((path_v - (5.0 - 0.15 * 2.0 * f64::from(k))).abs() < 1e-11, "{factor} {k}");
        }
        for t in [0.5, 1.9, 3.3, 6.1] {
            assert!(
                (path.state(t).v[1] - (5.0 - 0.15 * impulse(t))).abs() < 1e-8,
                "{factor} at {t}"
            );
        }
        assert!(path.events().is_empty(), "{:?}", path.events());
        assert!(path.energy().relative_defect() < 1e-11);
    }
}

/// The block rests under a load of 0.4 N until μ · 2 cos 2t falls to it.
#[test]
fn what_is_pressed_less_gives_way() {
    let machine = brake([0.0, 0.0], 0.3, 0.4).pressed_by_spring("pad", "spring", 1.0).unwrap();
    let path = machine::solve(&machine, 1.2, sharp()).unwrap();
    let slips = 0.5 * (0.4f64 / 0.6).acos();
    let first = &path.events()[0];
    assert_eq!((first.kind, path.events().len()), (EventKind::Slip, 1));
    assert!((first.time - slips).abs() < 1e-12, "{}", first.time - slips);
    // 2 v' = 0.4 − 0.6 cos 2t until the shoe lifts off at π/4, then 2 v' = 0.4.
    let off = std::f64::consts::FRAC_PI_4;
    let pressed = |t: f64| 0.2 * (t - slips) - 0.15 * ((2.0 * t).sin() - (2.0 * slips).sin());
    assert!((path.state(0.7).v[1] - pressed(0.7)).abs() < 1e-12);
    assert!((path.state(1.2).v[1] - (pressed(off) + 0.2 * (1.2 - off))).abs() < 1e-12);
    assert_eq!(path.state(1.0).friction[0], 0.0);
}

/// The normal force of the slider's own signal adds to that of the spring.
#[test]
fn a_signal_and_a_spring_press_together() {
    let network = Network::builder()
        .unjoined()
        .node("shoe", 1.0)
        .starting_at("shoe", 0.5, 0.0)
        .node("block", 2.0)
        .starting_at("block", 0.0, 5.0)
        .slider("pad", "block", "ground", 0.0, 0.0)
        .normal(Signal::constant(1.0))
        .build()
        .unwrap();
    let machine = Machine::new(network)
        .unwrap()
        .with_law("pad", Law::coulomb(0.3).unwrap())
        .unwrap()
        .with_named_spring("spring", ["shoe", "ground"], Curve::Powers(vec![4.0]))
        .unwrap()
        .pressed_by_spring("pad", "spring", 1.0)
        .unwrap();
    let path = machine::solve(&machine, 3.0, sharp()).unwrap();
    // N = max(0, 1 + 2 cos 2t) vanishes from 2t = 2π/3 to 4π/3; ∫ N = t + sin 2t.
    let third = std::f64::consts::PI / 3.0;
    let lost = third + (2.0 * third).sin();
    let after = |t: f64| t - 2.0 * third + (2.0 * t).sin() - (4.0 * third).sin();
    assert!((path.state(1.5).v[1] - (5.0 - 0.15 * lost)).abs() < 1e-11);
    assert!((path.state(3.0).v[1] - (5.0 - 0.15 * (lost + after(3.0)))).abs() < 1e-11);
}

/// A wagon hits a buffer and leaves it at v₁: the slider that the buffer presses takes μ times the wagon's momentum M (v₀ + v₁).
#[test]
fn a_buffer_presses_while_it_pushes() {
    let [k, c, m, v0] = [40.0, 3.0, 1.5, 2.0];
    let network = Network::builder()
        .unjoined()
        .node("wagon", m)
        .starting_at("wagon", -1.0, v0)
        .node("block", 2.0)
        .starting_at("block", 0.0, 9.0)
        .slider("pad", "block", "ground", 0.0, 0.0)
        .build()
        .unwrap();
    let machine = Machine::new(network)
        .unwrap()
        .with_law("pad", Law::coulomb(0.4).unwrap())
        .unwrap()
        .with_stop(
            "buffer",
            ["wagon", "ground"],
            [None, Some(Signal::constant(0.0))],
            Bumper::Soft { stiffness: k, damping: c },
        )
        .unwrap()
        .pressed_by_stop("pad", "buffer", 2.0)
        .unwrap();
    let path = machine::solve(&machine, 3.0, sharp()).unwrap();
    let d = 0.5 * c / m;
    let w = (k / m - d * d).sqrt();
    // k p + c p' = 0: tan(ω t₁) = −c ω/(k − c d)
    let t1 = (std::f64::consts::PI - (c * w / (k - c * d)).atan()) / w;
    let v1 = v0 * (-d * t1).exp() * ((w * t1).cos() - d / w * (w * t1).sin());
    let momentum = m * (v0 - v1);
    assert!((path.state(3.0).v[0] - v1).abs() < 1e-11);
    assert!((path.state(3.0).v[1] - (9.0 - 0.4 * 2.0 * momentum / 2.0)).abs() < 1e-11);
    // At the touch the push jumps to c v₀.
    assert!((path.state(0.5).friction[0] + 0.4 * 2.0 * c * v0).abs() < 1e-9);
    assert!(path.energy().relative_defect() < 1e-11);
}

#[test]
fn what_cannot_press_is_refused() {
    let machine = brake([0.0, 0.0], 0.3, 0.4);
    let told = |made: Result<Machine, Error>, what: &str| {
        let message = made.unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    };
    told(machine.clone().pressed_by_spring("pad", "sprung", 1.0), "no spring of the name `sprung`");
    told(machine.clone().pressed_by_spring("pad", "spring", 0.0), "factor is 0");
    told(machine.clone().pressed_by_stop("pad", "wall", 1.0), "no stop of the name");
    let bounds = [None, Some(Signal::constant(2.0))];
    let rigid = Bumper::Rigid { restitution: 0.5 };
    let machine = machine.with_stop("wall", ["block", "ground"], bounds, rigid).unwrap();
    told(machine.pressed_by_stop("pad", "wall", 1.0), "is rigid");
}

fn pair() -> NetworkBuilder {
    Network::builder()
        .unjoined()
        .node("a", 1.0)
        .starting_at("a", 0.05, 1.0)
        .node("b", 2.0)
        .force("b", Signal::harmonic(1.5, 1.3, 0.2))
        .spring("b", "ground", 2.0)
        .slider("rail", "a", "ground", 0.3, 0.2)
}

/// A spring with play, the same as a table, and as a soft stop with two bounds.
#[test]
fn play_is_a_soft_stop_with_two_bounds() {
    let ends = ["a", "b"];
    let machine = || Machine::new(pair().build().unwrap()).unwrap();
    let play = Curve::Powers(vec![30.0]).with_play([-0.1, 0.2]);
    let table = Curve::table(&[-1.1, -0.1, 0.2, 0.3], &[-30.0, 0.0, 0.0, 3.0]).unwrap();
    let bounds = [Some(Signal::constant(-0.1)), Some(Signal::constant(0.2))];
    let soft = Bumper::Soft { stiffness: 30.0, damping: 0.0 };
    let stop = machine().with_stop("gap", ends, bounds, soft).unwrap();
    let [stop, play, table] = [
        stop,
        machine().with_spring(ends, play).unwrap(),
        machine().with_spring(ends, table).unwrap(),
    ]
    .map(|m| machine::solve(&m, 12.0, sharp()).unwrap());
    let slider =
        |kind: EventKind| matches!(kind, EventKind::Slip | EventKind::Stick | EventKind::Reversal);
    let of = |path: &machine::MachinePath| -> Vec<(EventKind, f64)> {
        path.events().iter().filter(|e| slider(e.kind)).map(|e| (e.kind, e.time)).collect()
    };
    assert!(of(&stop).len() > 6 && stop.events().len() > of(&stop).len() + 8);
    for path in [play, table] {
        assert_eq!(path.events().len(), of(&stop).len());
        for (a, b) in of(&path).iter().zip(of(&stop)) {
            assert_eq!(a.0, b.0);
            assert!((a.1 - b.1).abs() < 1e-9, "{a:?} {b:?}");
        }
        let [a, b] = [path.state(12.0), stop.state(12.0)];
        for i in 0..2 {
            assert!((a.x[i] - b.x[i]).abs() + (a.v[i] - b.v[i]).abs() < 1e-9);
        }
        assert!(path.energy().relative_defect() < 1e-10);
    }
}

/// A mass that flies freely through the play and turns at either end: its period is 2 (π/ω + (b − a)/v).
#[test]
fn a_mass_in_play_has_the_period_of_its_flights_and_turns() {
    let network = Network::builder().unjoined().node("a", 2.0).starting_at("a", 0.0, 1.5).build();
    let play = Curve::Powers(vec![18.0]).with_play([-0.2, 0.5]);
    let machine =
        Machine::new(network.unwrap()).unwrap().with_spring(["a", "ground"], play).unwrap();
    let period = 2.0 * (std::f64::consts::PI / 3.0 + 0.7 / 1.5);
    let path = machine::solve(&machine, 10.0 * period, sharp()).unwrap();
    for n in 1..=10 {
        let state = path.state(f64::from(n) * period);
        assert!(state.x[0].abs() < 1e-10 && (state.v[0] - 1.5).abs() < 1e-10, "{n} {state:?}");
    }
    // Half a turn beyond the upper end it is farthest.
    let top = 0.5 / 1.5 + std::f64::consts::PI / 6.0;
    assert!((path.state(top).x[0] - 1.0).abs() < 1e-11);
}

/// A spring whose stiffness changes at z₁, by a table: the way from the middle to the turning point in closed form.
#[test]
fn a_table_has_a_kink_where_its_stiffness_changes() {
    let [m, k1, k2, z1, v0] = [1.0, 4.0, 25.0, 0.3, 1.0f64];
    let network = Network::builder().unjoined().node("a", m).starting_at("a", 0.0, v0).build();
    let table =
        Curve::table(&[-1.0, 0.0, z1, 1.0], &[-k1, 0.0, k1 * z1, k1 * z1 + k2 * (1.0 - z1)]);
    let machine = Machine::new(network.unwrap())
        .unwrap()
        .with_spring(["a", "ground"], table.unwrap())
        .unwrap();
    let path = machine::solve(&machine, 8.0, sharp()).unwrap();
    let [w1, w2] = [k1.sqrt(), k2.sqrt()];
    // z = v₀/ω₁ sin ω₁t up to z₁, which it passes at v₁; then about z₁ − k₁ z₁/k₂ with ω₂.
    let t1 = (z1 * w1 / v0).asin() / w1;
    let v1 = v0 * (w1 * t1).cos();
    let shift = k1 * z1 / k2;
    let turn = (v1 / (w2 * shift)).atan() / w2;
    let most = z1 - shift + shift.hypot(v1 / w2);
    let top = path.state(t1 + turn);
    assert!((top.x[0] - most).abs() < 1e-12 && top.v[0].abs() < 1e-11, "{top:?}");
    // Back, and half a swing on the other side.
    let period = 2.0 * (t1 + turn) + std::f64::consts::PI / w1;
    let after = path.state(2.0 * period);
    assert!(after.x[0].abs() < 1e-11 && (after.v[0] - v0).abs() < 1e-11, "{after:?}");
    assert!(path.energy().relative_defect() < 1e-12);
}

/// What rests at the very end of its play stays there; a force that grows from zero moves it, whichever way that is.
#[test]
fn what_stands_at_the_end_of_its_play_goes_either_way() {
    for sign in [1.0, -1.0] {
        let network = Network::builder()
            .unjoined()
            .node("a", 1.0)
            .starting_at("a", 0.1, 0.0)
            .force("a", Signal::ramp(6.0 * sign, 0.0))
            .build()
            .unwrap();
        let play = Curve::Powers(vec![9.0]).with_play([-5.0, 0.1]);
        let machine = Machine::new(network).unwrap().with_spring(["a", "ground"], play).unwrap();
        let path = machine::solve(&machine, 1.0, sharp()).unwrap();
        // Freely t³; against the spring 6/9 (t − sin 3t/3).
        let moved = if sign > 0.0 { 6.0 / 9.0 * (1.0 - 3f64.sin() / 3.0) } else { -1.0 };
        assert!((path.state(1.0).x[0] - 0.1 - moved).abs() < 1e-11, "{sign}");
    }
    let network = Network::builder()
        .unjoined()
        .node("a", 1.0)
        .starting_at("a", 0.1, 0.0)
        .slider("rail", "a", "ground", 1.0, 0.5)
        .build()
        .unwrap();
    let play = Curve::Powers(vec![9.0]).with_play([-5.0, 0.1]);
    let machine = Machine::new(network).unwrap().with_spring(["a", "ground"], play).unwrap();
    let path = machine::solve(&machine, 5.0, sharp()).unwrap();
    assert_eq!((path.state(5.0).x[0], path.events().len()), (0.1, 0));
}
