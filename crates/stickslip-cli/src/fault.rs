//! Diagnostics on a terminal: the exit code, the remedy in the words of the command line, the frame
//! around the place.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use std::io::IsTerminal;
use stickslip_file::{FailureKind, Place, Remedy, plain};
use stickslip_run::Remark;

pub use stickslip_file::{Diagnostic as Fault, Result};

/// The exit code of a run that was interrupted.
pub const INTERRUPTED: u8 = 130;
/// The exit code of a run for which there was not enough memory.
pub const NO_MEMORY: i32 = 1;

/// The program's exit code.
pub fn exit_code(fault: &Fault) -> u8 {
    match fault.kind() {
        FailureKind::Input => 1,
        FailureKind::CommandLine => 2,
        FailureKind::Unsolvable => 3,
        FailureKind::Interrupted => INTERRUPTED,
    }
}

/// The text for standard error: with colour and frames on a terminal, plain elsewhere.
pub fn render(fault: &Fault) -> String {
    let terminal = std::io::stderr().is_terminal();
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let renderer =
        renderer.decor_style(if terminal { DecorStyle::Unicode } else { DecorStyle::Ascii });
    let place = fault.place().filter(|p| is_printable(p));
    // The frame names the place; without a frame the message must.
    let title = place.map_or_else(|| fault.to_string(), |_| fault.message().to_owned());
    let title = plain(&title);
    let help = advice(fault);
    let help = help.as_deref().map(plain);
    let name = place.map(|p| plain(&p.source.name));
    let mut group = Group::with_title(Level::ERROR.primary_title(title.as_ref()));
    if let Some((place, name)) = place.zip(name.as_deref()) {
        group = group.element(lines_around(place, name));
    }
    if let Some(help) = help.as_deref() {
        group = group.element(Level::HELP.message(help));
    }
    renderer.render(&[group]) + "\n"
}

/// The line of a place between the two before and the two after it.
fn lines_around<'a>(place: &'a Place, name: &'a str) -> Snippet<'a, Annotation<'a>> {
    let text = &place.source.text;
    let start = place.range.start;
    let first = text[..start].rmatch_indices('\n').nth(2).map_or(0, |(at, _)| at + 1);
    let last = text[start..].match_indices('\n').nth(2).map_or(text.len(), |(at, _)| start + at);
    let line = text[..first].bytes().filter(|b| *b == b'\n').count() + 1;
    // A place of several lines (a whole table) is shown by its first.
    let length = place.text().find('\n').unwrap_or(place.range.len());
    let here = start - first..start - first + length;
    Snippet::source(&text[first..last])
        .line_start(line)
        .path(name)
        .fold(false)
        .annotation(AnnotationKind::Primary.span(here))
}

/// What to do, in the words of the command line.
fn advice(fault: &Fault) -> Option<String> {
    let help = fault.help_text().unwrap_or_default();
    Some(match fault.remedy() {
        None => return fault.help_text().map(str::to_owned),
        Some(Remedy::Template) => {
            let one = "`stickslip new simulate FILE` or `stickslip new calibrate FILE` writes one to start from";
            if help.is_empty() { one.to_owned() } else { format!("{help}; {one}") }
        }
        Some(Remedy::ModelTemplate) => {
            format!("{help}; `stickslip new simulate` prints one that runs")
        }
        Some(Remedy::Calibrate) => "`stickslip calibrate` takes fit files".to_owned(),
        Some(Remedy::Simulate) => "`stickslip simulate` takes model files".to_owned(),
        Some(Remedy::Solutions) => "`stickslip solutions` lists them".to_owned(),
        Some(Remedy::Option(key)) => format!("{help}, or give --{key}"),
        Some(Remedy::Scheme(name)) => format!("give --scheme {name}, or {help}"),
        Some(Remedy::Omit(option)) if help.is_empty() => format!("leave --{option} out"),
        Some(Remedy::Omit(option)) => format!("leave --{option} out; {help}"),
        Some(Remedy::Replace { path, value }) => {
            format!("{help}; with --set write '{path}={value}' to replace")
        }
        Some(Remedy::Resume) => format!("{help}, with --resume"),
        Some(Remedy::Library) => {
            "build stickslip-fmi too, in the same profile, or give --library".to_owned()
        }
        Some(Remedy::Cases) => "`stickslip reference list` lists the cases".to_owned(),
        Some(Remedy::Parquet) => format!("{help}, or build with `--features parquet`"),
        Some(Remedy::Permission) => "allow reading it: chmod u+r".to_owned(),
        Some(_) => help.to_owned(),
    })
}

/// Whether the lines around a place can be shown: not huge, nothing a terminal would obey.
fn is_printable(place: &Place) -> bool {
    let text = &place.source.text;
    let start = place.range.start;
    let Some((before, after)) = text.get(..start).zip(text.get(start..)) else { return false };
    let shown = before.lines().rev().take(2).chain(after.lines().take(3));
    let calm =
        |line: &str| line.len() < 300 && matches!(plain(line), std::borrow::Cow::Borrowed(_));
    shown.into_iter().all(calm)
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
