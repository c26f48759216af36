//! Several records: one `fit.json`, one table, one report.

use super::{Fitted, page};
use crate::export::Writer;
use crate::number::exact;
use std::io::{self, Write};
use std::rc::Rc;
use stickslip_calibrate::Estimate;
use stickslip_report::html::{Page, Table, number};

/// The files, and the table for people.
pub fn export(title: &str, all: Vec<Fitted>) -> (Vec<(&'static str, Writer)>, Writer) {
    let all = Rc::new((title.to_owned(), all));
    let make = |write: fn(&mut dyn Write, &str, &[Fitted]) -> io::Result<()>| -> Writer {
        let all = all.clone();
        Box::new(move |w| write(w, &all.0, &all.1))
    };
    let files =
        vec![("fit.json", make(json)), ("records.csv", make(csv)), ("report.html", make(report))];
    (files, make(text))
}

fn json(w: &mut dyn Write, title: &str, all: &[Fitted]) -> io::Result<()> {
    let one = |f: &Fitted| {
        let mut value = f.value();
        if let Some(map) = value.as_object_mut() {
            map.insert("title".to_owned(), f.title().into());
            map.insert("file".to_owned(), f.file.data.file.clone().into());
        }
        value
    };
    let records: Vec<_> = all.iter().map(one).collect();
    serde_json::to_writer_pretty(
        &mut *w,
        &serde_json::json!({ "title": title, "records": records }),
    )?;
    writeln!(w)
}

/// One row for each record; value, low and high of every parameter, SI units, empty where unknown.
fn csv(w: &mut dyn Write, _: &str, all: &[Fitted]) -> io::Result<()> {
    write!(w, "record,file,samples,slips,rmse")?;
    for (name, _, _) in all.iter().take(1).flat_map(Fitted::estimates) {
        write!(w, ",{name},{name}_low,{name}_high")?;
    }
    writeln!(w)?;
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    for f in all {
        let (title, file) = (quoted(f.title()), quoted(&f.file.data.file));
        write!(w, "{title},{file},{},{},{}", f.fit.samples, f.fit.slips, exact(f.fit.rmse))?;
        for (_, _, e) in f.estimates() {
            match (e.value, e.ci95) {
                (Some(v), Some([a, b])) => write!(w, ",{},{},{}", exact(v), exact(a), exact(b))?,
                _ => write!(w, ",,,")?,
            }
        }
        writeln!(w)?;
    }
    Ok(())
}

fn text(w: &mut dyn Write, title: &str, all: &[Fitted]) -> io::Result<()> {
    writeln!(w, "{title}: {} records\n", all.len())?;
    let width = all.iter().map(|f| f.title().chars().count()).max().unwrap_or(0).max(6);
    write!(w, "{:<width$} {:>8} {:>6} {:>9}", "record", "samples", "slips", "rmse (m)")?;
    for (name, _, _) in all.iter().take(1).flat_map(Fitted::estimates) {
        write!(w, " {name:>11}")?;
    }
    writeln!(w)?;
    for f in all {
        let fit = &f.fit;
        write!(w, "{:<width$} {:>8} {:>6} {:>9.2e}", f.title(), fit.samples, fit.slips, fit.rmse)?;
        for (_, _, e) in f.estimates() {
            match e.value {
                Some(v) => write!(w, " {v:>11.4e}")?,
                None => write!(w, " {:>11}", "unknown")?,
            }
        }
        writeln!(w)?;
    }
    Ok(())
}

/// The comparison, then each record as it has its own report.
fn report(w: &mut dyn Write, title: &str, all: &[Fitted]) -> io::Result<()> {
    let mut page = Page::new(title);
    page.subtitle(format!("{} records", all.len()));
    page.summary(all.iter().map(|f| {
        let first = page::found(f).into_iter().next().unwrap_or_default();
        format!("{}: {first}", f.title())
    }));
    page.section("All records");
    let mut table = Table::new([
        "record",
        "slips",
        "rms (mm)",
        "K (kN/mm)",
        "f_{d} (kN)",
        "f_{s} (kN)",
        "β (µm/K)",
        "f_{s}/K (µm)",
        "f_{d}/K (µm)",
    ]);
    let cell = |e: &Estimate, factor: f64| match (e.value, e.stderr) {
        (Some(v), Some(s)) => format!("{} ± {}", number(factor * v, 4), number(factor * s, 2)),
        _ => "—".to_owned(),
    };
    for f in all {
        let (fit, p) = (&f.fit, &f.fit.parameters);
        table = table.row([
            f.title().to_owned(),
            fit.slips.to_string(),
            number(1e3 * fit.rmse, 3),
            cell(&p.K, 1e-6),
            cell(&p.f_d, 1e-3),
            cell(&p.f_s, 1e-3),
            cell(&p.beta, 1e6),
            cell(&fit.f_s_over_K, 1e6),
            cell(&fit.f_d_over_K, 1e6),
        ]);
    }
    page.table(&table);
    for f in all {
        page.section(f.title());
        page::body(&mut page, f);
    }
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    w.write_all(page.to_html().as_bytes())
}
