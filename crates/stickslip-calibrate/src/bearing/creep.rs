//! A reading that creeps: it settles exponentially from the first row on, with a time constant that is looked for.
//!
//! The size is linear and joins the least squares (see [`trend`](crate::record::trend)); the time constant θ is not. A search for each of a
//! few values of θ comes first, then a golden section around the best, on the logarithm of θ. What is
//! reported besides is as uncertain as for this θ.

use crate::bearing::delay::{Trial, judged};
use crate::bearing::options::Options;
use crate::bearing::search::global::{PROBE, refine, search};
use crate::bearing::search::motion::follow;
use crate::bearing::search::point::Point;
use crate::bearing::search::prepared::Prepared;
use crate::parallel;
use crate::record::series::Series;
use crate::record::trend::{Creep, Sizes, Trend};
use std::borrow::Cow;
use stickslip::numeric::golden;
use stickslip::portable;

/// Time constants: from this share of the record on, each twice the one before, and how many. Beyond the length of the record, settling is
/// hardly told from a drift.
const SHORTEST: f64 = 1.0 / 32.0;
const COUNT: i32 = 7;
/// D that a creep must bring to be fitted: as much as to be named.
const SEEN: f64 = 40.0;
/// Golden-section steps around the best of them: θ to one part in a thousand, so that what its error leaves of a creep of many noises is
/// less than the noise.
const REFINEMENTS: usize = 14;

/// The best path of a record with trends, and their sizes.
pub struct Trended {
    pub trial: Trial,
    pub sizes: Sizes,
}

/// The record with other trend columns, searched; `warm` are paths that may lie near.
pub fn trended(
    series: &Series,
    options: &Options,
    trend: &Trend,
    warm: &[Point],
) -> Option<Trended> {
    let prepared = Prepared::new(series, options.max_gap, trend).ok()?;
    // A trend may move the best path far away, or hardly at all: a search for the one, the known paths for the
    // other.
    let mut found = search(&prepared, options.seed, PROBE);
    found.join(refine(&prepared, warm, options.seed));
    let best = &found.minima[0];
    let sizes = follow(series, &prepared, trend, &best.point, &best.line).trend;
    Some(Trended { trial: judged(series, &prepared, trend, found.minima), sizes })
}

/// A creep of the reading.
pub struct FoundCreep {
    /// θ, s.
    pub time: f64,
    /// What it creeps in the end, m.
    pub size: f64,
    pub trial: Trial,
}

/// The creep that leaves least, if its time constant is not beyond what the record shows.
pub fn find(series: &Series, options: &Options, warm: &[Point]) -> Option<FoundCreep> {
    let with = |time: f64| Trend { creep: Creep::Within(time), ..options.trend.clone() };
    let length = series.time().last()? - series.time().first()?;
    let times: Vec<f64> = (0..COUNT).map(|i| SHORTEST * length * 2f64.powi(i)).collect();
    let last = times.len() - 1;
    let tried = parallel::map(times.clone(), |time| trended(series, options, &with(time), warm));
    let tried = tried.into_iter().enumerate().filter_map(|(i, t)| Some((i, t?)));
    let least =
        |a: &(usize, Trended), b: &(usize, Trended)| a.1.trial.square.total_cmp(&b.1.trial.square);
    let (at, coarse) = tried.min_by(least)?;
    if at == last {
        return None;
    }
    let points = &coarse.trial.points;
    let square = |x: f64| {
        let prepared = Prepared::new(series, options.max_gap, &with(portable::exp(x))).ok();
        let left = |p: &Prepared| refine(p, points, options.seed).minima[0].line.rss;
        prepared.as_ref().map_or(f64::INFINITY, left)
    };
    // The shortest of all may be shorter still.
    let [low, high] = [0.5 * times[at], times[at + 1]].map(portable::log);
    let time = portable::exp(golden(low, high, REFINEMENTS, square).0);
    let trend = with(time);
    let fine = || -> Option<Trended> {
        let prepared = Prepared::new(series, options.max_gap, &trend).ok()?;
        let minima = refine(&prepared, points, options.seed).minima;
        let sizes = follow(series, &prepared, &trend, &minima[0].point, &minima[0].line).trend;
        Some(Trended { trial: judged(series, &prepared, &trend, minima), sizes })
    };
    let fine = fine().filter(|f| f.trial.square <= coarse.trial.square);
    let (time, best) = fine.map_or((times[at], coarse), |f| (time, f));
    Some(FoundCreep { time, size: best.sizes.creep?, trial: best.trial })
}

/// The options with the time constant that the record shows, where a creep is to be fitted; without any where it shows none.
pub fn settled<'a>(series: &Series, options: &'a Options) -> Cow<'a, Options> {
    if options.trend.creep != Creep::Fitted {
        return Cow::Borrowed(options);
    }
    let without = Trend { creep: Creep::None, ..options.trend.clone() };
    let plain = Options { trend: without.clone(), ..options.clone() };
    let seen = |found: &FoundCreep| {
        // The paths that were found with a creep are tried without one: else a better path would count as a creep.
        let base = trended(series, &plain, &without, &found.trial.points);
        base.is_none_or(|base| {
            let ratio = base.trial.square / found.trial.square;
            found.trial.rows / found.trial.tau * portable::log(ratio) > SEEN
        })
    };
    let found = find(series, &plain, &[]).filter(seen);
    let creep = found.map_or(Creep::None, |f| Creep::Within(f.time));
    Cow::Owned(Options { trend: Trend { creep, ..without }, ..plain })
}
