//! Options that do not apply are refused, never ignored; completions and the manual.

use super::sandbox::{MODEL, Sandbox};

const CASCADE: &str = "[cascade]\nmass = 1.0\nstiffness = [3.0, 2.0]\nthreshold = [0.5]\n\
    [[cascade.force]]\nharmonic = { amplitude = 2.0, angular_frequency = 0.9 }\n[run]\nend = 5.0\n";
const NETWORK: &str = "[[network.node]]\nname = \"a\"\nmass = 1.0\ndisplacement = 1.0\n\
    [[network.spring]]\nbetween = [\"a\", \"ground\"]\nstiffness = 3.0\n\
    [[network.slider]]\nname = \"s\"\nbetween = [\"a\", \"ground\"]\nstatic = 0.2\n[run]\nend = 5.0\nscheme = \"exact\"\n";
const IMPACT: &str = "[impact]\nmass = 1.0\nwall = 0.0\nrestitution = 0.5\n[[impact.force]]\nconstant = -9.81\n\
    [impact.initial]\ndisplacement = 1.0\n[run]\nend = 2.0\n";
const CORNER: &str = "[corner]\nangle = 1.0\n";

fn sandbox() -> Sandbox {
    let s = Sandbox::new();
    let models =
        [("cascade", CASCADE), ("network", NETWORK), ("impact", IMPACT), ("corner", CORNER)];
    for (name, text) in models {
        s.write(&format!("{name}.toml"), text);
    }
    s
}

#[test]
fn a_perturbation_is_for_oscillators() {
    let s = sandbox();
    for kind in ["cascade", "network", "impact"] {
        let file = format!("{kind}.toml");
        s.run(&["simulate", &file]).done();
        let named = format!("[{kind}]");
        s.run(&["simulate", &file, "--perturb", "1e-3"])
            .failed(2, &["[oscillator]", &named, "leave --perturb out"]);
    }
    s.run(&["simulate", "model.toml", "--perturb", "1e-3"]).done();
}

#[test]
fn a_scheme_without_its_step_says_so() {
    let s = sandbox();
    s.write("steps.toml", NETWORK.replace("scheme = \"exact\"", "scheme = \"implicit-euler\""));
    s.run(&["simulate", "steps.toml"])
        .failed(1, &["`run.step` is missing", "implicit-euler", "--step"]);
}

#[test]
fn impacts_are_compared_with_the_exact_solution_only() {
    let s = sandbox();
    let converge = ["converge", "impact.toml", "--halvings", "2"];
    s.run(&[&converge[..], &["--against", "self"]].concat())
        .failed(2, &["exact solution", "leave --against out"]);
    s.run(&[&converge[..], &["--against", "exact"]].concat()).done();
    s.run(&converge).done();
    s.run(&["converge", "model.toml", "--scheme", "adaptive", "--against", "self"])
        .failed(2, &["adaptive", "leave --against out"]);
    // The exact scheme has no step to halve, whatever moves.
    s.run(&[&converge[..], &["--scheme", "exact"]].concat()).failed(2, &["no step to halve"]);
}

#[test]
fn a_limit_is_for_searches_that_need_one() {
    let s = sandbox();
    s.run(&["solutions", "corner.toml"]).done();
    s.run(&["solutions", "corner.toml", "--limit", "5"]).failed(2, &["leave --limit out"]);
    let schatzman = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/schatzman/model.toml");
    s.run(&["solutions", schatzman, "--limit", "5"]).failed(2, &["leave --limit out"]);
    // That a model's solutions are not listed does not say that it has one only.
    s.run(&["solutions", "network.toml"]).failed(1, &["[schatzman] models only", "`network`"]);
}

#[test]
fn numbers_of_paths_are_for_models_with_noise() {
    let s = sandbox();
    let paths = ["--paths", "10"];
    for file in ["model.toml", "cascade.toml", "network.toml", "impact.toml"] {
        s.run(&[&["converge", file, "--halvings", "2"][..], &paths].concat())
            .failed(2, &["no noise", "leave --paths out"]);
    }
    s.run(&[&["sweep", "model.toml", "--vary", "oscillator.mass=1:2:2"][..], &paths].concat())
        .failed(2, &["no noise", "leave --paths out"]);
}

#[test]
fn windows_are_for_bearings() {
    let s = sandbox();
    s.run(&["new", "pulled-slider", "fit.toml"]).done();
    s.run(&["calibrate", "fit.toml", "--windows", "30d"])
        .failed(2, &["pulled-slider", "leave --windows out"]);
}

