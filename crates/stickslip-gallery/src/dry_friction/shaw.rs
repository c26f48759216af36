//! Fig. 1.

use super::super::verdict::Tolerance::{Absolute, AtMost, Equal, Relative};
use super::Work;
use crate::work::Given;
use std::f64::consts::PI;
use stickslip::scheme::oscillator::euler;
use stickslip::{Event, EventKind, Oscillator, Trajectory};
use stickslip_file::Result;
use stickslip_report::html::{Table, number};
use stickslip_run::Heading;
use stickslip_run::export::motion::oscillator as figures;

const MODEL: &str = include_str!("../../models/shaw.toml");

/// Events by 30-digit arithmetic, independent code: (kind, t, x).
const EVENTS: [(EventKind, f64, f64); 10] = [
    (EventKind::Slip, 1.28700221758656877, 6.0),
    (EventKind::Reversal, 6.42517019752096936, -9.74381267516092767),
    (EventKind::Stick, 12.2766918440973609, 6.3410547599469783),
    (EventKind::Slip, 13.6497355133912649, 6.3410547599469783),
    (EventKind::Reversal, 18.9313318141685687, -9.54628126776264921),
    (EventKind::Stick, 24.9918279578736896, 6.47694929115717113),
    (EventKind::Slip, 26.1247483298220846, 6.47694929115717113),
    (EventKind::Reversal, 31.4751618172631567, -9.45419585125020538),
    (EventKind::Stick, 37.6057535033426014, 6.55690498309035501),
    (EventKind::Slip, 38.6335801197006449, 6.55690498309035501),
];

pub fn run(w: &mut Work) -> Result<()> {
    let shaw = w.oscillator("shaw.toml", MODEL)?;
    let o = &shaw.model;
    let path = shaw.path(o)?;
    w.svg("shaw.svg", "Displacement, velocity and forces; stick phases shaded. Named as in the paper: τ_{j} begins a stick, τ_{j+1/2} a slip, τ_{j}^{k} a sub-phase.", figures::motion(&Heading::new(shaw.title(), false), o, &path));

    let events = path.events();
    let mut table = Table::new(["event", "t [s]", "t by 30 digits [s]", "x [m]"]);
    for (e, known) in events.iter().zip(EVENTS) {
        let [t, u, x] = [e.time, known.1, e.x].map(|v| number(v, 15));
        table = table.row([e.kind.name().to_owned(), t, u, x]);
    }
    w.table(table);

    let first = events.first().map_or(f64::NAN, |e| e.time);
    // 6 cos(t/2) = 6 − f_s
    w.verdict(
        "τ_{1/2}, the first slip, s",
        (2.0 * 0.8f64.acos(), "closed form: 2 arccos 0.8"),
        first,
        Relative(1e-13),
    );
    against_digits(w, events);
    let defect = path.energy(o).relative_defect();
    w.verdict(
        "work − stored − dissipated, of the turnover",
        (1e-13, "energy balance"),
        defect,
        AtMost,
    );

    stepping(w, &shaw, &path)?;
    period(w, events);
    w.deviation(
        "Bensoussan et al. 2021, Fig. 1",
        "starts at an x(0) that is not given; one dynamic phase between two static ones",
        "x(0) = 6; each dynamic phase has two sub-phases, there and back",
        "the start is free; the sub-phases follow from it and from f_{s}, by two independent computations",
    );
    w.command("stickslip simulate gallery/shaw.toml --out shaw");
    Ok(())
}

/// The scheme of the paper against the exact motion.
fn stepping(w: &mut Work, shaw: &Given<Oscillator>, path: &Trajectory) -> Result<()> {
    let h = shaw.step()?;
    let steps = euler::solve(&shaw.model, shaw.end(), h)?;
    let apart = path
        .sample(4001)
        .zip(steps.sample(4001))
        .map(|((_, a, _), (_, b, _))| (a.x - b.x).hypot(a.v - b.v))
        .fold(0.0, f64::max);
    w.verdict(
        format!("Euler scheme of the paper, h = {h} s: distance from the exact path"),
        (60.0 * h, "order 1: a multiple of h"),
        apart,
        AtMost,
    );
    Ok(())
}

/// The forced motion repeats with the drive, 4π.
fn period(w: &mut Work, events: &[Event]) {
    let slips: Vec<f64> =
        events.iter().filter(|e| e.kind == EventKind::Slip).map(|e| e.time).collect();
    if let [.., before, last] = slips[..] {
        w.verdict(
            "time from slip to slip, s",
            (4.0 * PI, "period of the drive"),
            last - before,
            Absolute(0.2),
        );
    }
}

/// Every event beside 30-digit arithmetic.
fn against_digits(w: &mut Work, events: &[Event]) {
    let same = events.iter().zip(EVENTS).filter(|(e, k)| e.kind == k.0).count();
    w.verdict("events of the right kind", (10.0, "30-digit arithmetic"), same as f64, Equal);
    w.verdict("events in all", (10.0, "30-digit arithmetic"), events.len() as f64, Equal);
    let worst = |of: &dyn Fn(usize) -> f64| (0..events.len().min(10)).map(of).fold(0.0, f64::max);
    let in_time = worst(&|i| (events[i].time / EVENTS[i].1 - 1.0).abs());
    w.verdict(
        "largest relative error of an instant τ",
        (1e-13, "30-digit arithmetic"),
        in_time,
        AtMost,
    );
    let in_place = worst(&|i| (events[i].x / EVENTS[i].2 - 1.0).abs());
    w.verdict(
        "largest relative error of a place x(τ)",
        (1e-13, "30-digit arithmetic"),
        in_place,
        AtMost,
    );
}
