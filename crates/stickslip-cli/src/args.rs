//! The command line.

use crate::fault::Result;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use stickslip_file::{Override, Value, model::scheme_names};
use stickslip_run::{self as run, Format};

/// Simulate, study and calibrate mechanical systems with dry friction
#[derive(Debug, Parser)]
#[command(
    name = "stickslip",
    version,
    arg_required_else_help = true,
    after_help = "\
Start here:
  stickslip new simulate model.toml     write a commented model file
  stickslip simulate model.toml         solve it and print the events
  stickslip simulate model.toml --out results

Exit codes: 0 done, 1 the input is wrong, 2 the command line is wrong,
3 the problem was understood but cannot be solved as asked, 130 interrupted.
`stickslip new --help` lists the templates of other models.
`stickslip --version --bits` prints digests of fixed computations: two machines
with the same digests compute the same bits."
)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
    /// Print errors only
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Solve a model and list its events
    Simulate(Simulate),
    /// Convergence study: the order of a time-stepping scheme, by halving its step
    Converge(Converge),
    /// List the solutions of a model, with and without the selection rule
    Solutions(Solutions),
    /// Solve a model exactly and write a certificate that others can check
    Certify(Certify),
    /// Compute statistics of many sample paths of a model with noise
    Ensemble(Ensemble),
    /// Merge the parts of an ensemble, a sweep or a fleet
    Merge(Merge),
    /// Solve a model over a range of one or two of its numbers
    Sweep(Sweep),
    /// Find a periodic orbit of a model, its stability and its energy
    Orbit(Orbit),
    /// Follow the periodic orbits of a model over one of its numbers, with their bifurcations
    Response(Response),
    /// Find out to which orbit each start of a grid leads
    Basins(Basins),
    /// Find out whether a loop with a controller hunts, comes to rest or runs away
    Hunt(Hunt),
    /// Find friction parameters from a measured record
    Calibrate(Calibrate),
    /// Calibrate many bearings and rank them by urgency
    Fleet(Fleet),
    /// Reproduce the figures and tables of the papers, each with checks
    Reproduce(Reproduce),
    /// List the cases of the reference set, or show one of them
    Reference(Reference),
    /// Score results against the reference set
    Score(Score),
    /// Put a model into an FMU, for other simulators
    Fmu(Fmu),
    /// Choose the logs of a servo to record next: those that best determine what a fit could not
    Design(Design),
    /// Turn a fitted servo into a joint of another simulator
    Joint(Joint),
    /// Write a commented template
    New(New),
    /// Print the completions of a shell
    Completions(Completions),
    /// Print the manual page
    Man,
}

/// Where results go.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Delivery {
    /// Write summary.json, CSV files and figures to this directory (default: print a table)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print summary.json to standard output
    #[arg(long)]
    pub json: bool,
    /// Format of the tables: csv or parquet [default: csv; fleets: both, where Parquet is built in]
    #[arg(long, value_name = "FORMAT", requires = "out")]
    pub format: Option<Format>,
}

/// `--set`, which every command with a file takes.
#[derive(Debug, Clone, clap::Args)]
pub struct Settings {
    /// Change a value of the file: --set oscillator.mass=2.5 in a model, --set model.bearing_stiffness=2.1e9 in a fit; lists count from 0, as in oscillator.drive.0.harmonic.phase=1
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    pub set: Vec<String>,
}

/// A model file and what replaces its values.
#[derive(Debug, Clone, clap::Args)]
pub struct Problem {
    /// The model file (`stickslip new simulate` writes one)
    #[arg(value_name = "MODEL.toml")]
    pub file: PathBuf,
    /// Scheme that advances the motion
    #[arg(long, value_parser = PossibleValuesParser::new(scheme_names()))]
    pub scheme: Option<String>,
    /// End time, s
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub end: Option<f64>,
    /// Step of the time-stepping schemes, s
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Relative tolerance of the adaptive schemes
    #[arg(long, value_name = "TOL", allow_negative_numbers = true)]
    pub rtol: Option<f64>,
    /// Absolute tolerance of the adaptive schemes, m and m/s
    #[arg(long, value_name = "TOL", allow_negative_numbers = true)]
    pub atol: Option<f64>,
    /// Rows of trajectory.csv: a number, or `steps` for every step
    #[arg(long, value_name = "N|steps", value_parser = rows, allow_negative_numbers = true)]
    pub rows: Option<Rows>,
    /// Random seed
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub settings: Settings,
}

