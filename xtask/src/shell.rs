//! Other programs.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// How a piece of work ended, in words.
pub enum Outcome {
    /// All is well.
    Passed(String),
    /// This machine lacks something, which is named.
    Skipped(String),
    /// Something is wrong.
    Failed(String),
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

/// `target`, wherever it is.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Runs a program in the workspace's folder; `what` names it when it fails.
pub fn run(what: &str, program: &str, arguments: &[&str]) -> Result<(), String> {
    run_in(what, root(), program, arguments)
}

/// Runs a program in a folder.
pub fn run_in(
    what: &str,
    folder: PathBuf,
    program: &str,
    arguments: &[&str],
) -> Result<(), String> {
    ended(what, program, Command::new(program).args(arguments).current_dir(folder))
}

/// Runs a program in the workspace's folder with variables of the environment set.
pub fn run_with(
    what: &str,
    variables: &[(&str, &str)],
    program: &str,
    arguments: &[&str],
) -> Result<(), String> {
    let mut command = Command::new(program);
    ended(
        what,
        program,
        command.args(arguments).current_dir(root()).envs(variables.iter().copied()),
    )
}

fn ended(what: &str, program: &str, command: &mut Command) -> Result<(), String> {
    let arguments: Vec<_> = command.get_args().map(|a| a.to_string_lossy()).collect();
    eprintln!("> {program} {}", arguments.join(" "));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: {program} ended with {status}")),
        Err(e) => Err(format!("{what}: {program} could not be started: {e}")),
    }
}

/// Rust's own library for another machine, which rustup fetches where it is not there yet.
pub fn rust_for(triple: &str) -> Result<(), String> {
    if !is_there("rustup") {
        return Ok(());
    }
    run("Rust's library for another machine", "rustup", &["target", "add", triple])
}

/// Whether a program is there.
pub fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    let command = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|s| s.success())
}

/// Flags of the compiler that leave the folders of this machine out of the paths of source files.
pub fn shortened() -> Vec<String> {
    let home = std::env::var("CARGO_HOME").map(PathBuf::from).ok();
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let source = home.map(|h| h.join("registry").join("src"));
    let mut folders: Vec<PathBuf> = source
        .and_then(|s| std::fs::read_dir(s).ok())
        .map(|all| all.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    folders.push(root());
    folders.iter().map(|f| format!("--remap-path-prefix={}=", f.display())).collect()
}

/// A list in a setting of cargo.
pub fn listed(texts: Vec<String>) -> String {
    let quoted: Vec<_> = texts.iter().map(|t| format!("'{t}'")).collect();
    format!("[{}]", quoted.join(","))
}
