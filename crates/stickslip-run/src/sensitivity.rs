//! Derivatives of a motion with respect to numbers of its file.

use crate::axis::PLACE;
use crate::context::Context;
use stickslip::study::parallel;
use stickslip::study::sensitivity::{Derivatives, Number, Sides, derivatives};
use stickslip::{Event, Model, Oscillator, Solution};
use stickslip_file::{Diagnostic, Document, ModelFile, Reading, Result, Varied, did_you_mean};

/// What is asked for beside the model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Sensitivity {
    /// Keys of the document, such as `oscillator.mass`.
    pub keys: Vec<String>,
    /// When the derivatives of the state are wanted, s, not decreasing.
    pub times: Vec<f64>,
    /// What messages call the place where the keys were given.
    pub place: String,
}

impl Sensitivity {
    /// With respect to the numbers at these keys, at these times (s).
    pub fn new(keys: Vec<String>, times: Vec<f64>) -> Self {
        Self { keys, times, place: PLACE.to_owned() }
    }
}

/// A motion and its derivatives.
#[derive(Debug)]
#[non_exhaustive]
pub struct Sensitivities {
    /// The motion.
    pub solution: Solution,
    /// The numbers themselves, in the order of the keys.
    pub values: Vec<f64>,
    /// From which sides each of them can be looked at.
    pub sides: Vec<Sides>,
    /// Derivatives of states and of the times of events.
    pub found: Derivatives,
}

impl Sensitivities {
    /// The events, in the order of their derivatives.
    pub fn events(&self) -> &[Event] {
        &self.solution.events
    }
}

/// The motion of a document and its derivatives with respect to numbers of it.
///
/// ```
/// use stickslip_file::{Document, Memory, Reading};
/// use stickslip_run::{Context, sensitivity::{Sensitivity, sensitivity}};
/// let text = "[oscillator]\nmass = 1.0\nstiffness = 0.0\nfriction.coulomb.force = 1.0\n\
///             initial.velocity = 2.0\n[run]\nend = 9.0\n";
/// let (document, reading) = (Document::parse("m.toml", text)?, Reading::new(Memory::default()));
/// // A mass that slides to rest goes m v₀²/(2 f).
/// let asked = Sensitivity::new(vec!["oscillator.mass".to_owned()], vec![9.0]);
/// let motion = sensitivity(&asked, &document, &reading, &Context::silent())?;
/// assert!((motion.found.states[0].x - 2.0).abs() < 1e-14);
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
///
/// # Errors
/// Where a key leads to no number of the model, a time is outside the run, the model is none of `[oscillator]`, or the scheme
/// has steps.
pub fn sensitivity(
    asked: &Sensitivity,
    document: &Document,
    reading: &Reading,
    context: &Context<'_>,
) -> Result<Sensitivities> {
    let (file, parameters) = ModelFile::read_with_parameters(document, reading)?;
    context.warn_all(&file.warnings);
    let Model::Oscillator(o) = &file.problem.model else {
        return Err(Diagnostic::new(format!(
            "derivatives are there for [oscillator] models; this is a model of the kind `{}`",
            file.problem.kind()
        )));
    };
    if !file.problem.noises.is_empty() {
        return Err(Diagnostic::new("the model has noise; expected one whose loads are known")
            .help("leave out the noises, or put a sampled path in their place"));
    }
    let value = |key: &String| {
        let found = parameters.iter().find(|p| p.path == *key).map(|p| p.value);
        found.ok_or_else(|| no_number(key, &parameters))
    };
    let values: Vec<f64> = asked.keys.iter().map(value).collect::<Result<_>>()?;
    check_times(&asked.times, file.run.end)?;
    let quiet = reading.without_echo();
    let given = asked.keys.iter().zip(&values).collect();
    let numbers = parallel::try_over(given, |(key, value)| {
        number(document, &quiet, &asked.place, key, *value)
    })?;
    let solution = stickslip::solve(&file.problem, &file.run.scheme)?;
    let path = solution.oscillator().ok_or_else(|| Diagnostic::new("the motion has no path"))?;
    let seen: Vec<_> = numbers.iter().filter_map(|n| n.of(Some)).collect();
    let found = derivatives(o, path, &seen, &asked.times)?;
    let sides = numbers.iter().map(Number::sides).collect();
    Ok(Sensitivities { solution, values, sides, found })
}

