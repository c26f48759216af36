//! What happens at the corner, against the wedge's angle.

use crate::product::{Cell, Column, Table};
use std::f64::consts::PI;
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::motion::Path;
use stickslip::portable;
use stickslip::study::ill_posed::corner::{Corner, Straight, Vector};
use stickslip_file::model::CornerModel;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// What was found.
pub struct CornerSolutions {
    /// The file with every default filled in.
    pub model: CornerModel,
    /// One row for each angle.
    pub table: Vec<Corner>,
    /// The angles at which both limits agree.
    pub continuous: Vec<Corner>,
    /// The motions from h and −h in the wedge of the file.
    pub paths: [Path<Straight>; 2],
}

fn degrees(v: Vector) -> f64 {
    portable::atan2(v[1], v[0]).to_degrees()
}

/// Angle in rad, velocities after the corner, the jump between the limits, the rule's distance from
/// each, reflections on each side.
pub fn table(found: &Arc<CornerSolutions>) -> Table {
    let speeds = ["above_x", "above_y", "below_x", "below_y", "rule_x", "rule_y"];
    let mut columns = vec![Column::new("angle", "rad")];
    columns.extend(speeds.map(|name| Column::new(name, "m/s")));
    columns.extend(["jump", "rule_above", "rule_below"].map(|name| Column::new(name, "m/s")));
    columns.extend(["reflections_above", "reflections_below"].map(|name| Column::new(name, "")));
    let found = found.clone();
    Table::new("corner", columns, move |rows| {
        for c in &found.table {
            let [up, down] = c.off_rule();
            let angle = [c.angle];
            let numbers = [&angle[..], &c.above, &c.below, &c.rule, &[c.jump(), up, down]].concat();
            let mut cells: Vec<Cell<'_>> = numbers.into_iter().map(Cell::Number).collect();
            cells.extend(c.reflections.map(|n| Cell::Whole(n as u64)));
            rows(&cells)?;
        }
        Ok(())
    })
}

/// The direction after the corner and the jump, against the angle.
pub fn figure(found: &CornerSolutions) -> String {
    let angle: Vec<f64> = found.table.iter().map(|c| c.angle.to_degrees()).collect();
    let column = |f: fn(&Corner) -> f64| found.table.iter().map(f).collect::<Vec<_>>();
    let axis = || Axis::linear("angle of the wedge β", "°").tight();
    let mut direction = Panel::new(axis(), Axis::linear("direction after the corner", "°"))
        .line(angle.clone(), column(|c| degrees(c.above)), Style::series(0).label("h → 0⁺"))
        .line(angle.clone(), column(|c| degrees(c.below)), Style::series(1).label("h → 0⁻"))
        .line(
            angle.clone(),
            column(|c| degrees(c.rule)),
            Style::new(Ink::Black).dotted().width(1.6).label("2 P_{C} u̇⁻ − u̇⁻"),
        );
    let mut jump = Panel::new(axis(), Axis::linear("jump in h at 0", "m/s"))
        .line(angle, column(Corner::jump), Style::new(Ink::Purple))
        .horizontal(0.0, Style::new(Ink::Grey).width(0.8));
    for c in &found.continuous {
        let n = (PI / c.angle).round();
        let name = if n == 1.0 { "π".to_owned() } else { format!("π/{n}") };
        direction = direction.tag(c.angle.to_degrees(), name);
        jump = jump.vertical(c.angle.to_degrees(), Style::new(Ink::Grey).width(0.8));
    }
    let figure = Figure::new()
        .title(found.model.title.as_deref().unwrap_or("A point sent into the corner"))
        .describe(
            "Direction after the corner from both sides and by the rule, against the wedge's angle",
        )
        .stack([direction, jump]);
    figure.to_svg()
}

/// The two motions on both sides of the corner, in the wedge.
pub fn paths(found: &CornerSolutions) -> String {
    let angle = found.model.corner.angle;
    let (sin, cos) = portable::sin_cos(angle);
    let wall = || Style::new(Ink::Black).width(1.8);
    let mut panel = Panel::new(Axis::linear("x", "m"), Axis::linear("y", "m"))
        .height(380.0)
        .line(vec![0.0, 1.5], vec![0.0, 0.0], wall().label("walls"))
        .line(vec![0.0, 1.5 * cos], vec![0.0, 1.5 * sin], wall());
    let styles = [Style::series(0).label("h > 0"), Style::series(1).label("h < 0")];
    for (path, style) in found.paths.iter().zip(styles) {
        let (start, end) = path.span();
        let mut times = vec![start];
        times.extend(path.events().iter().map(|e| e.time));
        times.push(end);
        let (x, y): (Vec<f64>, Vec<f64>) =
            times.iter().map(|&t| path.state(t).0).map(|p| (p[0], p[1])).unzip();
        panel = panel.line(x, y, style);
    }
    let title = format!("β = {:.1}°, h = ±{:?}", angle.to_degrees(), found.model.corner.h.abs());
    let figure =
        Figure::new().title(title).describe("Two motions on both sides of the corner").panel(panel);
    figure.to_svg()
}

/// The table for people.
pub fn text(w: &mut dyn Write, found: &CornerSolutions) -> fmt::Result {
    writeln!(w, "{}", found.model.title.as_deref().unwrap_or("A point sent into the corner"))?;
    writeln!(w, "from (1 − h, ½ + h) with (−1, −½) m/s; directions after the corner in degrees\n")?;
    writeln!(
        w,
        "{:>8} {:>12} {:>12} {:>12} {:>12}  agreement",
        "β [°]", "h → 0⁺", "h → 0⁻", "2P_C v − v", "jump [m/s]"
    )?;
    let step = (found.table.len() / 24).max(1);
    let mut rows: Vec<&Corner> =
        found.table.iter().step_by(step).chain(&found.continuous).collect();
    rows.sort_by(|a, b| a.angle.total_cmp(&b.angle));
    for c in rows {
        let [up, down] = c.off_rule();
        let agreement = match (c.jump() < 1e-9, up < 1e-9, down < 1e-9) {
            (true, true, _) => "all three: continuous, and the rule's",
            (true, false, _) => "both limits: continuous, but not the rule's",
            (_, true, _) => "the rule is the limit h → 0⁺",
            (_, _, true) => "the rule is the limit h → 0⁻",
            _ => "none",
        };
        writeln!(
            w,
            "{:>8.3} {:>12.4} {:>12.4} {:>12.4} {:>12.6}  {agreement}",
            c.angle.to_degrees(),
            degrees(c.above),
            degrees(c.below),
            degrees(c.rule),
            c.jump()
        )?;
    }
    writeln!(w, "\nThe solution is continuous in h at h = 0 for β = π/n only.")
}
