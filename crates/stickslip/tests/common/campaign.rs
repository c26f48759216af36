//! Random problems by the million: in parts, on every core, to be stopped and gone on with.
//!
//! A test solves a few. With `STICKSLIP_CAMPAIGN=FOLDER` it goes on from the state that `FOLDER/NAME.txt` keeps, up to
//! `STICKSLIP_PROBLEMS` problems in all: a problem is its number, so anybody may continue where another has ended.
//! `STICKSLIP_FROM` is the number of the first (else 0). One alone, number 17: `STICKSLIP_FROM=17 STICKSLIP_PROBLEMS=18`.
//!
//! A problem that fails does not end the others: each is told when it fails, and all of them at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use stickslip::study::parallel;

/// So many problems at a time, and so many of them to a thread.
const PART: u64 = 10_000;
const SHARE: u64 = 100;

/// Sums and largest values over all problems.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    sums: BTreeMap<String, u64>,
    worst: BTreeMap<String, (f64, u64)>,
    failed: BTreeSet<u64>,
}

impl Tally {
    /// Counts `n` more of something.
    pub fn add(&mut self, what: &str, n: usize) {
        *self.sums.entry(what.to_owned()).or_default() += n as u64;
    }

    /// Keeps the largest value, and the problem it belongs to.
    pub fn worst(&mut self, what: &str, value: f64, seed: u64) {
        let kept = self.worst.entry(what.to_owned()).or_insert((value, seed));
        if value > kept.0 {
            *kept = (value, seed);
        }
    }

    /// How many there were of something.
    pub fn sum(&self, what: &str) -> u64 {
        self.sums.get(what).copied().unwrap_or(0)
    }

    /// The largest value that was kept; 0 where there is none.
    pub fn largest(&self, what: &str) -> f64 {
        self.worst.get(what).map_or(0.0, |w| w.0)
    }

    fn merge(&mut self, other: &Self) {
        for (what, n) in &other.sums {
            *self.sums.entry(what.clone()).or_default() += n;
        }
        other.worst.iter().for_each(|(what, w)| self.worst(what, w.0, w.1));
        self.failed.extend(&other.failed);
    }

    /// Does one problem. What it had counted before it failed stays counted.
    fn attempt(&mut self, seed: u64, one: impl Fn(u64, &mut Self)) {
        if catch_unwind(AssertUnwindSafe(|| one(seed, self))).is_err() {
            self.failed.insert(seed);
        }
    }

    fn write(&self, done: u64) -> String {
        let sums = self.sums.iter().map(|(what, n)| format!("sum {n} {what}\n"));
        let worst =
            self.worst.iter().map(|(what, (x, seed))| format!("worst {x:e} {seed} {what}\n"));
        let failed = self.failed.iter().map(|seed| format!("failed {seed}\n"));
        format!("done {done}\n") + &sums.chain(worst).chain(failed).collect::<String>()
    }

    fn read(text: &str) -> (Self, u64) {
        let (mut tally, mut done) = (Self::default(), 0);
        for line in text.lines() {
            let fields: Vec<&str> = line.splitn(4, ' ').collect();
            match fields[..] {
                ["done", n] => done = n.parse().unwrap(),
                ["failed", seed] => _ = tally.failed.insert(seed.parse().unwrap()),
                ["worst", x, seed, what] => {
                    tally.worst(what, x.parse().unwrap(), seed.parse().unwrap())
                }
                ["sum", n, ..] => {
                    tally.sums.insert(fields[2..].join(" "), n.parse().unwrap());
                }
                _ => panic!("`{line}` is no line of a campaign's state"),
            }
        }
        (tally, done)
    }
}

/// Does `one` of the problems 0, 1, …: `usual` of them, or a campaign. Prints what was found.
///
/// # Panics
/// After all of them, if one has failed.
pub fn campaign(name: &str, usual: u64, one: impl Fn(u64, &mut Tally) + Sync) -> Tally {
    let file = std::env::var_os("STICKSLIP_CAMPAIGN")
        .map(|f| PathBuf::from(f).join(format!("{name}.txt")));
    let kept = file.as_ref().and_then(|f| std::fs::read_to_string(f).ok());
    let (mut tally, mut done) = match kept {
        Some(text) => Tally::read(&text),
        None => (Tally::default(), super::first_problem()),
    };
    let until = super::problems(usual);
    while done < until {
        let next = (done + PART).min(until);
        let shares = (done..next).step_by(SHARE as usize).collect();
        let found = parallel::over(shares, |from: u64| {
            let mut tally = Tally::default();
            (from..(from + SHARE).min(next)).for_each(|seed| tally.attempt(seed, &one));
            tally
        });
        found.iter().for_each(|t| tally.merge(t));
        done = next;
        if let Some(file) = &file {
            let part = file.with_extension("part");
            std::fs::write(&part, tally.write(done)).unwrap();
            std::fs::rename(part, file).unwrap();
        }
    }
    println!("{name}\n{}", tally.write(done));
    assert!(tally.failed.is_empty(), "{name}: failed at {:?}", tally.failed);
    tally
}

#[test]
fn a_state_is_read_as_it_was_written() {
    let mut tally = Tally::default();
    tally.add("events", 3);
    tally.add("events of a kind", 4);
    tally.worst("defect of the energy", 1.25e-13, 7);
    tally.worst("defect of the energy", 1e-14, 8);
    tally.attempt(9, |_, tally| {
        tally.add("events", 1);
        panic!("a problem of a test that fails on purpose");
    });
    tally.attempt(10, |_, tally| tally.add("events", 1));
    assert_eq!(Tally::read(&tally.write(10)), (tally.clone(), 10));
    assert_eq!((tally.sum("events"), tally.failed.iter().collect()), (5, vec![&9]));
    assert_eq!(tally.sum("events of a kind"), 4);
}
