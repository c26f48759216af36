//! Little of everything: no thread, no memory, a small stack; files that never end and numbers that nobody reads. And texts
//! that a terminal would obey.

use super::faults::{NOISE, PULLED};
use super::sandbox::{MODEL, PROGRAM, Sandbox};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const DAMPER: &str = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = { force = 0.4 }\n\
    [[oscillator.force]]\nharmonic = { amplitude = 1.0, angular_frequency = 1.25 }\n";

fn noisy() -> String {
    let model = MODEL.replace("[oscillator.initial]", &format!("{NOISE}[oscillator.initial]"));
    // Without a scheme, for an ensemble advances in steps.
    model.replace("end = 40.0", "end = 4.0").replace("scheme = \"exact\"\n", "")
}

fn record(s: &Sandbox) {
    let rows = (0..3000).map(|i| (f64::from(i) * 0.01, 8.0 + (f64::from(i) * 0.01) % 4.0));
    let text: String = rows.map(|(t, f)| format!("{t},{f}\n")).collect();
    s.write("force.csv", format!("time,force\n{text}")).write("fit.toml", PULLED);
}

/// What a run gives is the same without any thread of its own.
#[cfg(unix)]
#[test]
fn without_threads_everything_works() {
    let Some(library) = super::faults::library() else { return };
    let s = Sandbox::new();
    s.write("noisy.toml", noisy()).write("damper.toml", DAMPER);
    record(&s);
    s.run(&["new", "fleet", "fleet.toml"]).done();
    let fleet = s.read("fleet.toml").replace("changes = true", "changes = false");
    s.write("fleet.toml", fleet + "[fit]\ndiagnose = false\n");
    let vary = "oscillator.friction.coulomb.force=0.5:0.6:2";
    let commands: [&[&str]; 9] = [
        &["simulate", "model.toml"],
        &["ensemble", "noisy.toml", "--paths", "300"],
        &["ensemble", "noisy.toml", "--paths", "300", "--threads", "3"],
        &["orbit", "damper.toml"],
        &["response", "damper.toml", "--vary", vary],
        &["basins", "damper.toml", "--x", "-2:2:3", "--v", "-1:1:3"],
        &["calibrate", "fit.toml"],
        &["calibrate", "fit.toml", "--threads", "2"],
        &["fleet", "fleet.toml", "--threads", "2"],
    ];
    for args in commands {
        let usual = s.run(args).done().stdout;
        // 0: every thread is refused. 1, 2: so are all but the first ones.
        let mut command = s.command(args);
        command.env("LD_PRELOAD", &library).env("FAULT_CALL", "thread");
        command.env("FAULT_AT", "-1000000").env("FAULT_SIGNAL", "0");
        let ended = command.output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(0), "{args:?}: {said}");
        // The number of threads and the time that it took may stand there.
        let plain = |text: &str| {
            let lines = text.lines().filter(|l| !l.contains(" s") && !l.contains("thread"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(plain(&String::from_utf8_lossy(&ended.stdout)), plain(&usual), "{args:?}");
    }
}

/// Runs in a shell that has set limits.
#[cfg(unix)]
fn limited(s: &Sandbox, limit: &str, args: &[&str]) -> (Option<i32>, String) {
    let script = format!("ulimit {limit}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, PROGRAM]).args(args).current_dir(s.root());
    let ended = command.stdout(Stdio::null()).output().unwrap();
    (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn a_small_stack_is_enough() {
    let s = Sandbox::new();
    record(&s);
    for args in [&["simulate", "model.toml"][..], &["calibrate", "fit.toml"], &["--help"]] {
        for size in ["64", "128", "256"] {
            let (code, said) = limited(&s, &format!("-s {size}"), args);
            assert_eq!(code, Some(0), "{args:?} with {size} kB: {said}");
        }
    }
}

/// Where there is too little memory the program says so, and leaves the results of the run before as they were.
#[cfg(target_os = "linux")]
#[test]
fn without_memory_there_is_an_error() {
    let s = Sandbox::new();
    s.write("noisy.toml", noisy());
    let run = ["ensemble", "noisy.toml", "--paths", "60000", "--final", "--out", "r"];
    s.run(&["ensemble", "noisy.toml", "--paths", "10", "--out", "r"]).done();
    let (before, summary) = (s.list_all("r"), s.read("r/summary.json"));
    let mut refused = 0;
    for size in (16_000..200_000).step_by(8_000) {
        let limit = format!("-v {size}");
        if limited(&s, &limit, &["--version"]).0 != Some(0) {
            // Too little for the system to start the program.
            continue;
        }
        let (code, said) = limited(&s, &limit, &run);
        assert!(!said.contains("panicked"), "{size} kB: {said}");
        // Where the last piece of memory went before a thread began, the C library ends the process: no program can say more then,
        // and this is like a kill.
        if code.is_none() && said.contains("Fatal glibc error") && said.contains("out of memory") {
            assert_eq!(s.read("r/summary.json"), summary, "{size} kB");
            continue;
        }
        assert!(matches!(code, Some(0 | 1)), "{size} kB: {code:?}: {said}");
        if code == Some(0) {
            break;
        }
        if said.contains("there is not enough memory") {
            refused += 1;
            assert!(said.contains("help: "), "{said}");
            // The next run has removed what one that was ended so may have left.
            assert_eq!(
                (s.list_all("r"), s.read("r/summary.json")),
                (before.clone(), summary.clone())
            );
        }
    }
    assert!(refused > 0, "no size was too small for the run and enough for the program");
}

/// A thread may begin and then find no memory for the stack of its handler of overflows: at that call Rust panics.
#[cfg(target_os = "linux")]
#[test]
fn a_thread_without_room_for_a_second_stack_is_an_error() {
    let Some(library) = super::faults::library() else { return };
    let s = Sandbox::new();
    s.write("noisy.toml", noisy());
    let with = |at: u32| {
        let mut command =
            s.command(&["ensemble", "noisy.toml", "--paths", "300", "--threads", "2"]);
        command.env("LD_PRELOAD", &library).env("FAULT_CALL", "mmap");
        command.env("FAULT_AT", at.to_string()).env("FAULT_SIGNAL", "0");
        let ended = command.output().unwrap();
        (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
    };
    // The first call is of the main thread, before the program begins; two threads wait, for the program and for Ctrl-C, and
    // two work.
    for at in 2..=5 {
        let (code, said) = with(at);
        assert_eq!(code, Some(1), "call {at}: {said}");
        assert!(said.contains("error: there is not enough memory\n"), "call {at}: {said}");
        assert!(!said.contains("panicked"), "call {at}: {said}");
    }
    assert_eq!(with(1000).0, Some(0));
}

/// A pipe to which nobody writes, and devices without an end: as a model, a record, a list of samples and a part.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused() {
    let s = Sandbox::new();
    record(&s);
    assert!(Command::new("mkfifo").arg(s.path("pipe.csv")).status().unwrap().success());
    let start = MODEL.find("harmonic").unwrap();
    let rest = start + MODEL[start..].find('\n').unwrap();
    for (name, what) in [("pipe.csv", "a pipe"), ("/dev/zero", "a device")] {
        let sampled = format!("sampled = {{ file = \"{name}\", time = \"t\", value = \"u\" }}");
        s.write("driven.toml", format!("{}{sampled}{}", &MODEL[..start], &MODEL[rest..]));
        s.write("of.toml", PULLED.replace("force.csv", name));
        let commands: [&[&str]; 6] = [
            &["simulate", name],
            &["simulate", "driven.toml"],
            &["calibrate", "of.toml"],
            &["calibrate", name],
            &["merge", name, name],
            &["score", name, "--case", "shaw"],
        ];
        for args in commands {
            let mut command = s.command(args);
            let mut run = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            let patience = Instant::now() + Duration::from_secs(60);
            while run.try_wait().unwrap().is_none() {
                if Instant::now() > patience {
                    run.kill().unwrap();
                    panic!("{args:?} waits");
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            let ended = run.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), Some(1), "{args:?}: {said}");
            assert!(
                said.contains(what) && said.contains("expected a regular file"),
                "{args:?}: {said}"
            );
        }
    }
}

/// A number of a million digits is not printed again.
#[test]
fn endless_numbers_are_not_echoed() {
    let s = Sandbox::new();
    let digits = "9".repeat(1_000_000);
    s.write("long.toml", MODEL.replace("mass = 1.0", &format!("mass = {digits}")));
    s.write("text.toml", MODEL.replace("mass = 1.0", &format!("mass = \"{digits}\"")));
    s.write("key.toml", MODEL.replace("mass = 1.0", &format!("mass = 1.0\nm{digits} = 1")));
    s.write("name.toml", MODEL.replace("exact", &format!("e{digits}")));
    let some = &digits[..100_000];
    let set = format!("run.end={some}");
    let key = format!("{some}=1");
    let vary = format!("{some}=1:2:3");
    let commands: [&[&str]; 10] = [
        &["simulate", "long.toml"],
        &["simulate", "text.toml"],
        &["simulate", "key.toml"],
        &["simulate", "name.toml"],
        &["simulate", "model.toml", "--set", &set],
        &["simulate", "model.toml", "--set", &key],
        &["simulate", "model.toml", "--seed", some],
        &["simulate", "model.toml", "--end", some],
        &["sweep", "model.toml", "--vary", &vary],
        &[some],
    ];
    for args in commands {
        let ended = s.run(args);
        assert!(ended.code != Some(0) && ended.stderr.starts_with("error: "), "{}", args[0]);
        let length = ended.stderr.len();
        assert!(
            length < 3000 && ended.stdout.is_empty(),
            "{length} bytes: {}",
            &ended.stderr[..300]
        );
    }
}

/// Titles, names and cells with what a terminal obeys, and with what turns the order of letters.
#[test]
fn nothing_in_a_file_moves_the_cursor() {
    let s = Sandbox::new();
    let odd =
        ["\\u001b]0;owned\\u0007", "\\u202egnp.exe", "\\u2066x\\u2069", "\\u009b31m", "a\\rb"];
    let obeyed = |text: &str| {
        text.chars().any(|c| {
            let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
            turns || c.is_control() && c != '\n' && c != '\t'
        })
    };
    for text in odd {
        s.write("title.toml", MODEL.replace("\"test\"", &format!("\"{text}\"")));
        let ended = s.run(&["simulate", "title.toml"]).done();
        assert!(!obeyed(&ended.stdout) && !obeyed(&ended.stderr), "{text}: {}", ended.stdout);
        // Names of keys, of schemes, of nodes, of files.
        let files = [
            MODEL.replace("mass = 1.0", &format!("mass = 1.0\n\"{text}\" = 1")),
            MODEL.replace("\"exact\"", &format!("\"{text}\"")),
            MODEL.replace(
                "harmonic = ",
                &format!("sampled = {{ file = \"{text}\", time = \"t\", value = \"v\" }}\n#"),
            ),
            format!(
                "[network]\nnode = [{{ name = \"{text}\", mass = 1.0 }}, {{ name = \"{text}\", mass = 1.0 }}]\n[run]\nend = 1.0\n"
            ),
        ];
        for file in files {
            s.write("name.toml", file);
            let ended = s.run(&["simulate", "name.toml"]);
            assert_eq!(ended.code, Some(1), "{text}: {}", ended.stderr);
            assert!(!obeyed(&ended.stderr), "{text}: {}", ended.stderr);
        }
    }
    // As they are, not as escapes of TOML, in the lines around the place, and in arguments.
    s.write("raw.toml", MODEL.replace("mass = 1.0", "mass = -1.0 # \u{202e}txt"));
    let ended = s.run(&["simulate", "raw.toml"]);
    assert!(ended.code == Some(1) && !obeyed(&ended.stderr), "{}", ended.stderr);
    for args in [["simulate", "no\u{1b}[2Jne\u{202e}.toml"], ["simu\u{1b}[2J\u{202e}late", "x"]] {
        let ended = s.run(&args);
        assert!(ended.code != Some(0) && !obeyed(&ended.stderr), "{}", ended.stderr);
    }
}
