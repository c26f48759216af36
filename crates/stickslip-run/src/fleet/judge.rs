//! Which bearings to look at first.
//!
//! A bearing is called changed if its change stands among all bearings that were tested: of the p-values in order,
//! p₁ ≤ … ≤ pₘ, the first k are taken for which
//!
//! ```text
//! p_k ≤ k q / (m (1 + 1/2 + … + 1/m))
//! ```
//!
//! (Benjamini and Yekutieli 2001, theorem 1.3). Then no more than the share q of all alarms is false on average, whatever
//! the dependence between the bearings; the procedure of Benjamini and Hochberg 1995, without the sum, needs
//! independence, and bearings under one weather are not independent. Real changes have p-values far below either limit,
//! so that the sum costs nothing.

use super::compare::{Usual, value};
use super::found::{BREAKAWAY, Changed, FoundBearing, Seen, Valued};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use stickslip::numeric::{TO_SIGMA, median};
use stickslip::portable;
use stickslip_calibrate::{What, benjamini_yekutieli};
use stickslip_file::number::readable;

/// Fewer bearings than this have no distribution.
const FEWEST: usize = 20;
/// What fewer bearings than this have may be chance.
const SEVERAL: usize = 3;
/// The chance that any bearing of a normal fleet stands out by chance.
const CHANCE: f64 = 0.05;
/// By how much the spread of n bearings, which is known from these bearings only, widens the limit for one that stands out:
/// 1 + WIDER/n². In 4,000 normal fleets the limit without it is passed in 9.6 % of those of 20 bearings, in 7.6 % of those of
/// 30 and in 5.4 % of those of 50.
const WIDER: f64 = 66.0;
/// What more than this share of the bearings is warned of says nothing of one of them.
const RARE: f64 = 0.1;
/// A finding of this strength counts.
const STRONG: f64 = 0.2;
/// A record is short that has less than this share of the rows of a usual one.
const SHORT: f64 = 0.75;
/// What a logger says itself counts, however rarely it says it.
const STATED: What = What::Sentinels;
/// Findings that the intervals allow for: where many bearings have them, they say nothing of one.
const ALLOWED_FOR: [What; 2] = [What::Thermometer, What::Rounding];

/// What is to be done with a bearing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Its friction has changed.
    Alarm,
    /// Something is to be looked at before its numbers are used.
    Watch,
    /// Its record says nothing.
    Unusable,
    /// Nothing speaks against its numbers.
    Ok,
}

impl Status {
    /// All of them, the most urgent first.
    pub const ALL: [Self; 4] = [Self::Alarm, Self::Watch, Self::Unusable, Self::Ok];

    /// As files write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alarm => "alarm",
            Self::Watch => "watch",
            Self::Unusable => "unusable",
            Self::Ok => "ok",
        }
    }
}

/// What is said of a bearing.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// What is to be done.
    pub status: Status,
    /// Why, in a sentence.
    pub reason: String,
    /// How urgent it is among those of its status.
    pub weight: f64,
}

/// What is said of a fleet.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// One for each bearing.
    pub verdicts: Vec<Verdict>,
    /// Bearings in which changes were looked for.
    pub tested: usize,
    /// The greatest p-value that is an alarm; 0 if there is none.
    pub limit: f64,
    /// The median of f_s/K over the fleet and its robust standard deviation of the logarithm, if there are enough.
    pub usual: Option<(f64, f64)>,
    /// What is to be said of the whole fleet.
    pub remarks: Vec<String>,
}

/// Judges all bearings with one another; no more than `rate` of the alarms are false on average.
pub fn judge(all: &[FoundBearing], rate: f64) -> Judged {
    let tested: Vec<&Seen> = all.iter().flat_map(|f| &f.seen).filter(|s| s.tested).collect();
    let p: Vec<f64> = tested.iter().map(|s| s.change.as_ref().map_or(1.0, |c| c.p)).collect();
    let limit = benjamini_yekutieli(&p, rate);
    let usual = usual(all);
    let fleet = Others {
        limit,
        usual,
        compared: Usual::of(all),
        rows: rows(all),
        rare: rare(all),
        common: common(all),
        count: all.len(),
    };
    let verdicts = all.iter().map(|f| verdict(f, &fleet)).collect();
    let remarks = shared(all).into_iter().chain(fleet.compared.said(RARE)).collect();
    Judged { verdicts, tested: tested.len(), limit, usual, remarks }
}

