//! What a fit leaves over.

use crate::figure::{Axis, Figure, Ink, Panel, Style, range};

/// Residuals over time, their distribution, their autocorrelation.
#[derive(Debug, Clone, Default)]
pub struct Residuals<'a> {
    /// Line at the top, may be empty.
    pub title: &'a str,
    /// The time axis.
    pub time: Axis,
    /// Times.
    pub t: &'a [f64],
    /// Measured − fitted; NaN where nothing was measured.
    pub residual: &'a [f64],
    /// Unit of the residuals.
    pub unit: &'a str,
    /// The greatest number that was recorded: the residuals are shown in the unit that suits it, so that one record has one unit; 0: in
    /// that which suits themselves.
    pub recorded: f64,
    /// Longest lag of the autocorrelation, samples; 0: 60.
    pub lags: usize,
}

impl<'a> Residuals<'a> {
    /// The figure.
    pub fn figure(&self) -> Figure<'a> {
        let axis = || Axis::linear("residual", self.unit).next_to(self.recorded);
        let over_time = Panel::new(self.time.clone(), axis())
            .horizontal(0.0, Style::new(Ink::Black).width(0.8))
            .points(self.t, self.residual, Style::new(Ink::Blue).size(2.0))
            .height(170.0);
        let (edges, counts) = histogram(self.residual);
        let bell = self.bell(&edges);
        let distribution = Panel::new(axis(), Axis::linear("samples", ""))
            .bars(edges, counts, Style::new(Ink::Blue).label("residuals"))
            .line(bell.0, bell.1, Style::new(Ink::Vermillion).label("normal"))
            .height(180.0);
        let lags = if self.lags == 0 { 60 } else { self.lags };
        let r = autocorrelation(self.residual, lags);
        let count = self.residual.iter().filter(|v| v.is_finite()).count();
        let bound = if r.is_empty() { f64::NAN } else { 1.96 / (count.max(1) as f64).sqrt() };
        // Sticks from zero: a line that returns to zero between lags.
        let mut at = Vec::new();
        let mut stick = Vec::new();
        for (k, &r) in r.iter().enumerate() {
            at.extend([k as f64; 3]);
            stick.extend([0.0, r, f64::NAN]);
        }
        let last = r.len().saturating_sub(1).max(1) as f64;
        let correlation =
            Panel::new(Axis::linear("lag (samples)", ""), Axis::linear("autocorrelation", ""))
                .between(
                    vec![0.0, last],
                    vec![-bound; 2],
                    vec![bound; 2],
                    Style::new(Ink::Grey).label("95 % if independent"),
                )
                .horizontal(0.0, Style::new(Ink::Black).width(0.8))
                .line(at, stick, Style::new(Ink::Blue).width(2.0))
                .height(180.0);
        Figure::new()
            .title(self.title)
            .describe("Residuals over time, their histogram and their autocorrelation")
            .panel(over_time)
            .beside([distribution, correlation])
    }

    /// The normal density with the same mean, deviation and area as the histogram.
    fn bell(&self, edges: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let values: Vec<f64> = self.residual.iter().copied().filter(|v| v.is_finite()).collect();
        let (Some(&low), Some(&high), n) = (edges.first(), edges.last(), values.len() as f64)
        else {
            return Default::default();
        };
        let mean = values.iter().sum::<f64>() / n;
        let sd = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        let area = n * (high - low) / (edges.len() - 1).max(1) as f64;
        let x: Vec<f64> = (0..=100).map(|i| low + (high - low) * f64::from(i) / 100.0).collect();
        let density = |x: f64| {
            area / (sd * std::f64::consts::TAU.sqrt()) * (-0.5 * ((x - mean) / sd).powi(2)).exp()
        };
        let y = x.iter().map(|&x| density(x)).collect();
        (x, y)
    }
}

/// The greatest size of the finite values; 0 where there are none.
pub fn greatest(values: &[f64]) -> f64 {
    values.iter().filter(|v| v.is_finite()).fold(0.0, |most: f64, v| most.max(v.abs()))
}

