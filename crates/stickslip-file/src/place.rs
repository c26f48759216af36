//! Where something was written: a stretch of a text that users gave.

use std::ops::Range;
use std::sync::Arc;

/// A text that users wrote: a file, or a value that was given beside it.
#[derive(Debug)]
pub struct Source {
    /// What messages call it: the file's name, for example.
    pub name: String,
    /// Its whole text.
    pub text: String,
}

/// A stretch of a source.
#[derive(Debug, Clone)]
pub struct Place {
    /// The text.
    pub source: Arc<Source>,
    /// Bytes of it.
    pub range: Range<usize>,
}

impl Place {
    /// The bytes `range` of a source.
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Self {
        Self { source: source.clone(), range }
    }

    /// The text at this place.
    pub fn text(&self) -> &str {
        self.source.text.get(self.range.clone()).unwrap_or("")
    }

    /// Line and column, both from 1; columns count characters.
    pub fn position(&self) -> (usize, usize) {
        let before = self.source.text.get(..self.range.start).unwrap_or(&self.source.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

/// A value and where it was written.
#[derive(Debug, Clone)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub place: Place,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let source = Arc::new(Source { name: "m".into(), text: "a = 1\nµ = 22\n".into() });
        let place = Place::new(&source, 11..13);
        assert_eq!((place.position(), place.text()), ((2, 5), "22"));
    }
}
