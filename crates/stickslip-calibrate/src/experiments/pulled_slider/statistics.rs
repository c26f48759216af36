//! What all slips say together.

use super::slip::{MOST_DAMPED, damping, overshoot};
use super::{Detection, Distributions, PulledSlider, SliderFit, SliderParameters, Slip};
use crate::record::logger::held;
use crate::record::uniform::Uniform;
use crate::statistics::estimate::Estimate;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::regress::regress;
use crate::statistics::stats::{mean, median, quantile, robust, sd, square};
use serde::Serialize;
use stickslip::portable;

/// Fewest slips for a standard error.
const FEW: usize = 5;
/// A stick whose force rises by less than this share of kV, or by more than its inverse, is not counted.
const UNSEEN: f64 = 0.4;
/// Fewest slips for a slope.
const SLOPE: usize = 12;
/// √(π/2), by which the error of a median is larger than that of a mean.
const MEDIAN: f64 = 1.253_314;
/// A standard deviation of log₁₀ of the waiting times below this tells nothing about ageing.
const SAME_WAIT: f64 = 0.01;

/// A quantity over the slips.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Distribution {
    /// Slips that show it.
    pub count: usize,
    /// Mean, its standard error and interval; neighbouring slips that are alike count less.
    pub mean: Estimate,
    /// Standard deviation over the slips (n − 1).
    pub sd: f64,
    /// Quantiles 5 %, 25 %, 50 %, 75 %, 95 %.
    pub quantiles: [f64; 5],
}

impl Distribution {
    fn of(values: impl Iterator<Item = f64>, unit: &'static str) -> Self {
        let values: Vec<f64> = values.collect();
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let n = values.len() as f64;
        let average = mean(&values);
        let around: Vec<f64> = values.iter().map(|v| v - average).collect();
        let sd = if values.len() > 1 { sd(&values) } else { 0.0 };
        let mean = if values.len() < FEW {
            let seen = values.len();
            // A mean of a few slips is shown, but nothing that looks like its error.
            Estimate { value: (seen > 0).then_some(average), ..few(unit, seen, FEW) }
        } else {
            // Slips that resemble those before them count less.
            let tau = autocorrelation_time(std::slice::from_ref(&around));
            // Slips that are alike count as one.
            Estimate::of_few(average, sd * (tau / n).sqrt(), n / tau - 1.0, unit)
        };
        let quantiles = [0.05, 0.25, 0.5, 0.75, 0.95].map(|p| quantile(&sorted, p));
        Self { count: values.len(), mean, sd, quantiles }
    }

    /// The median with the error of the mean times √(π/2).
    fn middle(&self) -> Estimate {
        let Estimate { value: Some(value), ci95: Some([low, high]), stderr, unit, .. } = self.mean
        else {
            return Estimate { value: None, ..self.mean.clone() };
        };
        let at = |end: f64| self.quantiles[2] + MEDIAN * (end - value);
        let stderr = stderr.map_or(f64::NAN, |error| MEDIAN * error);
        Estimate::within(self.quantiles[2], stderr, [at(low), at(high)], unit)
    }
}

fn few(unit: &'static str, seen: usize, needed: usize) -> Estimate {
    Estimate::unknown(unit, format!("{seen} slips show it; expected at least {needed}"))
}

/// μ_s against the waiting time, and along the record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ageing {
    /// Correlation of μ_s with log₁₀ of the waiting time, both without their straight line in time.
    pub correlation: Estimate,
    /// Change of μ_s for ten times the waiting time, drift taken out.
    pub per_decade: Estimate,
    /// Straight drift of μ_s along the record, 1/s.
    pub drift: Estimate,
    /// What must be known before ageing is believed.
    pub caution: &'static str,
}

const CAUTION: &str = "at constant speed the waiting time is (top − bottom before)/(kV): a slip that happens to \
     need more force also waits longer, so scatter alone makes this slope positive. Only records at \
     several speeds tell ageing from scatter";

