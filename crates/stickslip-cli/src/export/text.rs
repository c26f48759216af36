//! Tables for people.

use super::summary::count;
use crate::file::{Model, Schemes};
use crate::number::readable;
use std::io::{self, Write};
use stickslip::study::convergence::Row;
use stickslip::{EventKind, Oscillator, Trajectory};

fn heading(w: &mut dyn Write, model: &Model) -> io::Result<()> {
    match &model.title {
        Some(title) => writeln!(w, "{title}"),
        None => Ok(()),
    }
}

/// The events of a motion and its energies.
pub fn simulation(
    w: &mut dyn Write,
    model: &Model,
    oscillator: &Oscillator,
    path: &Trajectory,
) -> io::Result<()> {
    heading(w, model)?;
    let of = |kind| count(path, kind);
    writeln!(
        w,
        "{}, 0 to {:?} s: {} slip, {} stick, {} reversal{}\n",
        model.run.scheme.name(),
        model.run.end.value,
        of(EventKind::Slip),
        of(EventKind::Stick),
        of(EventKind::Reversal),
        oscillator.stops.map_or(String::new(), |_| format!(", {} impact", of(EventKind::Impact))),
    )?;
    let end = path.span().1;
    writeln!(w, "{:<9} {:>20} {:>20} {:>20}", "event", "t [s]", "x [m]", "v [m/s]")?;
    let mut row = |what: &str, t: f64, x: f64, v: f64, remark: &str| {
        let [t, x, v] = [t, x, v].map(|value| readable(value, 12));
        writeln!(w, "{}", format!("{what:<9} {t:>20} {x:>20} {v:>20}   {remark}").trim_end())
    };
    for e in path.events() {
        let remark = if e.kind == EventKind::Impact {
            format!("impulse {} N·s", readable(e.impulse, 6))
        } else {
            String::new()
        };
        row(e.kind.name(), e.time, e.x, e.v, &remark)?;
    }
    let (last, phase) = (path.state(end), path.phase(end));
    row("end", end, last.x, last.v, &format!("({phase})"))?;
    let e = path.energy(oscillator);
    writeln!(w, "\nenergy [J]")?;
    let terms = [
        ("work of drive and force", e.work),
        ("kinetic", e.kinetic),
        ("elastic", e.elastic),
        ("lost to dry friction", e.friction),
        ("lost in the damper", e.viscous),
        ("lost at the stops", e.impacts),
        ("defect", e.defect()),
    ];
    let shown = |name: &str| oscillator.stops.is_some() || name != "lost at the stops";
    for (name, value) in terms.into_iter().filter(|t| shown(t.0)) {
        writeln!(w, "  {name:<24} {:>20}", readable(value, 12))?;
    }
    Ok(())
}

/// The table of steps, errors and orders.
pub fn convergence(
    w: &mut dyn Write,
    (title, end): (Option<&str>, f64),
    what: &str,
    rows: &[Row],
) -> io::Result<()> {
    title.map_or(Ok(()), |title| writeln!(w, "{title}"))?;
    writeln!(w, "{what}, 0 to {end:?} s\n")?;
    writeln!(w, "{:>20} {:>14} {:>10} {:>10}", "h [s]", "error", "ratio", "order")?;
    let cell = |x: Option<f64>| x.map(|x| format!("{x:.4}")).unwrap_or_default();
    for r in rows {
        writeln!(w, "{:>20} {:>14.6e} {:>10} {:>10}", r.h, r.error, cell(r.ratio), cell(r.order))?;
    }
    Ok(())
}
