//! The same record with other friction laws, and what that says about the contact.

use super::least_squares::{Misfit, least_squares};
use super::setup::Setup;
use super::{Family, Question, Unknown};
use crate::control::Control;
use crate::error::Error;
use crate::statistics::stats::square;
use serde::Serialize;
use stickslip::portable;
use stickslip::scheme::oscillator::adaptive;
use stickslip::{Law, Model, Problem, Scheme};

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

    /// What [`candidate`] has found of it, with the place where its least squares ended.
    fn candidate(self, law: &'static str, found: &[f64]) -> Option<Tried> {
        let (&[count, relative, held_out, aic, bic, rss], rest) = found.split_first_chunk()?;
        // Only the names count here, not the ranges.
        let names = self.unknowns(1.0, 1.0, 1.0);
        let (numbers, p) = rest.split_at_checked(names.len())?;
        let numbers = names.iter().zip(numbers).map(|(n, v)| (n.0, *v)).collect();
        let unknowns = count as usize;
        let candidate = Candidate { law, numbers, unknowns, relative, held_out, aic, bic };
        Some(Tried { contact: self, candidate, rss, p: p.to_vec() })
    }

    /// Where its least squares start, next to a Coulomb force, and from the law that was fitted. What stands above the
    /// dynamic force is counted from it.
    fn starts(self, sizes: &Sizes) -> Vec<Vec<f64>> {
        let Sizes { force, speed, damping, rest, slide, fall, ways, .. } = *sizes;
        let above = (rest - slide).max(0.0);
        match self {
            Self::None => vec![Vec::new()],
            Self::Viscous => vec![vec![0.1 * damping]],
            Self::Coulomb => vec![vec![force], vec![slide]],
            Self::StaticDynamic => {
                vec![
                    vec![slide, above],
                    vec![force, 0.02 * force],
                    vec![0.95 * force, 0.25 * force],
                ]
            }
            Self::Stribeck => {
                let near =
                    [0.02, 0.1, 0.4].map(|share| vec![0.97 * force, 0.1 * force, share * speed]);
                std::iter::once(vec![slide, above, fall]).chain(near).collect()
            }
            Self::Asymmetric => vec![vec![force, force], ways.to_vec()],
        }
    }

    /// The numbers with which this law does what a `poorer` one does, and some next to them from which least squares can
    /// leave it; nothing where the poorer one is no case of it.
    fn like(self, poorer: Self, n: &[f64], sizes: &Sizes) -> Vec<Vec<f64>> {
        let small = 0.02 * sizes.force;
        let falls = |d: f64, above: f64| {
            [0.003, 0.02, 0.1, 0.4].map(|share| vec![d, above, share * sizes.speed]).to_vec()
        };
        match (poorer, self) {
            (Self::None, Self::Viscous) => vec![vec![0.0], vec![1e-3 * sizes.damping]],
            (Self::None, Self::Coulomb) => vec![vec![0.0], vec![small]],
            (Self::Coulomb, Self::StaticDynamic) => vec![vec![n[0], 0.0], vec![n[0], 0.1 * n[0]]],
            (Self::Coulomb, Self::Stribeck) => {
                [falls(n[0], 0.0), falls(0.97 * n[0], 0.1 * n[0])].concat()
            }
            // A law that falls within a small velocity is one that falls at once.
            (Self::StaticDynamic, Self::Stribeck) => falls(n[0], n[1]),
            (Self::Coulomb, Self::Asymmetric) => vec![vec![n[0], n[0]]],
            _ => Vec::new(),
        }
    }

    /// Whether a `poorer` law is a case of this one.
    fn holds(self, poorer: Self) -> bool {
        matches!(
            (poorer, self),
            (
                Self::None,
                Self::Viscous
                    | Self::Coulomb
                    | Self::StaticDynamic
                    | Self::Stribeck
                    | Self::Asymmetric
            ) | (Self::Coulomb, Self::StaticDynamic | Self::Stribeck | Self::Asymmetric)
        )
    }

    fn law(self, n: &[f64], exponent: f64) -> Result<Law, stickslip::Error> {
        match self {
            Self::None | Self::Viscous => Law::coulomb(0.0),
            Self::Coulomb => Law::coulomb(n[0]),
            Self::StaticDynamic => Law::static_dynamic(n[1], n[0]),
            Self::Stribeck => Law::stribeck_exponential(n[1], n[0], n[2], exponent, 0.0),
            Self::Asymmetric => Law::asymmetric(Law::coulomb(n[0])?, Law::coulomb(n[1])?),
        }
    }
}

