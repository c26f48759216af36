//! A release without publishing: everything that this machine can build is built as it is given to others, installed in a
//! clean place, and tried there.

use crate::python;
use crate::shell::{Outcome, listed, root, run, run_in, run_with, rust_for, shortened, target};
use crate::{bits, elsewhere, release};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The oldest C library that the artefacts for Linux need: that of RHEL 7, older than those of RHEL 8, Debian 11 and Ubuntu 20.04.
const GLIBC: &str = "2.17";
/// The platform that is tried here.
const HERE: &str = "x86_64-unknown-linux-gnu";
/// Platforms whose libraries of FMUs can be linked here, by what Rust calls them and by the tag of a wheel.
const LIBRARIES: [(&str, &str, &str); 3] = [
    (HERE, "manylinux_2_17_x86_64", "libstickslip_fmi.so"),
    ("aarch64-unknown-linux-gnu", "manylinux_2_17_aarch64", "libstickslip_fmi.so"),
    ("x86_64-pc-windows-gnu", "win_amd64", "stickslip_fmi.dll"),
];
/// From the download to the first report, s: longer deserves a look.
const PATIENCE: f64 = 60.0;

/// A trial of an artefact: what was found, or what is wrong.
type Trial = fn() -> Result<String, String>;

/// Where the artefacts lie.
fn out() -> PathBuf {
    target().join("release-dry-run")
}

/// Builds and tries everything, and compares the bits of other machines.
pub fn dry_run() -> Vec<Outcome> {
    let mut outcomes = vec![match release::check(None) {
        Outcome::Failed(why) => Outcome::Skipped(format!("the release itself: {why}")),
        other => other,
    }];
    match built() {
        Ok(made) => {
            outcomes.extend(made.into_iter().map(Outcome::Passed));
            let tried: [(&str, Trial); 4] = [
                ("the program from its archive", installed),
                ("the wheels in a clean environment", imported),
                ("their FMU on other systems", elsewhere::moved),
                ("the source distribution", from_source),
            ];
            outcomes.extend(tried.into_iter().map(|(what, work)| match work() {
                Ok(found) => Outcome::Passed(format!("{what}: {found}")),
                Err(why) => Outcome::Failed(format!("{what}: {why}")),
            }));
        }
        Err(outcome) => outcomes.push(outcome),
    }
    outcomes.extend(bits::compare());
    outcomes
}

/// The program, the wheels and the list of their digests; what was made, in words.
fn built() -> Result<Vec<String>, Outcome> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        let why = "a dry run of the release (it is made for Linux on x86-64)";
        return Err(Outcome::Skipped(why.to_owned()));
    }
    python::environment()?;
    let tools = ["-m", "pip", "install", "--quiet", "ziglang", "cargo-zigbuild"];
    run("a linker for old systems", &python::of_environment("python"), &tools)
        .map_err(|why| Outcome::Skipped(format!("a dry run of the release ({why})")))?;
    let made = || -> Result<Vec<String>, String> {
        let _ = fs::remove_dir_all(out());
        fs::create_dir_all(out()).map_err(|e| format!("{}: {e}", out().display()))?;
        let archive = program()?;
        let wheels = wheels()?;
        let sums = sums()?;
        Ok(vec![archive, wheels, sums])
    };
    made().map_err(Outcome::Failed)
}

/// Builds with a linker that knows old versions of the C library.
fn zigbuild(
    what: &str,
    triple: &str,
    asked: &[&str],
    library: Option<&str>,
) -> Result<PathBuf, String> {
    rust_for(triple)?;
    let program = python::of_environment("cargo-zigbuild");
    let old =
        if triple.contains("linux") { format!("{triple}.{GLIBC}") } else { triple.to_owned() };
    // The flags of the wheel, so that what both are made of is compiled once.
    let paths = format!("build.rustflags={}", listed(shortened()));
    let how = ["--profile", "dist", "--target", &old, "--config", &paths];
    let arguments = [asked, &how].concat();
    let python = python::of_environment("python");
    let mut variables = vec![("CARGO_ZIGBUILD_PYTHON_PATH", python.as_str())];
    variables.extend(library.map(|l| ("STICKSLIP_FMI_LIBRARY", l)));
    run_with(what, &variables, &program, &arguments)?;
    Ok(target().join(triple).join("dist"))
}

