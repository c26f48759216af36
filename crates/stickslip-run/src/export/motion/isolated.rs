//! Figures of the motion of a slab on isolators, as SVG.

use super::{Curves, Solved, resting};
use stickslip::model::Isolated;
use stickslip_report::figure::{Axis, Figure, Panel, Style};

/// Curves that can be told apart in one panel.
const CURVES: usize = 6;

fn figure(s: &Solved, what: &str) -> Figure<'static> {
    s.heading.figure().describe(what)
}

fn style(i: usize, label: impl Into<String>) -> Style {
    Style::series(i).width(1.4).label(label.into())
}

fn slab(s: &Solved) -> Option<&Isolated> {
    s.problem.model.as_isolated()
}

/// How many isolators are drawn, if not all.
fn first(slab: &Isolated) -> String {
    let n = slab.isolators.len();
    if n > CURVES { format!(", {CURVES} of {n} isolators") } else { String::new() }
}

/// Displacements along x and y and rotation of the slab and the first floors against time.
pub fn motion(s: &Solved) -> String {
    let Some(slab) = slab(s) else { return String::new() };
    let mut curves = Curves::of(&s.solution);
    let names = slab.coordinates();
    let bodies = std::iter::once("slab".to_owned());
    let bodies: Vec<String> =
        bodies.chain(slab.floors.iter().map(|f| f.name.to_string())).collect();
    let axes = [("displacement x", "m"), ("displacement y", "m"), ("rotation θ", "rad")];
    let (stick, shade) = resting(&s.solution);
    let panels = axes.into_iter().enumerate().map(|(c, (axis, unit))| {
        let shade = if c == 0 { shade.clone() } else { shade.clone().label("") };
        let mut panel = Panel::new(Axis::linear("time t", "s").tight(), Axis::linear(axis, unit))
            .bands(stick.clone(), shade);
        for (i, body) in bodies.iter().enumerate().take(CURVES) {
            let column = curves.take(&s.solution, &names[3 * i + c]);
            panel = panel.line(curves.t.clone(), column, style(i, body));
        }
        panel
    });
    let panels: Vec<Panel<'_>> = panels.collect();
    figure(s, "Displacements and rotation against time").stack(panels).to_svg()
}

/// The ways of the first isolators in the plane, each from where it is centred.
pub fn orbit(s: &Solved) -> String {
    let Some(slab) = slab(s) else { return String::new() };
    let mut curves = Curves::of(&s.solution);
    let of = first(slab);
    let mut panel = Panel::new(
        Axis::linear(format!("displacement x{of}"), "m"),
        Axis::linear("displacement y", "m"),
    )
    .height(420.0);
    for (i, isolator) in slab.isolators.iter().enumerate().take(CURVES) {
        let [x, y] =
            ["x", "y"].map(|u| curves.take(&s.solution, &format!("{u}_{}", isolator.name)));
        panel = panel.line(x, y, style(i, &*isolator.name));
    }
    figure(s, "Ways of the isolators in the plane").panel(panel).to_svg()
}

/// The force of spring and friction of the first isolators on the slab's motion against their displacements, along x and along y.
pub fn loops(s: &Solved) -> String {
    let Some(slab) = slab(s) else { return String::new() };
    let mut curves = Curves::of(&s.solution);
    let of = first(slab);
    let mut panels = ["x", "y"].map(|axis| {
        Panel::new(
            Axis::linear(format!("displacement {axis}{of}"), "m"),
            Axis::linear(format!("spring and friction along {axis}"), "N"),
        )
        .height(320.0)
    });
    for (i, isolator) in slab.isolators.iter().enumerate().take(CURVES) {
        let name = &isolator.name;
        let [x, y, fx, fy] = ["x", "y", "friction_x", "friction_y"]
            .map(|u| curves.take(&s.solution, &format!("{u}_{name}")));
        let force = |c: usize, friction: &[f64]| -> Vec<f64> {
            let row = isolator.stiffness[c];
            (0..friction.len()).map(|k| row[0] * x[k] + row[1] * y[k] - friction[k]).collect()
        };
        let forces = [force(0, &fx), force(1, &fy)];
        let [along, across] = forces;
        let [first, second] = panels;
        panels =
            [first.line(x, along, style(i, &**name)), second.line(y, across, style(i, &**name))];
    }
    let [along, across] = panels;
    // Each has an axis of its own: a stack would share that of the last.
    let figure = figure(s, "Force against displacement of the isolators, both ways");
    figure.panel(along).panel(across).to_svg()
}
