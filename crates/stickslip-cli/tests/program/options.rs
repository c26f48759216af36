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
    s.write("steps.toml", NETWORK.replace("scheme = \"exact\"\n", ""));
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
    s.run(&["new", "calibrate", "--kind", "pulled-slider", "fit.toml"]).done();
    s.run(&["calibrate", "fit.toml", "--windows", "30d"])
        .failed(2, &["pulled-slider", "leave --windows out"]);
}

#[test]
fn paths_with_noise_advance_in_one_scheme() {
    let s = sandbox();
    let noisy = MODEL
        .replace("[oscillator.initial]", "[[oscillator.force]]\nornstein-uhlenbeck = { rate = 1.0, intensity = 0.5 }\n[oscillator.initial]")
        .replace("scheme = \"exact\"", "scheme = \"implicit-euler\"");
    s.write("noisy.toml", noisy);
    s.run(&["converge", "noisy.toml", "--halvings", "2", "--paths", "3"])
        .failed(1, &["implicit-euler", "advance by euler"]);
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
