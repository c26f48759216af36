//! A part of a run that is shared among machines.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::ops::Range;
use std::str::FromStr;
use stickslip_file::{Diagnostic, Result};

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

    fn try_from((number, of): (u64, u64)) -> std::result::Result<Self, String> {
        let part = Self { number, of };
        if (1..=of).contains(&number) {
            return Ok(part);
        }
        Err(format!("`{part}` is no part; expected K of N with K from 1 to N"))
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
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

/// The partial result of `what` (`a sweep`) in the text of a file called `name` in messages, if it was written by
/// this version, which `version` reads from it.
pub(crate) fn read<T: DeserializeOwned>(
    name: &str,
    text: &[u8],
    what: &str,
    version: impl Fn(&T) -> &str,
) -> Result<T> {
    let partial: T = serde_json::from_slice(text).map_err(|_| {
        Diagnostic::new(format!("{name}: not a partial result of {what}"))
            .help(format!("give files called partial.json, which {what} of this version writes"))
    })?;
    let this = env!("CARGO_PKG_VERSION");
    let found = version(&partial);
    if found != this {
        let message = format!(
            "{name}: was written by stickslip {found}; expected version {this}, for versions may count differently"
        );
        return Err(Diagnostic::new(message).help("run all parts with one version"));
    }
    Ok(partial)
}

/// What one machine did of a whole that is shared among several: a range of its items.
pub(crate) trait Share: Sized {
    /// What the whole is called.
    const WHOLE: &'static str;
    /// What its items are called.
    const ITEMS: &'static str;
    /// Why none may be missing, put to the message that some are.
    const BECAUSE: &'static str = "";

    /// Which items.
    fn range(&self) -> Range<u64>;

    /// Number of items of the whole.
    fn count(&self) -> u64;

    /// Whether both are of one whole.
    fn is_of_one_whole_with(&self, other: &Self) -> bool;

    /// Puts a share to this one whose items follow.
    fn append(&mut self, next: Self);
}

/// All shares in one, each with the name of its file.
///
/// # Errors
/// Where they are not of one whole, and where items are missing or come twice.
pub(crate) fn joined<T: Share>(mut parts: Vec<(String, T)>) -> Result<T> {
    // By their first item, and by their last where that is the same, so that empty shares come before the one that begins
    // where they end.
    parts.sort_by_key(|(_, p)| (p.range().start, p.range().end));
    let mut parts = parts.into_iter();
    let (_, mut whole) =
        parts.next().ok_or_else(|| Diagnostic::command_line("no partial result is given"))?;
    let wrong = |said| {
        Diagnostic::new(said).help(format!("give every part of one {}, each once", T::WHOLE))
    };
    let missing = |from: u64, to: u64| {
        let items = T::ITEMS;
        let of = T::WHOLE;
        let because = T::BECAUSE;
        wrong(format!("{items} {} to {to} of the {of} are in none of the parts{because}", from + 1))
    };
    for (name, part) in parts {
        if !whole.is_of_one_whole_with(&part) {
            return Err(wrong(format!("{name}: is a part of another {}", T::WHOLE)));
        }
        if part.range().is_empty() {
            continue;
        }
        let end = whole.range().end;
        if part.range().start < end {
            return Err(wrong(format!("{name}: holds {} that another part holds too", T::ITEMS)));
        }
        if part.range().start > end {
            return Err(missing(end, part.range().start));
        }
        whole.append(part);
    }
    if whole.range().start > 0 {
        return Err(missing(0, whole.range().start));
    }
    if whole.range().end < whole.count() {
        return Err(missing(whole.range().end, whole.count()));
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Items that are their own numbers.
    #[derive(Debug, Clone)]
    struct Numbers(Range<u64>, u64, &'static str);

    impl Share for Numbers {
        const WHOLE: &'static str = "list";
        const ITEMS: &'static str = "numbers";

        fn range(&self) -> Range<u64> {
            self.0.clone()
        }

        fn count(&self) -> u64 {
            self.1
        }

        fn is_of_one_whole_with(&self, other: &Self) -> bool {
            self.2 == other.2
        }

        fn append(&mut self, next: Self) {
            self.0.end = next.0.end;
        }
    }

    /// In any order, with empty parts; and everything that can be wrong with them.
    #[test]
    fn shares_are_joined_or_refused() {
        let join = |ranges: &[Range<u64>]| {
            let part = |r: &Range<u64>| (format!("part {r:?}"), Numbers(r.clone(), 9, "a"));
            joined(ranges.iter().map(part).collect()).map(|n| n.0)
        };
        let fails = |ranges: &[Range<u64>]| join(ranges).unwrap_err().message().to_owned();
        assert_eq!(join(&[5..9, 0..2, 2..2, 2..5]).unwrap(), 0..9);
        assert_eq!(join(&[0..0, 0..9, 9..9]).unwrap(), 0..9);
        assert_eq!(fails(&[0..2, 5..9]), "numbers 3 to 5 of the list are in none of the parts");
        assert_eq!(
            fails(std::slice::from_ref(&(1..9))),
            "numbers 1 to 1 of the list are in none of the parts"
        );
        assert_eq!(
            fails(std::slice::from_ref(&(0..8))),
            "numbers 9 to 9 of the list are in none of the parts"
        );
        assert_eq!(fails(&[0..5, 4..9]), "part 4..9: holds numbers that another part holds too");
        assert_eq!(fails(&[]), "no partial result is given");
        let other =
            vec![("a".to_owned(), Numbers(0..4, 9, "a")), ("b".to_owned(), Numbers(4..9, 9, "b"))];
        assert_eq!(joined(other).unwrap_err().message(), "b: is a part of another list");
    }

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
