//! `stickslip simulate` on cascades and networks.

use super::sandbox::{Sandbox, columns, numbers};
use std::path::Path;
use stickslip::scheme::cascade;
use stickslip::{Cascade, Signal};

const CASCADE: &str = r#"[cascade]
mass = 1.0
stiffness = [3.0, 2.0, 1.5, 1.0, 0.7]
threshold = [0.5, 0.8, 0.3, 1.1]

[[cascade.force]]
harmonic = { amplitude = 2.5, angular_frequency = 0.9 }

[run]
end = 20.0
scheme = "exact"
step = 0.001
rows = 201
"#;

const NETWORK: &str = r#"[[network.node]]
name = "a"
mass = 1.0

[[network.node]]
name = "b"
mass = 0.0

[[network.spring]]
between = ["a", "b"]
stiffness = 3.0

[[network.dashpot]]
between = ["a", "ground"]
damping = 0.1

[[network.slider]]
name = "s1"
between = ["b", "ground"]
static = 1.2

[[network.slider]]
name = "s2"
between = ["a", "ground"]
static = 0.5
dynamic = 0.4
normal = [{ constant = 1.0 }, { harmonic = { amplitude = 0.5, angular_frequency = 2.0 } }]

[[network.force]]
on = "a"
harmonic = { amplitude = 3.0, angular_frequency = 1.0 }

[run]
end = 10.0
scheme = "implicit-euler"
step = 0.01
rows = 101
"#;

#[test]
fn a_cascade_by_all_its_schemes() {
    let sandbox = Sandbox::new();
    sandbox.write("model.toml", CASCADE);
    sandbox.run(&["simulate", "model.toml", "--out", "exact"]).done();
    let files =
        ["events.csv", "loops.svg", "motion.svg", "slips.svg", "summary.json", "trajectory.csv"];
    assert_eq!(sandbox.list("exact"), files);
    let c = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
        .with_force(Signal::harmonic(2.5, 0.9, 0.0));
    let path = cascade::exact(&c, 20.0).unwrap();
    let events = sandbox.read("exact/events.csv");
    assert!(events.starts_with("event,t,where,x,v\nyield,"));
    assert_eq!(numbers(&events, "t"), path.events().iter().map(|e| e.time).collect::<Vec<_>>());
    assert_eq!(columns(&events)[2].1[..4], ["1", "2", "3", "mass"]);
    let table = sandbox.read("exact/trajectory.csv");
    assert!(table.starts_with("t,x,v,force,w1,w2,w3,w4\n0.0,0.0,0.0,0.0,"));
    let force: Vec<f64> = path.sample(201).map(|r| r.1.force).collect();
    assert_eq!(numbers(&table, "force"), force);
    for (name, limit) in ["w1", "w2", "w3", "w4"].iter().zip([0.5, 0.8, 0.3, 1.1]) {
        assert!(numbers(&table, name).iter().all(|w| w.abs() <= limit + 1e-12), "{name}");
    }
    for scheme in ["implicit-euler", "hysteresis"] {
        sandbox.run(&["simulate", "model.toml", "--scheme", scheme, "--out", scheme]).done();
        let x = numbers(&sandbox.read(&format!("{scheme}/trajectory.csv")), "x");
        let want = numbers(&table, "x");
        assert!(x.iter().zip(&want).all(|(a, b)| (a - b).abs() < 0.05), "{scheme}");
    }
    let slow = CASCADE.replace("[[cascade.force]]", "[[cascade.displacement]]");
    sandbox.write("slow.toml", slow);
    let printed = sandbox.run(&["simulate", "slow.toml", "--scheme", "quasi-static"]).done().stdout;
    assert!(printed.contains("quasi-static") && printed.contains("reversal"), "{printed}");
    sandbox.run(&["simulate", "slow.toml"]).failed(3, &["quasi-static"]);
}

