//! Sliders with memory in networks, against the scheme for one contact with memory, which is another one, and by what is kept.

use std::f64::consts::FRAC_PI_2;
use stickslip::law::memory::{
    BoucWen, Dahl, ElastoPlastic, Lugre, MaxwellSlip, Memory, Shape, StribeckLimit,
};
use stickslip::model::hysteretic::{Body, Hysteretic};
use stickslip::model::{Bumper, Machine, Network};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::{machine, memory};
use stickslip::{EventKind, Problem, Scheme, Signal, solve};

fn laws() -> [Memory; 4] {
    let limit = StribeckLimit::new(1.5, 1.0, 0.05, 2.0).unwrap();
    let shape = Shape { a: 1.0, beta: 20.0, gamma: 10.0, exponent: 1.0 };
    [
        Dahl::new(1.0, 150.0, 1.0).unwrap().into(),
        Lugre::new(limit, 1e3, 5.0, 0.4).unwrap().into(),
        BoucWen::new(40.0, 0.0, shape).unwrap().into(),
        ElastoPlastic::new(limit, 1e3, 5.0, 0.4, 0.7e-3).unwrap().into(),
    ]
}

/// A mass on a spring of 25 N/m, pulled and shaken, on a surface that moves under a normal force that varies.
#[test]
fn one_mass_moves_as_an_oscillator_whose_contact_has_memory() {
    let tight = Options::tolerance(1e-11);
    let force = Signal::harmonic(2.0, 3.0, 0.0);
    let support = Signal::harmonic(0.1, 0.7, FRAC_PI_2);
    let normal = Signal::constant(1.0) + Signal::harmonic(0.3, 1.1, 0.0);
    for law in laws() {
        let body = Body { force: force.clone(), support: support.clone(), ..Body::new(1.0, 25.0) };
        let one =
            Hysteretic::carrying(law.clone(), body).with_normal(normal.clone()).remembering([1e-4]);
        let wanted = memory::solve(&one, 12.0, tight).unwrap();
        let network = Network::builder()
            .node("mass", 1.0)
            .spring("mass", "ground", 25.0)
            .slider("rail", "mass", "ground", 0.0, 0.0)
            .normal(normal.clone())
            .force("mass", force.clone())
            .build()
            .unwrap();
        let rail = Machine::new(network).unwrap().with_memory("rail", law.clone(), 1e-4).unwrap();
        let rail = rail.with_support("rail", support.clone()).unwrap();
        let found = machine::solve(&rail, 12.0, tight).unwrap();
        let mut off = [0.0f64; 3];
        for k in 0..=200 {
            let t = 0.06 * f64::from(k);
            let (a, b) = (wanted.state(t), found.state(t));
            let all = [a.x - b.x[0], a.z[0] - b.bristles[0], a.friction - b.friction[0]];
            off.iter_mut().zip(all).for_each(|(m, d)| *m = m.max(d.abs()));
        }
        assert!(off[0] < 1e-8 && off[1] < 1e-8 && off[2] < 1e-5, "{law:?}: {off:?}");
        assert!(found.energy().relative_defect() < 1e-9, "{:?}", found.energy());
        // What turns there turns here.
        let turns: Vec<f64> = wanted
            .events()
            .iter()
            .filter(|e| matches!(e.kind, EventKind::Reversal | EventKind::Stick))
            .map(|e| e.time)
            .collect();
        let here: Vec<f64> = found.events().iter().map(|e| e.time).collect();
        assert!(here.len() >= 5 && found.events().iter().all(|e| e.kind == EventKind::Reversal));
        for t in &turns {
            assert!(here.iter().any(|h| (h - t).abs() < 1e-6), "{law:?}: {t} in {here:?}");
        }
    }
}