/// Breakaway f_s/K of a bearing, m.
pub fn breakaway(found: &FoundBearing) -> Option<f64> {
    value(found, BREAKAWAY).filter(|v| *v > 0.0)
}

fn usual(all: &[FoundBearing]) -> Option<(f64, f64)> {
    let mut logs: Vec<f64> = all.iter().filter_map(breakaway).map(portable::ln).collect();
    if logs.len() < FEWEST {
        return None;
    }
    let middle = median(&mut logs);
    let mut away: Vec<f64> = logs.iter().map(|x| (x - middle).abs()).collect();
    Some((portable::exp(middle), TO_SIGMA * median(&mut away))).filter(|u| u.1 > 0.0)
}

/// What one bearing is compared with.
struct Others {
    limit: f64,
    usual: Option<(f64, f64)>,
    /// Its numbers, one by one.
    compared: Usual,
    /// Rows of a usual record, where few are short.
    rows: Option<f64>,
    /// Warnings that few bearings have.
    rare: HashSet<String>,
    /// Findings that many bearings have, and that the intervals allow for.
    common: HashSet<&'static str>,
    count: usize,
}

fn verdict(found: &FoundBearing, fleet: &Others) -> Verdict {
    let said = |status, reason: String, weight| Verdict { status, reason, weight };
    let seen = match &found.seen {
        Ok(seen) => seen,
        Err(why) => return said(Status::Unusable, why.clone(), 0.0),
    };
    let first = seen.diagnosis.first().filter(|d| d.1 >= STRONG);
    let change = seen.change.as_ref();
    if let Some(change) = change {
        let size = change.ratio[0].map_or(0.0, |r| portable::log(r).abs());
        match first {
            Some((what, _)) if what != What::Change.name() => {
                let reason = format!(
                    "{} Its record shows something else first: {}",
                    sentence(change),
                    seen.suggestion.as_deref().unwrap_or(what)
                );
                return said(Status::Watch, reason, 10.0 + size);
            }
            // Without a size it may be the record that changed, and not the friction: no evidence makes that an alarm.
            _ if change.p <= fleet.limit && sized(change).is_none() => {
                return said(Status::Watch, sentence(change), 8.0);
            }
            _ if change.p <= fleet.limit => return said(Status::Alarm, sentence(change), size),
            _ => {
                let reason = format!(
                    "{} At the rate of false alarms of this fleet, that may be chance.",
                    sentence(change)
                );
                return said(Status::Watch, reason, 5.0 + size);
            }
        }
    }
    if let Some((what, strength)) = first.filter(|f| !fleet.common.contains(f.0.as_str())) {
        let reason = seen.suggestion.clone().unwrap_or_else(|| what.clone());
        return said(Status::Watch, reason, 3.0 + strength);
    }
    let apart = || fleet.compared.apart(found, RARE);
    if let Some((reason, weight)) = apart().or_else(|| stands_out(found, fleet.usual, fleet.count))
    {
        return said(Status::Watch, reason, 4.0 + weight);
    }
    if !seen.friction {
        let reason = "No friction is seen in its record: a straight line fits as well.";
        return said(Status::Watch, reason.to_owned(), 2.0);
    }
    if let Some(why) = &seen.unknown {
        return said(Status::Watch, format!("Its breakaway cannot be known: {why}."), 1.0);
    }
    if let Some((own, usual)) = short(seen, fleet.rows) {
        let reason = format!(
            "Only {own} of its rows hold both values; in a typical record of this fleet {usual} do. Its sensor or its file may \
             have failed for part of the time."
        );
        return said(Status::Watch, reason, 0.5);
    }
    let light = |w: &String| is_weak(seen, w) || seen.notices.contains(w);
    let counts = |w: &&String| !light(w) && fleet.rare.contains(&words(w));
    if let Some(warning) = seen.warnings.iter().find(counts) {
        return said(Status::Watch, warning.clone(), 0.0);
    }
    let reason = match seen.warnings.first() {
        Some(w) if light(w) => format!("Nothing in its record stands out, though {w}."),
        Some(warning) => format!(
            "Nothing in its record stands out. It shares this warning with many others: {warning}."
        ),
        None => "Nothing in its record stands out.".to_owned(),
    };
    said(Status::Ok, reason, 0.0)
}

