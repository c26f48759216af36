//! The same work on all cores, or on one: the results come in the order of the items either way.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Applies `f` to every item.
#[cfg(feature = "parallel")]
pub fn map<T: Send, R: Send>(items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    // What may stop this thread may stop what it hands out.
    let interrupt = stickslip::Interrupt::current();
    items.into_par_iter().map(|item| interrupt.during(|| f(item))).collect()
}

/// Applies `f` to every item.
#[cfg(not(feature = "parallel"))]
pub fn map<T: Send, R: Send>(items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    items.into_iter().map(f).collect()
}

/// Applies `f` to 0, 1, …, `count` − 1.
pub fn each<R: Send>(count: usize, f: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    map((0..count).collect(), f)
}
