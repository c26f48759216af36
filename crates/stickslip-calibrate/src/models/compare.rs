//! The same record with other friction laws, and what that says about the contact.

use super::least_squares::{Misfit, least_squares};
use super::search::runs;
use super::setup::Setup;
use super::{Family, Question, Unknown};
use crate::control::Control;
use crate::error::Error;
use crate::stats::square;
use serde::Serialize;
use stickslip::portable;
use stickslip::scheme::oscillator::adaptive;
use stickslip::{Law, Model, Problem, Scheme};

/// Rows that the laws are compared on, from the first: of one record, and of several together.
const ROWS: usize = 3000;
const OF_ALL: usize = 6000;
/// Least-squares steps for each law.
const STEPS: usize = 25;

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
    /// `yes`, `weakly`, `no` or `undecided`.
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
}

/// A law of the contact with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Contact {
    None,
    Viscous,
    Coulomb,
    StaticDynamic,
    Stribeck,
    Asymmetric,
}

const ALL: [(Contact, &str); 6] = [
    (Contact::None, "none"),
    (Contact::Viscous, "viscous"),
    (Contact::Coulomb, "coulomb"),
    (Contact::StaticDynamic, "static-dynamic"),
    (Contact::Stribeck, "stribeck"),
    (Contact::Asymmetric, "asymmetric"),
];

impl Contact {
    /// Its unknowns: names, units, ranges, and whether the first stands above the second. `force` is the size of the
    /// friction, `speed` the largest velocity.
    fn unknowns(
        self,
        force: f64,
        speed: f64,
        damping: f64,
    ) -> Vec<(&'static str, &'static str, [f64; 2])> {
        let newtons = |name| (name, "N", [0.0, 6.0 * force]);
        match self {
            Self::None => Vec::new(),
            Self::Viscous => vec![("damping", "N·s/m", [0.0, damping])],
            Self::Coulomb => vec![newtons("force")],
            Self::StaticDynamic => vec![newtons("dynamic"), newtons("static")],
            Self::Stribeck => {
                vec![
                    newtons("dynamic"),
                    newtons("static"),
                    ("velocity", "m/s", [1e-3 * speed, speed]),
                ]
            }
            Self::Asymmetric => vec![newtons("forward"), newtons("backward")],
        }
    }

    /// What [`candidate`] has found of it.
    fn candidate(self, law: &'static str, found: &[f64]) -> Option<Candidate> {
        let (&[count, relative, held_out, aic, bic], numbers) = found.split_first_chunk()?;
        let names = self.unknowns(1.0, 1.0, 1.0);
        let numbers = names.iter().zip(numbers).map(|(n, v)| (n.0, *v)).collect();
        let unknowns = count as usize;
        Some(Candidate { law, numbers, unknowns, relative, held_out, aic, bic })
    }

    /// Where its least squares start, next to a Coulomb force.
    fn starts(self, force: f64, speed: f64, damping: f64) -> Vec<Vec<f64>> {
        match self {
            Self::None => vec![Vec::new()],
            Self::Viscous => vec![vec![0.1 * damping]],
            Self::Coulomb => vec![vec![force]],
            // The static force is counted from the dynamic one.
            Self::StaticDynamic => {
                vec![vec![force, 0.02 * force], vec![0.95 * force, 0.25 * force]]
            }
            Self::Stribeck => {
                [0.02, 0.1, 0.4].map(|share| vec![0.97 * force, 0.1 * force, share * speed]).into()
            }
            Self::Asymmetric => vec![vec![force, force]],
        }
    }

    fn law(self, n: &[f64]) -> Result<Law, stickslip::Error> {
        match self {
            Self::None | Self::Viscous => Law::coulomb(0.0),
            Self::Coulomb => Law::coulomb(n[0]),
            Self::StaticDynamic => Law::static_dynamic(n[1], n[0]),
            Self::Stribeck => Law::stribeck_exponential(n[1], n[0], n[2], 1.0, 0.0),
            Self::Asymmetric => Law::asymmetric(Law::coulomb(n[0])?, Law::coulomb(n[1])?),
        }
    }
}

/// The models of another family with another contact.
struct Other<'a> {
    base: &'a dyn Family,
    /// Values of its unknowns, and which of them stay unknown.
    values: Vec<f64>,
    kept: Vec<usize>,
    contact: Contact,
}