fn ageing(slips: &[Slip]) -> Ageing {
    let aged: Vec<(f64, f64, f64)> = slips
        .iter()
        // Friction ages with the logarithm of the waiting time, which a wait of nothing does not have.
        .filter_map(|s| s.waiting.filter(|w| *w > 0.0).map(|w| (s.time, portable::log10(w), s.top)))
        .collect();
    let made = |correlation, per_decade, drift| Ageing {
        correlation,
        per_decade,
        drift,
        caution: CAUTION,
    };
    if aged.len() < SLOPE {
        let none = |unit| few(unit, aged.len(), SLOPE);
        return made(none("1"), none("1"), none("1/s"));
    }
    let n = aged.len() as f64;
    let mean_time = aged.iter().map(|a| a.0).sum::<f64>() / n;
    let one = vec![1.0; aged.len()];
    // About the middle of the record, so that the constant is μ_s there and not at time zero.
    let time: Vec<f64> = aged.iter().map(|a| a.0 - mean_time).collect();
    let wait: Vec<f64> = aged.iter().map(|a| a.1).collect();
    let top: Vec<f64> = aged.iter().map(|a| a.2).collect();
    // What drifts along the record drifts in both, and would correlate by that alone.
    let line = [one.clone(), time.clone()];
    let (Some(tops), Some(waits)) = (regress(&line, &top), regress(&line, &wait)) else {
        let none = |unit| Estimate::unknown(unit, "the slips do not spread over time");
        return made(none("1"), none("1"), none("1/s"));
    };
    let drift = tops.estimate(1, "1/s");
    let spread = (square(&waits.residuals) / n).sqrt();
    // The drift of μ_s is known in any case; how it ages only if the waiting times differ.
    let full = regress(&[one, wait, time], &top).filter(|_| spread > SAME_WAIT);
    let Some(full) = full else {
        let same =
            "all slips waited the same time, so their ageing cannot be seen: record several speeds";
        return made(Estimate::unknown("1", same), Estimate::unknown("1", same), drift);
    };
    // The correlation of what both have left without their lines: a partial correlation.
    let both: f64 = tops.residuals.iter().zip(&waits.residuals).map(|(a, b)| a * b).sum();
    let r = both / (square(&tops.residuals) * square(&waits.residuals)).sqrt();
    // Fisher's z, with as many independent slips as the residuals' memory leaves.
    let effective = n / full.autocorrelation;
    // n − 3 for a correlation, and one less for the time that was taken out.
    let z = 0.5 * portable::ln_1p(2.0 * r / (1.0 - r));
    let error = 1.0 / (effective - 4.0).max(1.0).sqrt();
    let correlation = Estimate {
        ci95: Some([portable::tanh(z - 1.96 * error), portable::tanh(z + 1.96 * error)]),
        // The interval is symmetric in z, and so never leaves [−1, 1].
        ..Estimate::known(r, (1.0 - r * r) * error, "1")
    };
    made(correlation, full.estimate(1, "1"), drift)
}

fn scaled(e: &Estimate, by: f64, unit: &'static str) -> Estimate {
    Estimate {
        value: e.value.map(|v| by * v),
        stderr: e.stderr.map(|v| by * v),
        ci95: e.ci95.map(|i| i.map(|v| by * v)),
        unit,
        ..e.clone()
    }
}

/// The report on a record.
pub fn sum_up(
    rig: &PulledSlider,
    record: &Uniform,
    detection: Detection,
    events: Vec<Slip>,
) -> SliderFit {
    let slip = rig.slip_duration();
    let slope = rig.stick_slope();
    let values = &record.columns[0];
    let length = record.step * (values.len() - 1) as f64;
    let mut warnings = Vec::new();
    let distributions = (!events.is_empty()).then(|| Distributions {
        mu_s: Distribution::of(events.iter().map(|s| s.top), "1"),
        mu_d: Distribution::of(events.iter().map(|s| s.mu_d), "1"),
        bottom: Distribution::of(events.iter().map(|s| s.bottom), "1"),
        drop: Distribution::of(events.iter().map(|s| s.top - s.bottom), "1"),
        waiting: Distribution::of(events.iter().filter_map(|s| s.waiting), "s"),
        duration: Distribution::of(events.iter().map(|s| s.duration), "s"),
        stick_slope_ratio: Distribution::of(
            events.iter().filter_map(|s| s.slope).map(|v| v / slope),
            "1",
        ),
    });
    let (parameters, at_speed) = match &distributions {
        None => (unseen(values), None),
        Some(d) => {
            let (parameters, at_speed) = shared(rig, d);
            compare(rig, d, at_speed, &mut warnings);
            (parameters, Some(at_speed))
        }
    };
    if detection.coloured {
        warnings.push(
            "the noise of the force is not independent from sample to sample (hum, drift or uneven sliding); the \
             threshold was raised to allow for it"
                .to_owned(),
        );
    }
    SliderFit {
        slips_seen: !events.is_empty(),
        parameters,
        slips: events.len(),
        rate: events.len() as f64 / length,
        detection,
        theory_slip_duration: slip,
        theory_slip_duration_at_speed: at_speed,
        theory_stick_slope: slope,
        distributions,
        ageing: ageing(&events),
        samples: values.len() - record.missing,
        missing: record.missing,
        step: record.step,
        seconds: 0.0,
        warnings,
        events,
        clean: Vec::new(),
    }
}

