//! Other simulators on the reference set.

use crate::python::interpreter;
use crate::shell::{Outcome, is_there, root, run, run_in, target};

/// What is compared, and what draws the figures. Whichever of them cannot be installed is left out.
const PEERS: [&str; 8] = [
    "scipy",
    "scikit-sundae",
    "diffrax",
    "mujoco",
    "pathsim",
    "exudyn",
    "openseespy",
    "matplotlib",
];

/// Builds the program, installs the peers in a virtual environment and lets them run.
pub fn compare() -> Outcome {
    let Some(python) = interpreter() else {
        return Outcome::Skipped("the comparison (there is no Python)".to_owned());
    };
    match compared(&python) {
        Ok(()) => Outcome::Passed("docs/peers.md is written".to_owned()),
        Err(what) => Outcome::Failed(what),
    }
}

fn compared(python: &str) -> Result<(), String> {
    let folder = target().join("peers");
    let (bin, suffix) = if cfg!(windows) { ("Scripts", ".exe") } else { ("bin", "") };
    let own = folder.join(bin).join(format!("python{suffix}")).display().to_string();
    if !is_there(&own) {
        run("a virtual environment", python, &["-m", "venv", &folder.display().to_string()])?;
    }
    for peer in PEERS {
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", peer];
        if let Err(why) = run("a peer", &own, &install) {
            eprintln!("left out: {why}");
        }
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    run("the program", &cargo, &["build", "--profile", "dist", "-p", "stickslip-cli"])?;
    let program = target().join("dist").join(format!("stickslip{suffix}")).display().to_string();
    let folder = root().join("benches").join("peers").join("reference");
    run_in(
        "the tests of the comparison",
        folder.clone(),
        &own,
        &["-m", "unittest", "-q", "tests"],
    )?;
    let script = folder.display().to_string();
    run("the comparison", &own, &[&script, &program])
}