/// The number at a key, by models of the same document in which it is a little different.
fn number(
    document: &Document,
    reading: &Reading,
    place: &str,
    key: &str,
    value: f64,
) -> Result<Number<Oscillator>> {
    let varied = Varied::new(document, [(place, key, value)])?;
    Number::around(value, |x| {
        let file = varied.read(&[x], |document| ModelFile::read(document, reading))?;
        match file.problem.model {
            Model::Oscillator(o) => Ok(o),
            other => Err(Diagnostic::new(format!("a model of the kind `{}`", other.kind()))),
        }
    })
}

fn no_number(key: &str, known: &[stickslip_file::Number]) -> Diagnostic {
    let names = || known.iter().map(|p| p.path.as_str());
    let near = did_you_mean(key, names());
    Diagnostic::command_line(format!("`{key}` is no number of this model{near}"))
        .help(format!("its numbers are {}", names().collect::<Vec<_>>().join(", ")))
}

fn check_times(times: &[f64], end: f64) -> Result<()> {
    if let Some(t) = times.iter().find(|t| !(**t >= 0.0 && **t <= end)) {
        let said = format!("a time is {t:?} s; the motion lasts from 0 to {end:?} s");
        return Err(Diagnostic::command_line(said));
    }
    if let Some(pair) = times.windows(2).find(|p| p[1] < p[0]) {
        let said = format!(
            "the time {:?} s comes after {:?} s; expected times in order",
            pair[1], pair[0]
        );
        return Err(Diagnostic::command_line(said));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use stickslip::EventKind;
    use stickslip_file::Memory;

    fn found(text: &str, keys: &[&str], times: &[f64]) -> Result<Sensitivities> {
        let asked =
            Sensitivity::new(keys.iter().map(|k| (*k).to_owned()).collect(), times.to_vec());
        let (document, reading) =
            (Document::parse("m.toml", text)?, Reading::new(Memory::default()));
        sensitivity(&asked, &document, &reading, &Context::silent())
    }

    fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    }

    /// The largest difference, relative to the number, or to 1 % of the largest of its row where it is smaller than that.
    fn apart(mine: &[f64], reference: &[f64]) -> f64 {
        assert_eq!(mine.len(), reference.len());
        let largest = reference.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
        let one = |(m, r): (&f64, &f64)| {
            let apart = (m - r).abs() / r.abs().max(1e-2 * largest);
            if apart.is_nan() { f64::INFINITY } else { apart }
        };
        mine.iter().zip(reference).map(one).fold(0.0, f64::max)
    }

    /// Fourth-order differences of runs in quadruple precision by an independent program.
    #[test]
    fn the_reference_derivatives_are_met() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let file = root.join("../../../shared/reference/derivatives.json");
        let Ok(text) = std::fs::read_to_string(file) else { return };
        let cases: Value = serde_json::from_str(&text).unwrap();
        for case in cases.as_array().unwrap() {
            let name = case["id"].as_str().unwrap();
            let keys: Vec<&str> =
                case["wrt"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let end = case["end"].as_f64().unwrap();
            let s = found(case["toml"].as_str().unwrap(), &keys, &[end]).unwrap();
            assert_eq!(s.found.doubtful, [], "{name}");
            let state = |of: fn(&stickslip::State) -> f64| -> Vec<f64> {
                s.found.states.iter().map(of).collect()
            };
            let of_x = apart(&state(|u| u.x), &numbers(&case["dx"]));
            let of_v = apart(&state(|u| u.v), &numbers(&case["dv"]));
            let events = case["events"].as_array().unwrap();
            let frictionless = name == "M14-d";
            // Without friction a velocity that changes its sign is an event here, and none there.
            let counts = |e: &&(usize, &Event)| !(frictionless && e.1.kind == EventKind::Reversal);
            let mine: Vec<_> = s.events().iter().enumerate().collect();
            let mine: Vec<_> = mine.iter().filter(counts).collect();
            assert_eq!(mine.len(), events.len(), "{name}");
            let mut of_t = 0.0f64;
            for ((i, mine), (j, event)) in mine.into_iter().zip(events.iter().enumerate()) {
                assert!((mine.time - event[1].as_f64().unwrap()).abs() < 1e-9);
                // One case has no derivatives of its events.
                let Some(reference) = case["dt"].get(j) else { continue };
                let times = &s.found.event_times[i * keys.len()..][..keys.len()];
                of_t = of_t.max(apart(times, &numbers(reference)));
            }
            println!("{name}: {of_x:.1e} {of_v:.1e} {of_t:.1e}");
            assert!(of_x.max(of_v).max(of_t) < 1e-9, "{name}: {of_x:e} {of_v:e} {of_t:e}");
        }
    }
}