#[test]
fn a_network_by_all_its_schemes() {
    let sandbox = Sandbox::new();
    sandbox.write("model.toml", NETWORK);
    for scheme in ["exact", "implicit-euler", "theta"] {
        sandbox.run(&["simulate", "model.toml", "--scheme", scheme, "--out", scheme]).done();
        let table = sandbox.read(&format!("{scheme}/trajectory.csv"));
        assert!(table.starts_with("t,x_a,v_a,x_b,v_b,friction_s1,friction_s2\n"));
        assert_eq!(numbers(&table, "t").len(), 101);
        assert!(numbers(&table, "friction_s1").iter().all(|f| f.abs() <= 1.2 + 1e-9));
        // The spring balances the friction on the massless node in every row.
        let (a, b) = (numbers(&table, "x_a"), numbers(&table, "x_b"));
        for (i, f) in numbers(&table, "friction_s1").iter().enumerate().skip(1) {
            assert!((3.0 * (a[i] - b[i]) + f).abs() < 1e-9, "row {i}");
        }
        let events = sandbox.read(&format!("{scheme}/events.csv"));
        assert!(events.starts_with("event,t,where,x,v\n") && events.contains(",s2,"));
        let want = numbers(&sandbox.read("exact/trajectory.csv"), "x_a");
        assert!(a.iter().zip(&want).all(|(a, b)| (a - b).abs() < 0.05), "{scheme}");
    }
    let summary: serde_json::Value =
        serde_json::from_str(&sandbox.read("exact/summary.json")).unwrap();
    assert!(summary["energy"]["defect"].as_f64().unwrap().abs() < 1e-12);
    // Without steps there is a row for each arc.
    let rows = [
        "simulate",
        "model.toml",
        "--scheme",
        "exact",
        "--set",
        "run.rows=\"steps\"",
        "--out",
        "arcs",
    ];
    sandbox.run(&rows).done();
    let segments = summary["counts"]["segments"].as_u64().unwrap() as usize;
    assert_eq!(numbers(&sandbox.read("arcs/trajectory.csv"), "t").len(), segments + 1);
}

/// The orders of both, against themselves and against the exact solution.
#[test]
fn cascades_and_networks_converge() {
    let sandbox = Sandbox::new();
    sandbox.write("cascade.toml", CASCADE);
    let coulomb = NETWORK.replace("dynamic = 0.4", "dynamic = 0.5").replace("0.01", "0.02");
    sandbox.write("network.toml", coulomb);
    for model in ["cascade.toml", "network.toml"] {
        for against in ["self", "exact"] {
            let step = if model == "cascade.toml" { "0.02" } else { "0.01" };
            let options =
                ["--halvings", "4", "--against", against, "--step", step, "--out", against];
            let args = [&["converge", model, "--scheme", "implicit-euler"], &options[..]].concat();
            sandbox.run(&args).done();
            let table = sandbox.read(&format!("{against}/convergence.csv"));
            let columns = columns(&table);
            let orders = &columns.iter().find(|c| c.0 == "order").unwrap().1;
            let last: f64 = orders.iter().rev().find_map(|p| p.parse().ok()).unwrap();
            assert!((last - 1.0).abs() < 0.2, "{model} {against}: {orders:?}");
            assert!(sandbox.read(&format!("{against}/convergence.svg")).contains("implicit-euler"));
        }
    }
    sandbox
        .run(&["converge", "cascade.toml", "--scheme", "exact"])
        .failed(2, &["no step", "implicit-euler"]);
    let said = sandbox.run(&["converge", "cascade.toml", "--halvings", "1"]).done();
    assert!(said.stdout.contains("implicit-euler against itself"), "{}", said.stdout);
}

/// A ball that falls along a guide on a floor, and a mass on a belt under Stribeck's law: errors fall with the step, against the scheme itself
/// and against `exact`, or `adaptive` where that does not treat the model.
#[test]
fn machines_converge() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "ball.toml",
        "[[network.node]]\nname = \"a\"\nmass = 1.0\ndisplacement = 1.0\n\
         [[network.stop]]\nname = \"floor\"\nbetween = [\"a\", \"ground\"]\nlower = 0.0\nrestitution = 0.5\n\
         [[network.slider]]\nname = \"guide\"\nbetween = [\"a\", \"ground\"]\nstatic = 1.0\n\
         [[network.force]]\non = \"a\"\nconstant = -9.81\n[run]\nend = 0.8\n",
    );
    sandbox.write(
        "belt.toml",
        "[[network.node]]\nname = \"a\"\nmass = 1.0\n\
         [[network.spring]]\nbetween = [\"a\", \"ground\"]\nstiffness = 10.0\n\
         [[network.slider]]\nname = \"belt\"\nbetween = [\"a\", \"ground\"]\nsupport = [{ constant = 0.5 }]\n\
         friction.stribeck-exponential = { static = 3.0, dynamic = 2.0, velocity = 0.2, exponent = 1 }\n\
         [run]\nend = 2.0\n",
    );
    for model in ["ball", "belt"] {
        for against in ["self", "exact"] {
            let file = format!("{model}.toml");
            let scheme = ["--scheme", "implicit-euler", "--step", "0.008", "--halvings", "5"];
            let args = [&["converge", &file, "--against", against], &scheme[..]].concat();
            let said = sandbox.run(&args).done();
            let jumps = said.stdout.contains("sup |x| + mean |v|");
            assert_eq!(jumps, model == "ball", "{}", said.stdout);
            sandbox.run(&[&args[..], &["--out", against]].concat()).done();
            let table = sandbox.read(&format!("{against}/convergence.csv"));
            let errors = numbers(&table, "error");
            assert!(errors.iter().all(|e| *e > 0.0), "{model} {against}: {errors:?}");
            // An impact may fall anywhere inside a step, so single rows scatter.
            let order = (errors[0] / errors[errors.len() - 1]).log2() / (errors.len() - 1) as f64;
            assert!((order - 1.0).abs() < 0.35, "{model} {against}: {order} of {errors:?}");
        }
    }
}

