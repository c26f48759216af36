//! `stickslip new`: commented files to start from.

use crate::args::{New, RecordKind, Template};
use crate::fault::{Fault, Result};
use crate::screen::{self, Screen};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;
use stickslip_run::synthetic;

/// The name of a synthetic record, and what makes it.
type Record = (&'static str, fn() -> Result<String>);

/// A template, and the synthetic record that it names.
struct Kit {
    command: &'static str,
    text: &'static str,
    record: Option<Record>,
}

impl Kit {
    fn of(args: &New) -> Self {
        let (text, name, make): (_, _, fn() -> Result<String>) = match (args.template, args.kind) {
            (Template::Simulate, _) => {
                let text = include_str!("../templates/simulate.toml");
                return Self { command: "simulate", text, record: None };
            }
            (_, RecordKind::ThermalBearing) => {
                (include_str!("../templates/calibrate.toml"), "bearing.csv", synthetic::bearing)
            }
            (_, RecordKind::PulledSlider) => {
                (include_str!("../templates/pulled-slider.toml"), "force.csv", synthetic::slider)
            }
            (_, RecordKind::RigidDrive) => {
                (include_str!("../templates/rigid-drive.toml"), "drive.csv", synthetic::drive)
            }
        };
        Self { command: "calibrate", text, record: Some((name, make)) }
    }
}

/// Writes a template to a file, or prints it.
pub fn run(args: &New, screen: &Screen) -> Result<()> {
    let Kit { command, text, record } = Kit::of(args);
    let Some(path) = &args.file else {
        return screen::print(|w| w.write_all(text.as_bytes()));
    };
    write_new(path, text)?;
    if let Some((name, make)) = record {
        let record = path.with_file_name(name);
        if !record.exists() {
            write_new(&record, &make()?)?;
            let name = record.display();
            screen.note(&format!("wrote {name}: a synthetic record; replace it with your own"));
        }
    }
    screen.note(&format!("wrote {0}; try: stickslip {command} {0}", path.display()));
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
