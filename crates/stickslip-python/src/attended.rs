//! Computations without the interpreter's lock that Ctrl-C ends.

use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use stickslip::Interrupt;

/// Signals are looked for so often.
const LOOK: Duration = Duration::from_millis(50);
/// A computation known to be shorter than this is not watched, ns.
const SHORT: u64 = 20_000_000;

/// How long a computation took the last time, ns. The same problem takes the same time again.
#[derive(Debug)]
pub struct Cost(AtomicU64);

impl Cost {
    /// Nothing is known yet.
    pub fn unknown() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }

    fn is_short(&self) -> bool {
        self.0.load(Ordering::Relaxed) < SHORT
    }

    fn learn(&self, clock: Instant) {
        let nanos = u64::try_from(clock.elapsed().as_nanos()).unwrap_or(u64::MAX - 1);
        self.0.store(nanos, Ordering::Relaxed);
    }
}

/// What a computation and the thread that waits for it tell each other.
#[derive(Debug)]
pub struct Watch {
    stop: Interrupt,
    done: AtomicU64,
    total: AtomicU64,
}

impl Watch {
    fn new() -> Self {
        Self { stop: Interrupt::new(), done: AtomicU64::new(0), total: AtomicU64::new(0) }
    }

    /// Whether the computation should stop.
    pub fn stopped(&self) -> bool {
        self.stop.is_requested()
    }

    /// `done` of `total` parts are done.
    pub fn advance(&self, done: u64, total: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.done.fetch_max(done, Ordering::Relaxed);
    }

    fn parts(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}

/// The defect that a panic is, as an exception.
fn defect() -> PyErr {
    pyo3::exceptions::PySystemError::new_err(
        "stickslip failed inside; this is a defect of the package, please report what you called",
    )
}

/// Runs `job` without the interpreter's lock, where it lies on nobody's way if it is known to be short.
///
/// What may take long runs in a thread of its own while this one looks for signals: Python calls their handlers in
/// the main thread only, which a computation would keep busy. After Ctrl-C the computation is asked to stop, and
/// nobody waits for it.
pub fn attended<T: Send + 'static>(
    py: Python<'_>,
    cost: Option<&Cost>,
    job: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let clock = Instant::now();
    let done = if cost.is_some_and(Cost::is_short) {
        py.detach(|| catch_unwind(AssertUnwindSafe(job)).map_err(|_| defect()))
    } else {
        watched(py, None, move |_| job())
    };
    if let Some(cost) = cost {
        cost.learn(clock);
    }
    done
}

/// Runs `job` in a thread of its own. Meanwhile `progress` is called with the parts that are done and with all
/// parts; an exception of it, or Ctrl-C, asks the job to stop and does not wait for it.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    job: impl FnOnce(&Watch) -> T + Send + 'static,
) -> PyResult<T> {
    let watch = Arc::new(Watch::new());
    let (sender, receiver) = channel();
    let theirs = watch.clone();
    let work = move || {
        // Nobody listens any more after Ctrl-C.
        let _ = sender.send(theirs.stop.during(|| job(&theirs)));
    };
    let name = "stickslip".to_owned();
    std::thread::Builder::new().name(name).spawn(work).map_err(|e| {
        pyo3::exceptions::PyRuntimeError::new_err(format!("no thread could be started: {e}"))
    })?;
    let answer = wait(py, progress, &watch, &Mutex::new(receiver));
    if answer.is_err() {
        watch.stop.request();
    }
    answer
}

fn wait<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    watch: &Watch,
    receiver: &Mutex<Receiver<T>>,
) -> PyResult<T> {
    let mut told = (0, 0);
    let mut tell = |last: bool| -> PyResult<()> {
        let parts = watch.parts();
        if let Some(progress) = progress.filter(|_| parts != told && (parts.1 > 0 || last)) {
            told = parts;
            progress.call1(parts)?;
        }
        Ok(())
    };
    loop {
        let answer = py
            .detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK));
        match answer {
            Ok(value) => {
                tell(true)?;
                return Ok(value);
            }
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals()?;
                tell(false)?;
            }
            Err(RecvTimeoutError::Disconnected) => return Err(defect()),
        }
    }
}
