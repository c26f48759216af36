//! `[run]` of any kind of model: how long, by which scheme, with which output.

use crate::diagnostic::{Diagnostic, Remedy, Result};
use crate::number::short;
use crate::place::{Place, Placed};
use crate::reader::{Table, positive};
use serde::{Serialize, Serializer};
use stickslip::model::MAX_EVENTS;
use stickslip::scheme::impact::penalised::Penalty;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::{Model, Scheme};

/// Schemes that are there for comparison only.
pub(super) const COMPARED: [&str; 2] = ["sign-rk23", "sign-rk45"];

const KEYS: [&str; 8] = ["end", "scheme", "step", "rows", "seed", "events", "rtol", "atol"];

/// Rows of a trajectory, unless the file says otherwise.
const ROWS: usize = 2001;

/// The most steps or rows of one run: their states must fit into memory.
pub const MOST_STEPS: f64 = 1e8;

/// Rows of a trajectory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rows {
    /// So many, equally spaced.
    Count(usize),
    /// One for every step of the scheme.
    Steps,
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(n) => s.serialize_u64(*n as u64),
            Self::Steps => s.serialize_str("steps"),
        }
    }
}

/// How long, by which scheme, with which output.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    /// Last instant, s; the first is 0.
    pub end: f64,
    /// How the motion is advanced.
    #[serde(serialize_with = "scheme_name")]
    pub scheme: Scheme,
    /// Whether the file names it; otherwise it was chosen for the model.
    #[serde(skip)]
    pub scheme_named: bool,
    /// Of a scheme that was chosen in place of `exact`: what that cannot treat.
    #[serde(skip)]
    pub because: Option<String>,
    /// h, s.
    pub step: Option<f64>,
    /// Relative and absolute tolerance of the adaptive schemes; without them each takes its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtol: Option<f64>,
    /// See `rtol`; m and m/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atol: Option<f64>,
    /// Rows of the trajectory.
    pub rows: Rows,
    /// Whether the file gives them.
    #[serde(skip)]
    pub rows_given: bool,
    /// Seed of whatever is random.
    pub seed: u64,
    /// Events after which the run is given up, if the file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    #[serde(skip)]
    end_place: Place,
    /// Where the step stands.
    #[serde(skip)]
    step_place: Option<Place>,
    /// Where `[run]` stands.
    #[serde(skip)]
    place: Place,
}

fn scheme_name<S: Serializer>(scheme: &Scheme, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(scheme.name())
}

/// The schemes of a kind of model.
pub(super) struct Schemes<'a> {
    /// Their names.
    pub names: &'a [&'static str],
    /// Whether `[run]` may hold tolerances.
    pub tolerances: bool,
    /// What stands in front of the walls under a scheme of this name.
    pub penalty: &'a dyn Fn(&'static str) -> Result<Penalty>,
}

