//! The figures and tables of the papers, each with checks in numbers.
//!
//! An [`Item`] is a function that fills a [`Work`]: model files (read as users' files are), figures,
//! tables, and verdicts that set computed numbers beside those of the paper, of a closed form, or of
//! another scheme. To add one, write a file beside its paper's others and a line in its `ITEMS`.

mod cascades;
mod dry_friction;
mod gallery;
mod ill_posed;
mod inclusion;
mod measured;
mod memory;
mod misprints;
mod steady;
mod twin;
mod verdict;
mod work;

pub use gallery::product;
pub use misprints::MISPRINTS;
pub use verdict::{Tolerance, Verdict, number};
pub use work::{Deviation, Outcome, Picture, Work};

use std::sync::atomic::{AtomicU64, Ordering};
use stickslip_file::{Diagnostic, Reading, Result, did_you_mean};
use stickslip_report::figure::{Axis, Figure, Marker, Panel, Style};
use stickslip_run::{Context, Product, each_of};

/// One figure, table or claim.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// What users call it.
    pub name: &'static str,
    /// Where it stands, for example `Fig. 1`.
    pub place: &'static str,
    /// One line.
    pub title: &'static str,
    /// What the paper shows.
    pub claim: &'static str,
    /// What is computed here.
    pub ours: &'static str,
    /// Runs the item.
    run: fn(&mut Work) -> Result<()>,
}

/// The items of one paper.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    /// What users call all of them.
    pub name: &'static str,
    /// Who wrote what.
    pub title: &'static str,
    /// The items of the paper.
    pub items: &'static [Item],
}

/// All papers, and what lies beyond them.
pub const PAPERS: [Paper; 7] = [
    Paper {
        name: "bensoussan-2021",
        title: "Bensoussan, Brouste, Cartiaux, Mathey, Mertz (2021): dynamical system with dry friction",
        items: &dry_friction::ITEMS,
    },
    Paper {
        name: "schatzman-1999",
        title: "Schatzman, Lamarque, Bastien (1999): an ill-posed mechanical problem with friction",
        items: &ill_posed::ITEMS,
    },
    Paper {
        name: "bastien-2013",
        title: "Bastien, Bernardin, Lamarque (2013): non-smooth deterministic or stochastic discrete systems, chapter 1",
        items: &inclusion::ITEMS,
    },
    Paper {
        name: "bastien-2007",
        title: "Bastien, Lamarque: a system with a cascade of non-smooth constitutive terms",
        items: &cascades::ITEMS,
    },
    Paper {
        name: "steady",
        title: "Steady states: periodic orbits of several papers",
        items: &steady::ITEMS,
    },
    Paper { name: "memory", title: "Beyond the papers: laws with memory", items: &memory::ITEMS },
    Paper {
        name: "measured",
        title: "Beyond the papers: measured records",
        items: &measured::ITEMS,
    },
];

/// Every name that [`make`] takes, and what it stands for.
pub fn names() -> Vec<(&'static str, String)> {
    let mut all = vec![("all", "all items of all papers".to_owned())];
    for paper in PAPERS {
        all.push((paper.name, paper.title.to_owned()));
        all.extend(paper.items.iter().map(|i| (i.name, format!("{}: {}", i.place, flat(i.title)))));
    }
    all
}

/// Subscripts as a terminal shows them: f_d for `f_{d}`.
pub fn flat(text: &str) -> String {
    text.replace("_{", "_").replace("^{", "^").replace('}', "")
}

/// Items that have been made, by paper.
#[derive(Debug)]
pub struct Made {
    /// What was asked for.
    pub name: String,
    /// Papers with their items and what they left.
    pub papers: Vec<(Paper, Vec<(Item, Outcome)>)>,
    /// All of it, s.
    pub seconds: f64,
}

/// Makes the items of `name`: one item, the items of one paper, or `all`. Measured data come from
/// `reading`; items whose data are missing are skipped.
///
/// # Errors
/// If no item has this name.
pub fn make(name: &str, reading: &Reading, context: &Context<'_>) -> Result<Made> {
    let wanted: Vec<(Paper, Item)> = PAPERS
        .into_iter()
        .flat_map(|s| s.items.iter().map(move |i| (s, *i)))
        .filter(|(s, i)| [i.name, s.name, "all"].contains(&name))
        .collect();
    if wanted.is_empty() {
        let known = names();
        let near = did_you_mean(name, known.iter().map(|n| n.0));
        return Err(Diagnostic::command_line(format!("there is no item `{name}`{near}")));
    }
    let done = AtomicU64::new(0);
    let total = wanted.len() as u64;
    (context.progress)(0, total);
    let (outcomes, seconds) = context.timed(|| {
        each_of(wanted.clone(), |(_, item)| {
            let outcome = run(&item, reading, context);
            (context.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            Ok::<_, Diagnostic>(outcome)
        })
    });
    let mut papers: Vec<(Paper, Vec<(Item, Outcome)>)> = Vec::new();
    for ((paper, item), outcome) in wanted.into_iter().zip(outcomes?) {
        match papers.last_mut().filter(|s| s.0.name == paper.name) {
            Some((_, items)) => items.push((item, outcome)),
            None => papers.push((paper, vec![(item, outcome)])),
        }
    }
    Ok(Made { name: name.to_owned(), papers, seconds })
}

/// Makes the items of `name` and returns their figures, files, verdicts and the page that shows them.
///
/// # Errors
/// If no item has this name.
pub fn reproduce(name: &str, reading: &Reading, context: &Context<'_>) -> Result<Product> {
    Ok(product(make(name, reading, context)?))
}

/// Runs one item. What it cannot do is a verdict too: one that differs.
fn run(item: &Item, reading: &Reading, context: &Context<'_>) -> Outcome {
    let mut work = Work::new(reading);
    let (ended, seconds) = context.timed(|| (item.run)(&mut work));
    if let Err(fault) = ended {
        let what = format!("could not be finished: {fault}");
        work.verdict(what, (0.0, "no error"), 1.0, Tolerance::Equal);
    }
    let mut outcome = work.outcome;
    outcome.seconds = seconds;
    outcome
}

/// Curves against each other on logarithmic axes, (label, x, y), told apart by their markers too.
fn double_logarithmic(x: Axis, y: Axis, curves: &[(&str, &[f64], &[f64])]) -> Figure<'static> {
    let markers = [Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross, Marker::Plus];
    let mut panel = Panel::new(x, y).height(260.0);
    for (i, (label, x, y)) in curves.iter().enumerate() {
        let style = Style::series(i);
        // Those that lie under others look out from under them.
        let size = 8.0 + 3.0 * (curves.len() - 1 - i).min(4) as f64;
        panel = panel.line(x.to_vec(), y.to_vec(), style.clone()).points(
            x.to_vec(),
            y.to_vec(),
            style.label(*label).marker(markers[i % markers.len()]).size(size),
        );
    }
    Figure::new().describe(curves.iter().map(|c| c.0).collect::<Vec<_>>().join(", ")).panel(panel)
}

#[cfg(test)]
mod tests;
