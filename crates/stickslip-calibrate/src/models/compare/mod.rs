//! The same record with other friction laws, and what that says about the contact.

mod answers;
mod contact;

use super::least_squares::{Misfit, least_squares};
use super::setup::{PieceMotion, Setup};
use super::{Question, Unknown};
use crate::control::Control;
use crate::error::Error;
use crate::statistics::stats::square;
use answers::answers;
use contact::{ALL, Contact, Other, Sizes};
use serde::Serialize;
use stickslip::portable;
use stickslip::scheme::oscillator::adaptive;
use stickslip::{Model, Scheme};

/// Rows that the laws are compared on, from the first: of one record, and of several together.
const ROWS: usize = 3000;
const OF_ALL: usize = 6000;
/// Least-squares steps for each start of a law, and starts that are followed.
const STEPS: usize = 25;
const FOLLOWED: usize = 4;
/// A richer law that leaves so much more than a case of it has not been found.
const BROKEN: f64 = 1.02;
/// Laws that all leave more than this share of what was measured say nothing about the contact.
const ASTRAY: f64 = 0.5;

/// One friction law on the record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// `none`, `viscous`, `coulomb`, `static-dynamic`, `stribeck` or `asymmetric`.
    pub law: &'static str,
    /// Numbers of the contact: name and value.
    pub numbers: Vec<(&'static str, f64)>,
    /// Numbers that were sought.
    pub unknowns: usize,
    /// Root mean square of what is left, as a share of what was measured.
    pub relative: f64,
    /// The same over the second half of the record, if only the first half is fitted.
    pub held_out: f64,
    /// Akaike's criterion; neighbouring residuals that are alike count as one.
    pub aic: f64,
    /// Schwarz's criterion, likewise.
    pub bic: f64,
}

/// A question about the contact, and what the record says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// `dry-friction`, `static-above-dynamic`, `stribeck` or `asymmetric`.
    pub what: &'static str,
    /// By how much the BIC falls with the richer law.
    pub bic: f64,
    /// The error on the second half with the richer law, as a share of that with the poorer one.
    pub held_out: f64,
    /// `yes`, `weakly`, `no` or `undecided`; `failed` where the search did, so that nothing is said.
    pub verdict: &'static str,
    /// One sentence.
    pub sentence: String,
}

/// Friction laws beside each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Rows of the record that they were compared on.
    pub rows: usize,
    /// Rows that count as one.
    pub together: f64,
    /// The laws.
    pub candidates: Vec<Candidate>,
    /// What they say.
    pub answers: Vec<Answer>,
    /// What the law that was fitted leaves of the same rows, as a share of what was measured.
    pub fitted_relative: f64,
    /// Its BIC.
    pub fitted_bic: f64,
}

/// A candidate with where its search ended.
struct Tried {
    contact: Contact,
    candidate: Candidate,
    rss: f64,
    p: Vec<f64>,
}

/// Compares friction laws; `None` for a model with more than one contact, or a support that moves it.
pub fn compare(
    setup: &Setup<'_>,
    p: &[f64],
    values: &[f64],
    together: f64,
    control: &dyn Control,
) -> Result<Option<Comparison>, Error> {
    let Ok(problem) = setup.family.problem(values) else { return Ok(None) };
    let Model::Oscillator(o) = &problem.model else { return Ok(None) };
    let most = if setup.question.breaks.is_empty() { ROWS } else { OF_ALL };
    let rows = setup.question.time.len().min(most);
    let force = o.friction.breakaway().max(o.friction.sliding());
    let speed = setup
        .motion(&problem, p, 0)
        .map(|PieceMotion { solution: s, .. }| {
            s.equally_spaced(400)
                .map(|t| {
                    let mut row = vec![0.0; s.columns().len()];
                    s.row(t, &mut row);
                    row[1].abs()
                })
                .fold(0.0, f64::max)
        })
        .unwrap_or(0.0);
    // What never moves tells no friction law from another.
    if speed <= 0.0 {
        return Ok(None);
    }
    let load = o.stiffness
        * setup
            .displacement
            .map_or(speed, |i| super::setup::spread(&setup.question.sensors[i].values));
    let normal = o.normal_force(o.initial.displacement, 0.0);
    // Under a normal force the numbers of a law are coefficients, so that a force becomes one when it is
    // divided by it; without one it is 1.
    let force = if force > 0.0 { force } else { 0.3 * load / normal.max(f64::MIN_POSITIVE) };
    let damping = 4.0 * (o.stiffness * o.mass).sqrt() + 4.0 * force * normal / speed;
    let sizes = Sizes::of(&o.friction, force, speed, damping);
    let shared = Shared { setup, p, values, rows, sizes, together };
    let mut tried: Vec<Tried> = Vec::new();
    // One after the other, since each law starts from where the poorer ones have ended.
    for (i, (contact, law)) in ALL.into_iter().enumerate() {
        let found = setup.step(&mut || candidate(&shared, contact, &tried))?;
        tried.extend(found.and_then(|f| contact.candidate(law, &f)));
        control.progress((i + 1) as f64 / ALL.len() as f64);
    }
    let [fitted_relative, fitted_bic] = shared.fitted();
    let answers = answers(&tried);
    let candidates = tried.into_iter().map(|t| t.candidate).collect();
    Ok(Some(Comparison { rows, together, candidates, answers, fitted_relative, fitted_bic }))
}

