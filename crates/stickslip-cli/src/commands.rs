//! From the arguments of a command to the options of the library.

use crate::args::{self, Command, Delivery, Sweep};
use crate::fault::{Fault, Result};
use crate::screen::{self, Screen};
use std::borrow::Cow;
use std::path::Path;
use stickslip_file::{Document, Files, Folder, Memory, Override, Reading, Resources};
use stickslip_reference as reference;
use stickslip_run::synthetic::WithRecords;
use stickslip_run::{self as run, Context, Input, Product};

/// Where the results of a command go, and what is going on, for people who wait.
pub fn about(command: &Command) -> (Delivery, &'static str) {
    let (delivery, title) = match command {
        Command::Simulate(a) => (&a.delivery, "simulating"),
        Command::Converge(a) => (&a.delivery, "halving the step"),
        Command::Solutions(a) => (&a.delivery, "listing solutions"),
        Command::Certify(a) => (&a.delivery, "proving"),
        Command::Calibrate(a) => (&a.delivery, "fitting"),
        Command::Fleet(a) => (&a.delivery, "fitting bearings"),
        Command::Ensemble(a) => (&a.delivery, "running paths"),
        Command::Merge(a) => (&a.delivery, "merging"),
        Command::Sweep(a) => (&a.delivery, "sweeping"),
        Command::Orbit(a) => (&a.delivery, "looking for orbits"),
        Command::Response(a) => (&a.of.delivery, "following orbits"),
        Command::Basins(a) => (&a.delivery, "following starts"),
        Command::Hunt(a) => (&a.delivery, "following loops"),
        Command::Design(a) => (&a.delivery, "designing"),
        Command::Reproduce(a) => (&a.delivery, "reproducing"),
        Command::Reference(a) => (&a.delivery, ""),
        Command::Score(a) => (&a.delivery, "solving the cases"),
        _ => return (Delivery::default(), ""),
    };
    (delivery.clone(), title)
}

/// What a command is called.
pub fn name(command: &Command) -> &'static str {
    match command {
        Command::Simulate(_) => "simulate",
        Command::Converge(_) => "converge",
        Command::Solutions(_) => "solutions",
        Command::Certify(_) => "certify",
        Command::Calibrate(_) => "calibrate",
        Command::Fleet(_) => "fleet",
        Command::Ensemble(_) => "ensemble",
        Command::Merge(_) => "merge",
        Command::Sweep(_) => "sweep",
        Command::Orbit(_) => "orbit",
        Command::Response(_) => "response",
        Command::Basins(_) => "basins",
        Command::Hunt(_) => "hunt",
        Command::Design(_) => "design",
        Command::Reproduce(_) => "reproduce",
        Command::Reference(_) => "reference",
        Command::Score(_) => "score",
        Command::Fmu(_) => "fmu",
        Command::Joint(_) => "joint",
        Command::New(_) => "new",
        Command::Completions(_) => "completions",
        Command::Man => "man",
    }
}

