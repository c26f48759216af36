//! First steps: help, version, templates.

use super::sandbox::Sandbox;

#[test]
fn help_says_how_to_begin() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["--help"]).done().stdout;
    for part in [
        "simulate",
        "converge",
        "calibrate",
        "new",
        "stickslip new simulate model.toml",
        "Exit codes",
    ] {
        assert!(help.contains(part), "{part}");
    }
    for command in ["simulate", "converge", "calibrate"] {
        let help = sandbox.run(&[command, "--help"]).done().stdout;
        for part in ["--out <DIR>", "--json", "--set <KEY.PATH=VALUE>", "--quiet", "--seed"] {
            assert!(help.contains(part), "{command}: {part}");
        }
    }
    assert!(sandbox.run(&["--version"]).done().stdout.contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_model_template_runs() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "simulate", "mine.toml"]).done();
    for scheme in ["exact", "euler", "quasi-static"] {
        sandbox.run(&["simulate", "mine.toml", "--scheme", scheme]).done();
    }
    assert_eq!(sandbox.run(&["new", "simulate"]).done().stdout, sandbox.read("mine.toml"));
}

#[test]
fn every_line_the_model_template_offers_is_valid() {
    let sandbox = Sandbox::new();
    let template = sandbox.run(&["new", "simulate"]).done().stdout;
    // Everything that is commented out and reads like TOML, except the law (there is one already).
    let offered = |line: &str| {
        let rest = line.strip_prefix("# ")?;
        let toml = rest.starts_with("[[") || rest.contains(" = ");
        (toml && !rest.starts_with(' ') && !rest.contains("c x′")).then(|| rest.to_owned())
    };
    let all: Vec<String> =
        template.lines().map(|l| offered(l).unwrap_or_else(|| l.to_owned())).collect();
    sandbox.write("all.toml", all.join("\n")).write("drive.csv", "time,position\n0,0\n40,1\n");
    // Quadratic damping has no closed form.
    let printed =
        sandbox.run(&["simulate", "all.toml", "--json", "--scheme", "adaptive"]).done().stdout;
    let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(summary["model"]["oscillator"]["drive"].as_array().unwrap().len(), 5);
    assert_eq!(summary["model"]["oscillator"]["force"].as_array().unwrap().len(), 1);
}

#[test]
fn every_law_the_model_template_offers_is_valid() {
    let sandbox = Sandbox::new();
    let template = sandbox.run(&["new", "simulate"]).done().stdout;
    let laws: Vec<&str> =
        template.lines().filter_map(|l| l.strip_prefix("#   friction.")).collect();
    assert_eq!(laws.len(), 8);
    for law in laws {
        let text = format!(
            "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.{law}\n[[oscillator.drive]]\nramp = {{ rate = 0.5, offset = 0.0 }}\n\
             [run]\nend = 8.0\nstep = 0.01\n"
        );
        sandbox.write("law.toml", text);
        for scheme in ["adaptive", "euler", "implicit-euler", "sign-euler"] {
            sandbox.run(&["simulate", "law.toml", "--scheme", scheme]).done();
        }
        sandbox.run(&["converge", "law.toml", "--against", "exact", "--halvings", "2"]).done();
    }
}

#[test]
fn the_fit_template_comes_with_a_record() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "calibrate", "fit.toml"]).done();
    assert_eq!(sandbox.list("."), ["bearing.csv", "fit.toml", "model.toml"]);
    assert!(
        sandbox
            .read("bearing.csv")
            .starts_with("time,temperature,displacement\n2024-03-01T00:00:00Z,")
    );
}

/// The made-up records show the friction that they were made with.
#[test]
fn every_kind_of_record_has_a_template_that_works() {
    for (kind, data, said) in
        [("pulled-slider", "force.csv", "mu_s"), ("rigid-drive", "drive.csv", "kg")]
    {
        let sandbox = Sandbox::new();
        sandbox.run(&["new", "calibrate", "--kind", kind, "fit.toml"]).done();
        assert!(sandbox.list(".").iter().any(|f| f == data));
        assert!(sandbox.run(&["calibrate", "fit.toml"]).done().stdout.contains(said), "{kind}");
    }
}

#[test]
fn a_template_replaces_nothing() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "simulate", "model.toml"]).failed(1, &["model.toml: exists already"]);
    sandbox.run(&["new", "simulate", "nowhere/model.toml"]).failed(1, &["cannot be written"]);
    sandbox.write("bearing.csv", "mine");
    sandbox.run(&["new", "calibrate", "fit.toml"]).done();
    assert_eq!(sandbox.read("bearing.csv"), "mine");
}
