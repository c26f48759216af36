//! What the motion of a network becomes.

use super::cell;
use super::slips::picture;
use crate::commands::simulate::network::Solved;
use crate::file::{Rows, Schemes};
use crate::number::exact;
use serde_json::{Value, json};
use std::io::{self, Write};
use stickslip::scheme::network::{NetworkArc, NetworkPath, NetworkRun};
use stickslip::{EventKind, Network};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// Writes one file.
pub type Export = fn(&mut dyn Write, &Solved) -> io::Result<()>;

/// Curves that can be told apart in one panel.
const CURVES: usize = 6;

/// Times of the rows: equally spaced, or every step.
fn times(path: &NetworkPath, rows: Rows) -> Vec<f64> {
    let (start, end) = path.span();
    match (rows, path.segments().first().map(|s| &s.arc)) {
        (Rows::Steps, Some(NetworkArc::Steps(grid))) => {
            (0..=grid.steps()).map(|n| (n as f64 * grid.step).min(end)).collect()
        }
        (Rows::Count(count), _) => {
            let last = count.saturating_sub(1).max(1) as f64;
            (0..count).map(|k| start + (end - start) * (k as f64 / last)).collect()
        }
        // Without steps: every arc.
        _ => path.segments().iter().map(|s| s.start).chain([end]).collect(),
    }
}

/// `trajectory.csv`: `t`, then `x_NAME,v_NAME` per node, `friction_NAME` per slider.
pub fn trajectory(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    write!(w, "t")?;
    for n in s.network.nodes() {
        write!(w, ",{},{}", cell("x_", &n.name), cell("v_", &n.name))?;
    }
    for e in s.network.sliders() {
        write!(w, ",{}", cell("friction_", &e.name))?;
    }
    writeln!(w)?;
    for t in times(&s.path, s.model.run.rows) {
        let u = s.path.state(t);
        write!(w, "{}", exact(t))?;
        for (x, v) in u.x.iter().zip(&u.v) {
            write!(w, ",{},{}", exact(*x), exact(*v))?;
        }
        u.friction.iter().try_for_each(|f| write!(w, ",{}", exact(*f)))?;
        writeln!(w)?;
    }
    Ok(())
}

/// `events.csv`: `event,t,x,v,where`; x and v are those of the slider's first end against its second.
pub fn events(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    writeln!(w, "event,t,x,v,where")?;
    for e in s.path.events() {
        let name = cell("", &s.network.sliders()[e.place].name);
        writeln!(w, "{},{},{},{},{name}", e.kind, exact(e.time), exact(e.x), exact(e.v))?;
    }
    Ok(())
}

fn count(path: &NetworkPath, kind: EventKind) -> usize {
    path.events().iter().filter(|e| e.kind == kind).count()
}

/// Counts, energies and the last state.
pub fn summary(network: &Network, path: &NetworkPath, run: &NetworkRun) -> Value {
    let end = path.span().1;
    let last = path.state(end);
    let nodes: serde_json::Map<String, Value> = network
        .nodes()
        .iter()
        .zip(last.x.iter().zip(&last.v))
        .map(|(n, (x, v))| (n.name.clone(), json!({ "x": x, "v": v })))
        .collect();
    json!({
        "counts": {
            "steps": run.counts.steps,
            "segments": path.segments().len(),
            "iterations": run.counts.iterations,
            "inexact_steps": run.counts.inexact,
            "worst_residual": run.counts.worst_residual,
            "events": {
                "total": path.events().len(),
                "slip": count(path, EventKind::Slip),
                "stick": count(path, EventKind::Stick),
                "reversal": count(path, EventKind::Reversal),
            },
        },
        "energy": {
            "unit": "J",
            "work": run.energy.work,
            "kinetic": run.energy.kinetic,
            "elastic": run.energy.elastic,
            "friction": run.energy.friction,
            "viscous": run.energy.viscous,
            "jumps": run.energy.jumps,
            "defect": run.energy.defect(),
        },
        "remarks": network.remarks().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "end_state": { "t": end, "nodes": nodes },
    })
}

