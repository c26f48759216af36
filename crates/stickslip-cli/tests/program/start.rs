//! First steps: help and version.

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
