//! A document some of whose numbers are varied.

use crate::diagnostic::{Diagnostic, Result};
use crate::document::Document;
use crate::model::{ModelFile, Posed, Template};
use crate::node::{Node, Value};
use crate::overrides::Override;
use crate::reading::Reading;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A document some of whose numbers are set anew for each model that is read from it. Their keys are looked up once; from then on numbers
/// are put where they belong, and no text is made or parsed. Keys that are joined by `+`, as in `a.x+b.x`, take the same number.
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
    /// How many numbers are varied: fewer than keys where several take the same one.
    numbers: usize,
    /// The keys one by one, by their usual names.
    paths: Vec<Vec<String>>,
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
    /// Which of the numbers it takes.
    number: usize,
}

/// The keys that take one number: those joined by `+`, unless a name in quotes may contain that sign.
pub fn joined(keys: &str) -> impl Iterator<Item = &str> {
    let sign = if keys.contains(['"', '\'']) { '\0' } else { '+' };
    keys.split(sign).map(str::trim)
}

impl Document {
    /// What is written at a key, of several that are joined by `+` at the first of them.
    pub fn written(&self, keys: &str) -> Option<&Value> {
        let key = joined(keys).next()?;
        let path = Override::of("", key, Value::from(0.0)).ok()?.keys();
        let node = path.iter().try_fold(self.root(), |here, key| below(here, place(here, key)?))?;
        Some(&node.value)
    }
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
        let mut numbers = 0;
        for (place, keys, first) in keys {
            for path in joined(keys) {
                let value = Override::of(place, path, Value::from(first))?;
                prepared.apply(&value)?;
                paths.push(value.keys());
                all.push(Key { place: place.to_owned(), path: path.to_owned(), number: numbers });
            }
            numbers += 1;
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
        Ok(Self { document: document.clone(), keys, numbers, paths, prepared, slots, spare })
    }

    /// What `read` makes of the document with these numbers, in the order of the keys. Where it fails, it is asked once more with a document
    /// whose places are those of the numbers that were given, so that its message shows them.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn read<T>(&self, values: &[f64], read: impl Fn(&Document) -> Result<T>) -> Result<T> {
        if values.len() < self.numbers {
            return read(&self.document(values)?);
        }
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = spare().pop();
        let mut document = kept.unwrap_or_else(|| self.prepared.clone());
        for (slot, key) in self.slots.iter().zip(&self.keys) {
            put(document.root_mut(), slot, values[key.number]);
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
        for key in &self.keys {
            let Some(value) = values.get(key.number) else { continue };
            document.apply(&Override::of(&key.place, &key.path, Value::from(*value))?)?;
        }
        Ok(document)
    }

    /// The numbers for the keys one by one.
    fn by_key(&self, values: &[f64]) -> Vec<f64> {
        self.keys.iter().map(|key| values[key.number]).collect()
    }
}

/// The models of a document some of whose numbers are varied, without what summaries say of them. Of an oscillator its table is read
/// once; from then on numbers go into typed slots and no document is looked at. Of other kinds, and where a number is one of a list or
/// of the run, the document is read for each model.
///
/// ```
/// use stickslip_file::{Document, Memory, Reading, Varied, VariedModel};
/// let text = "[oscillator]\nmass = 1.0\nstiffness = 4.0\nfriction.coulomb.force = 1.0\n[run]\nend = 1.0\n";
/// let document = Document::parse("m.toml", text)?;
/// let varied = Varied::new(&document, [("values given", "oscillator.mass", 1.0)])?;
/// let models = VariedModel::new(varied, &Reading::new(Memory::default()));
/// let model = models.read(&[2.5])?;
/// assert!(matches!(model.problem.model, stickslip::Model::Oscillator(o) if o.mass == 2.5));
/// assert!(models.read(&[-1.0]).unwrap_err().to_string().contains("`oscillator.mass` is -1"));
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
pub struct VariedModel {
    varied: Arc<Varied>,
    reading: Reading,
    template: Option<Template>,
}

impl fmt::Debug for VariedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let typed = self.template.is_some();
        f.debug_struct("VariedModel").field("varied", &self.varied).field("typed", &typed).finish()
    }
}

impl VariedModel {
    /// The models of this document; files that it names are read by `reading`.
    pub fn new(varied: impl Into<Arc<Varied>>, reading: &Reading) -> Self {
        let varied = varied.into();
        let reading = reading.without_echo();
        let template = Template::new(&varied.prepared, &reading, &varied.paths);
        Self { varied, reading, template }
    }

    /// The model with these numbers, in the order of the keys.
    ///
    /// # Errors
    /// Those of [`ModelFile::read`].
    pub fn read(&self, values: &[f64]) -> Result<ModelFile> {
        let typed = self.template.as_ref().filter(|_| values.len() == self.varied.numbers);
        match typed.and_then(|t| t.model(&self.varied.by_key(values))) {
            Some(model) => Ok(model),
            None => self.varied.read(values, |d| ModelFile::read(d, &self.reading)),
        }
    }

