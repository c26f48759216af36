//! What is wrong, as data: the kind, the message, the remedy and the place. How it looks on a
//! terminal, in a notebook or in a browser is for those to say.

use crate::place::Place;
use std::fmt;

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The input is wrong.
    Input,
    /// What was asked for beside the input is wrong: the options of a command, for example.
    CommandLine,
    /// Understood, but it cannot be solved as asked.
    Unsolvable,
    /// Stopped before the end because somebody asked for it.
    Interrupted,
}

/// Advice that each program words in its own way, since it names what the program offers.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Start from the template of a model file or of a fit file.
    Template,
    /// Compare with the template of a model file.
    ModelTemplate,
    /// This is a fit file: calibrate with it.
    Calibrate,
    /// This is a model file: simulate it.
    Simulate,
    /// Several solutions exist: list them.
    Solutions,
    /// Give the value of this key of `[run]` beside the file.
    Option(&'static str),
    /// Name this scheme beside the file, or do what `help` says.
    Scheme(&'static str),
    /// Leave out this option, which does not apply; what `help` says follows it.
    Omit(&'static str),
    /// Replace the whole value of a key.
    Replace {
        /// The key, from the top of the document.
        path: String,
        /// The new value, as it is written in a file.
        value: String,
    },
    /// Allow the file to be read.
    Permission,
    /// Replace a file that is there already and was not written by this library; what `help` says comes before it.
    Overwrite,
    /// Go on with what the run has left.
    Resume,
    /// Add what reads and writes Parquet; what `help` says comes before it.
    Parquet,
    /// Add the library that goes into FMUs.
    Library,
    /// Choose one of the cases of the reference set.
    Cases,
}

/// Something wrong, for people: one paragraph, with the place and the remedy.
#[derive(Debug, Clone)]
pub struct Diagnostic(Box<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    kind: FailureKind,
    message: String,
    help: Option<String>,
    remedy: Option<Remedy>,
    place: Option<Place>,
    names_keys: bool,
}

/// What every function that reads input returns.
pub type Result<T, E = Diagnostic> = std::result::Result<T, E>;

impl Diagnostic {
    /// Something wrong whose place is named in `message`, or which has none.
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(FailureKind::Input, message)
    }

    /// A failure of this kind.
    pub fn of(kind: FailureKind, message: impl Into<String>) -> Self {
        let message = shortened(message.into());
        let parts =
            Parts { kind, message, help: None, remedy: None, place: None, names_keys: false };
        Self(Box::new(parts))
    }

    /// Something wrong at a place in a text.
    pub fn at(place: &Place, message: impl Into<String>) -> Self {
        Self::new(message).or_at(place)
    }

    /// Understood, but without a solution of the kind asked for.
    pub fn unsolvable(message: impl Into<String>) -> Self {
        Self::of(FailureKind::Unsolvable, message)
    }

    /// Wrong options beside the input.
    pub fn command_line(message: impl Into<String>) -> Self {
        Self::of(FailureKind::CommandLine, message)
    }

    /// With what to do, in words that hold everywhere.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(shortened(help.into()));
        self
    }

    /// With what to do, in words that each program finds itself; they follow those of `help`.
    pub fn with_remedy(mut self, remedy: Remedy) -> Self {
        self.0.remedy = Some(remedy);
        self
    }

    /// About keys that were given as keys, such as `oscillator.mass`: see [`names_keys`](Self::names_keys).
    pub fn naming_keys(mut self) -> Self {
        self.0.names_keys = true;
        self
    }

    /// With another message.
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.0.message = shortened(message.into());
        self
    }

    /// At `place`, unless a place is known already.
    pub fn or_at(mut self, place: &Place) -> Self {
        self.0.place.get_or_insert_with(|| place.clone());
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> FailureKind {
        self.0.kind
    }

    /// What was found and what was expected.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do, in words that hold everywhere.
    pub fn help_text(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// What to do with the means of the program that shows this.
    pub fn remedy(&self) -> Option<&Remedy> {
        self.0.remedy.as_ref()
    }

    /// Whether its keys were given as keys, and not as arguments that a program calls otherwise: they are to stay as they are.
    pub fn names_keys(&self) -> bool {
        self.0.names_keys
    }

    /// Where it was written.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }
}

/// `name:line:column: message`, or the message alone where there is no place.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place() {
            let (line, column) = place.position();
            write!(f, "{}:{line}:{column}: ", place.source.name)?;
        }
        f.write_str(self.message())
    }
}