#[test]
fn paths_with_noise_advance_by_the_scheme_of_the_file() {
    let s = sandbox();
    let noisy = MODEL
        .replace("[oscillator.initial]", "[[oscillator.force]]\nornstein-uhlenbeck = { rate = 1.0, intensity = 0.5 }\n[oscillator.initial]")
        .replace("scheme = \"exact\"", "scheme = \"implicit-euler\"");
    s.write("noisy.toml", noisy);
    s.run(&["converge", "noisy.toml", "--halvings", "2", "--paths", "3", "--out", "c"]).done();
    assert!(s.read("c/summary.json").contains("\"scheme\": \"implicit-euler\""));
}

/// What each option does with each kind of model: `+` it applies, `-` it is refused, `.` it is refused together with
/// the whole command.
#[test]
fn every_option_applies_or_is_refused() {
    const OPTIONS: [&[&str]; 8] = [
        &["--end", "1.5"],
        &["--step", "0.01"],
        &["--rtol", "1e-6"],
        &["--atol", "1e-6"],
        &["--rows", "30"],
        &["--seed", "3"],
        &["--set", "title=another"],
        &["--json"],
    ];
    const SIMULATE: &[&str] = &["simulate"];
    const CONVERGE: &[&str] = &["converge", "--halvings", "2"];
    const SOLUTIONS: &[&str] = &["solutions"];
    const ENSEMBLE: &[&str] = &["ensemble", "--paths", "3"];
    const MASS: &[&str] = &["sweep", "--vary", "oscillator.mass=1:2:2"];
    // end, step, rtol, atol, rows, seed, set, json
    let table: [(&[&str], &str, &str); 24] = [
        (SIMULATE, "oscillator-exact", "+---++++"),
        (SIMULATE, "oscillator-euler", "++--++++"),
        (SIMULATE, "oscillator-adaptive", "+-++++++"),
        (SIMULATE, "oscillator-noise", "++--++++"),
        (SIMULATE, "cascade", "+---++++"),
        (SIMULATE, "network", "+---++++"),
        (SIMULATE, "impact", "+---++++"),
        (SIMULATE, "corner", "........"),
        (CONVERGE, "oscillator-exact", "++---+++"),
        (CONVERGE, "oscillator-noise", "++---+++"),
        (CONVERGE, "cascade", "++---+++"),
        (CONVERGE, "network", "++---+++"),
        (CONVERGE, "impact", "++---+++"),
        (CONVERGE, "corner", "........"),
        (SOLUTIONS, "oscillator-exact", "++++-+++"),
        (SOLUTIONS, "oscillator-noise", "........"),
        (SOLUTIONS, "cascade", "........"),
        (SOLUTIONS, "corner", "------++"),
        (ENSEMBLE, "oscillator-noise", "++--++++"),
        (ENSEMBLE, "impact", "........"),
        (ENSEMBLE, "corner", "........"),
        (MASS, "oscillator-exact", "+----+++"),
        (MASS, "oscillator-euler", "++---+++"),
        (MASS, "oscillator-noise", "++---+++"),
    ];
    let s = sandbox();
    let short = MODEL.replace("end = 40.0", "end = 2.0").replace("rows = 401\n", "");
    let by = |name: &str| short.replace("\"exact\"", &format!("\"{name}\""));
    let noise = "[[oscillator.force]]\nornstein-uhlenbeck = { rate = 1.0, intensity = 0.5 }\n[oscillator.initial]";
    s.write("oscillator-exact.toml", &short).write("oscillator-euler.toml", by("euler"));
    s.write("oscillator-adaptive.toml", by("adaptive"));
    s.write("oscillator-noise.toml", by("euler").replace("[oscillator.initial]", noise));
    for (command, model, expected) in table {
        let file = format!("{model}.toml");
        let plain = [&command[..1], &[file.as_str()], &command[1..]].concat();
        let runs = s.run(&plain).code == Some(0);
        assert_eq!(runs, !expected.contains('.'), "{plain:?}");
        for (option, expected) in OPTIONS.iter().zip(expected.chars()) {
            let args = [&plain[..], option].concat();
            let ended = s.run(&args);
            assert_eq!(ended.code == Some(0), expected == '+', "{args:?}: {}", ended.stderr);
            assert!(
                ended.code == Some(0) || ended.stderr.contains("help:"),
                "{args:?}: {}",
                ended.stderr
            );
        }
    }
}

