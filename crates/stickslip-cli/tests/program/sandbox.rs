//! A folder of its own for each test, and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_stickslip");

/// The size of a campaign in every build, and its whole size each night.
pub fn sized<T>(usual: T, nightly: T) -> T {
    if std::env::var_os("STICKSLIP_NIGHTLY").is_some() { nightly } else { usual }
}

/// The number that a variable of the environment asks for.
pub fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

/// A model that runs, to be broken by tests.
pub const MODEL: &str = r#"title = "test"

[oscillator]
mass = 1.0
stiffness = 1.0

[oscillator.friction.static-dynamic]
static = 1.2
dynamic = 1.0

[[oscillator.drive]]
harmonic = { amplitude = 6.0, angular_frequency = 0.5, phase = 0.0 }

[oscillator.initial]
displacement = 6.0

[run]
end = 40.0
scheme = "exact"
step = 0.01
rows = 401
"#;

/// A folder with files.
pub struct Sandbox(TempDir);

/// How a run ended.
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Sandbox {
    /// A folder that holds `MODEL` as model.toml.
    pub fn new() -> Self {
        let sandbox = Self(TempDir::new().unwrap());
        sandbox.write("model.toml", MODEL);
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), text).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program, to be run in this folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).current_dir(self.0.path());
        command
    }

    /// Runs `stickslip ARGS` in this folder.
    pub fn run(&self, args: &[&str]) -> Ended {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let ended = Ended { code: status.code(), stdout: text(stdout), stderr: text(stderr) };
        super::said::check(args, &ended);
        ended
    }

    /// Names in a folder below, sorted; hidden ones too, but not the record of what was written there.
    pub fn list(&self, folder: &str) -> Vec<String> {
        let mut names = self.list_all(folder);
        names.retain(|name| name != ".stickslip");
        names
    }

    /// Names in a folder below, sorted.
    pub fn list_all(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }
}

impl Ended {
    /// Ended well.
    #[track_caller]
    pub fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// Ended with this code, a message with every one of `parts`, and nothing on standard output.
    #[track_caller]
    pub fn failed(self, code: i32, parts: &[&str]) {
        let Self { stderr, stdout, .. } = &self;
        assert_eq!(self.code, Some(code), "{stderr}");
        assert!(stdout.is_empty(), "{stdout}");
        assert!(!stderr.contains("panicked") && !stderr.contains('\u{1b}'), "{stderr}");
        assert!(stderr.starts_with("error: ") && stderr.lines().count() < 12, "{stderr}");
        for part in parts {
            assert!(stderr.contains(part), "`{part}` is not in:\n{stderr}");
        }
    }
}

/// The columns of a CSV text by name, as text.
pub fn columns(text: &str) -> Vec<(String, Vec<String>)> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows: Vec<csv::StringRecord> = reader.records().map(|r| r.unwrap()).collect();
    let column = |i: usize| rows.iter().map(|r| r[i].to_owned()).collect();
    header.into_iter().enumerate().map(|(i, name)| (name, column(i))).collect()
}

/// A column of numbers.
pub fn numbers(text: &str, name: &str) -> Vec<f64> {
    let (_, cells) = columns(text).into_iter().find(|c| c.0 == name).unwrap();
    cells.iter().map(|c| c.parse().unwrap()).collect()
}