/// Whether a warning is no more than a finding that does not count.
fn is_weak(seen: &Seen, warning: &str) -> bool {
    let weak = seen.diagnosis.first().is_some_and(|d| d.1 < STRONG && d.0 != STATED.name());
    weak && seen.suggestion.as_ref().is_some_and(|s| warning.starts_with(s.as_str()))
}

/// The rows with both values of the record in the middle of the fleet; `None` in a small fleet, and in one in which many
/// records are short: there the bearings differ in age.
fn rows(all: &[FoundBearing]) -> Option<f64> {
    let mut counts: Vec<f64> =
        all.iter().flat_map(|f| &f.seen).map(|s| s.samples[0] as f64).collect();
    if counts.len() <= SEVERAL {
        return None;
    }
    let middle = median(&mut counts);
    let short = counts.iter().filter(|c| **c < SHORT * middle).count();
    Some(middle).filter(|_| short <= 1 || !is_common(short, counts.len()))
}

/// The rows of a short record, and those of a usual one.
fn short(seen: &Seen, usual: Option<f64>) -> Option<(u64, u64)> {
    let usual = usual.filter(|usual| (seen.samples[0] as f64) < SHORT * usual)?;
    Some((seen.samples[0], usual as u64))
}

/// What the intervals allow for and many bearings have.
fn common(all: &[FoundBearing]) -> HashSet<&'static str> {
    let has = |found: &FoundBearing, what: &str| {
        let first = found.seen.as_ref().ok().and_then(|s| s.diagnosis.first());
        first.is_some_and(|d| d.0 == what && d.1 >= STRONG)
    };
    let many = |what: &&str| {
        let count = all.iter().filter(|f| has(f, what)).count();
        is_common(count, all.len())
    };
    ALLOWED_FOR.map(What::name).into_iter().filter(many).collect()
}

/// What a warning says without its numbers.
fn words(warning: &str) -> String {
    warning.chars().filter(|c| c.is_ascii_alphabetic()).collect()
}

/// What few bearings of a fleet are warned of. What is said of many says nothing of one of them.
fn rare(all: &[FoundBearing]) -> HashSet<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for seen in all.iter().flat_map(|f| &f.seen) {
        let own: HashSet<String> = seen.warnings.iter().map(|w| words(w)).collect();
        own.into_iter().for_each(|w| *counts.entry(w).or_insert(0) += 1);
    }
    counts.into_iter().filter(|c| !is_common(c.1, all.len())).map(|c| c.0).collect()
}

/// Whether what `count` of a fleet have says nothing of one of them, but may say something of the fleet.
fn is_common(count: usize, all: usize) -> bool {
    count >= SEVERAL && count as f64 > RARE * all as f64
}

/// Warnings that many bearings share: the first of each, with how many have it.
fn shared(all: &[FoundBearing]) -> Vec<String> {
    let mut seen: Vec<(String, &str, usize)> = Vec::new();
    for found in all.iter().flat_map(|f| &f.seen) {
        let mut own = HashSet::new();
        for warning in found.warnings.iter().filter(|w| own.insert(words(w))) {
            let key = words(warning);
            match seen.iter_mut().find(|s| s.0 == key) {
                Some(known) => known.2 += 1,
                None => seen.push((key, warning, 1)),
            }
        }
    }
    let common = seen.into_iter().filter(|s| is_common(s.2, all.len()));
    let said = common.map(|(_, first, n)| match n == all.len() {
        true => format!("All {n} bearings: {first}."),
        false => format!("{n} of {} bearings: {first}.", all.len()),
    });
    said.collect()
}

