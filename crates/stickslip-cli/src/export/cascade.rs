//! What the motion of a cascade becomes.

use super::slips::picture;
use crate::commands::simulate::cascade::Solved;
use crate::file::{Rows, Schemes};
use crate::number::exact;
use serde_json::{Value, json};
use std::io::{self, Write};
use stickslip::scheme::cascade::{CascadeArc, CascadePath, Replay};
use stickslip::{Cascade, EventKind, Motion};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// Writes one file.
pub type Export = fn(&mut dyn Write, &Solved) -> io::Result<()>;

/// Points of a curve: more than a screen has columns.
const POINTS: usize = 4000;

/// Times of the rows: equally spaced, or every step (the ends of the segments where there are none).
fn times(path: &CascadePath, rows: Rows) -> Vec<f64> {
    let (start, end) = path.span();
    if let Rows::Count(count) = rows {
        return path.sample(count).map(|r| r.0).collect();
    }
    if let Some(CascadeArc::Steps(grid)) = path.segments().first().map(|s| &s.arc) {
        return (0..grid.states.len()).map(|n| (n as f64 * grid.step).min(end)).collect();
    }
    std::iter::once(start).chain(path.segments().iter().map(|s| s.end)).collect()
}

/// `trajectory.csv`: `t,x,v,force,w1..wn`.
pub fn trajectory(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    write!(w, "t,x,v,force")?;
    (1..=s.cascade.elements()).try_for_each(|i| write!(w, ",w{i}"))?;
    writeln!(w)?;
    let mut replay = Replay::new(&s.cascade, &s.path);
    for t in times(&s.path, s.model.run.rows) {
        let u = s.path.state(t);
        write!(w, "{},{},{},{}", exact(t), exact(u.x), exact(u.v), exact(u.force))?;
        replay.to(t).pulls().iter().try_for_each(|q| write!(w, ",{}", exact(0.0 - q)))?;
        writeln!(w)?;
    }
    Ok(())
}

/// `events.csv`: `event,t,x,v,where`; where = the element that yields, `mass` for a reversal.
pub fn events(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    writeln!(w, "event,t,x,v,where")?;
    for e in s.path.events() {
        let name = e.kind.name();
        write!(w, "{name},{},{},{},", exact(e.time), exact(e.x), exact(e.v))?;
        match e.kind {
            EventKind::Yield => writeln!(w, "{}", e.place)?,
            _ => writeln!(w, "mass")?,
        }
    }
    Ok(())
}

fn count(path: &CascadePath, kind: EventKind) -> usize {
    path.events().iter().filter(|e| e.kind == kind).count()
}

/// Counts, the energy audit and the last state.
pub fn summary(cascade: &Cascade, path: &CascadePath) -> Value {
    let (end, energy) = (path.span().1, path.energy(cascade));
    let last = path.state(end);
    json!({
        "counts": {
            "segments": path.segments().len(),
            "events": {
                "total": path.events().len(),
                "yield": count(path, EventKind::Yield),
                "reversal": count(path, EventKind::Reversal),
            },
        },
        "energy": {
            "unit": "J",
            "work": energy.work,
            "kinetic": energy.kinetic,
            "elastic": energy.elastic,
            "friction": energy.friction,
            "defect": energy.defect(),
            "relative_defect": energy.relative_defect(),
        },
        "end_state": { "t": end, "x": last.x, "v": last.v, "force": last.force },
    })
}