/// Runs a command that returns results.
pub fn product(command: &Command, context: &Context<'_>) -> Result<Product> {
    match command {
        Command::Simulate(a) => model(&a.problem, |i| run::simulate(&a.options, i, context)),
        Command::Converge(a) => {
            let mut options = a.options.clone();
            options.scheme.clone_from(&a.problem.scheme);
            model(&a.problem, |i| run::converge(&options, i, context))
        }
        Command::Solutions(a) => model(&a.problem, |i| run::solutions(&a.options, i, context)),
        Command::Certify(a) => model(&a.problem, |i| run::certify(i, context)),
        Command::Calibrate(a) => {
            with(&a.file, &a.overrides()?, |i| run::calibrate(&a.options, i, context))
        }
        Command::Fleet(a) => {
            let journal = stickslip_file::journal_in(a.delivery.out.as_deref(), a.resume)?;
            let work = |i: &Input<'_>| run::fleet(&a.options, i, &*journal, context);
            with(&a.file, &a.settings.overrides()?, work)
        }
        Command::Ensemble(a) => {
            let mut options = a.options.clone();
            options.scheme.clone_from(&a.problem.scheme);
            model(&a.problem, |i| run::ensemble(&options, i, context))
        }
        Command::Merge(a) => {
            let files: Vec<String> = a.files.iter().map(|f| f.display().to_string()).collect();
            let reading = Reading::new(WithRecords(Files::default()));
            run::merge(&a.options, &files, &reading, context)
        }
        Command::Sweep(a) => {
            let options = sweep(a);
            model(&a.problem, |i| run::sweep(&options, i, context))
        }
        Command::Orbit(a) => {
            let problem = &a.problem;
            with(&problem.file, &problem.overrides()?, |i| run::orbit(&a.options, i, context))
        }
        Command::Response(a) => {
            let options = response(a)?;
            let problem = &a.of.problem;
            with(&problem.file, &problem.overrides()?, |i| run::response(&options, i, context))
        }
        Command::Basins(a) => {
            let problem = &a.problem;
            with(&problem.file, &problem.overrides()?, |i| run::basins(&a.options, i, context))
        }
        Command::Hunt(a) => model(&a.problem, |i| run::hunt(&a.options, i, context)),
        Command::Design(a) => {
            let reading = Reading::new(Files::default());
            run::design(&a.options, &a.folder.display().to_string(), &reading, context)
        }
        Command::Reproduce(a) => {
            let product = stickslip_gallery::reproduce(&a.name, &measured(), context)?;
            let skipped = product.summary["skipped"].as_u64().is_some_and(|n| n > 0);
            let said = "set STICKSLIP_DATA to the folder of the measured data".to_owned();
            Ok(product.remarks(skipped.then_some(said)))
        }
        Command::Reference(a) if a.name == "list" => reference::list(),
        Command::Reference(a) => reference::show(&a.name),
        Command::Score(a) => score(a, context),
        _ => Err(Fault::command_line("this command has no results")),
    }
}

/// Puts a model into an FMU and writes it.
pub fn fmu(a: &args::Fmu, screen: &Screen) -> Result<()> {
    let options = fmu_options(a.fmi, &a.library);
    let ours = run::directory::Older::Ours(&run::fmu::is_ours);
    let package = with(&a.file, &a.settings.overrides()?, |input| {
        // Before the work, and again when it is done.
        let inputs = run::fmu::inputs(&options, input);
        run::directory::check_one(&a.out, &inputs, ours)?;
        run::fmu(&options, input)
    })?;
    write_fmu(&a.out, &package, screen)
}

/// How an FMU is made, with the libraries that there are.
fn fmu_options(version: u8, libraries: &[(String, String)]) -> run::Fmu {
    let mut options = run::Fmu::default();
    options.version = run::fmu::Version::numbered(version).unwrap_or_default();
    options.libraries = libraries.to_vec();
    let named = std::env::var("STICKSLIP_FMI_LIBRARY").ok();
    options.beside = run::fmu::places(std::env::current_exe().ok().as_deref());
    options.beside.splice(0..0, named);
    options
}

fn write_fmu(out: &Path, package: &run::fmu::Package, screen: &Screen) -> Result<()> {
    package.warnings.iter().for_each(|w| screen.warn(w));
    let ours = run::directory::Older::Ours(&run::fmu::is_ours);
    run::directory::replace(out, &package.bytes, &package.inputs, ours)?;
    screen.note(&format!("wrote {}: {}", out.display(), package.brief));
    Ok(())
}

/// Prints a fitted servo as a joint of another simulator, or writes its FMU.
pub fn joint(a: &args::Joint, screen: &Screen) -> Result<()> {
    let args::JointCommand::Export(a) = &a.command;
    let folder = a.folder.display().to_string();
    if let ("fmu", Some(out)) = (a.to.as_str(), &a.out) {
        let options = fmu_options(a.fmi.unwrap_or(2), &a.library);
        let ours = run::directory::Older::Ours(&run::fmu::is_ours);
        run::directory::check_one(out, &run::fmu::joint_inputs(&options, &folder), ours)?;
        let package = run::joint_fmu(&options, &Files::default(), &folder)?;
        return write_fmu(out, &package, screen);
    }
    if let Some(out) = &a.out {
        let said =
            format!("--out {} is for an FMU; the joint of `{}` is printed", out.display(), a.to);
        return Err(Fault::command_line(said)
            .help(format!("expected `--to fmu`, or `> {}`", out.display())));
    }
    let other = a.fmi.map(|_| "--fmi").or_else(|| a.library.first().map(|_| "--library"));
    if let Some(option) = other {
        let said = format!("{option} is for an FMU; the joint of `{}` is printed", a.to);
        return Err(Fault::command_line(said)
            .help(format!("leave {option} out, or write an FMU: `--to fmu --out FILE.fmu`")));
    }
    let format = run::JointFormat::named(&a.to)
        .ok_or_else(|| Fault::command_line(format!("there is no format `{}`", a.to)))?;
    let text = run::joint_export(&Files::default(), &folder, format)?;
    screen::print(|w| write!(w, "{text}"))
}

