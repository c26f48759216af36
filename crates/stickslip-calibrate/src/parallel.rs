//! The same work on all cores, or on one: the results come in the order of the items either way.

pub use stickslip::study::parallel::over as map;

/// Numbers that are handed out together, where there are many: one row of a record is less work than handing it out.
const TOGETHER: usize = 1 << 12;

/// Applies `f` to 0, 1, …, `count` − 1.
pub fn each<R: Send>(count: usize, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
    if count <= TOGETHER {
        return map((0..count).collect(), f);
    }
    let firsts: Vec<usize> = (0..count).step_by(TOGETHER).collect();
    let some =
        |first: usize| -> Vec<R> { (first..(first + TOGETHER).min(count)).map(&f).collect() };
    let mut all = Vec::with_capacity(count);
    map(firsts, some).into_iter().for_each(|part| all.extend(part));
    all
}
