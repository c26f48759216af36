//! Displacement, velocity and forces against time.

use crate::figure::{Axis, Figure, Ink, Marker, Panel, Style};

/// What happens at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A slip phase begins.
    Slip,
    /// A stick phase begins.
    Stick,
    /// The slip goes on with the other sign.
    Reversal,
    /// A stop gives an impulse.
    Impact,
    /// A soft stop is touched.
    Touch,
}

impl EventKind {
    /// All kinds, in the order of the legend.
    pub const ALL: [Self; 5] = [Self::Slip, Self::Stick, Self::Reversal, Self::Impact, Self::Touch];

    /// Shape, ink and name: told apart without colour too.
    pub fn style(self) -> Style {
        let (marker, ink, name, size) = match self {
            Self::Slip => (Marker::Triangle, Ink::Vermillion, "slip begins", 9.0),
            Self::Stick => (Marker::Square, Ink::Black, "stick begins", 7.5),
            Self::Reversal => (Marker::Diamond, Ink::Purple, "reversal", 9.0),
            Self::Impact => (Marker::Cross, Ink::Orange, "impact", 9.0),
            Self::Touch => (Marker::Plus, Ink::Green, "touch", 8.0),
        };
        Style::new(ink).marker(marker).size(size).label(name)
    }
}

/// An event on a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EventPoint {
    /// What happens.
    pub kind: EventKind,
    /// When, s.
    pub t: f64,
    /// Displacement there, m.
    pub x: f64,
}

/// More markers than this are drawn small.
const MANY: usize = 150;
/// More markers than this would only hide the line below them.
const TOO_MANY: usize = 1000;

/// A motion against time: x, v and forces, stick phases shaded, events marked.
#[derive(Debug, Clone, Default)]
pub struct Timeline<'a> {
    /// Line at the top, may be empty.
    pub title: &'a str,
    /// Times, s.
    pub t: &'a [f64],
    /// Displacement, m.
    pub x: &'a [f64],
    /// Drive, m, drawn with x; may be empty.
    pub drive: &'a [f64],
    /// Velocity, m/s; may be empty.
    pub v: &'a [f64],
    /// Load b, N; may be empty.
    pub load: &'a [f64],
    /// Friction 𝔽, N; may be empty.
    pub friction: &'a [f64],
    /// f_s and f_d, N.
    pub limit: Option<(f64, f64)>,
    /// Positions of stops, m.
    pub stops: &'a [f64],
    /// Force of the stops, N; may be empty.
    pub stop_force: &'a [f64],
    /// Stick phases: (start, end), s.
    pub stick: &'a [(f64, f64)],
    /// Events.
    pub events: &'a [EventPoint],
    /// Whether events are named τ_1, τ_{3/2}, … as in the literature: stick phases begin at whole numbers.
    pub name_events: bool,
}

