//! Power spectrum of a response: `spectrum.csv` and its figure.

use crate::number::exact;
use std::io::{self, Write};
use stickslip::study::spectrum::Spectrum;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// Frequencies in Hz and densities per Hz.
pub fn table(w: &mut dyn Write, s: &Spectrum) -> io::Result<()> {
    writeln!(w, "f,psd_x,psd_v")?;
    for ((f, x), v) in s.frequency.iter().zip(&s.x).zip(&s.v) {
        writeln!(w, "{},{},{}", exact(*f), exact(*x), exact(*v))?;
    }
    Ok(())
}

/// Both densities, on logarithmic axes.
pub fn figure(w: &mut dyn Write, title: &str, s: &Spectrum) -> io::Result<()> {
    let panel = |name: &str, unit: &str, density: &[f64], ink| {
        Panel::new(Axis::log("frequency", "Hz").tight(), Axis::log(name, unit)).line(
            s.frequency.clone(),
            density.to_vec(),
            Style::new(ink),
        )
    };
    let figure =
        Figure::new().title(title).describe("Power spectra of displacement and velocity").beside([
            panel("spectrum of the displacement", "m²/Hz", &s.x, Ink::Blue),
            panel("spectrum of the velocity", "(m/s)²/Hz", &s.v, Ink::Orange),
        ]);
    w.write_all(figure.to_svg().as_bytes())
}
