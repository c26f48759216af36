//! Texts, words out of a few, units, and true or false.

use super::{Table, unavailable};
use crate::diagnostic::{Diagnostic, Result};
use crate::node::{Node, Value};
use crate::place::Placed;
use crate::units::{ANGLES, LENGTHS, Unit};

impl<'a> Table<'a> {
    /// A text that may be left out.
    pub fn text_opt(&self, key: &str, expected: &str) -> Result<Option<Placed<String>>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        match &entry.node.value {
            Value::Text(s) => {
                Ok(Some(Placed { value: s.clone(), place: entry.node.place.clone() }))
            }
            Value::Time(s) => {
                Ok(Some(Placed { value: s.clone(), place: entry.node.place.clone() }))
            }
            _ => {
                Err(self.wrong(entry, expected).help(format!("write it in quotes: {key} = \"…\"")))
            }
        }
    }

    /// A text that must be there.
    pub fn text(&self, key: &str, expected: &str) -> Result<Placed<String>> {
        self.text_opt(key, expected)?.ok_or_else(|| self.missing(key, expected))
    }

    /// One text or a list of texts (none if the key is absent).
    pub fn texts(&self, key: &str, expected: &str) -> Result<Vec<Placed<String>>> {
        let Some(entry) = self.entry(key) else { return Ok(Vec::new()) };
        let Value::Array(items) = &entry.node.value else {
            return Ok(self.text_opt(key, expected)?.into_iter().collect());
        };
        let one = |node: &Node| match &node.value {
            Value::Text(s) | Value::Time(s) => {
                Ok(Placed { value: s.clone(), place: node.place.clone() })
            }
            other => Err(Diagnostic::at(
                &node.place,
                format!("`{}` holds {}; expected {expected}", self.path_of(key), other.describe()),
            )
            .help(format!("write texts in quotes: {key} = [\"…\", \"…\"]"))),
        };
        items.iter().map(one).collect()
    }

    /// A list of exactly two texts.
    pub fn pair(&self, key: &str, expected: &str) -> Result<[String; 2]> {
        let entry = self.entry(key).ok_or_else(|| self.missing(key, expected))?;
        if let Value::Array(items) = &entry.node.value
            && let [a, b] = items.as_slice()
            && let (Value::Text(a), Value::Text(b)) = (&a.value, &b.value)
        {
            return Ok([a.clone(), b.clone()]);
        }
        Err(self.wrong(entry, expected).help(format!("write `{key} = [\"a\", \"b\"]`")))
    }

    /// true or false, with a default.
    pub fn flag_or(&self, key: &str, default: bool) -> Result<bool> {
        let Some(entry) = self.entry(key) else { return Ok(default) };
        match entry.node.value {
            Value::Bool(b) => Ok(b),
            _ => Err(self.wrong(entry, "true or false").help(format!("write `{key} = true`"))),
        }
    }

    /// One of a few words, each with its meaning; `None` if the key is absent.
    pub fn choice<T: Copy>(
        &self,
        key: &str,
        what: &str,
        choices: &[(&str, T)],
    ) -> Result<Option<Placed<T>>> {
        if !self.has(key) {
            return Ok(None);
        }
        let words: Vec<&str> = choices.iter().map(|c| c.0).collect();
        let list = words.join(", ");
        let Some(found) = self.text_opt(key, &format!("a {what}: one of {list}"))? else {
            return Ok(None);
        };
        match choices.iter().find(|c| c.0 == found.value) {
            Some(&(_, value)) => Ok(Some(Placed { value, place: found.place })),
            None => Err(unavailable(&found.place, what, &found.value, &words)),
        }
    }

    /// A unit that is one of `like` but for a factor, as `kN` is of `N`: which one, and the unit; `None` if the key is absent.
    /// `usual` are those that a message offers.
    pub fn unit_like(
        &self,
        key: &str,
        what: &str,
        like: &[&str],
        usual: &[&str],
    ) -> Result<Option<Placed<(usize, Unit)>>> {
        let Some(found) = self.text_opt(key, &format!("a {what}: such as {}", usual.join(", ")))?
        else {
            return Ok(None);
        };
        let unit = Unit::parse(&found.value);
        match unit.and_then(|unit| Some((unit.one_of(like)?, unit))) {
            Some(value) => Ok(Some(Placed { value, place: found.place })),
            None => Err(unavailable(&found.place, what, &found.value, usual)),
        }
    }

    /// The factor that makes meters of a unit of length.
    pub fn length(&self, key: &str) -> Result<Option<Placed<f64>>> {
        let usual = LENGTHS.map(|u| u.0);
        let found = self.unit_like(key, "unit of length", &["m"], &usual)?;
        Ok(found.map(|u| Placed { value: u.value.1.factor, place: u.place }))
    }

    /// The factor that makes radians of a unit of angles.
    pub fn angle(&self, key: &str) -> Result<Option<f64>> {
        let found = self.unit_like(key, "unit of angles", &["rad"], &ANGLES.map(|u| u.0))?;
        Ok(found.map(|u| u.value.1.factor))
    }

    /// The factor that makes newtons of a unit of force.
    pub fn force(&self, key: &str) -> Result<Option<f64>> {
        let usual = ["N", "mN", "daN", "kN", "MN", "kgf", "lbf", "klbf", "kip"];
        let found = self.unit_like(key, "unit of force", &["N"], &usual)?;
        Ok(found.map(|u| u.value.1.factor))
    }
}
