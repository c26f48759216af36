//! `stickslip new`: commented files to start from.

use crate::args::{New, Template};
use crate::fault::{Fault, Result};
use crate::screen::{self, Screen};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;
use stickslip_run::synthetic::{self, Record};

/// What stands in a template for its own name.
const FILE: &str = "FILE";
/// What stands in a template for the sentence about its record.
const RECORD: &str = "RECORD";

/// A template, what it is for, and the synthetic record that it names.
struct Kit {
    command: &'static str,
    text: &'static str,
    record: Option<Record>,
}

impl Kit {
    fn of(template: Template) -> Self {
        let model = |command, text| Self { command, text, record: None };
        let fit = |text, record| Self { command: "calibrate", text, record: Some(record) };
        match template {
            Template::Simulate => model("simulate", include_str!("../templates/simulate.toml")),
            Template::Ensemble => {
                model("ensemble --paths 1000", include_str!("../templates/ensemble.toml"))
            }
            Template::Sweep => model(
                "sweep --vary oscillator.stiffness=0.5:2:16",
                include_str!("../templates/sweep.toml"),
            ),
            Template::Solutions => model("solutions", include_str!("../templates/solutions.toml")),
            Template::Network => model("simulate", include_str!("../templates/network.toml")),
            Template::Cascade => model("simulate", include_str!("../templates/cascade.toml")),
            Template::Impact => model("simulate", include_str!("../templates/impact.toml")),
            Template::Corner => model("solutions", include_str!("../templates/corner.toml")),
            Template::Schatzman => model("solutions", include_str!("../templates/schatzman.toml")),
            Template::Calibrate => {
                fit(include_str!("../templates/calibrate.toml"), Record::BEARING)
            }
            Template::PulledSlider => {
                fit(include_str!("../templates/pulled-slider.toml"), Record::SLIDER)
            }
            Template::RigidDrive => {
                fit(include_str!("../templates/rigid-drive.toml"), Record::DRIVE)
            }
        }
    }

    /// What is printed: its record is built in.
    fn printed(&self) -> String {
        let usual = if self.record.is_some() { "fit.toml" } else { "model.toml" };
        let text = self.text.replace(FILE, usual);
        let Some(record) = self.record else { return text };
        let said = format!(
            "`{}` is a synthetic record that is built in, so that this file runs as it is. Put the\n\
             # path of your own table in its place.",
            record.built_in()
        );
        let (own, other) = (record.name, record.built_in());
        text.replace(&format!("\"{own}\""), &format!("\"{other}\"")).replace(RECORD, &said)
    }

    /// What is written to the file `name`: its record stands beside it.
    fn written(&self, name: &str) -> String {
        let text = self.text.replace(FILE, name);
        let Some(record) = self.record else { return text };
        let said = format!(
            "`{}` beside this file is a synthetic record to try it with. Put your own in its place.",
            record.name
        );
        text.replace(RECORD, &said)
    }
}

/// Writes a template to a file, or prints it.
pub fn run(args: &New, screen: &Screen) -> Result<()> {
    let kit = Kit::of(args.template);
    let Some(path) = &args.file else {
        return screen::print(|w| w.write_all(kit.printed().as_bytes()));
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    write_new(path, &kit.written(&name))?;
    if let Some(record) = kit.record {
        let beside = path.with_file_name(record.name);
        if !beside.exists() {
            write_new(&beside, &synthetic::make(record)?)?;
            let name = beside.display();
            screen.note(&format!("wrote {name}: a synthetic record; replace it with your own"));
        }
    }
    let (command, options) = kit.command.split_once(' ').unwrap_or((kit.command, ""));
    let tried = format!("stickslip {command} {} {options}", path.display());
    screen.note(&format!("wrote {}; try: {}", path.display(), tried.trim_end()));
    Ok(())
}

fn write_new(path: &Path, text: &str) -> Result<()> {
    let name = path.display();
    let mut file = File::create_new(path).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists => {
            Fault::new(format!("{name}: exists already; nothing was written"))
                .help("give another name, or remove the file first")
        }
        _ => Fault::new(format!("{name}: cannot be written: {e}"))
            .help("give a file in a directory that you may write to"),
    })?;
    file.write_all(text.as_bytes()).map_err(|e| {
        let _ = std::fs::remove_file(path);
        Fault::new(format!("{name}: cannot be written: {e}")).help("check the space on the disk")
    })
}
