//! What a calibration becomes: `fit.json`, `fit.csv`, `events.csv`, figures, `report.html`, a table.
//! Several records share one `fit.json`, one `records.csv`, one report and one table.

mod changes;
mod csv;
mod figures;
mod page;
mod several;
mod sure;
mod text;

use super::Writer;
use crate::file::Fit as File;
use std::io::{self, Write};
use std::rc::Rc;
use stickslip_calibrate::{Estimate, Fit, Windows};

/// A calibrated record.
pub struct Fitted {
    /// The fit file and its data.
    pub file: File,
    /// What came out.
    pub fit: Fit,
    /// Change over time, if it was asked for.
    pub windows: Option<Windows>,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

impl Fitted {
    /// Every parameter and ratio by its symbol, with its meaning.
    fn estimates(&self) -> [(&'static str, &'static str, &Estimate); 7] {
        let (p, f) = (&self.fit.parameters, &self.fit);
        [
            ("z0", "reading at x = T = 0", &p.z0),
            ("K", "stiffness between deck and bearing", &p.K),
            ("f_d", "friction while sliding", &p.f_d),
            ("f_s", "friction at breakaway", &p.f_s),
            ("beta", "expansion of the deck per degree", &p.beta),
            ("f_s/K", "travel of the spring at breakaway", &f.f_s_over_K),
            ("f_d/K", "travel of the spring while sliding", &f.f_d_over_K),
        ]
    }

    /// The record's name.
    pub fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Calibration")
    }

    /// `fit.json`: the fit, and `windows` where there are any.
    pub fn value(&self) -> serde_json::Value {
        let mut value = serde_json::to_value(&self.fit).unwrap_or_default();
        if let (Some(windows), Some(map)) = (&self.windows, value.as_object_mut()) {
            map.insert("windows".to_owned(), serde_json::to_value(windows).unwrap_or_default());
        }
        value
    }
}

/// The files, and the table for people.
pub fn export(title: &str, mut all: Vec<Fitted>) -> (Vec<(&'static str, Writer)>, Writer) {
    match (all.pop(), all.is_empty()) {
        (Some(only), true) => alone(only),
        (last, _) => several::export(title, all.into_iter().chain(last).collect()),
    }
}

fn alone(fitted: Fitted) -> (Vec<(&'static str, Writer)>, Writer) {
    let fitted = Rc::new(fitted);
    let make = |write: fn(&mut dyn Write, &Fitted) -> io::Result<()>| -> Writer {
        let fitted = fitted.clone();
        Box::new(move |w| write(w, &fitted))
    };
    let mut files = vec![
        ("fit.json", make(json)),
        ("fit.csv", make(csv::fit)),
        ("events.csv", make(csv::events)),
        ("record.svg", make(|w, f| svg(w, figures::record(f)))),
        ("plane.svg", make(|w, f| svg(w, figures::plane(f)))),
        ("residuals.svg", make(|w, f| svg(w, figures::residuals(f)))),
        ("surface.svg", make(|w, f| svg(w, figures::surface(f).to_svg()))),
        ("report.html", make(|w, f| w.write_all(page::html(f).as_bytes()))),
    ];
    if !fitted.fit.profiles.is_empty() {
        files.push(("profiles.svg", make(|w, f| svg(w, sure::profiles(f).to_svg()))));
    }
    if fitted.windows.is_some() {
        files.push(("windows.csv", make(changes::csv)));
        files.push(("windows.svg", make(|w, f| svg(w, changes::figure(f).to_svg()))));
    }
    (files, make(text::table))
}

fn json(w: &mut dyn Write, fitted: &Fitted) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *w, &fitted.value())?;
    writeln!(w)
}

fn svg(w: &mut dyn Write, figure: String) -> io::Result<()> {
    w.write_all(figure.as_bytes())
}
