//! The Python package: its wheel, and its tests in a virtual environment of their own.

use crate::fmu;
use crate::shell::{Outcome, is_there, root, run, run_in, run_with, target};
use std::path::PathBuf;

/// What the tests need beside the package.
const TOOLS: [&str; 14] = [
    "maturin>=1.10,<2",
    "numpy",
    "pytest",
    "hypothesis",
    "mypy",
    "matplotlib",
    "pandas",
    "scipy",
    // Those that read the tables of fleets, and an engine for their parts.
    "pyarrow",
    "polars",
    "duckdb",
    "distributed",
    "fmpy",
    "python-flint",
];

pub fn interpreter() -> Option<String> {
    let asked = std::env::var("PYTHON").ok();
    asked.into_iter().chain(["python3".to_owned(), "python".to_owned()]).find(|p| is_there(p))
}

fn crate_folder() -> PathBuf {
    root().join("crates").join("stickslip-python")
}

/// A program of the virtual environment.
fn of_environment(program: &str) -> String {
    let (folder, suffix) = if cfg!(windows) { ("Scripts", ".exe") } else { ("bin", "") };
    let path = target().join("python").join(folder).join(format!("{program}{suffix}"));
    path.display().to_string()
}

/// A virtual environment under `target`, with the tools in it; or what this machine lacks.
fn environment() -> Result<(), Outcome> {
    let skipped = |why: String| Outcome::Skipped(format!("the Python package ({why})"));
    let Some(python) = interpreter() else {
        return Err(skipped("there is no Python; set PYTHON to its path".to_owned()));
    };
    let folder = target().join("python").display().to_string();
    if !is_there(&of_environment("python")) {
        run("a virtual environment", &python, &["-m", "venv", &folder]).map_err(skipped)?;
    }
    let mut arguments = vec!["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    arguments.extend(TOOLS);
    run("the tools of the tests", &of_environment("python"), &arguments).map_err(skipped)
}

/// Builds the wheel in a profile of cargo's: its path.
///
/// What is given to others is built in `wheel`, fast and small, which takes minutes. The tests take
/// `dev`, whose computing crates are optimised and which shares everything with the tests of the workspace.
fn wheel(profile: &str) -> Result<PathBuf, String> {
    let (manifest, out) =
        (crate_folder().join("Cargo.toml"), target().join("wheels").join(profile));
    let _ = std::fs::remove_dir_all(&out);
    let (manifest, folder) = (manifest.display().to_string(), out.display().to_string());
    let (python, maturin) = (of_environment("python"), of_environment("maturin"));
    let library = fmu::library(if profile == "wheel" { "fmu" } else { profile })?;
    let asked = ["build", "--profile", profile, "--features", "fmu,parquet", "-m", &manifest];
    let smaller: &[&str] = if profile == "wheel" { &["--compression-level", "9"] } else { &[] };
    let arguments = [&asked[..], &["--out", &folder, "-i", &python], smaller].concat();
    run_with("the wheel", ("STICKSLIP_FMI_LIBRARY", &library), &maturin, &arguments)?;
    let entries = std::fs::read_dir(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let mut paths = entries.filter_map(|e| Some(e.ok()?.path()));
    let wheel = paths.find(|p| p.extension().is_some_and(|e| e == "whl"));
    wheel.ok_or_else(|| format!("{}: maturin has left no wheel", out.display()))
}

/// Builds the wheel and says where it is.
pub fn wheel_only() -> Outcome {
    if let Err(outcome) = environment() {
        return outcome;
    }
    match wheel("wheel") {
        Ok(path) => Outcome::Passed(format!("{}", path.display())),
        Err(what) => Outcome::Failed(what),
    }
}

/// Builds the wheel, installs it in the environment and runs the tests with it.
pub fn test() -> Outcome {
    if let Err(outcome) = environment() {
        return outcome;
    }
    match tested() {
        Ok(()) => Outcome::Passed("the Python package".to_owned()),
        Err(what) => Outcome::Failed(what),
    }
}

fn tested() -> Result<(), String> {
    let wheel = wheel("dev")?.display().to_string();
    let python = of_environment("python");
    let install = ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", &wheel];
    run("installing the wheel", &python, &install)?;
    let tests = crate_folder().join("tests").display().to_string();
    let config = crate_folder().join("pyproject.toml").display().to_string();
    // Away from the sources, so that the installed package is the one that is tested.
    let away = target().join("python");
    run_in("types of the Python package", crate_folder(), &python, &["-m", "mypy"])?;
    let arguments = ["-m", "pytest", "-c", &config, &tests];
    run_in("tests of the Python package", away, &python, &arguments)
}