impl Run {
    /// Reads `[run]`.
    pub(super) fn read(root: &Table<'_>, schemes: &Schemes<'_>) -> Result<Self> {
        let keys = if schemes.tolerances { &KEYS[..] } else { &KEYS[..6] };
        let t = root.table_opt("run", keys)?.ok_or_else(|| {
            root.fault("the table [run] is missing")
                .help(format!("add [run] with `end`, in s; optional: {}", keys[1..].join(", ")))
        })?;
        let expected = "a finite number > 0, in s";
        let end = t.number_opt("end", positive("s"))?.ok_or_else(|| t.missing("end", expected))?;
        let step = t.number_opt("step", positive("s"))?;
        let choices: Vec<_> = schemes.names.iter().map(|n| (*n, *n)).collect();
        let scheme = t.choice("scheme", "scheme", &choices).map_err(|e| of_another_kind(e, &t))?;
        let rows = match t.whole_or_word("rows", "steps", 2, MOST_STEPS as u64)? {
            None => None,
            Some(None) => Some(Rows::Steps),
            Some(Some(n)) => Some(Rows::Count(n as usize)),
        };
        let seed = t.whole_or("seed", 0, 1)?;
        let events = match t.has("events") {
            true => Some(t.whole_or("events", 1, MAX_EVENTS as u64)?),
            false => None,
        };
        let rtol = t.number_opt("rtol", positive(""))?.map(|n| n.value);
        let atol = t.number_opt("atol", positive("m and m/s"))?.map(|n| n.value);
        let scheme_named = scheme.is_some();
        // Where none is named, this one only stands there until the model is known: see `choose`.
        let name = scheme.as_ref().map_or("exact", |s| s.value);
        let place = scheme.map_or_else(|| t.place().clone(), |s| s.place);
        let asked = Asked { name, rtol, atol };
        let scheme = asked.without_step();
        if let Some(step) = step.as_ref().filter(|_| scheme.is_none()) {
            check_step(step, end.value)?;
        }
        let step_place = step.as_ref().map(|s| s.place.clone());
        let step = step.map(|s| s.value);
        let scheme = match scheme {
            Some(scheme) => scheme,
            None if matches!(name, "spring" | "yosida") => {
                Scheme::Penalised((schemes.penalty)(name)?)
            }
            None => {
                let step = step.ok_or_else(|| no_step(&place, &format!("the scheme `{name}`")))?;
                asked.with_step(step)
            }
        };
        Ok(Self {
            end: end.value,
            scheme,
            scheme_named,
            because: None,
            step,
            step_place,
            rtol,
            atol,
            rows: rows.unwrap_or(Rows::Count(ROWS)),
            rows_given: rows.is_some(),
            seed,
            events,
            end_place: end.place,
            place: t.place().clone(),
        })
    }

    /// Chooses a scheme that can treat `model`, unless the file names one.
    ///
    /// # Errors
    /// Where it takes a step to treat the model and the file gives none.
    pub(super) fn choose(&mut self, model: &Model) -> Result<()> {
        if self.scheme_named {
            return Ok(());
        }
        let choice = Scheme::suited_to(model, self.step).map_err(|e| {
            Diagnostic::at(&self.place, e.to_string())
                .help("add a line `step = 0.01` to [run]")
                .with_remedy(Remedy::Option("step"))
        })?;
        self.scheme = match choice.scheme {
            Scheme::Adaptive(_) => Scheme::Adaptive(self.tolerances()),
            other => other,
        };
        self.because = choice.because;
        Ok(())
    }

    /// Of a scheme that was chosen in place of `exact`: a sentence that says so.
    pub fn chosen(&self) -> Option<String> {
        let because = self.because.as_ref()?;
        let name = self.scheme.name();
        Some(format!(
            "the model names no scheme; `{name}` was chosen, because `exact` cannot treat it: {because}"
        ))
    }

    /// Refuses tolerances where no scheme of the model takes them: `root` holds the table `[run]`.
    pub(super) fn refuse_tolerances(&self, root: &Table<'_>) -> Result<()> {
        let Some(t) = root.table_opt("run", &KEYS)? else { return Ok(()) };
        match ["rtol", "atol"].into_iter().find(|key| t.has(key)) {
            None => Ok(()),
            Some(key) => {
                let name = self.scheme.name();
                let message = format!(
                    "`run.{key}` is for the scheme `adaptive`; this network is solved by `{name}`"
                );
                Err(Diagnostic::at(t.place_of(key), message)
                    .help(format!("leave `{key}` out, or name the scheme `adaptive`")))
            }
        }
    }

    /// The end, with its place.
    pub(super) fn end(&self) -> Placed<f64> {
        Placed { value: self.end, place: self.end_place.clone() }
    }

    /// The step, which `what` (`a path with noise`) needs, s.
    ///
    /// # Errors
    /// Where the file gives none, or one that makes too many steps.
    pub fn needed_step(&self, what: &str) -> Result<f64> {
        let step = self.step.ok_or_else(|| no_step(&self.place, what))?;
        let place = self.step_place.as_ref().unwrap_or(&self.place).clone();
        check_step(&Placed { value: step, place }, self.end)?;
        Ok(step)
    }