impl Family for Other<'_> {
    fn problem(&self, values: &[f64]) -> Result<Problem, stickslip::Error> {
        self.with_contact(self.base.problem(&self.own(values))?, values)
    }

    fn part(&self, values: &[f64], span: [f64; 2]) -> Option<Result<Problem, stickslip::Error>> {
        let part = self.base.part(&self.own(values), span)?;
        Some(part.and_then(|p| self.with_contact(p, values)))
    }
}

impl Other<'_> {
    /// Values of the unknowns of the base.
    fn own(&self, values: &[f64]) -> Vec<f64> {
        let mut own = self.values.clone();
        for (&i, v) in self.kept.iter().zip(values) {
            own[i] = *v;
        }
        own
    }

    fn with_contact(
        &self,
        mut problem: Problem,
        values: &[f64],
    ) -> Result<Problem, stickslip::Error> {
        if let Model::Oscillator(o) = &mut problem.model {
            let numbers = &values[self.kept.len()..];
            o.friction = self.contact.law(numbers)?;
            if self.contact == Contact::Viscous {
                o.damping += numbers[0];
            }
        }
        Ok(problem)
    }
}

/// Compares friction laws; `None` for a model with more than one contact, or a support that moves it.
pub fn compare(
    setup: &Setup<'_>,
    (p, values): (&[f64], &[f64]),
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
        .map(|(_, s)| {
            s.equally_spaced(400)
                .map(|t| {
                    let mut row = vec![0.0; s.columns().len()];
                    s.row(t, &mut row);
                    row[1].abs()
                })
                .fold(0.0, f64::max)
        })
        .unwrap_or(0.0);
    if speed <= 0.0 {
        return Ok(None);
    }
    let load = o.stiffness
        * setup
            .displacement
            .map_or(speed, |i| super::setup::spread(&setup.question.sensors[i].values));
    let normal = o.normal_force(o.initial.displacement, 0.0);
    let force = if force > 0.0 { force } else { 0.3 * load / normal.max(f64::MIN_POSITIVE) };
    let damping = 4.0 * (o.stiffness * o.mass).sqrt() + 4.0 * force * normal / speed;
    let mut candidates = Vec::new();
    for (i, (contact, law)) in ALL.into_iter().enumerate() {
        let sizes = [force, speed, damping];
        let found = setup
            .step(&mut || candidate(setup, (p, values), (contact, rows), (sizes, together)))?;
        candidates.extend(found.and_then(|f| contact.candidate(law, &f)));
        control.progress((i + 1) as f64 / ALL.len() as f64);
    }
    let answers = answers(&candidates);
    Ok(Some(Comparison { rows, together, candidates, answers }))
}

/// A law on the record: how many numbers were sought, what is left, also of the second half, AIC and BIC, and the numbers
/// of the contact.
fn candidate(
    setup: &Setup<'_>,
    (p, values): (&[f64], &[f64]),
    (contact, rows): (Contact, usize),
    ([force, speed, damping], together): ([f64; 3], f64),
) -> Option<Vec<f64>> {
    let old = setup.question;
    let own = contact.unknowns(force, speed, damping);
    let (question, kept) = asked(old, contact, &own)?;
    let first = kept.len();
    let family = Other { base: setup.family, values: values.to_vec(), kept: kept.clone(), contact };
    // Every record that begins in these rows is one motion.
    let breaks: Vec<usize> = old.breaks.iter().copied().filter(|b| b + 20 < rows).collect();
    let pieces = runs(rows, &breaks);
    let base = Setup::new(&family, &question, setup.control);
    let make = || {
        let mut cut = base.in_pieces(&pieces, true);
        cut.sigma.clone_from(&setup.sigma);
        cut
    };
    let whole = make();
    let begin = |numbers: &Vec<f64>| {
        let mut start: Vec<f64> =
            kept.iter().map(|&i| p[i]).chain(numbers.iter().copied()).collect();
        start.extend(&p[old.unknowns.len()..setup.own()]);
        if whole.free_starts && setup.free_starts {
            start.extend(&p[setup.own()..][..2]);
        } else if whole.free_starts {
            start.extend([whole.pieces[0].guess.x, whole.pieces[0].guess.v]);
        }
        if whole.free_starts {
            start.extend(whole.pieces[1..].iter().flat_map(|p| [p.guess.x, p.guess.v]));
        }
        start
    };
    let tried = contact.starts(force, speed, damping);
    let solved = tried.iter().filter_map(|s| least_squares(&whole, &begin(s), STEPS));
    let least = solved.min_by(|a, b| a.rss.total_cmp(&b.rss))?;
    let n = least.residuals.len() as f64;
    // Half of every record, and how it foretells the other half.
    let mut begun = make();
    for (piece, used) in pieces.iter().zip(&mut begun.used) {
        let half = piece.start + piece.len() / 2;
        used.iter_mut().for_each(|rows| rows.retain(|i| *i < half));
    }
    let half = least_squares(&begun, &least.p, STEPS);
    let foretold = half.and_then(|h| {
        let all = whole.residuals(&h.p)?;
        let rest = all.len().checked_sub(h.residuals.len()).filter(|rest| *rest > 0)?;
        Some(((square(&all) - h.rss).max(0.0) / rest as f64).sqrt())
    });
    let foretold = foretold.unwrap_or(f64::NAN);
    let scale = sizes(setup, rows);
    let effective = (n / together.max(1.0)).max(2.0);
    let (logs, count) = (effective * portable::log(least.rss / n), whole.own() as f64);
    let numbers = whole.values(&least.p);
    let relative = (least.rss / n).sqrt() / scale;
    let judged =
        [relative, foretold / scale, logs + 2.0 * count, logs + count * portable::log(effective)];
    Some([&[count], judged.as_slice(), &numbers[first..]].concat())
}

