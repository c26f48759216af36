//! `stickslip converge --scheme adaptive`: what a tolerance costs and gives.

use super::Job;
use super::simulate::oscillator::Simulation;
use crate::export::{Product, Writer, summary::Head};
use crate::fault::Result;
use crate::file::Model;
use crate::number::exact;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::study::work_precision::{Work, work_precision};
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

/// A table to be made: tolerances from 1e-6 down.
pub struct Study {
    /// What to solve.
    pub simulation: Simulation,
    /// How many tolerances.
    pub rows: u32,
}

/// The first tolerance is 10 to minus this.
const FIRST: i32 = 6;
/// The last one that means something in double precision.
const LAST: i32 = 13;

impl Job for Study {
    fn title(&self) -> &'static str {
        "tightening the tolerance"
    }

    fn inputs(&self) -> &[PathBuf] {
        self.simulation.inputs()
    }

    fn warnings(&self) -> &[String] {
        self.simulation.warnings()
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let Simulation { model, oscillator, gathered, .. } = self.simulation;
        let last = (FIRST + self.rows as i32 - 1).min(LAST);
        let clock = Instant::now();
        let rows = work_precision(&oscillator, model.run.end.value, FIRST, last)?;
        let seconds = clock.elapsed().as_secs_f64();
        let lines: Vec<_> = rows
            .iter()
            .map(|r| {
                json!({ "rtol": r.rtol, "error": r.error, "event_time_error": r.events, "steps": r.steps })
            })
            .collect();
        let head =
            Head::of("converge", &model, ("adaptive", model.run.seed), seconds, &gathered.warnings);
        let summary = head.with(json!({ "against": "exact", "table": lines }));
        let solved = Rc::new((model, rows));
        let export = |write: fn(&mut dyn Write, &Model, &[Work]) -> io::Result<()>| -> Writer {
            let solved = solved.clone();
            Box::new(move |w| write(w, &solved.0, &solved.1))
        };
        let files = vec![("convergence.csv", export(table)), ("convergence.svg", export(figure))];
        Ok(Product { remarks: Vec::new(), summary, files, text: export(text) })
    }
}

/// `rtol,error,event_time_error,steps`; no event error where the events are not the same.
fn table(w: &mut dyn Write, _: &Model, rows: &[Work]) -> io::Result<()> {
    writeln!(w, "rtol,error,event_time_error,steps")?;
    for r in rows {
        let events = r.events.map(exact).unwrap_or_default();
        writeln!(w, "{},{},{events},{}", exact(r.rtol), exact(r.error), r.steps)?;
    }
    Ok(())
}

fn text(w: &mut dyn Write, model: &Model, rows: &[Work]) -> io::Result<()> {
    if let Some(title) = &model.title {
        writeln!(w, "{title}")?;
    }
    let end = model.run.end.value;
    writeln!(
        w,
        "adaptive against the exact solution, 0 to {end:?} s: sup |(x, v)|; atol = rtol/1000\n"
    )?;
    writeln!(w, "{:>8} {:>14} {:>18} {:>8}", "rtol", "error", "event times [s]", "steps")?;
    for r in rows {
        let events = r.events.map_or("other events".to_owned(), |e| format!("{e:.3e}"));
        writeln!(w, "{:>8.0e} {:>14.3e} {events:>18} {:>8}", r.rtol, r.error, r.steps)?;
    }
    Ok(())
}

/// Precision against work.
fn figure(w: &mut dyn Write, model: &Model, rows: &[Work]) -> io::Result<()> {
    let steps: Vec<f64> = rows.iter().map(|r| r.steps as f64).collect();
    let curve = |value: fn(&Work) -> f64| rows.iter().map(value).collect::<Vec<f64>>();
    let mut panel = Panel::new(Axis::log("steps", ""), Axis::log("error", "")).height(320.0);
    let curves = [
        ("state", curve(|r| r.error), Marker::Square),
        ("event times", curve(|r| r.events.unwrap_or(f64::NAN)), Marker::Triangle),
        ("rtol", curve(|r| r.rtol), Marker::Cross),
    ];
    for (i, (label, y, marker)) in curves.into_iter().enumerate() {
        let style = Style::new(Ink::series(i));
        panel = panel.line(steps.clone(), y.clone(), style.clone()).points(
            steps.clone(),
            y,
            style.label(label).marker(marker).size(8.0),
        );
    }
    let title = model.title.as_deref().unwrap_or_default();
    let figure = Figure::new().title(title).describe("Error against the number of steps");
    w.write_all(figure.panel(panel).to_svg().as_bytes())
}