/// `--rows`.
#[derive(Debug, Clone, Copy)]
pub enum Rows {
    /// This many.
    Count(i64),
    /// One for each step.
    Steps,
}

fn rows(text: &str) -> Result<Rows, String> {
    match text.parse() {
        _ if text == "steps" => Ok(Rows::Steps),
        Ok(n) => Ok(Rows::Count(n)),
        Err(_) => Err("expected a whole number, or the word `steps`".to_owned()),
    }
}

#[derive(Debug, clap::Args)]
pub struct Simulate {
    #[command(flatten)]
    pub problem: Problem,
    #[command(flatten)]
    pub options: run::Simulate,
    #[command(flatten)]
    pub delivery: Delivery,
}

#[derive(Debug, clap::Args)]
pub struct Certify {
    #[command(flatten)]
    pub problem: Problem,
    #[command(flatten)]
    pub delivery: Delivery,
}

#[derive(Debug, clap::Args)]
pub struct Solutions {
    #[command(flatten)]
    pub problem: Problem,
    #[command(flatten)]
    pub options: run::Solutions,
    #[command(flatten)]
    pub delivery: Delivery,
}

/// Measure the order of a time-stepping scheme by halving its step, or what the tolerances of --scheme adaptive give.
#[derive(Debug, clap::Args)]
pub struct Converge {
    #[command(flatten)]
    pub problem: Problem,
    #[command(flatten)]
    pub options: run::Converge,
    #[command(flatten)]
    pub delivery: Delivery,
}

#[derive(Debug, clap::Args)]
pub struct Ensemble {
    #[command(flatten)]
    pub problem: Problem,
    #[command(flatten)]
    pub options: run::Ensemble,
    #[command(flatten)]
    pub delivery: Delivery,
}

#[derive(Debug, clap::Args)]
#[command(mut_arg("reports", |a| a.requires("out")))]
pub struct Merge {
    /// Partial results: the files partial.json of the parts
    #[arg(value_name = "partial.json", required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub options: run::Merge,
    #[command(flatten)]
    pub delivery: Delivery,
}

#[derive(Debug, clap::Args)]
pub struct Sweep {
    #[command(flatten)]
    pub problem: Problem,
    #[command(flatten)]
    pub options: run::Sweep,
    #[command(flatten)]
    pub delivery: Delivery,
}

#[derive(Debug, clap::Args)]
pub struct Orbit {
    #[command(flatten)]
    pub problem: Problem,
    #[command(flatten)]
    pub options: run::Orbit,
    #[command(flatten)]
    pub delivery: Delivery,
}

