//! The error of a fit over the two parameters of its search.

use crate::figure::{Axis, Figure, Heat, Ink, Marker, Panel, Style};

/// The error surface over (ρ, δ), its minimum and its other minima marked.
#[derive(Debug, Clone, Default)]
pub struct Surface<'a> {
    /// Line at the top, may be empty.
    pub title: &'a str,
    /// Range of ρ = f_s/(Kβ), the horizontal axis.
    pub rho: (f64, f64),
    /// Range of δ = 2(f_s − f_d)/(Kβ), the vertical axis.
    pub delta: (f64, f64),
    /// Unit of both, usually K or °C.
    pub unit: &'a str,
    /// Cells in a row of constant δ.
    pub columns: usize,
    /// Errors, row by row from low δ to high; NaN where nothing was computed.
    pub error: &'a [f64],
    /// Unit of the error.
    pub error_unit: &'a str,
    /// Where the least error is.
    pub minimum: Option<(f64, f64)>,
    /// Other distinct minima.
    pub others: &'a [(f64, f64)],
}

impl<'a> Surface<'a> {
    /// The figure.
    pub fn figure(&self) -> Figure<'a> {
        let heat = Heat::new(self.rho, self.delta, self.columns, self.error)
            .label("RMS error", self.error_unit);
        let mut panel = Panel::new(Axis::linear("ρ", self.unit), Axis::linear("δ", self.unit))
            .heat(heat)
            .height(360.0);
        let cross = |ink: Ink, size: f64, width: f64| {
            Style::new(ink).marker(Marker::Cross).size(size).width(width)
        };
        let (x, y): (Vec<f64>, Vec<f64>) = self.others.iter().copied().unzip();
        if !x.is_empty() {
            panel = panel.points(
                x,
                y,
                Style::new(Ink::Orange).marker(Marker::Diamond).size(8.0).label("other minima"),
            );
        }
        if let Some((x, y)) = self.minimum {
            // Dark on light on dark: visible on any colour of the map.
            panel = panel.points(vec![x], vec![y], cross(Ink::Black, 17.0, 6.0)).points(
                vec![x],
                vec![y],
                cross(Ink::Orange, 16.0, 3.0).label("least error"),
            );
        }
        Figure::new()
            .title(self.title)
            .describe("Error over the two searched parameters")
            .panel(panel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_surface_is_a_figure() {
        let svg = Surface::default().figure().to_svg();
        assert!(svg.contains("no data"));
        roxmltree::Document::parse(&svg).unwrap();
    }
}
