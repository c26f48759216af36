//! The same bits on every machine: the digests of fixed computations, from builds for other processors and systems that run
//! here under an emulator.

use crate::fmu::cargo;
use crate::shell::{Outcome, is_there, root, target};
use std::process::Command;

/// A build of the program, and what runs it here.
struct Target {
    /// As Rust calls it.
    triple: &'static str,
    /// The linker, which is also what must be there to build it; empty for Rust's own.
    linker: &'static str,
    /// What runs it, with its arguments.
    runner: &'static [&'static str],
}

/// Other machines. The first of a runner's words is what must be there to run it.
const OTHERS: [Target; 2] = [
    Target {
        triple: "aarch64-unknown-linux-gnu",
        linker: "aarch64-linux-gnu-gcc",
        runner: &["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"],
    },
    Target { triple: "x86_64-pc-windows-gnu", linker: "x86_64-w64-mingw32-gcc", runner: &["wine"] },
];

/// Compares this machine's digests with those of all others that can be emulated here.
pub fn compare() -> Vec<Outcome> {
    let ours = match digests(None) {
        Ok(text) => text,
        Err(why) => return vec![Outcome::Failed(why)],
    };
    let all = ours.lines().last().unwrap_or_default().to_owned();
    let mut outcomes = vec![Outcome::Passed(format!("this machine: {all}"))];
    outcomes.extend(OTHERS.iter().map(|other| of(other, &ours)));
    outcomes.push(of_wasm(&ours));
    outcomes
}

const WASM: &str = "wasm32-unknown-unknown";

/// Loads a module that exports the text of its digests, and prints it.
const LOADER: &str = "
const bytes = require('fs').readFileSync(process.argv[1]);
const { bits, bits_length, memory } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
const start = bits();
process.stdout.write(Buffer.from(memory.buffer, start, bits_length()));
";

/// The same computations as a browser does them, in Node.js.
fn of_wasm(ours: &str) -> Outcome {
    if !is_there("node") {
        return Outcome::Skipped(format!("{WASM}: there is no Node.js"));
    }
    let build =
        ["build", "-p", "stickslip-reference", "--no-default-features", "--example", "bits"];
    let built =
        Command::new(cargo()).args(build).args(["--target", WASM]).current_dir(root()).status();
    match built {
        Ok(status) if status.success() => {}
        Ok(status) => return Outcome::Failed(format!("{WASM}: the build ended with {status}")),
        Err(e) => return Outcome::Failed(format!("{WASM}: cargo could not be started: {e}")),
    }
    let module = target().join(WASM).join("debug/examples/bits.wasm");
    let ended = Command::new("node").args(["-e", LOADER]).arg(&module).output();
    match ended {
        Err(e) => Outcome::Failed(format!("{WASM}: node could not be started: {e}")),
        Ok(ended) if !ended.status.success() => {
            let why = String::from_utf8_lossy(&ended.stderr);
            Outcome::Failed(format!("{WASM}: ended with {}: {}", ended.status, why.trim()))
        }
        // The first line of a program says its version, which a module has not.
        Ok(ended) => {
            let theirs = String::from_utf8_lossy(&ended.stdout);
            compared(WASM, ours.split_once('\n').map_or("", |o| o.1), &theirs)
        }
    }
}

fn of(other: &Target, ours: &str) -> Outcome {
    let triple = other.triple;
    for program in [other.linker, other.runner[0]] {
        if !is_there(program) {
            return Outcome::Skipped(format!("{triple}: there is no {program}"));
        }
    }
    let theirs = match digests(Some(other)) {
        Ok(text) => text,
        // Rust's library needs it, and Wine 8 has none. A DLL of this name with `ProcessPrng` next to the program helps.
        Err(why) if why.contains("bcryptprimitives.dll") => {
            return Outcome::Skipped(format!("{triple}: this Wine lacks bcryptprimitives.dll"));
        }
        Err(why) => return Outcome::Failed(why),
    };
    compared(triple, ours, &theirs)
}

/// Which digests differ, if any do.
fn compared(name: &str, ours: &str, theirs: &str) -> Outcome {
    let differ: Vec<&str> = ours
        .lines()
        .zip(theirs.lines())
        .filter(|(a, b)| a != b)
        .filter_map(|(a, _)| a.rsplit_once(' '))
        .map(|(name, _)| name.trim())
        .collect();
    if theirs.lines().count() == ours.lines().count() && differ.is_empty() {
        Outcome::Passed(format!("{name}: the same bits"))
    } else {
        Outcome::Failed(format!("{name}: other bits in {}", differ.join(", ")))
    }
}

/// Builds the program and has it print its digests; for this machine if no other is named.
fn digests(other: Option<&Target>) -> Result<String, String> {
    let mut build = Command::new(cargo());
    build.args(["build", "-p", "stickslip-cli", "--bin", "stickslip"]).current_dir(root());
    if let Some(other) = other {
        let key = other.triple.replace('-', "_").to_uppercase();
        build.args(["--target", other.triple]);
        build.env(format!("CARGO_TARGET_{key}_LINKER"), other.linker);
    }
    let name = other.map_or("this machine", |o| o.triple);
    match build.status() {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("{name}: the build ended with {status}")),
        Err(e) => return Err(format!("{name}: cargo could not be started: {e}")),
    }
    let folder = other.map_or_else(target, |o| target().join(o.triple)).join("debug");
    let windows = other.map_or(cfg!(windows), |o| o.triple.contains("windows"));
    let program = folder.join(if windows { "stickslip.exe" } else { "stickslip" });
    let mut run = match other {
        Some(other) => {
            let mut run = Command::new(other.runner[0]);
            run.args(&other.runner[1..]).arg(&program);
            run
        }
        None => Command::new(&program),
    };
    let ended = run
        .args(["--version", "--bits"])
        .output()
        .map_err(|e| format!("{name}: {} could not be started: {e}", program.display()))?;
    if !ended.status.success() {
        let why = String::from_utf8_lossy(&ended.stderr);
        return Err(format!("{name}: ended with {}: {}", ended.status, why.trim()));
    }
    Ok(String::from_utf8_lossy(&ended.stdout).replace('\r', ""))
}
