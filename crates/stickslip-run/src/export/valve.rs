//! What a look at a control loop becomes: the verdict, tables, figures, a report and a text.

use super::estimates::{brief, samples, short};
use super::remarks;
use super::said::LAG;
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::valve::ValveFit;
use stickslip_file::fit::ValveFile;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style, Text};
use stickslip_report::html::{Page, number};

/// A loop that was looked at.
pub struct Looked {
    /// The fit file and its data.
    pub file: ValveFile,
    /// What came out.
    pub fit: ValveFit,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

impl Looked {
    fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Control valve")
    }

    fn verdict(&self) -> String {
        let index = number(self.fit.index, 3);
        match self.fit.verdict {
            "sticks" => format!("The valve sticks (index {index} of 1)."),
            "does-not-stick" => {
                format!("There is no sign that the valve sticks (index {index} of 1).")
            }
            "still" => "Nothing moves: whether the valve sticks cannot be said.".to_owned(),
            _ => {
                format!("The record does not decide whether the valve sticks (index {index} of 1).")
            }
        }
    }

    fn said(&self) -> [String; 2] {
        let moved = short(&self.fit.stiction);
        [self.verdict(), format!("The output changes by {moved} before the process follows.")]
    }
}

/// Adds everything that a look at a loop leaves.
pub fn export(product: Product, looked: Looked) -> Product {
    let looked = Arc::new(looked);
    let make = |of: fn(&Looked) -> String| {
        let looked = looked.clone();
        move || of(&looked)
    };
    let mut product = product
        .document("fit", make(|l| pretty(&l.fit)))
        .table(correlation(&looked))
        .figure("loop", make(|l| record(l).to_svg()))
        .figure("correlation", make(|l| lags(l).to_svg()))
        .page("report", make(page));
    product.text = Lazy::new(make(|l| printed(|w| text(w, l))));
    product.brief = Some(Lazy::new(make(|l| brief(l.title(), l.said()))));
    product
}

fn correlation(looked: &Arc<Looked>) -> Table {
    let columns = vec![Column::new("lag", "s"), Column::new("correlation", "")];
    let looked = looked.clone();
    Table::new("correlation", columns, move |rows| {
        looked
            .fit
            .correlation
            .iter()
            .try_for_each(|(lag, r)| rows(&[Cell::Number(*lag), Cell::Number(*r)]))
    })
}

fn record(looked: &Looked) -> Figure<'_> {
    let data = &looked.file.data;
    // Both are recorded in units of their own, which the file does not name.
    let panel = |i: usize, what: &str, ink| {
        let column = &looked.file.columns[i];
        let is_called = column.replace('_', " ").eq_ignore_ascii_case(what);
        let named = if is_called { what.to_owned() } else { format!("{what} ({column})") };
        Panel::new(Axis::linear("time t", "s").tight(), Axis::linear(Text::plain(named), ""))
            .line(&data.seconds, &data.values[i], Style::new(ink).width(1.0))
            .height(150.0)
    };
    Figure::new()
        .describe("Output and process variable")
        .stack([panel(0, "output", Ink::Blue), panel(1, "process variable", Ink::Black)])
}

fn lags(looked: &Looked) -> Figure<'_> {
    let (lag, r): (Vec<f64>, Vec<f64>) = looked.fit.correlation.iter().copied().unzip();
    let panel = Panel::new(Axis::linear(LAG, "s").tight(), Axis::linear("correlation", ""))
        .vertical(0.0, Style::new(Ink::Black).width(0.8))
        .line(lag, r, Style::new(Ink::Blue).width(1.2));
    Figure::new()
        .describe("Cross-correlation of output and process variable")
        .panel(panel.height(240.0))
}

fn text(w: &mut dyn Write, looked: &Looked) -> fmt::Result {
    let fit = &looked.fit;
    writeln!(w, "{}", looked.title())?;
    writeln!(w, "{}", looked.verdict())?;
    let [height, lag] = fit.oddness;
    writeln!(w, "oddness of the correlation: {height:.3} in height, {lag:.3} in lag")?;
    if let Some(period) = fit.period {
        writeln!(w, "period of the oscillation: {period:.4} s")?;
    }
    writeln!(w, "change of the output before the process follows: {}", short(&fit.stiction))
}

fn page(looked: &Looked) -> String {
    let fit = &looked.fit;
    let data = &looked.file.data;
    let mut page = Page::new(looked.title());
    page.subtitle(samples(&data.file, fit.samples, &data.origin));
    page.summary(looked.said());
    remarks::boxes(&mut page, &looked.warnings);
    page.figure(&record(looked), "The loop.");
    page.figure(
        &lags(looked),
        "Cross-correlation of output and process variable: odd about lag 0 where the valve sticks, even where the loop is \
         driven from outside.",
    );
    page.text(format!(
        "Oddness in height {}, in lag {}: both above 2/3 speak for a valve that sticks, both below 1/3 against it (Horch 1999). \
         For self-regulating processes.",
        number(fit.oddness[0], 3),
        number(fit.oddness[1], 3)
    ));
    remarks::footnote(&mut page, &data.notices);
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}
