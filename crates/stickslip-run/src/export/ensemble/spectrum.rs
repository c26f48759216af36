//! Power spectrum of a response: its table and its figure.

use super::label;
use crate::heading::Heading;
use crate::product::{Cell, Column, Table};
use stickslip::study::spectrum::{Density, Spectrum};
use stickslip_report::figure::{Axis, Ink, Panel, Style};

/// The most points that are drawn.
const MOST: usize = 6;

/// Frequencies in Hz and densities per Hz.
pub fn table(s: &Spectrum) -> Table {
    let mut columns = vec![Column::new("f", "Hz")];
    for p in &s.points {
        let name = |u: &str| label(u, &p.name).0;
        columns.push(Column::new(name("psd_x"), "m²/Hz"));
        columns.push(Column::new(name("psd_v"), "(m/s)²/Hz"));
    }
    let s = s.clone();
    Table::new("spectrum", columns, move |rows| {
        for (i, f) in s.frequency.iter().enumerate() {
            let densities = s.points.iter().flat_map(|p| [p.x[i], p.v[i]]);
            let row: Vec<Cell<'_>> =
                std::iter::once(*f).chain(densities).map(Cell::Number).collect();
            rows(&row)?;
        }
        Ok(())
    })
}

/// Both densities, on logarithmic axes.
pub fn figure(heading: &Heading, s: &Spectrum) -> String {
    let panel = |name: &str, unit: &str, of: fn(&Density) -> &Vec<f64>, first: Ink| {
        let panel = Panel::new(Axis::log("frequency", "Hz").tight(), Axis::log(name, unit));
        s.points.iter().take(MOST).enumerate().fold(panel, |panel, (i, p)| {
            let style = if s.points.len() == 1 {
                Style::new(first)
            } else {
                Style::series(i).label(p.name.as_str())
            };
            panel.line(s.frequency.clone(), of(p).clone(), style)
        })
    };
    let figure = heading.figure().describe("Power spectra of displacement and velocity").beside([
        panel("spectrum of the displacement", "m²/Hz", |p| &p.x, Ink::Blue),
        panel("spectrum of the velocity", "(m/s)²/Hz", |p| &p.v, Ink::Orange),
    ]);
    figure.to_svg()
}
