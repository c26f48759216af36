//! How often intervals hold the truth.

use stickslip_calibrate::Estimate;
use stickslip_calibrate::models::ModelFit;

/// What a fit said of one number, and the true one.
#[derive(Debug)]
pub struct Number {
    /// What it is.
    pub name: String,
    /// The true one.
    pub truth: f64,
    /// What was found.
    pub found: Estimate,
}

/// One record, fitted.
#[derive(Debug, Default)]
pub struct Record {
    /// What was sought; nothing where there was no fit.
    pub numbers: Vec<Number>,
    /// Whether nothing spoke against the numbers.
    pub believed: bool,
    /// A verdict that is wrong although nothing spoke against it.
    pub misjudged: bool,
    /// What is left, and what the truth leaves.
    pub left: [f64; 2],
}

impl Record {
    /// From a fit of a model.
    pub fn of(names: &[&str], truth: &[f64], found: Option<&ModelFit>, left: f64) -> Self {
        let Some(found) = found else { return Self::default() };
        let all = names.iter().zip(truth).zip(&found.parameters);
        let one = |((name, truth), n): ((&&str, &f64), &stickslip_calibrate::models::Named)| {
            Number { name: (*name).to_owned(), truth: *truth, found: n.estimate.clone() }
        };
        Self {
            numbers: all.map(one).collect(),
            believed: found.plausible,
            misjudged: false,
            left: [found.rmse, left],
        }
    }
}

/// Intervals of one number that were given, and those that hold the truth.
#[derive(Debug, Clone, Default)]
struct Count {
    name: String,
    given: usize,
    inside: usize,
    /// Σ of squared errors in standard errors, cut off at ten.
    squares: f64,
}

/// The records of one kind.
#[derive(Debug)]
pub struct Kind {
    name: &'static str,
    counts: Vec<Count>,
    records: usize,
    doubted: usize,
    none: usize,
    wrong: usize,
}

/// How many half-widths of its interval the truth lies beside it, and by what share of itself, where a fit is wrong.
const FAR: (f64, f64) = (2.5, 0.02);

impl Kind {
    /// Counts the records of these seeds; `shown`: names every interval that misses the truth.
    pub fn count(
        name: &'static str,
        seeds: std::ops::Range<u64>,
        shown: bool,
        record: impl Fn(u64) -> Record,
    ) -> Self {
        let mut kind = Self { name, counts: Vec::new(), records: 0, doubted: 0, none: 0, wrong: 0 };
        for seed in seeds {
            let found = record(seed);
            kind.records += 1;
            if found.numbers.is_empty() {
                kind.none += 1;
                continue;
            }
            let far = found
                .numbers
                .iter()
                .enumerate()
                .filter(|(k, n)| kind.add(*k, n, seed, &found, shown));
            let far = far.count() > 0 || found.misjudged;
            kind.doubted += usize::from(!found.believed);
            if far {
                println!("{name} {seed} is far off; believed: {}", found.believed);
                kind.wrong += usize::from(found.believed);
            }
        }
        kind
    }

    /// Counts one number; whether it is far from the truth.
    fn add(&mut self, k: usize, n: &Number, seed: u64, record: &Record, shown: bool) -> bool {
        if self.counts.len() <= k {
            self.counts.push(Count { name: n.name.clone(), ..Count::default() });
        }
        let e = &n.found;
        let (Some(value), Some([low, high])) = (e.value, e.ci95) else { return false };
        self.counts[k].given += 1;
        let holds = (low..=high).contains(&n.truth);
        self.counts[k].inside += usize::from(holds);
        let error = e.stderr.unwrap_or(f64::INFINITY).max(f64::MIN_POSITIVE);
        self.counts[k].squares += ((value - n.truth) / error).clamp(-10.0, 10.0).powi(2);
        if !holds && shown {
            println!(
                "{} {seed}: {} {value:.5}, {low:.5} to {high:.5}, truth {:.5}; {:.4e} left, {:.4e} with the truth; believed: {}",
                self.name, n.name, n.truth, record.left[0], record.left[1], record.believed
            );
        }
        let half = 0.5 * (high - low);
        let off = (value - n.truth).abs();
        off > FAR.0 * half && off > FAR.1 * n.truth.abs()
    }
}

/// All kinds, as a table.
pub fn print(kinds: &[Kind]) {
    println!(
        "\n| record | number | intervals that hold the truth | given | records | rms error / standard error |\n|---|---|---|---|---|---|"
    );
    for kind in kinds {
        for c in &kind.counts {
            let share = 100.0 * c.inside as f64 / c.given.max(1) as f64;
            println!(
                "| {} | {} | {} ({share:.0} %) | {} | {} | {:.2} |",
                kind.name,
                c.name,
                c.inside,
                c.given,
                kind.records,
                (c.squares / c.given.max(1) as f64).sqrt()
            );
        }
    }
    println!(
        "\n| record | wrong and believed | doubted | without a fit | records |\n|---|---|---|---|---|"
    );
    for k in kinds {
        println!("| {} | {} | {} | {} | {} |", k.name, k.wrong, k.doubted, k.none, k.records);
    }
}
