//! How long work tells how far it is, and how it is stopped.

use crate::error::Error;

/// What a long calibration asks while it works; it may be asked from several threads at once.
pub trait Control: Sync {
    /// The share of the work that is done, from 0 to 1. It never falls.
    fn progress(&self, share: f64) {
        let _ = share;
    }

    /// Whether the work shall stop. It then ends soon with [`Error::Interrupted`](crate::Error::Interrupted).
    fn stop(&self) -> bool {
        false
    }

    /// What the next step of the work gave when it was done before: first the first step, and so on; `None` from the first
    /// step on that was not. Fits of models ask, and then give the same bits as without a break.
    fn recall(&self) -> Option<Vec<f64>> {
        None
    }

    /// A step that was not recalled is done, and gave these numbers.
    fn keep(&self, numbers: &[f64]) {
        let _ = numbers;
    }
}

/// Nobody watches, nothing stops the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unwatched;

impl Control for Unwatched {}

/// Nobody is told how far the work is; it stops with every other computation.
impl Control for stickslip::Interrupt {
    fn stop(&self) -> bool {
        self.is_requested()
    }
}

/// Ends work that nobody watches, between two passes over a record, if somebody has asked to stop.
pub(crate) fn go_on() -> Result<(), Error> {
    if stickslip::Interrupt::current().is_requested() { Err(Error::Interrupted) } else { Ok(()) }
}

/// A control that is told shares of a part of the work, and passes on shares of the whole.
pub(crate) struct Span<'a> {
    pub(crate) control: &'a dyn Control,
    /// Where the part begins and ends in the whole.
    pub(crate) part: [f64; 2],
}

impl Control for Span<'_> {
    fn progress(&self, share: f64) {
        let [from, to] = self.part;
        self.control.progress(from + (to - from) * share.clamp(0.0, 1.0));
    }

    fn stop(&self) -> bool {
        self.control.stop()
    }

    fn recall(&self) -> Option<Vec<f64>> {
        self.control.recall()
    }

    fn keep(&self, numbers: &[f64]) {
        self.control.keep(numbers);
    }
}

/// Counts equal parts of one piece of work and passes the share on.
pub(crate) struct Parts<'a> {
    control: &'a dyn Control,
    of: usize,
    done: std::sync::Mutex<usize>,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(control: &'a dyn Control, of: usize) -> Self {
        Self { control, of: of.max(1), done: std::sync::Mutex::new(0) }
    }

    /// Work whose parts are not counted, but which can be stopped.
    pub(crate) fn silent(control: &'a dyn Control) -> Self {
        Self { control, of: usize::MAX, done: std::sync::Mutex::new(0) }
    }

    /// Whether anybody is told of the parts.
    pub(crate) fn counts(&self) -> bool {
        self.of != usize::MAX
    }

    /// One part is done. The lock is held while the share is told, so that the share never falls.
    pub(crate) fn one(&self) {
        if !self.counts() {
            return;
        }
        if let Ok(mut done) = self.done.lock() {
            *done = (*done + 1).min(self.of);
            self.control.progress(*done as f64 / self.of as f64);
        }
    }

    /// Whether the work shall stop.
    pub(crate) fn stopped(&self) -> bool {
        self.control.stop()
    }
}