/// What all candidates share.
struct Shared<'a, 'b> {
    setup: &'a Setup<'b>,
    /// Where the fit ended, and the values of its unknowns.
    p: &'a [f64],
    values: &'a [f64],
    /// Rows that are compared.
    rows: usize,
    sizes: Sizes,
    /// Rows that count as one.
    together: f64,
}

impl Shared<'_, '_> {
    /// The pieces of the fit, as far as they lie in the rows that are compared: a law is not asked for more than the fit was.
    fn pieces(&self) -> Vec<std::ops::Range<usize>> {
        let own = self.setup.pieces.iter().map(|p| p.rows.start..p.rows.end.min(self.rows));
        own.filter(|r| r.len() >= FEWEST_ROWS.min(self.rows)).collect()
    }

    /// Where the pieces start in the fit.
    fn starts(&self, pieces: usize) -> Option<&[f64]> {
        let from = self.setup.own();
        self.p.get(from..from + 2 * pieces).filter(|_| self.setup.free_starts)
    }

    /// What the fitted law leaves of the rows, as a share of what was measured, and its BIC.
    fn fitted(&self) -> [f64; 2] {
        let pieces = self.pieces();
        let mut cut = self.setup.in_pieces(&pieces, self.setup.free_starts);
        cut.sigma.clone_from(&self.setup.sigma);
        let mut p = self.p[..self.setup.own()].to_vec();
        p.extend(self.starts(pieces.len()).unwrap_or_default());
        let Some(residuals) = cut.residuals(&p) else { return [f64::NAN; 2] };
        let n = residuals.len() as f64;
        let rss = square(&residuals);
        // Rows that resemble their neighbours are not evidence of their own: so many independent ones remain.
        let effective = (n / self.together.max(1.0)).max(2.0);
        let count = self.setup.own() as f64;
        let bic = effective * portable::log(rss / n) + count * portable::log(effective);
        [(rss / n).sqrt() / sizes(self.setup, self.rows), bic]
    }
}

/// A piece with fewer rows is not compared.
const FEWEST_ROWS: usize = 20;

