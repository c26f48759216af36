//! Measured and fitted displacement with the temperature that drives it.

use crate::figure::{Axis, Figure, Ink, Panel, Style};

/// A record and its fit: over time with zooms, and displacement against temperature.
#[derive(Debug, Clone, Default)]
pub struct Fit<'a> {
    /// Line at the top, may be empty.
    pub title: &'a str,
    /// The time axis, for example `Axis::calendar(0.0)` for Unix seconds.
    pub time: Axis,
    /// Times, in the unit of that axis.
    pub t: &'a [f64],
    /// What drives: the temperature.
    pub drive: &'a [f64],
    /// Name and unit of the drive, for example ("T", "°C").
    pub drive_name: (&'a str, &'a str),
    /// What was measured.
    pub measured: &'a [f64],
    /// What the model says.
    pub fitted: &'a [f64],
    /// Name and unit of both, for example ("z", "mm").
    pub response_name: (&'a str, &'a str),
    /// Two stretches of time to enlarge; `None`: around the greatest changes of the two halves.
    pub zooms: Option<[(f64, f64); 2]>,
}

impl<'a> Fit<'a> {
    fn drive_axis(&self) -> Axis {
        Axis::linear(self.drive_name.0, self.drive_name.1)
    }

    fn response_axis(&self) -> Axis {
        Axis::linear(self.response_name.0, self.response_name.1)
    }

    /// Displacement on top, temperature below; the whole record, then two enlarged parts of it.
    pub fn over_time(&self) -> Figure<'a> {
        let mut figure = self.whole();
        let parts: Vec<_> =
            self.enlarged().into_iter().map(|part| self.stack(Some(part))).collect();
        if !parts.is_empty() {
            figure = figure.columns(parts);
        }
        figure
    }

    /// The whole record: displacement on top, temperature below; the parts that are enlarged elsewhere are shaded.
    pub fn whole(&self) -> Figure<'a> {
        self.empty().columns([self.stack(None)])
    }

    /// The enlarged parts alone, where there are any.
    pub fn enlargements(&self) -> Option<Figure<'a>> {
        let parts: Vec<_> =
            self.enlarged().into_iter().map(|part| self.stack(Some(part))).collect();
        (!parts.is_empty()).then(|| self.empty().columns(parts))
    }

    fn empty(&self) -> Figure<'a> {
        Figure::new()
            .title(self.title)
            .describe("Measured and fitted displacement and temperature over time")
    }

    /// Displacement above temperature, of the whole record or of a part of it.
    fn stack(&self, zoom: Option<(f64, f64)>) -> Vec<Panel<'a>> {
        let time = zoom.map_or(self.time.clone(), |(a, b)| self.time.clone().limits(a, b));
        let whole = zoom.is_none();
        let rows = zoom.map_or(0..self.t.len(), |part| within(self.t, part));
        let t = part(self.t, &rows);
        let named = |ink: Ink, name: &str| {
            if whole { Style::new(ink).label(name) } else { Style::new(ink) }
        };
        // The fit is a thin line on a wide one: where they agree both are seen.
        let wide = named(Ink::Sky, "measured").width(if whole { 3.2 } else { 4.0 });
        let thin = named(Ink::Vermillion, "fitted").width(if whole { 0.9 } else { 1.5 });
        let mut top = Panel::new(time.clone(), self.response_axis())
            .line(t, part(self.measured, &rows), wide)
            .line(t, part(self.fitted, &rows), thin);
        let enlarged = self.enlarged();
        if whole && !enlarged.is_empty() {
            let shade = Style::new(Ink::Grey).opacity(0.25).label("enlarged below");
            top = top.bands(enlarged, shade);
        }
        let drive = Style::new(Ink::Black).width(1.2);
        let bottom = Panel::new(time, self.drive_axis()).line(t, part(self.drive, &rows), drive);
        vec![top.height(170.0), bottom.height(130.0)]
    }

    /// Displacement against temperature, measured and fitted.
    pub fn plane(&self) -> Figure<'a> {
        // Slips are lines between samples: faint, or they would hide the rest.
        let slips = Style::new(Ink::Vermillion).width(0.7).opacity(0.35);
        let panel = Panel::new(self.drive_axis(), self.response_axis())
            .line(self.drive, self.fitted, slips)
            .points(self.drive, self.measured, Style::new(Ink::Sky).label("measured").size(4.0))
            .points(self.drive, self.fitted, Style::new(Ink::Vermillion).label("fitted").size(1.6))
            .height(360.0);
        Figure::new().title(self.title).describe("Displacement against temperature").panel(panel)
    }

    /// The parts that are enlarged: those that were given, or around the greatest changes of the two halves.
    pub fn enlarged(&self) -> Vec<(f64, f64)> {
        if let Some(zooms) = self.zooms {
            return zooms.into();
        }
        let n = self.t.len().min(self.fitted.len());
        let (Some(&first), Some(&last)) = (self.t.first(), self.t[..n].last()) else {
            return Vec::new();
        };
        let half = (last - first) / 50.0;
        if n < 200 || !(half > 0.0 && half.is_finite()) {
            return Vec::new();
        }
        let change = |i: &usize| (self.fitted[i + 1] - self.fitted[*i]).abs();
        let around = |range: std::ops::Range<usize>| {
            let finite = range.filter(|i| change(i).is_finite());
            let at = finite.max_by(|a, b| change(a).total_cmp(&change(b)))?;
            let middle = self.t[at].clamp(first + half, last - half);
            Some((middle - half, middle + half))
        };
        [around(0..n / 2), around(n / 2..n - 1)].into_iter().flatten().collect()
    }
}

/// Indices of the rising times `t` within a stretch, one more on each side.
fn within(t: &[f64], (a, b): (f64, f64)) -> std::ops::Range<usize> {
    let begin = t.partition_point(|&v| v < a).saturating_sub(1);
    begin..(t.partition_point(|&v| v <= b) + 1).min(t.len()).max(begin)
}

fn part<'a>(values: &'a [f64], range: &std::ops::Range<usize>) -> &'a [f64] {
    values.get(range.start.min(values.len())..range.end.min(values.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zooms_find_the_slips() {
        let t: Vec<f64> = (0..1000).map(f64::from).collect();
        let fitted: Vec<f64> =
            t.iter().map(|&t| f64::from(t > 300.0) - 2.0 * f64::from(t > 720.0)).collect();
        let fit = Fit { t: &t, fitted: &fitted, ..Fit::default() };
        let zooms = fit.enlarged();
        assert!(
            zooms[0].0 < 300.0 && 301.0 < zooms[0].1 && zooms[1].0 < 720.0 && 721.0 < zooms[1].1
        );
    }

    #[test]
    fn short_and_broken_records_make_figures() {
        for t in [vec![], vec![f64::NAN; 500], vec![1.0; 500], (0..3).map(f64::from).collect()] {
            let y = vec![f64::NAN; t.len()];
            let fit = Fit { t: &t, drive: &y, measured: &t, fitted: &y, ..Fit::default() };
            for svg in [fit.over_time().to_svg(), fit.plane().to_svg()] {
                roxmltree::Document::parse(&svg).unwrap();
                assert!(!svg.contains("NaN") && !svg.contains("inf"));
            }
        }
    }
}