    /// Tolerances of the adaptive scheme.
    pub fn tolerances(&self) -> Options {
        tolerances(self.rtol, self.atol)
    }
}

fn tolerances(rtol: Option<f64>, atol: Option<f64>) -> Options {
    let usual = Options::default();
    let rtol = rtol.unwrap_or(usual.rtol);
    Options::tolerance(rtol).with_atol(atol.unwrap_or(1e-3 * rtol))
}

fn no_step(place: &Place, what: &str) -> Diagnostic {
    Diagnostic::at(place, format!("`run.step` is missing; {what} needs a step > 0, in s"))
        .help("add a line `step = 0.01` to [run]")
        .with_remedy(Remedy::Option("step"))
}

/// What is wrong with a scheme of this name that exists, but for models of another kind.
fn of_another_kind(error: Diagnostic, t: &Table<'_>) -> Diagnostic {
    let Ok(Some(written)) = t.text_opt("scheme", "a scheme") else { return error };
    let kinds = [
        ("[oscillator]", Model::OSCILLATOR),
        ("[oscillator]", &COMPARED),
        ("[cascade]", Model::CASCADE),
        ("[network]", Model::NETWORK),
        ("[impact]", Model::IMPACT),
        ("[planar]", Model::PLANAR),
    ];
    let name = written.value.as_str();
    let tables: Vec<_> = kinds.iter().filter(|k| k.1.contains(&name)).map(|k| k.0).collect();
    if tables.is_empty() {
        return error;
    }
    error.with_message(format!(
        "the scheme `{name}` is not for this model, but for {}",
        tables.join(" and ")
    ))
}

/// A scheme by its name, and what it may take.
struct Asked {
    name: &'static str,
    rtol: Option<f64>,
    atol: Option<f64>,
}

impl Asked {
    fn without_step(&self) -> Option<Scheme> {
        Some(match self.name {
            "exact" => Scheme::Exact,
            "adaptive" => Scheme::Adaptive(tolerances(self.rtol, self.atol)),
            "quasi-static" => Scheme::QuasiStatic,
            "sign-rk23" | "sign-rk45" => {
                use stickslip::scheme::oscillator::general_purpose::Solver;
                let solver = if self.name == "sign-rk23" { Solver::Rk23 } else { Solver::Rk45 };
                // What MATLAB's solvers begin with.
                let rtol = self.rtol.unwrap_or(1e-3);
                let atol = self.atol.unwrap_or(1e-6);
                Scheme::GeneralPurpose { solver, rtol, atol }
            }
            _ => return None,
        })
    }

    fn with_step(&self, step: f64) -> Scheme {
        match self.name {
            "euler" => Scheme::Euler { step },
            "theta" => Scheme::Theta { step, theta: 0.5 },
            "hysteresis" => Scheme::Hysteresis { step },
            "moreau" => Scheme::Moreau { step },
            "sign-euler" => Scheme::SignEuler { step },
            "sign-implicit" => Scheme::SignImplicit { step },
            _ => Scheme::ImplicitEuler { step },
        }
    }
}

fn check_step(step: &Placed<f64>, end: f64) -> Result<()> {
    let h = step.value;
    let steps = end / step.value;
    if steps > MOST_STEPS {
        return Err(Diagnostic::at(
            &step.place,
            format!(
                "`run.step` is {h:?} s: that makes {steps:.3e} steps until {} s; expected at most {MOST_STEPS:e} steps",
                short(end)
            ),
        )
        .help("take a larger step or a shorter run"));
    }
    if h > end {
        return Err(Diagnostic::at(
            &step.place,
            format!("`run.step` is {h:?} s, longer than the run of {} s", short(end)),
        )
        .help("take a step well below `run.end`"));
    }
    Ok(())
}