/// The events and energies, for people.
pub fn text(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    if let Some(title) = &s.model.title {
        writeln!(w, "{title}")?;
    }
    let (scheme, end) = (s.model.run.scheme.name(), s.model.run.end.value);
    let of = |kind| count(&s.path, kind);
    writeln!(
        w,
        "{scheme}, 0 to {end:?} s: {} slip, {} stick, {} reversal\n",
        of(EventKind::Slip),
        of(EventKind::Stick),
        of(EventKind::Reversal)
    )?;
    writeln!(w, "{:<9} {:>16} {:>22} {:>22}  where", "event", "t [s]", "x [m]", "v [m/s]")?;
    for e in s.path.events() {
        let name = &s.network.sliders()[e.place].name;
        writeln!(w, "{:<9} {:>16.9} {:>22.14e} {:>22.14e}  {name}", e.kind, e.time, e.x, e.v)?;
    }
    let last = s.path.state(end);
    writeln!(w, "\nat {end:?} s")?;
    for (n, (x, v)) in s.network.nodes().iter().zip(last.x.iter().zip(&last.v)) {
        writeln!(w, "  {:<16} x {x:>22.14e}  v {v:>22.14e}", n.name)?;
    }
    let e = s.run.energy;
    writeln!(w, "\nenergy [J]")?;
    let terms = [
        ("work of forces and motions", e.work),
        ("kinetic", e.kinetic),
        ("elastic", e.elastic),
        ("lost to dry friction", e.friction),
        ("lost in dashpots", e.viscous),
        ("lost in jumps of nodes", e.jumps),
        ("defect of the scheme", e.defect()),
    ];
    terms.iter().try_for_each(|(name, value)| writeln!(w, "  {name:<28} {value:>18.10e}"))
}

/// How many of `n` are drawn, the first ones, if not all.
fn first(n: usize, what: &str) -> String {
    if n > CURVES { format!(", {CURVES} of {n} {what}") } else { String::new() }
}

fn figure(s: &Solved, what: &str) -> Figure<'static> {
    Figure::new().title(s.model.title.clone().unwrap_or_default()).describe(what)
}

/// Displacements and velocities of the first nodes against time.
pub fn motion(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    let rows = times(&s.path, Rows::Count(2001));
    let states: Vec<_> = rows.iter().map(|t| s.path.state(*t)).collect();
    let axis = || Axis::linear("time t", "s");
    let of = first(s.network.nodes().len(), "nodes");
    let mut x = Panel::new(axis(), Axis::linear(format!("displacement x{of}"), "m"));
    let mut v = Panel::new(axis(), Axis::linear(format!("velocity v{of}"), "m/s"));
    for (i, n) in s.network.nodes().iter().enumerate().take(CURVES) {
        let style = || Style::new(Ink::series(i)).width(1.4).label(n.name.clone());
        x = x.line(rows.clone(), states.iter().map(|u| u.x[i]).collect::<Vec<_>>(), style());
        v = v.line(rows.clone(), states.iter().map(|u| u.v[i]).collect::<Vec<_>>(), style());
    }
    let figure = figure(s, "Displacements and velocities against time").stack([x, v]);
    w.write_all(figure.to_svg().as_bytes())
}

/// Friction of the first sliders against the displacement across them.
pub fn loops(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    let rows = times(&s.path, Rows::Count(4001));
    let states: Vec<_> = rows.iter().map(|t| s.path.state(*t)).collect();
    let of = first(s.network.sliders().len(), "sliders");
    let mut panel = Panel::new(
        Axis::linear(format!("displacement across the slider{of}"), "m"),
        Axis::linear("force in the slider", "N"),
    )
    .height(420.0);
    for (i, e) in s.network.sliders().iter().enumerate().take(CURVES) {
        let at = |x: &[f64], end: Option<usize>| end.map_or(0.0, |i| x[i]);
        let across: Vec<f64> =
            states.iter().map(|u| at(&u.x, e.between[0]) - at(&u.x, e.between[1])).collect();
        let force: Vec<f64> = states.iter().map(|u| 0.0 - u.friction[i]).collect();
        panel =
            panel.line(across, force, Style::new(Ink::series(i)).width(1.4).label(e.name.clone()));
    }
    w.write_all(figure(s, "Loops of the sliders").panel(panel).to_svg().as_bytes())
}

/// Which slider slips when, and which way: +1, −1.
pub fn slips(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    let slips = s.path.segments().iter().flat_map(|s| {
        let slipping = s.phase.iter().enumerate().filter(|e| *e.1 != 0);
        slipping.map(|(e, sign)| (e..e + 1, *sign, s.start, s.end))
    });
    let sliders = s.network.sliders();
    let name = |e: usize| sliders[e].name.clone();
    let panel = picture("slider", sliders.len(), name, s.path.span(), slips);
    w.write_all(figure(s, "Slipping sliders in time").panel(panel).to_svg().as_bytes())
}
