//! Figures of a motion between walls: places and forces, heights and impulses, the plane with its jumps.

use super::{POINTS, Solved};
use stickslip::motion::Segment;
use stickslip::{EventKind, Impact, ImpactArc, ImpactPath, Model, Motion, Touching, Wall};
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

/// More impacts than this would be a blot.
const MOST_JUMPS: usize = 2000;

/// A motion as columns, both sides of every event; the velocity is interrupted where it jumps.
#[derive(Default)]
struct Curves {
    t: Vec<f64>,
    x: Vec<f64>,
    v: Vec<f64>,
    reaction: Vec<f64>,
}

impl Curves {
    fn of(path: &ImpactPath) -> Self {
        let (start, end) = path.span();
        let step = (end - start) / POINTS as f64;
        let mut c = Self::default();
        for s in path.segments() {
            let inside = ((s.end - s.start) / step).ceil().clamp(1.0, POINTS as f64) as usize;
            // A short bounce is still an arc; a hundred thousand of them are not.
            let least = if path.segments().len() < 200 { 24 } else { 2 };
            let count = inside.max(least);
            for i in 0..=count {
                let t = s.start + (s.end - s.start) * i as f64 / count as f64;
                c.point(t, s);
            }
            c.gap();
        }
        c
    }

    fn point(&mut self, t: f64, s: &Segment<ImpactArc>) {
        let u = s.arc.state(t);
        self.t.push(t);
        self.x.push(u.x);
        self.v.push(u.v);
        self.reaction.push(s.arc.reaction(t));
    }

    fn gap(&mut self) {
        for column in [&mut self.t, &mut self.x, &mut self.v, &mut self.reaction] {
            column.push(f64::NAN);
        }
    }
}

/// Corners of dotted lines from (a, before) to (a, after) at each impact.
fn jumps(path: &ImpactPath, across: impl Fn(&stickslip::Event) -> f64) -> (Vec<f64>, Vec<f64>) {
    let impacts = path.events().iter().filter(|e| e.v != e.before && e.duration == 0.0);
    let mut x = Vec::new();
    let mut y = Vec::new();
    for e in impacts.take(MOST_JUMPS) {
        let at = across(e);
        x.extend([at, at, f64::NAN]);
        y.extend([e.before, e.v, f64::NAN]);
    }
    (x, y)
}

/// Draws a solution of a mass between walls.
fn drawn(s: &Solved, draw: fn(&str, &Impact, &ImpactPath) -> String) -> String {
    match (&s.problem.model, s.solution.impact()) {
        (Model::Impact(impact), Some(path)) => draw(s.heading.title(), impact, path),
        _ => String::new(),
    }
}

/// [`motion`] of a solution.
pub fn motion_of(s: &Solved) -> String {
    drawn(s, motion)
}

/// [`bounces`] of a solution.
pub fn bounces_of(s: &Solved) -> String {
    drawn(s, bounces)
}

/// [`plane`] of a solution.
pub fn plane_of(s: &Solved) -> String {
    drawn(s, |title, _, path| plane(title, path))
}

