//! What an ensemble is of.

use crate::error::{Error, require};
use crate::grid::step_count;
use crate::model::Problem;
use crate::scheme::stochastic::{self, Rule};

/// The most contacts that are counted.
const MOST_CONTACTS: usize = 1000;

/// Everything that decides what the paths are and what is kept of them. Not in it: which paths, on
/// how many threads, with which instructions; they change no bit.
///
/// ```
/// use stickslip::study::ensemble::{Plan, run};
/// use stickslip::{Law, Noise, Oscillator, Place, Problem};
/// # fn main() -> Result<(), stickslip::Error> {
/// let noise = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 0.3, scale: 1.0 };
/// let mass = Oscillator::new(1.0, 1.0, Law::coulomb(0.1)?);
/// let problem = Problem::new(mass, 2.0).with_noise(Place::Force, noise);
/// let plan = Plan::new(problem, 0.01, 1).with_rows(3).with_level(0.5);
/// assert_eq!(run(&plan, 0..64, 1, &mut ())?.count(), 64);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// What moves, its noises and the end of every path.
    pub problem: Problem,
    /// How the paths advance in a step.
    pub rule: Rule,
    /// Seed of all paths.
    pub seed: u64,
    /// h, s.
    pub step: f64,
    /// Times at which the states are looked at, equally spaced from 0 to the end; 2 or more. Each
    /// keeps two histograms for each point, some 36 kB.
    pub rows: usize,
    /// A level (m) whose first passage by |x| is timed.
    pub level: Option<f64>,
}

impl Plan {
    /// With 101 rows, the usual scheme and no level.
    pub fn new(problem: Problem, step: f64, seed: u64) -> Self {
        let rule = Rule::of(&problem.model).first().copied().unwrap_or_default();
        Self { problem, rule, seed, step, rows: 101, level: None }
    }

    /// With so many rows.
    pub fn with_rows(self, rows: usize) -> Self {
        Self { rows, ..self }
    }

    /// With the first passage of |x| through `level` (m) timed.
    pub fn with_level(self, level: f64) -> Self {
        Self { level: Some(level), ..self }
    }

    /// With another scheme.
    pub fn with_rule(self, rule: Rule) -> Self {
        Self { rule, ..self }
    }

    /// The name in files of the scheme in which its paths advance.
    pub fn scheme(&self) -> &'static str {
        self.rule.name()
    }

    /// Number of steps.
    ///
    /// # Errors
    /// If the step or the end is not a finite time > 0 s, or there are too many steps.
    pub fn steps(&self) -> Result<usize, Error> {
        step_count(self.problem.end, self.step)
    }

    /// Checks every number.
    ///
    /// # Errors
    /// With the first number that is outside its range, and if the model has no paths in time steps.
    pub fn check(&self) -> Result<(), Error> {
        stochastic::check(&self.problem, self.rule)?;
        let contacts = self.problem.contacts().len();
        let few = contacts <= MOST_CONTACTS;
        require("the number of contacts", contacts as f64, few, "1000 or less in an ensemble")?;
        let rows = self.rows as f64;
        let steps = self.steps()? as f64;
        require("the number of rows", rows, rows >= 2.0, "2 or more")?;
        require("the number of rows", rows, rows <= steps + 1.0, "no more than steps + 1")?;
        match self.level {
            Some(level) => require("the level to be passed", level, level >= 0.0, "a level ≥ 0 m"),
            None => Ok(()),
        }
    }

    /// The step at which row `row` is taken.
    pub(crate) fn step_of_row(&self, row: usize, steps: usize) -> u64 {
        (row as u128 * steps as u128 / (self.rows as u128 - 1)) as u64
    }

    /// Time of row `row`, s.
    pub fn time_of_row(&self, row: usize) -> f64 {
        self.steps().map_or(f64::NAN, |n| self.step_of_row(row, n) as f64 * self.step)
    }

    /// Names plan and version: equal for plans that have the same paths and rows. It is a hash (FNV-1a) of the
    /// plan's text, in which numbers stand with all their digits and functions of users by their names.
    ///
    /// # Errors
    /// [`Error::Unnamed`] for a function without a name.
    pub fn fingerprint(&self) -> Result<String, Error> {
        let Self { problem, rule, seed, step, rows, level } = self;
        let rule = rule.name();
        let text = format!(
            "{}\n{}{rule}\n{seed}\n{step:?}\n{rows}\n{level:?}\n",
            env!("CARGO_PKG_VERSION"),
            problem.canonical()?
        );
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Ok(format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, mix)))
    }
}
