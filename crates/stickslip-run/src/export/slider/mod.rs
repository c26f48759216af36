//! What a record of slips becomes: the fit, tables, figures, a report and a text.

pub mod figures;
mod page;

use super::estimates::{Named, Units, brief, lines};
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::pulled_slider::SliderFit;
use stickslip_file::fit::SliderFile;

/// A record whose slips were measured.
pub struct Seen {
    /// The fit file and its data.
    pub file: SliderFile,
    /// What came out.
    pub fit: SliderFit,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

impl Seen {
    fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Pulled slider")
    }

    fn estimates(&self) -> [Named<'_>; 9] {
        let p = &self.fit.parameters;
        let a = &self.fit.ageing;
        let named = |name, symbol, meaning, estimate| Named { name, symbol, meaning, estimate };
        [
            named("mu_s", "μ_{s}", "static friction: force at breakaway over m g", &p.mu_s),
            named(
                "mu_d",
                "μ_{d}",
                "sliding friction: mean of the forces before and after",
                &p.mu_d,
            ),
            named("f_s", "f_{s}", "μ_{s} m g", &p.f_s),
            named("f_d", "f_{d}", "μ_{d} m g", &p.f_d),
            named(
                "slope/kV",
                "slope/kV",
                "rise of the force in stick over kV, median",
                &p.stick_slope_ratio,
            ),
            named(
                "duration/T",
                "duration/T",
                "duration of the slips over T = π√(m/k)",
                &p.slip_duration_ratio,
            ),
            named("correlation", "r", "of μ_{s} with log_{10} of the waiting time", &a.correlation),
            named(
                "per decade",
                "∂μ_{s}",
                "change of μ_{s} for ten times the waiting time",
                &a.per_decade,
            ),
            named("drift", "dμ_{s}/dt", "straight drift of μ_{s} along the record", &a.drift),
        ]
    }
}

/// Adds everything that a record of slips leaves: tables, figures, the report, `fit`.
pub fn export(product: Product, seen: Seen) -> Product {
    let seen = Arc::new(seen);
    let make = |of: fn(&Seen) -> String| {
        let seen = seen.clone();
        move || of(&seen)
    };
    let mut product = product
        .document("fit", make(|s| pretty(&s.fit)))
        .table(record(&seen))
        .table(slips(&seen))
        .figure("record", make(|s| figures::record(s).to_svg()))
        .figure("distributions", make(|s| figures::distributions(s).to_svg()))
        .figure("ageing", make(|s| figures::ageing(s).to_svg()))
        .figure("slips", make(|s| figures::slips(s).to_svg()))
        .page("report", make(page::html));
    product.text = Lazy::new(make(|s| printed(|w| text(w, s))));
    product.brief = Some(Lazy::new(make(|s| brief(s.title(), page::found(s)))));
    product
}

/// `t,measured,clean,phase`: F/(m g), as measured and without spikes.
fn record(seen: &Arc<Seen>) -> Table {
    let columns = [("t", "s"), ("measured", "1"), ("clean", "1"), ("phase", "")];
    let seen = seen.clone();
    Table::new("fit", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        let data = &seen.file.data;
        let mut slips = seen.fit.events.iter().peekable();
        for ((&t, &f), &clean) in data.seconds.iter().zip(&data.values[0]).zip(&seen.fit.clean) {
            while slips.next_if(|s| s.end <= t).is_some() {}
            let phase = if slips.peek().is_some_and(|s| s.time <= t) { "slip" } else { "stick" };
            rows(&[t.into(), Cell::finite(f), Cell::finite(clean), phase.into()])?;
        }
        Ok(())
    })
}

/// One row for each slip; forces are F/(m g), times in s.
fn slips(seen: &Arc<Seen>) -> Table {
    let columns = [
        ("t", "s"),
        ("end", "s"),
        ("duration", "s"),
        ("mu_s", "1"),
        ("after", "1"),
        ("mu_d", "1"),
        ("waiting", "s"),
        ("stick_slope", "1/s"),
    ];
    let seen = seen.clone();
    Table::new("slips", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        for s in &seen.fit.events {
            let mut row =
                [s.time, s.end, s.duration, s.top, s.bottom, s.mu_d].map(Cell::Number).to_vec();
            row.extend([s.waiting, s.slope].map(Cell::from));
            rows(&row)?;
        }
        Ok(())
    })
}

fn text(w: &mut dyn Write, seen: &Seen) -> fmt::Result {
    let fit = &seen.fit;
    let d = &seen.fit.detection;
    writeln!(w, "{}", seen.title())?;
    writeln!(
        w,
        "{} slips in {} samples ({} missing); noise {:.2e}, threshold {:.3e} of m g, at most {} false \
         alarms expected\n",
        fit.slips, fit.samples, fit.missing, d.noise, d.threshold, d.false_alarms
    )?;
    lines(w, &seen.estimates(), Units::Si)
}
