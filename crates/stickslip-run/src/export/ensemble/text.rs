//! An ensemble for people.

use super::{distributions, law};
use crate::ensemble::partial::SomePaths;
use crate::number::readable;
use std::fmt::{self, Write};
use stickslip::study::ensemble::{Contact, Distribution, Point};

/// Rows and histories.
pub fn text(w: &mut dyn Write, partial: &SomePaths) -> fmt::Result {
    let e = &partial.ensemble;
    if !partial.heading().title().is_empty() {
        writeln!(w, "{}", partial.heading())?;
    }
    let ranges: Vec<String> = e.paths().iter().map(|r| format!("{}..{}", r.start, r.end)).collect();
    writeln!(
        w,
        "{} paths ({}) of seed {}, {} steps each",
        e.count(),
        ranges.join(", "),
        partial.seed,
        partial.steps
    )?;
    // A score of rows for one point, few for each of many.
    let most = (20 / e.points.len().max(1)).max(2);
    for point in &e.points {
        rows(w, partial, point, most)?;
    }
    for contact in &e.contacts {
        history(w, partial, contact)?;
    }
    if e.contacts.len() > 1 {
        writeln!(w)?;
        line(w, "lost to all of them [J]", &e.dissipated, e.count())?;
    }
    for point in e.points.iter().filter(|p| p.passage.count() > 0) {
        let whose = super::label("", &point.name).1;
        line(w, &format!("first passage{whose} [s]"), &point.passage, e.count())?;
    }
    if let Some(distance) = law(partial) {
        writeln!(
            w,
            "\nvelocity against its exact law: Kolmogorov–Smirnov distance {}",
            readable(distance, 5)
        )?;
    }
    Ok(())
}

fn rows(w: &mut dyn Write, partial: &SomePaths, point: &Point, most: usize) -> fmt::Result {
    let e = &partial.ensemble;
    writeln!(w)?;
    if !point.name.is_empty() {
        writeln!(w, "{}", point.name)?;
    }
    // Who sticks is told beside the only point; of many contacts, with their histories.
    let stick = (e.points.len() == 1 && e.contacts.len() == 1).then(|| &e.contacts[0]);
    let [unit, rate] = ["m", "m/s"].map(|u| partial.heading().unit(u));
    let x = format!("mean x [{unit}]");
    let v = format!("sd v [{rate}]");
    let mut cells = vec!["t [s]", &x, "sd x", "5 %", "50 %", "95 %", &v];
    cells.extend(stick.map(|_| "stick"));
    let line = cells.iter().map(|c| format!("{c:>12}")).collect::<Vec<_>>();
    writeln!(w, "{}", line.join(" "))?;
    let every = (point.rows.len() - 1).div_ceil(most).max(1);
    for (i, (t, r)) in partial.times.iter().zip(&point.rows).enumerate() {
        if i % every != 0 && i + 1 != point.rows.len() {
            continue;
        }
        let q = |p: f64| r.x.quantile(p);
        let sd_x = r.x.variance().sqrt();
        let sd_v = r.v.variance().sqrt();
        let mut values = vec![*t, r.x.mean(), sd_x, q(0.05), q(0.5), q(0.95), sd_v];
        values.extend(stick.map(|c| c.stick_fraction(i)));
        let line = values.iter().map(|v| format!("{:>12}", readable(*v, 5))).collect::<Vec<_>>();
        writeln!(w, "{}", line.join(" "))?;
    }
    Ok(())
}

fn history(w: &mut dyn Write, partial: &SomePaths, c: &Contact) -> fmt::Result {
    let what = match c.name.as_str() {
        "" => "over a whole path".to_owned(),
        name => format!("contact {name}"),
    };
    writeln!(w, "\n{what:<28} {:>12} {:>12} {:>12} {:>12}", "mean", "sd", "least", "greatest")?;
    for (_, name, d) in distributions(c) {
        let unit = format!("[{}]", partial.heading().unit("m"));
        line(w, &name.replace("[m]", &unit), d, partial.ensemble.count())?;
    }
    let d = &c.slip_steps;
    let step = partial.step();
    if d.count() > 0 {
        let (low, high) = d.range();
        let values = [d.mean(), d.variance().sqrt(), low as f64, high as f64];
        let cells = values.map(|n| format!("{:>12}", readable(n * step, 5))).join(" ");
        writeln!(w, "{:<28} {cells}  ({} slips)", "duration of a slip [s]", d.count())?;
    }
    Ok(())
}

/// Mean, spread and extremes over those of `all` paths that have it.
fn line(w: &mut dyn Write, name: &str, d: &Distribution, all: u64) -> fmt::Result {
    let values = [d.mean(), d.variance().sqrt(), d.range().0, d.range().1];
    let cell = |v: f64| if v.is_nan() { "none".to_owned() } else { readable(v, 5) };
    let cells = values.map(|v| format!("{:>12}", cell(v))).join(" ");
    let of = if d.count() < all { format!("  ({} paths)", d.count()) } else { String::new() };
    writeln!(w, "{name:<28} {cells}{of}")
}
