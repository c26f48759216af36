//! The solution set of an ill-posed problem: tables and figures.

use crate::number::short;
use crate::product::{Cell, Column, Table};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::study::solutions::{Family, Jump};
use stickslip::{Trajectory, Warning};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// What was found.
pub struct OscillatorSolutions {
    /// Heading of figures; empty where there is none.
    pub title: String,
    /// All solutions of the discrete problem.
    pub family: Family,
    /// m over how fast the friction weakens, s, where it holds no more at rest than when sliding begins: below this a step has one solution.
    pub single_below: Option<f64>,
    /// Where the motion with the rule is not continuous in the data.
    pub doubts: Vec<Warning>,
    /// Intervals on which the load stands at the breakaway force, s.
    pub degenerate: Vec<(f64, f64)>,
    /// Solutions that leave at instants of these intervals, s.
    pub continuous: Vec<(f64, Trajectory)>,
    /// The last state with a perturbed force.
    pub jump: Vec<Jump>,
}

/// `solution,leaves,t,x,v`: every discrete solution; `leaves` is the first instant at which it left
/// although it could have stayed (empty: it never did).
pub fn discrete(found: &Arc<OscillatorSolutions>) -> Table {
    let columns = [("solution", ""), ("leaves", "s"), ("t", "s"), ("x", "m"), ("v", "m/s")];
    let found = found.clone();
    Table::new("solutions", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        let h = found.family.step;
        for (i, m) in found.family.members.iter().enumerate() {
            let leaves = m.leaves.first().map(|&n| n as f64 * h);
            for (n, s) in m.states.iter().enumerate() {
                rows(&[i.into(), leaves.into(), (n as f64 * h).into(), s.x.into(), s.v.into()])?;
            }
        }
        Ok(())
    })
}

/// `leaves,t,x,v`: members of the continuous family.
pub fn family(found: &Arc<OscillatorSolutions>) -> Table {
    let columns = [("leaves", "s"), ("t", "s"), ("x", "m"), ("v", "m/s")];
    let found = found.clone();
    Table::new("family", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        for (leaves, path) in &found.continuous {
            for (t, s, _) in path.sample(501) {
                rows(&[*leaves, t, s.x, s.v].map(Cell::Number))?;
            }
        }
        Ok(())
    })
}

/// `epsilon,x,v`: the last state with the force f + ε.
pub fn jump(found: &Arc<OscillatorSolutions>) -> Table {
    let columns = [("epsilon", "N"), ("x", "m"), ("v", "m/s")];
    let found = found.clone();
    Table::new("jump", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        found.jump.iter().try_for_each(|j| rows(&[j.epsilon, j.end.x, j.end.v].map(Cell::Number)))
    })
}

/// Velocity against time of every solution.
pub fn figure(found: &OscillatorSolutions) -> String {
    let mut panel = Panel::new(Axis::linear("time", "s"), Axis::linear("velocity", "m/s"));
    let h = found.family.step;
    for (i, m) in found.family.members.iter().take(200).enumerate() {
        let t: Vec<f64> = (0..m.states.len()).map(|n| n as f64 * h).collect();
        let v: Vec<f64> = m.states.iter().map(|s| s.v).collect();
        let style = Style::new(Ink::series(0)).opacity(0.5);
        panel = panel.line(t, v, if i == 0 { style.label("discrete solutions") } else { style });
    }
    for (i, (_, path)) in found.continuous.iter().enumerate() {
        let (t, v): (Vec<f64>, Vec<f64>) = path.sample(501).map(|(t, s, _)| (t, s.v)).unzip();
        let style = Style::new(Ink::series(1)).dashed();
        panel = panel.line(t, v, if i == 0 { style.label("continuous family") } else { style });
    }
    let title = if found.title.is_empty() { "Solution set" } else { &found.title };
    let figure = Figure::new().title(title).describe("Every solution of the problem").panel(panel);
    figure.to_svg()
}

