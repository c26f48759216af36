//! Planar models against cases of 13 to 16 digits that an independent program made in quadruple precision: every event, in
//! order, and the states at five times.

use serde_json::Value;
use std::f64::consts::FRAC_PI_2;
use stickslip::model::Planar;
use stickslip::scheme::{oscillator::adaptive::Options, planar};
use stickslip::{Law, Signal};

/// The cases of the family M13.
fn cases() -> Vec<Value> {
    let all = crate::common::machine_cases();
    let of = |c: &&Value| c["family"] == "M13";
    all["cases"].as_array().unwrap().iter().filter(of).cloned().collect()
}

fn number(case: &Value, key: &str, default: f64) -> f64 {
    case["parameters"][key].as_str().map_or(default, |t| t.parse().unwrap())
}

/// A model in the coding of the cases: A sin(w t + p) and the rotating force Fr (cos, sin)(wr t + pr).
fn coded(case: &Value) -> Planar {
    let of = |key: &str| number(case, key, 0.0);
    let fd = of("fd");
    let law = match of("va") {
        0.0 => Law::static_dynamic(of("fs"), fd).unwrap(),
        rate => {
            assert_eq!(of("fs"), of("fk"), "the law is continuous");
            Law::velocity_strengthening(of("fk"), fd, rate).unwrap()
        }
    };
    let rotating = |turn: f64| Signal::harmonic(of("Fr"), of("wr"), of("pr") - turn);
    let waves = |axis: &str| {
        let [a, w, p] = ["A", "w", "p"].map(|k| of(&format!("{k}{axis}")));
        Signal::harmonic(a, w, p - FRAC_PI_2)
    };
    let force = [
        Signal::constant(of("Fx")) + rotating(0.0) + waves("x"),
        Signal::constant(of("Fy")) + rotating(FRAC_PI_2) + waves("y"),
    ];
    Planar::new(of("m"), law)
        .with_stiffness([of("kx"), of("ky")])
        .with_ellipse([number(case, "ex", 1.0), number(case, "ey", 1.0)])
        .with_force(force)
        .starting_at([of("x0"), of("y0")], [of("vx0"), of("vy0")])
}

fn real(v: &Value) -> f64 {
    v.as_f64().unwrap()
}

#[test]
fn all_cases_of_the_plane_agree_to_nine_digits() {
    let cases = cases();
    assert_eq!(cases.len(), 7);
    for case in cases {
        let id = case["id"].as_str().unwrap();
        let model = coded(&case);
        let end = real(&case["T"]);
        let path = planar::solve(&model, end, Options::tolerance(1e-12)).unwrap();
        let events = case["events"].as_array().unwrap();
        let found: Vec<_> = path.events().iter().map(|e| (e.kind.name(), e.time)).collect();
        // A slip that the case starts with is no event here where the mass never rested.
        let expected: Vec<_> = events
            .iter()
            .map(|e| (e["kind"].as_str().unwrap(), real(&e["t"])))
            .filter(|e| !(e.0 == "slip" && e.1 == 0.0))
            .collect();
        assert_eq!(found.len(), expected.len(), "{id}: {found:?} {expected:?}");
        let mut worst = 0.0f64;
        for (f, e) in found.iter().zip(&expected) {
            assert_eq!(f.0, e.0, "{id} at {}", e.1);
            worst = worst.max((f.1 - e.1).abs());
        }
        let mut state = 0.0f64;
        for at in case["states"].as_array().unwrap() {
            let s = path.state(real(&at["t"]));
            let got = [s.x[0], s.x[1], s.v[0], s.v[1]];
            for (got, want) in got.iter().zip(at["values"].as_array().unwrap()) {
                state = state.max((got - real(want)).abs());
            }
        }
        let defect = path.energy().relative_defect();
        println!(
            "{id}: events {worst:.1e} states {state:.1e} energy {defect:.1e} steps {}",
            path.segments().iter().map(|s| s.arc.steps()).sum::<usize>()
        );
        assert!(
            worst < 1e-9 && state < 1e-9 && defect < 1e-11,
            "{id}: {worst:.1e} {state:.1e} {defect:.1e}"
        );
        assert!(path.warnings().is_empty(), "{id}: {:?}", path.warnings());
    }
}