impl<'a> Timeline<'a> {
    /// The figure.
    pub fn figure(&self) -> Figure<'a> {
        let time = || Axis::linear("time t", "s").tight();
        let shade = || Style::new(Ink::Grey);
        let mut x = Panel::new(time(), Axis::linear("x", "m"))
            .bands(self.stick, shade().label("stick"))
            .line(self.t, self.x, Style::new(Ink::Blue).label("x"));
        if !self.drive.is_empty() {
            x = x.line(
                self.t,
                self.drive,
                Style::new(Ink::Orange).label("drive d").dashed().width(1.4),
            );
        }
        for &stop in self.stops {
            x = x.horizontal(stop, Style::new(Ink::Black).width(1.2).label("stop"));
        }
        x = mark_events(x, self.events);
        if self.name_events {
            for (t, name) in event_names(self.events) {
                x = x.tag(t, name);
            }
        }
        let mut panels = vec![x];
        if !self.v.is_empty() {
            let v = Panel::new(time(), Axis::linear("v", "m/s")).bands(self.stick, shade());
            panels.push(
                v.line(self.t, self.v, Ink::Blue).horizontal(0.0, Style::new(Ink::Grey).width(0.8)),
            );
        }
        if !self.load.is_empty() || !self.friction.is_empty() {
            panels.push(
                self.forces(
                    Panel::new(time(), Axis::linear("force", "N")).bands(self.stick, shade()),
                ),
            );
        }
        if self.stop_force.iter().any(|f| *f != 0.0) {
            let force = Panel::new(time(), Axis::linear("force of the stops", "N"));
            panels.push(force.bands(self.stick, shade()).line(
                self.t,
                self.stop_force,
                Ink::Vermillion,
            ));
        }
        Figure::new()
            .title(self.title)
            .describe("Displacement, velocity and forces against time")
            .stack(panels)
    }

    fn forces(&self, mut panel: Panel<'a>) -> Panel<'a> {
        panel = panel
            .line(self.t, self.load, Style::new(Ink::Green).label("load b").width(1.4))
            .line(self.t, self.friction, Style::new(Ink::Vermillion).label("friction"));
        if let Some((fs, fd)) = self.limit {
            for (value, name) in [(fs, "f_{s}"), (-fs, "−f_{s}")] {
                panel =
                    panel.horizontal(value, Style::new(Ink::Black).dashed().width(1.0).label(name));
            }
            if fd != fs {
                for (value, name) in [(fd, "f_{d}"), (-fd, "−f_{d}")] {
                    panel = panel
                        .horizontal(value, Style::new(Ink::Black).dotted().width(1.2).label(name));
                }
            }
        }
        panel
    }
}

/// Adds the events to a panel, one set of markers for each kind.
pub(super) fn mark_events<'a>(mut panel: Panel<'a>, events: &[EventPoint]) -> Panel<'a> {
    if events.len() > TOO_MANY {
        return panel;
    }
    for kind in EventKind::ALL {
        let of = events.iter().filter(|e| e.kind == kind);
        let (t, x): (Vec<f64>, Vec<f64>) = of.map(|e| (e.t, e.x)).unzip();
        if !t.is_empty() {
            let style = kind.style();
            let style = if events.len() > MANY { style.size(4.0) } else { style };
            panel = panel.points(t, x, style);
        }
    }
    panel
}

/// τ_j where a stick phase begins, τ_{j+½} where a slip begins, τ_j^k where a slip reverses.
fn event_names(events: &[EventPoint]) -> Vec<(f64, String)> {
    let mut stick = 0;
    let mut reversals = 0;
    let name = |e: &EventPoint| {
        let text = match e.kind {
            EventKind::Stick => {
                (stick, reversals) = (stick + 1, 0);
                format!("τ_{{{stick}}}")
            }
            EventKind::Slip => {
                reversals = 0;
                format!("τ_{{{}/2}}", 2 * stick + 1)
            }
            EventKind::Reversal => {
                reversals += 1;
                format!("τ_{{{stick}}}^{{{reversals}}}")
            }
            EventKind::Impact | EventKind::Touch => return None,
        };
        Some((e.t, text))
    };
    events.iter().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_counted_as_in_the_literature() {
        use EventKind::{Reversal, Slip, Stick};
        let events: Vec<_> = [Slip, Stick, Slip, Reversal, Reversal, Stick]
            .map(|kind| EventPoint { kind, t: 0.0, x: 0.0 })
            .into();
        let names: Vec<_> = event_names(&events).into_iter().map(|n| n.1).collect();
        assert_eq!(names, ["τ_{1/2}", "τ_{1}", "τ_{3/2}", "τ_{1}^{1}", "τ_{1}^{2}", "τ_{2}"]);
    }

    #[test]
    fn nothing_to_show_is_a_figure_too() {
        let svg = Timeline::default().figure().to_svg();
        assert!(svg.contains("no data"));
        roxmltree::Document::parse(&svg).unwrap();
    }
}
