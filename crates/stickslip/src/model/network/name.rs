//! Names of nodes and sliders.

use std::borrow::Cow;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::ops::Deref;

/// The name of a node or of a slider: a text. A short one stands in the 16 bytes of the name itself, because a network may
/// have millions of them.
///
/// ```
/// use stickslip::model::network::Name;
/// let name = Name::from("contact 7");
/// assert_eq!(name, "contact 7");
/// assert_eq!(format!("{name} {name:?}"), "contact 7 \"contact 7\"");
/// ```
#[derive(Clone)]
pub struct Name(Text);

/// So many bytes stand in the name itself.
const SHORT: usize = 14;

#[derive(Clone)]
enum Text {
    Short {
        length: u8,
        bytes: [u8; SHORT],
    },
    /// Boxed twice, so that a name takes no more room for it.
    Long(Box<Box<str>>),
}

impl Name {
    /// The text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            // It was copied from a text.
            Text::Short { length, bytes } => {
                std::str::from_utf8(&bytes[..usize::from(*length)]).unwrap_or_default()
            }
            Text::Long(text) => text,
        }
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        Self(match bytes.get_mut(..text.len()) {
            Some(room) => {
                room.copy_from_slice(text.as_bytes());
                Text::Short { length: text.len() as u8, bytes }
            }
            None => Text::Long(Box::new(text.into())),
        })
    }
}

impl From<&String> for Name {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<Cow<'_, str>> for Name {
    fn from(text: Cow<'_, str>) -> Self {
        (&*text).into()
    }
}

impl From<&Name> for Name {
    fn from(name: &Name) -> Self {
        name.clone()
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.as_str().to_owned()
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Name {}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Name {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Finds texts of a list by what they say, in four to eight bytes a text: the list keeps the texts, here are their numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    /// The number of a text plus one at or after the place that its hash gives; 0 where there is none.
    slots: Vec<u32>,
    hasher: RandomState,
}

impl Index {
    /// The number of `text`, if it is among the texts that were added.
    pub fn find<'a>(&self, text: &str, of: impl Fn(usize) -> &'a str) -> Option<usize> {
        self.place(text, of).ok()
    }

    /// Adds `text`, whose number is `new`, the number of texts before it; or the number of one that is there and says the same.
    pub fn add<'a>(
        &mut self,
        text: &str,
        new: usize,
        of: impl Fn(usize) -> &'a str,
    ) -> Option<usize> {
        if 4 * (new + 1) > 3 * self.slots.len() {
            self.slots = vec![0; (2 * self.slots.len()).max(16)];
            for known in 0..new {
                self.put(of(known), known);
            }
        }
        match self.place(text, of) {
            Ok(known) => Some(known),
            Err(free) => {
                self.slots[free] = new as u32 + 1;
                None
            }
        }
    }

    /// Puts text number `new`, which no other is equal to, into the first free place.
    fn put(&mut self, text: &str, new: usize) {
        let free = self.walk(text).find(|&i| self.slots[i] == 0);
        if let Some(i) = free {
            self.slots[i] = new as u32 + 1;
        }
    }

    /// The number of `text`, or the place that is free for it; 0 where there is no place at all.
    fn place<'a>(&self, text: &str, of: impl Fn(usize) -> &'a str) -> Result<usize, usize> {
        for i in self.walk(text) {
            match self.slots[i] {
                0 => return Err(i),
                number if of(number as usize - 1).as_bytes() == text.as_bytes() => {
                    return Ok(number as usize - 1);
                }
                _ => {}
            }
        }
        Err(0)
    }

    /// The places at which `text` may be, one after the other.
    fn walk(&self, text: &str) -> impl Iterator<Item = usize> + use<> {
        let size = self.slots.len();
        let first = self.hasher.hash_one(text) as usize;
        (0..size).map(move |k| (first.wrapping_add(k)) & (size - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_its_text() {
        assert_eq!(size_of::<Name>(), 16);
        for text in ["", "b1", "fourteen bytes", "fifteen  bytes!", "Gleitschuh an der Führung"] {
            let name = Name::from(text);
            assert_eq!((name.as_str(), String::from(name.clone())), (text, text.to_owned()));
            assert_eq!((&name, name == *text), (&Name::from(&text.to_owned()), true));
            assert!(name != format!("{text}."));
        }
    }

    #[test]
    fn every_text_is_found_by_its_number() {
        let texts: Vec<String> = (0..1000).map(|i| format!("b{i}")).collect();
        let of = |i: usize| texts[i].as_str();
        let mut index = Index::default();
        assert_eq!(index.find("b1", of), None);
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(index.add(text, i, of), None);
            assert_eq!(index.add(of(i / 2), i + 1, of), Some(i / 2));
        }
        assert!((0..1000).all(|i| index.find(of(i), of) == Some(i)));
        assert_eq!(index.find("b1000", of), None);
    }
}
