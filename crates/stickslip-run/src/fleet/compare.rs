//! One bearing compared with the others.
//!
//! A fleet of a bridge has four to sixteen bearings, and their numbers differ: β grows with the distance from the fixed
//! point of the deck. A value stands apart only if it is far from the middle for the spread of the others *and* a factor away
//! from every value that is not.

use super::found::{BREAKAWAY, EXPANSION, FoundBearing};
use stickslip::numeric::{TO_SIGMA, median};
use stickslip::portable;

/// Fewer values than this have no middle.
const FEWEST: usize = 3;
/// A value stands apart that is so many robust standard deviations of the logarithm from the middle,
const FAR: f64 = 3.5;
/// of which one is no smaller than this, since few values may agree by chance,
const LEAST: f64 = 0.25;
/// that is so many times the middle, or less than one part of it,
const FACTOR: f64 = 3.0;
/// and so many times the nearest value that does not stand apart.
const GAP: f64 = 2.0;

/// The value of one of the quantities that every bearing has.
pub fn value(found: &FoundBearing, place: usize) -> Option<f64> {
    let value = found.seen.as_ref().ok()?.values.get(place)?[0]?;
    Some(value).filter(|v| *v != 0.0)
}

/// The sizes of one quantity over a fleet.
#[derive(Debug, Clone)]
pub struct Sizes {
    /// The median.
    pub middle: f64,
    /// Logarithms of the sizes that do not stand apart.
    near: Vec<f64>,
    /// Robust standard deviation of the logarithm.
    spread: f64,
}

impl Sizes {
    /// Nothing where too few bearings know it.
    pub fn of(all: &[FoundBearing], place: usize) -> Option<Self> {
        let sizes = all.iter().filter_map(|f| value(f, place)).map(|v| portable::ln(v.abs()));
        let mut logs: Vec<f64> = sizes.collect();
        if logs.len() < FEWEST {
            return None;
        }
        let middle = median(&mut logs);
        let mut away: Vec<f64> = logs.iter().map(|x| (x - middle).abs()).collect();
        let spread = (TO_SIGMA * median(&mut away)).max(LEAST);
        let far = |x: &f64| is_far(*x, middle, spread);
        logs.retain(|x| !far(x));
        Some(Self { middle: portable::exp(middle), near: logs, spread })
    }

    /// How many times the middle a value is, if it stands apart.
    pub fn apart(&self, value: f64) -> Option<f64> {
        let own = portable::ln(value.abs());
        let gap = self.near.iter().map(|x| (x - own).abs()).fold(f64::INFINITY, f64::min);
        let apart = is_far(own, portable::ln(self.middle), self.spread) && gap >= portable::ln(GAP);
        apart.then(|| value.abs() / self.middle)
    }
}

fn is_far(log: f64, middle: f64, spread: f64) -> bool {
    let away = (log - middle).abs();
    away > FAR * spread && away > portable::ln(FACTOR)
}

/// The numbers that a fleet is compared by.
#[derive(Debug, Clone)]
pub struct Usual {
    expansion: Option<Sizes>,
    breakaway: Option<Sizes>,
    /// Bearings that move to either side as it gets warmer.
    ways: [usize; 2],
}

/// Why a bearing is looked at, and how urgent that is.
pub type Reason = (String, f64);

impl Usual {
    /// Of a whole fleet.
    pub fn of(all: &[FoundBearing]) -> Self {
        let ways = [true, false].map(|up| {
            all.iter().filter_map(|f| value(f, EXPANSION)).filter(|b| (*b > 0.0) == up).count()
        });
        let [expansion, breakaway] = [EXPANSION, BREAKAWAY].map(|place| Sizes::of(all, place));
        Self { expansion, breakaway, ways }
    }

    /// What sets one bearing apart from the others.
    pub fn apart(&self, found: &FoundBearing, rare: f64) -> Option<Reason> {
        self.turned(found, rare).or_else(|| self.stretched(found)).or_else(|| self.held(found))
    }

    /// A bearing that moves against all others, or against nearly all of them.
    fn turned(&self, found: &FoundBearing, rare: f64) -> Option<Reason> {
        let up = value(found, EXPANSION)? > 0.0;
        let [own, others] = if up { self.ways } else { [self.ways[1], self.ways[0]] };
        let alone = own == 1 && others >= FEWEST - 1;
        let few = (own as f64) <= rare * (own + others) as f64;
        (alone || few).then(|| {
            let reason = format!(
                "It moves against the other bearings as the temperature rises ({own} against {others}): the sign of its \
                 sensor may be turned, unless it stands on the other side of the fixed point of the deck."
            );
            (reason, 1.5)
        })
    }

