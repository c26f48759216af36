//! Table 2, Figs. 4 and 5: the bridge bearing, on a synthetic record of known parameters.

mod fit;
mod runs;

pub use fit::run as fit;
pub use runs::run as runs;

use super::Work;
use crate::twin::{self, Record};
use stickslip_calibrate::{Fit, Method, Options, Series, ThermalBearing, calibrate};
use stickslip_file::{Diagnostic, Result};

const FILE: &str = include_str!("../../../models/bearing.toml");
/// The parameters, in the order of Table 2.
const SYMBOLS: [&str; 5] = ["z_{0}", "K", "f_{d}", "f_{s}", "β"];
const TRUTH: [f64; 5] = [twin::ZERO, twin::STIFFNESS, twin::DYNAMIC, twin::STATIC, twin::BETA];

fn record(w: &mut Work) -> Result<Record> {
    let time = (0..twin::DAYS * 144).map(|i| twin::STEP * i as f64).collect();
    let record = twin::answer(time, twin::weather()?)?;
    w.file("bearing.toml", FILE);
    w.file("bearing.csv", record.csv(twin::START)?);
    Ok(record)
}

fn fitted(record: &Record, method: Method) -> Result<Fit> {
    let series = Series::new(&record.time, &record.temperature, &record.displacement)
        .map_err(|e| Diagnostic::new(e.to_string()))?;
    let model = ThermalBearing { bearing_stiffness: Some(twin::BEARING), ..Default::default() };
    let options = Options { method, ..Options::default() };
    calibrate(&series, &model, &options).map_err(|e| Diagnostic::new(e.to_string()))
}

fn estimates(fit: &Fit) -> [f64; 5] {
    let p = &fit.parameters;
    [&p.z0, &p.K, &p.f_d, &p.f_s, &p.beta].map(|e| e.value.unwrap_or(f64::NAN))
}

/// Their standard errors.
fn standard_errors(fit: &Fit) -> [f64; 5] {
    let p = &fit.parameters;
    [&p.z0, &p.K, &p.f_d, &p.f_s, &p.beta].map(|e| e.stderr.unwrap_or(f64::NAN))
}