/// Edges and counts of a histogram of the finite values; the width of a bar is Freedman and Diaconis'
/// 2 IQR n^{−1/3}.
pub fn histogram(values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    const MOST: f64 = 80.0;
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some((low, high)) = range(&sorted) else { return Default::default() };
    let n = sorted.len();
    let quartiles = sorted[3 * n / 4] - sorted[n / 4];
    let width = 2.0 * quartiles / (n as f64).cbrt();
    let bars = ((high - low) / width).ceil();
    let bars = if bars.is_finite() { bars.clamp(1.0, MOST) } else { 1.0 };
    let (low, high) = if low < high { (low, high) } else { (low - 0.5, high + 0.5) };
    let edges = (0..=bars as usize).map(|i| low + (high - low) * (i as f64 / bars)).collect();
    let mut counts = vec![0.0; bars as usize];
    for v in sorted {
        counts[((v - low) / (high - low) * bars).min(bars - 1.0) as usize] += 1.0;
    }
    (edges, counts)
}

/// Autocorrelation at lags 0 … `lags`, over the pairs of which both values are finite; empty when there is
/// nothing to correlate.
pub fn autocorrelation(values: &[f64], lags: usize) -> Vec<f64> {
    let finite = || values.iter().filter(|v| v.is_finite());
    let n = finite().count();
    if n < 2 {
        return Vec::new();
    }
    let mean = finite().sum::<f64>() / n as f64;
    let variance = finite().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
    if variance == 0.0 || !variance.is_finite() {
        return Vec::new();
    }
    let at = |lag: usize| {
        let products = values
            .iter()
            .zip(&values[lag..])
            .map(|(a, b)| (a - mean) * (b - mean))
            .filter(|p| p.is_finite());
        let (sum, pairs) = products.fold((0.0, 0usize), |(s, n), p| (s + p, n + 1));
        sum / pairs.max(1) as f64 / variance
    };
    (0..=lags.min(values.len() - 1)).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_record_has_one_unit() {
        let residual = [120.0, -340.0, 250.0, f64::NAN, 80.0];
        let t = [0.0, 1.0, 2.0, 3.0, 4.0];
        let shown = |recorded: f64| {
            let residuals = Residuals {
                t: &t,
                residual: &residual,
                unit: "N",
                recorded,
                ..Residuals::default()
            };
            residuals.figure().to_svg()
        };
        let by_themselves = shown(0.0);
        assert!(
            by_themselves.contains("residual (N)") && !by_themselves.contains("kN"),
            "{by_themselves}"
        );
        // A record of 40 kN is shown in kN, and so is what a fit leaves of it.
        let of_a_record = shown(greatest(&[2e4, -4e4, f64::NAN]));
        assert!(
            of_a_record.contains("residual (kN)") && !of_a_record.contains("residual (N)"),
            "{of_a_record}"
        );
    }

    #[test]
    fn every_value_is_counted_once() {
        let mut values: Vec<f64> = (0..1000).map(|i| (0.37 * f64::from(i)).sin()).collect();
        values[3] = f64::NAN;
        let (edges, counts) = histogram(&values);
        assert_eq!(edges.len(), counts.len() + 1);
        assert_eq!(counts.iter().sum::<f64>(), 999.0);
        assert_eq!(histogram(&[2.0, 2.0]).1, [2.0]);
        assert_eq!(histogram(&[f64::NAN]).1, [0.0; 0]);
    }

    #[test]
    fn autocorrelation_of_an_alternating_series() {
        let values: Vec<f64> = (0..1000).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let r = autocorrelation(&values, 3);
        assert!(
            (r[0] - 1.0).abs() < 1e-12 && (r[1] + 1.0).abs() < 1e-9 && (r[2] - 1.0).abs() < 1e-9
        );
        assert!(autocorrelation(&[1.0, 1.0, 1.0], 5).is_empty());
    }

    #[test]
    fn no_residuals_no_panic() {
        let svg = Residuals {
            residual: &[f64::NAN, f64::INFINITY],
            t: &[0.0, 1.0],
            ..Residuals::default()
        };
        assert_eq!(svg.figure().to_svg().matches("no data").count(), 3);
    }
}
