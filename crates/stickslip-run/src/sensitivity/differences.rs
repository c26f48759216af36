//! Derivatives of motions for whose kind of model there is no variational equation here: by differences of motions that
//! have the same events, at several distances, with what they are worth.

use super::case::{Case, Source};
use super::{Sensitivities, Sensitivity};
use crate::context::Context;
use stickslip::study::parallel;
use stickslip::study::sensitivity::Sides;
use stickslip::{Energy, Event, Role, Scheme, Solution};
use stickslip_file::{Diagnostic, Document, ModelFile, Reading, Result, Varied};

/// Distances of the motions, relative to the number: where the error of the difference, of order four, is that of the
/// rounding depends on the motion.
const SHARES: [f64; 5] =
    [1.0 / 256.0, 1.0 / 2048.0, 1.0 / 16_384.0, 1.0 / 131_072.0, 1.0 / 1_048_576.0];
/// Motions in steps of the distance, and their weights.
type Stencil = [(f64, f64); 4];
const CENTRAL: Stencil =
    [(-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0)];
/// To one side: the motion itself has the weight −25/12.
const AHEAD: Stencil =
    [(1.0, 48.0 / 12.0), (2.0, -36.0 / 12.0), (3.0, 16.0 / 12.0), (4.0, -3.0 / 12.0)];
/// Differences that are less like those at another distance are not given.
const WORTHLESS: f64 = 1e-3;

/// Derivatives of the energies of a motion with respect to numbers of its file.
#[derive(Debug)]
#[non_exhaustive]
pub struct EnergyRates {
    /// The energies themselves, J.
    pub energy: Energy,
    /// Their derivatives with respect to each number, in J for each unit of it; NaN where there is none.
    pub rates: Vec<Energy>,
    /// What the derivatives with respect to each number are worth: how far they are from those at another distance, relative to the
    /// largest of them, or to the largest energy over the number.
    pub worth: Vec<f64>,
    /// Why there is no derivative with respect to some number.
    pub doubtful: Vec<String>,
}

/// The derivatives of the energies of a document's motion at its end with respect to numbers of it: by differences of order four of
/// motions that have the same events, whatever the kind of model.
///
/// ```
/// use stickslip_file::{Document, Memory, Reading};
/// use stickslip_run::{Context, sensitivity::{Sensitivity, energies}};
/// let text = "[oscillator]\nmass = 1.0\nstiffness = 0.0\nfriction.coulomb.force = 1.0\n\
///             initial.velocity = 2.0\n[run]\nend = 9.0\n";
/// let (document, reading) = (Document::parse("m.toml", text)?, Reading::new(Memory::default()));
/// // A mass that slides to rest loses m v₀²/2 to friction.
/// let asked = Sensitivity::new(vec!["oscillator.mass".to_owned()], Vec::new());
/// let found = energies(&asked, &document, &reading, &Context::silent())?;
/// assert!((found.rates[0].friction - 2.0).abs() < 1e-9);
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
///
/// # Errors
/// Those of [`sensitivity`](super::sensitivity()).
pub fn energies(
    asked: &Sensitivity,
    document: &Document,
    reading: &Reading,
    context: &Context<'_>,
) -> Result<EnergyRates> {
    let quiet = reading.without_echo();
    let source = Source { document, reading: &quiet, place: &asked.place };
    let case = Case::read(source, &asked.keys, None, context)?;
    let scheme = differenced(&case.file)?;
    let solution = stickslip::solve(&case.file.problem, &scheme)?;
    let aside = Aside {
        from: &case.source,
        scheme: &scheme,
        solution: &solution,
        times: &[],
        columns: &[],
        energies: true,
    };
    let all = aside.all(&case)?;
    let lost = [f64::NAN; TERMS];
    let rates = all.iter().map(|c| of_terms(c.as_ref().map_or(&lost[..], |c| &c.of.energies)));
    let why = case.keys.iter().zip(&all).filter_map(|(key, c)| Some(c.as_ref().err()?.told(key)));
    Ok(EnergyRates {
        energy: solution.energy(),
        rates: rates.collect(),
        worth: all.iter().map(|c| c.as_ref().map_or(f64::NAN, |c| c.known)).collect(),
        doubtful: why.collect(),
    })
}