/// A jump from one row to the next is no slip that is so many times as steep as the steepest of them, and so many times the usual
/// difference of two rows.
const STEEP: f64 = 4.0;
const FAR: f64 = 12.0;
/// Rows before and after by whose medians a jump is told from a spike, and the share of it by which they differ.
const LEVEL: usize = 9;
const STAYS: f64 = 0.7;

/// The largest jump of a force from one row to the next that no slip makes, and its row on the even grid.
pub fn jump(values: &[f64], fit: &SliderFit, lag: usize) -> Option<(usize, f64)> {
    let slips = fit.distributions.as_ref()?;
    // A slip by a fall of R follows half of a cosine over `lag` rows, at most πR/2 of it in each.
    let slip = 0.5 * std::f64::consts::PI * slips.drop.quantiles[2] / lag as f64;
    // What a logger holds jumps as far as it would have gone in as many rows.
    let slip = slip * held(values).unwrap_or(1) as f64;
    let steps = || values.windows(2).map(|v| v[1] - v[0]);
    let limit = (STEEP * slip).max(FAR * robust(steps().filter(|s| s.is_finite())));
    let level = |rows: &[f64]| median(&mut rows.to_vec());
    // In a slip the level moves by itself: what its slopes before and after make of the way between the two levels is no jump.
    let slope = |rows: &[f64]| {
        let third = (rows.len() / 3).max(1);
        let last = level(&rows[rows.len() - third..]);
        (last - level(&rows[..third])) / (rows.len() - third).max(1) as f64
    };
    let stays = |(k, by): &(usize, f64)| {
        let before = &values[(k + 1).saturating_sub(LEVEL)..=*k];
        let after = &values[k + 1..(k + 1 + LEVEL).min(values.len())];
        let way = 0.5 * (before.len() + after.len()) as f64;
        let moved = 0.5 * (slope(before) + slope(after)) * way;
        (level(after) - level(before) - moved) / by > STAYS
    };
    let far = steps().enumerate().filter(|(_, by)| by.abs() > limit);
    far.filter(stays).max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map(|(k, by)| (k + 1, by))
}

/// What the slips share, and how long one lasts at this speed.
fn shared(rig: &PulledSlider, d: &Distributions) -> (SliderParameters, f64) {
    let slip = rig.slip_duration();
    let slope = rig.stick_slope();
    let weight = rig.mass * rig.gravity;
    let average = |e: &Distribution| e.mean.value.unwrap_or(f64::NAN);
    let f_s = average(&d.mu_s);
    let f_d = average(&d.mu_d);
    let omega = std::f64::consts::PI / slip;
    // sin φ is kV/(ωR), tan φ the same over half the height of the slip, which is f_s − f_d.
    let phase = portable::atan(slope / (omega * (f_s - f_d)));
    let at_speed = (std::f64::consts::PI + 2.0 * phase) / omega;
    let ratio = d.stick_slope_ratio.quantiles[2];
    let known = |e: &Estimate| {
        // The force of a stick rises by kV whatever the friction does: a slope far from it means that other
        // slips lie between.
        if d.stick_slope_ratio.count >= FEW && !(UNSEEN..=UNSEEN.recip()).contains(&ratio) {
            let why = format!(
                "between the slips that are seen the force rises {ratio:.3} times as fast as kV says: most slips are not seen, or these values belong to another rig"
            );
            return Estimate::unknown(e.unit, why);
        }
        if e.stderr.is_some() { e.clone() } else { Estimate { value: None, ..e.clone() } }
    };
    let mu_s = known(&d.mu_s.mean);
    let mu_d = known(&d.mu_d.mean);
    let parameters = SliderParameters {
        f_s: scaled(&mu_s, weight, "N"),
        f_d: scaled(&mu_d, weight, "N"),
        mu_s,
        mu_d,
        stick_slope_ratio: d.stick_slope_ratio.middle(),
        slip_duration_ratio: known(&scaled(&d.duration.mean, 1.0 / slip, "1")),
    };
    (parameters, at_speed)
}

