//! Texts that come from files, for a terminal: nothing in them moves the cursor, changes a colour or turns the order of what
//! is read.

use std::borrow::Cow;

/// Characters that a terminal obeys, or that change the order in which others are shown, as their numbers.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_odd) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_odd(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    out.into()
}

/// Whether a character is a control (line ends and tabs aside), a mark or an override of the direction of writing, or a
/// separator of lines.
fn is_odd(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c.is_control() && c != '\n' && c != '\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown_as_a_number() {
        let text = "a\u{1b}[31mb\rc\u{7}\u{9b}d\u{202e}e\u{2066}f\u{2028}g\u{200f}";
        let shown = "a\\u{1b}[31mb\\u{d}c\\u{7}\\u{9b}d\\u{202e}e\\u{2066}f\\u{2028}g\\u{200f}";
        assert_eq!(plain(text), shown);
        let kept = "tabs\tand\nlines, ü, 物, العربية, עברית, 🙂, f_{s} ± 2 °C";
        assert!(matches!(plain(kept), Cow::Borrowed(_)));
    }
}
