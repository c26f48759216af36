//! How the periodic orbits of a model change with one of its numbers, and where they bifurcate.

use crate::axis::{Axis, PLACE, Range, check_units, range_of};
use crate::context::Context;
use crate::export::boundaries;
use crate::export::key::Over;
use crate::export::response::Shown;
use crate::heading::Heading;
use crate::input::{self, Applies, Input};
use crate::orbit::{endless, method, node, tight};
use crate::product::Product;
use crate::summary::carried_out;
use serde::Deserialize;
use serde_json::json;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip::Model;
use stickslip::study::orbit::{self, Driven, End, Forced, Options, TurningPoint, period_of};
use stickslip::study::shooting::responding;
use stickslip_file::{
    Diagnostic, Document, FailureKind, ModelFile, Remedy, Result, Value, Varied, VariedModel,
};

/// What is asked of a response beside the model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Response {
    /// The number that varies, by its key from the top of the document. Several keys that take the same number are joined by `+`.
    pub key: String,
    /// Its first value and its last.
    pub range: (f64, f64),
    /// About how many points a branch has over the whole range; 200.
    pub count: usize,
    /// Periods of the load in a period of the orbits; of a model that nothing drives how often the mass turns upwards; 1.
    pub periods: usize,
    /// What messages call the place where the key was given.
    #[serde(skip, default = "place")]
    pub place: String,
    /// A second number: the bifurcations over the first are located at each of its values, and the peak is found.
    pub second: Option<Axis>,
    /// The node of a network whose displacement has the amplitude; without a name the first whose motion is not given.
    pub point: Option<String>,
    /// Periods of the orbit over which the motions that lead to the branches are followed; 100.
    pub within: usize,
    /// The ends of the range as they were written, if they have units.
    #[serde(skip)]
    pub written: Option<[String; 2]>,
}

/// Where a key was given, if the caller does not say.
fn place() -> String {
    PLACE.to_owned()
}

impl Default for Response {
    fn default() -> Self {
        Self::new("", 0.0, 0.0)
    }
}

impl Response {
    /// Over this number from `from` to `to`.
    pub fn new(key: impl Into<String>, from: f64, to: f64) -> Self {
        let key = key.into();
        let range = (from, to);
        let within = Options::new(from, to).search.transient;
        Self {
            key,
            range,
            count: 200,
            periods: 1,
            place: place(),
            second: None,
            point: None,
            within,
            written: None,
        }
    }

    /// Reads `key.path=from:to` or `key.path=from:to:count`.
    pub fn parse(text: &str) -> Option<Self> {
        let (key, range) = text.split_once('=')?;
        let Range { ends: [from, to], count, written } = range_of(range)?;
        let plain = Self::new(key.trim(), from, to);
        Some(Self { count: count.unwrap_or(plain.count), written, ..plain })
    }

    /// With another name in messages for the place where the key was given.
    #[must_use]
    pub fn given_at(self, place: impl Into<String>) -> Self {
        Self { place: place.into(), ..self }
    }

    fn options(&self) -> Options {
        let (from, to) = self.range;
        let mut options = Options::new(from, to).with_count(self.count).with_periods(self.periods);
        options.search.transient = self.within.max(1);
        options
    }
}

