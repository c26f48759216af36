//! Load against velocity, displacement against drive.

use super::timeline::EventPoint;
use crate::figure::{Axis, Figure, Ink, Panel, Style};

/// The two planes of a motion, side by side: where the load may be while it sticks and slips, and the
/// hysteresis of displacement against drive.
#[derive(Debug, Clone, Default)]
pub struct Planes<'a> {
    /// Line at the top, may be empty.
    pub title: &'a str,
    /// Velocity, m/s.
    pub v: &'a [f64],
    /// Load b, N.
    pub load: &'a [f64],
    /// Drive d, m; where it is empty, there is the first plane alone.
    pub drive: &'a [f64],
    /// Displacement, m.
    pub x: &'a [f64],
    /// f_s and f_d, N.
    pub limit: Option<(f64, f64)>,
    /// Events as (drive, displacement) for the second plane: `t` is the drive there, m.
    pub events: &'a [EventPoint],
}

impl<'a> Planes<'a> {
    /// The figure.
    pub fn figure(&self) -> Figure<'a> {
        let mut load = Panel::new(Axis::linear("velocity v", "m/s"), Axis::linear("load b", "N"))
            .vertical(0.0, Style::new(Ink::Grey).width(0.8))
            .line(self.v, self.load, Style::new(Ink::Blue).width(1.4));
        if let Some((fs, _)) = self.limit {
            load = load
                .horizontal(fs, Style::new(Ink::Black).dashed().width(1.0).label("f_{s}"))
                .horizontal(-fs, Style::new(Ink::Black).dashed().width(1.0).label("−f_{s}"));
        }
        let figure = Figure::new().title(self.title);
        if self.drive.is_empty() {
            return figure.describe("Load against velocity").panel(load);
        }
        let x = Panel::new(Axis::linear("drive d", "m"), Axis::linear("displacement x", "m")).line(
            self.drive,
            self.x,
            Style::new(Ink::Blue).width(1.4),
        );
        figure
            .describe("Load against velocity, and displacement against drive")
            .beside([load, super::timeline::mark_events(x, self.events)])
    }
}
