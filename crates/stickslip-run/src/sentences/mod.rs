//! What each sentence means: every verdict that is printed about a model or a record, the condition under which it is
//! printed, what to do, a test where it is right and one where it would be wrong.
//!
//! The list is plain text, one file for each subject, because it is read by people as often as by programs:
//!
//! ```text
//! # A chapter
//!
//! > the text of a sentence, where {names} in braces stand for what changes
//! > another text that is printed under the same condition
//! variant: the variant of an enumeration that it is the text of
//! weight: of a warning about a record: `changes`, `widens` or `worth`
//! when: the condition
//! do: what to do
//! right: FILE::TEST, FILE::TEST
//! wrong: FILE::TEST
//! ```
//!
//! The page of the guide is made from it, and tests hold what is printed against it.
//!
//! ```
//! let said = "No bifurcation was found in between.";
//! assert!(stickslip_run::sentences::of(said).unwrap().when.starts_with("none was located"));
//! assert!(stickslip_run::sentences::of("It looks fine.").is_none());
//! ```

use std::sync::LazyLock;

/// The chapters, in the order of the page.
const FILES: [&str; 6] = [
    include_str!("motions.txt"),
    include_str!("orbits.txt"),
    include_str!("bearings.txt"),
    include_str!("devices.txt"),
    include_str!("joints.txt"),
    include_str!("models.txt"),
];

/// What a warning about a record does to the answer, heaviest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Weight {
    /// Numbers are, or may be, wrong by more than their intervals say, or are withheld.
    Changes,
    /// The numbers are less sure than without it.
    Widens,
    /// No number is touched.
    Worth,
}

impl Weight {
    /// All of them, heaviest first.
    pub const ALL: [Self; 3] = [Self::Changes, Self::Widens, Self::Worth];

    /// Its name on pages, at a terminal and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Changes => "changes the answer",
            Self::Widens => "widens the answer",
            Self::Worth => "worth knowing",
        }
    }

    fn of(key: &str) -> Option<Self> {
        match key {
            "changes" => Some(Self::Changes),
            "widens" => Some(Self::Widens),
            "worth" => Some(Self::Worth),
            _ => None,
        }
    }
}

/// What a warning about a record does to the answer. One that is not listed is taken to change it.
pub fn weight(said: &str) -> Weight {
    of(said).and_then(|s| s.weight).unwrap_or(Weight::Changes)
}

/// What is known of a sentence, or of several that are printed under one condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sentence {
    /// The heading under which it stands.
    pub chapter: &'static str,
    /// Its texts; names in braces stand for what changes.
    pub texts: Vec<&'static str>,
    /// The variants of enumerations whose text it is.
    pub variants: Vec<&'static str>,
    /// What it does to the answer, if it is a warning about a record.
    pub weight: Option<Weight>,
    /// The condition under which it is printed.
    pub when: &'static str,
    /// What to do.
    pub advice: &'static str,
    /// Tests in which it is right, as `FILE::NAME`.
    pub right: Vec<&'static str>,
    /// Tests in which it would be wrong, and is not printed.
    pub wrong: Vec<&'static str>,
}

impl Sentence {
    /// Whether a text that was printed is one of its texts.
    pub fn says(&self, said: &str) -> bool {
        self.texts.iter().any(|text| fits(text, said))
    }
}

/// All of them, in the order of the page.
pub fn all() -> &'static [Sentence] {
    static ALL: LazyLock<Vec<Sentence>> = LazyLock::new(read);
    &ALL
}

/// The list from its files.
fn read() -> Vec<Sentence> {
    let mut all: Vec<Sentence> = Vec::new();
    let mut chapter = "";
    for line in FILES.into_iter().flat_map(str::lines) {
        if let Some(heading) = line.strip_prefix("# ") {
            chapter = heading;
        } else if let Some(text) = line.strip_prefix("> ") {
            // A text after anything but another text begins the next entry.
            if all.last().is_none_or(|s| s.chapter != chapter || !s.when.is_empty()) {
                all.push(Sentence { chapter, ..Sentence::default() });
            }
            if let Some(last) = all.last_mut() {
                last.texts.push(text);
            }
        } else if let (Some(last), Some((key, value))) = (all.last_mut(), line.split_once(": ")) {
            let list = || value.split(", ").collect();
            match key {
                "variant" => last.variants = list(),
                "weight" => last.weight = Weight::of(value),
                "when" => last.when = value,
                "do" => last.advice = value,
                "right" => last.right = list(),
                "wrong" => last.wrong = list(),
                _ => {}
            }
        }
    }
    all
}

/// What is known of a text that was printed. The name of a record and a colon may stand before it.
pub fn of(said: &str) -> Option<&'static Sentence> {
    let mut begins = std::iter::once(0).chain(said.match_indices(": ").map(|(at, _)| at + 2));
    begins.find_map(|at| all().iter().find(|s| s.says(&said[at..])))
}

/// Whether `said` is `text` with something, or nothing, in place of its names in braces.
fn fits(text: &str, said: &str) -> bool {
    // Most texts begin otherwise, and are not taken apart.
    let first = text.split('{').next().unwrap_or(text);
    let Some(mut rest) = said.strip_prefix(first) else { return false };
    let pieces = pieces(text);
    let Some((last, middle)) = pieces[1..].split_last() else { return rest.is_empty() };
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// What stands between the names in braces.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        pieces.push(before);
        rest = after.split_once('}').map_or("", |(_, behind)| behind);
    }
    pieces.push(rest);
    pieces
}

#[cfg(test)]
mod tests;
