//! The program when a call to the system fails, or when it is killed there: no panic, whole files or none, the right
//! code, and a second try that gives the same bits.
//!
//! A small library that is preloaded (`faults.c`) counts the calls and strikes at the n-th one, for every n there is.

use super::sandbox::{MODEL, PROGRAM, Sandbox, asked, sized};
use std::collections::{BTreeMap, HashMap};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use tempfile::TempDir;

/// Files by their names.
pub type Tree = BTreeMap<String, Vec<u8>>;

/// A noisy model, for commands that want many paths.
pub const NOISE: &str =
    "[[oscillator.force]]\nornstein-uhlenbeck = { rate = 1.0, intensity = 0.5 }\n";
/// A record with friction that is read quickly, and its fit.
pub const PULLED: &str = "[data]\nfile = \"force.csv\"\ntime = \"time\"\ntime_unit = \"s\"\nresponse = \"force\"\n\
    response_unit = \"N\"\n[model]\nkind = \"pulled-slider\"\nvelocity = 1e-3\nstiffness = 1e3\nmass = 1.0\n";

/// A kind of fault: the call, the signal that comes at it (0: it fails), and of how many calls each is struck.
struct Kind {
    call: &'static str,
    signal: i32,
}

const KINDS: [Kind; 12] = [
    Kind { call: "open", signal: 0 },
    Kind { call: "read", signal: 0 },
    Kind { call: "write", signal: 0 },
    Kind { call: "rename", signal: 0 },
    Kind { call: "link", signal: 0 },
    Kind { call: "unlink", signal: 0 },
    Kind { call: "malloc", signal: 0 },
    Kind { call: "write", signal: libc_signals::KILL },
    Kind { call: "rename", signal: libc_signals::KILL },
    Kind { call: "link", signal: libc_signals::KILL },
    Kind { call: "write", signal: libc_signals::INTERRUPT },
    Kind { call: "open", signal: libc_signals::TERMINATE },
];

mod libc_signals {
    pub const INTERRUPT: i32 = 2;
    pub const KILL: i32 = 9;
    pub const TERMINATE: i32 = 15;
}

/// The preloaded library, built once; nothing where there is no compiler of C.
static LIBRARY: LazyLock<Option<(TempDir, PathBuf)>> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let library = folder.path().join("faults.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/faults.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).arg("-ldl");
    let built = compiler.status().is_ok_and(|s| s.success());
    built.then_some((folder, library))
});

/// The library, for other tests.
pub fn library() -> Option<PathBuf> {
    LIBRARY.as_ref().map(|(_, path)| path.clone())
}

/// Runs the program with a fault at the n-th call; also how many calls there were, where it came to its end.
fn run(sandbox: &Sandbox, args: &[&str], kind: &Kind, n: u64) -> (Output, Option<u64>) {
    let library = &LIBRARY.as_ref().unwrap().1;
    // Tests run beside each other.
    let name = sandbox.root().file_name().unwrap().to_string_lossy().into_owned();
    let count = library.with_file_name(format!("count-{name}"));
    let _ = std::fs::remove_file(&count);
    let mut command = Command::new(PROGRAM);
    command.args(args).current_dir(sandbox.root());
    command.env("LD_PRELOAD", library).env("FAULT_CALL", kind.call).env("FAULT_COUNT", &count);
    command.env("FAULT_AT", n.to_string()).env("FAULT_SIGNAL", kind.signal.to_string());
    let output = command.output().unwrap();
    (output, std::fs::read_to_string(&count).ok().and_then(|text| text.parse().ok()))
}

/// What is in the folder of results; nothing if there is none. Durations are left out.
pub fn tree(sandbox: &Sandbox) -> Tree {
    let folder = sandbox.path("r");
    let Ok(entries) = std::fs::read_dir(&folder) else { return Tree::new() };
    let files = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    let files = files.filter(|name| name != ".stickslip");
    files.map(|name| (name.clone(), content(&folder.join(name)))).collect()
}

fn content(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    match serde_json::from_slice::<serde_json::Value>(&bytes) {
        Ok(mut summary) => {
            without_durations(&mut summary);
            summary.to_string().into_bytes()
        }
        Err(_) => without_time(bytes),
    }
}

/// A page of a gallery says how long it took.
fn without_time(page: Vec<u8>) -> Vec<u8> {
    let text = std::str::from_utf8(&page).ok();
    let parts = text.and_then(|t| t.split_once(", computed in "));
    let parts = parts.and_then(|(before, rest)| Some((before, rest.split_once(" s by ")?.1)));
    parts.map(|(before, after)| [before, after].concat().into_bytes()).unwrap_or(page)
}

fn without_durations(value: &mut serde_json::Value) {
    if let Some(all) = value.as_object_mut() {
        all.retain(|key, _| !key.contains("seconds") && !key.contains("duration"));
        all.values_mut().for_each(without_durations);
    }
    value.as_array_mut().into_iter().flatten().for_each(without_durations);
}

/// Puts the results of an older run there again.
pub fn restore(sandbox: &Sandbox, before: &[(String, Vec<u8>)]) {
    let folder = sandbox.path("r");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    before.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
}

pub fn raw(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    let names = sandbox.list_all("r");
    names
        .into_iter()
        .map(|n| (n.clone(), std::fs::read(sandbox.path("r").join(n)).unwrap()))
        .collect()
}

