//! Reading a document: typed values, ranges with units, and errors that say what to do.

mod matrix;

use crate::asked::{Asked, Number, Range};
pub use crate::asked::{Quantity, any, not_negative, positive};
use crate::diagnostic::{Diagnostic, Remedy, Result, did_you_mean};
use crate::hints;
use crate::node::{Entry, Node, Value};
use crate::place::{Place, Placed};
use crate::units::{self, ANGLES, Converted, LENGTHS, Unit};

/// A table of the document, being read.
#[derive(Debug, Clone)]
pub struct Table<'a> {
    entries: &'a [Entry],
    path: String,
    place: &'a Place,
    /// Where the numbers that are asked for are noted.
    asked: Option<&'a Asked>,
    /// Whether forces in it are coefficients of a normal force.
    coefficients: bool,
    /// Whether it describes a motion about an axis: angles take the place of displacements.
    rotation: bool,
}

impl<'a> Table<'a> {
    /// The whole document, which may hold the keys `known` and no others.
    pub fn root(node: &'a Node, known: &[&str]) -> Result<Self> {
        Self::of(node, &node.place, String::new(), known)
    }

    /// The same, noting in `asked` every number that is asked for.
    pub fn asking(self, asked: Option<&'a Asked>) -> Self {
        Self { asked, ..self }
    }

    /// The same, of which the forces are coefficients of a normal force where `are` says so.
    pub fn coefficients(self, are: bool) -> Self {
        Self { coefficients: are, ..self }
    }

    /// The same, about an axis where `is` says so: numbers are read in the units of a rotation.
    pub fn rotating(self, is: bool) -> Self {
        Self { rotation: is, ..self }
    }

    /// The same, about an axis where its key `rotation` says so.
    pub fn rotating_as_told(self) -> Result<Self> {
        let is = self.flag_or("rotation", false)?;
        Ok(self.rotating(is))
    }