/// Follows the branches of periodic orbits over one number of the model.
///
/// # Errors
/// Where an option or the model is wrong, or there are no orbits.
pub fn response(options: &Response, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    if options.key.is_empty() {
        let said = "a response needs a number that varies, and its range";
        return Err(Diagnostic::command_line(said).with_remedy(Remedy::Omit("response")));
    }
    let document = endless(input.document, input.reading)?;
    let at = (options.place.as_str(), options.key.as_str());
    check_units(&document, input.reading, at, options.written.as_ref())?;
    let whole = Input { document: &document, ..*input };
    options.second.iter().try_for_each(|a| a.check_units(&whole))?;
    let over = (options.place.as_str(), options.key.as_str(), options.range.0);
    let both = match &options.second {
        Some(axis) => {
            let varied = Varied::new(&document, [over, axis.given()])?;
            Some(VariedModel::new(varied, input.reading))
        }
        None => None,
    };
    let varied = Varied::new(&document, [over])?;
    let first = ModelFile::read(&varied.document(&[options.range.0])?, input.reading)?;
    let maker = Maker {
        options,
        context,
        one: VariedModel::new(varied, input.reading),
        both,
        made: Mutex::new(Vec::new()),
        done: AtomicU64::new(0),
    };
    input.check(&Applies { rows: false, ..Applies::to_motion(&first) })?;
    let shoots = matches!(first.problem.model, Model::Hysteretic(_) | Model::Planar(_));
    if !shoots {
        options.check_effort(&maker.forced(options.range.0, None)?, context)?;
    } else if options.second.is_some() {
        let said = "bifurcations over two numbers are located for [oscillator] and [network] models without memory only";
        return Err(Diagnostic::command_line(said).help("vary one number"));
    }
    let (found, head) = carried_out("response", &first, context, || {
        if shoots {
            return maker.by_shooting(&first);
        }
        orbit::response(|value| maker.forced(value, None), &options.options())
    })?;
    let boundaries = maker.boundaries(input::heading(&first), input.document)?;
    let (from, to) = options.range;
    let bifurcations: Vec<_> = found
        .bifurcations()
        .map(|(value, kind)| json!({ "value": value, "kind": kind.name() }))
        .collect();
    let end = |(i, value, end): (usize, f64, End)| {
        let (how, kind) = match end {
            End::Bifurcation(kind) => ("bifurcation", Some(kind.name())),
            End::Unbounded => ("unbounded", None),
            End::Joined => ("joined", None),
            End::Unfinished => ("unfinished", None),
            _ => ("lost", None),
        };
        json!({ "branch": i + 1, "value": value, "how": how, "kind": kind })
    };
    let inner = found.branches.iter().enumerate();
    let ends: Vec<_> =
        inner.flat_map(|(i, b)| b.inner_ends().map(move |e| (i, e.0, e.1))).map(end).collect();
    let summary = head.with(json!({
        "over": { "key": options.key, "from": from, "to": to, "count": options.count },
        "branches": found.branches.len(), "bifurcations": bifurcations,
        "not_repeating_at": not_repeating(&found),
        "unsettled_at": found.unsettled, "steady_at": found.steady, "ends": ends, "whole": found.is_whole(),
    }));
    let mut summary = summary;
    let over_both = boundaries.as_ref().map(boundaries::Shown::found);
    if let Some(p) = over_both.and_then(|found| found.least_peak) {
        summary["least_peak"] =
            json!({ "second": p.second, "value": p.first, "amplitude": p.amplitude });
    }
    if let Some(turns) = over_both.map(|found| &found.turns).filter(|turns| !turns.is_empty()) {
        let turn = |t: &TurningPoint| json!({ "second": t.second, "value": t.first, "kind": t.kind.name() });
        summary["turns"] = turns.iter().map(turn).collect();
    }
    let over = as_written(&options.key, options.written.as_ref(), input.document);
    let shown = Shown::new(input::heading(&first), over, found);
    let shown = shown.with_boundaries(boundaries);
    Ok(Product { inputs: first.inputs, ..shown.product(summary) })
}

/// A number that is varied, in Hz where the range, or else the number in the file, is written in Hz.
fn as_written(key: &str, range: Option<&[String; 2]>, file: &Document) -> Over {
    let hertz = |text: &str| text.trim_end().ends_with("Hz");
    let in_hertz = match range {
        Some(ends) => ends.iter().any(|end| hertz(end)),
        None => matches!(file.written(key), Some(Value::Text(text)) if hertz(text)),
    };
    Over::new(key, in_hertz)
}

/// Values at which some motion was not seen to repeat after the periods that were asked for.
fn not_repeating(found: &orbit::Response) -> Vec<f64> {
    let mut all: Vec<f64> =
        found.others.iter().map(|o| o.0).chain(found.unsettled.iter().copied()).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Points of all branches beyond which a response is refused: each of them holds an orbit.
const MOST_POINTS: f64 = 100_000.0;
/// Values of the second number times points over the first beyond which it is refused.
const MOST_OF_BOTH: f64 = 1_000_000.0;
/// How often the model is solved for a point, about.
const SOLVED: f64 = 8.0;

impl Response {
    /// Refuses what takes absurdly long, with an estimate from one passage of the model, and says so where it takes minutes.
    fn check_effort(&self, forced: &Forced, context: &Context<'_>) -> Result<()> {
        let count = self.count as f64;
        let seconds = self.second.as_ref().map(|s| s.values.count());
        let all = count * (1.0 + seconds.map_or(0.0, |n| n as f64));
        let (_, one) = context.timed(|| forced.passage(&forced.start(), self.periods.max(1)));
        let time = SOLVED * one * all;
        if count <= MOST_POINTS && all <= MOST_OF_BOTH && time < A_DAY {
            if time > A_MINUTE {
                (context.warn)(&format!("this response takes about {}", lasting(time)));
            }
            return Ok(());
        }
        let takes = if one > 0.0 {
            format!(", which takes about {}", lasting(time))
        } else {
            String::new()
        };
        let said = format!(
            "the response would have about {all:.0e} points{takes}; at most {MOST_POINTS:.0e} on a branch, {MOST_OF_BOTH:.0e} over two \
             numbers and a day are sensible"
        );
        Err(Diagnostic::command_line(said).help("take fewer points: KEY=FROM:TO:COUNT"))
    }
}

const A_MINUTE: f64 = 60.0;
const A_DAY: f64 = 86_400.0;

/// A time in words.
fn lasting(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 2.0 * A_DAY => format!("{:.0} hours", s / 3600.0),
        s if s < 730.0 * A_DAY => format!("{:.0} days", s / A_DAY),
        s => format!("{:.0e} years", s / (365.25 * A_DAY)),
    }
}

