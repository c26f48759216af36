//! Computations without the interpreter's lock that Ctrl-C ends.

use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Signals are looked for so often.
const LOOK: Duration = Duration::from_millis(50);
/// A computation known to be shorter than this is not watched.
const SHORT: u64 = 20_000_000;

/// How long a computation took the last time, ns. The same problem takes the same time again.
#[derive(Debug, Default)]
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

/// The defect that a panic is, as an exception.
fn defect() -> PyErr {
    pyo3::exceptions::PySystemError::new_err(
        "stickslip failed inside; this is a defect of the package, please report what you called",
    )
}

/// Runs `job` without the interpreter's lock.
///
/// What may take long runs in a thread of its own while this one looks for signals: Python calls their handlers in
/// the main thread only, which a computation would keep busy. After Ctrl-C nobody waits for that thread any more.
pub fn attended<T: Send + 'static>(
    py: Python<'_>,
    cost: Option<&Cost>,
    job: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let clock = Instant::now();
    let done = if cost.is_some_and(Cost::is_short) {
        py.detach(|| catch_unwind(AssertUnwindSafe(job)).map_err(|_| defect()))
    } else {
        watched(py, job)
    };
    if let Some(cost) = cost {
        cost.learn(clock);
    }
    done
}

fn watched<T: Send + 'static>(
    py: Python<'_>,
    job: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let work = move || {
        // Nobody listens any more after Ctrl-C.
        let _ = sender.send(job());
    };
    let name = "stickslip".to_owned();
    std::thread::Builder::new().name(name).spawn(work).map_err(|e| {
        pyo3::exceptions::PyRuntimeError::new_err(format!("no thread could be started: {e}"))
    })?;
    let receiver = std::sync::Mutex::new(receiver);
    loop {
        let answer = py.detach(|| {
            let receiver = receiver.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            receiver.recv_timeout(LOOK)
        });
        match answer {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(defect()),
        }
    }
}
