//! Diagnostics on a terminal: the exit code, the remedy in the words of the command line, the frame
//! around the place.

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, Severity};
use std::fmt;
use std::io::IsTerminal;
use stickslip_file::{Kind, Place, Remedy};
use stickslip_run::Remark;

pub use stickslip_file::{Diagnostic as Fault, Result};

/// The exit code of a run that was interrupted.
pub const INTERRUPTED: u8 = 130;

/// The program's exit code.
pub fn exit_code(fault: &Fault) -> u8 {
    match fault.kind() {
        Kind::Input => 1,
        Kind::CommandLine => 2,
        Kind::Unsolvable => 3,
        Kind::Interrupted => INTERRUPTED,
    }
}

/// The text for standard error: with colour and frames on a terminal, plain elsewhere.
pub fn render(fault: &Fault) -> String {
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
    let (shown, mut text) = (Shown::of(fault), String::new());
    if handler.render_report(&mut text, &shown).is_err() {
        text = format!("error: {shown}\n");
    }
    text.trim().to_owned() + "\n"
}

/// What to do, in the words of the command line.
fn advice(fault: &Fault) -> Option<String> {
    let help = fault.help_text().unwrap_or_default();
    Some(match fault.remedy() {
        None => return fault.help_text().map(str::to_owned),
        Some(Remedy::Template) => "`stickslip new simulate FILE` or `stickslip new calibrate \
                                   FILE` writes one to start from"
            .to_owned(),
        Some(Remedy::ModelTemplate) => {
            format!("{help}; `stickslip new simulate` prints one that runs")
        }
        Some(Remedy::Calibrate) => "`stickslip calibrate` takes fit files".to_owned(),
        Some(Remedy::Simulate) => "`stickslip simulate` takes model files".to_owned(),
        Some(Remedy::Solutions) => "`stickslip solutions` lists them".to_owned(),
        Some(Remedy::Option(key)) => format!("{help}, or give --{key}"),
        Some(Remedy::Omit(option)) if help.is_empty() => format!("leave --{option} out"),
        Some(Remedy::Omit(option)) => format!("leave --{option} out; {help}"),
        Some(Remedy::Replace { path, value }) => {
            format!("{help}; with --set write '{path}={value}' to replace")
        }
        Some(Remedy::Permission) => "allow reading it: chmod u+r".to_owned(),
        Some(_) => help.to_owned(),
    })
}

/// A diagnostic as `miette` shows it.
#[derive(Debug)]
struct Shown<'a> {
    fault: &'a Fault,
    help: Option<String>,
    /// The place, where the lines around it can be shown.
    framed: Option<Framed<'a>>,
}

#[derive(Debug, Clone, Copy)]
struct Framed<'a>(&'a Place);

impl<'a> Shown<'a> {
    fn of(fault: &'a Fault) -> Self {
        let framed = fault.place().filter(|p| is_printable(p)).map(Framed);
        Self { fault, help: advice(fault), framed }
    }
}

/// Whether the lines around a place can be shown: not huge, nothing a terminal would obey.
fn is_printable(place: &Place) -> bool {
    let (text, start) = (&place.source.text, place.range.start);
    let Some((before, after)) = text.get(..start).zip(text.get(start..)) else { return false };
    let shown = before.lines().rev().take(2).chain(after.lines().take(3));
    let calm =
        |line: &str| line.len() < 300 && !line.contains(|c: char| c.is_control() && c != '\t');
    shown.into_iter().all(calm)
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.framed {
            // The frame names the place; without a frame the message must.
            None => self.fault.fmt(f),
            Some(_) => f.write_str(self.fault.message()),
        }
    }
}

impl std::error::Error for Shown<'_> {}

impl miette::Diagnostic for Shown<'_> {
    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.help.as_ref().map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.framed.as_ref().map(|f| f as &dyn miette::SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let Framed(place) = self.framed?;
        // A place of several lines (a whole table) is shown by its first.
        let length = place.text().find('\n').unwrap_or(place.range.len());
        let span = (place.range.start, length);
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, span))))
    }
}

impl miette::SourceCode for Framed<'_> {
    fn read_span<'a>(
        &'a self,
        span: &miette::SourceSpan,
        before: usize,
        after: usize,
    ) -> std::result::Result<Box<dyn miette::SpanContents<'a> + 'a>, miette::MietteError> {
        let source = &self.0.source;
        let inner = source.text.read_span(span, before, after)?;
        Ok(Box::new(miette::MietteSpanContents::new_named(
            source.name.clone(),
            inner.data(),
            *inner.span(),
            inner.line(),
            inner.column(),
            inner.line_count(),
        )))
    }
}

/// A remark with the advice that users of the command line can follow.
pub fn remark(remark: &Remark) -> String {
    use stickslip::Remedy;
    let advice = match remark.remedy {
        Some(Remedy::Perturb) => "; --perturb shows the other",
        Some(Remedy::ListSolutions) => "; `stickslip solutions` lists them",
        _ => "", // the text says it all
    };
    format!("{}{advice}", remark.text)
}
