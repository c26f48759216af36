//! Every command, stopped at moments by chance: by Ctrl-C, by a request to end, and by a kill. Whatever has happened, the
//! folder of results holds whole files, and the next run gives the same bits as if nothing had been.

use super::faults::{NOISE, Tree, raw, restore, tree};
use super::fleet::{RESPONSE, RESPONSES};
use super::sandbox::{MODEL, Sandbox, asked, sized};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const SIGNALS: [(&str, i32); 3] = [("INT", 2), ("TERM", 15), ("KILL", 9)];

/// Moments for each command: one, for the signals in turn, and each night one for each signal, unless `STICKSLIP_MOMENTS` says
/// otherwise.
fn moments() -> u64 {
    asked("STICKSLIP_MOMENTS").unwrap_or_else(|| sized(1, 3))
}

/// A shell that sends signals: it is there before the program is, so that a signal comes when it is to.
struct Sender(Child);

impl Sender {
    fn new() -> Self {
        let lines = "while read s p; do kill -s $s $p 2>/dev/null; done";
        let shell = Command::new("sh").args(["-c", lines]).stdin(Stdio::piped()).spawn();
        Self(shell.unwrap())
    }

    fn send(&mut self, signal: &str, to: u32) {
        let pipe = self.0.stdin.as_mut().unwrap();
        writeln!(pipe, "{signal} {to}").unwrap();
        pipe.flush().unwrap();
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// What a run leaves on purpose, to go on from, is no result.
fn results(sandbox: &Sandbox) -> Tree {
    let mut found = tree(sandbox);
    found.retain(|name, _| !name.ends_with(".state"));
    found
}

fn interrupted(
    sandbox: &Sandbox,
    args: &[&str],
    sender: &mut Sender,
    (signal, at): (&str, Duration),
) -> Output {
    let mut command = sandbox.command(args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(at);
    // Until it is waited for, its number is nobody else's.
    sender.send(signal, child.id());
    child.wait_with_output().unwrap()
}

/// `args` at moments by chance, over the results of an `older` run, by the signals in turn from the `first` on. How often it
/// was stopped.
fn survives(sandbox: &Sandbox, older: &[&str], args: &[&str], first: u64) -> u64 {
    sandbox.run(older).done();
    let (old, kept) = (results(sandbox), raw(sandbox));
    // As long as it takes when nothing else is in its way: moments after its end would be no test.
    let timed = || {
        let begun = Instant::now();
        sandbox.run(args).done();
        begun.elapsed()
    };
    let whole = (0..2).map(|_| timed()).min().unwrap_or_default();
    let new = results(sandbox);
    assert!(old != new, "{args:?}");
    let (mut sender, mut stopped, mut random) = (Sender::new(), 0, 0x5DEE_CE66_u64 + first);
    for i in first..first + moments() {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (random >> 33) as f64 / (1u64 << 31) as f64;
        let (signal, number) = SIGNALS[(i % 3) as usize];
        restore(sandbox, &kept);
        let ended = interrupted(sandbox, args, &mut sender, (signal, whole.mul_f64(1.05 * share)));
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        let what = format!("{args:?}, {signal} after {share:.4} of {whole:?}: {said}");
        assert!(!said.contains("panicked"), "{what}");
        let found = results(sandbox);
        let unlike = |found: &Tree| {
            let others = found.iter().filter(|(name, bytes)| new.get(*name) != Some(bytes));
            let others: Vec<_> = others.map(|(name, _)| name.as_str()).collect();
            format!("{:?}, of which {others:?} are unlike the whole run's", found.keys())
        };
        let names = || format!("{what}\n{}", unlike(&found));
        match (ended.status.code(), ended.status.signal()) {
            (Some(0), _) => assert!(found == new, "{}", names()),
            // What was computed may be kept, and is named; else the results of the run before are.
            (Some(130), _) => {
                assert!(
                    found == old || found == new || found.contains_key("summary.json"),
                    "{}",
                    names()
                );
                stopped += 1;
            }
            (None, Some(n)) if n == number => {
                let shown = found.iter().filter(|(name, _)| !name.starts_with('.'));
                for (name, bytes) in shown {
                    let is_whole = old.get(name) == Some(bytes) || new.get(name) == Some(bytes);
                    assert!(is_whole, "{name}: {}", names());
                }
                stopped += 1;
            }
            _ => panic!("{}: {:?}", names(), ended.status),
        }
        let again = sandbox.run(args);
        assert_eq!(again.code, Some(0), "{} after {what}", again.stderr);
        let last = results(sandbox);
        assert!(last == new, "{} after {what}", unlike(&last));
    }
    println!("{}: stopped {stopped} times of {}", args[0], moments());
    stopped
}

/// A folder with what the commands below read.
fn prepared() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("other.toml", MODEL.replace("static = 1.2", "static = 1.3"));
    let noisy = MODEL.replace("[oscillator.initial]", &format!("{NOISE}[oscillator.initial]"));
    let noisy = noisy.replace("scheme = \"exact\"", "scheme = \"theta\"");
    sandbox.write("noisy.toml", noisy.replace("end = 40.0", "end = 4.0"));
    let damper = |force: f64| {
        format!(
            "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = {{ force = {force} }}\n\
             [[oscillator.force]]\nharmonic = {{ amplitude = 1.0, angular_frequency = 1.25 }}\n"
        )
    };
    sandbox.write("damper.toml", damper(0.4)).write("softer.toml", damper(0.3));
    for (name, paths) in [("a", "60"), ("b", "80")] {
        for part in ["1", "2"] {
            let (k, out) = (format!("{part}/2"), format!("{name}{part}"));
            let args = ["ensemble", "noisy.toml", "--paths", paths, "--part", &k, "--out", &out];
            sandbox.run(&args).done();
        }
    }
    sandbox
}

/// Each command with its arguments, first those of the older run.
const COMMANDS: [[&[&str]; 2]; 11] = [
    [&["simulate", "other.toml"], &["simulate", "model.toml"]],
    [&["certify", "other.toml"], &["certify", "model.toml"]],
    [
        &["converge", "other.toml", "--end", "5", "--step", "0.05"],
        &["converge", "model.toml", "--end", "5", "--step", "0.05"],
    ],
    [&["solutions", "other.toml", "--limit", "5"], &["solutions", "model.toml", "--limit", "5"]],
    [&["ensemble", "noisy.toml", "--paths", "200"], &["ensemble", "noisy.toml", "--paths", "160"]],
    [
        &["sweep", "other.toml", "--vary", "oscillator.stiffness=0.5:2:20"],
        &["sweep", "model.toml", "--vary", "oscillator.stiffness=0.5:2:20"],
    ],
    [&["orbit", "softer.toml"], &["orbit", "damper.toml"]],
    [
        &["response", "damper.toml", "--vary", "oscillator.friction.coulomb.force=0.5:0.8:8"],
        &["response", "damper.toml", "--vary", "oscillator.friction.coulomb.force=0.5:0.9:8"],
    ],
    [
        &["basins", "damper.toml", "--x", "-2:2:20", "--v", "-1:1:10"],
        &["basins", "damper.toml", "--x", "-2:2:30", "--v", "-1:1:10"],
    ],
    [
        &["merge", "a1/partial.json", "a2/partial.json"],
        &["merge", "b1/partial.json", "b2/partial.json"],
    ],
    [&["reproduce", "corner"], &["reproduce", "schatzman"]],
];

#[test]
fn every_command_survives_an_end_at_any_moment() {
    let sandbox = prepared();
    for (first, [older, args]) in (0..).zip(COMMANDS) {
        let with = |args: &[&'static str]| [args, &["--out", "r"]].concat();
        let _ = std::fs::remove_dir_all(sandbox.path("r"));
        survives(&sandbox, &with(older), &with(args), first);
    }
}

/// Fits of records, one and several.
#[test]
fn fits_survive_an_end_at_any_moment() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "fleet", "fleet.toml"]).done();
    sandbox.run(&["new", "calibrate", "fit.toml"]).done();
    let record = sandbox.read("bearing.csv");
    let lines: Vec<&str> = record.lines().collect();
    std::fs::create_dir(sandbox.path("data")).unwrap();
    for i in 0..2 {
        let rows = &lines[1 + 60 * i..301 + 60 * i];
        sandbox.write(&format!("data/b{i}.csv"), format!("{}\n{}\n", lines[0], rows.join("\n")));
    }
    let text = sandbox.read("fleet.toml").replace("\"bridge.csv\"", "\"data/*.csv\"");
    let text = text.replace(RESPONSES, RESPONSE);
    let text = text.replace("changes = true", "changes = false") + "[fit]\ndiagnose = false\n";
    sandbox.write("fleet.toml", &text);
    sandbox.write("older.toml", text.replace("data/*.csv", "data/b0.csv"));
    let with = |file| ["fleet", file, "--threads", "1", "-q", "--out", "r"];
    survives(&sandbox, &with("older.toml"), &with("fleet.toml"), 0);
    // A saw: the spring is stretched at 1 N/s up to 12 N, and falls to 8 N.
    let rows = (0..6000).map(|i| (f64::from(i) * 0.01, 8.0 + (f64::from(i) * 0.01) % 4.0));
    let text: String = rows.map(|(t, f)| format!("{t},{f}\n")).collect();
    sandbox.write("force.csv", format!("time,force\n{text}"));
    sandbox.write("fit.toml", super::faults::PULLED);
    sandbox.write("before.toml", super::faults::PULLED.replace("mass = 1.0", "mass = 2.0"));
    let _ = std::fs::remove_dir_all(sandbox.path("r"));
    let with = |file| ["calibrate", file, "--out", "r"];
    survives(&sandbox, &with("before.toml"), &with("fit.toml"), 1);
}