/// Makes the model at each value.
struct Maker<'a> {
    options: &'a Response,
    context: &'a Context<'a>,
    /// The file with the first number open.
    one: VariedModel,
    /// The file with both numbers open, if there is a second one.
    both: Option<VariedModel>,
    /// The models made last: a value is asked for several times in a row.
    made: Mutex<Vec<(f64, Option<f64>, Forced)>>,
    done: AtomicU64,
}

/// Models that are remembered.
const REMEMBERED: usize = 6;

impl Maker<'_> {
    /// The file with the numbers put in.
    fn file(&self, value: f64, second: Option<f64>) -> Result<ModelFile> {
        match (&self.both, second) {
            (Some(both), Some(second)) => both.read(&[value, second]),
            _ => self.one.read(&[value]),
        }
    }

    /// An error if the user does not want to wait any longer.
    fn go_on(&self) -> Result<()> {
        if !(self.context.cancelled)() {
            return Ok(());
        }
        let done = self.done.load(Ordering::Relaxed);
        Err(Diagnostic::of(FailureKind::Interrupted, format!("interrupted after {done} models"))
            .help("run it again, or ask for fewer points"))
    }

    /// The branches of a contact with memory or of a mass on a plane.
    fn by_shooting(&self, first: &ModelFile) -> Result<orbit::Response> {
        node(first, self.options.point.as_deref())?;
        let made = |value| {
            self.go_on()?;
            Ok(self.file(value, None)?.problem.model)
        };
        responding(made, tight(first)?, &self.options.options())
    }

    fn forced(&self, value: f64, second: Option<f64>) -> Result<Forced> {
        self.go_on()?;
        let same = |m: &&(f64, Option<f64>, Forced)| m.0 == value && m.1 == second;
        let known = self.made.lock().ok().and_then(|m| m.iter().find(same).map(|m| m.2.clone()));
        if let Some(forced) = known {
            return Ok(forced);
        }
        let model = self.file(value, second)?;
        let point = node(&model, self.options.point.as_deref())?;
        let what = &model.problem.model;
        let how = method(&model)?;
        let forced = match period_of(what)? {
            Driven::Every(period) => Forced::new(what, period, how)?,
            Driven::ByItself => Forced::by_itself(what, how)?,
        };
        let forced = forced.looked_at(point);
        if let Ok(mut made) = self.made.lock() {
            made.insert(0, (value, second, forced.clone()));
            made.truncate(REMEMBERED);
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        Ok(forced)
    }

    /// What there is at each value of the second number.
    fn boundaries(&self, heading: Heading, file: &Document) -> Result<Option<boundaries::Shown>> {
        let Some(axis) = &self.options.second else { return Ok(None) };
        let seconds: Vec<f64> = (0..axis.values.count()).map(|i| axis.values.value(i)).collect();
        // What lies between the values is looked for last.
        let parts = seconds.len() as u64 + 2;
        (self.context.progress)(1, parts);
        let found = orbit::boundaries(
            &|value, second| self.forced(value, Some(second)),
            &self.options.options(),
            &seconds,
            |e: &Diagnostic| e.kind() == FailureKind::Unsolvable,
            |done| (self.context.progress)(done as u64 + 1, parts),
        )?;
        self.go_on()?;
        (self.context.progress)(parts, parts);
        let over = [
            as_written(&self.options.key, self.options.written.as_ref(), file),
            as_written(&axis.key, axis.written.as_ref(), file),
        ];
        Ok(Some(boundaries::Shown::new(heading, over, found)))
    }
}