/// The derivatives of any motion that is led by events.
pub(super) fn of_any(case: &Case<'_>, times: &[f64]) -> Result<Sensitivities> {
    let scheme = differenced(&case.file)?;
    let solution = stickslip::solve(&case.file.problem, &scheme)?;
    let of = |role: Role| {
        let columns = solution.columns().iter().enumerate();
        columns.filter(move |(_, c)| c.role == role).map(|(i, _)| i)
    };
    let columns: Vec<usize> = of(Role::Position).chain(of(Role::Velocity)).collect();
    let bodies = columns.len() / 2;
    let aside = Aside {
        from: &case.source,
        scheme: &scheme,
        solution: &solution,
        times,
        columns: &columns,
        energies: false,
    };
    let all = aside.all(case)?;
    let mut x = Vec::new();
    let mut v = Vec::new();
    let mut event_times = Vec::new();
    let state = |c: &Found, row: usize| c.as_ref().map_or(f64::NAN, |c| c.of.states[row]);
    for row in (0..times.len()).map(|i| i * 2 * bodies) {
        for body in 0..bodies {
            x.extend(all.iter().map(|c| state(c, row + body)));
            v.extend(all.iter().map(|c| state(c, row + bodies + body)));
        }
    }
    for i in 0..solution.events.len() {
        let of = |c: &Found| c.as_ref().map_or(f64::NAN, |c| c.of.event_times[i]);
        event_times.extend(all.iter().map(of));
    }
    let mut doubtful = Vec::new();
    for (key, found) in case.keys.iter().zip(&all) {
        if let Err(why) = found {
            doubtful.push((0.0, why.told(key)));
        }
    }
    Ok(Sensitivities {
        values: case.values.clone(),
        sides: all.iter().map(|c| c.as_ref().map_or(Sides::Both, |c| c.sides)).collect(),
        bodies,
        x,
        v,
        event_times,
        doubtful,
        worth: Some(all.iter().map(|c| c.as_ref().map_or(f64::NAN, |c| c.known)).collect()),
        events: solution.events,
    })
}

/// The tolerance of motions that are differenced: what a step may err by is multiplied by the inverse of their distance.
const SHARP: f64 = 1e-13;

/// The scheme with a tolerance that differences can bear; `None` where it is not led by events.
fn sharp(scheme: &Scheme) -> Option<Scheme> {
    match scheme {
        Scheme::Exact => Some(Scheme::Exact),
        Scheme::Adaptive(options) => {
            let mut sharp = *options;
            sharp.rtol = sharp.rtol.min(SHARP);
            sharp.atol = sharp.atol.min(1e-3 * SHARP);
            Some(Scheme::Adaptive(sharp))
        }
        _ => None,
    }
}

/// The scheme of motions that are differenced.
pub(super) fn differenced(file: &ModelFile) -> Result<Scheme> {
    sharp(&file.run.scheme).ok_or_else(|| {
        Diagnostic::unsolvable(format!(
            "derivatives of a model of the kind `{}` are those of the schemes `exact` and `adaptive`; this is `{}`",
            file.problem.kind(),
            file.run.scheme.name()
        ))
    })
}

/// What is known of the derivatives with respect to one number.
type Found = std::result::Result<Column, Lost>;

/// Differences with respect to one number.
#[derive(Debug)]
struct Differences {
    /// Of the columns of the motion that were asked for, at each time.
    pub states: Vec<f64>,
    /// Of the times of the events.
    pub event_times: Vec<f64>,
    /// Of the energies, if they were asked for.
    pub energies: Vec<f64>,
}

/// Energies that are differenced.
const TERMS: usize = 8;

/// The energies as a list.
fn terms(e: &Energy) -> [f64; TERMS] {
    [e.work, e.gross_work, e.kinetic, e.elastic, e.friction, e.viscous, e.impacts, e.jumps]
}

