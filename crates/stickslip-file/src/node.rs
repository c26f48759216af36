//! A TOML document that remembers where everything stands.
//!
//! Why not `#[derive(Deserialize)]`: a derived reader knows the type it wants but not the unit, the
//! range or the remedy, loses the place of a value once it is a number, and cannot tell a value of
//! the file from one that was given beside it. This tree keeps the place of every key and value, takes
//! overrides from other sources, and is read by [`Table`](crate::reader::Table) in one pass.

use crate::diagnostic::{Diagnostic, Remedy, Result};
use crate::number::exact;
use crate::place::{Place, Source};
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it was written.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where the value stands.
    pub place: Place,
    /// What it is.
    pub value: Value,
}

/// A key, where it stands, and its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_place: Place,
    /// Its value.
    pub node: Node,
}

impl Entry {
    /// A key and its value where there is no text that they stand in. A synonym is known by its usual name.
    pub fn of(key: &str, node: Node) -> Self {
        Self { key: usual(key).to_owned(), key_place: node.place.clone(), node }
    }

    /// The key as it was written: a synonym is known by its usual name, but shown as it stands in the file.
    pub fn written(&self) -> &str {
        let text = self.key_place.text();
        if usual(text) == self.key { text } else { &self.key }
    }
}

/// Other words that are accepted for a key: ASTM G40 says "kinetic", the files say "dynamic".
const SYNONYMS: [(&str, &str); 2] = [("kinetic", "dynamic"), ("static-kinetic", "static-dynamic")];

/// The usual name of a key.
fn usual(key: &str) -> &str {
    SYNONYMS.iter().find(|(other, _)| *other == key).map_or(key, |(_, usual)| usual)
}

/// The values of TOML.
#[derive(Debug, Clone)]
pub enum Value {
    /// true, false.
    Bool(bool),
    /// A number; `whole` when it was written without a point.
    Number {
        /// The number.
        number: f64,
        /// As a whole number, if it was written as one.
        whole: Option<i64>,
    },
    /// A text in quotes.
    Text(String),
    /// A date or time without quotes, as written.
    Time(String),
    /// A list.
    Array(Vec<Node>),
    /// A table.
    Table(Vec<Entry>),
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        let whole = (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64);
        Self::Number { number, whole }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Value {
    /// What this is, for messages: `the text "abc"`, `a table`.
    pub fn describe(&self) -> String {
        match self {
            Self::Bool(b) => format!("{b}"),
            Self::Number { whole: Some(i), .. } => format!("{i}"),
            Self::Number { number, .. } => exact(*number),
            Self::Text(s) if s.len() > 60 => "a long text".to_owned(),
            Self::Text(s) => format!("the text {s:?}"),
            Self::Time(_) => "a date".to_owned(),
            Self::Array(a) => format!("a list of {}", a.len()),
            Self::Table(_) => "a table".to_owned(),
        }
    }
}

impl Node {
    /// Parses a whole document.
    pub fn parse(source: &Arc<Source>) -> Result<Self> {
        let table = DeTable::parse(&source.text).map_err(|e| {
            let range = e.span().unwrap_or(0..0);
            if let Some(fault) = with_unit(source, &range) {
                return fault;
            }
            Diagnostic::at(&Place::new(source, range), format!("this is not TOML: {}", e.message()))
                .help("a file holds lines `key = value` under headers, such as [oscillator] of a model or [data] of a fit")
                .with_remedy(Remedy::Template)
        })?;
        let range = table.span();
        let table = table.into_inner();
        Ok(Self { place: Place::new(source, range), value: convert_table(source, table)? })
    }

    /// The entry of a table with this key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|e| e.key == key),
            _ => None,
        }
    }
}

/// The error for `key = 1.0 kg`, on a line of its own or inside `{ … }`, if there is one at `range`: what a parser says of
/// it leads astray.
fn with_unit(source: &Arc<Source>, range: &Range<usize>) -> Option<Diagnostic> {
    let text = source.text.as_str();
    let start = text.get(..range.start)?.rfind('\n').map_or(0, |i| i + 1);
    let line = text.get(start..)?.lines().next()?;
    // Inside a table in braces the entry that the fault is in.
    let at = range.start - start;
    let opens = line.get(..at)?.rfind(['{', ',']);
    let inline = line.get(..at)?.matches('{').count() > line.get(..at)?.matches('}').count();
    let (start, line) = match opens.filter(|_| inline) {
        Some(i) => (start + i + 1, line.get(i + 1..)?.split([',', '}']).next()?),
        None => (start, line),
    };
    let (key, rest) = line.split_once('=')?;
    let value = rest.split('#').next()?.trim();
    let (number, unit) = value.split_once(' ')?;
    let is_unit = |u: &str| !u.is_empty() && !u.starts_with(['"', '\'', '[', '{']);
    number.parse::<f64>().ok().filter(|_| is_unit(unit.trim()))?;
    let from = start + line.find(value)?;
    let place = Place::new(source, from..from + value.len());
    let key = key.trim();
    Some(
        Diagnostic::at(
            &place,
            format!("`{value}`: expected a number; a number with a unit stands in quotes"),
        )
        .help(format!(
            "write `{key} = \"{value}\"`, or `{key} = {number}` in the unit of this key"
        )),
    )
}

fn convert_table(source: &Arc<Source>, table: DeTable<'_>) -> Result<Value> {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table {
        entries.push(Entry {
            key_place: Place::new(source, key.span()),
            key: usual(&key.into_inner()).to_owned(),
            node: convert(source, value)?,
        });
    }
    // The parser sorts by key; messages about "the first" mean the first one written.
    entries.sort_by_key(|e| e.key_place.range.start);
    for (i, e) in entries.iter().enumerate().filter(|(_, e)| SYNONYMS.iter().any(|s| s.1 == e.key))
    {
        if let Some(first) = entries[..i].iter().find(|other| other.key == e.key) {
            let a = first.written();
            let b = e.written();
            return Err(Diagnostic::at(
                &e.key_place,
                format!("`{a}` and `{b}` are two names of one key"),
            )
            .help("keep one of them"));
        }
    }
    Ok(Value::Table(entries))
}

fn convert(source: &Arc<Source>, node: Spanned<DeValue<'_>>) -> Result<Node> {
    let place = Place::new(source, node.span());
    let unreadable = |what: &str| {
        Diagnostic::at(&place, format!("`{}` is not a {what} that fits into 64 bits", place.text()))
            .help("write large numbers with an exponent: 2.0e20")
    };
    let value = match node.into_inner() {
        DeValue::String(s) => Value::Text(s.into_owned()),
        DeValue::Boolean(b) => Value::Bool(b),
        DeValue::Datetime(d) => Value::Time(d.to_string()),
        DeValue::Float(f) => {
            let number = f.as_str().parse().map_err(|_| unreadable("number"))?;
            Value::Number { number, whole: None }
        }
        DeValue::Integer(i) => {
            let whole = i64::from_str_radix(i.as_str(), i.radix())
                .map_err(|_| unreadable("whole number"))?;
            Value::Number { number: whole as f64, whole: Some(whole) }
        }
        DeValue::Array(a) => {
            Value::Array(a.into_iter().map(|n| convert(source, n)).collect::<Result<_>>()?)
        }
        DeValue::Table(t) => convert_table(source, t)?,
    };
    Ok(Node { place, value })
}
