//! Every law, moving supports, normal forces, schemes that fail, ill-posed problems: from files.

use super::sandbox::{Sandbox, columns, numbers};
use std::path::Path;

fn model(friction: &str, more: &str, run: &str) -> String {
    format!("[oscillator]\nmass = 1.0\nstiffness = 1.0\n{friction}\n{more}\n[run]\n{run}\n")
}

fn example(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    root.join("model.toml").to_str().unwrap().to_owned()
}

#[test]
fn laws_are_summarised_as_they_are_written() {
    let sandbox = Sandbox::new();
    let laws = [
        "friction.stribeck = { a = 0.01, b = 0.2, c = 0.01, d = 0.9 }",
        "friction.stribeck-exponential = { static = 1.2, dynamic = 1.0, velocity = 0.1, exponent = 2.0, viscous = 0.5 }",
        "friction.cubic = { static = 1.5, weakening = 1.5, strengthening = 0.45 }",
        "friction.ageing = { kind = \"power\", dynamic = 1.0, static = 1.2, time = 5.0, exponent = 0.5 }",
        "friction.ageing = { kind = \"table\", dynamic = 1.0, age = [0.0, 10.0], limit = [1.0, 1.2] }",
        "friction.table = { velocity = [0.0, 0.1], force = [1.2, 1.0] }",
        "friction.static-dynamic = { forward = { static = 1.0, dynamic = 0.5 }, backward = { static = 2.0, dynamic = 1.5 } }",
        "friction = { forward = { coulomb = { force = 1.0 } }, backward = { stribeck = { a = 1.0, b = 0.0, c = 0.0, d = 2.0 } } }",
    ];
    for law in laws {
        sandbox.write("law.toml", model(law, "", "end = 1.0\nscheme = \"adaptive\""));
        let printed = sandbox.run(&["simulate", "law.toml", "--json"]).done().stdout;
        let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
        let written: toml::Value = toml::from_str(law).unwrap();
        let expected = serde_json::to_value(&written["friction"]).unwrap();
        assert_eq!(summary["model"]["oscillator"]["friction"], expected, "{law}");
    }
}

#[test]
fn bad_laws_say_what_and_where() {
    let sandbox = Sandbox::new();
    let cases: [(&str, &[&str]); 11] = [
        (
            "friction.stribeck = { a = -1.0, d = 1.0 }",
            &["oscillator.friction.stribeck.a", "≥ 0, in (s/m)³"],
        ),
        (
            "friction.stribeck-exponential = { static = 1.0, dynamic = 2.0, velocity = 1.0 }",
            &["above `static`"],
        ),
        (
            "friction.cubic = { static = 0.5, weakening = 1.5, strengthening = 0.45 }",
            &[
                "the least friction of the cubic law is -0.55",
                "resists at every speed",
                "less weakening",
            ],
        ),
        (
            "friction.cubic = { static = 1.5, weakening = -1.0, strengthening = 0.45 }",
            &["oscillator.friction.cubic.weakening", "≥ 0, in N·s/m"],
        ),
        (
            "friction.ageing = { kind = \"power\", dynamic = 1.0, static = 1.0, time = 1.0, exponent = 1.0 }",
            &["not above `dynamic`", "grows"],
        ),
        (
            "friction.ageing = { kind = \"table\", age = [0.0, 1.0], limit = [1.0, 0.5] }",
            &["limit.1", "expected increasing numbers, in N"],
        ),
        (
            "friction.ageing = { kind = \"linear\", dynamic = 1.0 }",
            &["kind of ageing `linear`", "exponential"],
        ),
        (
            "friction.table = { velocity = [0.0, 0.2, 0.1], force = [1.0, 1.0, 1.0] }",
            &["velocity.2", "expected increasing numbers, in m/s"],
        ),
        ("friction.table = { velocity = [0.0, nan], force = [1.0, 1.0] }", &["velocity.1"]),
        (
            "friction.coulomb = { forward = { force = 1.0 } }",
            &["`oscillator.friction.coulomb.backward` is missing"],
        ),
        (
            "friction.coulomb = { forward = { force = 1.0 }, backward = { forse = 1.0 } }",
            &["oscillator.friction.coulomb.backward.forse", "did you mean"],
        ),
    ];
    for (law, parts) in cases {
        sandbox.write("law.toml", model(law, "", "end = 1.0\nscheme = \"adaptive\""));
        sandbox.run(&["simulate", "law.toml"]).failed(1, parts);
    }
    let pulls = "[[oscillator.normal]]\nramp = { rate = -1.0, offset = 2.0 }";
    sandbox.write("law.toml", model("friction.coulomb.force = 0.5", pulls, "end = 5.0"));
    sandbox.run(&["simulate", "law.toml"]).failed(1, &["the normal force is -", "at t = 2"]);
}

