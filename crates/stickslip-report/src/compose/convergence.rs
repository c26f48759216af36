//! Error against step size.

use crate::figure::{Anchor, Axis, Figure, Ink, Marker, Panel, Style, Text};

/// Errors of one scheme.
#[derive(Debug, Clone, Default)]
pub struct Errors<'a> {
    /// Name in the legend.
    pub label: &'a str,
    /// Steps, or whatever is halved.
    pub h: &'a [f64],
    /// Errors, > 0.
    pub error: &'a [f64],
}

/// Error against step size, both logarithmic, with the slope that is expected.
#[derive(Debug, Clone, Default)]
pub struct Convergence<'a> {
    /// Line at the top, may be empty.
    pub title: &'a str,
    /// The curves.
    pub series: &'a [Errors<'a>],
    /// Expected order: the slope of the triangle. Usually 1.
    pub order: f64,
    /// Name and unit of what is halved; with an empty name it is the step h in s.
    pub halved: (&'a str, &'a str),
    /// Name and unit of the error; with an empty name it is called "error".
    pub error: (&'a str, &'a str),
}

impl<'a> Convergence<'a> {
    /// Errors of the states of one mass by schemes of order 1, against their steps.
    pub fn of_states(series: &'a [Errors<'a>]) -> Self {
        Self { series, order: 1.0, error: ("error of (x, ẋ)", "m and m/s"), ..Self::default() }
    }

    /// The figure.
    pub fn figure(&self) -> Figure<'a> {
        let (halved, of) = if self.halved.0.is_empty() { ("step h", "s") } else { self.halved };
        let (name, unit) = self.error;
        let name = if name.is_empty() { "error" } else { name };
        let mut panel = Panel::new(Axis::log(halved, of), Axis::log(name, unit)).height(320.0);
        let markers =
            [Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross, Marker::Plus];
        for (i, s) in self.series.iter().enumerate() {
            let style = Style::series(i);
            // Curves may coincide: the markers of those below look out from under the others, and their lines through the dashes.
            let below = (self.series.len() - 1 - i).min(4) as f64;
            panel = panel.line(s.h, s.error, style.clone()).points(
                s.h,
                s.error,
                style.label(s.label).marker(markers[i % markers.len()]).size(8.0 + 3.0 * below),
            );
        }
        if let Some([(x0, y0), (x1, y1)]) = self.triangle() {
            let edge = Style::new(Ink::Black);
            panel = panel.outline(vec![x0, x1, x1], vec![y0, y0, y1], edge);
            let order = Text::plain(format!("{}", self.order));
            panel = panel.note(x1, (y0 * y1).sqrt(), order, Anchor::Start);
            panel = panel.note(
                (x0 * x1).sqrt(),
                y0 / (y1 / y0).powf(0.45),
                Text::plain("1"),
                Anchor::Middle,
            );
        }
        Figure::new().title(self.title).describe("Error against step size").panel(panel)
    }

    /// Corners of the slope's hypotenuse, below all points.
    fn triangle(&self) -> Option<[(f64, f64); 2]> {
        let points = || {
            self.series
                .iter()
                .flat_map(|s| s.h.iter().copied().zip(s.error.iter().copied()))
                .filter(|&(h, e)| h > 0.0 && e > 0.0 && h.is_finite() && e.is_finite())
        };
        let low = points().map(|p| p.0).fold(f64::INFINITY, f64::min);
        let high = points().map(|p| p.0).fold(0.0, f64::max);
        if low >= high || self.order == 0.0 || !self.order.is_finite() {
            return None;
        }
        let at = |s: f64| low * (high / low).powf(s);
        let a = at(0.55);
        let b = at(0.8);
        let below =
            points().map(|(h, e)| e / h.powf(self.order)).fold(f64::INFINITY, f64::min) / 2.2;
        let corner = |h: f64| (h, below * h.powf(self.order));
        [corner(a), corner(b)]
            .iter()
            .all(|c| c.1 > 0.0 && c.1.is_finite())
            .then(|| [corner(a), corner(b)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_axes_have_a_name_and_a_unit() {
        let h = [0.1, 0.05];
        let series = [Errors { label: "euler", h: &h, error: &h }];
        let plain =
            Convergence { series: &series, error: ("", "m and m/s"), ..Convergence::default() };
        let svg = plain.figure().to_svg();
        assert!(svg.contains("step h (s)") && svg.contains("error (m and m/s)"), "{svg}");
        let soft = Convergence { halved: ("1/stiffness", "m/N"), error: ("off", "m"), ..plain };
        let svg = soft.figure().to_svg();
        assert!(svg.contains("1/stiffness (m/N)") && svg.contains("off (m)"), "{svg}");
        assert!(!svg.contains("step h"), "{svg}");
    }

    #[test]
    fn the_triangle_has_the_slope_and_lies_below() {
        let h = [0.1, 0.05, 0.025];
        let error = [0.21, 0.1, 0.049];
        let series = [Errors { label: "euler", h: &h, error: &error }];
        let c = Convergence { series: &series, order: 1.0, ..Convergence::default() };
        let [(x0, y0), (x1, y1)] = c.triangle().unwrap();
        assert!(((y1 / y0).ln() / (x1 / x0).ln() - 1.0).abs() < 1e-12);
        assert!(y1 < x1 * 1.9);
        let svg =
            Convergence { series: &[], order: 1.0, ..Convergence::default() }.figure().to_svg();
        assert!(svg.contains("no data"));
    }
}
