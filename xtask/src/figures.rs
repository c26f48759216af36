//! Every kind of figure that the program makes, the figures of the papers and the pictures of the guide, on one page: to be looked at,
//! in light, in dark, at the width of a phone, in print and without colours.

use crate::shell::{Outcome, root, run, target};
use crate::web;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Commands that no template names in its head: the template or one of [`MODELS`], and the command with its options.
const MORE: [(&str, &str); 18] = [
    ("simulate", "orbit"),
    ("simulate", "response --vary oscillator.stiffness=0.5:2:40"),
    ("simulate", "basins"),
    ("simulate", "converge --scheme euler"),
    ("sweep", "sweep --vary oscillator.stiffness=0.5:2:16"),
    ("loop", "hunt --vary network.controller.0.integral=0:24:13"),
    ("simulate", "converge --scheme adaptive"),
    ("ensemble", "converge --scheme euler --halvings 4 --paths 20"),
    (
        "simulate",
        "sweep --vary oscillator.drive.0.harmonic.angular_frequency=0.3:1.5:60 --section 20 --lyapunov 50",
    ),
    ("simulate", "response --vary oscillator.stiffness=0.5:2:30 --vary oscillator.mass=1:2:4"),
    ("planar", "orbit"),
    ("calibrate", "calibrate --windows 40d:20d"),
    ("bristles", "simulate"),
    ("shaken", "simulate"),
    ("shaken", "orbit"),
    ("shaken", "response --vary network.force.0.harmonic.angular_frequency=0.8:1.6:20"),
    ("shaken", "basins --x -2:2:21 --v -2:2:21"),
    ("servo-logs", "design"),
];

/// Models of kinds that no template shows.
const MODELS: [(&str, &str); 2] = [
    (
        "bristles",
        "title = \"A block on bristles\"\n[oscillator]\nmass = 1.0\nstiffness = 2.0\ndrive = [{ ramp = { rate = 0.1 } }]\n\
         friction.lugre = { stiffness = 1000.0, damping = 30.0, static = 1.5, dynamic = 1.0, velocity = 0.1 }\n\
         [run]\nend = 30.0\n",
    ),
    (
        "shaken",
        "title = \"Two blocks under a harmonic force\"\n[network]\nnode = [{ name = \"a\", mass = 1.0 }, { name = \"b\", mass = 1.0 }]\n\
         spring = [{ between = [\"a\", \"ground\"], stiffness = 1.0 }, { between = [\"a\", \"b\"], stiffness = 1.0 }]\n\
         slider = [{ name = \"s\", between = [\"b\", \"ground\"], static = 0.4, dynamic = 0.4 }]\n\
         force = [{ on = \"a\", harmonic = { amplitude = 1.0, angular_frequency = 1.2 } }]\n[run]\nend = 60.0\n",
    ),
];

const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width\"><title>Figures</title>\n<style>\n\
    body{font:15px/1.4 system-ui,sans-serif;margin:1rem}\n\
    section{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr) 390px;gap:1rem;align-items:start}\n\
    section>div{padding:.5rem}\n.dark{color-scheme:dark;background:#14171c}\n.light{color-scheme:light;background:#fff}\n\
    .grey{filter:grayscale(1)}\n\
    img{width:100%;max-width:48rem}\n@media print{img{break-inside:avoid}section{grid-template-columns:1fr}.dark,.phone{display:none}}\n\
    </style></head><body>\n<h1>Every figure</h1>\n<p>In light, in dark, and as wide as a phone, there without colours.</p>\n";

/// Makes the figures, writes `target/figures/index.html`, and looks at it in a browser.
pub fn sheet() -> Vec<Outcome> {
    match made() {
        Ok((figures, page)) => {
            let made = Outcome::Passed(format!("{figures} figures: {}", page.display()));
            vec![made, web::looked_at(&target().join("figures"))]
        }
        Err(why) => vec![Outcome::Failed(why)],
    }
}

fn made() -> Result<(usize, PathBuf), String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    run("the program", &cargo, &["build", "-p", "stickslip-cli"])?;
    let program = target().join("debug").join(format!("stickslip{}", std::env::consts::EXE_SUFFIX));
    let folder = target().join("figures");
    let failed = |what: &str, e: std::io::Error| format!("{what}: {e}");
    // What an earlier version drew is no figure of this one.
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| failed("the old figures", e))?;
    }
    fs::create_dir_all(&folder).map_err(|e| failed("the folder of figures", e))?;
    let mut page = HEAD.to_owned();
    let mut figures = 0;
    for (n, (name, command)) in commands(&program)?.into_iter().enumerate() {
        let out = format!("{n:02}-{name}-{}", command.split(' ').next().unwrap_or_default());
        let mut words = command.split(' ').map(str::to_owned);
        let mut arguments: Vec<String> = words.next().into_iter().collect();
        arguments.push(match command.as_str() {
            // A design goes on from the results of a fit.
            "design" => results(&folder, &format!("-{name}-calibrate"))?,
            _ => format!("{name}.toml"),
        });
        arguments.extend(words);
        let _ = writeln!(page, "<h2><code>stickslip {command}</code> of {name}</h2>");
        drawn(&program, &folder, &arguments, &out)?;
        figures += shown(&folder, &out, &mut page)?;
    }
    lacking(&folder)?;
    let _ = writeln!(page, "<h2>Figures of the papers</h2>");
    drawn(&program, &folder, &["reproduce".to_owned(), "all".to_owned()], "papers")?;
    figures += shown(&folder, "papers", &mut page)?;
    let _ = writeln!(page, "<h2>Pictures of the guide</h2>");
    let guide = folder.join("guide");
    fs::create_dir_all(&guide).map_err(|e| failed("the pictures of the guide", e))?;
    for from in ["book/src/pictures", "docs"] {
        let files = fs::read_dir(root().join(from)).map_err(|e| failed(from, e))?;
        for file in files.filter_map(|f| Some(f.ok()?.path())) {
            if let (Some(name), Some("svg" | "png")) =
                (file.file_name(), file.extension().and_then(|e| e.to_str()))
            {
                fs::copy(&file, guide.join(name)).map_err(|e| failed(from, e))?;
            }
        }
    }
    figures += shown(&folder, "guide", &mut page)?;
    page.push_str("</body></html>\n");
    let index = folder.join("index.html");
    fs::write(&index, page).map_err(|e| failed("the page of figures", e))?;
    Ok((figures, index))
}