impl std::error::Error for Diagnostic {}

/// What the library found wrong, once the file itself was in order.
impl From<stickslip::Error> for Diagnostic {
    fn from(error: stickslip::Error) -> Self {
        let text = error.to_string();
        match error.kind() {
            _ if matches!(error, stickslip::Error::Interrupted { .. }) => {
                Self::of(FailureKind::Interrupted, text)
            }
            stickslip::Kind::Input => Self::new(text),
            stickslip::Kind::Unsolvable | stickslip::Kind::Scheme => Self::unsolvable(text),
        }
    }
}

/// `; did you mean …?`, or nothing, for a name that is not one of `known`.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match closest(name, known) {
        // A name that is known and does not belong here was no slip of the fingers.
        Some(near) if near != name => format!("; did you mean `{near}`?"),
        _ => String::new(),
    }
}

/// The name of `known` that a slip of the fingers could have turned into `name`.
fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody has slipped so often, and to compare takes as long as both are together.
    if name.len() > 100 {
        return None;
    }
    let plain = |s: &str| s.to_ascii_lowercase().replace(['_', ' '], "-");
    let name = plain(name);
    let distance = |k: &&str| strsim::damerau_levenshtein(&name, &plain(k));
    let known: Vec<&str> = known.into_iter().collect();
    // An abbreviation is no slip of the fingers, but what begins with it is what is meant.
    let begins = |k: &&&str| name.chars().count() >= 3 && plain(k).starts_with(&name);
    if let Some(long) = known.iter().find(begins) {
        return Some(long);
    }
    let near = known.into_iter().min_by_key(distance)?;
    let short = name.chars().count().min(near.chars().count());
    (distance(&near) <= short.div_ceil(3)).then_some(near)
}

/// A message in which no word is longer than people read: what a file holds may have millions of characters.
pub fn shortened(text: String) -> String {
    const LONGEST: usize = 400;
    const SHOWN: usize = 60;
    let is_long = |word: &str| word.len() > LONGEST;
    if !text.split_whitespace().any(is_long) {
        return text;
    }
    let one = |word: &str| {
        if !is_long(word) {
            return word.to_owned();
        }
        let count = word.chars().count();
        let first: String = word.chars().take(SHOWN).collect();
        let last: String = word.chars().skip(count.saturating_sub(SHOWN / 4)).collect();
        format!("{first}…{last} ({count} characters)")
    };
    text.split_inclusive(char::is_whitespace)
        .map(|part| {
            let word = part.trim_end_matches(char::is_whitespace);
            one(word) + &part[word.len()..]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_what_was_meant_and_nothing_else() {
        let known = ["mass", "stiffness", "bearing_stiffness", "static-dynamic"];
        assert_eq!(closest("mas", known), Some("mass"));
        assert_eq!(closest("stifness", known), Some("stiffness"));
        assert_eq!(closest("static_dynamic", known), Some("static-dynamic"));
        assert_eq!(closest("Mass", known), Some("mass"));
        assert_eq!(closest("zeta", known), None);
        assert_eq!(closest("temp", ["time", "temperature"]), Some("temperature"));
        assert_eq!(did_you_mean("m/s2", ["m", "m/s2"]), "");
        assert_eq!(did_you_mean("m/s^", ["m", "m/s2"]), "; did you mean `m/s2`?");
    }
}