/// A change in one sentence.
pub fn sentence(change: &Changed) -> String {
    let when = match &change.time {
        Some(stamp) => stamp.get(..10).unwrap_or(stamp).to_owned(),
        None => format!("day {:.0}", change.seconds / 86_400.0),
    };
    let percent = |r: f64| format!("{:+.0}", 100.0 * (r - 1.0));
    let mut said = match sized(change) {
        Some(ratio) => {
            let [ratio, low, high] = ratio.map(percent);
            if change.gradual {
                format!(
                    "Its friction changed steadily, by {ratio} % (95 %: {low} to {high} %) over its record: no single set of \
                     numbers describes it."
                )
            } else {
                format!("Its friction changed by {ratio} % (95 %: {low} to {high} %) on {when}.")
            }
        }
        None => format!(
            "Something in its record changed on {when}, and the record does not say by how much its friction did: a turned or \
             exchanged sensor, or creep, looks like this too."
        ),
    };
    if change.further > 0 {
        let all = change.further + 1;
        said += &format!(" That is the clearest of {all} changes in its record.");
    }
    let after = change.after.get(BREAKAWAY).copied().unwrap_or_default();
    if let [Some(before), Some(after)] = [change.before, after].map(in_mm) {
        said += &if change.further > 0 {
            format!(
                " Breakaway f_s/K was {before} mm before the first and is {after} mm since the last."
            )
        } else {
            format!(" Breakaway f_s/K was {before} mm before and is {after} mm since.")
        };
    }
    said
}

/// The ratio of a change with its interval, where the record tells it.
fn sized(change: &Changed) -> Option<[f64; 3]> {
    let [ratio, low, high] = change.ratio;
    Some([ratio?, low?, high?])
}

/// A length with its interval, mm.
fn in_mm(valued: Valued) -> Option<String> {
    let [Some(value), Some(low), Some(high)] = valued else { return None };
    let [value, low, high] = [value, low, high].map(|x| readable(1e3 * x, 3));
    Some(format!("{value} ({low} to {high})"))
}

