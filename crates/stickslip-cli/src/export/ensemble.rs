//! Statistics of an ensemble: `ensemble.csv`, `final.csv`, figures, a table and the summary.

use super::partial::Partial;
use super::{Product, Writer, spectrum};
use crate::number::{exact, readable};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::rc::Rc;
use stickslip::State;
use stickslip::study::ensemble::{Distribution, History, Row};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

const HEADER: &str =
    "t,mean_x,var_x,mean_v,var_v,p05_x,p50_x,p95_x,stick_fraction,p05_v,p50_v,p95_v";
/// Bins of a drawn histogram: so many of those kept make one.
const TOGETHER: usize = 32;

/// Everything that is delivered of an ensemble.
///
/// `quantiles` are written beside the usual ones.
pub fn product(
    partial: Partial,
    quantiles: Vec<f64>,
    summary: Value,
    remarks: Vec<String>,
    states: Vec<State>,
) -> Product {
    let partial = Rc::new(partial);
    let export = |write: fn(&mut dyn Write, &Partial) -> io::Result<()>| -> Writer {
        let partial = partial.clone();
        Box::new(move |w| write(w, &partial))
    };
    let rows_of = partial.clone();
    let mut files: Vec<(&str, Writer)> = vec![
        ("ensemble.csv", Box::new(move |w| table(w, &rows_of, &quantiles))),
        ("ensemble.svg", export(rows)),
        ("histogram.svg", export(histograms)),
        ("partial.json", export(|w, p| p.write(w))),
    ];
    if partial.spectrum.is_some() {
        files.push((
            "spectrum.csv",
            export(|w, p| p.spectrum.iter().try_for_each(|s| spectrum::table(w, s))),
        ));
        files.push((
            "spectrum.svg",
            export(|w, p| p.spectrum.iter().try_for_each(|s| spectrum::figure(w, &p.title, s))),
        ));
    }
    if !states.is_empty() {
        let first = partial.ensemble.paths().first().map_or(0, |r| r.start);
        files.push(("final.csv", Box::new(move |w| finals(w, first, &states))));
    }
    Product { remarks, summary, files, text: export(text) }
}

/// The keys of `summary.json` beside the head.
pub fn summary(partial: &Partial) -> Value {
    let e = &partial.ensemble;
    let of = |d: &Distribution| {
        json!({
            "count": d.count(), "mean": number(d.mean()), "variance": number(d.variance()),
            "min": number(d.range().0), "max": number(d.range().1),
            "p05": number(d.quantile(0.05)), "p50": number(d.quantile(0.5)), "p95": number(d.quantile(0.95)),
        })
    };
    let named = |h: &History| -> Value {
        names(h).into_iter().map(|(name, _, d)| (name.to_owned(), of(d))).collect()
    };
    let paths: Vec<_> = e.paths().iter().map(|r| [r.start, r.end]).collect();
    let last = &e.rows[e.rows.len() - 1];
    json!({
        "paths": e.count(),
        "path_ranges": paths,
        "counts": { "steps": partial.steps, "path_steps": e.count() as f64 * partial.steps as f64 },
        "history": named(&e.history),
        "end": { "t": partial.times[partial.times.len() - 1], "x": of(&last.x), "v": of(&last.v),
                 "stick_fraction": number(last.stick_fraction()) },
        "exact_law": law(partial).map(|distance| json!({
            "law": "Karatzas–Shreve", "kolmogorov_smirnov": distance,
            "by_chance_in_one_of_a_hundred": stickslip::study::inclusion::chance_distance(e.count() as usize),
        })),
    })
}

