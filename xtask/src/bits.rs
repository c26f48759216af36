//! The same bits on every machine: the digests of fixed computations, from builds for other processors and systems that run
//! here under an emulator.

use crate::fmu::cargo;
use crate::shell::{Outcome, is_there, root, run, rust_for, target};
use std::path::Path;
use std::process::Command;

/// A build of the program, and what runs it here.
struct Target {
    /// As Rust calls it.
    triple: &'static str,
    /// As people call it, and what stands in for it here.
    shown: &'static str,
    /// The linker, which is also what must be there to build it; empty for Rust's own.
    linker: &'static str,
    /// What runs it, with its arguments.
    runner: &'static [&'static str],
}

/// Other machines. The first of a runner's words is what must be there to run it.
const OTHERS: [Target; 2] = [
    Target {
        triple: "aarch64-unknown-linux-gnu",
        shown: "aarch64, Linux (qemu)",
        linker: "aarch64-linux-gnu-gcc",
        runner: &["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"],
    },
    Target {
        triple: "x86_64-pc-windows-gnu",
        shown: "x86-64, Windows (Wine)",
        linker: "x86_64-w64-mingw32-gcc",
        runner: &["wine"],
    },
];

/// What a machine printed, or why there is nothing to compare.
type Told = Result<String, Outcome>;

/// Compares this machine's digests with those of all others that can be emulated here, and writes them into a page if all of them
/// answered.
pub fn compare() -> Vec<Outcome> {
    let ours = match digests(None) {
        Ok(text) => text,
        Err(why) => return vec![Outcome::Failed(why)],
    };
    // The first line of a program says its version, which a module has not.
    let ours = ours.split_once('\n').map_or("", |o| o.1);
    let all = ours.lines().last().unwrap_or_default().to_owned();
    let mut outcomes = vec![Outcome::Passed(format!("this machine: {all}"))];
    let mut columns = Vec::new();
    let others = OTHERS.iter().map(|other| (other.triple, other.shown, of(other)));
    for (triple, shown, told) in others.chain([(WASM, "WebAssembly (Node.js)", of_wasm())]) {
        match told {
            Ok(theirs) => {
                outcomes.push(compared(triple, ours, &theirs));
                columns.push((shown, theirs));
            }
            Err(outcome) => outcomes.push(outcome),
        }
    }
    if columns.len() > OTHERS.len() {
        outcomes.push(match std::fs::write(root().join(PAGE), page(ours, &columns)) {
            Ok(()) => Outcome::Passed(format!("the table of digests: {PAGE}")),
            Err(e) => Outcome::Failed(format!("{PAGE}: {e}")),
        });
    }
    outcomes
}

/// Where the table of digests stands.
const PAGE: &str = "docs/bits.md";

/// Digits of a digest that the table shows: two that differ agree in so many once in 2⁶⁴ times.
const SHOWN: usize = 16;

