//! Figures of a calibrated record.

use super::Fitted;
use stickslip::portable;
use stickslip_report::compose;
use stickslip_report::figure::{Axis, Figure, Heat, Ink, Marker, Panel, Style};

const DAY: f64 = 86_400.0;

/// Times for a figure: calendar dates where the record has them, else days or seconds.
pub struct Times {
    /// The axis.
    pub axis: Axis,
    /// One for each row.
    pub t: Vec<f64>,
    /// From seconds to the unit of the axis.
    pub scale: f64,
}

impl Times {
    /// Those of a record.
    pub fn of(fitted: &Fitted) -> Self {
        let data = &fitted.file.data;
        let t = data.seconds.clone();
        let first = t.first().copied().unwrap_or(0.0);
        let last = stickslip_file::table::last(&t);
        match data.epoch {
            Some(epoch) => Self { axis: Axis::calendar(epoch), t, scale: 1.0 },
            None if last - first > 2.0 * DAY => {
                let t = t.iter().map(|t| t / DAY).collect();
                Self { axis: Axis::linear("time t", "d").tight(), t, scale: 1.0 / DAY }
            }
            None => Self { axis: Axis::linear("time t", "s").tight(), t, scale: 1.0 },
        }
    }
}

/// Everything that the figures of the record show, lengths in mm.
pub struct Curves {
    /// When.
    pub times: Times,
    /// z, measured.
    pub measured: Vec<f64>,
    /// z, fitted.
    pub fitted: Vec<f64>,
    /// Measured − fitted.
    pub residual: Vec<f64>,
}

impl Curves {
    /// Those of a record.
    pub fn of(fitted: &Fitted) -> Self {
        let mm = |values: &[f64]| values.iter().map(|v| 1e3 * v).collect::<Vec<_>>();
        let measured = mm(&fitted.file.data.response_values);
        let curve = mm(&fitted.fit.curve.fitted);
        let residual = measured.iter().zip(&curve).map(|(z, fit)| z - fit).collect();
        Self { times: Times::of(fitted), measured, fitted: curve, residual }
    }

    /// Over time, and displacement against temperature.
    pub fn fit<'a>(&'a self, fitted: &'a Fitted) -> compose::Fit<'a> {
        compose::Fit {
            title: "",
            time: self.times.axis.clone(),
            t: &self.times.t,
            drive: &fitted.fit.curve.drive,
            drive_name: ("T", "°C"),
            measured: &self.measured,
            fitted: &self.fitted,
            response_name: ("z", "mm"),
            zooms: None,
        }
    }

    /// What the fit leaves over.
    pub fn residuals(&self) -> Figure<'_> {
        let residuals = compose::Residuals {
            time: self.times.axis.clone(),
            t: &self.times.t,
            residual: &self.residual,
            unit: "mm",
            ..Default::default()
        };
        residuals.figure()
    }
}

/// Measured and fitted over time, with zooms (Bensoussan et al. 2021, Fig. 4).
pub fn record(fitted: &Fitted) -> String {
    Curves::of(fitted).fit(fitted).over_time().to_svg()
}

/// Displacement against temperature (Bensoussan et al. 2021, Fig. 5).
pub fn plane(fitted: &Fitted) -> String {
    Curves::of(fitted).fit(fitted).plane().to_svg()
}

/// What the fit leaves over.
pub fn residuals(fitted: &Fitted) -> String {
    Curves::of(fitted).residuals().to_svg()
}

/// The error over what was searched: ρ and the share of friction that a slip sets free.
pub fn surface(fitted: &Fitted) -> Figure<'static> {
    let s = &fitted.fit.surface;
    let columns = s.rho.len();
    let rows = s.share.len();
    // The survey is even in log ρ and in the share; its points are the middles of the cells.
    let cells = |low: f64, high: f64, count: usize| {
        let half = 0.5 * (high - low) / count.saturating_sub(1).max(1) as f64;
        (low - half, high + half)
    };
    let ends = |v: &[f64]| (v.first().copied().unwrap_or(0.0), v.last().copied().unwrap_or(0.0));
    let (low, high) = ends(&s.rho);
    let share = ends(&s.share);
    let error: Vec<f64> = (0..rows)
        .flat_map(|j| (0..columns).map(move |i| i * rows + j))
        .map(|k| s.rmse.get(k).copied().unwrap_or(f64::NAN))
        .collect();
    let heat = Heat::new(
        cells(portable::log10(low), portable::log10(high), columns),
        cells(share.0, share.1, rows),
        columns,
        error,
    )
    .label("RMS error", "m");
    let minima = fitted.fit.minima.iter();
    let (x, y): (Vec<f64>, Vec<f64>) =
        minima.map(|m| (portable::log10(m.rho), 0.5 * m.delta / m.rho)).unzip();
    let mark = Style::new(Ink::Orange).marker(Marker::Diamond).size(8.0);
    let best = Style::new(Ink::Orange).marker(Marker::Cross).size(16.0).width(3.0);
    let first = x.len().min(1);
    let panel = Panel::new(
        Axis::linear("log_{10} of ρ = f_{s}/(Kβ) in °C", ""),
        Axis::linear("1 − f_{d}/f_{s}", ""),
    )
    .heat(heat)
    .points(x[first..].to_vec(), y[first..].to_vec(), mark.label("other minima"))
    .points(x[..first].to_vec(), y[..first].to_vec(), best.label("least error"))
    .height(360.0);
    Figure::new().describe("Error over the two searched parameters").panel(panel)
}
