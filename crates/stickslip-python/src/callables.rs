//! Functions of Python as signals, laws and forces.
//!
//! Each call takes the interpreter's lock. What such a function raises is kept and raised again once the library
//! has returned: meanwhile the function counts as 0.

use pyo3::prelude::*;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use stickslip::law::{Contact, Smooth};
use stickslip::model::Load;
use stickslip::signal::Bounds;
use stickslip::{Error, Law, Signal};

/// The first exception of a function, until it is raised again.
#[derive(Debug, Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// The exception, if there was one.
    pub fn take(&self) -> PyResult<()> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// Does `work`, which will call functions of Python: then the interpreter gets to know this thread once and not anew
/// for each of the calls.
pub fn known<T: Send>(called: bool, work: impl FnOnce() -> T + Send) -> T {
    if called { Python::attach(|py| py.detach(work)) } else { work() }
}

/// A function of Python and where its exceptions go.
struct Callable {
    function: Py<PyAny>,
    raised: Raised,
}

impl Callable {
    fn numbers<T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr> + Default>(
        &self,
        arguments: (f64, f64),
        count: usize,
    ) -> T {
        Python::attach(|py| {
            let function = self.function.bind(py);
            let called = match count {
                1 => function.call1((arguments.0,)),
                _ => function.call1(arguments),
            };
            called.and_then(|v| v.extract()).unwrap_or_else(|e| {
                self.raised.keep(e);
                T::default()
            })
        })
    }

    fn of_one(&self, x: f64) -> f64 {
        let y: f64 = self.numbers((x, 0.0), 1);
        self.finite(y, || format!("{x:?}"))
    }

    /// b(x, v, t).
    fn of_three(&self, x: f64, v: f64, t: f64) -> f64 {
        let called = Python::attach(|py| {
            let called = self.function.bind(py).call1((x, v, t));
            called.and_then(|b| b.extract()).unwrap_or_else(|e| {
                self.raised.keep(e);
                0.0
            })
        });
        self.finite(called, || format!("({x:?}, {v:?}, {t:?})"))
    }

    /// `y`, or 0 and an exception unless it is finite.
    fn finite(&self, y: f64, of: impl Fn() -> String) -> f64 {
        if y.is_finite() {
            return y;
        }
        let said = format!("a function returned {y:?} for {}; expected a finite number", of());
        self.raised.keep(pyo3::exceptions::PyValueError::new_err(said));
        0.0
    }
}

/// A function of time: itself, breakpoints, and bounds on its first three derivatives.
pub type Function = (Py<PyAny>, Vec<f64>, [f64; 3]);

/// The signal of a function of time.
pub fn signal(name: &str, given: Function, raised: &Raised) -> Result<Signal, Error> {
    let (function, breakpoints, [first, second, third]) = given;
    let callable = Callable { function, raised: raised.clone() };
    let bounds = Bounds { first, second, third };
    Signal::function(name, move |t| callable.of_one(t), &breakpoints, bounds)
}

/// The force b(x, v, t) of a function.
pub fn load(name: &str, function: Py<PyAny>, raised: &Raised) -> Load {
    let callable = Callable { function, raised: raised.clone() };
    Load::new(move |x, v, t| callable.of_three(x, v, t)).named(name)
}

/// A law: the friction against speed, bounds on its slope (two numbers or a function of an interval), the friction at rest, if it
/// differs, and the speeds at which the slope jumps.
pub type Friction = (Py<PyAny>, Py<PyAny>, Option<f64>, Vec<f64>);

/// A law of Python, the same both ways.
struct Rubbing {
    force: Callable,
    slope: Slope,
    limit: Option<f64>,
    kinks: Vec<f64>,
}

enum Slope {
    Bounds(f64, f64),
    Function(Callable),
}

impl fmt::Debug for Rubbing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a law of Python")
    }
}

impl Contact for Rubbing {
    fn force(&self, _side: f64, speed: f64) -> f64 {
        self.force.of_one(speed)
    }

    fn slope_range(&self, _side: f64, lo: f64, hi: f64) -> (f64, f64) {
        match &self.slope {
            Slope::Bounds(least, greatest) => (*least, *greatest),
            Slope::Function(f) => f.numbers((lo, hi), 2),
        }
    }

    fn limit(&self, _side: f64, _age: f64) -> f64 {
        self.limit.unwrap_or_else(|| self.force.of_one(0.0))
    }

    fn smooth_around(&self, _side: f64, speed: f64, rising: bool) -> Smooth {
        Smooth::among(&self.kinks, speed, rising)
    }
}

/// The law of a function of the speed.
pub fn law(py: Python<'_>, name: &str, given: Friction, raised: &Raised) -> Result<Law, Error> {
    let (force, slope, limit, kinks) = given;
    let callable = |function| Callable { function, raised: raised.clone() };
    let slope = match slope.extract::<(f64, f64)>(py) {
        Ok((least, greatest)) => Slope::Bounds(least, greatest),
        Err(_) => Slope::Function(callable(slope)),
    };
    Law::custom(name, Rubbing { force: callable(force), slope, limit, kinks })
}
