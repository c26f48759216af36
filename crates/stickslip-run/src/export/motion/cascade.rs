//! Figures of a cascade's motion, as SVG.

use super::slips::picture;
use super::{Curves, Solved, resting};
use stickslip::Model;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

fn figure(s: &Solved, what: &str) -> Figure<'static> {
    s.heading.figure().describe(what)
}

/// Displacement, velocity and force against time.
pub fn motion(s: &Solved) -> String {
    let mut curves = Curves::of(&s.solution);
    let [x, v, f] = ["x", "v", "force"].map(|name| curves.take(&s.solution, name));
    let t = curves.t;
    let (stick, shade) = resting(&s.solution);
    let panel = |y: Vec<f64>, (label, unit): (&str, &str), shade: Style| {
        Panel::new(Axis::linear("time t", "s").tight(), Axis::linear(label, unit))
            .bands(stick.clone(), shade)
            .line(t.clone(), y, Style::new(Ink::Blue).width(1.4))
    };
    let unnamed = || shade.clone().label("");
    let panels = [
        panel(x, ("displacement x", "m"), shade.clone()),
        panel(v, ("velocity v", "m/s"), unnamed()),
        panel(f, ("force", "N"), unnamed()),
    ];
    let figure = figure(s, "Displacement, velocity and force against time").stack(panels);
    figure.to_svg()
}

/// The hysteresis loops: force against displacement, and the virgin curve.
pub fn loops(s: &Solved) -> String {
    let Model::Cascade(cascade) = &s.problem.model else { return String::new() };
    let mut curves = Curves::of(&s.solution);
    let [x, f] = ["x", "force"].map(|name| curves.take(&s.solution, name));
    let most = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let backbone = cascade.backbone();
    let inside = backbone.breakpoints().iter().copied().filter(|r| *r < most);
    let mut right: Vec<f64> = std::iter::once(0.0).chain(inside).collect();
    right.push(most);
    let virgin: Vec<f64> =
        right.iter().skip(1).rev().map(|x| -x).chain(right.iter().copied()).collect();
    let forces: Vec<f64> = virgin.iter().map(|x| backbone.value(*x)).collect();
    let panel =
        Panel::new(Axis::linear("displacement x", "m"), Axis::linear("force k₀(x − v₁)", "N"))
            .height(420.0)
            .line(virgin, forces, Style::new(Ink::Grey).dashed().label("first loading"))
            .line(x, f, Style::new(Ink::Blue).width(1.4).label("motion"));
    figure(s, "Force against displacement").panel(panel).to_svg()
}

/// Which element slips when, and which way: +1, −1.
pub fn slips(s: &Solved) -> String {
    let Some(path) = s.solution.cascade() else { return String::new() };
    let slips = path.segments().iter().map(|s| {
        let elements = 0..if s.phase.direction == 0 { 0 } else { s.phase.slipping };
        (elements, s.phase.direction, s.start, s.end)
    });
    let name = |i: usize| (i + 1).to_string();
    let panel = picture("element", s.problem.contacts().len(), name, path.span(), slips);
    figure(s, "Slipping elements in time").panel(panel).to_svg()
}
