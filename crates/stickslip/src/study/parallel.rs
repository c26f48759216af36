//! Work over all cores, where there are any. What may stop the thread that hands it out may stop all of it.
//!
//! Each result depends on its item alone and has its place in the list, so neither cores nor schedule change any.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

#[cfg(feature = "parallel")]
pub(crate) fn threads(wanted: usize) -> usize {
    let there = crate::threads::count();
    if wanted == 0 { there } else { wanted.min(there) }
}

#[cfg(not(feature = "parallel"))]
pub(crate) fn threads(_wanted: usize) -> usize {
    1
}

/// `work(0)` … `work(count − 1)`. Not generic: what spreads the work is compiled once, whatever the work is.
#[cfg(feature = "parallel")]
fn spread(count: usize, work: &(dyn Fn(usize) + Sync)) {
    let interrupt = crate::interrupt::Interrupt::current();
    crate::threads::each(count, &|i| interrupt.during(|| work(i)));
}

#[cfg(not(feature = "parallel"))]
fn spread(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).for_each(work);
}

/// An item on its way in, or a result on its way out. Nobody waits for it: each belongs to one piece of work.
type Slot<T> = Mutex<Option<T>>;

fn slots<T>(all: impl Iterator<Item = Option<T>>) -> Vec<Slot<T>> {
    all.map(Mutex::new).collect()
}

fn take<T>(slot: &Slot<T>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// `work` of every item, in place.
pub(crate) fn each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    let given = slots(items.iter_mut().map(Some));
    spread(given.len(), &|i| {
        if let Some(item) = take(&given[i]) {
            work(item);
        }
    });
}

/// `work` of every item, in the order of the items, over all cores with the feature `parallel`.
pub fn over<I: Send, T: Send>(items: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    let done = slots(items.iter().map(|_| None));
    let given = slots(items.into_iter().map(Some));
    spread(given.len(), &|i| {
        let result = take(&given[i]).map(&work);
        *done[i].lock().unwrap_or_else(PoisonError::into_inner) = result;
    });
    done.iter().filter_map(take).collect()
}

/// `work` of every item, in the order of the items, over all cores with the feature `parallel`. What comes after an
/// item that fails need not be done.
///
/// # Errors
/// That of the first item in the list that fails.
pub fn try_over<I: Send, T: Send, E: Send>(
    items: Vec<I>,
    work: impl Fn(I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let failed = AtomicUsize::new(usize::MAX);
    let one = |(i, item)| {
        if i > failed.load(Ordering::Relaxed) {
            return None;
        }
        let result = work(item);
        if result.is_err() {
            failed.fetch_min(i, Ordering::Relaxed);
        }
        Some(result)
    };
    over(items.into_iter().enumerate().collect(), one).into_iter().flatten().collect()
}

/// `work(0)` … `work(count − 1)`, in that order, over all cores with the feature `parallel`.
///
/// # Errors
/// That of the least number that fails.
pub fn map<T: Send, E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    try_over((0..count).collect(), work)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every n-th task fails, for every n: the error is that of the first, and a second try gives what there would have been.
    #[test]
    fn the_first_failure_is_told_whichever_it_is() {
        let whole: Vec<usize> = (0..40).map(|i| i * i).collect();
        for n in 1..=41 {
            let fails = |i: usize| (i + 1).is_multiple_of(n);
            let found = map(40, |i| if fails(i) { Err(i) } else { Ok(i * i) });
            assert_eq!(found, if n <= 40 { Err(n - 1) } else { Ok(whole.clone()) });
            assert_eq!(map(40, |i| Ok::<usize, usize>(i * i)).as_ref(), Ok(&whole));
        }
    }

    /// A task that panics: the panic arrives where the work was handed out, and nothing is stuck.
    #[test]
    fn a_panic_in_a_task_is_the_callers() {
        for n in [0, 7, 39] {
            let work =
                || over((0..40).collect(), |i: usize| if i == n { panic!("task {i}") } else { i });
            assert!(std::panic::catch_unwind(work).is_err());
            assert_eq!(over((0..40).collect(), |i: usize| i), (0..40).collect::<Vec<_>>());
        }
    }
}