/// The events and energies, for people.
pub fn text(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    if let Some(title) = &s.model.title {
        writeln!(w, "{title}")?;
    }
    let (scheme, end) = (s.model.run.scheme.name(), s.model.run.end.value);
    let of = |kind| count(&s.path, kind);
    let (yields, turns) = (of(EventKind::Yield), of(EventKind::Reversal));
    writeln!(w, "{scheme}, 0 to {end:?} s: {yields} yield, {turns} reversal\n")?;
    writeln!(w, "{:<9} {:>22} {:>22} {:>22}  where", "event", "t [s]", "x [m]", "v [m/s]")?;
    for e in s.path.events() {
        let place = if e.place > 0 { e.place.to_string() } else { "mass".to_owned() };
        writeln!(
            w,
            "{:<9} {:>22.12} {:>22.14e} {:>22.14e}  {place}",
            e.kind.name(),
            e.time,
            e.x,
            e.v
        )?;
    }
    let last = s.path.state(end);
    writeln!(w, "{:<9} {:>22.12} {:>22.14e} {:>22.14e}", "end", end, last.x, last.v)?;
    let e = s.path.energy(&s.cascade);
    writeln!(w, "\nenergy [J]")?;
    let terms = [
        ("work of the force", e.work),
        ("kinetic", e.kinetic),
        ("elastic", e.elastic),
        ("lost to dry friction", e.friction),
        ("defect", e.defect()),
    ];
    terms.iter().try_for_each(|(name, value)| writeln!(w, "  {name:<24} {value:>18.10e}"))
}

/// t, x, v, force with both sides of every event.
fn curves(path: &CascadePath) -> [Vec<f64>; 4] {
    let (start, end) = path.span();
    let mut out: [Vec<f64>; 4] = Default::default();
    for s in path.segments() {
        let share = ((s.end - s.start) / (end - start) * POINTS as f64).ceil().max(1.0) as usize;
        for i in 0..=share {
            let t = s.start + (s.end - s.start) * (i as f64 / share as f64);
            let u = s.arc.state(t);
            for (column, value) in out.iter_mut().zip([t, u.x, u.v, u.force]) {
                column.push(value);
            }
        }
    }
    out
}

fn figure(s: &Solved, what: &str) -> Figure<'static> {
    Figure::new().title(s.model.title.clone().unwrap_or_default()).describe(what)
}

/// Displacement, velocity and force against time.
pub fn motion(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    let [t, x, v, f] = curves(&s.path);
    let panel = |y: Vec<f64>, label: &'static str, unit: &'static str| {
        Panel::new(Axis::linear("time t", "s"), Axis::linear(label, unit)).line(
            t.clone(),
            y,
            Style::new(Ink::Blue).width(1.4),
        )
    };
    let panels =
        [panel(x, "displacement x", "m"), panel(v, "velocity v", "m/s"), panel(f, "force", "N")];
    let figure = figure(s, "Displacement, velocity and force against time").stack(panels);
    w.write_all(figure.to_svg().as_bytes())
}

/// The hysteresis loops: force against displacement, and the virgin curve.
pub fn loops(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    let [_, x, _, f] = curves(&s.path);
    let most = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let backbone = s.cascade.backbone();
    let inside = backbone.breakpoints().iter().copied().filter(|r| *r < most);
    let mut right: Vec<f64> = std::iter::once(0.0).chain(inside).collect();
    right.push(most);
    let virgin: Vec<f64> =
        right.iter().skip(1).rev().map(|x| -x).chain(right.iter().copied()).collect();
    let forces: Vec<f64> = virgin.iter().map(|x| backbone.value(*x)).collect();
    let panel =
        Panel::new(Axis::linear("displacement x", "m"), Axis::linear("force k₀(x − v₁)", "N"))
            .height(420.0)
            .line(virgin, forces, Style::new(Ink::Grey).dashed().label("first loading"))
            .line(x, f, Style::new(Ink::Blue).width(1.4).label("motion"));
    w.write_all(figure(s, "Force against displacement").panel(panel).to_svg().as_bytes())
}

/// Which element slips when, and which way: +1, −1.
pub fn slips(w: &mut dyn Write, s: &Solved) -> io::Result<()> {
    let slips = s.path.segments().iter().map(|s| {
        let elements = 0..if s.phase.direction == 0 { 0 } else { s.phase.slipping };
        (elements, s.phase.direction, s.start, s.end)
    });
    let name = |i: usize| (i + 1).to_string();
    let panel = picture("element", s.cascade.elements(), name, s.path.span(), slips);
    w.write_all(figure(s, "Slipping elements in time").panel(panel).to_svg().as_bytes())
}
