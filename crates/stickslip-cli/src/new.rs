//! `stickslip new`: commented files to start from.

use crate::args::New;
use crate::fault::{Fault, Result};
use crate::screen::{self, Screen};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;
use stickslip_run::synthetic::{self, Record};
use stickslip_run::templates;

/// Writes a template to a file, or prints it.
pub fn run(args: &New, screen: &Screen) -> Result<()> {
    let unknown = || Fault::command_line(format!("there is no template `{}`", args.template));
    let kit = templates::find(&args.template).ok_or_else(unknown)?;
    let Some(path) = &args.file else {
        return screen::print(|w| w.write_all(kit.printed().as_bytes()));
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    write_new(path, &kit.written(&name))?;
    if let Some(record) = kit.record {
        write_record(record, path, screen)?;
        for log in record.named() {
            write_record(*log, path, screen)?;
        }
    }
    let (command, options) = kit.command.split_once(' ').unwrap_or((kit.command, ""));
    let tried = format!("stickslip {command} {} {options}", path.display());
    screen.note(&format!("wrote {}; try: {}", path.display(), tried.trim_end()));
    Ok(())
}

/// Writes a record next to the template, unless it is there already.
fn write_record(record: Record, template: &Path, screen: &Screen) -> Result<()> {
    let path = template.with_file_name(record.name);
    if path.exists() {
        return Ok(());
    }
    write_new(&path, &synthetic::make(record)?)?;
    let name = path.display();
    screen.note(&format!("wrote {name}: a synthetic record; replace it with your own"));
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