/// The energies, or their derivatives, of such a list.
fn of_terms(list: &[f64]) -> Energy {
    let mut e = Energy::default();
    let fields = [
        &mut e.work,
        &mut e.gross_work,
        &mut e.kinetic,
        &mut e.elastic,
        &mut e.friction,
        &mut e.viscous,
        &mut e.impacts,
        &mut e.jumps,
    ];
    for (field, value) in fields.into_iter().zip(list) {
        *field = *value;
    }
    e
}

/// The derivatives with respect to one number.
#[derive(Debug)]
struct Column {
    pub of: Differences,
    /// How far they are from those at another distance, relative to the largest of them.
    pub known: f64,
    /// From which sides the number is looked at: from both, or from one at the end of its range.
    pub sides: Sides,
}

/// Why there are no derivatives with respect to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lost {
    /// A motion next to this one has other events, at the least distance too.
    OtherEvents,
    /// A motion next to this one cannot be solved, at the least distance too.
    Unsolved,
    /// Differences at several distances are not alike, or there is only one.
    Unlike,
}

impl Lost {
    /// The reason as a sentence about the number at `key`.
    pub fn told(self, key: &str) -> String {
        match self {
            Self::OtherEvents => {
                format!("where `{key}` differs by a few millionths, the motion has other events")
            }
            Self::Unsolved => {
                format!("where `{key}` differs by a few millionths, the motion cannot be solved")
            }
            Self::Unlike => format!(
                "motions with neighbouring values of `{key}` give no difference that is good to 0.1 %"
            ),
        }
    }
}

/// A motion of a document, and what is read off it and off those next to it.
struct Aside<'a> {
    pub from: &'a Source<'a>,
    pub scheme: &'a Scheme,
    pub solution: &'a Solution,
    pub times: &'a [f64],
    /// Columns of the solution.
    pub columns: &'a [usize],
    /// Whether the energies are differenced, too.
    pub energies: bool,
}