    /// The key of what resists an acceleration: `mass`, or `inertia` about an axis.
    pub fn inertial_key(&self) -> Result<&'static str> {
        if !self.has("inertia") {
            return Ok(if self.rotation && !self.has("mass") { "inertia" } else { "mass" });
        }
        let path = self.path_of("inertia");
        let told = |message: String, help: &str| {
            Err(Diagnostic::at(self.place_of("inertia"), message).help(help))
        };
        if !self.rotation {
            let model = self.path.split('.').next().unwrap_or_default();
            return told(
                format!("`{path}` is for a motion about an axis, and this one is along a line"),
                &format!("add `rotation = true` to [{model}], or write `mass`, in kg"),
            );
        }
        if self.has("mass") {
            let message = format!("both `{path}` and `{}` are given", self.path_of("mass"));
            return told(message, "leave one out: they are two names of one number");
        }
        Ok("inertia")
    }

    /// The unit here of what is in `straight` along a line.
    pub fn unit(&self, straight: &'static str) -> &'static str {
        let turned = self.rotation.then(|| units::about_an_axis(straight));
        turned.flatten().unwrap_or(straight)
    }

    /// What a number must be here that must be `what` along a line.
    fn here(&self, what: Quantity) -> Quantity {
        Quantity { unit: self.unit(what.unit), ..what }
    }

    /// Whether numbers below `key` are those of a rotation: a force that presses stays one.
    fn rotation_below(&self, key: &str) -> bool {
        self.rotation && key != "normal"
    }

    /// Whether forces below `key` are coefficients: in the law of a contact with a normal force.
    fn coefficients_below(&self, key: &str) -> bool {
        self.coefficients || (key == "friction" && (self.has("normal") || self.has("normal_from")))
    }

    /// Notes a number that was asked for, in the file or by default, if somebody wants to know.
    fn note(&self, key: &str, what: Quantity, value: f64, place: Option<&Place>) {
        if let Some(asked) = self.asked {
            let Quantity { unit, range } = what;
            let path = self.path_of(key);
            let place = place.cloned();
            asked.note(Number { path, value, unit, range, whole: false, place });
        }
    }

    fn of(node: &'a Node, place: &'a Place, path: String, known: &[&str]) -> Result<Self> {
        let Value::Table(entries) = &node.value else {
            let found = node.value.describe();
            return Err(Diagnostic::at(
                &node.place,
                format!("`{path}` is {found}; expected a table"),
            )
            .help(format!("write [{path}] and below it lines `key = value`")));
        };
        let table =
            Self { entries, path, place, asked: None, coefficients: false, rotation: false };
        table.only(known)?;
        Ok(table)
    }

    fn only(&self, known: &[&str]) -> Result<()> {
        let Some(stray) = self.entries.iter().find(|e| !known.contains(&e.key.as_str())) else {
            return Ok(());
        };
        let what = if self.path.is_empty() { "table or key" } else { "key" };
        let written = stray.written();
        let hint = hints::of_key(written, &self.path);
        let near = match hint {
            Some(_) => String::new(),
            None => did_you_mean(written, known.iter().copied()),
        };
        let message = format!("unknown {what} `{}`{near}", self.path_of(written));
        if let Some(hint) = hint {
            return Err(Diagnostic::at(&stray.key_place, message).help(hint));
        }
        let hertz = stray.key == "frequency" && known.contains(&"angular_frequency");
        if hertz {
            let message = format!("{message}; did you mean `angular_frequency`, in rad/s?");
            return Err(Diagnostic::at(&stray.key_place, message)
                .help("multiply a frequency in Hz by 2π and write `angular_frequency`"));
        }
        let here = if self.path.is_empty() { "here" } else { "in this table" };
        Err(Diagnostic::at(&stray.key_place, message)
            .help(format!("known keys {here}: {}", known.join(", "))))
    }

    /// `key`, as written from the top of the document.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The path of the table.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether the key is there.
    pub fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// Whether the key is there and is a table that holds one of `below`.
    pub fn holds(&self, key: &str, below: &[&str]) -> bool {
        match self.entry(key).map(|e| &e.node.value) {
            Some(Value::Table(entries)) => entries.iter().any(|e| below.contains(&e.key.as_str())),
            _ => false,
        }
    }

    /// Whether the tables `keys` are there, one inside the other, and the last holds one of `below`.
    pub fn reaches(&self, keys: &[&str], below: &[&str]) -> bool {
        let [first, others @ ..] = keys else { return false };
        let top = self.entry(first).map(|e| &e.node);
        let last = others.iter().fold(top, |node, key| Some(&node?.get(key)?.node));
        last.is_some_and(|node| below.iter().any(|key| node.get(key).is_some()))
    }

    /// A number, or a list of numbers.
    pub fn number_or_numbers(&self, key: &str, one: Quantity, each: Quantity) -> Result<Vec<f64>> {
        match self.entry(key).map(|e| &e.node.value) {
            Some(Value::Array(_)) => self.numbers(key, each),
            _ => self.number(key, one).map(|n| vec![n]),
        }
    }

    /// Whether the key is there with a number, which may have a unit.
    pub fn has_number(&self, key: &str) -> bool {
        self.entry(key).is_some_and(|e| match &e.node.value {
            Value::Number { .. } => true,
            Value::Text(s) => units::quantity(s).is_some(),
            _ => false,
        })
    }

    fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.entries.iter().find(|e| e.key == key)
    }

    /// The error for a key that must be there.
    pub fn missing(&self, key: &str, expected: &str) -> Diagnostic {
        let path = self.path_of(key);
        Diagnostic::at(self.place, format!("`{path}` is missing; expected {expected}"))
            .help(format!("add a line `{key} = …` here"))
    }

    fn wrong(&self, entry: &Entry, expected: &str) -> Diagnostic {
        let path = self.path_of(entry.written());
        let found = entry.node.value.describe();
        Diagnostic::at(&entry.node.place, format!("`{path}` is {found}; expected {expected}"))
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
    fn with_unit(
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
        let found =
            self.unit_like(key, "unit of force", &["N"], &["N", "mN", "kN", "MN", "lbf", "kgf"])?;
        Ok(found.map(|u| u.value.1.factor))
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

    /// A table below this one that may be left out.
    pub fn table_opt(&self, key: &str, known: &[&str]) -> Result<Option<Table<'a>>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let table = Table::of(&entry.node, &entry.key_place, self.path_of(key), known)?;
        let table = table.asking(self.asked).coefficients(self.coefficients_below(key));
        Ok(Some(table.rotating(self.rotation_below(key))))
    }

    /// The same; where it is left out, one whose numbers all have their defaults, which are noted like any others.
    pub fn table_or_empty(&self, key: &str, known: &[&str]) -> Result<Table<'a>> {
        let empty = || Table {
            entries: &[],
            path: self.path_of(key),
            place: self.place,
            asked: self.asked,
            coefficients: self.coefficients_below(key),
            rotation: self.rotation_below(key),
        };
        Ok(self.table_opt(key, known)?.unwrap_or_else(empty))
    }

    /// Whatever stands below `key`, for keys that no list knows.
    pub fn open(&self, key: &str) -> Result<&'a Node> {
        self.entry(key).map(|e| &e.node).ok_or_else(|| self.missing(key, "a table"))
    }

    /// A table that was found elsewhere in the document, under this path.
    pub fn inside(node: &'a Node, path: String, known: &[&str]) -> Result<Self> {
        Self::of(node, &node.place, path, known)
    }

    /// A table below this one that must be there.
    pub fn table(&self, key: &str, known: &[&str]) -> Result<Table<'a>> {
        self.table_opt(key, known)?.ok_or_else(|| {
            let path = self.path_of(key);
            Diagnostic::at(self.place, format!("the table [{path}] is missing"))
                .help(format!("add [{path}] with: {}", known.join(", ")))
        })
    }

    /// A list of tables below this one, `[[key]]` (none if the key is absent).
    pub fn tables(&self, key: &str, known: &[&str]) -> Result<Vec<Table<'a>>> {
        let Some(entry) = self.entry(key) else { return Ok(Vec::new()) };
        let path = self.path_of(key);
        let Value::Array(items) = &entry.node.value else {
            let found = entry.node.value.describe();
            let message = format!("`{path}` is {found}; expected a list of tables");
            return Err(Diagnostic::at(&entry.key_place, message)
                .help(format!("write [[{path}]] with two brackets")));
        };
        let items = items.iter().enumerate();
        let one = |(i, n): (usize, &'a Node)| {
            let table = Self::of(n, &n.place, format!("{path}.{i}"), known)?;
            Ok(table.asking(self.asked).rotating(self.rotation_below(key)))
        };
        items.map(one).collect()
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

    /// The entries of a list, or a single one (none if the key is absent).
    pub fn items(&self, key: &str) -> Vec<&'a Node> {
        match self.entry(key).map(|e| &e.node) {
            None => Vec::new(),
            Some(Node { value: Value::Array(items), .. }) => items.iter().collect(),
            Some(one) => vec![one],
        }
    }

    /// true or false, with a default.
    pub fn flag_or(&self, key: &str, default: bool) -> Result<bool> {
        let Some(entry) = self.entry(key) else { return Ok(default) };
        match entry.node.value {
            Value::Bool(b) => Ok(b),
            _ => Err(self.wrong(entry, "true or false").help(format!("write `{key} = true`"))),
        }
    }

    /// A table with exactly one key, the name of a variant: `friction.coulomb = { … }`.
    pub fn one_of(&self, key: &str, what: &str, known: &[&'static str]) -> Result<Variant<'a>> {
        let entry = self.entry(key).ok_or_else(|| {
            let path = self.path_of(key);
            Diagnostic::at(self.place, format!("the {what} `{path}` is missing"))
                .help(format!("add a table [{path}.NAME], NAME one of: {}", known.join(", ")))
        })?;
        let path = self.path_of(key);
        let found = Variant::of(&entry.node, &entry.key_place, path, what, known)?;
        let coefficients = self.coefficients_below(key);
        Ok(Variant { asked: self.asked, coefficients, rotation: self.rotation_below(key), ..found })
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
    fn list(&self, key: &str, items: &[Node], what: Quantity) -> Result<Vec<f64>> {
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

    /// The one variant among the keys of this table that are not `others`.
    pub fn variant_beside(
        &self,
        others: &[&str],
        what: &str,
        known: &[&'static str],
    ) -> Result<Variant<'a>> {
        let mut rest = self.entries.iter().filter(|e| !others.contains(&e.key.as_str()));
        let list = known.join(", ");
        let Some(entry) = rest.next() else {
            return Err(Diagnostic::at(self.place, format!("`{}` has no {what}", self.path))
                .help(format!("add one of: {list}")));
        };
        if let Some(second) = rest.next() {
            return Err(Diagnostic::at(
                &second.key_place,
                format!("a second {what} in `{}`", self.path),
            )
            .help("give each a list entry of its own; they are summed"));
        }
        match known.iter().copied().find(|k| *k == entry.key) {
            Some(name) => {
                let path = self.path_of(name);
                let asked = self.asked;
                let coefficients = self.coefficients;
                let rotation = self.rotation;
                let parent = self.path.clone();
                Ok(Variant { name, entry, parent, path, asked, coefficients, rotation })
            }
            None => Err(unavailable(&entry.key_place, what, &entry.key, known)),
        }
    }

    /// An error about `property` of entry `index` (from 0) of the list `key`; about the whole entry where it has none.
    pub fn fault_in(&self, key: &str, index: usize, property: &str, message: String) -> Diagnostic {
        let item = match self.entry(key).map(|e| &e.node.value) {
            Some(Value::Array(items)) => items.get(index),
            _ => None,
        };
        let Some(item) = item else { return self.fault(message) };
        Diagnostic::at(item.get(property).map_or(&item.place, |e| &e.node.place), message)
    }

    /// Where the table stands.
    pub fn place(&self) -> &'a Place {
        self.place
    }

    /// Where the name of a key stands; where the table stands, if the key is absent.
    pub fn place_of(&self, key: &str) -> &'a Place {
        self.entry(key).map_or(self.place, |e| &e.key_place)
    }

    /// An error about this table as a whole.
    pub fn fault(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(self.place, message)
    }

    /// A list of one-key tables (none if the key is absent).
    pub fn list_of(
        &self,
        key: &str,
        what: &str,
        known: &[&'static str],
    ) -> Result<Vec<Variant<'a>>> {
        let Some(entry) = self.entry(key) else { return Ok(Vec::new()) };
        let path = self.path_of(key);
        let Value::Array(items) = &entry.node.value else {
            let found = entry.node.value.describe();
            let message =
                format!("`{path}` is {found}; expected a list of {what}s, which are summed");
            if let Value::Number { number, .. } = entry.node.value
                && known.contains(&"constant")
            {
                let coefficients = match key {
                    "normal" => "; the numbers of the friction law are coefficients then",
                    _ => "",
                };
                return Err(Diagnostic::at(&entry.key_place, message).help(format!(
                    "write `{key} = [{{ constant = {number:?} }}]`, or [[{path}]] with two brackets and below it \
                     `constant = {number:?}`{coefficients}"
                )));
            }
            return Err(Diagnostic::at(&entry.key_place, message).help(format!(
                "write [[{path}]] with two brackets, and below it one of: {}",
                known.join(", ")
            )));
        };
        let items = items.iter().enumerate();
        let one = |(i, n): (usize, &'a Node)| {
            let found = Variant::of(n, &n.place, format!("{path}.{i}"), what, known)?;
            Ok(Variant { asked: self.asked, rotation: self.rotation_below(key), ..found })
        };
        items.map(one).collect()
    }
}

/// A one-key table: the key names the variant, the value holds its numbers.
#[derive(Debug, Clone)]
pub struct Variant<'a> {
    /// Which of the known names.
    pub name: &'static str,
    entry: &'a Entry,
    parent: String,
    /// The variant's own path.
    path: String,
    asked: Option<&'a Asked>,
    coefficients: bool,
    rotation: bool,
}

