//! Figures of the motion of a mass on a plane, as SVG.

use super::{Curves, Solved, resting};
use stickslip::EventKind;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

fn figure(s: &Solved, what: &str) -> Figure<'static> {
    s.heading.figure().describe(what)
}

fn style(i: usize, label: &str) -> Style {
    Style::series(i).width(1.4).label(label)
}

/// Displacements and velocities along x and y against time.
pub fn motion(s: &Solved) -> String {
    let mut curves = Curves::of(&s.solution);
    let mut take = |name: &str| curves.take(&s.solution, name);
    let [x, y, vx, vy] = ["x", "y", "vx", "vy"].map(&mut take);
    let t = curves.t;
    let axis = || Axis::linear("time t", "s").tight();
    let (stick, shade) = resting(&s.solution);
    let places = Panel::new(axis(), Axis::linear("displacement", "m"))
        .bands(stick.clone(), shade.clone())
        .line(t.clone(), x, style(0, "x"))
        .line(t.clone(), y, style(1, "y"));
    let speeds = Panel::new(axis(), Axis::linear("velocity", "m/s"))
        .bands(stick, shade.label(""))
        .line(t.clone(), vx, style(0, "v_{x}"))
        .line(t, vy, style(1, "v_{y}"));
    figure(s, "Displacements and velocities along x and y against time")
        .stack([places, speeds])
        .to_svg()
}

/// The orbit in the plane, and where the mass came to rest.
pub fn orbit(s: &Solved) -> String {
    let mut curves = Curves::of(&s.solution);
    let [x, y] = ["x", "y"].map(|name| curves.take(&s.solution, name));
    let rests = s.solution.events.iter().filter(|e| e.kind == EventKind::Stick);
    let path = s.solution.planar();
    let places = rests.filter_map(|e| Some(path?.state(e.time).x));
    let (at_x, at_y): (Vec<f64>, Vec<f64>) = places.map(|[x, y]| (x, y)).unzip();
    let mut panel =
        Panel::new(Axis::linear("displacement x", "m"), Axis::linear("displacement y", "m"))
            .height(420.0)
            .line(x, y, style(0, "orbit"));
    if !at_x.is_empty() {
        panel = panel.points(at_x, at_y, Style::new(Ink::Vermillion).label("comes to rest"));
    }
    figure(s, "Orbit in the plane").panel(panel).to_svg()
}

/// The force of springs, dampers, rim and friction on the mass against its displacement, along x and along y.
pub fn loops(s: &Solved) -> String {
    let stickslip::Model::Planar(model) = &s.problem.model else { return String::new() };
    let mut curves = Curves::of(&s.solution);
    let names = ["x", "y", "vx", "vy", "friction_x", "friction_y"];
    let [x, y, vx, vy, fx, fy] = names.map(|name| curves.take(&s.solution, name));
    let held = |i: usize, friction: &[f64]| -> Vec<f64> {
        let force = |k: usize| {
            let spring = model.restoring([x[k], y[k]])[i];
            let damper = model.damping[i][0] * vx[k] + model.damping[i][1] * vy[k];
            let rim = model.rim.map_or(0.0, |rim| rim.force([x[k], y[k]], [vx[k], vy[k]])[i]);
            spring + damper - friction[k] - rim
        };
        (0..friction.len()).map(force).collect()
    };
    let forces = [held(0, &fx), held(1, &fy)];
    let axis = |name: &str| Axis::linear(format!("displacement {name}"), "m");
    let force = |name: &str| Axis::linear(format!("resisting force along {name}"), "N");
    let [along, across] = forces;
    // Each has an axis of its own: a stack would share that of the last.
    figure(s, "Resisting force against displacement, both ways")
        .panel(Panel::new(axis("x"), force("x")).height(320.0).line(x, along, style(0, "x")))
        .panel(Panel::new(axis("y"), force("y")).height(320.0).line(y, across, style(0, "y")))
        .to_svg()
}
