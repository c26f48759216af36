//! `stickslip reproduce`: every figure and table of the papers, each with a verdict in numbers.
//!
//! An [`Item`] is a function that fills a [`Work`]: model files (read as users' files are), figures,
//! tables, and verdicts that set computed numbers beside those of the paper, of a closed form, or of
//! another scheme. To add one, write a file beside its seed's others and a line in its `ITEMS`.

mod cascades;
mod dry_friction;
mod ill_posed;
mod inclusion;
mod measured;
mod misprints;
mod twin;
mod verdict;
mod work;

pub use misprints::MISPRINTS;
pub use verdict::number;
pub use work::{Deviation, Outcome};

use super::Job;
use crate::args::Reproduce;
use crate::export::{Product, gallery};
use crate::fault::Result;
use crate::screen;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};
use work::Work;

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
    /// Does it.
    run: fn(&mut Work) -> Result<()>,
}

/// The items of one paper.
#[derive(Debug, Clone, Copy)]
pub struct Seed {
    /// What users call all of them.
    pub name: &'static str,
    /// Who wrote what.
    pub title: &'static str,
    /// They.
    pub items: &'static [Item],
}

/// All papers, and what lies beyond them.
pub const SEEDS: [Seed; 5] = [
    Seed {
        name: "000",
        title: "Bensoussan, Brouste, Cartiaux, Mathey, Mertz (2021): dynamical system with dry friction",
        items: &dry_friction::ITEMS,
    },
    Seed {
        name: "002",
        title: "Schatzman, Lamarque, Bastien (1999): an ill-posed mechanical problem with friction",
        items: &ill_posed::ITEMS,
    },
    Seed {
        name: "003",
        title: "Bastien, Bernardin, Lamarque (2013): non-smooth deterministic or stochastic discrete systems, chapter 1",
        items: &inclusion::ITEMS,
    },
    Seed {
        name: "004",
        title: "Bastien, Lamarque: a system with a cascade of non-smooth constitutive terms",
        items: &cascades::ITEMS,
    },
    Seed {
        name: "measured",
        title: "Beyond the papers: measured records",
        items: &measured::ITEMS,
    },
];

/// Every name that `stickslip reproduce` takes, and what it stands for.
pub fn names() -> Vec<(&'static str, String)> {
    let mut all = vec![("all", "everything below".to_owned())];
    for seed in SEEDS {
        all.push((seed.name, seed.title.to_owned()));
        all.extend(seed.items.iter().map(|i| (i.name, format!("{}: {}", i.place, flat(i.title)))));
    }
    all
}

/// Subscripts as a terminal shows them: f_d for `f_{d}`.
pub fn flat(text: &str) -> String {
    text.replace("_{", "_").replace("^{", "^").replace('}', "")
}

/// Items to be made.
pub struct Gallery {
    name: String,
    data: Option<PathBuf>,
}

/// Items that have been made, by seed.
pub struct Made {
    /// What was asked for.
    pub name: String,
    /// Seeds with their items and what they left.
    pub seeds: Vec<(Seed, Vec<(Item, Outcome)>)>,
    /// All of it, s.
    pub seconds: f64,
}

/// Looks for measured data.
pub fn read(args: &Reproduce) -> Gallery {
    let named = std::env::var_os("STICKSLIP_DATA").filter(|v| !v.is_empty()).map(PathBuf::from);
    let data = named.unwrap_or_else(|| PathBuf::from("../shared/data"));
    Gallery { name: args.name.clone(), data: data.is_dir().then_some(data) }
}

impl Gallery {
    fn wants(&self, seed: &Seed, item: &Item) -> bool {
        [item.name, seed.name, "all"].contains(&self.name.as_str())
    }

    fn make(&self) -> Made {
        let clock = Instant::now();
        let wanted: Vec<(Seed, Item)> = SEEDS
            .into_iter()
            .flat_map(|s| s.items.iter().map(move |i| (s, *i)))
            .filter(|(s, i)| self.wants(s, i))
            .collect();
        let (done, total) = (AtomicU64::new(0), wanted.len() as u64);
        screen::advance(0, total);
        let one = |(_, item): &(Seed, Item)| {
            let outcome = make(item, self.data.clone());
            screen::advance(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            outcome
        };
        let outcomes: Vec<Outcome> = wanted.par_iter().with_max_len(1).map(one).collect();
        let mut seeds: Vec<(Seed, Vec<(Item, Outcome)>)> = Vec::new();
        for ((seed, item), outcome) in wanted.into_iter().zip(outcomes) {
            match seeds.last_mut().filter(|s| s.0.name == seed.name) {
                Some((_, items)) => items.push((item, outcome)),
                None => seeds.push((seed, vec![(item, outcome)])),
            }
        }
        Made { name: self.name.clone(), seeds, seconds: clock.elapsed().as_secs_f64() }
    }
}

/// Runs one item. What it cannot do is a verdict too: one that differs.
fn make(item: &Item, data: Option<PathBuf>) -> Outcome {
    let clock = Instant::now();
    let mut work = Work::new(data);
    if let Err(fault) = (item.run)(&mut work) {
        let what = format!("could not be finished: {fault}");
        work.verdict(what, (0.0, "no error"), 1.0, verdict::Tolerance::Equal);
    }
    let mut outcome = work.outcome;
    outcome.seconds = clock.elapsed().as_secs_f64();
    outcome
}

impl Job for Gallery {
    fn title(&self) -> &'static str {
        "reproducing"
    }

    fn inputs(&self) -> &[PathBuf] {
        &[]
    }

    fn warnings(&self) -> &[String] {
        &[]
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        Ok(gallery::product(self.make()))
    }
}

/// Curves against each other on logarithmic axes, (label, x, y), told apart by their markers too.
fn double_logarithmic(x: Axis, y: Axis, curves: &[(&str, &[f64], &[f64])]) -> Figure<'static> {
    let markers = [Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross, Marker::Plus];
    let mut panel = Panel::new(x, y).height(260.0);
    for (i, (label, x, y)) in curves.iter().enumerate() {
        let style = Style::new(Ink::series(i));
        panel = panel.line(x.to_vec(), y.to_vec(), style.clone()).points(
            x.to_vec(),
            y.to_vec(),
            style.label(*label).marker(markers[i % markers.len()]).size(8.0),
        );
    }
    Figure::new().describe(curves.iter().map(|c| c.0).collect::<Vec<_>>().join(", ")).panel(panel)
}

#[cfg(test)]
mod tests;
