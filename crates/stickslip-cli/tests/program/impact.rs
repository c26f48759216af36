//! `[impact]` model files.

use super::sandbox::{Sandbox, columns, numbers};
use std::path::Path;

const BALL: &str = r#"[impact]
mass = 2.0
stiffness = 0.0
damping = 0.0
wall = 0.0
restitution = 0.9

[[impact.force]]
constant = -19.62

[impact.initial]
displacement = 1.0
velocity = 0.0

[impact.penalty]
stiffness = 1e9
lambda = 1e-9

[run]
end = 10.0
scheme = "exact"
step = 0.001
rows = 501
"#;

/// √(2/g) (1 + e)/(1 − e), the accumulation time of the bounces.
fn rest() -> f64 {
    (2.0f64 / 9.81).sqrt() * 1.9 / 0.1
}

fn ball() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("model.toml", BALL);
    sandbox
}

#[test]
fn a_ball_comes_to_rest_at_the_accumulation_time() {
    let sandbox = ball();
    sandbox.run(&["simulate", "model.toml", "--out", "r"]).done();
    let events = sandbox.read("r/events.csv");
    assert!(events.starts_with("event,t,where,x,v,impulse\nimpact,"), "{events}");
    let (names, t, v) = (&columns(&events)[0].1, numbers(&events, "t"), numbers(&events, "v"));
    assert!((t[0] - (2.0f64 / 9.81).sqrt()).abs() < 1e-15);
    assert!((v[0] - 0.9 * (2.0f64 * 9.81).sqrt()).abs() < 1e-14);
    assert_eq!(names.last().unwrap(), "rest");
    assert!((t.last().unwrap() - rest()).abs() < 1e-13);

    let rows = sandbox.read("r/trajectory.csv");
    assert!(rows.starts_with("t,x,v,impulse\n0.0,1.0,0.0,0.0\n"), "{rows}");
    // From rest to rest: the impulses carry the weight for 10 s.
    let impulse: f64 = numbers(&rows, "impulse").iter().sum();
    assert!((impulse - 196.2).abs() < 1e-11, "{impulse}");
    assert_eq!(numbers(&rows, "t").len(), 501);
    let summary: serde_json::Value = serde_json::from_str(&sandbox.read("r/summary.json")).unwrap();
    assert_eq!(summary["scheme"], "exact");
    assert_eq!(summary["end_state"]["phase"], "lower");
    assert!(summary["energy"]["relative_defect"].as_f64().unwrap() < 1e-12);
    for figure in ["motion.svg", "bounces.svg", "plane.svg"] {
        assert!(sandbox.read(&format!("r/{figure}")).starts_with("<svg"), "{figure}");
    }
}

#[test]
fn every_scheme_finds_the_same_rest() {
    for (scheme, tolerance) in [("moreau", 1e-2), ("spring", 1e-2), ("yosida", 1e-2)] {
        let sandbox = ball();
        sandbox.run(&["simulate", "model.toml", "--scheme", scheme, "--out", "r"]).done();
        let rows = sandbox.read("r/trajectory.csv");
        let x = numbers(&rows, "x");
        assert!(x.last().unwrap().abs() < tolerance, "{scheme}");
        let impulse: f64 = numbers(&rows, "impulse").iter().sum();
        assert!((impulse - 196.2).abs() < 0.1, "{scheme}: {impulse}");
    }
}

/// Each row of `moreau` with `rows = "steps"` carries its step's impulse: momentum, step by step.
#[test]
fn the_rows_of_moreau_balance_momentum() {
    let sandbox = ball();
    let args = ["simulate", "model.toml", "--scheme", "moreau", "--rows", "steps", "--out", "r"];
    sandbox.run(&args).done();
    let rows = sandbox.read("r/trajectory.csv");
    let (v, p) = (numbers(&rows, "v"), numbers(&rows, "impulse"));
    assert_eq!(v.len(), 10_001);
    for n in 1..v.len() {
        let defect = 2.0 * (v[n] - v[n - 1]) + 19.62e-3 - p[n];
        assert!(defect.abs() < 1e-12, "step {n}: {defect:e}");
    }
}

#[test]
fn convergence_tables_have_their_orders() {
    let sandbox = ball();
    for (scheme, order) in [("moreau", 1.0), ("spring", 0.5), ("yosida", 0.5)] {
        let args = [
            "converge",
            "model.toml",
            "--end",
            "4",
            "--scheme",
            scheme,
            "--set",
            "impact.restitution=1.0",
            "--out",
            scheme,
        ];
        sandbox.run(&args).done();
        let table = sandbox.read(&format!("{scheme}/convergence.csv"));
        let (h, error) = (numbers(&table, "h"), numbers(&table, "error"));
        let slope = (error[0] / error[7]).log2() / (h[0] / h[7]).log2();
        assert!((slope - order).abs() < 0.3 * order, "{scheme}: {table}");
    }
}

#[test]
fn moving_walls_are_lists_of_signals() {
    let sandbox = ball();
    let moving = BALL.replace(
        "wall = 0.0\n",
        "wall = [{ constant = -0.5 }, { harmonic = { amplitude = 0.1, angular_frequency = 9.0 } }]\nupper_wall = 1.2\n",
    );
    sandbox.write("model.toml", moving);
    let printed = sandbox.run(&["simulate", "model.toml", "--json"]).done().stdout;
    let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert!(summary["counts"]["events"]["impact"].as_u64().unwrap() > 10);
    assert!(summary["energy"]["relative_defect"].as_f64().unwrap() < 1e-11);
}

