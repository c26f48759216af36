//! Several records: one fit, one table, one report.

use super::{Fitted, page};
use crate::export::estimates::with_interval;
use crate::product::{Column, Lazy, Product, Table, pretty, printed};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::Estimate;
use stickslip_report::html::{self, Page, number};

/// Adds what several records leave together: a table with a row for each, one report, `fit`.
pub fn export(product: Product, title: &str, all: Vec<Fitted>) -> Product {
    let all = Arc::new((title.to_owned(), all));
    let make = |of: fn(&str, &[Fitted]) -> String| {
        let all = all.clone();
        move || of(&all.0, &all.1)
    };
    let mut product =
        product.document("fit", make(json)).table(table(&all)).page("report", make(report));
    product.text = Lazy::new(make(|title, all| printed(|w| text(w, title, all))));
    product
}

fn json(title: &str, all: &[Fitted]) -> String {
    let one = |f: &Fitted| {
        let mut value = f.value();
        if let Some(map) = value.as_object_mut() {
            map.insert("title".to_owned(), f.title().into());
            map.insert("file".to_owned(), f.file.data.file.clone().into());
        }
        value
    };
    let records: Vec<_> = all.iter().map(one).collect();
    pretty(&serde_json::json!({ "title": title, "records": records }))
}

/// One row for each record; value, low and high of every parameter, SI units, empty where unknown.
fn table(all: &Arc<(String, Vec<Fitted>)>) -> Table {
    let mut columns = [("record", ""), ("file", ""), ("samples", ""), ("slips", ""), ("rmse", "m")]
        .map(|c| Column::new(c.0, c.1))
        .to_vec();
    for n in all.1.iter().take(1).flat_map(Fitted::estimates) {
        let column = |s| Column::new(format!("{}{s}", n.name), n.estimate.unit);
        columns.extend(["", "_low", "_high"].map(column));
    }
    let all = all.clone();
    Table::new("records", columns, move |rows| {
        for f in &all.1 {
            let file = f.file.data.file.as_str();
            let samples = f.fit.samples.into();
            let slips = f.fit.slips.into();
            let mut row = vec![f.title().into(), file.into(), samples, slips, f.fit.rmse.into()];
            for n in f.estimates() {
                row.extend(with_interval(n.estimate));
            }
            rows(&row)?;
        }
        Ok(())
    })
}

fn text(w: &mut dyn Write, title: &str, all: &[Fitted]) -> fmt::Result {
    writeln!(w, "{title}: {} records\n", all.len())?;
    let width = all.iter().map(|f| f.title().chars().count()).max().unwrap_or(0).max(6);
    write!(w, "{:<width$} {:>8} {:>6} {:>9}", "record", "samples", "slips", "rmse (m)")?;
    for n in all.iter().take(1).flat_map(Fitted::estimates) {
        write!(w, " {:>11}", n.name)?;
    }
    writeln!(w)?;
    for f in all {
        let fit = &f.fit;
        write!(w, "{:<width$} {:>8} {:>6} {:>9.2e}", f.title(), fit.samples, fit.slips, fit.rmse)?;
        for n in f.estimates() {
            match n.estimate.value {
                Some(v) => write!(w, " {v:>11.4e}")?,
                None => write!(w, " {:>11}", "unknown")?,
            }
        }
        writeln!(w)?;
    }
    Ok(())
}

/// The comparison, then each record as it has its own report.
fn report(title: &str, all: &[Fitted]) -> String {
    let mut page = Page::new(title);
    page.subtitle(format!("{} records", all.len()));
    page.summary(all.iter().map(|f| {
        let first = page::found(f).into_iter().next().unwrap_or_default();
        format!("{}: {first}", f.title())
    }));
    page.section("All records");
    let mut table = html::Table::new([
        "record",
        "slips",
        "rms (mm)",
        "K (kN/mm)",
        "f_{d} (kN)",
        "f_{s} (kN)",
        "β (mm/°C)",
        "f_{s}/K (mm)",
        "f_{d}/K (mm)",
    ]);
    let cell = |e: &Estimate, factor: f64| match (e.value, e.stderr) {
        (Some(v), Some(s)) => format!("{} ± {}", number(factor * v, 4), number(factor * s, 2)),
        _ => "—".to_owned(),
    };
    for f in all {
        let fit = &f.fit;
        let p = &f.fit.parameters;
        table = table.row([
            f.title().to_owned(),
            fit.slips.to_string(),
            number(1e3 * fit.rmse, 3),
            cell(&p.K, 1e-6),
            cell(&p.f_d, 1e-3),
            cell(&p.f_s, 1e-3),
            cell(&p.beta, 1e3),
            cell(&fit.f_s_over_K, 1e3),
            cell(&fit.f_d_over_K, 1e3),
        ]);
    }
    page.table(&table.caption("Values with their standard errors."));
    for f in all {
        page.section(f.title());
        page::body(&mut page, f);
    }
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}