/// Reads a model file with the values of the command line put in, and runs `work` on it.
fn model(
    problem: &args::Problem,
    work: impl FnOnce(&Input<'_>) -> Result<Product>,
) -> Result<Product> {
    let asked = problem.asked();
    with(&problem.file, &problem.overrides()?, |input| work(&input.asking(&asked)))
}

/// Scores a table of results, or the solutions of this program.
fn score(a: &args::Score, context: &Context<'_>) -> Result<Product> {
    let (Some(file), Some(case)) = (&a.results, &a.case) else {
        return reference::of_ourselves(a.case.as_deref(), context);
    };
    // A case that does not exist is said before a file is read.
    reference::find(case)?;
    let name = file.display().to_string();
    let failed = |e| Fault::new(format!("cannot read {name}: {e}"));
    let bytes = Files::default().read(&name).map(Cow::into_owned).map_err(failed)?;
    let product = reference::of_results(case, &reference::Results::read(&name, &bytes)?, None)?;
    Ok(Product { inputs: vec![name], ..product })
}

/// Reads a file with the values of the command line put in, and runs `work` on it.
fn with<T>(
    file: &Path,
    overrides: &[Override],
    work: impl FnOnce(&Input<'_>) -> Result<T>,
) -> Result<T> {
    let reading = Reading::new(WithRecords(Files::default()));
    let document: Document = reading.document(&file.display().to_string(), overrides)?;
    work(&Input::new(&document, &reading))
}

fn sweep(a: &Sweep) -> run::Sweep {
    let mut options = a.options.clone();
    options.scheme.clone_from(&a.problem.scheme);
    // Paths of the command line are relative to where it stands, those of a model to its file.
    for path in &mut options.records {
        let whole = std::path::absolute(&*path).map(|p| p.display().to_string());
        *path = whole.unwrap_or_else(|_| std::mem::take(path));
    }
    options
}

fn response(a: &args::Response) -> Result<run::Response> {
    let (first, second) = match a.vary.as_slice() {
        [one] => (one, None),
        [one, two] => (one, Some(axis(two)?)),
        _ => {
            let said = "--vary was given more than twice; a response has one number, or two";
            return Err(Fault::command_line(said));
        }
    };
    let wrong = || not_a_range(first, "KEY.PATH=FROM:TO or KEY.PATH=FROM:TO:COUNT");
    let mut options =
        run::Response::parse(first).ok_or_else(wrong)?.given_at("command line, --vary");
    let of = &a.of.options;
    (options.periods, options.point) = (of.periods, of.point.clone());
    options.within = of.within.unwrap_or(options.within);
    options.second = second;
    Ok(options)
}

/// `key.path=from:to:count`.
fn axis(argument: &str) -> Result<run::Axis> {
    let wrong = || not_a_range(argument, "KEY.PATH=FROM:TO:COUNT");
    Ok(run::Axis::parse(argument).ok_or_else(wrong)?.given_at("command line, --vary"))
}

fn not_a_range(argument: &str, expected: &str) -> Fault {
    Fault::command_line(format!("--vary {argument}: expected {expected}"))
        .help("for example --vary oscillator.drive.0.harmonic.amplitude=0.5:3:31")
}

/// The measured data: the folder STICKSLIP_DATA, or none.
fn measured() -> Reading {
    let named = std::env::var_os("STICKSLIP_DATA").filter(|v| !v.is_empty());
    named.map_or_else(|| Reading::new(Memory::default()), |f| Reading::new(Folder(f.into())))
}