impl Aside<'_> {
    /// The derivatives with respect to every number.
    fn all(&self, case: &Case<'_>) -> Result<Vec<Found>> {
        let given = case.keys.iter().zip(&case.values).collect();
        parallel::try_over(given, |(key, value)| self.column(key, *value))
    }

    /// The derivatives with respect to the number `value` at `key`, or why there are none.
    pub fn column(&self, key: &str, value: f64) -> Result<std::result::Result<Column, Lost>> {
        let varied = Varied::new(self.from.document, [(self.from.place, key, value)])?;
        let scale = if value == 0.0 { 1.0 } else { value.abs() };
        let sides = self.sides(&varied, value, SHARES[0] * scale)?;
        let found = SHARES.map(|share| self.at(&varied, value, sides, share * scale));
        // A number may change no energy at all. What is small beside an energy over the number is rounding.
        let largest = |e: Energy| terms(&e).into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let usual = if self.energies { largest(self.solution.energy()) / scale } else { 0.0 };
        let mut best: Option<(f64, usize)> = None;
        for (i, pair) in found.windows(2).enumerate() {
            if let [Ok(a), Ok(b)] = pair {
                let known = apart(&a.states, &b.states, 0.0)
                    .max(apart(&a.event_times, &b.event_times, 0.0))
                    .max(apart(&a.energies, &b.energies, usual));
                if best.is_none_or(|best| known < best.0) {
                    best = Some((known, i + 1));
                }
            }
        }
        let nearest = found.last().and_then(|f| f.as_ref().err().copied());
        let mut found = found.into_iter();
        Ok(match best {
            Some((known, i)) if known < WORTHLESS => match found.nth(i) {
                Some(of) => of.map(|of| Column { of, known, sides }),
                None => Err(Lost::Unlike),
            },
            Some(_) => Err(Lost::Unlike),
            None => Err(nearest.unwrap_or(Lost::Unlike)),
        })
    }

    /// From which sides the number can be looked at.
    fn sides(&self, varied: &Varied, value: f64, h: f64) -> Result<Sides> {
        let read = |x: f64| {
            let file = varied.read(&[x], |d| ModelFile::read(d, self.from.reading))?;
            Ok::<_, Diagnostic>(file.problem.check()?)
        };
        let works = |side: f64| read(value + 4.0 * side * h);
        match (works(1.0), works(-1.0)) {
            (Ok(()), Ok(())) => Ok(Sides::Both),
            (Ok(()), Err(_)) => Ok(Sides::Above),
            (Err(_), Ok(())) => Ok(Sides::Below),
            (Err(e), Err(_)) => Err(e),
        }
    }

    fn solved(&self, varied: &Varied, x: f64) -> Option<Solution> {
        let file = varied.read(&[x], |d| ModelFile::read(d, self.from.reading)).ok()?;
        stickslip::solve(&file.problem, self.scheme).ok()
    }

    /// The differences at a distance of `h`.
    fn at(
        &self,
        varied: &Varied,
        value: f64,
        sides: Sides,
        h: f64,
    ) -> std::result::Result<Differences, Lost> {
        let sign = if sides == Sides::Below { -1.0 } else { 1.0 };
        let stencil = if sides == Sides::Both { CENTRAL } else { AHEAD };
        let mut all = Vec::with_capacity(stencil.len());
        for (k, weight) in stencil {
            let solved = self.solved(varied, value + sign * k * h).ok_or(Lost::Unsolved)?;
            all.push((sign * weight / h, solved));
        }
        let events = &self.solution.events;
        let alike = |(a, b): (&Event, &Event)| a.kind == b.kind && a.place == b.place;
        let same =
            |s: &Solution| s.events.len() == events.len() && s.events.iter().zip(events).all(alike);
        if !all.iter().all(|a| same(&a.1)) {
            return Err(Lost::OtherEvents);
        }
        let event_times = (0..events.len())
            .map(|i| all.iter().map(|(w, s)| w * (s.events[i].time - events[i].time)).sum())
            .collect();
        let energies = if self.energies { self.energies(&all) } else { Vec::new() };
        Ok(Differences { states: self.states(&all), event_times, energies })
    }

    /// The differences of the energies: of each motion those by which it differs from the motion itself, so that what is large and alike
    /// costs no digits.
    fn energies(&self, all: &[(f64, Solution)]) -> Vec<f64> {
        let here = terms(&self.solution.energy());
        let mut out = vec![0.0; TERMS];
        for (weight, solution) in all {
            for ((sum, there), here) in out.iter_mut().zip(terms(&solution.energy())).zip(here) {
                *sum += weight * (there - here);
            }
        }
        out
    }

    /// The differences of the columns, of each motion those by which it differs from the motion itself: a number that changes nothing has
    /// the derivative 0, not that of the rounding of a sum. NaN where an event lies between the motions, for there is no mean of both sides.
    fn states(&self, all: &[(f64, Solution)]) -> Vec<f64> {
        let width = self.solution.columns().len();
        let mut out = vec![0.0; self.times.len() * self.columns.len()];
        let mut here = vec![0.0; width];
        let mut there = vec![0.0; width];
        for (weight, solution) in all {
            let mut own = self.solution.rows();
            let mut rows = solution.rows();
            for (i, &t) in self.times.iter().enumerate() {
                own.at(t, &mut here);
                rows.at(t, &mut there);
                for (j, &c) in self.columns.iter().enumerate() {
                    out[i * self.columns.len() + j] += weight * (there[c] - here[c]);
                }
            }
        }
        for (i, &t) in self.times.iter().enumerate() {
            let begun = |s: &Solution| s.events.partition_point(|e| e.time <= t);
            let here = begun(self.solution);
            let at_event = here > 0 && self.solution.events[here - 1].time == t;
            if at_event || all.iter().any(|(_, s)| begun(s) != here) {
                out[i * self.columns.len()..][..self.columns.len()].fill(f64::NAN);
            }
        }
        out
    }
}

/// The largest difference of two lists, relative to the largest number in them or to a `usual` one; those that are NaN in one of them
/// left out.
fn apart(a: &[f64], b: &[f64], usual: f64) -> f64 {
    let largest = b.iter().filter(|x| x.is_finite()).fold(usual, |most: f64, x| most.max(x.abs()));
    let pairs = a.iter().zip(b).map(|(a, b)| (a - b).abs()).filter(|d| d.is_finite());
    let apart = pairs.fold(0.0, f64::max);
    if apart == 0.0 { 0.0 } else { apart / largest }
}
