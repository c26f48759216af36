//! What the set and its scores look like to people and machines.

use crate::ours;
use crate::results::Results;
use crate::score::{Counts, Score, score};
use crate::set::{CASES, Case, find};
use serde_json::{Value, json};
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip_file::Result;
use stickslip_run::{Cell, Column, Context, Lazy, Named, Product, Table, each_of};

/// The list of all cases.
///
/// # Errors
/// None as long as the certified numbers are those of the generator.
pub fn list() -> Result<Product> {
    let certified = CASES.iter().map(Case::certified).collect::<Result<Vec<_>>>()?;
    let one = |c: &crate::Certified| {
        json!({
            "case": c.case, "grade": c.grade.name(), "title": c.title, "unique": c.unique,
            "events": c.events.len(), "states": c.states.len(), "digits": c.unique.then_some(c.digits),
        })
    };
    let summary = Value::Array(certified.iter().map(one).collect());
    let mut text = String::new();
    for c in &certified {
        // A string never refuses.
        let _ = writeln!(text, "{:<22} {:<12} {}", c.case, c.grade.name(), c.title);
    }
    let columns = ["case", "grade", "title", "unique", "events", "states"];
    let columns = columns.map(|name| Column::new(name, "")).to_vec();
    let table = Table::new("reference", columns, move |rows| {
        for c in &certified {
            rows(&[
                c.case.as_str().into(),
                c.grade.name().into(),
                c.title.as_str().into(),
                usize::from(c.unique).into(),
                c.events.len().into(),
                c.states.len().into(),
            ])?;
        }
        Ok(())
    });
    Ok(Product::new(summary, Lazy::ready(text)).table(table))
}

/// One case: its statement as the text, its certified numbers as the summary, and its three files.
///
/// # Errors
/// If there is no such case.
pub fn show(name: &str) -> Result<Product> {
    let case = find(name)?;
    case.certified()?;
    let summary = serde_json::from_str(case.json).unwrap_or_default();
    let mut product = Product::new(summary, Lazy::ready(case.statement));
    let file = |name: &str, text: &str| Named { name: name.to_owned(), content: Lazy::ready(text) };
    product.texts.push(file("model.toml", case.model));
    product.texts.push(file("statement.md", case.statement));
    product.texts.push(file("certified.json", case.json));
    Ok(product)
}

/// The score of a table of results.
///
/// # Errors
/// If there is no such case.
pub fn of_results(name: &str, results: &Results, seconds: Option<f64>) -> Result<Product> {
    let one = score(&find(name)?.certified()?, results, seconds);
    let summary = serde_json::to_value(&one).unwrap_or_default();
    Ok(scored(summary, vec![one]))
}

/// The scores of our own solutions: of the case `name`, or of all.
///
/// # Errors
/// If there is no such case.
pub fn of_ourselves(name: Option<&str>, context: &Context<'_>) -> Result<Product> {
    let cases = match name {
        Some(name) => vec![*find(name)?],
        None => CASES.to_vec(),
    };
    let (done, total) = (AtomicU64::new(0), cases.len() as u64);
    let scores = each_of(cases, |case| {
        let one = own(&case, context);
        (context.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, total);
        one
    })?;
    let summary = serde_json::to_value(&scores).unwrap_or_default();
    Ok(scored(summary, scores))
}

/// The score of our own solution of a case.
///
/// # Errors
/// None as long as the certified numbers are those of the generator.
pub fn own(case: &Case, context: &Context<'_>) -> Result<Score> {
    let certified = case.certified()?;
    Ok(match ours::results(case, context) {
        Ok((mut results, seconds)) => {
            ours::differentiate(case, &certified, &mut results);
            score(&certified, &results, Some(seconds))
        }
        Err(e) => Score::failed(&certified, e.message().to_owned()),
    })
}

fn scored(summary: Value, scores: Vec<Score>) -> Product {
    let text = Lazy::ready(text(&scores));
    Product::new(summary, text).table(table(scores))
}

fn text(scores: &[Score]) -> String {
    let mut out = String::new();
    // A string never refuses.
    let _ = lines(&mut out, scores);
    out
}

fn lines(out: &mut String, scores: &[Score]) -> fmt::Result {
    writeln!(
        out,
        "{:<22} {:<12} {:>6} {:>6} {:>6} {:>6} {:>8} {:>9} {:>9} {:>9}",
        "case",
        "grade",
        "digits",
        "times",
        "states",
        "deriv.",
        "missed",
        "invented",
        "creep",
        "energy"
    )?;
    let digits = |d: Option<f64>| d.map_or("–".to_owned(), |d| format!("{d:.1}"));
    for s in scores {
        write!(out, "{:<22} {:<12} ", s.case, s.grade.name())?;
        match (s.counts, &s.error) {
            (_, Some(e)) => writeln!(out, "no results: {e}")?,
            (Counts::Report, None) => {
                let said = if s.reported == Some(true) { "reported" } else { "not reported" };
                writeln!(out, "{said}")?;
            }
            (Counts::Law, None) => match s.probability {
                Some(p) => writeln!(out, "law: probability {p:.3}")?,
                None => writeln!(out, "law: too few samples")?,
            },
            (Counts::Motion, None) => writeln!(
                out,
                "{:>6} {:>6} {:>6} {:>6} {:>8} {:>9} {:>9.1e} {:>9.1e}",
                digits(s.digits),
                digits(s.digits_times),
                digits(s.digits_states),
                digits(s.digits_derivatives),
                s.missed,
                s.invented,
                s.creep,
                s.energy
            )?,
        }
    }
    for s in scores.iter().filter(|s| s.error.is_none() && s.states_missing > 0) {
        let n = s.states_missing;
        let were = if n == 1 { "state was" } else { "states were" };
        writeln!(out, "{}: {n} certified {were} not given", s.case)?;
    }
    for s in scores.iter().filter(|s| s.derivatives_missing > 0) {
        let n = s.derivatives_missing;
        let were = if n == 1 { "derivative was" } else { "derivatives were" };
        writeln!(out, "{}: {n} certified {were} not given", s.case)?;
    }
    Ok(())
}

fn table(scores: Vec<Score>) -> Table {
    let columns = [
        ("case", ""),
        ("grade", ""),
        ("unique", ""),
        ("digits", ""),
        ("digits_times", ""),
        ("digits_states", ""),
        ("missed", ""),
        ("invented", ""),
        ("states_missing", ""),
        ("digits_derivatives", ""),
        ("derivatives_missing", ""),
        ("creep", "m/s"),
        ("energy", ""),
        ("reported", ""),
        ("probability", ""),
        ("seconds", "s"),
    ];
    let columns = columns.map(|(name, unit)| Column::new(name, unit)).to_vec();
    Table::new("score", columns, move |rows| {
        for s in &scores {
            rows(&[
                s.case.as_str().into(),
                s.grade.name().into(),
                usize::from(s.unique).into(),
                s.digits.into(),
                s.digits_times.into(),
                s.digits_states.into(),
                s.missed.into(),
                s.invented.into(),
                s.states_missing.into(),
                s.digits_derivatives.into(),
                s.derivatives_missing.into(),
                s.creep.into(),
                s.energy.into(),
                s.reported.map_or(Cell::Empty, |r| usize::from(r).into()),
                s.probability.into(),
                s.seconds.into(),
            ])?;
        }
        Ok(())
    })
}
