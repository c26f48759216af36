//! Mutated files: whatever is given, the program ends in order, says something, and leaves no file
//! of a run that failed.

use super::sandbox::{MODEL, Sandbox, sized};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const TOKENS: [&str; 24] = [
    "-1",
    "0",
    "nan",
    "-inf",
    "1e-7",
    "1e5",
    "\"\"",
    "\"x\"",
    "true",
    "[]",
    "{}",
    "[[]]",
    "=",
    "\n",
    "#",
    "[run]",
    "[oscillator]",
    "2013-01-01",
    "'",
    "\"\"\"",
    "\u{0}",
    "µ",
    "0x",
    ".",
];

/// One change of a text.
#[derive(Debug, Clone)]
enum Change {
    /// The word at a position becomes another.
    Word(usize, &'static str),
    /// A line vanishes, or comes twice.
    Line(usize, bool),
    /// A byte is another.
    Byte(usize, u8),
    /// The text ends early.
    Cut(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (any::<usize>(), prop::sample::select(&TOKENS[..])).prop_map(|(i, t)| Change::Word(i, t)),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(i, twice)| Change::Line(i, twice)),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(i, b)| Change::Byte(i, b)),
        1 => any::<usize>().prop_map(Change::Cut),
    ]
}

fn apply(text: &mut Vec<u8>, change: &Change) {
    let is_word = |b: &u8| !b.is_ascii_whitespace();
    match *change {
        Change::Word(i, token) => {
            let starts: Vec<usize> = (0..text.len())
                .filter(|&j| is_word(&text[j]) && (j == 0 || !is_word(&text[j - 1])))
                .collect();
            if starts.is_empty() {
                return;
            }
            let start = starts[i % starts.len()];
            let end = start + text[start..].iter().take_while(|b| is_word(b)).count();
            text.splice(start..end, token.bytes());
        }
        Change::Line(i, twice) => {
            let mut lines: Vec<Vec<u8>> = text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
            let i = i % lines.len();
            if twice {
                lines.insert(i, lines[i].clone());
            } else {
                lines.remove(i);
            }
            *text = lines.join(&b'\n');
        }
        Change::Byte(i, b) if !text.is_empty() => {
            let i = i % text.len();
            text[i] = b;
        }
        Change::Cut(i) if !text.is_empty() => text.truncate(i % text.len()),
        _ => {}
    }
}

/// Runs the command on mutations of `text`, `cases` times.
fn survives(name: &str, text: &str, command: &[&str], sandbox: &Sandbox, cases: u32) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let strategy = prop::collection::vec(change(), 1..4);
    let outcome = TestRunner::new(config).run(&strategy, |changes| {
        let mut bytes = text.as_bytes().to_vec();
        changes.iter().for_each(|c| apply(&mut bytes, c));
        sandbox.write(name, &bytes);
        let before = sandbox.list(".");
        let ended = sandbox.run(command);
        prop_assert!(matches!(ended.code, Some(0 | 1 | 3)), "{:?}: {}", ended.code, ended.stderr);
        prop_assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
        if ended.code != Some(0) {
            prop_assert!(ended.stderr.contains("error: "), "{}", ended.stderr);
            prop_assert!(ended.stdout.is_empty());
            prop_assert_eq!(sandbox.list("."), before);
        } else if sandbox.path("r").exists() {
            std::fs::remove_dir_all(sandbox.path("r")).unwrap();
        }
        Ok(())
    });
    if let Err(e) = outcome {
        panic!("{e}");
    }
}

#[test]
fn model_files() {
    let model = MODEL.replace("end = 40.0", "end = 4.0");
    let command = [
        "simulate",
        "model.toml",
        "--scheme",
        "euler",
        "--set",
        "run.end=4",
        "--step",
        "0.01",
        "--out",
        "r",
    ];
    survives("model.toml", &model, &command, &Sandbox::new(), sized(80, 200));
}

#[test]
fn tables() {
    let sandbox = Sandbox::new();
    let start = MODEL.find("harmonic").unwrap();
    let rest = start + MODEL[start..].find('\n').unwrap();
    let drive = "sampled = { file = \"drive.csv\", time = \"time\", value = \"d\" }";
    sandbox.write("model.toml", format!("{}{drive}{}", &MODEL[..start], &MODEL[rest..]));
    let table = "time,d,other\n2013-01-01,1.5,x\n2013-01-02,\"2.5\",y\n2013-01-03,-1,z\n";
    let command = ["simulate", "model.toml", "--scheme", "quasi-static", "--out", "r"];
    survives("drive.csv", table, &command, &sandbox, sized(80, 200));
}

#[test]
fn settings() {
    let sandbox = Sandbox::new();
    let cases = sized(40, 100);
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&"[a-z.=0-9\\[\\]{}\" -]{0,24}", |setting| {
        let ended = sandbox.run(&["simulate", "model.toml", "--set", &setting, "--out", "r"]);
        prop_assert!(matches!(ended.code, Some(1 | 2)), "{:?}: {}", ended.code, ended.stderr);
        prop_assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
        prop_assert_eq!(sandbox.list("."), ["model.toml"]);
        Ok(())
    });
    if let Err(e) = outcome {
        panic!("{e}");
    }
}