/// The library of FMUs for a platform.
fn library(triple: &str, file: &str) -> Result<PathBuf, String> {
    let asked = ["rustc", "-p", "stickslip-fmi", "--lib", "--crate-type", "cdylib"];
    Ok(zigbuild("the library of FMUs", triple, &asked, None)?.join(file))
}

/// The archive of the program, as the workflow packs it.
fn program() -> Result<String, String> {
    let library = library(HERE, "libstickslip_fmi.so")?.display().to_string();
    let asked = ["build", "-p", "stickslip-cli", "--bin", "stickslip", "--features", "fmu,parquet"];
    let built = zigbuild("the program", HERE, &asked, Some(&library))?.join("stickslip");
    let needed = newest_glibc(&built)?;
    let folder = out().join("stickslip");
    let made = || -> std::io::Result<()> {
        fs::create_dir_all(&folder)?;
        fs::copy(&built, folder.join("stickslip"))?;
        for file in ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            fs::copy(root().join(file), folder.join(file))?;
        }
        copied(&root().join("examples"), &folder.join("examples"))
    };
    made().map_err(|e| format!("{}: {e}", folder.display()))?;
    let name = "stickslip-linux-x86_64.tar.gz";
    run_in("the archive", out(), "tar", &["-czf", name, "stickslip"])?;
    let _ = fs::remove_dir_all(&folder);
    Ok(format!("{name}; needs glibc {needed}"))
}

/// A folder with everything in it.
fn copied(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copied(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// The newest version of glibc that a program asks for.
fn newest_glibc(program: &Path) -> Result<String, String> {
    let bytes = fs::read(program).map_err(|e| format!("{}: {e}", program.display()))?;
    let text: String = bytes.iter().map(|b| char::from(*b)).collect();
    let versions = text.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let mut numbers = rest[..end].split('.').map(|n| n.parse::<u32>().ok());
        Some((numbers.next()??, numbers.next()??))
    });
    let newest = versions.max().ok_or("it names no version of glibc")?;
    let found = format!("{}.{}", newest.0, newest.1);
    let [major, minor] = [0, 1].map(|i| GLIBC.split('.').nth(i).and_then(|n| n.parse().ok()));
    match (major, minor) {
        (Some(major), Some(minor)) if newest <= (major, minor) => Ok(found),
        _ => Err(format!("{} needs glibc {found}; expected {GLIBC} or older", program.display())),
    }
}

/// The wheel of the package, and one of the libraries of FMUs for all platforms that can be linked here.
fn wheels() -> Result<String, String> {
    let package = python::old_wheel(&out(), HERE, GLIBC)?;
    let python = python::of_environment("python");
    let tool = python::tool("wheels.py");
    let name = package.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let version = name.split('-').nth(1).unwrap_or_default();
    for (triple, tag, file) in LIBRARIES {
        let library = library(triple, file)?.display().to_string();
        // The name tells the tool version and platform; nothing is read of the wheel itself.
        let beside = out().join(format!("stickslip-{version}-cp310-abi3-{tag}.whl"));
        let beside = beside.display().to_string();
        run("a wheel of FMUs", &python, &[&tool, "library", &beside, &library])?;
    }
    let folder = out().display().to_string();
    run("one wheel of FMUs", &python, &[&tool, "merge", &folder])?;
    let names = python::made(&out())?;
    let names = names.iter().filter_map(|p| Some(p.file_name()?.to_str()?.to_owned()));
    Ok(names.collect::<Vec<_>>().join(", "))
}

/// The digests of everything that people download.
fn sums() -> Result<String, String> {
    run_in("digests", out(), "sh", &["-c", "sha256sum *.tar.gz *.whl > SHA256SUMS"])?;
    Ok(format!("SHA256SUMS in {}", out().display()))
}

/// An empty folder to install in.
fn clean(name: &str) -> Result<PathBuf, String> {
    let place = target().join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    Ok(place)
}

