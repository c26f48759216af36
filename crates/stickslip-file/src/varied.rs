//! A document some of whose numbers are varied.

use crate::diagnostic::{Diagnostic, Result};
use crate::document::Document;
use crate::node::{Node, Value};
use crate::overrides::Override;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// A document some of whose numbers are set anew for each model that is read from it. Their keys are looked up once; from then on numbers
/// are put where they belong, and no text is made or parsed.
///
/// ```
/// use stickslip_file::{Document, Memory, ModelFile, Reading, Varied};
/// let text = "[oscillator]\nmass = 1.0\nstiffness = 4.0\nfriction.coulomb.force = 1.0\n[run]\nend = 1.0\n";
/// let document = Document::parse("m.toml", text)?;
/// let reading = Reading::new(Memory::default()).without_echo();
/// let varied = Varied::new(&document, [("values given", "oscillator.mass", 1.0)])?;
/// let model = varied.read(&[2.5], |document| ModelFile::read(document, &reading))?;
/// assert!(matches!(model.problem.model, stickslip::Model::Oscillator(o) if o.mass == 2.5));
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
pub struct Varied {
    document: Document,
    keys: Vec<Key>,
    /// The document with something at all keys, and where each of them leads to.
    prepared: Document,
    slots: Vec<Slot>,
    /// Copies of it that nobody uses at the moment: making one takes as long as a short motion.
    spare: Mutex<Vec<Document>>,
}

/// A key, and what messages call the place where it was given.
struct Key {
    place: String,
    path: String,
}

/// The way from the root of a document to a value: the positions in the tables and lists on it.
type Slot = Vec<usize>;

impl fmt::Debug for Varied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&str> = self.keys.iter().map(|k| k.path.as_str()).collect();
        f.debug_struct("Varied").field("keys", &keys).finish_non_exhaustive()
    }
}

impl Varied {
    /// The numbers at these keys are varied. Each comes with what messages call the place where it was given, before it, and with its first
    /// value, after it.
    ///
    /// # Errors
    /// Where a path is no key path, or goes through something that holds no keys.
    pub fn new<'a>(
        document: &Document,
        keys: impl IntoIterator<Item = (&'a str, &'a str, f64)>,
    ) -> Result<Self> {
        let mut all = Vec::new();
        let mut prepared = document.clone();
        let mut paths = Vec::new();
        for (place, path, first) in keys {
            let value = Override::of(place, path, Value::from(first))?;
            prepared.apply(&value)?;
            paths.push(value.keys());
            all.push(Key { place: place.to_owned(), path: path.to_owned() });
        }
        let keys = all;
        // Only now: what one key leads to may have been replaced by the number of another one.
        let found = paths.iter().zip(&keys).map(|(path, key)| {
            slot(prepared.root(), path).ok_or_else(|| {
                let message = format!("`{}` lies below another key that is varied", key.path);
                Diagnostic::command_line(message).help("vary one of the two")
            })
        });
        let slots = found.collect::<Result<_>>()?;
        let spare = Mutex::default();
        Ok(Self { document: document.clone(), keys, prepared, slots, spare })
    }

    /// What `read` makes of the document with these numbers, in the order of the keys. Where it fails, it is asked once more with a document
    /// whose places are those of the numbers that were given, so that its message shows them.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn read<T>(&self, values: &[f64], read: impl Fn(&Document) -> Result<T>) -> Result<T> {
        if values.len() < self.slots.len() {
            return read(&self.document(values)?);
        }
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = spare().pop();
        let mut document = kept.unwrap_or_else(|| self.prepared.clone());
        for (slot, value) in self.slots.iter().zip(values) {
            put(document.root_mut(), slot, *value);
        }
        let found = read(&document);
        spare().push(document);
        found.or_else(|_| read(&self.document(values)?))
    }

    /// The document with these numbers, each at a place of its own.
    ///
    /// # Errors
    /// Those of [`new`](Self::new), which has accepted the same keys: with numbers in their places it does not fail.
    pub fn document(&self, values: &[f64]) -> Result<Document> {
        let mut document = self.document.clone();
        for (key, value) in self.keys.iter().zip(values) {
            document.apply(&Override::of(&key.place, &key.path, Value::from(*value))?)?;
        }
        Ok(document)
    }
}

