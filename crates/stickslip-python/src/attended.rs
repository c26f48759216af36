//! Computations without the interpreter's lock that Ctrl-C ends.

use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use stickslip::Interrupt;

/// How often signals are looked for.
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

    fn is_unknown(&self) -> bool {
        self.0.load(Ordering::Relaxed) == u64::MAX
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

/// The exception for a panic, which is a defect of the program.
fn defect() -> PyErr {
    pyo3::exceptions::PySystemError::new_err(
        "stickslip failed inside; this is a defect of the package, please report what you called",
    )
}

/// Runs `job` without the interpreter's lock. A job that is known to be short simply runs.
///
/// Python calls the handlers of signals in the main thread only, which a computation would keep busy. A job that took long
/// before therefore runs in a thread of its own, while this one looks for signals: after Ctrl-C the job is asked to stop,
/// and nobody waits for it. Starting a thread costs 80 µs, more than most motions. A job of unknown length therefore runs
/// in this thread, which looks for signals wherever the job asks whether it should stop.
pub fn attended<T: Send + 'static>(
    py: Python<'_>,
    cost: Option<&Cost>,
    job: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let clock = Instant::now();
    let done = match cost {
        Some(cost) if cost.is_short() => {
            py.detach(|| catch_unwind(AssertUnwindSafe(job)).map_err(|_| defect()))
        }
        Some(cost) if cost.is_unknown() => looking(py, job),
        _ => watched(py, None, move |_| job()),
    };
    if let Some(cost) = cost {
        cost.learn(clock);
    }
    done
}

/// Runs `job` in this thread, which looks for signals now and then.
fn looking<T: Send>(py: Python<'_>, job: impl FnOnce() -> T + Send) -> PyResult<T> {
    let raised: Arc<Mutex<Option<PyErr>>> = Arc::default();
    let theirs = raised.clone();
    let own = std::thread::current().id();
    let pace = Pace::new();
    let look = move || {
        // Python looks for signals in one thread only; others that help this one just see that it was asked to stop.
        if std::thread::current().id() != own || !pace.is_time() {
            return false;
        }
        let Err(e) = Python::attach(|py| py.check_signals()) else { return false };
        *theirs.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
        true
    };
    let done = py.detach(|| {
        let work = || Interrupt::asking(look).during(job);
        catch_unwind(AssertUnwindSafe(work)).map_err(|_| defect())
    });
    match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(e) => Err(e),
        None => done,
    }
}

/// When it is time to look for signals, without a look at the clock each time.
#[derive(Debug)]
struct Pace {
    clock: Instant,
    /// When signals were looked for last, and the clock was looked at last, ns.
    looked: AtomicU64,
    seen: AtomicU64,
    /// So many questions until the next look at the clock, and from one to the next.
    left: AtomicU64,
    stride: AtomicU64,
}

/// The clock is looked at after so many questions at most, and more often where as many take longer than this, ns.
const STRIDE: u64 = 256;
const APART: u64 = 1_000_000;

impl Pace {
    fn new() -> Self {
        let zero = || AtomicU64::new(0);
        let clock = Instant::now();
        Self {
            clock,
            looked: zero(),
            seen: zero(),
            left: AtomicU64::new(1),
            stride: AtomicU64::new(1),
        }
    }

    /// One thread asks.
    fn is_time(&self) -> bool {
        let get = |a: &AtomicU64| a.load(Ordering::Relaxed);
        let left = get(&self.left) - 1;
        self.left.store(left, Ordering::Relaxed);
        if left > 0 {
            return false;
        }
        let now = u64::try_from(self.clock.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let quick = now - get(&self.seen) < APART;
        let stride = if quick { (2 * get(&self.stride)).min(STRIDE) } else { 1 };
        for (to, value) in [(&self.seen, now), (&self.left, stride), (&self.stride, stride)] {
            to.store(value, Ordering::Relaxed);
        }
        let time = now - get(&self.looked) >= LOOK.as_nanos() as u64;
        if time {
            self.looked.store(now, Ordering::Relaxed);
        }
        time
    }
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
