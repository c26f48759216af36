//! A part of a run that is shared among machines.

use serde::Deserialize;
use std::ops::Range;
use std::str::FromStr;

/// Part `number` of `of` parts, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "(u64, u64)")]
pub struct Part {
    /// Which part, from 1.
    pub number: u64,
    /// How many parts there are.
    pub of: u64,
}

impl Part {
    /// Its share of `count` items: about as many as every other part has.
    ///
    /// ```
    /// use stickslip_run::Part;
    /// let part: Part = "2/3".parse().unwrap();
    /// assert_eq!(part.range(10), 3..6);
    /// ```
    pub fn range(self, count: u64) -> Range<u64> {
        let edge = |k: u64| (u128::from(count) * u128::from(k) / u128::from(self.of)) as u64;
        edge(self.number - 1)..edge(self.number)
    }
}

impl TryFrom<(u64, u64)> for Part {
    type Error = String;

    fn try_from((number, of): (u64, u64)) -> Result<Self, String> {
        let part = Self { number, of };
        if (1..=of).contains(&number) {
            return Ok(part);
        }
        Err(format!("`{part}` is no part; expected K of N with K from 1 to N"))
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = text.split_once('/').and_then(|(number, of)| {
            Some(Self { number: number.trim().parse().ok()?, of: of.trim().parse().ok()? })
        });
        found.filter(|p| (1..=p.of).contains(&p.number)).ok_or_else(|| {
            format!("`{text}` is no part; expected K/N with K from 1 to N, such as 3/20")
        })
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_everything_once() {
        for (count, of) in [(10, 3), (2, 5), (1_000_003, 64), (0, 2)] {
            let mut next = 0;
            for number in 1..=of {
                let range = Part { number, of }.range(count);
                assert_eq!(range.start, next);
                next = range.end;
            }
            assert_eq!(next, count);
        }
        for wrong in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
    }
}