/// Where a path of keys leads to.
fn slot(root: &Node, path: &[String]) -> Option<Slot> {
    let mut here = root;
    let mut slot = Slot::new();
    for key in path {
        let i = match &here.value {
            Value::Table(entries) => entries.iter().position(|e| e.key == *key)?,
            Value::Array(_) => key.parse().ok()?,
            _ => return None,
        };
        slot.push(i);
        here = below(here, i)?;
    }
    Some(slot)
}

fn below(node: &Node, i: usize) -> Option<&Node> {
    match &node.value {
        Value::Table(entries) => entries.get(i).map(|e| &e.node),
        Value::Array(items) => items.get(i),
        _ => None,
    }
}

/// Puts a number where a slot leads to.
fn put(root: &mut Node, slot: &[usize], number: f64) {
    let mut here = root;
    for i in slot {
        let next = match &mut here.value {
            Value::Table(entries) => entries.get_mut(*i).map(|e| &mut e.node),
            Value::Array(items) => items.get_mut(*i),
            _ => None,
        };
        let Some(next) = next else { return };
        here = next;
    }
    here.value = Value::from(number);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a.b = 1\nc = [{ x = 1 }, { x = 2 }]\nf.kinetic = 3.5";

    /// What a tree says, without places.
    fn said(node: &Node) -> String {
        match &node.value {
            Value::Table(entries) => {
                let one = |e: &crate::Entry| format!("{}: {}", e.key, said(&e.node));
                format!("{{{}}}", entries.iter().map(one).collect::<Vec<_>>().join(", "))
            }
            Value::Array(items) => {
                format!("[{}]", items.iter().map(said).collect::<Vec<_>>().join(", "))
            }
            other => other.describe(),
        }
    }

    /// Keys that are there, that are in lists, that are not there yet and that have another name: as if each had been written.
    #[test]
    fn numbers_are_put_where_overrides_put_them() {
        let document = Document::parse("m", TEXT).unwrap();
        let keys = ["a.b", "c.1.x", "g.h.i", "f.kinetic", "a.new"];
        let varied = Varied::new(&document, keys.map(|k| ("given", k, 0.0))).unwrap();
        for values in [[1.5, 2.5, 3.0, -4.0, 1e300], [0.1, 0.2, 0.3, 0.4, 7.0]] {
            let read = varied.read(&values, |d| Ok(said(d.root()))).unwrap();
            assert_eq!(read, said(varied.document(&values).unwrap().root()));
        }
        let read = varied.read(&[1.5, 2.5, 3.0, -4.0, 1e300], |d| Ok(said(d.root()))).unwrap();
        let expected =
            "{a: {b: 1.5, new: 1e300}, c: [{x: 1}, {x: 2.5}], f: {dynamic: -4}, g: {h: {i: 3}}}";
        assert_eq!(read, expected);
    }

    /// A reader that fails sees the places of the numbers that were given.
    #[test]
    fn a_message_shows_what_was_given() {
        let document = Document::parse("m", TEXT).unwrap();
        let varied = Varied::new(&document, [("the command line", "a.b", 1.0)]).unwrap();
        let fails = |d: &Document| -> Result<()> {
            let node = &d.root().get("a").unwrap().node.get("b").unwrap().node;
            Err(Diagnostic::at(&node.place, "it is too large"))
        };
        let shown = varied.read(&[-2.5], fails).unwrap_err();
        let place = shown.place().unwrap();
        assert_eq!(place.source.text, "a.b=-2.5");
        assert_eq!((place.source.name.as_str(), place.text()), ("the command line", "-2.5"));
    }

    #[test]
    fn what_leads_nowhere_is_said() {
        let document = Document::parse("m", TEXT).unwrap();
        let said = |keys: &[&str]| {
            let found = Varied::new(&document, keys.iter().map(|k| ("given", *k, 2.5)));
            found.unwrap_err().to_string()
        };
        assert!(said(&["a b"]).contains("`a b` is not a key path"));
        assert!(said(&["a.b.c"]).contains("holds no key `c`"));
        assert!(said(&["c.2.x"]).contains("is not a position"));
        assert!(said(&["a.b", "a"]).contains("`a.b` lies below another key"));
    }
}