/// Runs the program in the folder.
fn drawn(program: &Path, folder: &Path, arguments: &[String], out: &str) -> Result<(), String> {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments).args(["--out", out]);
    let ran = command.output().map_err(|e| format!("the program: {e}"))?;
    if ran.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&ran.stderr);
    Err(format!("stickslip {}: {why}", arguments.join(" ")))
}

/// The first folder of results whose name ends so.
fn results(folder: &Path, end: &str) -> Result<String, String> {
    let files = fs::read_dir(folder).map_err(|e| e.to_string())?;
    let names = files.filter_map(|f| f.ok()?.file_name().into_string().ok());
    let found = names.filter(|name| name.ends_with(end)).min();
    found.ok_or_else(|| format!("no results of a command end with {end}"))
}

/// Every kind of figure that the sources name stands on the sheet.
fn lacking(folder: &Path) -> Result<(), String> {
    let mut named = BTreeSet::new();
    named_below(&root().join("crates/stickslip-run/src"), &mut named)?;
    let mut made = BTreeSet::new();
    for run in fs::read_dir(folder).map_err(|e| e.to_string())?.filter_map(Result::ok) {
        let files = fs::read_dir(run.path()).into_iter().flatten();
        made.extend(files.filter_map(|f| f.ok()?.file_name().into_string().ok()));
    }
    let none: Vec<&String> = named.iter().filter(|n| !made.contains(&format!("{n}.svg"))).collect();
    match none.as_slice() {
        [] if named.len() > 30 => Ok(()),
        [] => Err(format!("the sources seem to name {} kinds of figure only", named.len())),
        none => Err(format!("no command of the sheet draws {none:?}; add one to `MORE`")),
    }
}

/// The names of figures in the sources of a folder and below.
fn named_below(folder: &Path, named: &mut BTreeSet<String>) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    for path in fs::read_dir(folder).map_err(failed)?.filter_map(|f| Some(f.ok()?.path())) {
        if path.is_dir() {
            named_below(&path, named)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).map_err(failed)?;
            let calls = text.split(".figure(\"").skip(1);
            let names = calls.filter_map(|rest| Some(rest.split_once('"')?.0));
            named.extend(
                names.filter(|n| n.bytes().all(|b| b.is_ascii_lowercase())).map(str::to_owned),
            );
        }
    }
    Ok(())
}

/// The pages and figures of one run, added to the sheet.
fn shown(folder: &Path, out: &str, page: &mut String) -> Result<usize, String> {
    let files = fs::read_dir(folder.join(out)).map_err(|e| format!("{out}: {e}"))?;
    let mut names: Vec<String> =
        files.filter_map(|f| f.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    for name in names.iter().filter(|n| n.ends_with(".html")) {
        let _ = writeln!(page, "<p><a href=\"{out}/{name}\">{name}</a></p>");
    }
    let drawn: Vec<&String> =
        names.iter().filter(|n| n.ends_with(".svg") || n.ends_with(".png")).collect();
    for name in &drawn {
        let image = format!("<img src=\"{out}/{name}\" alt=\"{name}\">");
        let _ = writeln!(
            page,
            "<h3>{name}</h3>\n<section><div class=\"light\">{image}</div><div class=\"dark\">{image}</div>\
             <div class=\"light phone grey\">{image}</div></section>"
        );
    }
    Ok(drawn.len())
}

/// Each template with each command that its head names, and some more; the templates are written into the folder.
fn commands(program: &Path) -> Result<Vec<(String, String)>, String> {
    let folder = target().join("figures");
    let said = |arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(root()).output();
        output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).map_err(|e| e.to_string())
    };
    let help = said(&["new", "--help"])?;
    let kinds = help.lines().filter_map(|l| l.trim().strip_prefix("- ")?.split_once(':'));
    let mut all: Vec<(String, String)> = Vec::new();
    for (kind, _) in kinds {
        let text = said(&["new", kind])?;
        let head = text.lines().take_while(|l| l.starts_with('#') || l.is_empty());
        for line in head.filter_map(|l| Some(l.split_once("stickslip ")?.1)) {
            let mut words = line.split_whitespace().filter(|w| !w.starts_with('`'));
            let Some(command) = words.next() else { continue };
            if command == "new" || !words.next().is_some_and(|file| file.ends_with(".toml")) {
                continue;
            }
            let rest: Vec<&str> = words.take_while(|w| *w != "--out").collect();
            let command = std::iter::once(command).chain(rest).collect::<Vec<_>>().join(" ");
            if !all.iter().any(|(k, c)| k == kind && *c == command) {
                all.push((kind.to_owned(), command));
            }
        }
        fs::write(folder.join(format!("{kind}.toml")), text).map_err(|e| e.to_string())?;
    }
    for (name, text) in MODELS {
        fs::write(folder.join(format!("{name}.toml")), text).map_err(|e| e.to_string())?;
    }
    all.extend(MORE.map(|(kind, command)| (kind.to_owned(), command.to_owned())));
    Ok(all)
}
