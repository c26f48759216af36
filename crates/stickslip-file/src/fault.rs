//! What went wrong, told to a person: the place, what was found, what was expected, the remedy.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, Severity};
use std::fmt;
use std::io::IsTerminal;
use std::ops::Range;
use std::sync::Arc;

/// A text that users wrote: a file, or an argument of the command line.
#[derive(Debug)]
pub struct Source {
    /// The file's path, or `command line`.
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

    /// Line and column, both from 1.
    fn position(&self) -> (usize, usize) {
        let before = self.source.text.get(..self.range.start).unwrap_or(&self.source.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }

    /// Whether the lines around this place can be shown: not huge, nothing a terminal would obey.
    fn is_printable(&self) -> bool {
        let text = &self.source.text;
        let Some((before, after)) = text.get(..self.range.start).zip(text.get(self.range.start..))
        else {
            return false;
        };
        let shown = before.lines().rev().take(2).chain(after.lines().take(3));
        let calm =
            |line: &str| line.len() < 300 && !line.contains(|c: char| c.is_control() && c != '\t');
        shown.into_iter().all(calm)
    }
}

/// How a command ends when it does not succeed, as an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The input is wrong.
    Input = 1,
    /// The command line is wrong.
    CommandLine = 2,
    /// Understood, but it cannot be solved as asked.
    Unsolvable = 3,
}

/// An error for people: one paragraph, with the place and the remedy.
#[derive(Debug)]
pub struct Fault {
    kind: Kind,
    message: String,
    help: Option<String>,
    place: Option<Box<Place>>,
}

/// What every function that reads input returns.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

impl Fault {
    /// Something wrong at a place in a file or on the command line.
    pub fn at(place: &Place, message: impl Into<String>) -> Self {
        Self { place: Some(Box::new(place.clone())), ..Self::new(message) }
    }

    /// Something wrong whose place is named in `message`.
    pub fn new(message: impl Into<String>) -> Self {
        Self { kind: Kind::Input, message: message.into(), help: None, place: None }
    }

    /// Understood, but without a solution of the kind asked for.
    pub fn unsolvable(message: impl Into<String>) -> Self {
        Self { kind: Kind::Unsolvable, ..Self::new(message) }
    }

    /// A command line that does not parse.
    pub fn command_line(message: impl Into<String>) -> Self {
        Self { kind: Kind::CommandLine, ..Self::new(message) }
    }

    /// With the remedy.
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// At `place`, unless a place is known already.
    pub fn or_at(mut self, place: &Place) -> Self {
        self.place.get_or_insert_with(|| Box::new(place.clone()));
        self
    }

    /// The program's exit code.
    pub fn exit_code(&self) -> u8 {
        self.kind as u8
    }

    /// The text for standard error: with colour and frames on a terminal, plain elsewhere.
    pub fn render(&self) -> String {
        let terminal = std::io::stderr().is_terminal();
        let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let mut theme = match (terminal, colour) {
            (_, true) => GraphicalTheme::unicode(),
            (true, false) => GraphicalTheme::unicode_nocolor(),
            (false, false) => GraphicalTheme::none(),
        };
        theme.characters.error = "error:".into();
        let mut handler = GraphicalReportHandler::new_themed(theme).with_links(false);
        if !terminal {
            handler = handler.with_wrap_lines(false);
        }
        let mut text = String::new();
        if handler.render_report(&mut text, self).is_err() {
            text = format!("error: {self}\n");
        }
        text.trim().to_owned() + "\n"
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            // The frame names the place; without a frame the message must.
            Some(place) if !place.is_printable() => {
                let (line, column) = place.position();
                write!(f, "{}:{line}:{column}: {}", place.source.name, self.message)
            }
            _ => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Fault {}

impl Diagnostic for Fault {
    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.help.as_ref().map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        let place = self.place.as_deref().filter(|p| p.is_printable())?;
        Some(place)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.place.as_deref().filter(|p| p.is_printable())?;
        // A place of several lines (a whole table) is shown by its first.
        let length = place.text().find('\n').unwrap_or(place.range.len());
        let span = (place.range.start, length);
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, span))))
    }
}

impl miette::SourceCode for Place {
    fn read_span<'a>(
        &'a self,
        span: &miette::SourceSpan,
        before: usize,
        after: usize,
    ) -> std::result::Result<Box<dyn miette::SpanContents<'a> + 'a>, miette::MietteError> {
        let inner = self.source.text.read_span(span, before, after)?;
        Ok(Box::new(miette::MietteSpanContents::new_named(
            self.source.name.clone(),
            inner.data(),
            *inner.span(),
            inner.line(),
            inner.column(),
            inner.line_count(),
        )))
    }
}

/// What the library found wrong, once the file itself was in order.
impl From<stickslip::Error> for Fault {
    fn from(error: stickslip::Error) -> Self {
        let text = error.to_string();
        match error.kind() {
            stickslip::Kind::Input => Self::new(text),
            stickslip::Kind::Unsolvable | stickslip::Kind::Scheme => Self::unsolvable(text),
        }
    }
}

/// A warning of the library with the advice that users of the command line can follow.
pub fn warned(warning: &stickslip::Warning) -> String {
    use stickslip::Remedy;
    let advice = match warning.remedy() {
        Some(Remedy::Perturb) => "; --perturb shows the other",
        Some(Remedy::ListSolutions) => "; `stickslip solutions` lists them",
        _ => "", // the text says it all
    };
    format!("{warning}{advice}")
}

/// `; did you mean …?`, or nothing, for a name that is not one of `known`.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match closest(name, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    }
}

/// The name of `known` that a slip of the fingers could have turned into `name`.
fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |s: &str| s.to_lowercase().replace(['_', ' '], "-");
    let name = plain(name);
    let distance = |k: &&str| strsim::damerau_levenshtein(&name, &plain(k));
    let near = known.into_iter().min_by_key(distance)?;
    let short = name.chars().count().min(near.chars().count());
    (distance(&near) <= short.div_ceil(3)).then_some(near)
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
    }

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let source = Arc::new(Source { name: "m".into(), text: "a = 1\nµ = 22\n".into() });
        let place = Place::new(&source, 11..13);
        assert_eq!((place.position(), place.text()), ((2, 5), "22"));
    }
}
