//! The two solutions under Schatzman's force.

use crate::number::readable;
use crate::product::{Cell, Column, Table};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::portable;
use stickslip::study::ill_posed::schatzman::{Schatzman, Verdict};
use stickslip_file::model::SchatzmanModel;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// What was found.
pub struct SchatzmanSolutions {
    /// The file with every default filled in.
    pub model: SchatzmanModel,
    /// The force.
    pub force: Schatzman,
    /// One for each impact, in order of time.
    pub verdicts: Vec<Verdict>,
}

/// Points on each bounce.
const POINTS: u32 = 60;

/// Times on every bounce from `last` to the one that ends at t = 1.
fn times(last: u32) -> Vec<f64> {
    let mut out = Vec::new();
    for n in (1..=last).rev() {
        let a = 1.0 / f64::from(n + 1);
        let b = 1.0 / f64::from(n);
        out.extend((0..POINTS).map(|i| a + (b - a) * f64::from(i) / f64::from(POINTS)));
    }
    out.push(1.0);
    out
}

/// `t,force,x_bounce,v_bounce,x_rest,v_rest,reaction_rest`.
pub fn solutions(found: &Arc<SchatzmanSolutions>) -> Table {
    let columns = [
        ("t", "s"),
        ("force", "N"),
        ("x_bounce", "m"),
        ("v_bounce", "m/s"),
        ("x_rest", "m"),
        ("v_rest", "m/s"),
        ("reaction_rest", "N"),
    ];
    let found = found.clone();
    Table::new("solutions", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        for t in times(found.verdicts.len() as u32) {
            let f = found.force.force(t);
            let (x, v) = found.force.bouncing(t);
            rows(&[t, f, x, v, 0.0, 0.0, 0.0 - f].map(Cell::Number))?;
        }
        Ok(())
    })
}

/// `n,t,before,after,impulse,miss,inelastic,energy`: each impact and how well it is verified.
pub fn bounces(found: &Arc<SchatzmanSolutions>) -> Table {
    let columns = [
        ("n", ""),
        ("t", "s"),
        ("before", "m/s"),
        ("after", "m/s"),
        ("impulse", "N·s"),
        ("miss", ""),
        ("inelastic", ""),
        ("energy", ""),
    ];
    let found = found.clone();
    Table::new("bounces", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        let list = found.force.bounces(found.verdicts.len() as u32);
        for (b, v) in list.iter().zip(&found.verdicts) {
            let numbers = [b.time, b.before, b.after, b.impulse, v.miss, v.inelastic, v.energy];
            let mut cells = vec![Cell::Whole(u64::from(b.index))];
            cells.extend(numbers.map(Cell::Number));
            rows(&cells)?;
        }
        Ok(())
    })
}

/// Both solutions against time, as they are and magnified by r^{1/t}, and the force.
pub fn figure(found: &SchatzmanSolutions) -> String {
    let f = &found.force;
    let t = times(found.verdicts.len().min(24) as u32);
    let x: Vec<f64> = t.iter().map(|&t| f.bouncing(t).0).collect();
    let rest = vec![0.0; t.len()];
    // On arc n everything has the size r^{−n}: this makes all arcs as tall as each other.
    let magnified: Vec<f64> = t
        .iter()
        .zip(&x)
        .map(|(&t, x)| {
            let n = (1.0 / t).ceil().max(2.0) - 1.0;
            x * portable::pow(f.gain(), n) * n * (n + 1.0)
        })
        .collect();
    let push: Vec<f64> = t.iter().map(|&t| 0.0 - f.force(t)).collect();
    let time = || Axis::linear("time t", "s").tight();
    let bounces = || Style::new(Ink::Blue).label("bounces out of nothing");
    let still = || Style::new(Ink::Vermillion).dashed().label("rest");
    let log: Vec<f64> = x.iter().map(|&x| if x > 0.0 { x } else { f64::NAN }).collect();
    let panels = [
        Panel::new(time(), Axis::linear("x", "m")).line(t.clone(), x, bounces()).line(
            t.clone(),
            rest.clone(),
            still(),
        ),
        Panel::new(time(), Axis::log("x, logarithmic", "m")).line(t.clone(), log, Ink::Blue),
        Panel::new(time(), Axis::linear("x, each bounce magnified", ""))
            .line(t.clone(), magnified, Ink::Blue)
            .line(t.clone(), rest, Style::new(Ink::Vermillion).dashed()),
        Panel::new(time(), Axis::linear("reaction of rest, −f", "N")).line(
            t,
            push,
            Style::new(Ink::Vermillion),
        ),
    ];
    let title = found.model.title.as_deref().unwrap_or("One smooth force, two solutions");
    let figure = Figure::new()
        .title(title)
        .describe("A mass under a smooth force bounces out of nothing, or rests")
        .stack(panels);
    figure.to_svg()
}

/// What was found, for people.
pub fn text(w: &mut dyn Write, found: &SchatzmanSolutions) -> fmt::Result {
    let f = &found.force;
    writeln!(w, "{}", found.model.title.as_deref().unwrap_or("One smooth force, two solutions"))?;
    writeln!(
        w,
        "the force presses with its centre at {:.6} of each arc: speeds grow by r = {:.6} a bounce\n",
        f.centre(),
        f.gain()
    )?;
    writeln!(w, "solution 1: impacts at t = 1/n, accumulating at t = 0")?;
    writeln!(
        w,
        "{:>5} {:>14} {:>18} {:>18} {:>10} {:>10} {:>10}",
        "n", "t [s]", "v after [m/s]", "impulse [N·s]", "miss", "inelastic", "energy"
    )?;
    let list = f.bounces(found.verdicts.len() as u32);
    for (b, v) in list.iter().zip(&found.verdicts) {
        let [speed, impulse] = [b.after, b.impulse].map(|x| readable(x, 8));
        writeln!(
            w,
            "{:>5} {:>14.9} {speed:>18} {impulse:>18} {:>10.1e} {:>10.1e} {:>10.1e}",
            b.index, b.time, v.miss, v.inelastic, v.energy
        )?;
    }
    let largest = found.verdicts.iter().map(|v| v.largest_force).fold(f64::NEG_INFINITY, f64::max);
    let largest = largest + 0.0; // no −0
    writeln!(w, "\nsolution 2: rest at x = 0 with the reaction −f ≥ 0 (largest f: {largest:e} N)")
}