/// A law on the record: how many numbers were sought, what is left, also of the second half, AIC and BIC, Σ r², the numbers
/// of the contact, and where the search ended. It starts from where the `poorer` laws ended and from the fit.
fn candidate(shared: &Shared<'_, '_>, contact: Contact, poorer: &[Tried]) -> Option<Vec<f64>> {
    let Shared { setup, p, values, rows, ref sizes, together } = *shared;
    let old = setup.question;
    let own = contact.unknowns(sizes.force, sizes.speed, sizes.damping);
    let (question, kept) = asked(old, contact, &own)?;
    let first = kept.len();
    let family = Other {
        base: setup.family,
        values: values.to_vec(),
        kept: kept.clone(),
        contact,
        exponent: sizes.exponent,
    };
    let pieces = shared.pieces();
    let base = Setup::new(&family, &question, setup.control);
    let make = || {
        let mut cut = base.in_pieces(&pieces, true);
        // With the sigmas of the fit, so that the squares of all laws are in the same unit.
        cut.sigma.clone_from(&setup.sigma);
        cut
    };
    let whole = make();
    let begin = |numbers: &Vec<f64>| {
        let mut start: Vec<f64> =
            kept.iter().map(|&i| p[i]).chain(numbers.iter().copied()).collect();
        // After the unknowns stand the numbers of the sensors, which are the same for all laws.
        start.extend(&p[old.unknowns.len()..setup.own()]);
        match shared.starts(pieces.len()).filter(|_| whole.free_starts) {
            Some(known) => start.extend(known),
            None => start.extend(whole.guesses()),
        }
        start
    };
    let inherited = poorer.iter().flat_map(|t| {
        let numbers = t.contact.unknowns(1.0, 1.0, 1.0).len();
        // The damper of another law's model may be one of its own numbers.
        let same = t.p.len() == whole.bounds.len() + numbers - own.len();
        let places = t.p.get(first..first + numbers).filter(|_| same).unwrap_or_default();
        let like = if same { contact.like(t.contact, places, sizes) } else { Vec::new() };
        like.into_iter().map(move |n| [&t.p[..first], &n, &t.p[first + numbers..]].concat())
    });
    let mut tried: Vec<Vec<f64>> = contact.starts(sizes).iter().map(begin).collect();
    tried.extend(inherited);
    let bounds = &whole.bounds;
    for start in &mut tried {
        start.iter_mut().zip(bounds).for_each(|(v, [low, high])| *v = v.clamp(*low, *high));
    }
    // All are looked at, the best few are followed: a start that does what a poorer law does is among them, or is beaten.
    let squares = |p: Vec<f64>| {
        let rss = whole.residuals(&p).map_or(f64::INFINITY, |r| square(&r));
        (p, rss)
    };
    let mut looked = crate::parallel::map(tried, squares);
    looked.retain(|l| l.1.is_finite());
    looked.sort_by(|a, b| a.1.total_cmp(&b.1));
    looked.truncate(FOLLOWED);
    let solved = looked.iter().filter_map(|l| least_squares(&whole, &l.0, STEPS));
    let least = solved.min_by(|a, b| a.rss.total_cmp(&b.rss))?;
    let n = least.residuals.len() as f64;
    // Half of every record, and how it predicts the other half.
    let mut begun = make();
    for (piece, used) in pieces.iter().zip(&mut begun.used) {
        let half = piece.start + piece.len() / 2;
        used.iter_mut().for_each(|rows| rows.retain(|i| *i < half));
    }
    let half = least_squares(&begun, &least.p, STEPS);
    let predicted = half.and_then(|h| {
        let all = whole.residuals(&h.p)?;
        // Both sums are taken at the numbers of the first half: their difference is the second half.
        let rest = all.len().checked_sub(h.residuals.len()).filter(|rest| *rest > 0)?;
        Some(((square(&all) - h.rss).max(0.0) / rest as f64).sqrt())
    });
    let predicted = predicted.unwrap_or(f64::NAN);
    let scale = self::sizes(setup, rows);
    let effective = (n / together.max(1.0)).max(2.0);
    let logs = effective * portable::log(least.rss / n);
    let count = whole.own() as f64;
    let numbers = whole.values(&least.p);
    let relative = (least.rss / n).sqrt() / scale;
    let aic = logs + 2.0 * count;
    let bic = logs + count * portable::log(effective);
    let judged = [count, relative, predicted / scale, aic, bic, least.rss];
    Some([&judged, &numbers[first..first + own.len()], &least.p].concat())
}

/// The question with the numbers of another contact in place of those of the model's own, and which of the old unknowns
/// stay.
fn asked(
    old: &Question,
    contact: Contact,
    own: &[(&'static str, &'static str, [f64; 2])],
) -> Option<(Question, Vec<usize>)> {
    // A family names the numbers of its contact so.
    let of_contact = |u: &Unknown| u.name.contains("friction.");
    let kept: Vec<usize> =
        (0..old.unknowns.len()).filter(|&i| !of_contact(&old.unknowns[i])).collect();
    let has_damping = kept.iter().any(|&i| old.unknowns[i].name.ends_with("damping"));
    if contact == Contact::Viscous && has_damping {
        return None; // The damper of the model is unknown already: `none` is this.
    }
    let place = |i: usize| kept.iter().position(|k| *k == i);
    let mut unknowns: Vec<Unknown> = kept
        .iter()
        .map(|&i| Unknown {
            above: old.unknowns[i].above.and_then(place),
            ..old.unknowns[i].clone()
        })
        .collect();
    let first = unknowns.len();
    unknowns.extend(own.iter().map(|(name, unit, range)| Unknown {
        name: (*name).to_owned(),
        unit,
        range: *range,
        above: (*name == "static").then_some(first),
    }));
    let scheme = match contact {
        Contact::Stribeck => {
            // A friction that falls smoothly with the velocity has no closed form, which the exact scheme
            // needs.
            let mut options = adaptive::Options::default();
            (options.rtol, options.atol) = (1e-7, 1e-10);
            Scheme::Adaptive(options)
        }
        _ => old.scheme,
    };
    Some((Question { unknowns, scheme, compare: false, ..old.clone() }, kept))
}

/// Root mean square of what was measured, in the units of the residuals.
fn sizes(setup: &Setup<'_>, rows: usize) -> f64 {
    let one = |(j, s): (usize, &super::Sensor)| {
        let size = super::setup::spread(&s.values[..rows]) / setup.sigma[j];
        size * size
    };
    let sensors = setup.question.sensors.iter().enumerate();
    (sensors.map(one).sum::<f64>() / setup.question.sensors.len() as f64).sqrt()
}