/// The keys of what is written for each direction.
pub const DIRECTIONS: [&str; 2] = ["forward", "backward"];

impl<'a> Variant<'a> {
    fn of(
        node: &'a Node,
        place: &'a Place,
        path: String,
        what: &str,
        known: &[&'static str],
    ) -> Result<Self> {
        let list = known.join(", ");
        let Value::Table(entries) = &node.value else {
            let found = node.value.describe();
            return Err(Diagnostic::at(
                &node.place,
                format!("`{path}` is {found}; expected a {what}"),
            )
            .help(format!("write NAME = …, NAME one of: {list}")));
        };
        let unknown = entries.iter().find(|e| !known.contains(&e.key.as_str()));
        if let Some(e) = unknown {
            return Err(unavailable(&e.key_place, what, &e.key, known));
        }
        match entries.as_slice() {
            [entry] => {
                let name = known.iter().copied().find(|k| *k == entry.key).unwrap_or_default();
                let own = format!("{path}.{name}");
                let asked = None;
                let coefficients = false;
                let rotation = false;
                Ok(Self { name, entry, parent: path, path: own, asked, coefficients, rotation })
            }
            [] => Err(Diagnostic::at(place, format!("`{path}` is empty; expected one {what}"))
                .help(format!("give one of: {list}"))),
            [_, second, ..] => {
                let names: Vec<&str> = entries.iter().map(|e| e.key.as_str()).collect();
                let message = format!(
                    "`{path}` holds {} {what}s ({}); expected one",
                    names.len(),
                    names.join(", ")
                );
                let value = format!("{{{} = …}}", second.key);
                Err(Diagnostic::at(&second.key_place, message)
                    .help("keep one; write each signal of a sum as a list entry of its own")
                    .with_remedy(Remedy::Replace { path, value }))
            }
        }
    }

    /// Where its name stands.
    pub fn place(&self) -> &'a Place {
        &self.entry.key_place
    }