/// A bearing whose breakaway lies far from that of the others.
fn stands_out(
    found: &FoundBearing,
    usual: Option<(f64, f64)>,
    count: usize,
) -> Option<(String, f64)> {
    let own = breakaway(found)?;
    let (middle, spread) = usual?;
    let away = portable::log(own / middle) / spread;
    let n = count as f64;
    let limit = (2.0 * portable::log(n / CHANCE)).sqrt() * (1.0 + WIDER / (n * n));
    (away.abs() > limit).then(|| {
        let mm = |x: f64| readable(1e3 * x, 3);
        let side = if away > 0.0 { "above" } else { "below" };
        let reason = format!(
            "Its breakaway f_s/K of {} mm lies far {side} the median of the fleet, {} mm.",
            mm(own),
            mm(middle)
        );
        (reason, away.abs() / limit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::signal::noise::Address;

    /// A bearing with this finding first, as strong as this; its warning says the same.
    fn with(what: &str, strength: f64) -> FoundBearing {
        let said = format!("in {} rows the slips come late", (100.0 * strength) as u32);
        let seen = Seen {
            values: vec![[Some(1.0), Some(0.9), Some(1.1)]; 7],
            diagnosis: vec![(what.to_owned(), strength)],
            suggestion: Some(said.clone()),
            warnings: vec![said],
            ..Seen::blank()
        };
        FoundBearing { bearing: what.to_owned(), title: what.to_owned(), seen: Ok(seen) }
    }

    fn statuses(all: &[FoundBearing]) -> Vec<Status> {
        judge(all, 0.05).verdicts.iter().map(|v| v.status).collect()
    }

    /// A few slips at the wrong time are no reason to look at a bearing, however few others have them.
    #[test]
    fn weak_findings_are_no_reason() {
        let mut fleet: Vec<FoundBearing> = (0..40).map(|_| with("drift", 0.0)).collect();
        for found in &mut fleet {
            let Ok(seen) = &mut found.seen else { continue };
            (seen.diagnosis, seen.warnings, seen.suggestion) = (Vec::new(), Vec::new(), None);
        }
        fleet.push(with("thermometer", 0.05));
        assert!(statuses(&fleet).iter().all(|s| *s == Status::Ok));
        let reason = judge(&fleet, 0.05).verdicts[40].reason.clone();
        assert_eq!(
            reason,
            "Nothing in its record stands out, though in 5 rows the slips come late."
        );
        // Where one slip in two comes at the wrong time, one bearing in forty is looked at.
        fleet[40] = with("thermometer", 0.5);
        assert_eq!(statuses(&fleet)[40], Status::Watch);
        // Another warning counts as before.
        fleet[40] = with("thermometer", 0.05);
        if let Ok(seen) = &mut fleet[40].seen {
            seen.warnings.push("the readings end in the future".to_owned());
        }
        assert_eq!(statuses(&fleet)[40], Status::Watch);
    }

    /// A record that ends in spring, and one with codes in two rows of a hundred, are looked at, unless many are so.
    #[test]
    fn short_records_and_codes_are_reasons_where_they_are_rare() {
        let mut fleet: Vec<FoundBearing> = (0..40).map(|_| with("thermometer", 0.0)).collect();
        for found in fleet.iter_mut().flat_map(|f| &mut f.seen) {
            (found.diagnosis, found.warnings, found.suggestion) = (Vec::new(), Vec::new(), None);
        }
        fleet[7] = with("sentinels", 0.02);
        let cut = |found: &mut FoundBearing| {
            if let Ok(seen) = &mut found.seen {
                seen.samples = [2900, 0];
            }
        };
        cut(&mut fleet[11]);
        let found = judge(&fleet, 0.05);
        let watched: Vec<usize> =
            (0..40).filter(|&i| found.verdicts[i].status == Status::Watch).collect();
        assert_eq!(watched, [7, 11]);
        assert!(found.verdicts[11].reason.starts_with("Only 2900 of its rows hold both values"));
        fleet.iter_mut().step_by(3).for_each(cut);
        assert_eq!(statuses(&fleet)[12], Status::Ok);
    }

    /// Bearings with these values of f_s/K (m).
    fn breaking_away_at(values: &[f64]) -> Vec<FoundBearing> {
        let one = |(i, f_s): (usize, &f64)| {
            let mut seen = Seen::blank();
            seen.values[BREAKAWAY][0] = Some(*f_s);
            FoundBearing { bearing: format!("b{i}"), title: format!("b{i}"), seen: Ok(seen) }
        };
        values.iter().enumerate().map(one).collect()
    }

    /// The quantiles of a normal distribution of ln(f_s/K) with a standard deviation of 0.2 in 25 bearings: none stands out. One
    /// that is moved to 1.2 does (six standard deviations, against 3.9), to 0.5 it does not; of 19 nobody can say.
    #[test]
    fn a_bearing_stands_out_only_far_from_a_fleet_that_is_large_enough() {
        let quantiles =
            [0.0, 0.10, 0.20, 0.31, 0.41, 0.52, 0.64, 0.77, 0.92, 1.08, 1.28, 1.55, 2.05];
        let logs = quantiles.iter().flat_map(|q| [0.2 * q, -0.2 * q]).skip(1);
        let mut values: Vec<f64> = logs.map(|x| 2e-3 * portable::exp(x)).collect();
        assert_eq!(values.len(), 25);
        let watched = |values: &[f64]| {
            let judged = judge(&breaking_away_at(values), 0.05);
            let out = judged.verdicts.iter().enumerate();
            let out = out.filter(|v| v.1.reason.contains("lies far"));
            out.map(|(i, v)| (i, v.status, v.reason.clone())).collect::<Vec<_>>()
        };
        assert!(watched(&values).is_empty());
        values[5] = 2e-3 * portable::exp(0.5);
        assert!(watched(&values).is_empty());
        for (log, side) in [(1.05, "above"), (-1.05, "below")] {
            values[5] = 2e-3 * portable::exp(log);
            let said = watched(&values);
            assert_eq!(said.len(), 1, "{said:?}");
            assert!(said[0].0 == 5 && said[0].1 == Status::Watch, "{said:?}");
            assert!(said[0].2.contains(&format!("lies far {side} the median of the fleet")));
            let few: Vec<f64> = values[..19].to_vec();
            assert!(watched(&few).is_empty(), "{few:?}");
        }
    }

    /// The claim of the limit: of normal fleets at most one in twenty has a bearing that stands out. Of 2,000 fleets three
    /// standard errors are 1.5 %.
    #[test]
    fn a_normal_fleet_has_a_bearing_that_stands_out_in_one_case_of_twenty() {
        for count in [20, 30, 60, 200] {
            let of = |path| Address { seed: 20, path, channel: 0 };
            let stands_out = |fleet: u64| {
                let logs = (0..count).map(|i| of(fleet).normals(0, i).0);
                let values: Vec<f64> = logs.map(|z| 2e-3 * portable::exp(0.2 * z)).collect();
                let all = breaking_away_at(&values);
                let usual = usual(&all);
                all.iter().any(|f| stands_out(f, usual, all.len()).is_some())
            };
            let out = (0..2000).filter(|fleet| stands_out(*fleet)).count();
            assert!((out as f64) < 2000.0 * (0.05 + 0.015), "{count}: {out}");
        }
    }

    /// A change that is not among the alarms at the rate of the fleet may be chance; one whose record shows a drift first is that;
    /// both are watched. One that stands among the alarms is an alarm.
    #[test]
    fn a_change_is_an_alarm_or_may_be_chance_or_something_else() {
        let changed = |p: f64| Changed {
            seconds: 2e7,
            time: None,
            ratio: [Some(1.3), Some(1.2), Some(1.4)],
            before: [None; 3],
            after: Vec::new(),
            further: 0,
            gradual: false,
            p,
        };
        let mut fleet = breaking_away_at(&[2e-3; 10]);
        let set = |found: &mut FoundBearing, change: Changed| {
            if let Ok(seen) = &mut found.seen {
                seen.change = Some(change);
            }
        };
        // The first of ten is taken at p ≤ q/(m Σ 1/i) = 0.05/29.29 = 0.0017.
        set(&mut fleet[3], changed(1.6e-3));
        let one = judge(&fleet, 0.05).verdicts[3].clone();
        assert_eq!(one.status, Status::Alarm, "{}", one.reason);
        set(&mut fleet[3], changed(1.8e-3));
        let one = judge(&fleet, 0.05).verdicts[3].clone();
        assert_eq!(one.status, Status::Watch);
        assert!(one.reason.starts_with("Its friction changed by +30 %"), "{}", one.reason);
        assert!(one.reason.ends_with("of this fleet, that may be chance."), "{}", one.reason);
        // What explains its residuals better comes before the change, however certain that is; the change itself does not.
        for (what, status) in [("drift", Status::Watch), ("change", Status::Alarm)] {
            set(&mut fleet[3], changed(1e-9));
            if let Ok(seen) = &mut fleet[3].seen {
                seen.diagnosis = vec![(what.to_owned(), 0.9)];
                seen.suggestion = Some(format!("the {what} is large"));
            }
            let one = judge(&fleet, 0.05).verdicts[3].clone();
            assert_eq!(one.status, status, "{}", one.reason);
            let first = "Its record shows something else first: the drift is large";
            assert_eq!(one.reason.contains(first), what == "drift", "{}", one.reason);
        }
    }

    /// However certain a change is, it is no alarm where the record does not say by how much the friction changed: a sensor that was
    /// turned, or creep, changes a record too. With a size it is one.
    #[test]
    fn a_change_without_a_size_is_watched() {
        let said = |ratio: [Option<f64>; 3]| {
            let mut fleet = breaking_away_at(&[2e-3; 10]);
            let Ok(seen) = &mut fleet[3].seen else { panic!() };
            seen.change = Some(Changed {
                seconds: 2e7,
                time: None,
                ratio,
                before: [None; 3],
                after: Vec::new(),
                further: 0,
                gradual: false,
                p: 1e-9,
            });
            judge(&fleet, 0.05).verdicts[3].clone()
        };
        let one = said([None; 3]);
        assert_eq!(one.status, Status::Watch);
        assert!(
            one.reason.starts_with("Something in its record changed on day 231"),
            "{}",
            one.reason
        );
        assert!(!one.reason.contains("may be chance"), "{}", one.reason);
        assert_eq!(said([Some(1.3), Some(1.2), Some(1.4)]).status, Status::Alarm);
    }

    /// Of several changes the clearest is told as one of them, with the numbers before the first and since the last; one that goes on over the
    /// whole record has no date.
    #[test]
    fn several_changes_are_told_as_several() {
        let said = |further: u64, gradual: bool| {
            let valued = |mm: f64| [mm, 0.9 * mm, 1.1 * mm].map(|mm| Some(1e-3 * mm));
            let mut after = vec![[None; 3]; 7];
            after[BREAKAWAY] = valued(3.0);
            sentence(&Changed {
                seconds: 2e7,
                time: None,
                ratio: [Some(1.3), Some(1.2), Some(1.4)],
                before: valued(2.0),
                after: if gradual { Vec::new() } else { after },
                further,
                gradual,
                p: 1e-9,
            })
        };
        let size = "by +30 % (95 %: +20 to +40 %)";
        let [before, after] = ["2.000 (1.800 to 2.200) mm", "3.000 (2.700 to 3.300) mm"];
        assert_eq!(
            said(0, false),
            format!(
                "Its friction changed {size} on day 231. Breakaway f_s/K was {before} before and is {after} since."
            )
        );
        assert_eq!(
            said(2, false),
            format!(
                "Its friction changed {size} on day 231. That is the clearest of 3 changes in its record. Breakaway f_s/K was \
                 {before} before the first and is {after} since the last."
            )
        );
        assert_eq!(
            said(0, true),
            format!(
                "Its friction changed steadily, {size} over its record: no single set of numbers describes it."
            )
        );
    }

    /// A gap that is normally harmless is mentioned, in one bearing of one as in one of thirty; a warning of the same bearing
    /// that asks for something counts as before.
    #[test]
    fn a_notice_changes_no_status() {
        let gap = "the drive is missing for more than 10.0 h once: slips in the gaps are unknown (normally harmless)";
        for count in [1, 30] {
            let mut fleet = breaking_away_at(&vec![2e-3; count]);
            let Ok(seen) = &mut fleet[0].seen else { panic!() };
            seen.warnings = vec![gap.to_owned()];
            seen.notices.clone_from(&seen.warnings);
            let one = judge(&fleet, 0.05).verdicts[0].clone();
            assert_eq!(one.status, Status::Ok, "{}", one.reason);
            assert!(one.reason.contains("though the drive is missing"), "{}", one.reason);
            let Ok(seen) = &mut fleet[0].seen else { panic!() };
            seen.warnings.push("only 3 slips for six unknowns".to_owned());
            let one = judge(&fleet, 0.05).verdicts[0].clone();
            assert_eq!(
                (one.status, one.reason.as_str()),
                (Status::Watch, "only 3 slips for six unknowns")
            );
        }
    }

    /// A record without friction, and one whose breakaway is not known, are watched, and each says which it is.
    #[test]
    fn a_record_that_does_not_know_its_breakaway_is_watched() {
        let mut fleet = breaking_away_at(&[2e-3; 5]);
        assert!(statuses(&fleet).iter().all(|s| *s == Status::Ok));
        if let Ok(seen) = &mut fleet[1].seen {
            seen.friction = false;
        }
        if let Ok(seen) = &mut fleet[2].seen {
            seen.unknown = Some("it slips one way only".to_owned());
        }
        let said = judge(&fleet, 0.05).verdicts;
        let watched = |i: usize, reason: &str| {
            assert!(said[i].status == Status::Watch && said[i].reason == reason, "{:?}", said[i]);
        };
        watched(1, "No friction is seen in its record: a straight line fits as well.");
        watched(2, "Its breakaway cannot be known: it slips one way only.");
        assert!([0, 3, 4].iter().all(|i| said[*i].status == Status::Ok));
    }

    /// Thermometers that are noisy all over the fleet say nothing of one bearing; a drift says it, however many drift.
    #[test]
    fn what_all_have_and_the_intervals_allow_for_is_no_reason() {
        let all = |what: &str| (0..40).map(|_| with(what, 0.9)).collect::<Vec<_>>();
        for what in ALLOWED_FOR {
            assert!(statuses(&all(what.name())).iter().all(|s| *s == Status::Ok), "{what:?}");
        }
        assert!(statuses(&all("drift")).iter().all(|s| *s == Status::Watch));
    }
}
