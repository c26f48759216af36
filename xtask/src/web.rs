//! The lab: `target/web`, and its tests in a browser.

use crate::fmu;
use crate::shell::{Outcome, is_there, listed, root, run, run_in, rust_for, shortened, target};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// How the library is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// As it is given to others, which takes minutes.
    Given,
    /// Built quickly, for tests.
    Quick,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Given => "dist",
            Self::Quick => "dev",
        }
    }

    /// Tests have a folder of their own, so that nobody publishes a quick build.
    fn folder(self) -> PathBuf {
        target().join(match self {
            Self::Given => "web",
            Self::Quick => "web-test",
        })
    }
}

const TRIPLE: &str = "wasm32-unknown-unknown";
/// Vectors of two numbers: every browser has had them since 2021, Safari since 16.4 of 2023. Sums keep their order, and
/// results their bits.
const VECTORS: &str = "-Ctarget-feature=+simd128";

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn cargo() -> String {
    env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// What this machine lacks to build the lab.
fn lacks() -> Option<&'static str> {
    (!is_there("node") || !is_there(npm())).then_some("there is no Node.js with npm")
}

fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

/// The tools of `web/package.json`, at exactly the versions of its lock file.
fn tools() -> Result<PathBuf, String> {
    let folder = target().join("web-tools");
    let web = root().join("web");
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let lock = fs::read(web.join("package-lock.json")).map_err(failed)?;
    let installed = folder.join("installed.json");
    if fs::read(&installed).is_ok_and(|old| old == lock) {
        return Ok(folder);
    }
    for name in ["package.json", "package-lock.json"] {
        fs::copy(web.join(name), folder.join(name)).map_err(failed)?;
    }
    let arguments = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    run_in("the tools of the lab", folder.clone(), npm(), &arguments)?;
    fs::write(&installed, lock).map_err(failed)?;
    Ok(folder)
}

/// The library and its bindings, in a folder.
fn library(profile: Profile) -> Result<PathBuf, String> {
    rust_for(TRIPLE)?;
    let name = profile.name();
    let folder = target().join("web-bind").join(name);
    // Messages about defects name source files: not the folders of this machine.
    let flags = [vec![VECTORS.to_owned()], shortened()].concat();
    let flags = format!("target.{TRIPLE}.rustflags={}", listed(flags));
    // The bindings need to know what the library asks of the browser, which `strip` would remove with the rest.
    let strip = format!("profile.{name}.strip='debuginfo'");
    // Tests drag numbers as people do: the readers of files must not be as slow as in other tests.
    let quick = format!("profile.{name}.opt-level=1");
    let settings = ["--config", &flags, "--config", &strip, "--config", &quick];
    let settings = if profile == Profile::Quick { &settings[..] } else { &settings[..4] };
    let target_of = ["--target", TRIPLE, "--profile", name];
    let build = ["build", "--locked", "--lib", "-p", "stickslip-web"];
    let features = ["--features", "stickslip-web/parquet", "--no-default-features"];
    // With the tests come the libraries for browsers that the lab does without.
    let others = ["-p", "stickslip-gallery", "-p", "stickslip-reference"];
    let others = if profile == Profile::Quick { &others[..] } else { &[] };
    let all = [&build[..], others, &features, &target_of, settings].concat();
    run("the lab's library", &cargo(), &all)?;
    let built = if profile == Profile::Quick { "debug" } else { name };
    let compiled = shown(&target().join(TRIPLE).join(built).join("stickslip_web.wasm"));
    let out = shown(&folder);
    let bind = ["run", "--quiet", "--locked", "-p", "xtask", "--features", "bind", "--bin", "bind"];
    let arguments = [&bind[..], &["--", &compiled, &out, "stickslip"]].concat();
    run("its bindings", &cargo(), &arguments)?;
    Ok(folder)
}

/// Builds the lab: its folder.
fn built(profile: Profile) -> Result<PathBuf, String> {
    let tools = tools()?;
    let library = library(profile)?;
    let out = profile.folder();
    let web = root().join("web");
    let _ = fs::remove_dir_all(&out);
    let script = shown(&web.join("build.mjs"));
    let examples = shown(&root().join("examples"));
    let arguments = [&script, &shown(&out), &shown(&library), &shown(&tools), &examples];
    run("the page of the lab", "node", &arguments.map(String::as_str))?;
    Ok(out)
}

/// Builds the lab and says where it is.
pub fn build(profile: Profile) -> Outcome {
    if let Some(why) = lacks() {
        return Outcome::Failed(format!("the lab ({why})"));
    }
    match built(profile) {
        Ok(folder) => Outcome::Passed(format!("{}", folder.display())),
        Err(what) => Outcome::Failed(what),
    }
}