/// Place with the walls, velocity with its jumps, contact force with the impulses.
pub fn motion(title: &str, impact: &Impact, path: &ImpactPath) -> String {
    let c = Curves::of(path);
    let time = || Axis::linear("time t", "s").tight();
    let contact: Vec<_> = path
        .phases()
        .into_iter()
        .filter(|p| p.0 != Touching::Flight)
        .map(|(_, from, to)| (from, to))
        .collect();
    let contact = if contact.len() <= 1000 { contact } else { Vec::new() };
    let shade = || Style::new(Ink::Grey);
    let mut x = Panel::new(time(), Axis::linear("x", "m"))
        .bands(contact.clone(), shade().label("in contact"))
        .line(c.t.clone(), c.x, Style::new(Ink::Blue).label("x"));
    let (start, end) = path.span();
    let grid: Vec<f64> = (0..=500).map(|i| start + (end - start) * f64::from(i) / 500.0).collect();
    for (wall, style) in Wall::ALL
        .iter()
        .filter_map(|&w| impact.wall(w))
        .zip([Style::new(Ink::Black).label("wall"), Style::new(Ink::Black)])
    {
        let at: Vec<f64> = grid.iter().map(|&t| wall.value(t)).collect();
        x = x.line(grid.clone(), at, style.width(1.2));
    }
    let (jump_t, jump_v) = jumps(path, |e| e.time);
    let v = Panel::new(time(), Axis::linear("v", "m/s"))
        .bands(contact.clone(), shade())
        .line(jump_t, jump_v, Style::new(Ink::Orange).dotted().width(1.0))
        .line(c.t.clone(), c.v, Ink::Blue)
        .horizontal(0.0, Style::new(Ink::Grey).width(0.8));
    let mut panels = vec![x, v];
    if c.reaction.iter().any(|r| *r != 0.0 && r.is_finite()) {
        panels.push(
            Panel::new(time(), Axis::linear("contact force", "N")).bands(contact, shade()).line(
                c.t,
                c.reaction,
                Ink::Vermillion,
            ),
        );
    }
    let (t, p) = impulses(path);
    if !t.is_empty() {
        panels.push(
            Panel::new(time(), Axis::linear("impulse", "N·s"))
                .points(t, p, Style::new(Ink::Purple).marker(Marker::Dot).size(4.0))
                .horizontal(0.0, Style::new(Ink::Grey).width(0.8)),
        );
    }
    let figure = Figure::new()
        .title(title)
        .describe("Place, velocity, contact force and impulses against time")
        .stack(panels);
    figure.to_svg()
}

fn impulses(path: &ImpactPath) -> (Vec<f64>, Vec<f64>) {
    let impacts = path.events().iter().filter(|e| e.impulse != 0.0);
    impacts.take(4 * MOST_JUMPS).map(|e| (e.time, e.impulse)).unzip()
}

/// Heights of the bounces (distance from the wall that was hit before) and impulses, one by one.
pub fn bounces(title: &str, impact: &Impact, path: &ImpactPath) -> String {
    let mut index = Vec::new();
    let mut height = Vec::new();
    let impacts: Vec<_> = path.events().iter().filter(|e| e.kind == EventKind::Impact).collect();
    for (i, pair) in impacts.windows(2).enumerate() {
        let a = pair[0];
        let b = pair[1];
        let hit = Wall::ALL.get(a.place).filter(|_| a.place == b.place);
        let Some((side, wall)) = hit.and_then(|w| Some((w.sign(), impact.wall(*w)?))) else {
            continue;
        };
        let distance = |t: f64| side * (path.state(t).x - wall.value(t));
        let span = b.time - a.time;
        let sampled = (1..64).map(|k| distance(a.time + span * f64::from(k) / 64.0));
        index.push((i + 1) as f64);
        height.push(sampled.fold(0.0, f64::max));
    }
    let (number, impulse): (Vec<f64>, Vec<f64>) =
        impacts.iter().enumerate().map(|(i, e)| ((i + 1) as f64, e.impulse.abs())).unzip();
    let dots = |ink| Style::new(ink).marker(Marker::Dot).size(4.0);
    let panel = |name: &'static str, unit: &'static str| {
        Panel::new(Axis::linear("impact", ""), Axis::log(name, unit))
    };
    let figure = Figure::new()
        .title(title)
        .describe("Heights of the bounces and impulses of the impacts, one by one")
        .beside([
            panel("height of the bounce after it", "m").points(index, height, dots(Ink::Blue)),
            panel("impulse", "N·s").points(number, impulse, dots(Ink::Purple)),
        ]);
    figure.to_svg()
}

/// Velocity against place, with the jumps of the impacts.
pub fn plane(title: &str, path: &ImpactPath) -> String {
    let c = Curves::of(path);
    let (x, v) = jumps(path, |e| e.x);
    let panel = Panel::new(Axis::linear("place x", "m"), Axis::linear("velocity v", "m/s"))
        .line(x, v, Style::new(Ink::Orange).dotted().width(1.2).label("impacts"))
        .line(c.x, c.v, Style::new(Ink::Blue).width(1.4).label("motion"))
        .horizontal(0.0, Style::new(Ink::Grey).width(0.8));
    let figure = Figure::new()
        .title(title)
        .describe("Velocity against place, with the jumps of the impacts")
        .panel(panel);
    figure.to_svg()
}
