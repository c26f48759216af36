//! The Python package: its wheel, and its tests in a virtual environment of their own.

use crate::fmu::{self, cargo};
use crate::shell::{Outcome, is_there, listed, root, run, run_in, run_with, shortened, target};
use std::path::{Path, PathBuf};

/// What the tests need beside the package.
const TOOLS: [&str; 17] = [
    "maturin>=1.10,<2",
    "numpy",
    "pytest",
    "pytest-xdist",
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
    "joblib",
    "fmpy",
    "python-flint",
    // Derivatives through motions: `jit`, `vmap`, `jvp`, `grad`. PyTorch is tested where the environment has it.
    "jax",
];

pub fn interpreter() -> Option<String> {
    let asked = std::env::var("PYTHON").ok();
    asked.into_iter().chain(["python3".to_owned(), "python".to_owned()]).find(|p| is_there(p))
}

fn crate_folder() -> PathBuf {
    root().join("crates").join("stickslip-python")
}

/// The manifest of the extension module.
pub fn manifest() -> String {
    crate_folder().join("Cargo.toml").display().to_string()
}

/// A tool of the package.
pub fn tool(name: &str) -> String {
    crate_folder().join("tools").join(name).display().to_string()
}

/// A program of the virtual environment.
pub fn of_environment(program: &str) -> String {
    let (folder, suffix) = if cfg!(windows) { ("Scripts", ".exe") } else { ("bin", "") };
    let path = target().join("python").join(folder).join(format!("{program}{suffix}"));
    path.display().to_string()
}

/// A virtual environment under `target`, with the tools in it; or what this machine lacks.
pub fn environment() -> Result<(), Outcome> {
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

/// Builds the wheels in a profile of cargo's: that of the package, and that of the library that goes into FMUs.
///
/// What is given to others is built in `dist`, as fast as the program, which takes minutes. The tests take
/// `dev`, whose computing crates are optimised and which shares everything with the tests of the workspace.
fn wheels(profile: &str) -> Result<Vec<PathBuf>, String> {
    let manifest = manifest();
    let out = target().join("wheels").join(profile);
    let folder = out.display().to_string();
    let _ = std::fs::remove_dir_all(&out);
    let python = of_environment("python");
    let asked = ["build", "--profile", profile, "-m", &manifest, "--out", &folder, "-i", &python];
    // Messages about defects name source files: not the folders of this machine.
    let paths = format!("build.rustflags={}", listed(shortened()));
    let paths: &[&str] = if profile == "dist" { &["--config", &paths] } else { &[] };
    run("the wheel", &of_environment("maturin"), &[&asked, paths].concat())?;
    let wheel = made(&out)?.first().map(|w| w.display().to_string());
    let wheel = wheel.ok_or_else(|| format!("{folder}: maturin has left no wheel"))?;
    let library = fmu::library(profile)?;
    run("the wheel of the library", &python, &[&tool("wheels.py"), "library", &wheel, &library])?;
    made(&out)
}

/// Builds the wheel of the package as it is given to others, for a target and with an old C library, into a folder.
pub fn old_wheel(out: &Path, triple: &str, glibc: &str) -> Result<PathBuf, String> {
    let folder = out.display().to_string();
    let python = of_environment("python");
    let compatible = format!("manylinux_{}", glibc.replace('.', "_"));
    let manifest = manifest();
    let asked =
        ["build", "--profile", "dist", "--zig", "--target", triple, "--compatibility", &compatible];
    let places = ["-m", &manifest, "--out", &folder, "-i", &python];
    let paths = format!("build.rustflags={}", listed(shortened()));
    let all = [&asked[..], &places, &["--config", &paths]].concat();
    let zig = [("CARGO_ZIGBUILD_PYTHON_PATH", python.as_str())];
    run_with("the wheel", &zig, &of_environment("maturin"), &all)?;
    made(out)?.pop().ok_or_else(|| format!("{folder}: maturin has left no wheel"))
}

/// The wheels in a folder.
pub fn made(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let paths = entries.filter_map(|e| Some(e.ok()?.path()));
    Ok(paths.filter(|p| p.extension().is_some_and(|e| e == "whl")).collect())
}

/// A wheel that is larger, bytes, deserves a look at what has made it grow: people download it.
const LARGE: u64 = 10_000_000;

/// Builds the wheels and says where they are, and how large.
pub fn wheel_only() -> Outcome {
    if let Err(outcome) = environment() {
        return outcome;
    }
    let paths = match wheels("dist") {
        Ok(paths) => paths,
        Err(what) => return Outcome::Failed(what),
    };
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |m| m.len());
    for path in paths.iter().filter(|p| size(p) > LARGE) {
        let size = size(path);
        eprintln!("warning: {} has {size} bytes; the aim is {LARGE} at most", path.display());
    }
    let said = |path: &PathBuf| format!("{} ({} bytes)", path.display(), size(path));
    Outcome::Passed(paths.iter().map(said).collect::<Vec<_>>().join(", "))
}

/// Makes the environment alone.
pub fn environment_only() -> Outcome {
    match environment() {
        Ok(()) => Outcome::Passed("the environment of the Python package".to_owned()),
        Err(outcome) => outcome,
    }
}

/// Builds the wheels, installs them in the environment and runs the tests with them.
pub fn test() -> Outcome {
    if let Err(outcome) = environment() {
        return outcome;
    }
    match tested() {
        Ok(()) => Outcome::Passed("the Python package".to_owned()),
        Err(what) => Outcome::Failed(what),
    }
}

/// Parquet as the program reads and writes it, which the tests of the workspace leave out. It also builds the program
/// that the package is compared with, and that writes Parquet for other readers.
fn parquet() -> Result<(), String> {
    let packages = ["-p", "stickslip-run", "-p", "stickslip-fuzz"];
    let of_fuzzing = ["--features", "stickslip-fuzz/parquet", "parquet"];
    run(
        "tests of Parquet",
        &cargo(),
        &[&["test"], &packages[..], &fmu::AS_WHEEL, &of_fuzzing].concat(),
    )?;
    let whole = ["test", "-p", "stickslip-parquet", "--features", "zstd"];
    run("tests of the reader of Parquet", &cargo(), &whole)
}

fn tested() -> Result<(), String> {
    parquet()?;
    let wheels = wheels("dev")?.iter().map(|w| w.display().to_string()).collect::<Vec<_>>();
    let python = of_environment("python");
    let mut install = vec!["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"];
    install.extend(wheels.iter().map(String::as_str));
    run("installing the wheels", &python, &install)?;
    let tests = crate_folder().join("tests").display().to_string();
    let config = crate_folder().join("pyproject.toml").display().to_string();
    // Away from the sources, so that the installed package is the one that is tested.
    let away = target().join("python");
    run_in("types of the Python package", crate_folder(), &python, &["-m", "mypy"])?;
    // A file's tests share what its fixtures have built, so files are what the processes share out.
    let shared = ["-n", "auto", "--dist", "loadfile", "--durations", "20"];
    let arguments = [&["-m", "pytest", "-c", &config, &tests][..], &shared].concat();
    run_in("tests of the Python package", away, &python, &arguments)
}