/// A comparison for oscillators only, or any other option of one command.
#[test]
fn options_of_ensembles_apply_to_every_kind_or_are_refused() {
    let s = sandbox();
    let noise = "[[cascade.force]]\nornstein-uhlenbeck = { rate = 1.0, intensity = 0.5 }\n[run]\nstep = 0.01\n";
    s.write(
        "noisy-cascade.toml",
        CASCADE.replace("[run]\n", noise).replace("scheme = \"exact\"\n", ""),
    );
    let on = "[[network.force]]\non = \"a\"\nornstein-uhlenbeck = { rate = 1.0, intensity = 0.5 }\n[run]\nstep = 0.01\n";
    s.write(
        "noisy-network.toml",
        NETWORK.replace("[run]\n", on).replace("scheme = \"exact\"\n", ""),
    );
    for (model, sign) in [("noisy-cascade", false), ("noisy-network", true)] {
        let file = format!("{model}.toml");
        let run = |more: &[&str]| s.run(&[&["ensemble", &file, "--paths", "3"], more].concat());
        for more in
            [&["--final"][..], &["--level", "0.1"], &["--quantiles", "0.25"], &["--threads", "1"]]
        {
            run(more).done();
        }
        assert_eq!(run(&["--explicit-sign"]).code == Some(0), sign, "{model}");
    }
}

#[test]
fn the_order_of_another_scheme_is_announced() {
    let s = sandbox();
    for (file, measured) in
        [("model", "euler"), ("cascade", "implicit-euler"), ("impact", "moreau")]
    {
        let ended = s.run(&["converge", &format!("{file}.toml"), "--halvings", "2"]).done();
        let said = format!("`exact` has no step to halve; the order of `{measured}` is measured");
        assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    }
}

/// On a problem with one solution by the rule, both commands agree that nothing is in doubt; on one without, on when.
#[test]
fn solutions_begin_with_what_a_simulation_says() {
    let s = sandbox();
    let simulated = s.run(&["simulate", "model.toml"]).done().stderr;
    assert!(!simulated.contains("depend continuously"), "{simulated}");
    let listed = s.run(&["solutions", "model.toml", "--limit", "3"]).done().stdout;
    assert!(
        listed.contains("No instant was found at which it does not depend continuously"),
        "{listed}"
    );
    let at = |part: &str| listed.find(part).unwrap();
    assert!(at("With the rule") < at("Without the rule: more than 3 solutions"));
    let summary = s.run(&["solutions", "model.toml", "--limit", "3", "--json"]).done().stdout;
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!((&summary["unique"], &summary["truncated"]), (&true.into(), &true.into()));
    // A load that rises to f_s and stays there.
    let touching = "[oscillator]\nmass = 1.0\nstiffness = 0.0\nfriction.static-dynamic = { static = 1.2, dynamic = 1.0 }\n\
        [[oscillator.force]]\nharmonic = { amplitude = 1.2, angular_frequency = 1.0, phase = -1.5707963267948966 }\n\
        [run]\nend = 3.0\nstep = 0.1\n";
    s.write("touching.toml", touching);
    let warned = s.run(&["simulate", "touching.toml"]).done().stderr;
    let listed = s.run(&["solutions", "touching.toml", "--limit", "3"]).done().stdout;
    let doubt = warned.lines().find_map(|l| l.strip_prefix("warning: ")).unwrap();
    assert!(listed.contains(doubt.split(';').next().unwrap()), "{warned}\n{listed}");
}

/// The energies say what they are: the far end of the spring moves.
#[test]
fn energies_of_an_oscillator_say_what_is_counted() {
    let s = sandbox();
    let text = s.run(&["simulate", "model.toml"]).done().stdout;
    assert!(
        text.contains("work of K d + F on the mass") && text.contains("elastic, K x²/2"),
        "{text}"
    );
}

#[test]
fn every_shell_has_completions_and_there_is_a_manual() {
    let s = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = s.run(&["completions", shell]).done().stdout;
        assert!(text.contains("simulate") && text.contains("halvings"), "{shell}");
    }
    s.run(&["completions", "dos"]).failed(2, &["dos"]);
    let page = s.run(&["man"]).done().stdout;
    assert!(page.contains(".TH stickslip 1") && page.contains("stickslip\\-ensemble"), "{page}");
}