/// The last velocity against ε.
pub fn jump_figure(found: &OscillatorSolutions) -> String {
    let side = |positive: bool| -> (Vec<f64>, Vec<f64>) {
        found
            .jump
            .iter()
            .filter(|r| (r.epsilon > 0.0) == positive)
            .map(|r| (r.epsilon, r.end.v))
            .unzip()
    };
    let (below, v_below) = side(false);
    let (above, v_above) = side(true);
    let panel = Panel::new(Axis::linear("ε", "N"), Axis::linear("velocity at the end", "m/s"))
        .line(below, v_below, Style::series(0).label("ε < 0"))
        .line(above, v_above, Style::series(1).label("ε > 0"));
    let title = if found.title.is_empty() { "Force f + ε" } else { &found.title };
    let figure = Figure::new().title(title).describe("The jump of the solution in ε").panel(panel);
    figure.to_svg()
}

/// What was found, for people.
pub fn text(w: &mut dyn Write, found: &OscillatorSolutions) -> fmt::Result {
    if !found.title.is_empty() {
        writeln!(w, "{}", found.title)?;
    }
    with_the_rule(w, found)?;
    without_the_rule(w, found)?;
    if !found.continuous.is_empty() {
        writeln!(
            w,
            "\nmembers of the continuous family\n{:>16} {:>22} {:>22}",
            "leaves at [s]", "x(end) [m]", "v(end) [m/s]"
        )?;
        for (u, path) in &found.continuous {
            let last = path.state(path.span().1);
            writeln!(w, "{u:>16.6} {:>22.14e} {:>22.14e}", last.x, last.v)?;
        }
    }
    writeln!(w, "\n{:>16} {:>22} {:>22}", "force + ε [N]", "x(end) [m]", "v(end) [m/s]")?;
    for row in &found.jump {
        writeln!(w, "{:>16.1e} {:>22.14e} {:>22.14e}", row.epsilon, row.end.x, row.end.v)?;
    }
    Ok(())
}

/// The motion that a simulation computes, and whether it is in doubt.
fn with_the_rule(w: &mut dyn Write, found: &OscillatorSolutions) -> fmt::Result {
    writeln!(
        w,
        "With the rule (the mass stays at rest as long as |load| <= f_s) there is one solution, the one that is simulated."
    )?;
    if found.doubts.is_empty() {
        return writeln!(
            w,
            "No instant was found at which it does not depend continuously on the load.\n"
        );
    }
    writeln!(w, "It does not depend continuously on the load, or may not:")?;
    found.doubts.iter().try_for_each(|d| writeln!(w, "  {d}"))?;
    writeln!(w)
}

/// What the inequality alone would allow.
fn without_the_rule(w: &mut dyn Write, found: &OscillatorSolutions) -> fmt::Result {
    let n = found.family.members.len();
    let step = short(found.family.step);
    let discrete = format!("of the discrete problem (implicit Euler, step {step} s)");
    match (n, found.family.truncated) {
        (1, false) => writeln!(w, "Without the rule: the same one solution {discrete}\n")?,
        (_, true) => writeln!(w, "Without the rule: more than {n} solutions {discrete};")?,
        (_, false) => writeln!(w, "Without the rule: {n} solutions {discrete};")?,
    }
    match found.single_below {
        _ if n == 1 => {}
        None => writeln!(
            w,
            "the inequality alone lets the mass leave at any time at which |load| exceeds f_d.\n"
        )?,
        Some(below) => writeln!(
            w,
            "they come from the steps, in which the friction weakens too fast: with a step below {} s there is one.\n",
            short(below)
        )?,
    }
    writeln!(
        w,
        "{:>10} {:>16} {:>22} {:>22}",
        "solution", "leaves at [s]", "x(end) [m]", "v(end) [m/s]"
    )?;
    for (i, m) in found.family.members.iter().enumerate().take(50) {
        let leaves = m
            .leaves
            .first()
            .map_or("never".to_owned(), |&n| format!("{:.6}", n as f64 * found.family.step));
        let last = m.states.last().copied().unwrap_or_default();
        writeln!(w, "{i:>10} {leaves:>16} {:>22.14e} {:>22.14e}", last.x, last.v)?;
    }
    if n > 50 {
        writeln!(w, "{:>10} the table of solutions has them all", "…")?;
    }
    Ok(())
}