/// The question with the numbers of another contact in place of those of the model's own, and which of the old unknowns
/// stay.
fn asked(
    old: &Question,
    contact: Contact,
    own: &[(&'static str, &'static str, [f64; 2])],
) -> Option<(Question, Vec<usize>)> {
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

/// Differences of the BIC: positive, strong (Kass and Raftery 1995).
const STEPS_OF_EVIDENCE: [f64; 2] = [2.0, 10.0];

fn answers(all: &[Candidate]) -> Vec<Answer> {
    let of = |law: &str| all.iter().find(|c| c.law == law);
    let best =
        |laws: &[&str]| laws.iter().filter_map(|l| of(l)).min_by(|a, b| a.bic.total_cmp(&b.bic));
    let asked: [(&'static str, &[&str], &[&str], &str); 4] = [
        ("dry-friction", &["none", "viscous"], &["coulomb"], "dry friction"),
        (
            "static-above-dynamic",
            &["coulomb"],
            &["static-dynamic"],
            "a friction at rest above that in slip",
        ),
        (
            "stribeck",
            &["coulomb", "static-dynamic"],
            &["stribeck"],
            "a friction that falls with the velocity (Stribeck)",
        ),
        ("asymmetric", &["coulomb"], &["asymmetric"], "another friction forwards than backwards"),
    ];
    asked
        .into_iter()
        .filter_map(|(what, poor, rich, words)| {
            let (poor, rich) = (best(poor)?, best(rich)?);
            let bic = poor.bic - rich.bic;
            let held_out = rich.held_out / poor.held_out;
            Some(Answer {
                what,
                bic,
                held_out,
                verdict: verdict(bic, held_out),
                sentence: sentence(words, poor, rich),
            })
        })
        .collect()
}

fn verdict(bic: f64, held_out: f64) -> &'static str {
    let [positive, strong] = STEPS_OF_EVIDENCE;
    match (bic, held_out) {
        (b, h) if b > strong && h < 1.0 => "yes",
        (b, h) if b > positive && h < 1.02 => "weakly",
        (b, _) if b > -positive => "undecided",
        _ => "no",
    }
}

fn sentence(words: &str, poor: &Candidate, rich: &Candidate) -> String {
    let (bic, held_out) = (poor.bic - rich.bic, rich.held_out / poor.held_out);
    let said = match verdict(bic, held_out) {
        "yes" => format!("The record shows {words}"),
        "weakly" => format!("The record speaks weakly for {words}"),
        "no" => format!("The record does not show {words}"),
        _ => format!("The record does not decide whether there is {words}"),
    };
    format!(
        "{said}: the BIC {} by {:.1} from {} to {}, what is left changes from {:.2} % to {:.2} %, and the error on the half \
         that was not fitted by {:+.1} %.",
        if bic >= 0.0 { "falls" } else { "rises" },
        bic.abs(),
        poor.law,
        rich.law,
        100.0 * poor.relative,
        100.0 * rich.relative,
        100.0 * (held_out - 1.0)
    )
}