#[derive(Debug, clap::Args)]
pub struct Response {
    #[command(flatten)]
    pub of: Orbit,
    /// A number of the file and its range; keys joined by + take the same number. Given twice, bifurcations over the first are located at each value of the second
    #[arg(long, value_name = "KEY.PATH=FROM:TO[:COUNT]", required = true, num_args = 1)]
    pub vary: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub struct Basins {
    #[command(flatten)]
    pub problem: Problem,
    #[command(flatten)]
    pub options: run::Basins,
    #[command(flatten)]
    pub delivery: Delivery,
}

#[derive(Debug, clap::Args)]
pub struct Hunt {
    #[command(flatten)]
    pub problem: Problem,
    #[command(flatten)]
    pub options: run::Hunt,
    #[command(flatten)]
    pub delivery: Delivery,
}

#[derive(Debug, clap::Args)]
pub struct Design {
    /// The folder of results of `stickslip calibrate`, of a servo with many logs
    #[arg(value_name = "FIT_DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub options: run::Design,
    #[command(flatten)]
    pub delivery: Delivery,
}

#[derive(Debug, clap::Args)]
pub struct Calibrate {
    /// The fit file (`stickslip new calibrate` writes one)
    #[arg(value_name = "FIT.toml")]
    pub file: PathBuf,
    /// Random seed of the search
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub options: run::Calibrate,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub delivery: Delivery,
}

#[derive(Debug, clap::Args)]
#[command(mut_arg("reports", |a| a.requires("out")))]
pub struct Fleet {
    /// The fleet file (`stickslip new fleet` writes one)
    #[arg(value_name = "FLEET.toml")]
    pub file: PathBuf,
    /// Continue with what an earlier run left in the directory of --out
    #[arg(long, requires = "out")]
    pub resume: bool,
    #[command(flatten)]
    pub options: run::Fleet,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub delivery: Delivery,
}

/// Reproduce the figures and tables of the papers, each with checks.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --out the checks are printed and nothing is written. With it, index.html shows
everything in one file; the figures (*.svg) and the model files are written next to it.
Measured data are read from the folder that the environment variable STICKSLIP_DATA names.
Items whose measured data are not found are skipped, with a message.")]
pub struct Reproduce {
    /// One item, all items of one paper, or all
    #[arg(value_name = "NAME", default_value = "all", hide_possible_values = false, value_parser = items())]
    pub name: String,
    #[command(flatten)]
    pub delivery: Delivery,
}

/// The names that `reproduce` takes.
fn items() -> PossibleValuesParser {
    let names = stickslip_gallery::names().into_iter();
    PossibleValuesParser::new(names.map(|(name, title)| PossibleValue::new(name).help(title)))
}

#[derive(Debug, clap::Args)]
pub struct Reference {
    /// A case, or `list`
    #[arg(value_name = "NAME", default_value = "list")]
    pub name: String,
    #[command(flatten)]
    pub delivery: Delivery,
}

/// Score results against the reference set.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
RESULTS.csv has the columns event,t,where,x,v: a row for each event, and a row `state` for each instant
that `stickslip reference NAME` lists. What ill-posed and random cases need is said there too.")]
pub struct Score {
    /// The results to be scored
    #[arg(value_name = "RESULTS.csv", required_unless_present = "ours", conflicts_with = "ours")]
    pub results: Option<PathBuf>,
    /// The case to which the results belong; with --self, the only case that is solved
    #[arg(long, value_name = "NAME", required_unless_present = "ours")]
    pub case: Option<String>,
    /// Score this program's own solutions
    #[arg(long = "self")]
    pub ours: bool,
    #[command(flatten)]
    pub delivery: Delivery,
}

/// The templates that `new` writes.
fn templates() -> PossibleValuesParser {
    let one = |t: stickslip_run::templates::Template| {
        let command = t.command.split(' ').next().unwrap_or_default();
        PossibleValue::new(t.name).help(format!("{}, for `{command}`", t.about))
    };
    PossibleValuesParser::new(stickslip_run::templates::ALL.map(one))
}

/// Write a commented template to start from.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every template runs as it is. A fit file that is written to FILE comes with a synthetic record next to it;
one that is printed names a record that is built in.")]
pub struct New {
    /// Which template
    #[arg(value_name = "KIND", value_parser = templates())]
    pub template: String,
    /// The file to write (default: print it)
    pub file: Option<PathBuf>,
}

/// Put a model into an FMU (FMI 2.0 or 3.0), for other simulators.
#[derive(Debug, clap::Args)]
pub struct Fmu {
    /// The model file
    #[arg(value_name = "MODEL.toml")]
    pub file: PathBuf,
    /// The FMU to write
    #[arg(long, value_name = "FILE.fmu")]
    pub out: PathBuf,
    /// The standard's version
    #[arg(long, value_name = "2|3", default_value = "2", value_parser = clap::value_parser!(u8).range(2..=3))]
    pub fmi: u8,
    /// Put in the library of another platform too, e.g. --library x86_64-windows=stickslip_fmi.dll
    #[arg(long, value_name = "PLATFORM=FILE", value_parser = stickslip_run::fmu::library)]
    pub library: Vec<(String, String)>,
    #[command(flatten)]
    pub settings: Settings,
}

/// Turn a fitted servo into a joint of another simulator.
#[derive(Debug, clap::Args)]
pub struct Joint {
    /// What is done with the servo
    #[command(subcommand)]
    pub command: JointCommand,
}

/// What is done with a fitted servo.
#[derive(Debug, clap::Subcommand)]
pub enum JointCommand {
    /// Print the joint, with the error that the simplification costs on the logs; or write an FMU of the full model
    Export(JointExport),
}

#[derive(Debug, clap::Args)]
pub struct JointExport {
    /// The folder of results of `stickslip calibrate`, of a servo with many logs
    #[arg(value_name = "FIT_DIR")]
    pub folder: PathBuf,
    /// MuJoCo, ROS, or OpenUSD with the schemas of PhysX; or the full model as an FMU
    #[arg(long, alias = "format", value_name = "FORMAT", value_parser = PossibleValuesParser::new(["mjcf", "urdf", "usd", "fmu"]))]
    pub to: String,
    /// The FMU to write
    #[arg(long, value_name = "FILE.fmu", required_if_eq("to", "fmu"))]
    pub out: Option<PathBuf>,
    /// The version of the FMU's standard (default: 2)
    #[arg(long, value_name = "2|3", value_parser = clap::value_parser!(u8).range(2..=3))]
    pub fmi: Option<u8>,
    /// Put in the library of another platform too, e.g. --library x86_64-windows=stickslip_fmi.dll
    #[arg(long, value_name = "PLATFORM=FILE", value_parser = stickslip_run::fmu::library)]
    pub library: Vec<(String, String)>,
}

#[derive(Debug, clap::Args)]
pub struct Completions {
    /// Which shell
    pub shell: clap_complete::Shell,
}

impl Settings {
    /// The values of `--set`.
    pub fn overrides(&self) -> Result<Vec<Override>> {
        self.set.iter().map(|s| assignment(s)).collect()
    }
}

impl Problem {
    /// The keys of `[run]` that have an option of their own on the command line.
    pub fn asked(&self) -> Vec<&'static str> {
        let given = [
            ("step", self.step.is_some()),
            ("rtol", self.rtol.is_some()),
            ("atol", self.atol.is_some()),
            ("rows", self.rows.is_some()),
        ];
        given.into_iter().filter(|g| g.1).map(|g| g.0).collect()
    }

