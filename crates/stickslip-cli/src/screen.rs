//! What people see: results on standard output, everything else on standard error. Neither a closed
//! pipe nor a missing terminal is a failure.

use crate::fault::{self, Fault, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use stickslip_file::{plain, shortened};
use stickslip_run::sentences;

/// The terminal, or what stands for it.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Say nothing but errors.
    pub quiet: bool,
}

impl Screen {
    /// A remark.
    pub fn note(&self, text: &str) {
        if self.quiet {
            return;
        }
        let say = || {
            let _ = writeln!(io::stderr(), "{}", plain(&shortened(text.to_owned())));
        };
        match current().clone() {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    /// A remark that matters. One about a record says what it does to the answer.
    pub fn warn(&self, text: &str) {
        match sentences::of(text).and_then(|s| s.weight) {
            Some(weight) => self.note(&format!("warning ({}): {text}", weight.name())),
            None => self.note(&format!("warning: {text}")),
        }
    }

    /// A sign of life while `title` is under way: on a terminal only, gone when dropped.
    pub fn progress(&self, title: &str) -> Option<Spinner> {
        if self.quiet || !io::stderr().is_terminal() {
            return None;
        }
        // It moves in a thread of its own, and its library counts on that thread.
        if thread::Builder::new().spawn(|| ()).is_err() {
            return None;
        }
        let bar = ProgressBar::new_spinner().with_message(title.to_owned());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        *current() = Some(bar.clone());
        Some(Spinner(bar))
    }
}

/// The sign of life under way, for those who know how far they are.
static CURRENT: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn current() -> MutexGuard<'static, Option<ProgressBar>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `done` of `total` steps of what is under way; shown where a sign of life is shown.
pub fn advance(done: u64, total: u64) {
    if let Some(bar) = &*current() {
        if bar.length() != Some(total) {
            bar.set_length(total);
            let bar_style = "{spinner} {msg} {wide_bar} {human_pos}/{human_len} {eta}";
            if let Ok(style) = ProgressStyle::with_template(bar_style) {
                bar.set_style(style);
            }
        }
        bar.set_position(done);
    }
}

/// Removes its line when dropped.
pub struct Spinner(ProgressBar);

impl Drop for Spinner {
    fn drop(&mut self) {
        current().take();
        self.0.finish_and_clear();
    }
}

/// Tells what went wrong.
pub fn complain(fault: &Fault) {
    let _ = io::stderr().write_all(fault::render(fault).as_bytes());
}

/// Tells what is wrong with the arguments, or the help that was asked for. A closed pipe is no failure.
pub fn complain_of_arguments(e: &clap::Error) {
    let text = e.render().to_string();
    let shown = plain(&shortened(text.clone())).into_owned();
    let _ = if shown == text { e.print() } else { io::stderr().write_all(shown.as_bytes()) };
}

/// Prints data to standard output. A reader that has seen enough (`| head`) ends it in peace.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(Fault::new(format!("standard output: cannot be written: {e}"))
                .help("check what the output is redirected to"))
        }
        other => {
            // What could not be flushed must not be tried again.
            if other.is_err() {
                let _ = out.into_parts();
            }
            Ok(())
        }
    }
}
