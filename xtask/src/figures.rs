//! Every figure that the program makes of its own templates, on one page: to be looked at, in light, in dark, at the width of a phone
//! and in print.

use crate::shell::{Outcome, root, run, target};
use crate::web;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Commands that no template names in its head: the template, and the command with its options.
const MORE: [(&str, &str); 6] = [
    ("simulate", "orbit"),
    ("simulate", "response --vary oscillator.stiffness=0.5:2:40"),
    ("simulate", "basins"),
    ("simulate", "converge --scheme euler"),
    ("sweep", "sweep --vary oscillator.stiffness=0.5:2:16"),
    ("loop", "hunt --vary network.controller.0.integral=0:24:13"),
];

const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width\"><title>Figures</title>\n<style>\n\
    body{font:15px/1.4 system-ui,sans-serif;margin:1rem}\n\
    section{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr) 390px;gap:1rem;align-items:start}\n\
    section>div{padding:.5rem}\n.dark{color-scheme:dark;background:#14171c}\n.light{color-scheme:light;background:#fff}\n\
    img{width:100%;max-width:48rem}\n@media print{img{break-inside:avoid}section{grid-template-columns:1fr}.dark,.phone{display:none}}\n\
    </style></head><body>\n<h1>Every figure</h1>\n<p>In light, in dark, and as wide as a phone.</p>\n";

/// Runs the commands that the templates name, writes `target/figures/index.html`, and looks at it in a browser.
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
        let file = folder.join(format!("{name}.toml"));
        let mut words = command.split(' ');
        let ran = Command::new(&program)
            .current_dir(&folder)
            .args(words.next())
            .arg(&file)
            .args(words)
            .args(["--out", &out])
            .output()
            .map_err(|e| failed("the program", e))?;
        let _ = writeln!(page, "<h2><code>stickslip {command}</code> of {name}</h2>");
        if !ran.status.success() {
            return Err(format!(
                "stickslip {command} of the template {name}: {}",
                String::from_utf8_lossy(&ran.stderr)
            ));
        }
        figures += shown(&folder, &out, &mut page)?;
    }
    page.push_str("</body></html>\n");
    let index = folder.join("index.html");
    fs::write(&index, page).map_err(|e| failed("the page of figures", e))?;
    Ok((figures, index))
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
    let drawn: Vec<&String> = names.iter().filter(|n| n.ends_with(".svg")).collect();
    for name in &drawn {
        let image = format!("<img src=\"{out}/{name}\" alt=\"{name}\">");
        let _ = writeln!(
            page,
            "<h3>{name}</h3>\n<section><div class=\"light\">{image}</div><div class=\"dark\">{image}</div>\
             <div class=\"light phone\">{image}</div></section>"
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
    all.extend(MORE.map(|(kind, command)| (kind.to_owned(), command.to_owned())));
    Ok(all)
}