/// The path of a noise belongs to its seed, so one mass on one slider moves as the oscillator does,
/// which another scheme of the same order advances (a different path would be apart by some 0.5 m); and the cascade's projection tends to the exact motion.
#[test]
fn noise_on_networks_and_cascades() {
    let noise = "ornstein-uhlenbeck = { rate = 1.0, intensity = 1.5 }";
    let run = "[run]\nend = 20.0\nscheme = \"implicit-euler\"\nstep = 0.01\nrows = 41\nseed = 5\n";
    let oscillator = format!(
        "[oscillator]\nmass = 1.0\nstiffness = 2.0\n\
         [oscillator.friction.static-dynamic]\nstatic = 0.5\ndynamic = 0.4\n\
         [[oscillator.force]]\n{noise}\n{run}"
    );
    let network = format!(
        "[[network.node]]\nname = \"a\"\nmass = 1.0\n\
         [[network.spring]]\nbetween = [\"a\", \"ground\"]\nstiffness = 2.0\n\
         [[network.slider]]\nname = \"s\"\nbetween = [\"a\", \"ground\"]\nstatic = 0.5\ndynamic = 0.4\n\
         [[network.force]]\non = \"a\"\n{noise}\n{run}"
    );
    let cascade = CASCADE.replace(
        "harmonic = { amplitude = 2.5, angular_frequency = 0.9 }",
        "white = { intensity = 1.5 }",
    );
    let s = Sandbox::new();
    s.write("oscillator.toml", oscillator).write("network.toml", network).write("c.toml", cascade);
    for model in ["oscillator", "network"] {
        s.run(&["simulate", &format!("{model}.toml"), "--out", model]).done();
    }
    let x =
        |model: &str, column: &str| numbers(&s.read(&format!("{model}/trajectory.csv")), column);
    let pairs = x("oscillator", "x").into_iter().zip(x("network", "x_a"));
    let worst = pairs.map(|(a, b)| (a - b).abs());
    assert!(worst.fold(0.0, f64::max) < 1e-3);

    let end = |scheme: &str, step: &str| {
        let out = format!("{scheme}{step}");
        s.run(&["simulate", "c.toml", "--scheme", scheme, "--step", step, "--out", &out]).done();
        x(&out, "x")[200]
    };
    let exact = end("exact", "0.0005");
    let (coarse, fine) = (end("implicit-euler", "0.016"), end("implicit-euler", "0.001"));
    assert!((fine - exact).abs() < 0.15 * (coarse - exact).abs(), "{coarse} {fine} {exact}");
    s.run(&["simulate", "c.toml", "--set", "run.step=0.9"]).done(); // white noise has no rate
    let missing = CASCADE.replace("harmonic = { amplitude = 2.5, angular_frequency = 0.9 }", noise);
    s.write("c.toml", missing.replace("step = 0.001\n", ""));
    s.run(&["simulate", "c.toml"]).failed(1, &["run.step", "noise", "step = 0.01"]);
}

#[test]
fn bad_cascades_and_networks_are_told_with_their_place() {
    let sandbox = Sandbox::new();
    let bad = |text: &str, from: &str, to: &str, words: &[&str]| {
        assert!(text.contains(from), "{from}");
        sandbox.write("bad.toml", text.replacen(from, to, 1));
        sandbox.run(&["simulate", "bad.toml"]).failed(1, words);
    };
    bad(CASCADE, "1.0, 0.7]", "0.7]", &["cascade", "stiffness", "4 entries"]);
    bad(CASCADE, "2.0, 1.5", "-2.0, 1.5", &["stiffness.1", "-2", "> 0", "N/m"]);
    bad(CASCADE, "0.8, 0.3", "0.8, -0.3", &["threshold.2", "≥ 0"]);
    bad(CASCADE, "threshold", "treshold", &["treshold", "threshold"]);
    bad(CASCADE, "[0.5, 0.8, 0.3, 1.1]", "0.5", &["threshold", "list"]);
    bad(CASCADE, "\"exact\"", "\"euler\"", &["euler", "implicit-euler"]);
    bad(NETWORK, "between = [\"a\", \"b\"]", "between = [\"a\"]", &["between", "two names"]);
    bad(NETWORK, "on = \"a\"\nharmonic", "harmonic", &["network.force.0.on", "missing"]);
    bad(NETWORK, "stiffness = 3.0", "stiffness = -3.0", &["stiffness", "> 0"]);
    bad(NETWORK, "step = 0.01\n", "", &["step"]);
}

