//! The library that goes into FMUs, and a program that carries it.

use crate::shell::{Outcome, root, run, run_with, target};

/// The cargo that runs this.
pub fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// The program with the crates of the wheel beside it. Which features of a library are on depends on the packages that are
/// built together: with these the program shares everything with the wheel, and nothing is compiled twice.
pub const AS_WHEEL: [&str; 6] = [
    "-p",
    "stickslip-cli",
    "-p",
    "stickslip-python",
    "--features",
    "stickslip-cli/parquet,stickslip-python/parquet",
];

/// Builds the library in a profile of cargo's: its path.
pub fn library(profile: &str) -> Result<String, String> {
    // For tests beside the program and as that was built, which compiles nothing twice. Else alone and as nothing but a
    // shared library: only then does the linker see, and remove, what nobody calls.
    let asked: &[&str] = match profile {
        "dev" => &[&["build", "-p", "stickslip-fmi"], &AS_WHEEL[..]].concat(),
        _ => &[
            "rustc",
            "-p",
            "stickslip-fmi",
            "--lib",
            "--crate-type",
            "cdylib",
            "--profile",
            profile,
        ],
    };
    run("the library of FMUs", &cargo(), asked)?;
    let folder = target().join(if profile == "dev" { "debug" } else { profile });
    let name =
        format!("{}stickslip_fmi{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    Ok(folder.join(name).display().to_string())
}

/// An FMU that is larger, bytes, deserves a look at what has made it grow.
const LARGE: u64 = 4_000_000;

/// Builds the program as it is given to others, and says where it is, and how large the FMUs are that it makes.
pub fn program() -> Outcome {
    let built = library("dist").and_then(|library| {
        let asked = ["build", "--profile", "dist", "-p", "stickslip-cli", "--bin", "stickslip"];
        let arguments = [&asked[..], &["--features", "fmu,parquet"]].concat();
        run_with("the program", &[("STICKSLIP_FMI_LIBRARY", &library)], &cargo(), &arguments)?;
        let program = format!("stickslip{}", std::env::consts::EXE_SUFFIX);
        let path = target().join("dist").join(program).display().to_string();
        Ok(format!("{path}; {}", sizes(&path)?))
    });
    built.map_or_else(Outcome::Failed, Outcome::Passed)
}

/// How large FMUs are that the program makes.
fn sizes(program: &str) -> Result<String, String> {
    let model = root().join("examples").join("stops").join("model.toml").display().to_string();
    let size = |version: &str| {
        let out = target().join(format!("size-{version}.fmu"));
        let path = out.display().to_string();
        // One that an older version made would not be replaced.
        let _ = std::fs::remove_file(&out);
        run("an FMU", program, &["fmu", &model, "--out", &path, "--fmi", version])?;
        let size = std::fs::metadata(&out).map_err(|e| format!("{path}: {e}"))?.len();
        if size > LARGE {
            eprintln!("warning: an FMU of {size} bytes; the aim is {LARGE} at most");
        }
        Ok::<_, String>(size)
    };
    Ok(format!("an FMU has {} bytes (2.0), {} (3.0)", size("2")?, size("3")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::process::Command;

    /// Packages with their features, as cargo resolves them for a selection; `None` where some are not here and cannot be fetched.
    fn resolved(selection: &[&str]) -> Option<BTreeSet<String>> {
        let shape = ["tree", "--locked", "--prefix", "none", "--format", "{p} {f}"];
        let output = Command::new(cargo()).args(shape).args(selection).current_dir(root()).output();
        let output = output.expect("cargo tree");
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(["download", "offline"].iter().any(|why| said.contains(why)), "{said}");
            return None;
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Some(text.lines().map(|l| l.trim_end_matches(" (*)").to_owned()).collect())
    }

    /// The wheel and the program need not compile anew what the tests of the workspace have compiled: what computes takes longest.
    #[test]
    fn builds_share_what_computes() {
        let workspace = ["--workspace", "--edges", "normal,build,dev"];
        let as_wheel = [&AS_WHEEL[..], &["--edges", "normal,build"]].concat();
        let computing = ["-p", "stickslip-calibrate", "--edges", "normal,build"];
        let (Some(tests), Some(wheel), Some(packages)) =
            (resolved(&workspace), resolved(&as_wheel), resolved(&computing))
        else {
            eprintln!(
                "skipped: packages of the wheel are not on this machine, and cannot be fetched"
            );
            return;
        };
        let of = |all: &BTreeSet<String>| {
            let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
            let names: BTreeSet<String> = packages.iter().map(|l| name(l)).collect();
            all.iter().filter(|l| names.contains(&name(l))).cloned().collect::<BTreeSet<_>>()
        };
        let [tests, wheel] = [of(&tests), of(&wheel)];
        assert!(wheel.iter().any(|l| l.starts_with("stickslip-calibrate ")));
        // Those of other versions are there for somebody else.
        let anew: Vec<_> = wheel.difference(&tests).collect();
        assert!(anew.is_empty(), "{anew:?}");
    }
}
