//! Figures of a network's motion, as SVG.

use super::slips::picture;
use super::{Curves, Solved, resting};
use stickslip::Phase;
use stickslip_report::figure::{Axis, Figure, Panel, Style};

/// Curves that can be told apart in one panel.
const CURVES: usize = 6;

/// How many of `n` are drawn, the first ones, if not all.
fn first(n: usize, what: &str) -> String {
    if n > CURVES { format!(", {CURVES} of {n} {what}") } else { String::new() }
}

fn figure(s: &Solved, what: &str) -> Figure<'static> {
    s.heading.figure().describe(what)
}

/// Displacements and velocities of the first nodes against time.
pub fn motion(s: &Solved) -> String {
    let mut curves = Curves::of(&s.solution);
    let names = s.problem.points();
    let axis = || Axis::linear("time t", "s").tight();
    let of = first(names.len(), "nodes");
    let (stick, shade) = resting(&s.solution);
    let mut x = Panel::new(axis(), Axis::linear(format!("displacement x{of}"), "m"))
        .bands(stick.clone(), shade.clone());
    let mut v = Panel::new(axis(), Axis::linear(format!("velocity v{of}"), "m/s"))
        .bands(stick, shade.label(""));
    for (i, name) in names.iter().enumerate().take(CURVES) {
        let style = || Style::series(i).width(1.4).label(name.clone());
        let [dx, dv] = ["x", "v"].map(|u| curves.take(&s.solution, &format!("{u}_{name}")));
        x = x.line(curves.t.clone(), dx, style());
        v = v.line(curves.t.clone(), dv, style());
    }
    figure(s, "Displacements and velocities against time").stack([x, v]).to_svg()
}

/// Friction of the first sliders against the displacement across them.
pub fn loops(s: &Solved) -> String {
    let Some(network) = s.problem.model.network_in() else { return String::new() };
    let curves = Curves::of(&s.solution);
    let nodes = network.nodes().len();
    let sliders = network.sliders();
    let of = first(sliders.len(), "sliders");
    let mut panel = Panel::new(
        Axis::linear(format!("displacement across the slider{of}"), "m"),
        Axis::linear("force in the slider", "N"),
    )
    .height(420.0);
    for (i, e) in sliders.iter().enumerate().take(CURVES) {
        // The columns are x and v of every node, then the friction of every slider.
        let at = |end: Option<usize>, k: usize| end.map_or(0.0, |n| curves.columns[2 * n][k]);
        let across: Vec<f64> =
            (0..curves.t.len()).map(|k| at(e.between()[0], k) - at(e.between()[1], k)).collect();
        let force: Vec<f64> = curves.columns[2 * nodes + i].iter().map(|f| 0.0 - f).collect();
        panel = panel.line(across, force, Style::series(i).width(1.4).label(e.name.as_str()));
    }
    figure(s, "Loops of the sliders").panel(panel).to_svg()
}

/// Which slider slips when, and which way: +1, −1.
pub fn slips(s: &Solved) -> String {
    let contacts = s.solution.contact_places();
    let slips = contacts.clone().flat_map(|e| {
        let slipping = s.solution.phases(e).into_iter().filter(|p| p.0 != Phase::Stick);
        slipping.map(move |(phase, start, end)| (e..e + 1, phase.sign() as i8, start, end))
    });
    let names = s.solution.places();
    let count = contacts.len();
    let panel = picture("slider", count, |e| names[e].clone(), s.solution.span(), slips);
    figure(s, "Slipping sliders in time").panel(panel).to_svg()
}
