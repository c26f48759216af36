//! `stickslip new`: templates to start from.

use super::record;
use crate::args::{New, RecordKind, Template};
use crate::fault::{Fault, Result};
use crate::screen::{self, Screen};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

const SIMULATE: &str = include_str!("../templates/simulate.toml");
const CALIBRATE: &str = include_str!("../templates/calibrate.toml");
const SLIDER: &str = include_str!("../templates/pulled-slider.toml");
const DRIVE: &str = include_str!("../templates/rigid-drive.toml");

/// A template, and the made-up record that it names.
type Kit = (&'static str, Option<(&'static str, fn() -> Result<String>)>);

/// Writes a template to a file, or prints it.
pub fn run(args: &New, screen: &Screen) -> Result<()> {
    let (command, (text, data)): (&str, Kit) = match (args.template, args.kind) {
        (Template::Simulate, _) => ("simulate", (SIMULATE, None)),
        (Template::Calibrate, kind) => (
            "calibrate",
            match kind {
                RecordKind::ThermalBearing => (CALIBRATE, Some(("bearing.csv", record::bearing))),
                RecordKind::PulledSlider => (SLIDER, Some(("force.csv", record::slider))),
                RecordKind::RigidDrive => (DRIVE, Some(("drive.csv", record::drive))),
            },
        ),
    };
    let Some(path) = &args.file else {
        return screen::print(|w| w.write_all(text.as_bytes()));
    };
    write_new(path, text)?;
    if let Some((name, made)) = data {
        let data = path.with_file_name(name);
        if !data.exists() {
            write_new(&data, &made()?)?;
            screen
                .note(&format!("wrote {}: a made-up record, replace it by yours", data.display()));
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
