//! Power spectrum of a response: `spectrum.csv` and its figure.

use super::cell;
use crate::number::exact;
use std::io::{self, Write};
use stickslip::study::spectrum::{Density, Spectrum};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// The most points that are drawn.
const MOST: usize = 6;

/// Frequencies in Hz and densities per Hz.
pub fn table(w: &mut dyn Write, s: &Spectrum) -> io::Result<()> {
    write!(w, "f")?;
    for p in &s.points {
        let [x, v] = ["psd_x", "psd_v"].map(|u| match p.name.as_str() {
            "" => u.to_owned(),
            name => cell(&format!("{u}_"), name),
        });
        write!(w, ",{x},{v}")?;
    }
    writeln!(w)?;
    for (i, f) in s.frequency.iter().enumerate() {
        write!(w, "{}", exact(*f))?;
        for p in &s.points {
            write!(w, ",{},{}", exact(p.x[i]), exact(p.v[i]))?;
        }
        writeln!(w)?;
    }
    Ok(())
}

/// Both densities, on logarithmic axes.
pub fn figure(w: &mut dyn Write, title: &str, s: &Spectrum) -> io::Result<()> {
    let panel = |name: &str, unit: &str, of: fn(&Density) -> &Vec<f64>, first: Ink| {
        let panel = Panel::new(Axis::log("frequency", "Hz").tight(), Axis::log(name, unit));
        s.points.iter().take(MOST).enumerate().fold(panel, |panel, (i, p)| {
            let style = if s.points.len() == 1 {
                Style::new(first)
            } else {
                Style::new(Ink::series(i)).label(p.name.as_str())
            };
            panel.line(s.frequency.clone(), of(p).clone(), style)
        })
    };
    let figure =
        Figure::new().title(title).describe("Power spectra of displacement and velocity").beside([
            panel("spectrum of the displacement", "m²/Hz", |p| &p.x, Ink::Blue),
            panel("spectrum of the velocity", "(m/s)²/Hz", |p| &p.v, Ink::Orange),
        ]);
    w.write_all(figure.to_svg().as_bytes())
}