fn number(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

fn names(h: &History) -> [(&'static str, &'static str, &Distribution); 7] {
    [
        ("stick_share", "share of time in stick", &h.stick_share),
        ("slips", "slips", &h.slips),
        ("slip_duration", "mean duration of a slip [s]", &h.slip_duration),
        ("largest_slip", "largest slip [m]", &h.largest_slip),
        ("slid", "length slid [m]", &h.slid),
        ("dissipated", "lost to dry friction [J]", &h.dissipated),
        ("first_passage", "first passage [s]", &h.passage),
    ]
}

/// Distance of the velocities at the end to the closed-form law, where there is one.
fn law(partial: &Partial) -> Option<f64> {
    let (inclusion, t) = (partial.inclusion?, *partial.times.last()?);
    let v = &partial.ensemble.rows.last()?.v;
    Some(v.distance(|z| inclusion.distribution(t, z)))
}

fn table(w: &mut dyn Write, partial: &Partial, more: &[f64]) -> io::Result<()> {
    write!(w, "{HEADER}")?;
    for name in ["x", "v"] {
        for p in more {
            write!(w, ",{}_{name}", percent(*p))?;
        }
    }
    writeln!(w)?;
    for (t, row) in partial.times.iter().zip(&partial.ensemble.rows) {
        let Row { x, v, .. } = row;
        write!(w, "{}", exact(*t))?;
        let quantiles = |d: &Distribution| [0.05, 0.5, 0.95].map(|p| d.quantile(p));
        let ([a, b, c], [d, e, f]) = (quantiles(x), quantiles(v));
        for value in [x.mean(), x.variance(), v.mean(), v.variance(), a, b, c] {
            write!(w, ",{}", exact(value))?;
        }
        write!(w, ",{}", exact(row.stick_fraction()))?;
        write!(w, ",{},{},{}", exact(d), exact(e), exact(f))?;
        for d in [x, v] {
            for p in more {
                write!(w, ",{}", exact(d.quantile(*p)))?;
            }
        }
        writeln!(w)?;
    }
    Ok(())
}

/// p01 for 0.01, p99.9 for 0.999.
fn percent(share: f64) -> String {
    // A share has a few decimals: what multiplying by 100 adds beyond them is rounding.
    let percent = (share * 1e14).round() / 1e12;
    if percent < 10.0 { format!("p0{percent}") } else { format!("p{percent}") }
}

fn finals(w: &mut dyn Write, first: u64, states: &[State]) -> io::Result<()> {
    writeln!(w, "path,x,v")?;
    for (path, s) in (first..).zip(states) {
        writeln!(w, "{path},{},{}", exact(s.x), exact(s.v))?;
    }
    Ok(())
}

/// Mean, median and the middle nine tenths against time, and how many stick.
fn rows(w: &mut dyn Write, partial: &Partial) -> io::Result<()> {
    let (t, rows) = (&partial.times, &partial.ensemble.rows);
    let column = |f: &dyn Fn(&Row) -> f64| rows.iter().map(f).collect::<Vec<f64>>();
    let panel = |name: &str, unit: &str, of: fn(&Row) -> &Distribution| {
        let quantile = |p: f64| column(&|r| of(r).quantile(p));
        Panel::new(Axis::linear("time", "s").tight(), Axis::linear(name, unit))
            .between(
                t.clone(),
                quantile(0.05),
                quantile(0.95),
                Style::new(Ink::Blue).opacity(0.25).label("5 % to 95 %"),
            )
            .line(t.clone(), quantile(0.5), Style::new(Ink::Blue).label("median"))
            .line(
                t.clone(),
                column(&|r| of(r).mean()),
                Style::new(Ink::Orange).dashed().label("mean"),
            )
    };
    let stick = Panel::new(
        Axis::linear("time", "s").tight(),
        Axis::linear("share that sticks", "").limits(0.0, 1.0),
    )
    .line(t.clone(), column(&Row::stick_fraction), Style::new(Ink::Black))
    .height(140.0);
    let figure = Figure::new()
        .title(partial.title.as_str())
        .describe("Statistics of an ensemble against time")
        .stack([panel("displacement", "m", |r| &r.x), panel("velocity", "m/s", |r| &r.v), stick]);
    w.write_all(figure.to_svg().as_bytes())
}

/// Histograms at the end, beside the exact law where it is known.
fn histograms(w: &mut dyn Write, partial: &Partial) -> io::Result<()> {
    let (Some(last), Some(&end)) = (partial.ensemble.rows.last(), partial.times.last()) else {
        return Ok(());
    };
    let panel = |name: &str, unit: &str, d: &Distribution| {
        let bins = d.histogram(TOGETHER);
        let mut edges: Vec<f64> = bins.iter().map(|b| b.0.0).collect();
        edges.extend(bins.last().map(|b| b.0.1));
        let all = d.count() as f64;
        let density: Vec<f64> = bins
            .iter()
            .map(|&((a, b), n)| if b > a { n as f64 / all / (b - a) } else { 0.0 })
            .collect();
        let y = Axis::linear("density", if unit == "m" { "1/m" } else { "s/m" });
        let bars = Style::new(Ink::Blue).opacity(0.5).label("paths");
        (Panel::new(Axis::linear(name, unit).tight(), y).bars(edges.clone(), density, bars), edges)
    };
    let (x, _) = panel("displacement at the end", "m", &last.x);
    let (mut v, edges) = panel("velocity at the end", "m/s", &last.v);
    if let (Some(inclusion), [first, .., to]) = (partial.inclusion, edges.as_slice()) {
        let z: Vec<f64> = (0..=400).map(|i| first + (to - first) * f64::from(i) / 400.0).collect();
        let exact: Vec<f64> = z.iter().map(|&z| inclusion.density(end, z)).collect();
        v = v.line(z, exact, Style::new(Ink::Orange).label("exact law"));
    }
    let figure = Figure::new()
        .title(partial.title.as_str())
        .describe("Histograms of displacement and velocity at the end")
        .beside([x, v]);
    w.write_all(figure.to_svg().as_bytes())
}

/// Rows and histories for people.
fn text(w: &mut dyn Write, partial: &Partial) -> io::Result<()> {
    let e = &partial.ensemble;
    if !partial.title.is_empty() {
        writeln!(w, "{}", partial.title)?;
    }
    let ranges: Vec<String> = e.paths().iter().map(|r| format!("{}..{}", r.start, r.end)).collect();
    writeln!(
        w,
        "{} paths ({}) of seed {}, {} steps each\n",
        e.count(),
        ranges.join(", "),
        partial.seed,
        partial.steps
    )?;
    let cells = ["t [s]", "mean x [m]", "sd x", "5 %", "50 %", "95 %", "sd v [m/s]", "stick"];
    writeln!(w, "{}", cells.map(|c| format!("{c:>12}")).join(" "))?;
    let every = (e.rows.len() - 1).div_ceil(20).max(1);
    for (i, (t, r)) in partial.times.iter().zip(&e.rows).enumerate() {
        if i % every != 0 && i + 1 != e.rows.len() {
            continue;
        }
        let q = |p: f64| r.x.quantile(p);
        let values = [
            *t,
            r.x.mean(),
            r.x.variance().sqrt(),
            q(0.05),
            q(0.5),
            q(0.95),
            r.v.variance().sqrt(),
            r.stick_fraction(),
        ];
        writeln!(w, "{}", values.map(|v| format!("{:>12}", readable(v, 5))).join(" "))?;
    }
    writeln!(
        w,
        "\n{:<28} {:>12} {:>12} {:>12} {:>12}",
        "over a whole path", "mean", "sd", "least", "greatest"
    )?;
    for (_, name, d) in names(&e.history) {
        if d.count() > 0 {
            let values = [d.mean(), d.variance().sqrt(), d.range().0, d.range().1];
            let cells = values.map(|v| format!("{:>12}", readable(v, 5))).join(" ");
            let of = if d.count() < e.count() {
                format!("  ({} paths)", d.count())
            } else {
                String::new()
            };
            writeln!(w, "{name:<28} {cells}{of}")?;
        }
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