/// What the starts of the laws are made of.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// A Coulomb force, N.
    force: f64,
    /// The largest velocity, m/s.
    speed: f64,
    /// The largest damping, N·s/m.
    damping: f64,
    /// Of the law that was fitted: friction at rest and in fast slip, N, and the velocity within which it falls from the
    /// one to the other, m/s.
    rest: f64,
    slide: f64,
    fall: f64,
    /// How sharply it does; 1 for a law that does not fall.
    exponent: f64,
    /// Its sliding friction either way, N.
    ways: [f64; 2],
}

impl Sizes {
    fn of(law: &Law, force: f64, speed: f64, damping: f64) -> Self {
        let mean = |of: &dyn Fn(f64) -> f64| 0.5 * (of(1.0) + of(-1.0));
        // Laws that age are at their limit after a long rest.
        let rest = mean(&|side| law.limit(side, 1e9));
        let at = |v: f64| mean(&|side| law.force(side, v));
        let slide = at(1e3 * speed);
        // A law with a viscous part has no friction in fast slip.
        let slide = if slide <= rest { slide } else { rest };
        let share = |v: f64| (at(v) - slide) / (rest - slide);
        // Bisection by factors for the velocity at which 1/e of the fall is left.
        let mut ends = [1e-4 * speed, speed];
        for _ in 0..60 {
            let middle = (ends[0] * ends[1]).sqrt();
            ends[usize::from(share(middle) <= 1.0 / std::f64::consts::E)] = middle;
        }
        let fall = ends[0];
        // At twice the velocity at which 1/e is left, e^(−2^δ) is.
        let exponent = portable::log(-portable::log(share(2.0 * fall))) / std::f64::consts::LN_2;
        // A law that does not fall, or not as an exponential does, gives no exponent.
        let exponent = if (0.2..5.0).contains(&exponent) { exponent } else { 1.0 };
        let ways = [law.force(1.0, 0.5 * speed), law.force(-1.0, 0.5 * speed)];
        Self { force, speed, damping, rest, slide, fall, exponent, ways }
    }
}

/// A candidate with where its search ended.
struct Tried {
    contact: Contact,
    candidate: Candidate,
    rss: f64,
    p: Vec<f64>,
}

/// The models of another family with another contact.
struct Other<'a> {
    base: &'a dyn Family,
    /// Values of its unknowns, and which of them stay unknown.
    values: Vec<f64>,
    kept: Vec<usize>,
    contact: Contact,
    /// Of a law that falls with the velocity: that of the fitted one.
    exponent: f64,
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
            o.friction = self.contact.law(numbers, self.exponent)?;
            // The friction of this contact is the damper: its law is without dry friction.
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
            None if whole.free_starts => {
                start.extend(whole.pieces.iter().flat_map(|p| [p.guess.x, p.guess.v]));
            }
            None => {}
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
    // Half of every record, and how it foretells the other half.
    let mut begun = make();
    for (piece, used) in pieces.iter().zip(&mut begun.used) {
        let half = piece.start + piece.len() / 2;
        used.iter_mut().for_each(|rows| rows.retain(|i| *i < half));
    }
    let half = least_squares(&begun, &least.p, STEPS);
    let foretold = half.and_then(|h| {
        let all = whole.residuals(&h.p)?;
        // Both sums are taken at the numbers of the first half: their difference is the second half.
        let rest = all.len().checked_sub(h.residuals.len()).filter(|rest| *rest > 0)?;
        Some(((square(&all) - h.rss).max(0.0) / rest as f64).sqrt())
    });
    let foretold = foretold.unwrap_or(f64::NAN);
    let scale = self::sizes(setup, rows);
    let effective = (n / together.max(1.0)).max(2.0);
    let logs = effective * portable::log(least.rss / n);
    let count = whole.own() as f64;
    let numbers = whole.values(&least.p);
    let relative = (least.rss / n).sqrt() / scale;
    let aic = logs + 2.0 * count;
    let bic = logs + count * portable::log(effective);
    let judged = [count, relative, foretold / scale, aic, bic, least.rss];
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

/// Differences of the BIC: positive, strong (Kass and Raftery 1995).
const STEPS_OF_EVIDENCE: [f64; 2] = [2.0, 10.0];