/// The digests of this machine, and whether those of the others are the same.
fn page(ours: &str, others: &[(&str, String)]) -> String {
    let mut text = format!(
        "# The same bits on every machine\n\nWritten by `cargo xtask bits`, which builds the program for other processors and \
         systems and runs it in emulation. Each row is a computation: every case of the\nreference set, an ensemble, three \
         calibrations and two orbits. The first {SHOWN} digits of the SHA-256 of its numbers are shown; \
         `stickslip --version --bits` prints all 64 on any machine.\nThe digests are those of one state of the source and change \
         with it; [what may change them](POLICY.md#when-bits-may-change) is stated.\n\n| computation | x86-64, Linux |"
    );
    let cut = |digest: &str| digest.chars().take(SHOWN).collect::<String>();
    for (shown, _) in others {
        text += &format!(" {shown} |");
    }
    text += &format!("\n|---|---|{}\n", "---|".repeat(others.len()));
    for (i, line) in ours.lines().enumerate() {
        let (name, digest) = line.rsplit_once(' ').unwrap_or((line, ""));
        text += &format!("| {} | `{}` |", name.trim(), cut(digest));
        for (_, theirs) in others {
            let other = theirs.lines().nth(i).and_then(|l| l.rsplit_once(' ')).map_or("", |l| l.1);
            text += &if other == digest {
                " same |".to_owned()
            } else {
                format!(" `{}` |", cut(other))
            };
        }
        text.push('\n');
    }
    text
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
fn of_wasm() -> Told {
    if !is_there("node") {
        return Err(Outcome::Skipped(format!("{WASM}: there is no Node.js")));
    }
    rust_for(WASM).map_err(Outcome::Failed)?;
    let build =
        ["build", "-p", "stickslip-reference", "--no-default-features", "--example", "bits"];
    let built =
        Command::new(cargo()).args(build).args(["--target", WASM]).current_dir(root()).status();
    let failed = |why: String| Err(Outcome::Failed(format!("{WASM}: {why}")));
    match built {
        Ok(status) if status.success() => {}
        Ok(status) => return failed(format!("the build ended with {status}")),
        Err(e) => return failed(format!("cargo could not be started: {e}")),
    }
    let module = target().join(WASM).join("debug/examples/bits.wasm");
    match Command::new("node").args(["-e", LOADER]).arg(&module).output() {
        Err(e) => failed(format!("node could not be started: {e}")),
        Ok(ended) if !ended.status.success() => {
            let why = String::from_utf8_lossy(&ended.stderr);
            failed(format!("ended with {}: {}", ended.status, why.trim()))
        }
        Ok(ended) => Ok(String::from_utf8_lossy(&ended.stdout).into_owned()),
    }
}

fn of(other: &Target) -> Told {
    for program in [other.linker, other.runner[0]] {
        if !is_there(program) {
            let triple = other.triple;
            return Err(Outcome::Skipped(format!("{triple}: there is no {program}")));
        }
    }
    rust_for(other.triple).map_err(Outcome::Failed)?;
    // The first line says the version.
    let text = digests(Some(other)).map_err(Outcome::Failed)?;
    Ok(text.split_once('\n').map_or("", |o| o.1).to_owned())
}

/// Rust's library asks Windows for random numbers by a library that Wine 8 has not: the same from one that it has.
const RANDOM: &str = "
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }
";

/// Puts that library next to a program for Windows that is to run under Wine.
pub fn random_for_wine(folder: &Path) -> Result<(), String> {
    let [source, library] = ["bcryptprimitives.c", "bcryptprimitives.dll"].map(|f| folder.join(f));
    std::fs::write(&source, RANDOM).map_err(|e| format!("{}: {e}", source.display()))?;
    let [source, library] = [&source, &library].map(|p| p.display().to_string());
    let arguments = ["-shared", "-o", &library, &source, "-ladvapi32"];
    run("random numbers for Wine", "x86_64-w64-mingw32-gcc", &arguments)
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
    if other.is_some_and(|o| o.runner[0] == "wine") {
        random_for_wine(&folder)?;
    }
    let mut command = match other {
        Some(other) => {
            let mut command = Command::new(other.runner[0]);
            command.args(&other.runner[1..]).arg(&program);
            command
        }
        None => Command::new(&program),
    };
    let ended = command
        .args(["--version", "--bits"])
        .output()
        .map_err(|e| format!("{name}: {} could not be started: {e}", program.display()))?;
    if !ended.status.success() {
        let why = String::from_utf8_lossy(&ended.stderr);
        return Err(format!("{name}: ended with {}: {}", ended.status, why.trim()));
    }
    Ok(String::from_utf8_lossy(&ended.stdout).replace('\r', ""))
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn the_table_shows_what_differs() {
        let same = "shaw  0123456789abcdef01\nall   fedcba98765432100f\n";
        let other = "shaw  0123456789abcdef02\nall   fedcba98765432100f\n";
        let text = page(same, &[("A", same.to_owned()), ("B", other.to_owned())]);
        assert!(text.contains("| computation | x86-64, Linux | A | B |\n|---|---|---|---|\n"));
        assert!(
            text.contains("| shaw | `0123456789abcdef` | same | `0123456789abcdef` |"),
            "{text}"
        );
        assert!(text.contains("| all | `fedcba9876543210` | same | same |"), "{text}");
    }
}