    /// The numbers of the variant, a table with the keys `known`.
    pub fn table(&self, known: &[&str]) -> Result<Table<'a>> {
        let table = Table::of(&self.entry.node, &self.entry.key_place, self.path.clone(), known)?;
        let table = table.asking(self.asked).coefficients(self.coefficients);
        Ok(table.rotating(self.rotation))
    }

    /// The same variant forwards and backwards, if it is written so: `NAME = { forward = { … },
    /// backward = { … } }`.
    pub fn directions(&self) -> Result<Option<[Self; 2]>> {
        let Value::Table(entries) = &self.entry.node.value else { return Ok(None) };
        if !entries.iter().any(|e| DIRECTIONS.contains(&e.key.as_str())) {
            return Ok(None);
        }
        let table = self.table(&DIRECTIONS)?;
        let side = |key: &str| {
            let entry = table
                .entry(key)
                .ok_or_else(|| table.missing(key, "the numbers of this direction"))?;
            Ok::<_, Diagnostic>(Self {
                name: self.name,
                entry,
                parent: self.path.clone(),
                path: table.path_of(key),
                asked: self.asked,
                coefficients: self.coefficients,
                rotation: self.rotation,
            })
        };
        Ok(Some([side(DIRECTIONS[0])?, side(DIRECTIONS[1])?]))
    }

    /// The variant's only number: `constant = 2.0`.
    pub fn number(&self, what: Quantity) -> Result<f64> {
        let alone = Table {
            entries: std::slice::from_ref(self.entry),
            path: self.parent.clone(),
            place: &self.entry.key_place,
            asked: self.asked,
            coefficients: self.coefficients,
            rotation: self.rotation,
        };
        alone.number(self.name, what)
    }
}

/// The error for a name that is not one of `known`.
fn unavailable(place: &Place, what: &str, name: &str, known: &[&str]) -> Diagnostic {
    let near = did_you_mean(name, known.iter().copied());
    let shown = if name.len() > 60 { "…" } else { name };
    if let Some(hint) = hints::of_signal(name).filter(|_| what == "signal") {
        return Diagnostic::at(place, format!("unknown {what} `{shown}`")).help(hint);
    }
    Diagnostic::at(place, format!("unknown {what} `{shown}`{near}"))
        .help(format!("expected one of: {}", known.join(", ")))
}