/// Whether a law with memory can give out energy is told when the model is read, wherever the law stands: with numbers just outside of its
/// inequality, and not with numbers just inside. Numbers that make no law are refused with theirs.
#[test]
fn laws_that_can_give_out_energy_are_told_wherever_they_stand() {
    let sandbox = Sandbox::new();
    let places = [
        ("[oscillator]\nmass = 1.0\nstiffness = 25.0\n", "\n", "friction law let it"),
        ("[element]\n", "\n[[element.displacement]]\nramp.rate = 0.01\n", "friction law let it"),
        (
            "[[network.node]]\nname = \"a\"\nmass = 1.0\n[[network.slider]]\nname = \"rail\"\nbetween = [\"a\", \"ground\"]\n",
            "\n",
            "friction law of `rail` let it",
        ),
    ];
    let lugre = |viscous: f64| {
        format!(
            "friction.lugre = {{ static = 1.5, dynamic = 1.0, velocity = 0.05, stiffness = 1e4, damping = 100.0, viscous = {viscous} }}"
        )
    };
    let elastic = |viscous| {
        lugre(viscous).replace("lugre", "elasto-plastic").replace(" }", ", breakaway = 1e-5 }")
    };
    let maxwell = |breakaway: f64| {
        format!(
            "friction.maxwell-slip = {{ stiffness = [1e3], weight = [1.0], static = {breakaway}, dynamic = 1.0, velocity = 0.05, \
             attraction = 30.0 }}"
        )
    };
    let bouc_wen = |beta: f64, gamma: f64| {
        format!("friction.bouc-wen = {{ stiffness = 1e3, beta = {beta}, gamma = {gamma} }}")
    };
    for (head, tail, said) in places {
        let run = |law: &str| {
            sandbox.write("m.toml", format!("{head}{law}{tail}[run]\nend = 0.01\n"));
            sandbox.run(&["simulate", "m.toml"])
        };
        for law in [lugre(49.9), elastic(49.9), maxwell(1.001)] {
            let told = run(&law).done().stderr;
            assert!(told.contains(said) && told.contains("does not hold"), "{law}: {told}");
        }
        for law in [lugre(50.0), elastic(50.0), maxwell(1.0), bouc_wen(0.2, 0.6)] {
            let told = run(&law).done().stderr;
            assert!(!told.contains("let it give out energy"), "{law}: {told}");
        }
        run(&bouc_wen(0.5, -0.5)).failed(1, &["beta + gamma is 0.0", "expected > 0"]);
        run(&lugre(50.0).replace("= 100.0", "= -1e-9")).failed(1, &["damping", "expected ≥ 0"]);
        run(&maxwell(1.0).replace("[1e3]", "[1e3, 1e3]").replace("[1.0]", "[1.5, -0.5]"))
            .failed(1, &["weight.1", "> 0"]);
        let worn = bouc_wen(0.2, 0.6).replace(" }", ", degradation = { strength = 0.1 } }");
        run(&worn).failed(1, &["|gamma| ≤ beta"]);
        run(&worn.replace("0.6", "0.2")).done();
    }
}

#[test]
fn the_belt_sticks_with_the_belt() {
    let sandbox = Sandbox::new();
    sandbox.run(&["simulate", &example("belt"), "--out", "r"]).done();
    let table = sandbox.read("r/trajectory.csv");
    let phases = &columns(&table)[4].1;
    let stuck: Vec<f64> = phases
        .iter()
        .zip(numbers(&table, "v"))
        .filter(|(p, _)| *p == "stick")
        .map(|(_, v)| v)
        .collect();
    assert!(stuck.len() > 50 && stuck.iter().all(|v| (v - 0.2).abs() < 1e-15));
    // without a spring of the support's motion, exact and adaptive say the same
    let file = model(
        "friction.static-dynamic = { static = 0.5, dynamic = 0.4 }",
        "[[oscillator.support]]\nconstant = 0.1\n[[oscillator.normal]]\nconstant = 2.0",
        "end = 60.0",
    );
    sandbox.write("two.toml", file);
    let events = |scheme: &str| {
        sandbox.run(&["simulate", "two.toml", "--scheme", scheme, "--out", scheme]).done();
        numbers(&sandbox.read(&format!("{scheme}/events.csv")), "t")
    };
    let (a, b) = (events("exact"), events("adaptive"));
    assert!(a.len() > 4 && a.len() == b.len());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6));
}

#[test]
fn polynomial_springs_need_the_adaptive_scheme() {
    let sandbox = Sandbox::new();
    let file = "[oscillator]\nmass = 1.0\nstiffness = [1.0, 0.0, 0.5]\nquadratic_damping = 0.1\nfriction.coulomb.force = 0.1\n\
                [oscillator.initial]\ndisplacement = 2.0\n[run]\nend = 20.0\n";
    sandbox.write("duffing.toml", file);
    sandbox
        .run(&["simulate", "duffing.toml", "--scheme", "exact"])
        .failed(3, &["not linear", "adaptive"]);
    let chosen = sandbox.run(&["simulate", "duffing.toml"]).done().stdout;
    assert!(chosen.contains("`adaptive` was chosen") && chosen.contains("not linear"));
    let printed = sandbox
        .run(&["simulate", "duffing.toml", "--scheme", "adaptive", "--rtol", "1e-11", "--json"])
        .done()
        .stdout;
    let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(summary["model"]["oscillator"]["stiffness"], serde_json::json!([1.0, 0.0, 0.5]));
    assert!(summary["energy"]["relative_defect"].as_f64().unwrap() < 1e-6);
}

