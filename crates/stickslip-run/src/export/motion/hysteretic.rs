//! Figures of the motion of a contact with memory, as SVG.

use super::{Curves, Solved};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

fn figure(s: &Solved, what: &str) -> Figure<'static> {
    s.heading.figure().describe(what)
}

/// Displacement, velocity and force against the motion over time.
pub fn motion(s: &Solved) -> String {
    let mut curves = Curves::of(&s.solution);
    let panels = [
        ("x", "displacement x", "m", 1.0),
        ("v", "velocity v", "m/s", 1.0),
        ("friction", "force against the motion", "N", -1.0),
    ];
    let panels = panels.map(|(name, axis, unit, sign)| {
        let column: Vec<f64> =
            curves.take(&s.solution, name).iter().map(|u| 0.0 + sign * u).collect();
        let panel = Panel::new(Axis::linear("time t", "s").tight(), Axis::linear(axis, unit));
        panel.line(curves.t.clone(), column, Style::new(Ink::series(0)).width(1.4))
    });
    figure(s, "Displacement, velocity and force over time").stack(panels).to_svg()
}

/// Force against displacement.
pub fn loops(s: &Solved) -> String {
    let mut curves = Curves::of(&s.solution);
    let x = curves.take(&s.solution, "x");
    let force: Vec<f64> = curves.take(&s.solution, "friction").iter().map(|f| 0.0 - f).collect();
    let panel = Panel::new(
        Axis::linear("displacement x", "m"),
        Axis::linear("force against the motion", "N"),
    )
    .height(420.0)
    .line(x, force, Style::new(Ink::series(0)).width(1.4));
    figure(s, "Force against displacement").panel(panel).to_svg()
}
