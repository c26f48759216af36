//! From a command to its results: as tables on standard output, as JSON, or as files of a directory.

use crate::args::Command;
use crate::commands;
use crate::fault::{self, Result};
use crate::output::Patience;
use crate::screen::{self, Screen};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Instant;
use stickslip_file::{Journal, JournalFile, plain};
use stickslip_run::directory::Directory;
use stickslip_run::{Context, Product};

/// Runs a command and delivers what it returns.
pub fn run(command: &Command, screen: &Screen) -> Result<u8> {
    let (delivery, title) = commands::about(command);
    delivery.format.unwrap_or_default().check()?;
    let prepare = |folder| Directory::prepare(folder, commands::name(command));
    let output = delivery.out.as_deref().map(prepare).transpose()?;
    for left in output.iter().flat_map(Directory::left) {
        screen.warn(&format!("{left}: may come from a run that was killed, but is not as that run wrote it; it stays there"));
    }
    let progress = screen.progress(title);
    // These keep what is complete when they are interrupted.
    let patient = matches!(command, Command::Ensemble(_) | Command::Fleet(_));
    let patience = patient.then(Patience::new);
    // A fit of a model that is ended goes on from here.
    let fits = matches!(command, Command::Calibrate(_));
    let folder = delivery.out.as_deref().filter(|_| fits);
    let kept = folder.map(|f| JournalFile::open(&f.join("fit.state"), true)).transpose()?;
    let start = Instant::now();
    let context = Context {
        clock: &|| start.elapsed().as_secs_f64(),
        progress: &screen::advance,
        warn: &|text| screen.warn(text),
        cancelled: &|| patience.as_ref().is_some_and(Patience::is_over),
        journal: kept.as_ref().map(|k| k as &dyn Journal),
    };
    let product = commands::product(command, &context);
    let mut product = match product {
        Ok(product) => product,
        Err(fault) => {
            // It would fail in the same way again.
            if let Some(kept) = kept {
                kept.finish();
            }
            return Err(fault);
        }
    };
    if let Some(format) = delivery.format {
        product.formats = vec![format];
    }
    drop((progress, patience));
    let interrupted = product.interrupted;
    deliver(product, output, delivery.json, screen)?;
    if let Some(kept) = kept {
        kept.finish();
    }
    Ok(if interrupted { fault::INTERRUPTED } else { 0 })
}

/// Delivers to a directory, or prints tables; with `json`, prints the summary.
fn deliver(
    mut product: Product,
    out: Option<Directory>,
    json: bool,
    screen: &Screen,
) -> Result<()> {
    product.remarks.iter().for_each(|r| screen.warn(&fault::remark(r)));
    if let Some(output) = out {
        let written = write(&mut product, output)?;
        if let Some(brief) = &product.brief {
            screen.note(&brief.get());
        }
        screen.note(&written);
    } else if !json && !screen.quiet {
        screen::print(|w| w.write_all(plain(&product.text.get()).as_bytes()))?;
    }
    if json { screen::print(|w| summary(w, &product.summary)) } else { Ok(()) }
}

fn summary(w: &mut dyn Write, summary: &Value) -> std::io::Result<()> {
    serde_json::to_writer_pretty(&mut *w, summary)?;
    writeln!(w)
}

/// Writes every part of a product to a file, and the list of them into the summary.
fn write(product: &mut Product, mut output: Directory) -> Result<String> {
    for (table, format) in
        product.tables.iter().flat_map(|t| product.formats.iter().map(move |f| (t, *f)))
    {
        output.write(&format!("{}.{}", table.name, format.ending()), |w| table.write(format, w))?;
    }
    let parts = [
        (&product.documents, ".json"),
        (&product.figures, ".svg"),
        (&product.pages, ".html"),
        (&product.texts, ""),
    ];
    for (parts, ending) in parts {
        for part in parts {
            let text = part.content.get();
            output.write(&format!("{}{ending}", part.name), |w| w.write_all(text.as_bytes()))?;
        }
    }
    if let Some(all) = product.summary.as_object_mut() {
        all.insert("files".to_owned(), json!(output.names()));
    }
    output.write("summary.json", |w| summary(w, &product.summary))?;
    output.commit(&product.inputs)
}