    /// Every value of the command line, in the order in which they apply.
    pub fn overrides(&self) -> Result<Vec<Override>> {
        let float = |number| Value::Number { number, whole: None };
        let rows = self.rows.map(|r| match r {
            Rows::Count(n) => whole(n),
            Rows::Steps => Value::Text("steps".to_owned()),
        });
        let options = [
            ("scheme", self.scheme.clone().map(Value::Text)),
            ("end", self.end.map(float)),
            ("step", self.step.map(float)),
            ("rtol", self.rtol.map(float)),
            ("atol", self.atol.map(float)),
            ("rows", rows),
            ("seed", self.seed.map(seed)),
        ];
        let mut all = self.settings.overrides()?;
        for (name, value) in options {
            all.extend(value.map(|v| option(&format!("--{name}"), ("run", name), v)));
        }
        Ok(all)
    }
}

impl Calibrate {
    /// Every value of the command line.
    pub fn overrides(&self) -> Result<Vec<Override>> {
        let mut all = self.settings.overrides()?;
        all.extend(self.seed.map(|n| option("--seed", ("fit", "seed"), seed(n))));
        Ok(all)
    }
}

/// `key.path=value` after `--set`.
pub fn assignment(argument: &str) -> Result<Override> {
    Override::parse("command line, --set", argument).map_err(|f| {
        let message = format!("--set {}", f.message());
        f.with_message(message)
            .help("write --set key.path=value, for example --set oscillator.mass=2.5, or --set model.bearing_stiffness=2.1e9 of a fit")
    })
}

/// The value of an option of its own.
fn option(flag: &str, key: (&str, &str), value: Value) -> Override {
    Override::option("command line", flag, key, value)
}

fn whole(n: i64) -> Value {
    Value::Number { number: n as f64, whole: Some(n) }
}

/// TOML's whole numbers have 63 bits; a larger seed is refused where it is read.
fn seed(n: u64) -> Value {
    i64::try_from(n).map_or(Value::Number { number: n as f64, whole: None }, whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
