//! Values that are given beside a document and replace what stands in it.

use crate::diagnostic::{Diagnostic, Result};
use crate::node::{Entry, Node, Value};
use crate::place::{Place, Source};
use std::sync::Arc;

/// One value for one key, with the text it came from.
#[derive(Debug, Clone)]
pub struct Override(Entry);

impl Override {
    /// `key.path=value`, called `name` in messages. The value is TOML; what is not TOML is taken as
    /// text, so that `run.scheme=euler` needs no quotes.
    ///
    /// # Errors
    /// Where there is no `=`, or no key path before it.
    pub fn parse(name: &str, assignment: &str) -> Result<Self> {
        let source = Arc::new(Source { name: name.to_owned(), text: assignment.to_owned() });
        let wrong = |what: String| {
            Diagnostic::command_line(format!("{assignment}: {what}"))
                .help("write key.path=value, for example oscillator.mass=2.5")
        };
        let Some((path, value)) = assignment.split_once('=') else {
            return Err(wrong("there is no `=`".to_owned()));
        };
        let mut node = match Node::parse(&source) {
            Ok(node) => node,
            Err(_) => {
                // The key must parse by itself; the value is then the text after `=`.
                let mut node = key_path(&source, path)
                    .ok_or_else(|| wrong(format!("`{path}` is not a key path")))?;
                relocate(&mut node, &source, &Value::Text(value.to_owned()), path.len() + 1);
                node
            }
        };
        match &mut node.value {
            Value::Table(entries) if entries.len() == 1 => Ok(Self(entries.remove(0))),
            _ => Err(wrong("expected one key and one value".to_owned())),
        }
    }

    /// A value for the key at `path`, called `name` in messages.
    ///
    /// # Errors
    /// Where `path` is no key path.
    pub fn of(name: &str, path: &str, value: Value) -> Result<Self> {
        let text = format!("{path}={}", value.describe());
        let source = Arc::new(Source { name: name.to_owned(), text });
        let wrong = || {
            Diagnostic::command_line(format!("`{path}` is not a key path"))
                .help("write the keys from the top of the file, as in oscillator.mass")
        };
        let mut node = key_path(&source, path).ok_or_else(wrong)?;
        relocate(&mut node, &source, &value, path.len() + 1);
        match &mut node.value {
            Value::Table(entries) if entries.len() == 1 => Ok(Self(entries.remove(0))),
            _ => Err(wrong()),
        }
    }

    /// The value of an option with a name of its own, such as `--end 3`, for the key `run.end`;
    /// `name` is what messages call the place where options stand.
    pub fn option(name: &str, flag: &str, key: (&str, &str), value: Value) -> Self {
        let shown = match &value {
            Value::Text(s) => s.clone(),
            other => other.describe(),
        };
        let source = Arc::new(Source { name: name.to_owned(), text: format!("{flag} {shown}") });
        let flag_place = Place::new(&source, 0..flag.len());
        let place = Place::new(&source, flag.len() + 1..source.text.len());
        let inner = Entry {
            key: key.1.to_owned(),
            key_place: flag_place.clone(),
            node: Node { place: place.clone(), value },
        };
        Self(Entry {
            key: key.0.to_owned(),
            key_place: flag_place,
            node: Node { place, value: Value::Table(vec![inner]) },
        })
    }

    /// The keys on the way to the value.
    pub(crate) fn keys(&self) -> Vec<String> {
        let mut keys = vec![self.0.key.clone()];
        let mut here = &self.0.node;
        while let Value::Table(entries) = &here.value
            && let [entry] = entries.as_slice()
        {
            keys.push(entry.key.clone());
            here = &entry.node;
        }
        keys
    }

    /// Puts the value into `document`, where it replaces what stands there.
    pub fn apply(&self, document: &mut Node) -> Result<()> {
        place_entry(document, self.0.clone(), String::new())
    }
}

impl Node {
    /// Sets the value at `path`, such as `oscillator.drive.0.harmonic.amplitude`.
    ///
    /// # Errors
    /// Where the path is no key path, or goes through something that holds no keys.
    pub fn set(&mut self, path: &str, value: impl Into<Value>) -> Result<()> {
        Override::of("values given", path, value.into())?.apply(self)
    }
}

/// The document `path = 0`, if `path` is a path of keys.
fn key_path(source: &Arc<Source>, path: &str) -> Option<Node> {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if path.split('.').all(|key| !key.is_empty() && key.chars().all(bare)) {
        return Some(bare_path(source, path));
    }
    let quoted = Source { name: source.name.clone(), text: format!("{path}= 0") };
    Node::parse(&Arc::new(quoted)).ok()
}

/// The same where no key is in quotes, which takes no parser: numbers are varied by the thousand.
fn bare_path(source: &Arc<Source>, path: &str) -> Node {
    let whole = Place::new(source, 0..path.len());
    let mut node = Node { place: whole.clone(), value: Value::from(0.0) };
    let mut end = path.len();
    for key in path.rsplit('.') {
        let start = end - key.len();
        let mut entry = Entry::of(key, node);
        entry.key_place = Place::new(source, start..end);
        node = Node { place: whole.clone(), value: Value::Table(vec![entry]) };
        end = start.saturating_sub(1);
    }
    node
}

