//! The CSV files of an ensemble.

use super::label;
use crate::export::cell;
use crate::export::partial::Partial;
use crate::number::exact;
use std::io::{self, Write};
use stickslip::State;

/// `ensemble.csv`: moments and quantiles against time, more quantiles if asked for.
pub fn rows(w: &mut dyn Write, partial: &Partial, more: &[f64]) -> io::Result<()> {
    let e = &partial.ensemble;
    let mut header = vec!["t".to_owned()];
    for p in &e.points {
        let (x, v) = (label("x", &p.name).0, label("v", &p.name).0);
        header.extend([format!("mean_{x}"), format!("var_{x}")]);
        header.extend([format!("mean_{v}"), format!("var_{v}")]);
        header.extend(["p05", "p50", "p95"].map(|q| format!("{q}_{x}")));
    }
    header.extend(e.contacts.iter().map(|c| label("stick_fraction", &c.name).0));
    for p in &e.points {
        let v = label("v", &p.name).0;
        header.extend(["p05", "p50", "p95"].map(|q| format!("{q}_{v}")));
    }
    for p in &e.points {
        for name in ["x", "v"].map(|u| label(u, &p.name).0) {
            header.extend(more.iter().map(|p| format!("{}_{name}", percent(*p))));
        }
    }
    writeln!(w, "{}", header.iter().map(|h| cell("", h)).collect::<Vec<_>>().join(","))?;
    let usual = [0.05, 0.5, 0.95];
    for (r, t) in partial.times.iter().enumerate() {
        let mut cells = vec![*t];
        for p in &e.points {
            let (x, v) = (&p.rows[r].x, &p.rows[r].v);
            cells.extend([x.mean(), x.variance(), v.mean(), v.variance()]);
            cells.extend(usual.map(|p| x.quantile(p)));
        }
        cells.extend(e.contacts.iter().map(|c| c.stick_fraction(r)));
        for p in &e.points {
            cells.extend(usual.map(|q| p.rows[r].v.quantile(q)));
        }
        for p in &e.points {
            for d in [&p.rows[r].x, &p.rows[r].v] {
                cells.extend(more.iter().map(|q| d.quantile(*q)));
            }
        }
        writeln!(w, "{}", cells.into_iter().map(exact).collect::<Vec<_>>().join(","))?;
    }
    Ok(())
}

/// p01 for 0.01, p99.9 for 0.999.
fn percent(share: f64) -> String {
    // A share has a few decimals: what multiplying by 100 adds beyond them is rounding.
    let percent = (share * 1e14).round() / 1e12;
    if percent < 10.0 { format!("p0{percent}") } else { format!("p{percent}") }
}

/// `durations.csv`: how many single slips lasted from … to (less than) so long, s.
pub fn durations(w: &mut dyn Write, partial: &Partial) -> io::Result<()> {
    let (e, step) = (&partial.ensemble, partial.step());
    let several = e.contacts.len() > 1;
    writeln!(w, "{}from,to,count", if several { "contact," } else { "" })?;
    for c in &e.contacts {
        for (from, to, count) in c.slip_steps.histogram() {
            if several {
                write!(w, "{},", cell("", &c.name))?;
            }
            writeln!(w, "{},{},{count}", exact(from as f64 * step), exact(to as f64 * step))?;
        }
    }
    Ok(())
}

/// `final.csv`: every path at the end.
pub fn finals(w: &mut dyn Write, partial: &Partial, states: &[State]) -> io::Result<()> {
    let points = &partial.ensemble.points;
    let first = partial.ensemble.paths().first().map_or(0, |r| r.start);
    write!(w, "path")?;
    for p in points {
        let [x, v] = ["x", "v"].map(|u| cell("", &label(u, &p.name).0));
        write!(w, ",{x},{v}")?;
    }
    writeln!(w)?;
    for (path, states) in (first..).zip(states.chunks(points.len())) {
        write!(w, "{path}")?;
        for s in states {
            write!(w, ",{},{}", exact(s.x), exact(s.v))?;
        }
        writeln!(w)?;
    }
    Ok(())
}
