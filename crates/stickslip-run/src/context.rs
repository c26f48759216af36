//! What a run needs from where it runs: a clock, somebody to show progress to, a way to be stopped, and a place for what is
//! complete until then.

use stickslip_file::Journal;

/// The surroundings of a run. [`Context::silent`] has none of them: no time is measured, nothing is
/// shown, nothing is cancelled.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Seconds since some fixed instant.
    pub clock: &'a (dyn Fn() -> f64 + Sync),
    /// Called with the number of parts that are done and the number of all parts.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Called with every warning that is known before the computing starts.
    pub warn: &'a (dyn Fn(&str) + Sync),
    /// Whether the run should stop at the next opportunity and keep what is complete.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Where fits of models leave each step that is done, and find those that an earlier run did.
    pub journal: Option<&'a dyn Journal>,
}

impl Context<'static> {
    /// Without a clock, progress or cancelling: `solve_seconds` is 0 in summaries.
    pub fn silent() -> Self {
        Self {
            clock: &|| 0.0,
            progress: &|_, _| {},
            warn: &|_| {},
            cancelled: &|| false,
            journal: None,
        }
    }
}

impl Context<'_> {
    /// Passes on warnings that are known before the computing starts.
    pub(crate) fn warn_all(&self, warnings: &[String]) {
        warnings.iter().for_each(|w| (self.warn)(w));
    }

    /// Runs `work` and measures its time in seconds.
    pub fn timed<T>(&self, work: impl FnOnce() -> T) -> (T, f64) {
        let start = (self.clock)();
        let result = work();
        (result, (self.clock)() - start)
    }
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Context")
    }
}