/// Replaces the only leaf by `value`, and every place by one in `source`.
fn relocate(node: &mut Node, source: &Arc<Source>, value: &Value, from: usize) {
    match &mut node.value {
        Value::Table(entries) => {
            for e in entries {
                e.key_place = Place::new(source, e.key_place.range.clone());
                relocate(&mut e.node, source, value, from);
            }
            node.place = Place::new(source, 0..source.text.len());
        }
        leaf => {
            *leaf = value.clone();
            node.place = Place::new(source, from..source.text.len());
        }
    }
}

fn place_entry(target: &mut Node, entry: Entry, path: String) -> Result<()> {
    let here = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
    let slot = match &mut target.value {
        Value::Table(entries) => match entries.iter().position(|e| e.key == entry.key) {
            Some(i) => &mut entries[i].node,
            None => {
                entries.push(entry);
                return Ok(());
            }
        },
        Value::Array(items) => {
            let count = items.len();
            let slot = entry.key.parse::<usize>().ok().and_then(|i| items.get_mut(i));
            slot.ok_or_else(|| {
                Diagnostic::at(
                    &entry.key_place,
                    format!(
                        "`{path}` is a list of {count}: `{}` is not a position in it",
                        entry.key
                    ),
                )
                .help(
                    "the positions of a list count from 0, as in \
                 oscillator.drive.0.harmonic.amplitude=2",
                )
            })?
        }
        other => {
            let found = other.describe();
            return Err(Diagnostic::at(
                &entry.key_place,
                format!("`{path}` is {found}: it holds no key `{}`", entry.key),
            )
            .help("give the value itself, or the path of another key"));
        }
    };
    // Walk on along a dotted key; then replace.
    match entry.node.value {
        Value::Table(below) if !entry.node.place.text().starts_with('{') => {
            below.into_iter().try_for_each(|e| place_entry(slot, e, here.clone()))
        }
        value => {
            *slot = Node { place: entry.node.place, value };
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Node {
        Node::parse(&Arc::new(Source { name: "m".into(), text: text.into() })).unwrap()
    }

    /// What is made of bare keys is what the parser makes of them.
    #[test]
    fn bare_keys_need_no_parser() {
        for path in ["a", "a.b", "oscillator.drive.0.harmonic.amplitude", "f.kinetic", "x_1.y-2"] {
            let source = Arc::new(Source { name: "m".into(), text: format!("{path}= 0") });
            let mut made = bare_path(&source, path);
            let mut parsed = Node::parse(&source).unwrap();
            for node in [&mut made, &mut parsed] {
                relocate(node, &source, &Value::from(2.5), path.len() + 1);
            }
            assert_eq!(format!("{made:?}"), format!("{parsed:?}"));
        }
        // What is no bare key is the parser's, and what is no key is none.
        assert!(Override::of("m", "a.\"b c\"", Value::from(1.0)).is_ok());
        for path in ["", ".", "a.", ".a", "a..b", "a b"] {
            assert!(Override::of("m", path, Value::from(1.0)).is_err(), "{path}");
        }
    }

    fn leaf<'a>(mut node: &'a Node, path: &str) -> &'a Node {
        for key in path.split('.') {
            node = match &node.value {
                Value::Array(items) => &items[key.parse::<usize>().unwrap()],
                _ => &node.get(key).unwrap().node,
            };
        }
        node
    }

    #[test]
    fn replaces_adds_and_reaches_into_lists() {
        let mut d = document("a.b = 1\nc = [{ x = 1 }, { x = 2 }]\nf = { one = 1 }");
        for s in ["a.b=5", "a.new=text", "c.1.x=7", "f={two=2}", "g.h.i=3"] {
            Override::parse("given", s).unwrap().apply(&mut d).unwrap();
        }
        assert_eq!(leaf(&d, "a.b").value.describe(), "5");
        assert_eq!(leaf(&d, "a.new").value.describe(), "the text \"text\"");
        assert_eq!(leaf(&d, "a.new").place.text(), "text");
        assert_eq!(leaf(&d, "c.0.x").value.describe(), "1");
        assert_eq!(leaf(&d, "c.1.x").value.describe(), "7");
        assert_eq!(leaf(&d, "f.two").value.describe(), "2");
        assert!(leaf(&d, "f").get("one").is_none());
        assert_eq!(leaf(&d, "g.h.i").value.describe(), "3");
        Override::option(
            "given",
            "--end",
            ("run", "end"),
            Value::Number { number: 3.0, whole: None },
        )
        .apply(&mut d)
        .unwrap();
        assert_eq!(leaf(&d, "run.end").place.text(), "3.0");
        d.set("a.b", 2.5).unwrap();
        d.set("c.0.x", "word").unwrap();
        assert_eq!(leaf(&d, "a.b").value.describe(), "2.5");
        assert_eq!(leaf(&d, "c.0.x").place.text(), "the text \"word\"");
        assert!(d.set("a b", 1.0).is_err() && d.set("a.b.c", 1.0).is_err());
    }

    #[test]
    fn what_is_no_path_is_said() {
        let mut d = document("a = 1\nc = [1]");
        assert!(Override::parse("given", "a").is_err());
        assert!(Override::parse("given", "=3").is_err());
        assert!(Override::parse("given", "a b=3").is_err());
        assert!(Override::parse("given", "a=1\nb=2").is_err());
        for s in ["a.b=3", "c.1=3", "c.x=3", "c.-1=1"] {
            assert!(Override::parse("given", s).unwrap().apply(&mut d).is_err(), "{s}");
        }
    }
}
