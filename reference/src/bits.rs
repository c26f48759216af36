//! Digests that tell whether two machines compute the same bits.

use crate::ours;
use crate::set::{CASES, Case, find};
use std::fmt;
use stickslip_file::{Document, Memory, Reading, Result, Sha256};
use stickslip_run::synthetic::WithRecords;
use stickslip_run::{
    Calibrate, Context, Ensemble, Input, Orbit, Product, calibrate, ensemble, orbit, templates,
};

/// Sample paths of each ensemble.
const PATHS: u64 = 500;
/// Templates whose sample paths are computed.
const RANDOM: [&str; 1] = ["ensemble"];
/// Templates whose built-in records are fitted.
const FITTED: [&str; 3] = ["calibrate", "pulled-slider", "rigid-drive"];
/// Cases of which a periodic orbit is sought, with its multipliers.
const PERIODIC: [&str; 2] = ["damped-drive", "shaw"];

/// Digests of the results of fixed computations: every case of the reference set, an ensemble, three calibrations and two
/// orbits. Two builds with the same [`Bits::all`] agree in every bit of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bits {
    /// What was computed, and the SHA-256 of the numbers that came out.
    pub items: Vec<(String, String)>,
}

impl Bits {
    /// The SHA-256 of all items with their names.
    pub fn all(&self) -> String {
        let mut hash = Sha256::default();
        for (name, digest) in &self.items {
            hash.update(format!("{name} {digest}\n").as_bytes());
        }
        hash.hex()
    }
}

impl fmt::Display for Bits {
    /// A line for each item, then one for all of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, digest) in &self.items {
            writeln!(f, "{name:<22} {digest}")?;
        }
        writeln!(f, "{:<22} {}", "all", self.all())
    }
}

/// Carries out the fixed computations and takes the digest of each result.
///
/// # Errors
/// If a computation fails, which it does on no machine that is supported, or is interrupted.
pub fn bits(context: &Context<'_>) -> Result<Bits> {
    let mut items = Vec::new();
    for case in &CASES {
        items.push((case.name.to_owned(), of_case(case, context)?));
    }
    for name in RANDOM {
        let run = |input: &Input<'_>| ensemble(&Ensemble::new(0..PATHS), input, context);
        items.push((format!("paths of {name}"), of_tables(&template(name, run)?)));
    }
    for name in FITTED {
        let run = |input: &Input<'_>| calibrate(&Calibrate::default(), input, context);
        items.push((format!("fit of {name}"), of_tables(&template(name, run)?)));
    }
    for name in PERIODIC {
        let model = find(name)?.model;
        let run = |input: &Input<'_>| orbit(&Orbit::default(), input, context);
        items.push((format!("orbit of {name}"), of_tables(&with(name, model, run)?)));
    }
    Ok(Bits { items })
}

/// The digest of the events and states of a case: names as texts, numbers by their bits.
fn of_case(case: &Case, context: &Context<'_>) -> Result<String> {
    let (results, _) = ours::results(case, context)?;
    let mut hash = Sha256::default();
    for row in &results.rows {
        hash.update(format!("{} {}", row.event, row.place).as_bytes());
        for number in [row.t, row.x, row.v] {
            hash.update(&bytes(number));
        }
    }
    Ok(hash.hex())
}

/// NaN has many bit patterns, which processors choose differently: they count as one.
fn bytes(number: f64) -> [u8; 8] {
    let number = if number.is_nan() { f64::NAN } else { number };
    number.to_bits().to_le_bytes()
}

/// The digest of all tables, in whose texts every number reads back to the same bits.
fn of_tables(product: &Product) -> String {
    let mut text = Vec::new();
    for table in &product.tables {
        // Writing to memory does not fail.
        let _ = table.write_csv(&mut text);
    }
    Sha256::of(&text)
}

fn template(name: &str, run: impl Fn(&Input<'_>) -> Result<Product>) -> Result<Product> {
    let text = templates::find(name).map(|t| t.printed()).unwrap_or_default();
    with(name, &text, run)
}

fn with(name: &str, text: &str, run: impl Fn(&Input<'_>) -> Result<Product>) -> Result<Product> {
    let document = Document::parse(&format!("{name}.toml"), text)?;
    let reading = Reading::new(WithRecords(Memory::default()));
    run(&Input::new(&document, &reading))
}
