//! Statistics of an ensemble: tables, figures, a table and the
//! summary. Where the model has several points or contacts their names stand in the columns.

mod figures;
mod spectrum;
mod tables;
mod text;

use crate::ensemble::partial::SomePaths;
use crate::partial;
use crate::product::{Lazy, Product, printed};
use serde_json::{Value, json};
use std::sync::Arc;
use stickslip::State;
use stickslip::study::ensemble::{Contact, Distribution, Durations};

/// Everything that an ensemble leaves.
///
/// `quantiles` are written beside the usual ones; `states` by paths, then points.
pub fn product(
    partial: SomePaths,
    quantiles: Vec<f64>,
    summary: Value,
    states: Vec<State>,
) -> Product {
    let partial = Arc::new(partial);
    let make = |of: fn(&SomePaths) -> String| {
        let partial = partial.clone();
        move || of(&partial)
    };
    let text = Lazy::new(make(|p| printed(|w| text::text(w, p))));
    let mut product = Product::new(summary, text)
        .table(tables::rows(&partial, quantiles))
        .figure("ensemble", make(figures::rows))
        .figure("histogram", make(figures::histograms))
        .document("partial", make(partial::written));
    if partial.ensemble.contacts.iter().any(|c| c.slip_steps.count() > 0) {
        product = product
            .table(tables::durations(&partial))
            .figure("durations", make(figures::durations));
    }
    if let Some(s) = &partial.spectrum {
        let heading = partial.heading();
        let shown = s.clone();
        product = product
            .table(spectrum::table(s))
            .figure("spectrum", move || spectrum::figure(&heading, &shown));
    }
    if !states.is_empty() {
        product = product.table(tables::finals(&partial, states));
    }
    partial.heading().units_of(product)
}

/// The keys of the summary beside the head.
pub fn summary(partial: &SomePaths) -> Value {
    let e = &partial.ensemble;
    let paths: Vec<_> = e.paths().iter().map(|r| [r.start, r.end]).collect();
    let last = partial.times.len() - 1;
    let mut all = json!({
        "paths": e.count(),
        "path_ranges": paths,
        "counts": { "steps": partial.steps, "path_steps": e.count() as f64 * partial.steps as f64 },
        "dissipated": of(&e.dissipated),
        "exact_law": law(partial).map(|distance| json!({
            "law": "Karatzas–Shreve", "kolmogorov_smirnov": distance,
            "by_chance_in_one_of_a_hundred": stickslip::study::inclusion::chance_distance(e.count() as usize),
        })),
    });
    let end = partial.times[last];
    let ends = |p: &stickslip::study::ensemble::Point| json!({ "t": end, "x": of(&p.rows[last].x), "v": of(&p.rows[last].v) });
    let mut put = |key: &str, value: Value| {
        if let Some(all) = all.as_object_mut() {
            all.insert(key.to_owned(), value);
        }
    };
    if let ([point], [contact]) = (e.points.as_slice(), e.contacts.as_slice()) {
        let mut history = named(contact, partial.step());
        history["first_passage"] = of(&point.passage);
        let mut end = ends(point);
        end["stick_fraction"] = number(contact.stick_fraction(last));
        put("history", history);
        put("end", end);
        return all;
    }
    let points = e
        .points
        .iter()
        .map(|p| (p.name.clone(), json!({ "end": ends(p), "first_passage": of(&p.passage) })));
    put("points", points.collect());
    let contacts = e.contacts.iter().map(|c| {
        let mut history = named(c, partial.step());
        history["stick_fraction_at_the_end"] = number(c.stick_fraction(last));
        (c.name.clone(), history)
    });
    put("contacts", contacts.collect());
    all
}

fn of(d: &Distribution) -> Value {
    json!({
        "count": d.count(), "mean": number(d.mean()), "variance": number(d.variance()),
        "min": number(d.range().0), "max": number(d.range().1),
        "p05": number(d.quantile(0.05)), "p50": number(d.quantile(0.5)), "p95": number(d.quantile(0.95)),
    })
}

/// Of whole steps, in s.
fn of_steps(d: &Durations, step: f64) -> Value {
    // Of no steps nothing is known.
    let number = |steps: f64| if d.count() > 0 { number(steps * step) } else { Value::Null };
    let (low, high) = d.range();
    let q = |p: f64| number(d.quantile(p));
    json!({
        "count": d.count(), "mean": number(d.mean()),
        "variance": number(d.variance() * step),
        "min": number(low as f64), "max": number(high as f64),
        "p05": q(0.05), "p50": q(0.5), "p95": q(0.95),
    })
}

fn named(c: &Contact, step: f64) -> Value {
    let mut all: Value =
        distributions(c).into_iter().map(|(name, _, d)| (name.to_owned(), of(d))).collect();
    all["slip_duration"] = of_steps(&c.slip_steps, step);
    all
}

fn number(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

/// What is kept of a contact: key, name for people, numbers.
fn distributions(c: &Contact) -> [(&'static str, &'static str, &Distribution); 5] {
    [
        ("stick_share", "share of time in stick", &c.stick_share),
        ("slips", "slips", &c.slips),
        ("largest_slip", "largest slip [m]", &c.largest_slip),
        ("slid", "length slid [m]", &c.slid),
        ("dissipated", "lost to dry friction [J]", &c.dissipated),
    ]
}

/// `x` and `v` of a column, with the point's name where it has one.
pub fn label(what: &str, name: &str) -> (String, String) {
    if name.is_empty() {
        (what.to_owned(), String::new())
    } else {
        (format!("{what}_{name}"), format!(" of {name}"))
    }
}

/// Distance of the velocities at the end to the closed-form law, where there is one.
fn law(partial: &SomePaths) -> Option<f64> {
    let inclusion = partial.inclusion?;
    let t = *partial.times.last()?;
    let v = &partial.ensemble.points.first()?.rows.last()?.v;
    Some(v.distance(|z| inclusion.distribution(t, z)))
}
