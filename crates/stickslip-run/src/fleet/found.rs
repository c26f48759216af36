//! What is found of one bearing, and from which record.

use serde::{Deserialize, Serialize};
use stickslip_calibrate::{Change, Estimate, Fit};
use stickslip_file::fit::Fit as File;

/// The quantities of a bearing with their units, in the order of [`Seen::values`].
pub const QUANTITIES: [(&str, &str); 7] = [
    ("K", "N/m"),
    ("f_d", "N"),
    ("f_s", "N"),
    ("beta", "m/K"),
    ("z0", "m"),
    ("f_s_over_K", "m"),
    ("f_d_over_K", "m"),
];
/// The place of β among them.
pub const EXPANSION: usize = 3;
/// The place of f_s among them.
pub const FORCE: usize = 2;
/// The place of f_s/K among them.
pub const BREAKAWAY: usize = 5;

/// A value with the ends of its 95 % interval; nothing where it cannot be known.
pub type Valued = [Option<f64>; 3];

/// What is found of one bearing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundBearing {
    /// Its name.
    pub bearing: String,
    /// What people call it.
    pub title: String,
    /// What was found; or else why its record cannot be used.
    pub seen: Result<Seen, String>,
}

/// What the record of a bearing shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The first time of the record.
    pub from: String,
    /// Its length, s.
    pub length: f64,
    /// One for each of [`QUANTITIES`].
    pub values: Vec<Valued>,
    /// Whether there may be friction: false where the record shows that there is none.
    pub friction: bool,
    /// Why breakaway cannot be known, if it cannot.
    pub unknown: Option<String>,
    /// Slips of the fitted path.
    pub slips: u64,
    /// Root mean square of the residuals, m.
    pub rmse: Option<f64>,
    /// Rows with both values, and rows without.
    pub samples: [u64; 2],
    /// What explains the residuals, strongest first: its name and how strong it is.
    pub diagnosis: Vec<(String, f64)>,
    /// What to do about the strongest.
    pub suggestion: Option<String>,
    /// What users should know.
    pub warnings: Vec<String>,
    /// Those of the warnings that ask for nothing.
    #[serde(default)]
    pub notices: Vec<String>,
    /// The change of the friction with the most evidence, if one was found.
    pub change: Option<Changed>,
    /// Whether changes were looked for.
    pub tested: bool,
    /// The displacement over the record as letters, one for each of 60 stretches: `A` the least, `z` the greatest, `-`
    /// none.
    pub sketch: String,
}

/// A change of the friction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    /// When, s after the first time of the record.
    pub seconds: f64,
    /// The same as a date, if the record has dates.
    pub time: Option<String>,
    /// Friction afterwards over that before, with its 95 % interval; nothing where the record does not tell it.
    pub ratio: Valued,
    /// How many changes of the friction the record has besides this one, which has the most evidence.
    pub further: u64,
    /// Whether it is one that goes on over the whole record.
    pub gradual: bool,
    /// f_s/K of the rows before the first change, fitted alone, m.
    pub before: Valued,
    /// One for each of [`QUANTITIES`]: of the rows after the last change, fitted alone. Empty where these are too few.
    pub after: Vec<Valued>,
    /// The probability of as much evidence without a change.
    pub p: f64,
}

#[cfg(test)]
impl Seen {
    /// A record of which nothing is known.
    pub fn blank() -> Self {
        Self {
            from: String::new(),
            length: 3e7,
            values: vec![[None; 3]; QUANTITIES.len()],
            friction: true,
            unknown: None,
            slips: 100,
            rmse: Some(5e-5),
            samples: [8000, 0],
            diagnosis: Vec::new(),
            suggestion: None,
            warnings: Vec::new(),
            notices: Vec::new(),
            change: None,
            tested: true,
            sketch: String::new(),
        }
    }
}

fn finite(x: f64) -> Option<f64> {
    Some(x).filter(|x| x.is_finite())
}

impl Changed {
    /// The change with the most evidence, with what was found before the first of them and after the last one; nothing where there is no
    /// change.
    pub fn of(all: &[Change], file: &File, [before, after]: [Option<Fit>; 2]) -> Option<Self> {
        let change = all.iter().min_by(|a, b| a.p_value().total_cmp(&b.p_value()))?;
        Some(Self {
            seconds: change.time,
            time: file.data.clock.stamp(change.time),
            ratio: change.size().map_or([None; 3], |size| size.map(finite)),
            before: before.map_or([None; 3], |fit| valued(&fit.f_s_over_K)),
            after: after.map_or(Vec::new(), |fit| quantities(&fit)),
            further: all.len() as u64 - 1,
            gradual: change.gradual,
            p: change.p_value(),
        })
    }
}

/// What a fit says of each of [`QUANTITIES`].
pub fn quantities(fit: &Fit) -> Vec<Valued> {
    let p = &fit.parameters;
    [&p.K, &p.f_d, &p.f_s, &p.beta, &p.z0, &fit.f_s_over_K, &fit.f_d_over_K].map(valued).to_vec()
}

/// An estimate as a value with its interval.
pub fn valued(e: &Estimate) -> Valued {
    let [low, high] = e.ci95.map_or([None, None], |ends| ends.map(finite));
    [e.value.and_then(finite), low, high]
}

const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";
const STRETCHES: usize = 60;

/// The means of a series over stretches of equal length, as letters.
pub fn sketch(seconds: &[f64], values: &[f64]) -> String {
    let (Some(first), Some(last)) = (seconds.first(), seconds.last()) else { return String::new() };
    let mut sums = vec![0.0; STRETCHES];
    let mut counts = vec![0u32; STRETCHES];
    for (t, z) in seconds.iter().zip(values).filter(|r| r.1.is_finite()) {
        let at = ((t - first) / (last - first) * STRETCHES as f64) as usize;
        let at = at.min(STRETCHES - 1);
        sums[at] += z;
        counts[at] += 1;
    }
    let mean = |i: usize| (counts[i] > 0).then(|| sums[i] / f64::from(counts[i]));
    let means: Vec<Option<f64>> = (0..STRETCHES).map(mean).collect();
    let least = means.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let most = means.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let letter = |mean: &Option<f64>| {
        let share = mean.map(|m| (m - least) / (most - least).max(f64::MIN_POSITIVE));
        share.map_or('-', |s| char::from(LETTERS[(61.0 * s).round() as usize % 62]))
    };
    means.iter().map(letter).collect()
}

/// Grows when something else is computed from the same record.
const COMPUTED: u64 = 7;

/// A number that is the same for the same record, asked for in the same way, and for hardly any other.
pub fn fingerprint(file: &File, changes: bool) -> String {
    let asked = serde_json::to_string(file).unwrap_or_default();
    let data = &file.data;
    let series = [&*data.seconds, &data.drive_values, &data.response_values];
    crate::fingerprint::fingerprint(&asked, [COMPUTED, changes.into()], &series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sketch_shows_the_extremes_and_the_gaps() {
        let t: Vec<f64> = (0..600).map(f64::from).collect();
        let mut z: Vec<f64> = t.iter().map(|t| t / 599.0).collect();
        z[200..210].fill(f64::NAN);
        let sketch = sketch(&t, &z);
        assert_eq!(sketch.len(), 60);
        assert!(sketch.starts_with('A') && sketch.ends_with('z'), "{sketch}");
        assert_eq!(sketch.matches('-').count(), 1, "{sketch}");
    }
}
