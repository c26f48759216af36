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

/// The digests of the program are those of the library, whose own tests say what is in them.
#[test]
fn the_version_with_its_bits() {
    let sandbox = Sandbox::new();
    let said = sandbox.run(&["--version", "--bits"]).done().stdout;
    let (head, digests) = said.split_once('\n').unwrap();
    assert_eq!(head, concat!("stickslip ", env!("CARGO_PKG_VERSION")));
    let ours = stickslip_reference::bits(&stickslip_run::Context::silent()).unwrap();
    assert_eq!(digests, ours.to_string());
    sandbox.run(&["--bits"]).failed(2, &["--bits"]);
}
