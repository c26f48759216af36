//! What a tolerance of the adaptive scheme costs and gives.

use super::Converge;
use crate::context::Context;
use crate::heading::Heading;
use crate::input;
use crate::number::short;
use crate::product::{Cell, Column, Lazy, Product, Table, printed};
use crate::summary::carried_out;
use serde_json::json;
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::Model as Moves;
use stickslip::study::order::Against;
use stickslip::study::work_precision::{Work, work_precision};
use stickslip_file::{Diagnostic, ModelFile, Remedy, Result};
use stickslip_report::figure::{Axis, Marker, Panel, Style};

/// The first tolerance is 10 to minus this.
const FIRST: i32 = 6;
/// The last one that means something in double precision.
const LAST: i32 = 13;

/// Tolerances from 1e-6 down.
pub fn product(options: &Converge, model: ModelFile, context: &Context<'_>) -> Result<Product> {
    if options.against == Some(Against::Itself) {
        return Err(Diagnostic::command_line(
            "a comparison with the scheme itself was asked for; the adaptive scheme is compared with the exact solution",
        )
        .with_remedy(Remedy::Omit("against")));
    }
    let Moves::Oscillator(oscillator) = &model.problem.model else {
        return Err(Diagnostic::unsolvable("the adaptive scheme treats oscillators only"));
    };
    let last = (FIRST + options.halvings as i32 - 1).min(LAST);
    let end = model.problem.end;
    let (rows, head) =
        carried_out("converge", &model, context, || work_precision(oscillator, end, FIRST, last))?;
    let rows = Arc::new(rows);
    let line = |r: &Work| json!({ "rtol": r.rtol, "error": r.error, "event_time_error": r.events, "steps": r.steps });
    let lines: Vec<_> = rows.iter().map(line).collect();
    let summary = head.with(json!({ "against": "exact", "table": lines }));
    let heading = input::heading(&model);
    let title = heading.title().to_owned();
    let over = heading.clone();
    let drawn = rows.clone();
    let said = rows.clone();
    let product =
        Product::new(summary, Lazy::new(move || printed(|w| text(w, &title, end, &said))))
            .table(table(rows))
            .figure("convergence", move || figure(&over, &drawn));
    Ok(Product { inputs: model.inputs, ..heading.units_of(product) })
}

/// `rtol,error,event_time_error,steps`; no event error where the events are not the same.
fn table(all: Arc<Vec<Work>>) -> Table {
    let columns = [("rtol", ""), ("error", "m and m/s"), ("event_time_error", "s"), ("steps", "")];
    Table::new("convergence", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        let line =
            |r: &Work| rows(&[r.rtol.into(), r.error.into(), Cell::from(r.events), r.steps.into()]);
        all.iter().try_for_each(line)
    })
}

fn text(w: &mut dyn Write, title: &str, end: f64, rows: &[Work]) -> fmt::Result {
    if !title.is_empty() {
        writeln!(w, "{title}")?;
    }
    writeln!(
        w,
        "adaptive against the exact solution, 0 to {} s: sup |(x, v)|; atol = rtol/1000\n",
        short(end)
    )?;
    writeln!(w, "{:>8} {:>14} {:>18} {:>8}", "rtol", "error", "event times [s]", "steps")?;
    for r in rows {
        let events = r.events.map_or("other events".to_owned(), |e| format!("{e:.3e}"));
        writeln!(w, "{:>8.0e} {:>14.3e} {events:>18} {:>8}", r.rtol, r.error, r.steps)?;
    }
    Ok(())
}

/// Precision against work.
fn figure(heading: &Heading, rows: &[Work]) -> String {
    let steps: Vec<f64> = rows.iter().map(|r| r.steps as f64).collect();
    let curve = |value: fn(&Work) -> f64| rows.iter().map(value).collect::<Vec<f64>>();
    let mut panel = Panel::new(Axis::log("steps", ""), Axis::log("error", "")).height(320.0);
    let state = format!("state ({})", heading.unit("m and m/s"));
    let curves = [
        (state.as_str(), curve(|r| r.error), Marker::Square),
        ("event times (s)", curve(|r| r.events.unwrap_or(f64::NAN)), Marker::Triangle),
        ("rtol", curve(|r| r.rtol), Marker::Cross),
    ];
    for (i, (label, y, marker)) in curves.into_iter().enumerate() {
        let style = Style::series(i);
        panel = panel.line(steps.clone(), y.clone(), style.clone()).points(
            steps.clone(),
            y,
            style.label(label).marker(marker).size(8.0),
        );
    }
    let figure = heading.figure().describe("Error against the number of steps");
    figure.panel(panel).to_svg()
}
