//! A motion between walls: rows, events, summary and a table for people.

use crate::file::{ImpactModel, Rows, Schemes};
use crate::number::{exact, readable};
use serde_json::{Value, json};
use std::io::{self, Write};
use stickslip::{EventKind, Impact, ImpactArc, ImpactPath, Motion, State, Wall};

/// More events than a person reads.
const MOST_LINES: usize = 60;

/// Times and states of the rows: equally spaced, or every step (event-driven: every event).
fn sample(path: &ImpactPath, rows: Rows) -> Vec<(f64, State)> {
    if let Rows::Count(count) = rows {
        return path.sample(count).map(|(t, u, _)| (t, u)).collect();
    }
    let end = path.span().1;
    if let Some(ImpactArc::Steps(steps)) = path.segments().first().map(|s| &s.arc) {
        let grid = &steps.grid;
        let row = |(n, u): (usize, &State)| ((n as f64 * grid.step).min(end), *u);
        return grid.states.iter().enumerate().map(row).collect();
    }
    let starts = path.segments().iter().map(|s| (s.start, s.arc.state(s.start)));
    starts.chain([(end, path.state(end))]).collect()
}

/// `trajectory.csv`: `t,x,v,impulse`, the impulse of the walls since the row before, N·s.
pub fn trajectory(w: &mut dyn Write, path: &ImpactPath, rows: Rows) -> io::Result<()> {
    writeln!(w, "t,x,v,impulse")?;
    let mut before = f64::NEG_INFINITY;
    for (t, State { x, v }) in sample(path, rows) {
        let impulse = path.impulse(before, t) + 0.0;
        writeln!(w, "{},{},{},{}", exact(t), exact(x), exact(v), exact(impulse))?;
        before = t;
    }
    Ok(())
}

/// `events.csv`: `event,t,x,v,where,before,impulse`.
pub fn events(w: &mut dyn Write, path: &ImpactPath) -> io::Result<()> {
    writeln!(w, "event,t,x,v,where,before,impulse")?;
    for e in path.events() {
        let [t, x, v, before, impulse] = [e.time, e.x, e.v, e.before, e.impulse].map(exact);
        writeln!(w, "{},{t},{x},{v},{},{before},{impulse}", e.kind, Wall::ALL[e.place].name())?;
    }
    Ok(())
}

fn count(path: &ImpactPath, kind: EventKind) -> usize {
    path.events().iter().filter(|e| e.kind == kind).count()
}

/// Counts, the energy audit, the impulse in all and the last state.
pub fn summary(path: &ImpactPath, impact: &Impact) -> Value {
    let end = path.span().1;
    let (last, e) = (path.state(end), path.energy(impact));
    json!({
        "counts": {
            "segments": path.segments().len(),
            "events": {
                "total": path.events().len(),
                "impact": count(path, EventKind::Impact),
                "rest": count(path, EventKind::Rest),
                "release": count(path, EventKind::Release),
                "touch": count(path, EventKind::Touch),
            },
        },
        "impulse": path.impulse(f64::NEG_INFINITY, end),
        "energy": {
            "unit": "J",
            "work": e.work,
            "walls": 0.0 - e.impacts,
            "kinetic": e.kinetic,
            "elastic": e.elastic,
            "viscous": e.viscous,
            "defect": e.defect(),
            "relative_defect": e.relative_defect(),
        },
        "end_state": { "t": end, "x": last.x, "v": last.v, "phase": path.phase(end).name() },
    })
}

/// The events and energies, for people.
pub fn text(
    w: &mut dyn Write,
    model: &ImpactModel,
    impact: &Impact,
    path: &ImpactPath,
) -> io::Result<()> {
    if let Some(title) = &model.title {
        writeln!(w, "{title}")?;
    }
    let end = path.span().1;
    let (scheme, of) = (model.run.scheme.name(), |kind| count(path, kind));
    writeln!(
        w,
        "{scheme}, 0 to {end:?} s: {} impact, {} rest, {} release\n",
        of(EventKind::Impact),
        of(EventKind::Rest),
        of(EventKind::Release)
    )?;
    let heads = ["t [s]", "x [m]", "v [m/s]", "impulse [N·s]"].map(|h| format!("{h:>20}"));
    writeln!(w, "{:<9}{}", "event", heads.concat())?;
    let mut row = |what: &str, numbers: &[f64], remark: &str| {
        let cells: String = numbers.iter().map(|n| format!("{:>20}", readable(*n, 12))).collect();
        writeln!(w, "{}", format!("{what:<9}{cells}   {remark}").trim_end())
    };
    let events = path.events();
    // The first ones, and whatever is not one impact more.
    let shown =
        |i: usize| i < MOST_LINES || events[i].kind != EventKind::Impact && i < 20 * MOST_LINES;
    let mut skipped = 0;
    for (i, e) in events.iter().enumerate() {
        if shown(i) {
            if skipped > 0 {
                row("…", &[], &format!("{skipped} more"))?;
                skipped = 0;
            }
            row(e.kind.name(), &[e.time, e.x, e.v, e.impulse], Wall::ALL[e.place].name())?;
        } else {
            skipped += 1;
        }
    }
    if skipped > 0 {
        row("…", &[], &format!("{skipped} more, all in events.csv with --out"))?;
    }
    let (last, phase) = (path.state(end), path.phase(end));
    row("end", &[end, last.x, last.v], &format!("({phase})"))?;
    let e = path.energy(impact);
    writeln!(w, "\nenergy [J]")?;
    let terms = [
        ("work of the force", e.work),
        ("work of the walls", 0.0 - e.impacts),
        ("kinetic", e.kinetic),
        ("elastic", e.elastic),
        ("lost in the damper", e.viscous),
        ("defect", e.defect()),
    ];
    for (name, value) in terms {
        writeln!(w, "  {name:<24} {:>20}", readable(value, 12))?;
    }
    Ok(())
}