    fn stretched(&self, found: &FoundBearing) -> Option<Reason> {
        let sizes = self.expansion.as_ref()?;
        let own = value(found, EXPANSION)?;
        let ratio = sizes.apart(own)?;
        let reason = format!(
            "Its β of {} mm/°C is {} of the fleet, {} mm/°C: check the unit and the gain of its sensor, and the \
             length of deck that it carries.",
            digits(1e3 * own.abs()),
            times(ratio),
            digits(1e3 * sizes.middle)
        );
        Some((reason, portable::ln(ratio).abs()))
    }

    fn held(&self, found: &FoundBearing) -> Option<Reason> {
        let sizes = self.breakaway.as_ref()?;
        let own = value(found, BREAKAWAY)?;
        let ratio = sizes.apart(own)?;
        let reason = format!(
            "Its breakaway f_s/K of {} mm is {} of the fleet, {} mm.",
            digits(1e3 * own),
            times(ratio),
            digits(1e3 * sizes.middle)
        );
        Some((reason, portable::ln(ratio).abs()))
    }

    /// What is to be said of the fleet where some bearings move to one side and some to the other.
    pub fn said(&self, rare: f64) -> Option<String> {
        let [less, more] = [self.ways[0].min(self.ways[1]), self.ways[0].max(self.ways[1])];
        let noted = less <= 1 || (less as f64) <= rare * (less + more) as f64;
        (!noted).then(|| {
            format!(
                "{less} bearings move one way and {more} the other way as the temperature rises. This is right \
                 if they stand on either side of the fixed point of the deck; otherwise the signs of some sensors are wrong."
            )
        })
    }
}

fn digits(x: f64) -> String {
    stickslip_file::number::readable(x, 3)
}

fn times(ratio: f64) -> String {
    match ratio {
        r if r >= 1.0 => format!("{} times the median", digits(r)),
        r => format!("1/{} of the median", digits(1.0 / r)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::Seen;
    use super::*;

    /// Bearings with these β (mm/°C) and f_s/K (mm).
    pub fn fleet(values: &[(f64, f64)]) -> Vec<FoundBearing> {
        let one = |(i, (beta, breakaway)): (usize, &(f64, f64))| {
            let mut values = vec![[None; 3]; 7];
            values[EXPANSION][0] = Some(1e-3 * beta);
            values[BREAKAWAY][0] = Some(1e-3 * breakaway);
            let seen = Seen { values, ..Seen::blank() };
            FoundBearing { bearing: format!("b{i}"), title: format!("b{i}"), seen: Ok(seen) }
        };
        values.iter().enumerate().map(one).collect()
    }

    fn apart(values: &[(f64, f64)]) -> Vec<usize> {
        let all = fleet(values);
        let usual = Usual::of(&all);
        (0..all.len()).filter(|&i| usual.apart(&all[i], 0.1).is_some()).collect()
    }

    #[test]
    fn a_factor_of_ten_and_a_turned_sign_stand_apart() {
        let healthy =
            [(0.42, 2.4), (0.45, 2.2), (0.39, 2.9), (0.43, 2.6), (0.41, 2.5), (0.44, 2.0)];
        assert!(apart(&healthy).is_empty());
        for (beta, breakaway) in [(4.3, 2.4), (0.043, 2.4), (-0.42, 2.4), (0.42, 24.0)] {
            let mut all = healthy.to_vec();
            all[3] = (beta, breakaway);
            assert_eq!(apart(&all), [3], "{beta} {breakaway}");
        }
        // Two sensors in centimetres do not hide each other.
        let mut two = healthy.to_vec();
        (two[0].0, two[4].0) = (4.2, 4.1);
        assert_eq!(apart(&two), [0, 4]);
        // Three are the fewest.
        assert_eq!(apart(&[(0.4, 2.0), (0.4, 2.0), (4.0, 2.0)]), [2]);
        assert!(apart(&[(0.4, 2.0), (4.0, 2.0)]).is_empty());
    }

    /// On a long bridge β grows from bearing to bearing, and on either side of the fixed point it has another sign.
    #[test]
    fn distance_from_the_fixed_point_is_no_finding() {
        let along = |sign: f64| (1..=8).map(move |i| (sign * 0.12 * f64::from(i), 2.0));
        assert!(apart(&along(1.0).collect::<Vec<_>>()).is_empty());
        let both: Vec<_> = along(1.0).take(4).chain(along(-1.0).take(4)).collect();
        assert!(apart(&both).is_empty());
        assert!(Usual::of(&fleet(&both)).said(0.1).unwrap().contains("4 bearings move one way"));
        assert_eq!(Usual::of(&fleet(&both[..4])).said(0.1), None);
    }
}
