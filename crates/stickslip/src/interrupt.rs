//! Stopping a computation from outside.
//!
//! Whoever waits for a computation, a notebook or a page, shares an [`Interrupt`] with it. Every loop over events
//! or steps looks at it now and then, and ends with [`Error::Interrupted`]. No number depends on it.

use crate::error::Error;
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// What may stop the computations on this thread.
    static CURRENT: RefCell<Interrupt> = const { RefCell::new(Interrupt(None)) };
}

/// A request to stop, shared by who waits and who computes.
///
/// ```
/// use stickslip::{Error, Interrupt, Law, Oscillator, Problem, Scheme, Signal, solve};
/// # fn main() -> Result<(), Error> {
/// let shaw = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?)
///     .with_drive(Signal::harmonic(6.0, 0.5, 0.0));
/// let problem = Problem::new(shaw, 40.0);
/// let interrupt = Interrupt::new();
/// let whole = interrupt.during(|| solve(&problem, &Scheme::Exact))?;
/// assert_eq!(whole.span().1, 40.0);
/// // Another thread would ask for this.
/// interrupt.request();
/// let stopped = interrupt.during(|| solve(&problem, &Scheme::Exact));
/// assert!(matches!(stopped, Err(Error::Interrupted { .. })));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Option<Arc<Flag>>);

/// Whether somebody has asked to stop, and who may be asked.
#[derive(Default)]
struct Flag {
    requested: AtomicBool,
    look: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl fmt::Debug for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flag").field("requested", &self.requested).finish_non_exhaustive()
    }
}

impl Flag {
    fn is_requested(&self) -> bool {
        if self.requested.load(Ordering::Relaxed) {
            return true;
        }
        let asked = self.look.as_ref().is_some_and(|look| look());
        if asked {
            self.requested.store(true, Ordering::Relaxed);
        }
        asked
    }
}

impl Interrupt {
    /// Nobody has asked to stop yet.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// One that asks `look`, wherever a computation looks whether it should stop: every few microseconds, by the thread that
    /// computes. So a thread that nobody else watches can look for signals itself.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// use std::sync::Arc;
    /// use stickslip::scheme::oscillator::exact;
    /// use stickslip::{Error, Interrupt, Law, Oscillator, Signal};
    /// # fn main() -> Result<(), Error> {
    /// let driven = Oscillator::new(1.0, 4.0, Law::coulomb(0.1)?)
    ///     .with_drive(Signal::harmonic(2.0, 1.0, 0.0));
    /// let looks = Arc::new(AtomicUsize::new(0));
    /// let counted = looks.clone();
    /// // Enough after a hundred looks.
    /// let patience = Interrupt::asking(move || counted.fetch_add(1, Ordering::Relaxed) >= 100);
    /// let found = patience.during(|| exact::solve(&driven, 1e5));
    /// assert!(matches!(found, Err(Error::Interrupted { .. })) && patience.is_requested());
    /// # Ok(()) }
    /// ```
    pub fn asking(look: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Flag { requested: AtomicBool::new(false), look: Some(Box::new(look)) })))
    }

    /// The one that may stop the computations on this thread: for work that is handed to another thread.
    pub fn current() -> Self {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Asks to stop.
    pub fn request(&self) {
        if let Some(flag) = &self.0 {
            flag.requested.store(true, Ordering::Relaxed);
        }
    }

    /// Whether somebody has asked to stop.
    pub fn is_requested(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.is_requested())
    }

    /// Whether somebody has asked to stop the computations on this thread.
    #[inline(never)]
    pub(crate) fn is_current_requested() -> bool {
        CURRENT.with_borrow(Self::is_requested)
    }

    /// The parts of a sum, fewer once somebody has asked to stop the computations on this thread: then it means nothing.
    pub(crate) fn parts_of<T>(parts: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        /// Parts between two looks: a millisecond at most.
        const STRIDE: usize = 256;
        let goes_on = |i: usize| !i.is_multiple_of(STRIDE) || !Self::is_current_requested();
        parts.into_iter().enumerate().take_while(move |(i, _)| goes_on(*i)).map(|(_, part)| part)
    }

    /// Why a search that began at `time` (s) in `phase` has no end: somebody has asked to stop, or it was given up.
    pub(crate) fn of_search(time: f64, phase: String) -> Error {
        if Self::is_current_requested() {
            Error::Interrupted { time }
        } else {
            Error::Stalled { time, phase }
        }
    }

    /// Does `work`, which ends soon with [`Error::Interrupted`] once somebody asks to stop. What
    /// [`study::parallel`](crate::study::parallel) spreads over threads ends too.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Puts the one before back, also after a panic.
        struct Before(Interrupt);
        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.set(std::mem::take(&mut self.0));
            }
        }
        let _before = Before(CURRENT.replace(self.clone()));
        work()
    }

    /// Ends a computation that has reached `time` (s), if somebody has asked to stop.
    pub(crate) fn check(&self, time: f64) -> Result<(), Error> {
        if self.is_requested() { Err(Error::Interrupted { time }) } else { Ok(()) }
    }

    /// 0 … `count` − 1 in short ranges, fewer once somebody has asked to stop: whoever loops over them must
    /// [`check`](Self::check) in the end.
    pub(crate) fn ranges(&self, count: usize) -> impl Iterator<Item = Range<usize>> {
        /// Steps between two looks: tens of microseconds.
        const STRIDE: usize = 4096;
        let this = self.clone();
        (0..count.div_ceil(STRIDE))
            .map(move |i| i * STRIDE..((i + 1) * STRIDE).min(count))
            .take_while(move |_| !this.is_requested())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_every_step_once() {
        for count in [0, 1, 4095, 4096, 4097, 10_000] {
            let all: Vec<usize> = Interrupt::new().ranges(count).flatten().collect();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_request_ends_ranges_and_holds_for_its_own_work_only() {
        let outer = Interrupt::new();
        let inner = Interrupt::new();
        inner.request();
        outer.during(|| {
            assert!(!Interrupt::current().is_requested());
            inner.during(|| assert!(Interrupt::current().is_requested()));
            assert!(!Interrupt::current().is_requested());
        });
        assert_eq!(inner.ranges(10).count(), 0);
        assert!(inner.check(1.0).is_err() && outer.check(1.0).is_ok());
    }
}