fn answers(all: &[Tried]) -> Vec<Answer> {
    let of = |law: &str| all.iter().find(|t| t.candidate.law == law);
    let best = |laws: &[&str]| {
        let found = laws.iter().filter_map(|l| of(l));
        found.min_by(|a, b| a.candidate.bic.total_cmp(&b.candidate.bic))
    };
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
    let least = all.iter().map(|t| t.candidate.relative).fold(f64::INFINITY, f64::min);
    let one = |(what, poor, rich, words): (&'static str, &[&str], &[&str], &str)| {
        // Where a law has no motion on the record, a question about it has no answer.
        // `viscous` is left out where the model's own damper is sought: `none` stands for it then.
        let missing = poor.iter().chain(rich).find(|l| of(l).is_none() && **l != "viscous");
        if let Some(law) = missing {
            let why = format!("the law `{law}` gave no motion that could be compared");
            return Answer::failed(what, words, &why);
        }
        let (Some(poor), Some(rich)) = (best(poor), best(rich)) else {
            return Answer::failed(what, words, "a law gave no motion that could be compared");
        };
        if let Some(broken) = broken(all, rich).or_else(|| broken(all, poor)) {
            return Answer::failed(what, words, &broken);
        }
        if least > ASTRAY {
            let why = format!(
                "none of these laws follows the record (the best leaves {:.0} % of what was measured)",
                100.0 * least
            );
            return Answer::failed(what, words, &why);
        }
        let astray = |t: &Tried| t.candidate.relative > ASTRAY;
        if !astray(poor) || !astray(rich) {
            let answer = Answer::of(what, words, &poor.candidate, &rich.candidate);
            let other = best(&["static-dynamic", "stribeck"]).filter(|_| what == "asymmetric");
            return answer.unless(other.map(|t| &t.candidate), words, &rich.candidate);
        }
        // Neither moves as the record does, as on a belt that only a falling friction sets going: the one says nothing against
        // the other. Dry friction is shown by any law of it that follows the record.
        let frictional = |t: &&Tried| !matches!(t.contact, Contact::None | Contact::Viscous);
        let follows = all.iter().filter(|t| !astray(t)).filter(frictional);
        let best = follows.min_by(|a, b| a.candidate.bic.total_cmp(&b.candidate.bic));
        match best.filter(|_| what == "dry-friction") {
            Some(other) => Answer::of(what, words, &poor.candidate, &other.candidate),
            None => Answer::failed(what, words, &neither(&poor.candidate, &rich.candidate)),
        }
    };
    asked.into_iter().map(one).collect()
}

fn neither(poor: &Candidate, rich: &Candidate) -> String {
    format!(
        "neither `{}` nor `{}` follows the record (they leave {:.0} % and {:.0} % of what was measured)",
        poor.law,
        rich.law,
        100.0 * poor.relative,
        100.0 * rich.relative
    )
}

/// A law that leaves more than a case of it was not found: its search failed, and the table says nothing of it.
fn broken(all: &[Tried], rich: &Tried) -> Option<String> {
    let poorer = all.iter().filter(|t| rich.contact.holds(t.contact));
    let less =
        poorer.min_by(|a, b| a.rss.total_cmp(&b.rss)).filter(|t| rich.rss > BROKEN * t.rss)?;
    let rich = &rich.candidate;
    let poor = &less.candidate;
    Some(format!(
        "the search for the law `{}` failed, for it leaves {:.2} % where `{}`, which is a case of it, leaves {:.2} %",
        rich.law,
        100.0 * rich.relative,
        poor.law,
        100.0 * poor.relative
    ))
}

impl Answer {
    /// No answer, and why.
    fn failed(what: &'static str, words: &str, why: &str) -> Self {
        let sentence = format!("Nothing is said about {words}: {why}.");
        Self { what, bic: f64::NAN, held_out: f64::NAN, verdict: "failed", sentence }
    }

    fn of(what: &'static str, words: &str, poor: &Candidate, rich: &Candidate) -> Self {
        let bic = poor.bic - rich.bic;
        // The second half, which no law has seen, guards against a law that only fits the noise better.
        let held_out = rich.held_out / poor.held_out;
        Self::worded(what, words, verdict(bic, held_out), [poor, rich])
    }

    /// What a law that is not the poorer one explains as well is not shown by the richer one: a force for each way follows the slips of a
    /// friction that is greater at rest better than one force does.
    fn unless(self, other: Option<&Candidate>, words: &str, rich: &Candidate) -> Self {
        let Some(other) = other.filter(|_| matches!(self.verdict, "yes" | "weakly")) else {
            return self;
        };
        match Self::of(self.what, words, other, rich).verdict {
            "yes" | "weakly" => self,
            _ => Self::worded(self.what, words, "undecided", [other, rich]),
        }
    }

    fn worded(
        what: &'static str,
        words: &str,
        verdict: &'static str,
        [poor, rich]: [&Candidate; 2],
    ) -> Self {
        let bic = poor.bic - rich.bic;
        let held_out = rich.held_out / poor.held_out;
        let said = match verdict {
            "yes" => format!("The record shows {words} (strong evidence"),
            "weakly" => format!("The record speaks for {words} (weak evidence"),
            "no" => format!("The record does not show {words} ("),
            _ => format!("The record does not decide whether there is {words} ("),
        };
        let comma = if said.ends_with('(') { "" } else { ", " };
        let sentence =
            format!("{said}{comma}ΔBIC = {:+.0}, {} against {}).", -bic, rich.law, poor.law);
        Self { what, bic, held_out, verdict, sentence }
    }
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
