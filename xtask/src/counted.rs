//! `cargo xtask speed --compare BASE`: instructions of fixed runs, by the program of this tree and by that of another commit.
//!
//! Times of a nightly machine scatter by tens of per cent; instructions on one thread are the same to a few in ten thousand.

use crate::fmu::cargo;
use crate::shell::{Outcome, is_there, root, run, run_in, target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// By how much the instructions of a run may grow, as a share.
const GROWTH: f64 = 0.02;

/// A run of the program: what it is, and the words of its command line. Files are those of this tree, for both programs.
struct Run {
    work: &'static str,
    words: &'static str,
}

const fn of(work: &'static str, words: &'static str) -> Run {
    Run { work, words }
}

const RUNS: [Run; 17] = [
    of("start of the program", "--version"),
    of("exact, Shaw's oscillator, 1,500 events", "simulate examples/shaw/model.toml --end 6000"),
    of("exact, three blocks", "simulate reference/three-blocks/model.toml --end 300"),
    of("exact, a cascade", "simulate reference/cascade-ten/model.toml --end 200"),
    of("exact, bounces between two walls", "simulate reference/two-walls/model.toml --end 3000"),
    of(
        "Euler, 300,000 steps",
        "simulate examples/shaw/model.toml --scheme euler --step 1e-3 --end 300",
    ),
    of(
        "adaptive, a belt with a falling friction",
        "simulate reference/belt-hyperbolic/model.toml --end 400",
    ),
    of("adaptive, a machine: a drill string", "simulate reference/drill-string/model.toml"),
    of(
        "adaptive, a machine: a loop that hunts",
        "simulate reference/pid-hunts-stribeck/model.toml",
    ),
    of("implicit steps of a chain", "simulate examples/spring-blocks/model.toml"),
    of("ensemble of oscillators", "ensemble examples/shaw-noise/model.toml --paths 256"),
    of("ensemble of cascades", "ensemble examples/kanai-tajimi/model.toml --paths 128"),
    of("sweep", "sweep examples/shaw/model.toml --vary oscillator.stiffness=1:2:101"),
    of(
        "response",
        "response examples/shaw/model.toml --vary oscillator.drive.0.harmonic.angular_frequency=0.4:0.6:21",
    ),
    of("certificate", "certify examples/shaw/model.toml"),
    of("calibration of a bearing's year", "calibrate examples/bearing-year/fit.toml"),
    of("calibration of a pulled slider", "calibrate examples/pulled-slider/fit.toml"),
];

/// What counts instructions here.
#[derive(Clone, Copy)]
enum Counter {
    Callgrind,
    Perf,
}

impl Counter {
    /// Valgrind counts the same instructions on every machine; the processor's own counter is there on few virtual ones.
    fn here() -> Option<Self> {
        if is_there("valgrind") {
            return Some(Self::Callgrind);
        }
        let tried = Command::new("perf").args(Self::Perf.words()).arg("true").output().ok()?;
        count(Self::Perf, &String::from_utf8_lossy(&tried.stderr)).map(|_| Self::Perf)
    }

    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Callgrind => &["--tool=callgrind", "--callgrind-out-file=/dev/null"],
            Self::Perf => &["stat", "-x", ",", "-e", "instructions:u"],
        }
    }

    fn program(self) -> &'static str {
        match self {
            Self::Callgrind => "valgrind",
            Self::Perf => "perf",
        }
    }
}

/// The number that a counter has written among what the program said.
fn count(counter: Counter, said: &str) -> Option<u64> {
    let line = |word: &str| said.lines().rev().find(|l| l.contains(word));
    match counter {
        Counter::Callgrind => line("Collected :")?.split_whitespace().last()?.parse().ok(),
        Counter::Perf => line("instructions")?.split(',').next()?.parse().ok(),
    }
}

/// Compares this tree with another commit, or with the program at a path.
pub fn compare(base: &str) -> Outcome {
    let Some(counter) = Counter::here() else {
        return Outcome::Skipped(
            "the comparison of instructions (there is no valgrind, and perf counts none here)"
                .to_owned(),
        );
    };
    match compared(base, counter) {
        Ok(most) => Outcome::Passed(format!(
            "no run takes more than {:.0} % more instructions than at {base} (the most: {})",
            100.0 * GROWTH,
            percent(most)
        )),
        Err(why) => Outcome::Failed(why),
    }
}