/// Every call of a run, or so many of them spread evenly: two, each night four, unless `STICKSLIP_FAULTS` says otherwise.
fn struck(count: u64) -> impl Iterator<Item = u64> {
    let of = count.min(asked("STICKSLIP_FAULTS").unwrap_or_else(|| sized(2, 4)));
    (0..of).map(move |i| 1 + i * count / of)
}

/// A command with every fault, over the results of an `older` run: how many faults.
fn survives(sandbox: &Sandbox, older: &[&str], args: &[&str]) -> usize {
    sandbox.run(older).done();
    let (old, kept) = (tree(sandbox), raw(sandbox));
    sandbox.run(args).done();
    let new = tree(sandbox);
    assert!(old != new);
    let mut faults = 0;
    // How often each call is made, whatever comes at it.
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for kind in &KINDS {
        let count = *counts.entry(kind.call).or_insert_with(|| {
            restore(sandbox, &kept);
            let (_, count) = run(sandbox, args, kind, 0);
            assert!(tree(sandbox) == new, "{args:?} without a fault");
            count.unwrap()
        });
        for n in struck(count) {
            restore(sandbox, &kept);
            let (ended, _) = run(sandbox, args, kind, n);
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            let what = format!("{args:?}, {} {n} with signal {}: {said}", kind.call, kind.signal);
            check(&ended, kind, &what);
            let mut found = tree(sandbox);
            if kind.call == "unlink" {
                // What could not be removed is hidden, and the next run removes it.
                found.retain(|name, _| !name.starts_with('.'));
            }
            whole(&ended, &found, (&old, &new), &what);
            let again = sandbox.run(args);
            assert_eq!(again.code, Some(0), "{} after {what}", again.stderr);
            assert!(tree(sandbox) == new, "{:?} after {what}", tree(sandbox).keys());
            faults += 1;
        }
    }
    faults
}

/// How a run may end.
fn check(ended: &Output, kind: &Kind, what: &str) {
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!said.contains("panicked"), "{what}");
    match (ended.status.code(), ended.status.signal()) {
        // A fault that does no harm: a file that need not be there.
        (Some(0), _) => {}
        (Some(1), _) => {
            let is_error = said.lines().any(|line| line.starts_with("error: "));
            assert!(kind.signal == 0 && is_error, "{what}");
        }
        (Some(130), _) => assert!(kind.signal != 0, "{what}"),
        (None, Some(signal)) => assert!(signal == kind.signal, "{what}"),
        _ => panic!("{what}: {:?}", ended.status),
    }
}

/// The folder holds the results of one run; after a run that could not clean up, whole files of either.
fn whole(ended: &Output, found: &Tree, (old, new): (&Tree, &Tree), what: &str) {
    let names = || format!("{what}\n{:?}", found.keys().collect::<Vec<_>>());
    if ended.status.code() == Some(0) {
        assert!(found == new, "{}", names());
    } else if ended.status.code().is_some() {
        assert!(found == old || found == new, "{}", names());
    } else {
        let shown = found.iter().filter(|(name, _)| !name.starts_with('.'));
        for (name, bytes) in shown {
            let is_whole = old.get(name) == Some(bytes) || new.get(name) == Some(bytes);
            assert!(is_whole, "{name}: {}", names());
        }
    }
}

fn prepared() -> Option<Sandbox> {
    if LIBRARY.is_none() {
        eprintln!("not tested: there is no `cc` to build the library that makes faults");
        return None;
    }
    let sandbox = Sandbox::new();
    sandbox.write("other.toml", MODEL.replace("static = 1.2", "static = 1.3"));
    let noisy = MODEL.replace("[oscillator.initial]", &format!("{NOISE}[oscillator.initial]"));
    let noisy = noisy.replace("scheme = \"exact\"", "scheme = \"theta\"");
    sandbox.write("noisy.toml", noisy.replace("end = 40.0", "end = 4.0"));
    Some(sandbox)
}

#[test]
fn simulate_survives_every_fault() {
    let Some(sandbox) = prepared() else { return };
    let older = ["simulate", "other.toml", "--perturb", "1e-3", "--out", "r"];
    assert!(survives(&sandbox, &older, &["simulate", "model.toml", "--out", "r"]) > 15);
}

#[test]
fn an_ensemble_survives_every_fault() {
    let Some(sandbox) = prepared() else { return };
    let with = |paths| ["ensemble", "noisy.toml", "--paths", paths, "--threads", "1", "--out", "r"];
    assert!(survives(&sandbox, &with("20"), &with("16")) > 15);
}

#[test]
fn a_sweep_survives_every_fault() {
    let Some(sandbox) = prepared() else { return };
    let axis = "oscillator.stiffness=0.5:2:3";
    let with = |model| ["sweep", model, "--vary", axis, "--out", "r"];
    assert!(survives(&sandbox, &with("other.toml"), &with("model.toml")) > 15);
}

#[test]
fn a_calibration_survives_every_fault() {
    let Some(sandbox) = prepared() else { return };
    // A saw: the spring is stretched at 1 N/s up to 12 N, and falls to 8 N.
    let rows = (0..6000).map(|i| (f64::from(i) * 0.01, 8.0 + (f64::from(i) * 0.01) % 4.0));
    let text: String = rows.map(|(t, f)| format!("{t},{f}\n")).collect();
    sandbox.write("force.csv", format!("time,force\n{text}")).write("fit.toml", PULLED);
    sandbox.write("older.toml", PULLED.replace("mass = 1.0", "mass = 2.0"));
    let with = |fit| ["calibrate", fit, "--out", "r"];
    assert!(survives(&sandbox, &with("older.toml"), &with("fit.toml")) > 15);
}