    /// The same without what is said about the file: for many motions, of which each takes the problem alone.
    ///
    /// # Errors
    /// Those of [`ModelFile::read`].
    pub fn posed(&self, values: &[f64]) -> Result<Posed> {
        let typed = self.template.as_ref().filter(|_| values.len() == self.varied.numbers);
        match typed.and_then(|t| t.posed(&self.varied.by_key(values))) {
            Some(posed) => Ok(posed),
            None => Ok(self.varied.read(values, |d| ModelFile::read(d, &self.reading))?.into()),
        }
    }
}

/// Where a path of keys leads to.
fn slot(root: &Node, path: &[String]) -> Option<Slot> {
    let mut here = root;
    let mut slot = Slot::new();
    for key in path {
        let i = place(here, key)?;
        slot.push(i);
        here = below(here, i)?;
    }
    Some(slot)
}

/// Where in a table or list a key leads to.
fn place(node: &Node, key: &str) -> Option<usize> {
    match &node.value {
        Value::Table(entries) => entries.iter().position(|e| e.key == *key),
        Value::Array(_) => key.parse().ok(),
        _ => None,
    }
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

    /// Keys joined by `+` take the same number, through slots and without; a quoted name may contain the sign.
    #[test]
    fn joined_keys_take_one_number() {
        let document = Document::parse("m", TEXT).unwrap();
        let keys = ["a.b + c.1.x", "d.\"e+f\"", "c.0.x"].map(|k| ("given", k, 0.0));
        let varied = Varied::new(&document, keys).unwrap();
        let read = varied.read(&[1.5, 2.5, 3.0], |d| Ok(said(d.root()))).unwrap();
        let expected = "{a: {b: 1.5}, c: [{x: 3}, {x: 1.5}], f: {dynamic: 3.5}, d: {e+f: 2.5}}";
        assert_eq!(read, expected);
        assert_eq!(read, said(varied.document(&[1.5, 2.5, 3.0]).unwrap().root()));
        let harmonic = "{ harmonic = { amplitude = 1.0, angular_frequency = 2.0 } }";
        let text = format!(
            "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb.force = 1.0\nforce = [{harmonic}, {harmonic}]\n\
             [run]\nend = 5.0\n"
        );
        let of = |i: usize| format!("oscillator.force.{i}.harmonic.angular_frequency");
        let both = format!("{}+{}", of(0), of(1));
        let (models, typed) = models(&text, &[&both, "oscillator.mass"]);
        assert!(typed);
        assert_alike(&models, &[3.5, 2.0]);
        assert_alike(&models, &[-3.5, 2.0]);
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

    /// Models of a text with these keys, and whether they are made without reading it again.
    fn models(text: &str, keys: &[&str]) -> (VariedModel, bool) {
        let document = Document::parse("m.toml", text).unwrap();
        let given = keys.iter().map(|key| ("values given", *key, 0.75));
        let varied = Varied::new(&document, given).unwrap();
        let models = VariedModel::new(varied, &Reading::new(crate::Memory::default()));
        let typed = models.template.is_some();
        (models, typed)
    }

    /// What is made through slots is what is read from the document with the same numbers: models, warnings and messages.
    fn assert_alike(models: &VariedModel, values: &[f64]) {
        let read = models.varied.read(values, |d| ModelFile::read(d, &models.reading));
        match (models.read(values), read) {
            (Ok(made), Ok(read)) => {
                assert_eq!(made.problem, read.problem);
                assert_eq!(made.warnings, read.warnings);
                assert_eq!(made.run.scheme, read.run.scheme);
                assert_eq!(made.bearing_stiffness, read.bearing_stiffness);
                assert_eq!((made.title, made.resolved), (read.title, read.resolved));
            }
            (Err(made), Err(read)) => assert_eq!(made.to_string(), read.to_string()),
            (made, read) => panic!("{values:?}: {made:?} {read:?}"),
        }
    }

    #[test]
    fn slots_make_the_models_that_the_document_makes() {
        let rest = "title = \"t\"\n[oscillator]\nmass = 1.0\nstiffness = [2.0, 0.5]\nbearing_stiffness = 9.0\n\
                    force = [{ constant = 1.0 }, { ramp = { rate = 0.1 } }, { step = { time = 1.0, after = 0.5 } }]\n\
                    drive = [{ harmonic = { amplitude = 1.0, angular_frequency = 2.0 } }]\n\
                    normal = [{ constant = 3.0 }]\nsupport = [{ constant = 0.1 }]\n";
        let end = "[run]\nend = 5.0\n";
        let common = [
            "mass",
            "damping",
            "quadratic_damping",
            "normal_slope",
            "stiffness.0",
            "stiffness.1",
            "bearing_stiffness",
            "initial.displacement",
            "initial.velocity",
            "force.0.constant",
            "force.1.ramp.rate",
            "force.1.ramp.offset",
            "force.2.step.time",
            "force.2.step.before",
            "force.2.step.after",
            "drive.0.harmonic.amplitude",
            "drive.0.harmonic.angular_frequency",
            "drive.0.harmonic.phase",
            "normal.0.constant",
            "support.0.constant",
        ];
        let laws: [(&str, &[&str]); 9] = [
            ("coulomb = { force = 1.0 }", &["coulomb.force"]),
            (
                "coulomb = { forward = { force = 1.0 }, backward = { force = 2.0 } }",
                &["coulomb.forward.force", "coulomb.backward.force"],
            ),
            (
                "static-kinetic = { static = 1.2, kinetic = 1.0 }",
                &["static-kinetic.static", "static-dynamic.kinetic"],
            ),
            (
                "stribeck = { a = 1.0, b = 1.0, c = 1.0, d = 1.0 }",
                &["stribeck.a", "stribeck.b", "stribeck.c", "stribeck.d"],
            ),
            (
                "stribeck-exponential = { static = 2.0, dynamic = 1.0, velocity = 0.1 }",
                &[
                    "stribeck-exponential.static",
                    "stribeck-exponential.dynamic",
                    "stribeck-exponential.velocity",
                    "stribeck-exponential.exponent",
                    "stribeck-exponential.viscous",
                ],
            ),
            (
                "velocity-strengthening = { slow = 0.5, fast = 1.0, rate = 3.0 }",
                &[
                    "velocity-strengthening.slow",
                    "velocity-strengthening.fast",
                    "velocity-strengthening.rate",
                ],
            ),
            (
                "cubic = { static = 2.0, weakening = 1.0, strengthening = 1.0 }",
                &["cubic.static", "cubic.weakening", "cubic.strengthening"],
            ),
            (
                "forward.coulomb = { force = 1.0 }\nfriction.backward.stribeck = { a = 1.0, d = 1.0 }",
                &["forward.coulomb.force", "backward.stribeck.d", "backward.stribeck.c"],
            ),
            ("coulomb = { force = 1.0 }", &[]),
        ];
        for (law, keys) in laws {
            let text = format!("{rest}friction.{law}\n{end}");
            let own = keys.iter().map(|k| format!("oscillator.friction.{k}"));
            let all: Vec<String> =
                common.iter().map(|k| format!("oscillator.{k}")).chain(own).collect();
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            let (models, typed) = models(&text, &all);
            assert!(typed, "{law}");
            let mut values = vec![0.75; all.len()];
            assert_alike(&models, &values);
            for i in 0..values.len() {
                // Inside the range of some numbers and outside that of others, and where two of them no longer fit together.
                for value in [2.5, 0.0, -0.5, 1e-3, f64::NAN, f64::INFINITY] {
                    values[i] = value;
                    assert_alike(&models, &values);
                }
                values[i] = 0.75 + 1e-3 * i as f64;
            }
            assert_alike(&models, &values);
        }
    }

    /// What is no single number of an oscillator is read again, with the same result; so is a noise, whose warning depends on the
    /// numbers.
    #[test]
    fn numbers_without_a_slot_are_read() {
        let oscillator = "[oscillator]\nmass = 1.0\nstiffness = 2.0\nfriction.coulomb.force = 1.0\n\
                          force = [{ ornstein-uhlenbeck = { rate = 1.0, intensity = 0.5 } }]\n\
                          [run]\nend = 5.0\nstep = 0.5\nscheme = \"euler\"\n";
        let impact = "[impact]\nmass = 1.0\nwall = 0.0\nrestitution = 0.5\n[run]\nend = 1.0\n";
        for (text, keys) in [
            (oscillator, ["oscillator.mass", "run.end"]),
            (oscillator, ["oscillator.mass", "oscillator.force.0.ornstein-uhlenbeck.rate"]),
            (impact, ["impact.mass", "impact.restitution"]),
        ] {
            let (models, typed) = models(text, &keys);
            assert!(!typed, "{keys:?}");
            for values in [[1.5, 0.75], [0.5, 4.0], [-1.0, 0.75]] {
                assert_alike(&models, &values);
            }
        }
        let (models, typed) = models(oscillator, &["oscillator.mass", "oscillator.stiffness"]);
        assert!(typed && !models.read(&[1.0, 400.0]).unwrap().problem.noises.is_empty());
        for values in [[1.0, 4.0], [1.0, 400.0], [-1.0, 0.75]] {
            assert_alike(&models, &values);
        }
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