fn compared(base: &str, counter: Counter) -> Result<f64, String> {
    let theirs = if Path::new(base).is_file() { PathBuf::from(base) } else { built_at(base)? };
    run(
        "the program",
        &cargo(),
        &["build", "--locked", "--profile", "dist", "-p", "stickslip-cli"],
    )?;
    let ours = target().join("dist").join("stickslip");
    println!("| work | instructions at {base} | here | growth |\n|---|---|---|---|");
    let (mut most, mut grown, mut seen) = (f64::NEG_INFINITY, Vec::new(), 0);
    for one in &RUNS {
        let here = counted(&ours, one, counter)?;
        // A command, a key or a file that the other program does not know yet is nothing to compare with.
        let Ok(there) = counted(&theirs, one, counter) else {
            println!(
                "| {} | – | {here} | not comparable: the other program cannot do it |",
                one.work
            );
            continue;
        };
        let growth = here as f64 / there as f64 - 1.0;
        println!("| {} | {there} | {here} | {} |", one.work, percent(growth));
        seen += 1;
        most = most.max(growth);
        if growth > GROWTH {
            grown.push(format!("{} by {}", one.work, percent(growth)));
        }
    }
    match (seen, grown.is_empty()) {
        (0, _) => Err(format!("the program at {base} can do none of the runs")),
        (_, true) => Ok(most),
        _ => Err(format!(
            "more instructions than at {base}, {:.0} % are allowed: {}. Where that is wanted, say why in CHANGELOG.md; \
             callgrind_annotate shows where they are spent",
            100.0 * GROWTH,
            grown.join("; ")
        )),
    }
}

fn percent(share: f64) -> String {
    format!("{:+.2} %", 100.0 * share)
}

/// The program of another commit, built in a tree of its own next to ours.
fn built_at(commit: &str) -> Result<PathBuf, String> {
    let folder = target().join("compare");
    let tree = folder.join("tree").display().to_string();
    let build = folder.join("build");
    let _ = run("the last tree", "git", &["worktree", "remove", "--force", &tree]);
    run("a tree of the other commit", "git", &["worktree", "add", "--detach", &tree, commit])?;
    let words = ["build", "--locked", "--profile", "dist", "-p", "stickslip-cli", "--target-dir"];
    let place = build.display().to_string();
    let done =
        run_in("its program", PathBuf::from(&tree), &cargo(), &[&words[..], &[&place]].concat());
    run("the other tree is left", "git", &["worktree", "remove", "--force", &tree])?;
    done?;
    Ok(build.join("dist").join("stickslip"))
}

/// Instructions of one run on one thread.
fn counted(program: &Path, one: &Run, counter: Counter) -> Result<u64, String> {
    let mut command = Command::new(counter.program());
    command.args(counter.words()).arg(program).args(one.words.split(' ')).current_dir(root());
    let ended = command.env("RAYON_NUM_THREADS", "1").output();
    let ended = ended.map_err(|e| format!("{} could not be started: {e}", counter.program()))?;
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    if !ended.status.success() {
        let last = said.lines().rev().find(|l| !l.starts_with("==")).unwrap_or_default();
        return Err(format!("{}: ended with {}: {last}", one.work, ended.status));
    }
    count(counter, &said)
        .ok_or_else(|| format!("{}: {} has not said how many", one.work, counter.program()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counters_say_is_read() {
        let said = "warning: f\n==3== Events    : Ir\n==3== Collected : 128221\n==3== \n==3== I   refs:      128,221\n";
        assert_eq!(count(Counter::Callgrind, said), Some(128_221));
        assert_eq!(count(Counter::Callgrind, "valgrind: no such program\n"), None);
        assert_eq!(count(Counter::Perf, "91827,,instructions:u,1000,100.00,,\n"), Some(91_827));
        assert_eq!(count(Counter::Perf, "<not supported>,,instructions:u,0,100.00,,\n"), None);
        assert_eq!(percent(0.0234), "+2.34 %");
    }

    #[test]
    fn the_files_of_the_runs_are_there() {
        for file in RUNS.iter().flat_map(|r| r.words.split(' ')).filter(|w| w.ends_with(".toml")) {
            assert!(root().join(file).is_file(), "{file}");
        }
    }
}