/// A browser of this machine: `CHROMIUM`, or one of the usual names.
fn browser() -> Option<String> {
    let asked = env::var("CHROMIUM").ok();
    let usual = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    asked.into_iter().chain(usual.map(str::to_owned)).find(|b| is_there(b))
}

/// What browsers get, without the threads that they do not have.
const WITHOUT_THREADS: [&str; 9] = [
    "stickslip",
    "stickslip-calibrate",
    "stickslip-certify",
    "stickslip-report",
    "stickslip-file",
    "stickslip-run",
    "stickslip-reference",
    "stickslip-gallery",
    "stickslip-web",
];

/// Whether the libraries compile for browsers.
fn checked() -> Result<(), String> {
    rust_for(TRIPLE)?;
    let check = ["check", "--locked", "--target", TRIPLE, "--no-default-features"];
    let packages = WITHOUT_THREADS.iter().flat_map(|p| ["-p", p]);
    let all: Vec<&str> = check.into_iter().chain(packages).collect();
    run("the libraries for browsers", &cargo(), &all)
}

/// Types of the page, then its tests in a browser; where there is none, whether the libraries compile for it.
pub fn test() -> Outcome {
    let skipped = |why: &str| match checked() {
        Ok(()) => Outcome::Skipped(format!("the lab ({why})")),
        Err(what) => Outcome::Failed(what),
    };
    if let Some(why) = lacks() {
        return skipped(why);
    }
    let addresses = shown(&root().join("web").join("test").join("hash.mjs"));
    if let Err(what) = run("addresses of the lab", "node", &[&addresses]) {
        return Outcome::Failed(what);
    }
    let Some(browser) = browser() else {
        return skipped("there is no Chromium; set CHROMIUM to its path");
    };
    match tested(&browser) {
        Ok(()) => Outcome::Passed("the lab".to_owned()),
        Err(what) => Outcome::Failed(what),
    }
}

/// Looks in a browser at every figure of the contact sheet: names that touch or are cut, and pages wider than a phone.
pub fn looked_at(folder: &Path) -> Outcome {
    let what = "names of figures, pages on a phone";
    let (None, Some(browser)) = (lacks(), browser()) else {
        return Outcome::Skipped(format!("{what} (there is no Node.js with npm, or no Chromium)"));
    };
    let looked = || -> Result<(), String> {
        let tools = shown(&tools()?);
        let script = shown(&root().join("web").join("test").join("figures.mjs"));
        run(what, "node", &[&script, &shown(folder), &tools, &browser])
    };
    looked().map_or_else(Outcome::Failed, |()| Outcome::Passed(what.to_owned()))
}

/// Builds the lab and the program as they are given to others, and compares their speed.
pub fn measure() -> Outcome {
    let (None, Some(browser)) = (lacks(), browser()) else {
        return Outcome::Skipped(
            "the lab (there is no Node.js with npm, or no Chromium)".to_owned(),
        );
    };
    let measured = || -> Result<(), String> {
        let page = built(Profile::Given)?;
        let program = ["build", "--locked", "--profile", "dist", "-p", "stickslip-cli"];
        run("the program to compare with", &cargo(), &program)?;
        let program = target().join("dist").join(format!("stickslip{}", env::consts::EXE_SUFFIX));
        let script = shown(&root().join("web").join("test").join("measure.mjs"));
        let tools = shown(&target().join("web-tools"));
        let arguments = [&script, &shown(&page), &shown(&program), &tools, &browser];
        run("the speed of the lab", "node", &arguments.map(String::as_str))
    };
    measured().map_or_else(Outcome::Failed, |()| Outcome::Passed("the speed of the lab".to_owned()))
}

fn tested(browser: &str) -> Result<(), String> {
    let page = built(Profile::Quick)?;
    let tools = target().join("web-tools");
    let web = root().join("web");
    let types = shown(&tools.join("node_modules/typescript/bin/tsc"));
    run("types of the lab", "node", &[&types, "-p", &shown(&web)])?;
    let program = [&["build", "--locked"], &fmu::AS_WHEEL[..]].concat();
    run("the program to compare with", &cargo(), &program)?;
    let suffix = if cfg!(windows) { ".exe" } else { "" };
    let program = target().join("debug").join(format!("stickslip{suffix}"));
    let script = shown(&web.join("test").join("run.mjs"));
    let arguments = [&script, &shown(&page), &shown(&program), &shown(&tools), browser];
    run("tests of the lab", "node", &arguments.map(|a| a))
}
