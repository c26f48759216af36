//! A point sent into the corner.

use super::super::verdict::Tolerance::{Absolute, AtLeast, AtMost, Equal};
use super::Work;
use std::f64::consts::PI;
use stickslip::study::ill_posed::corner::{Corner, limits, narrowest};
use stickslip_file::Result;
use stickslip_file::model::CornerModel;
use stickslip_run::export::corner as export;
use stickslip_run::solutions::corner;

/// The direction that the straight line leaves with when the wedge of angle β is unfolded: a line past
/// the corner sweeps half a turn, and folding back makes a zigzag of the angle.
fn unfolded(angle: f64, start: f64, turn: f64) -> f64 {
    let s = (start + turn).rem_euclid(2.0 * angle);
    if s <= angle { s } else { 2.0 * angle - s }
}

fn direction(v: [f64; 2]) -> f64 {
    v[1].atan2(v[0])
}

pub fn run(w: &mut Work) -> Result<()> {
    let text = include_str!("../../models/corner.toml");
    let document = w.document("corner.toml", text)?;
    let found = corner::find(&CornerModel::read(document.root())?)?;
    w.svg("corner.svg", "Direction after the corner for h → 0^{+}, h → 0^{−} and by the rule, and the jump between the limits, against the angle of the wedge.", export::figure(&found));
    w.svg(
        "corner-paths.svg",
        "Two motions that start close to each other, in the wedge of the model file.",
        export::paths(&found),
    );

    let largest =
        |of: &dyn Fn(&Corner) -> f64, all: &[Corner]| all.iter().map(of).fold(0.0, f64::max);
    w.verdict(
        "β = π/n, n = 1 … 6: largest jump between the limits, m/s",
        (1e-9, "they agree"),
        largest(&Corner::jump, &found.continuous),
        AtMost,
    );
    let even: Vec<Corner> = found
        .continuous
        .iter()
        .copied()
        .filter(|c| ((PI / c.angle).round() as i32) % 2 == 0)
        .collect();
    w.verdict(
        "n even: largest distance of the rule from the limits, m/s",
        (1e-9, "they agree"),
        largest(&|c| c.off_rule()[0], &even),
        AtMost,
    );
    let others = found.table.iter().filter(|c| c.jump() > 1e-6).count() as f64;
    w.verdict(
        "share of all angles at which the solution is not continuous",
        (0.95, "all but π/n"),
        others / found.table.len() as f64,
        AtLeast,
    );
    unfold(w, &found.table);
    right_angle(w)?;
    w.deviation(
        "Bastien et al. 2013, §1.3.2",
        "an angle that the text leaves open; continuous on the right-hand side only",
        "every angle; for β = π/n it is continuous on both sides, otherwise the limits differ and the rule agrees with one of them or none",
        "the statement depends on the angle",
    );
    w.command("stickslip solutions gallery/corner.toml --out corner");
    Ok(())
}

/// At a right angle the point comes back the way it came.
fn right_angle(w: &mut Work) -> Result<()> {
    let right = limits(PI / 2.0)?;
    w.verdict(
        "right angle: the point comes back with, m/s",
        (1.0, "(1, ½), both limits and the rule"),
        right.above[0],
        Absolute(1e-12),
    );
    w.verdict(
        "right angle: reflections on each side",
        (2.0, "one by each wall"),
        right.reflections[0] as f64,
        Equal,
    );
    Ok(())
}

/// Both limits beside the straight line in the unfolded wedge.
fn unfold(w: &mut Work, table: &[Corner]) {
    let start = narrowest();
    let off = |c: &Corner| {
        let [above, below] = [PI, -PI].map(|turn| unfolded(c.angle, start, turn));
        let apart = |a: f64, b: f64| (a - b).abs();
        // Which side h > 0 passes on is part of the check.
        apart(direction(c.above), above).max(apart(direction(c.below), below))
    };
    w.verdict(
        "directions of both limits: largest distance from the unfolded line, rad",
        (1e-9, "unfolding the wedge"),
        table.iter().map(off).fold(0.0, f64::max),
        AtMost,
    );
}
