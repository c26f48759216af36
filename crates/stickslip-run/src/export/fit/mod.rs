//! What a calibration becomes: the fit, tables, figures, a report and a text. Several records share one
//! of each.

mod changes;
mod csv;
mod evidence;
mod figures;
mod findings;
mod looked;
mod page;
pub mod several;
mod sure;
mod text;

use super::estimates::{Named, Units, brief};
use super::remarks;
use crate::product::{Lazy, Product, pretty, printed};
use std::sync::Arc;
use stickslip_calibrate::{Fit, Windows};
use stickslip_file::fit::Fit as File;

/// Bearings are read in kN, mm and °C.
const UNITS: Units = Units::Structure;

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
    /// Every parameter and ratio.
    fn estimates(&self) -> [Named<'_>; 7] {
        let p = &self.fit.parameters;
        let f = &self.fit;
        let named = |name, symbol, meaning, estimate| Named { name, symbol, meaning, estimate };
        [
            named("z0", "z_{0}", "reading at x = T = 0", &p.z0),
            named("K", "K", "stiffness between deck and bearing", &p.K),
            named("f_d", "f_{d}", "friction while sliding", &p.f_d),
            named("f_s", "f_{s}", "friction at breakaway", &p.f_s),
            named("beta", "β", "expansion of the deck per degree", &p.beta),
            named("f_s/K", "f_{s}/K", "travel of the spring at breakaway", &f.f_s_over_K),
            named("f_d/K", "f_{d}/K", "travel of the spring while sliding", &f.f_d_over_K),
        ]
    }

    /// A time of the record, s after its first row: a date to the minute where the file has dates, else a day.
    pub fn when(&self, seconds: f64) -> String {
        match self.file.data.clock.stamp(seconds) {
            Some(stamp) => stamp.get(..16).unwrap_or(&stamp).replace('T', " "),
            None => format!("day {:.2}", seconds / 86_400.0),
        }
    }

    /// A text that ends in a time since the first row, such as `120.5 days`, with a date in its place.
    fn with_date(&self, said: &str) -> String {
        let mut words = said.rsplitn(3, ' ');
        let unit = words.next();
        let value = words.next();
        let before = words.next();
        let scale = match unit {
            Some("s") => 1.0,
            Some("min") => 60.0,
            Some("h") => 3600.0,
            _ => 86_400.0,
        };
        match (value.and_then(|v| v.parse::<f64>().ok()), before) {
            (Some(value), Some(before)) => format!("{before} {}", self.when(scale * value)),
            _ => format!("{said} after the record begins"),
        }
    }

    /// A warning of a fit, which has no clock, with its times as dates.
    pub fn dated(&self, said: &str) -> String {
        const AFTER: &str = " after the record begins";
        if said.contains(AFTER) {
            let mut out = String::new();
            let mut rest = said;
            while let Some((part, after)) = rest.split_once(AFTER) {
                out += &self.with_date(part);
                rest = after;
            }
            return out + rest;
        }
        if let Some((before, rest)) = said.split_once("from t = ")
            && let Some((value, rest)) = rest.split_once(" d")
            && let Ok(days) = value.parse::<f64>()
        {
            return format!("{before}from {}{rest}", self.when(86_400.0 * days));
        }
        said.to_owned()
    }

    /// The record's name.
    pub fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Calibration")
    }

    /// The fit, and `windows` where there are any.
    pub fn value(&self) -> serde_json::Value {
        let mut value = serde_json::to_value(&self.fit).unwrap_or_default();
        if let Some(map) = value.as_object_mut() {
            let own: Vec<String> = self.fit.warnings.iter().map(|w| self.dated(w)).collect();
            let own = remarks::sorted(own);
            map.insert("warning_weights".to_owned(), remarks::names(&own));
            map.insert("warnings".to_owned(), own.into());
            if let Some(windows) = &self.windows {
                map.insert("windows".to_owned(), serde_json::to_value(windows).unwrap_or_default());
            }
        }
        value
    }
}

/// The report of one record.
pub fn report(fitted: &Fitted) -> String {
    page::html(fitted)
}

/// Adds everything that one record leaves: tables, figures, the report, `fit`.
pub fn export(product: Product, fitted: Fitted) -> Product {
    let fitted = Arc::new(fitted);
    let make = |of: fn(&Fitted) -> String| {
        let fitted = fitted.clone();
        move || of(&fitted)
    };
    let mut product = product
        .document("fit", make(|f| pretty(&f.value())))
        .table(csv::fit(&fitted))
        .table(csv::events(&fitted))
        .figure("record", make(figures::record))
        .figure("plane", make(figures::plane))
        .figure("residuals", make(figures::residuals))
        .figure("surface", make(|f| figures::surface(f).to_svg()))
        .page("report", make(page::html));
    if !fitted.fit.profiles.is_empty() {
        product = product.figure("profiles", make(|f| sure::profiles(f).to_svg()));
    }
    if fitted.windows.is_some() {
        product = product
            .table(changes::table(&fitted))
            .figure("windows", make(|f| changes::figure(f).to_svg()));
    }
    product.text = Lazy::new(make(|f| printed(|w| text::table(w, f))));
    product.brief = Some(Lazy::new(make(|f| brief(f.title(), page::found(f)))));
    product
}