/// Nothing outside pulls at two masses that rub on each other: their momentum stays, and the energies close.
#[test]
fn masses_that_rub_on_each_other_keep_their_momentum() {
    for law in laws() {
        let network = Network::builder()
            .node("a", 1.0)
            .starting_at("a", 0.0, 1.0)
            .node("b", 3.0)
            .slider("between", "a", "b", 0.0, 0.0)
            .build()
            .unwrap();
        let pair = Machine::new(network).unwrap().with_memory("between", law, 0.0).unwrap();
        let path = machine::solve(&pair, 20.0, Options::tolerance(1e-11)).unwrap();
        let v = path.state(20.0).v;
        assert!((v[0] + 3.0 * v[1] - 1.0).abs() < 1e-10, "{v:?}");
        assert!(path.energy().relative_defect() < 1e-9, "{:?}", path.energy());
    }
}

/// A bristle with damping settles: its last, ever smaller turns are not told for ever, and it bears the load.
#[test]
fn a_bristle_settles_under_its_load() {
    let [_, lugre, ..] = laws();
    let network = Network::builder()
        .node("mass", 1.0)
        .starting_at("mass", 0.0, 0.5)
        .slider("rail", "mass", "ground", 0.0, 0.0)
        .force("mass", Signal::constant(0.3))
        .build()
        .unwrap();
    let rail = Machine::new(network).unwrap().with_memory("rail", lugre, 0.0).unwrap();
    let solution =
        solve(&Problem::new(rail, 200.0), &Scheme::Adaptive(Options::default())).unwrap();
    let state = solution.machine().unwrap().state(200.0);
    assert!((state.friction[0] + 0.3).abs() < 1e-8 && state.v[0].abs() < 1e-8, "{state:?}");
    assert!(solution.events.len() < 300, "{}", solution.events.len());
    let z = solution.columns().iter().position(|c| c.name == "z_rail").unwrap();
    let mut row = vec![0.0; solution.columns().len()];
    solution.row(200.0, &mut row);
    assert!((row[z] - 0.3e-3).abs() < 1e-10, "{row:?}");
}

/// A mass on a bristle bounces between rigid stops: the energies close over the impacts.
#[test]
fn a_mass_on_a_bristle_bounces() {
    let [dahl, ..] = laws();
    let network = Network::builder()
        .node("mass", 1.0)
        .starting_at("mass", 0.0, 2.0)
        .slider("rail", "mass", "ground", 0.0, 0.0)
        .build()
        .unwrap();
    let bounds = [Some(Signal::constant(-0.1)), Some(Signal::constant(0.1))];
    let rail = Machine::new(network).unwrap().with_memory("rail", dahl, 0.0).unwrap();
    let rail = rail
        .with_stop("ends", ["mass", "ground"], bounds, Bumper::Rigid { restitution: 0.8 })
        .unwrap();
    let path = machine::solve(&rail, 3.0, Options::tolerance(1e-11)).unwrap();
    let impacts = path.events().iter().filter(|e| e.kind == EventKind::Impact).count();
    assert!(impacts >= 3, "{impacts}");
    assert!(path.energy().relative_defect() < 1e-9, "{:?}", path.energy());
}

#[test]
fn laws_that_a_slider_does_not_keep_are_refused() {
    let network = Network::builder().node("mass", 1.0).slider("rail", "mass", "ground", 0.0, 0.0);
    let rail = Machine::new(network.build().unwrap()).unwrap();
    let limit = StribeckLimit::new(1.0, 1.0, 0.05, 2.0).unwrap();
    let maxwell = MaxwellSlip::new(limit, vec![1e3], vec![1.0], 1.0, 0.0);
    if let Ok(law) = maxwell {
        let said = rail.clone().with_memory("rail", law, 0.0).unwrap_err().to_string();
        assert!(said.contains("dahl, lugre, elasto-plastic and bouc-wen"), "{said}");
    }
    let dahl = Dahl::new(1.0, 150.0, 1.0).unwrap();
    let said = rail.with_memory("rail", dahl, 1.0).unwrap_err().to_string();
    assert!(said.contains("bristle"), "{said}");
}