/// What is wrong with a network as a whole is told at the value that is at fault: line and column.
#[test]
fn ill_posed_networks_are_told_at_the_line() {
    let sandbox = Sandbox::new();
    let bad = |from: &str, to: &str, at: &str, words: &[&str]| {
        let text = NETWORK.replacen(from, to, 1);
        // The place as counted here: of the first `at` in the changed text.
        let changed = NETWORK.find(from).unwrap();
        let offset = changed + text[changed..].find(at).unwrap();
        let line = text[..offset].matches('\n').count() + 1;
        let column = offset - text[..offset].rfind('\n').map_or(0, |i| i + 1) + 1;
        sandbox.write("bad.toml", &text);
        let place = format!("bad.toml:{line}:{column}");
        sandbox.run(&["simulate", "bad.toml"]).failed(1, &[&[&*place], words].concat());
    };
    let unknown = "[\"a\", \"c\"]";
    bad("[\"a\", \"b\"]", unknown, unknown, &["spring 1", "no node `c`", "a, b, ground"]);
    bad("name = \"b\"", "name = \"a\"", "\"a\"", &["node `a`", "two nodes"]);
    bad("name = \"b\"", "name = \"ground\"", "\"ground\"", &["fixed ground", "another name"]);
    bad("name = \"s2\"", "name = \"s1\"", "\"s1\"", &["slider `s1`", "two sliders"]);
    bad("on = \"a\"\nharm", "on = \"q\"\nharm", "\"q\"", &["force 1", "no node `q`"]);
    bad("dynamic = 0.4", "dynamic = 0.6", "0.6", &["slider `s2`", "0.5", "swap"]);
    bad("[\"a\", \"b\"]", "[\"a\", \"a\"]", "[\"a\", \"a\"]", &["spring 1", "the same"]);
    let dashpot = "[\"b\", \"b\"]";
    bad("[\"a\", \"ground\"]\ndamping", &format!("{dashpot}\ndamping"), dashpot, &["dashpot 1"]);
    let still = "mass = 0.0\nvelocity = 2.0";
    bad("mass = 0.0", still, "2.0", &["node `b`", "no mass", "velocity"]);
    let none = "between = [\"a\", \"ground\"]\nstiffness = 3.0";
    sandbox.write("bad.toml", NETWORK.replace("between = [\"a\", \"b\"]\nstiffness = 3.0", none));
    sandbox.run(&["simulate", "bad.toml"]).failed(1, &["bad.toml:6:8", "node `b`", "hangs on"]);
    let spring = "[[network.spring]]\n";
    let lost = format!("[[network.node]]\nname = \"lost\"\nmass = 1.0\n\n{spring}");
    bad(spring, &lost, "\"lost\"", &["node `lost`", "touches it", "leave it out"]);
    let rigid = "[\"ground\", \"ground\"]";
    let looped =
        format!("[[network.slider]]\nname = \"s0\"\nbetween = {rigid}\nstatic = 1.0\n\n{spring}");
    bad(spring, &looped, rigid, &["slider `s0`", "rigid constraints"]);
}

/// A loop of sliders is solved, and what is not unique is said.
#[test]
fn a_loop_of_sliders_is_solved_and_said() {
    let sandbox = Sandbox::new();
    let more = "[[network.slider]]\nname = \"s3\"\nbetween = [\"a\", \"b\"]\nstatic = 0.3\n\n[run]";
    sandbox.write("loop.toml", NETWORK.replace("[run]", more));
    let x = |scheme: &str| {
        let run = sandbox.run(&["simulate", "loop.toml", "--scheme", scheme, "--out", scheme]);
        let said = run.done().stderr;
        assert!(said.contains("s3") && said.contains("forces in them are not"), "{said}");
        numbers(&sandbox.read(&format!("{scheme}/trajectory.csv")), "x_a")
    };
    let (exact, stepped) = (x("exact"), x("implicit-euler"));
    assert!(exact.iter().zip(&stepped).all(|(a, b)| (a - b).abs() < 0.05));
    assert!(exact.iter().any(|x| x.abs() > 0.2), "{exact:?}");
    let table = sandbox.read("exact/trajectory.csv");
    for (slider, limit) in [("s1", 1.2), ("s3", 0.3)] {
        let column = format!("friction_{slider}");
        assert!(numbers(&table, &column).iter().all(|f| f.abs() <= limit + 1e-12), "{slider}");
    }
}

#[test]
fn the_examples_of_assemblies_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let sandbox = Sandbox::new();
    for (name, expected) in [
        ("cascade", "exact, 0 to 20.0 s: 23 yields, 5 reversals"),
        ("spring-blocks", "implicit-euler, 0 to 120.0 s"),
    ] {
        let model = root.join(name).join("model.toml");
        let printed = sandbox.run(&["simulate", model.to_str().unwrap()]).done().stdout;
        assert!(printed.contains(expected), "{printed}");
    }
}