/// Installs the archive as somebody without a compiler does, from a folder in place of an address, and runs the main job.
fn installed() -> Result<String, String> {
    let place = clean("release-installed")?;
    let start = Instant::now();
    let script = root().join("tools").join("install.sh");
    let from = format!("file://{}", out().display());
    bare(
        &place,
        &[&script.display().to_string(), "--from", &from, "--to", &place.display().to_string()],
    )?;
    let program = place.join("bin").join("stickslip").display().to_string();
    let example =
        place.join("share/stickslip/examples/bearing-year/fit.toml").display().to_string();
    let report = place.join("bearing").display().to_string();
    bare(&place, &["-c", &format!("'{program}' calibrate '{example}' --out '{report}'")])?;
    let took = start.elapsed().as_secs_f64();
    if !Path::new(&report).join("report.html").is_file() {
        return Err("it wrote no report".to_owned());
    }
    if took > PATIENCE {
        eprintln!("warning: {took:.0} s to the first report; the aim is {PATIENCE} s at most");
    }
    Ok(format!("{took:.1} s from the archive to the first report"))
}

/// Runs a shell that knows nothing of this machine's toolchains.
fn bare(place: &Path, arguments: &[&str]) -> Result<(), String> {
    eprintln!("> sh {}", arguments.join(" "));
    let mut shell = Command::new("sh");
    shell.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", place).current_dir(place);
    match shell.args(arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("sh ended with {status}")),
        Err(e) => Err(format!("sh could not be started: {e}")),
    }
}

/// What the wheels must do where nothing but they and numpy are installed.
const TRIED: &str = "
import stickslip as ss, stickslip_fmi, subprocess, sys, zipfile
fit = ss.calibrate('{fit}')
f_s = fit.parameters['f_s'].value
assert 0.99 < f_s / 470e3 < 1.01, f_s
def program(*words):
    subprocess.run([sys.executable, '-m', 'stickslip', *words], check=True, stdout=subprocess.DEVNULL)
program('--version')
program('new', 'simulate', 'model.toml')
program('simulate', 'model.toml', '--out', 'motion')
shaw = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(1.0), drive=ss.harmonic(6.0, 0.5))
ss.export_fmu(shaw, 'shaw.fmu', t_end=40)
print(len(stickslip_fmi.libraries), 'platforms in an FMU:', *sorted(n.split('/')[1] for n in zipfile.ZipFile('shaw.fmu').namelist() if n.startswith('binaries/')))
";

/// Installs the wheels in an environment of their own.
fn imported() -> Result<String, String> {
    let wheels = python::made(&out())?;
    let wheels: Vec<String> = wheels.iter().map(|w| w.display().to_string()).collect();
    tried("release-python", &wheels.iter().map(String::as_str).collect::<Vec<_>>())?;
    Ok(format!("{} wheels, the main job, the program, a template and an FMU", wheels.len()))
}

/// Builds the source distribution, and the package from it as pip does.
fn from_source() -> Result<String, String> {
    let folder = out().display().to_string();
    let manifest = python::manifest();
    run(
        "the sources",
        &python::of_environment("maturin"),
        &["sdist", "-m", &manifest, "--out", &folder],
    )?;
    let archives = fs::read_dir(out()).map_err(|e| format!("{folder}: {e}"))?;
    let archive = archives
        .filter_map(|e| Some(e.ok()?.path()))
        .find(|p| {
            p.to_string_lossy().contains("stickslip-")
                && !p.to_string_lossy().contains("linux")
                && p.extension().is_some_and(|e| e == "gz")
        })
        .ok_or("maturin left no archive")?;
    let wheels = python::made(&out())?;
    let wheel = wheels.iter().find(|w| w.to_string_lossy().contains("stickslip_fmi"));
    let wheel = wheel.ok_or("there is no wheel of FMUs")?.display().to_string();
    tried("release-sources", &[&archive.display().to_string(), &wheel])?;
    Ok(format!("{} builds and passes the same", archive.display()))
}

/// A fresh environment with these packages, in which the main job is run.
fn tried(name: &str, packages: &[&str]) -> Result<(), String> {
    let place = clean(name)?;
    let python = python::interpreter().ok_or("there is no Python")?;
    run_in("a virtual environment", place.clone(), &python, &["-m", "venv", "venv"])?;
    let own = place.join("venv").join("bin").join("python").display().to_string();
    let install = [&["-m", "pip", "install", "--quiet", "numpy"][..], packages].concat();
    run_in("installing", place.clone(), &own, &install)?;
    let fit = root().join("examples/bearing-year/fit.toml").display().to_string();
    run_in("the main job", place, &own, &["-c", &TRIED.replace("{fit}", &fit)])
}
