//! The same work on all cores, or on one: the results come in the order of the items either way.

pub use stickslip::study::parallel::over as map;

/// Applies `f` to 0, 1, …, `count` − 1.
pub fn each<R: Send>(count: usize, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
    map((0..count).collect(), f)
}