#[test]
fn what_cannot_be_is_said_with_its_place() {
    let sandbox = ball();
    let with = |from: &str, to: &str| {
        sandbox.write("model.toml", BALL.replace(from, to));
        sandbox.run(&["simulate", "model.toml", "--out", "r"])
    };
    with("restitution = 0.9", "restitution = 1.5")
        .failed(1, &["model.toml:6:", "`impact.restitution` is 1.5", "from 0 to 1"]);
    with("restitution = 0.9", "restitution = -0.5").failed(1, &["model.toml:6:", "≥ 0"]);
    with("restitution = 0.9\n", "").failed(1, &["`impact.restitution` is missing"]);
    with("displacement = 1.0", "displacement = -1.0")
        .failed(1, &["beyond the lower wall at 0.0 m"]);
    with("wall = 0.0\n", "").failed(1, &["`impact.wall` is missing"]);
    with("wall = 0.0\n", "wall = 0.0\nupper_wall = 0.5\n").failed(1, &["beyond the upper wall"]);
    let crossing = "wall = 0.0\nupper_wall = [{ ramp = { rate = -1.0, offset = 2.0 } }]\n";
    with("wall = 0.0\n", crossing).failed(3, &["the walls meet at t = 2 s", "no solution"]);
    let jump = "wall = [{ step = { time = 0.2, before = 0.0, after = 3.0 } }]\n";
    with("wall = 0.0\n", jump).failed(3, &["no solution beyond t = 0.2 s"]);
    with("wall = 0.0", "wal = 0.0").failed(1, &["did you mean `wall`?"]);
    with("scheme = \"exact\"", "scheme = \"euler\"").failed(1, &["exact, moreau, spring, yosida"]);
    sandbox.write("model.toml", BALL.replace("lambda = 1e-9\n", ""));
    sandbox
        .run(&["simulate", "model.toml", "--scheme", "yosida"])
        .failed(1, &["`impact.penalty.lambda` is missing"]);
    assert!(!sandbox.path("r").exists());
}

#[test]
fn the_examples_run() {
    let sandbox = Sandbox::new();
    for (name, found) in [("bouncing-ball", "1 rest"), ("impact-oscillator", "0 rest")] {
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}/model.toml"));
        let printed = sandbox.run(&["simulate", file.to_str().unwrap()]).done().stdout;
        assert!(printed.contains(found), "{printed}");
        for name in ["corner", "schatzman"] {
            let file = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(format!("../../examples/{name}/model.toml"));
            sandbox.run(&["solutions", file.to_str().unwrap()]).done();
        }
    }
}

#[test]
fn both_ill_posed_problems_are_reported() {
    let sandbox = Sandbox::new();
    sandbox.write("c.toml", "[corner]\nangle = 1.5707963267948966\nangles = 100\n");
    let printed = sandbox.run(&["solutions", "c.toml", "--out", "c", "--json"]).done().stdout;
    let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
    // The right angle sends the point straight back, from both sides and by the rule.
    assert_eq!(summary["unique"], true);
    for key in ["limit_above", "limit_below", "rule"] {
        let v = |i: usize| summary[key][i].as_f64().unwrap();
        assert!((v(0) - 1.0).abs() < 1e-14 && (v(1) - 0.5).abs() < 1e-14, "{printed}");
    }
    let table = sandbox.read("c/corner.csv");
    assert_eq!(numbers(&table, "jump").len(), 100);
    let speed = numbers(&table, "above_x").into_iter().zip(numbers(&table, "above_y"));
    assert!(speed.into_iter().all(|(x, y)| (x.hypot(y) - 1.25f64.sqrt()).abs() < 1e-12));
    assert_eq!(sandbox.list("c"), ["corner.csv", "corner.svg", "paths.svg", "summary.json"]);

    sandbox.write("s.toml", "[schatzman]\nbounces = 30\n");
    sandbox.run(&["solutions", "s.toml", "--out", "s"]).done();
    let bounces = sandbox.read("s/bounces.csv");
    let (t, v) = (numbers(&bounces, "t"), numbers(&bounces, "after"));
    assert_eq!(t.len(), 30);
    let ratios: Vec<f64> = v.windows(2).map(|w| w[1] / w[0]).collect();
    assert!(ratios.iter().all(|r| *r > 1.0 && (r / ratios[0] - 1.0).abs() < 1e-12), "{bounces}");
    assert!(numbers(&bounces, "miss").iter().all(|m| m.abs() < 1e-10));
    // ü = f on the exported motion, by its own rows: second differences on the last bounce.
    let rows = sandbox.read("s/solutions.csv");
    let (t, x, f) = (numbers(&rows, "t"), numbers(&rows, "x_bounce"), numbers(&rows, "force"));
    let n = t.len();
    for i in n - 55..n - 2 {
        let h = t[i + 1] - t[i];
        let second = (x[i + 1] - 2.0 * x[i] + x[i - 1]) / (h * h);
        assert!((second - f[i]).abs() < 0.15, "{}: {second} {}", t[i], f[i]);
    }

    sandbox.run(&["simulate", "c.toml"]).failed(1, &["`stickslip solutions` lists them"]);
    sandbox.write("c.toml", "[corner]\nangle = 0.3\n");
    sandbox.run(&["solutions", "c.toml"]).failed(1, &["the wedge's angle is 0.3"]);
    sandbox.write("s.toml", "[schatzman]\nearly = 0.4\n");
    sandbox.run(&["solutions", "s.toml"]).failed(1, &["the bump must be late"]);
}
