//! Numbers and lists of numbers, each in its range and with the unit it may have.

use super::{Quantity, Table};
use crate::asked::{Number, Range};
use crate::diagnostic::{Diagnostic, Result};
use crate::node::{Node, Value};
use crate::place::Placed;
use crate::units::{self, Converted};

impl<'a> Table<'a> {
    /// A number, or a list of numbers.
    pub fn number_or_numbers(&self, key: &str, one: Quantity, each: Quantity) -> Result<Vec<f64>> {
        match self.entry(key).map(|e| &e.node.value) {
            Some(Value::Array(_)) => self.numbers(key, each),
            _ => self.number(key, one).map(|n| vec![n]),
        }
    }

    /// A number that may be left out.
    pub fn number_opt(&self, key: &str, what: Quantity) -> Result<Option<Placed<f64>>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let what = self.here(what);
        if let Value::Number { number, .. } = &entry.node.value
            && what.holds(*number)
        {
            self.note(key, what, *number, Some(&entry.node.place));
            return Ok(Some(Placed { value: *number, place: entry.node.place.clone() }));
        }
        let expected = what.expected();
        match &entry.node.value {
            Value::Number { .. } => {
                Err(self.wrong(entry, &expected).help(format!("change `{key}` to {expected}")))
            }
            Value::Text(s) if s.trim().parse::<f64>().is_ok() => {
                Err(self.wrong(entry, &expected).help("remove the quotes around the number"))
            }
            Value::Text(s) if s.trim().replace(',', ".").parse::<f64>().is_ok() => Err(self
                .wrong(entry, &expected)
                .help("write the number with a decimal point and without quotes")),
            Value::Text(s) if units::quantity(s).is_some() => match self.with_unit(s, what, None) {
                Ok(number) => {
                    self.note(key, what, number, Some(&entry.node.place));
                    Ok(Some(Placed { value: number, place: entry.node.place.clone() }))
                }
                Err(help) => Err(self.wrong(entry, &expected).help(help)),
            },
            _ => Err(self.wrong(entry, &expected).help(format!(
                "write `{key} = NUMBER`, without quotes, or a number and its unit in quotes"
            ))),
        }
    }

    /// The number that a text with a unit is for `what`, or what to do; of the `n`-th entry of a list.
    pub(super) fn with_unit(
        &self,
        text: &str,
        what: Quantity,
        n: Option<usize>,
    ) -> std::result::Result<f64, String> {
        let (number, unit) = units::quantity(text).unwrap_or_default();
        let own = what.unit;
        match units::convert(number, unit, own, n, self.coefficients) {
            Converted::Is(number) if what.holds(number) => Ok(number),
            Converted::Is(_) => Err(format!("change it to {}", what.expected())),
            Converted::Unknown => Err(format!(
                "`{unit}` is no unit that is known here; units are written as in \"12 kN/mm\", \"5 N·s/m\", \"2 kg*m^2\", \"3 N/(m·s)\""
            )),
            Converted::Other if self.coefficients && own.starts_with('N') => Err(format!(
                "with a normal force the numbers of the law are coefficients: `{unit}` is a unit of something else"
            )),
            Converted::Other if own.is_empty() => {
                Err("this number has no unit: write it without quotes".to_owned())
            }
            Converted::Other => {
                Err(format!("`{unit}` is a unit of something else; give a number in {own}"))
            }
        }
    }

    /// A number that must be there.
    pub fn number(&self, key: &str, what: Quantity) -> Result<f64> {
        let found = self.number_opt(key, what)?;
        found.map(|n| n.value).ok_or_else(|| self.missing(key, &self.here(what).expected()))
    }

    /// A number with a default.
    pub fn number_or(&self, key: &str, what: Quantity, default: f64) -> Result<f64> {
        let found = self.number_opt(key, what)?;
        if found.is_none() {
            self.note(key, self.here(what), default, None);
        }
        Ok(found.map_or(default, |n| n.value))
    }

    /// A whole number ≥ `least`, with a default.
    pub fn whole_or(&self, key: &str, least: u64, default: u64) -> Result<u64> {
        let Some(entry) = self.entry(key) else { return Ok(default) };
        let found = match entry.node.value {
            Value::Number { whole: Some(i), .. } => u64::try_from(i).ok(),
            _ => None,
        };
        let found = found.filter(|&i| i >= least).ok_or_else(|| {
            self.wrong(entry, &format!("a whole number ≥ {least}"))
                .help(format!("write `{key} = {default}`, for example"))
        })?;
        if let Some(asked) = self.asked {
            let path = self.path_of(key);
            let place = Some(entry.node.place.clone());
            let value = found as f64;
            let unit = "";
            let range = Range::NotNegative;
            asked.note(Number { path, value, unit, range, whole: true, place });
        }
        Ok(found)
    }

    /// A number or a word, as `rows = 2001 | "steps"`: the word becomes `None`.
    pub fn whole_or_word(
        &self,
        key: &str,
        word: &str,
        least: u64,
        most: u64,
    ) -> Result<Option<Option<u64>>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let found = match &entry.node.value {
            Value::Text(s) if s == word => return Ok(Some(None)),
            Value::Number { whole: Some(i), .. } => u64::try_from(*i).ok(),
            _ => None,
        };
        match found.filter(|i| (least..=most).contains(i)) {
            Some(i) => Ok(Some(Some(i))),
            None => Err(self
                .wrong(entry, &format!("a whole number from {least} to {most}, or \"{word}\""))
                .help(format!("write `{key} = 2001` or `{key} = \"{word}\"`"))),
        }
    }

    /// A list of numbers, each with its place; an error if the key is absent.
    pub fn numbers(&self, key: &str, what: Quantity) -> Result<Vec<f64>> {
        let expected = format!("a list; each entry {}", self.here(what).expected());
        let entry = self.entry(key).ok_or_else(|| self.missing(key, &expected))?;
        let Value::Array(items) = &entry.node.value else {
            return Err(self.wrong(entry, &expected).help(format!("write `{key} = [1.0, 2.0]`")));
        };
        self.list(key, items, what)
    }

    /// The rows of a list of lists of numbers; nothing where `key` holds another list.
    pub fn rows(&self, key: &str, what: Quantity) -> Result<Option<Vec<Vec<f64>>>> {
        let nodes = self.items(key);
        let is_row = |node: &&Node| matches!(node.value, Value::Array(_));
        if nodes.is_empty() || !nodes.iter().all(is_row) {
            return Ok(None);
        }
        let row = |(i, node): (usize, &Node)| match &node.value {
            Value::Array(items) => self.list(&format!("{key}.{i}"), items, what),
            _ => Ok(Vec::new()),
        };
        nodes.into_iter().enumerate().map(row).collect::<Result<_>>().map(Some)
    }

    /// The numbers of a list that stands at `key`.
    pub(super) fn list(&self, key: &str, items: &[Node], what: Quantity) -> Result<Vec<f64>> {
        let what = self.here(what);
        let number = |(i, node): (usize, &Node)| match node.value {
            Value::Number { number, .. } if what.holds(number) => {
                self.note(&format!("{key}.{i}"), what, number, Some(&node.place));
                Ok(number)
            }
            Value::Text(ref s) if units::quantity(s).is_some() => {
                let path = format!("{}.{i}", self.path_of(key));
                let number = self.with_unit(s, what, Some(i + 1)).map_err(|help| {
                    let found = node.value.describe();
                    let expected = what.expected();
                    Diagnostic::at(&node.place, format!("`{path}` is {found}; expected {expected}"))
                        .help(help)
                })?;
                self.note(&format!("{key}.{i}"), what, number, Some(&node.place));
                Ok(number)
            }
            _ => {
                let path = self.path_of(key);
                let found = node.value.describe();
                let expected = what.expected();
                Err(Diagnostic::at(
                    &node.place,
                    format!("`{path}.{i}` is {found}; expected {expected}"),
                )
                .help(format!("change entry {i} (from 0) of `{key}` to {expected}")))
            }
        };
        items.iter().enumerate().map(number).collect()
    }

    /// A list of numbers, each greater than the one before.
    pub fn increasing(&self, key: &str, what: Quantity) -> Result<Vec<f64>> {
        let numbers = self.numbers(key, what)?;
        let Some(i) = (1..numbers.len()).find(|&i| numbers[i] <= numbers[i - 1]) else {
            return Ok(numbers);
        };
        let path = self.path_of(key);
        let found = numbers[i];
        let before = numbers[i - 1];
        let message = format!(
            "`{path}.{i}` is {found:?}, not above {before:?} before it; expected increasing numbers, in {}",
            self.unit(what.unit)
        );
        let entry = self.entry(key).ok_or_else(|| self.missing(key, "a list"))?;
        let place = match &entry.node.value {
            Value::Array(items) => items.get(i).map_or(&entry.node.place, |n| &n.place),
            _ => &entry.node.place,
        };
        Err(Diagnostic::at(place, message)
            .help(format!("put the entries of `{key}` in order, each once")))
    }
}