/// ẍ = −(1 + s x) from v: the mass stops at √(v²/s + 1/s²) − 1/s.
#[test]
fn a_normal_force_may_depend_on_the_displacement() {
    let sandbox = Sandbox::new();
    let file = "[oscillator]\nmass = 1.0\nstiffness = 0.0\nnormal_slope = 0.5\nfriction.coulomb.force = 1.0\n\
                [oscillator.initial]\nvelocity = 2.0\n[run]\nend = 5.0\n";
    sandbox.write("wedge.toml", file);
    sandbox
        .run(&["simulate", "wedge.toml", "--scheme", "exact"])
        .failed(3, &["normal force depends", "adaptive"]);
    // Without a scheme one is chosen that can, and that is said.
    let chosen = sandbox.run(&["simulate", "wedge.toml"]).done().stdout;
    assert!(chosen.contains("`adaptive` was chosen") && chosen.contains("normal force depends"));
    sandbox.run(&["simulate", "wedge.toml", "--scheme", "adaptive", "--out", "out"]).done();
    let stopped = numbers(&sandbox.read("out/events.csv"), "x");
    assert!((stopped[0] - (12f64.sqrt() - 2.0)).abs() < 1e-8, "{stopped:?}");
    sandbox.write("bad.toml", file.replace("0.5", "\"steep\""));
    sandbox.run(&["simulate", "bad.toml"]).failed(1, &["normal_slope", "1/m"]);
}

#[test]
fn the_usual_sign_fails_as_values() {
    let sandbox = Sandbox::new();
    let file = example("sign");
    sandbox
        .run(&["simulate", &file, "--scheme", "sign-implicit"])
        .failed(3, &["no solution at step 2", "implicit-euler"]);
    let changes = |scheme: &str| {
        let printed = sandbox.run(&["simulate", &file, "--scheme", scheme, "--json"]).done().stdout;
        let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
        summary["counts"]["events"]["total"].as_u64().unwrap()
    };
    for scheme in ["sign-euler", "sign-rk23", "sign-rk45"] {
        assert!(changes(scheme) > 10, "{scheme}");
    }
    assert_eq!((changes("exact"), changes("implicit-euler"), changes("adaptive")), (1, 1, 1));
}

#[test]
fn ill_posed_problems_are_told_listed_and_perturbed() {
    let sandbox = Sandbox::new();
    let file = example("ill-posed");
    for scheme in ["adaptive", "euler", "implicit-euler"] {
        let ended = sandbox.run(&["simulate", &file, "--scheme", scheme]).done();
        assert!(
            ended.stderr.contains("does not depend continuously on the load here"),
            "{}",
            ended.stderr
        );
    }
    let ended = sandbox.run(&["simulate", &file, "--perturb", "1e-4", "--out", "p"]).done();
    assert!(ended.stderr.contains("the paths part at t = "), "{}", ended.stderr);
    let summary: serde_json::Value = serde_json::from_str(&sandbox.read("p/summary.json")).unwrap();
    assert_eq!(summary["perturbation"]["continuous"], false);
    assert!(sandbox.read("p/perturbation.csv").starts_with("t,x,v,x_plus"));

    sandbox.run(&["solutions", &file, "--out", "s"]).done();
    let summary: serde_json::Value = serde_json::from_str(&sandbox.read("s/summary.json")).unwrap();
    assert_eq!(summary["solutions"], 21); // N = 20
    assert_eq!(summary["unique"], false);
    assert_eq!(summary["degenerate"], serde_json::json!([[0.0, 1.0]]));
    let jump = sandbox.read("s/jump.csv");
    for (e, v) in numbers(&jump, "epsilon").iter().zip(numbers(&jump, "v")) {
        let want = if *e > 0.0 { 0.5 + e } else { 0.0 };
        assert!((v - want).abs() < 1e-8, "{e} {v}");
    }
    for figure in ["s/solutions.svg", "s/jump.svg", "p/perturbation.svg"] {
        assert!(sandbox.read(figure).starts_with("<svg"));
    }
    sandbox.run(&["solutions", &file, "--limit", "5"]).done();
    // a well-posed problem has one solution
    let printed = sandbox.run(&["solutions", &example("sign"), "--json"]).done().stdout;
    let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((&summary["solutions"], &summary["unique"]), (&1.into(), &true.into()));
}

#[test]
fn every_example_runs() {
    let sandbox = Sandbox::new();
    for name in ["shaw", "belt", "sign", "ill-posed", "friction", "duffing"] {
        sandbox.run(&["simulate", &example(name), "--out", name]).done();
    }
    // Modelica's Translational.Examples.Friction: break-away at 25 sin(πt/2) = 15
    let events = numbers(&sandbox.read("friction/events.csv"), "t");
    assert!((events[0] - 0.6f64.asin() / (0.5 * std::f64::consts::PI)).abs() < 1e-9);
}