/// A drift or a shape of the slips is told if it is so many times its standard error.
const CLEAR: f64 = 4.0;
/// Damping ratios and drifts, as a share of μ_s, below these are not worth telling.
const DAMPED: f64 = 0.02;
const DRIFTS: f64 = 0.03;
/// Damping that cannot be excluded is told if it lowers μ_d by such a share.
const SHIFTS: f64 = 0.01;

/// Remarks where the slips differ from those of the model: friction that changes along the record, and damping. `shares` are those of
/// the time between 80 % and 20 % of the way down that slips are above their middle.
pub fn doubt(fit: &mut SliderFit, shares: Vec<f64>) {
    let (Some(d), Some(first), Some(last)) =
        (&fit.distributions, fit.events.first(), fit.events.last())
    else {
        return;
    };
    let drift = scaled(&fit.ageing.drift, last.time - first.time, "1");
    if let Estimate { value: Some(by), stderr: Some(error), ci95: Some([low, high]), .. } = drift
        && by.abs() > CLEAR * error
        && by.abs() > DRIFTS * d.mu_s.quantiles[2]
    {
        fit.warnings.push(format!(
            "from the first slip to the last μ_s changes by {by:.3} (95 %: {low:.3} to {high:.3}) along a straight line: μ_s and μ_d are \
             means over a friction that changed; fit parts of the record one by one"
        ));
    }
    let share = Distribution::of(shares.into_iter(), "1").mean;
    let Estimate { value: Some(value), stderr: Some(error), ci95: Some([low, high]), .. } = share
    else {
        return;
    };
    let (ratio, [least, most]) = (damping(value), [damping(high), damping(low)]);
    let (top, bottom) = (d.mu_s.quantiles[2], d.bottom.quantiles[2]);
    let damped = |ratio: f64| (bottom + overshoot(ratio) * top) / (1.0 + overshoot(ratio));
    let undamped = d.mu_d.quantiles[2];
    let clear = value < 0.5 - CLEAR * error && ratio > DAMPED;
    if clear && ratio >= 0.99 * MOST_DAMPED {
        fit.warnings.push(
            "the slips take longer below their middle than above it, by more than damping explains: a sensor or a filter that lags hides how \
             they begin and end, so that μ_d and μ_s are not those of the slider"
                .to_owned(),
        );
    } else if clear {
        fit.warnings.push(format!(
            "the slips take longer below their middle than above it, as with a damping ratio of {ratio:.2} (95 %: {least:.2} to {most:.2}): \
             μ_d is then {:.4}, and {undamped:.4} holds only without damping",
            damped(ratio)
        ));
    } else if most > DAMPED && undamped - damped(most) > SHIFTS * undamped {
        fit.warnings.push(format!(
            "μ_d holds without damping: with a damping ratio of {most:.2}, which the shape of the slips does not exclude, it is {:.4}",
            damped(most)
        ));
    }
}

/// No slip: what that says.
fn unseen(values: &[f64]) -> SliderParameters {
    let mut present: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    let middle = median(&mut present);
    let why = format!(
        "no slip seen; the force is usually {middle:.4} of the weight: the slider rests or slides steadily"
    );
    let none = |unit| Estimate::unknown(unit, why.clone());
    SliderParameters {
        mu_s: none("1"),
        mu_d: none("1"),
        f_s: none("N"),
        f_d: none("N"),
        stick_slope_ratio: none("1"),
        slip_duration_ratio: none("1"),
    }
}

/// Remarks where the record does not agree with the rig.
fn compare(rig: &PulledSlider, d: &Distributions, at_speed: f64, warnings: &mut Vec<String>) {
    let slope = d.stick_slope_ratio.quantiles[2];
    // The median: a stick with an unseen slip in it has a slope of its own.
    if !(0.8..=1.25).contains(&slope) && d.stick_slope_ratio.count >= FEW {
        warnings.push(format!(
            "while it sticks the force rises {slope:.3} times as fast as kV says: check the velocity \
             ({:?} m/s), the stiffness ({:?} N/m), the unit of the force, and the mass if the force is F/(m g)",
            rig.velocity, rig.stiffness
        ));
    }
    // Against the duration at this speed, since at higher ones every slip takes longer.
    let ratio = d.duration.quantiles[2] / at_speed;
    if !(0.7..=1.4).contains(&ratio) {
        warnings.push(format!(
            "slips last {ratio:.3} times as long as √(m/k) and the speed say: the friction depends on the \
             velocity, the damping is not small, or the mass ({:?} kg) or the stiffness ({:?} N/m) is wrong",
            rig.mass, rig.stiffness
        ));
    }
}
