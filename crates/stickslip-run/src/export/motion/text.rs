//! A motion for people at a terminal.

use super::Solved;
use super::summary::{meanings, phase};
use super::tables::across;
use crate::number::{readable, short};
use std::fmt::{self, Write};
use stickslip::model::Isolated;
use stickslip::{Event, EventKind, Model};

/// More impacts than a person reads.
const MOST_IMPACTS: usize = 60;
/// More events of other kinds than a person reads.
const MOST_LINES: usize = 5000;

/// So many events of a kind: "1 slip", "4 slips", "2 touches".
fn counted(n: usize, kind: &str) -> String {
    let ending = match n {
        1 => "",
        _ if kind.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{n} {kind}{ending}")
}

/// The events and energies of a motion.
pub fn text(w: &mut dyn Write, solved: &Solved) -> fmt::Result {
    let solution = &solved.solution;
    if !solved.heading.title().is_empty() {
        writeln!(w, "{}", solved.heading)?;
    }
    let counts: Vec<String> = solved
        .kinds()
        .iter()
        // Where there are impacts, a touch of a soft stop is one of them.
        .filter(|k| **k != EventKind::Touch || !solved.has_impacts())
        .map(|k| counted(solution.count(*k), k.name()))
        .collect();
    let end = solution.span().1;
    writeln!(w, "{}, 0 to {} s: {}", solved.scheme, short(end), counts.join(", "))?;
    if let Some(chosen) = &solved.chosen {
        writeln!(w, "({chosen})")?;
    }
    writeln!(w)?;
    let mut heads = vec![("t", "s"), ("x", "m"), ("v", "m/s")];
    heads.extend(solved.has_impacts().then_some(("impulse", "N·s")));
    if solved.solution.planar().is_some() || solved.solution.isolated().is_some() {
        heads = vec![("t", "s"), ("x", "m"), ("y", "m"), ("vx", "m/s"), ("vy", "m/s")];
    }
    let head =
        |(name, unit): &(&str, &'static str)| format!("{name} [{}]", solved.heading.unit(unit));
    let heads: String = heads.iter().map(|h| format!(" {:>20}", head(h))).collect();
    writeln!(w, "{:<9}{heads}", "event")?;
    events(w, solved)?;
    states(w, solved)?;
    energies(w, solved)
}

fn row(w: &mut dyn Write, what: &str, numbers: &[f64], remark: &str) -> fmt::Result {
    let cells: String = numbers.iter().map(|n| format!(" {:>20}", readable(*n, 12))).collect();
    writeln!(w, "{}", format!("{what:<9}{cells}   {remark}").trim_end())
}

/// The first ones, and whatever is not one impact more.
fn events(w: &mut dyn Write, solved: &Solved) -> fmt::Result {
    let places = solved.solution.places();
    let shown =
        |i: usize, e: &Event| i < MOST_IMPACTS || (e.kind != EventKind::Impact && i < MOST_LINES);
    let mut skipped = 0;
    for (i, e) in solved.solution.events.iter().enumerate() {
        if !shown(i, e) {
            skipped += 1;
            continue;
        }
        if skipped > 0 {
            row(w, "…", &[], &format!("{skipped} more"))?;
            skipped = 0;
        }
        let numbers = [e.time, e.x, e.v, e.impulse];
        let place = places.get(e.place).map_or("", String::as_str);
        if let Some([y, vy]) = across(&solved.solution, e) {
            row(w, e.kind.name(), &[e.time, e.x, y, e.v, vy], place)?;
            continue;
        }
        row(w, e.kind.name(), if solved.has_impacts() { &numbers } else { &numbers[..3] }, place)?;
    }
    match skipped {
        0 => Ok(()),
        n => row(w, "…", &[], &format!("{n} more; the table of events has them all")),
    }
}

/// The last state of the mass, or of every node.
fn states(w: &mut dyn Write, solved: &Solved) -> fmt::Result {
    let last = solved.last();
    let end = solved.solution.span().1;
    if let Model::Isolated(slab) = &solved.problem.model {
        return bodies(w, slab, &last, end);
    }
    let Some(network) = solved.problem.model.network_in() else {
        let phase = phase(solved).map(|p| format!("({p})")).unwrap_or_default();
        if solved.solution.planar().is_some() {
            return row(w, "end", &[end, last[0], last[1], last[2], last[3]], &phase);
        }
        return row(w, "end", &[end, last[0], last[1]], &phase);
    };
    writeln!(w, "\nat {} s", short(end))?;
    for (n, s) in network.nodes().iter().zip(last.chunks_exact(2)) {
        let [x, v] = [s[0], s[1]].map(|value| readable(value, 12));
        writeln!(w, "  {:<16} x {x:>20}  v {v:>20}", n.name)?;
    }
    Ok(())
}

/// The last places of a slab, its floors and its isolators.
fn bodies(w: &mut dyn Write, slab: &Isolated, last: &[f64], end: f64) -> fmt::Result {
    writeln!(w, "\nat {} s", short(end))?;
    let names = std::iter::once("slab").chain(slab.floors.iter().map(|f| &*f.name));
    for (name, u) in names.zip(last.chunks_exact(6)) {
        let [x, y, turn] = [u[0], u[1], u[2]].map(|value| readable(value, 12));
        writeln!(w, "  {name:<16} x {x:>20}  y {y:>20}  theta {turn:>20}")?;
    }
    let from = 6 * (1 + slab.floors.len());
    for (isolator, u) in slab.isolators.iter().zip(last[from..].chunks_exact(4)) {
        let [x, y] = [u[0], u[1]].map(|value| readable(value, 12));
        writeln!(w, "  {:<16} x {x:>20}  y {y:>20}", isolator.name)?;
    }
    Ok(())
}

fn energies(w: &mut dyn Write, solved: &Solved) -> fmt::Result {
    let e = solved.solution.energy();
    writeln!(w, "\nenergy [J]")?;
    let stops = if matches!(solved.problem.model, Model::Impact(_)) {
        "lost at the walls"
    } else {
        "lost at the stops"
    };
    let model = &solved.problem.model;
    let network = solved.solution.network().is_some();
    let friction = !matches!(model, Model::Impact(_));
    let [work, elastic] = meanings(model);
    let terms = [
        (work, e.work, true),
        ("kinetic", e.kinetic, true),
        (elastic, e.elastic, true),
        ("lost to dry friction", e.friction, friction),
        ("lost in dampers", e.viscous, !matches!(model, Model::Cascade(_))),
        (stops, e.impacts, solved.has_impacts()),
        ("lost in jumps of nodes", e.jumps, network),
        ("defect", e.defect(), true),
    ];
    for (name, value, _) in terms.into_iter().filter(|t| t.2) {
        writeln!(w, "  {name:<28} {:>20}", readable(value, 12))?;
    }
    Ok(())
}
