//! Work over all cores, where there are any. What may stop the thread that hands it out may stop all of it.

#[cfg(feature = "parallel")]
use crate::interrupt::Interrupt;

#[cfg(feature = "parallel")]
pub(crate) fn threads(wanted: usize) -> usize {
    let there = rayon::current_num_threads();
    if wanted == 0 { there } else { wanted.min(there) }
}

#[cfg(feature = "parallel")]
pub(crate) fn each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    use rayon::prelude::*;
    let interrupt = Interrupt::current();
    items.par_iter_mut().with_max_len(1).for_each(|item| interrupt.during(|| work(item)));
}

#[cfg(not(feature = "parallel"))]
pub(crate) fn threads(_wanted: usize) -> usize {
    1
}

#[cfg(not(feature = "parallel"))]
pub(crate) fn each<T>(items: &mut [T], work: impl Fn(&mut T)) {
    items.iter_mut().for_each(work);
}

/// `work(0)` … `work(count − 1)` in that order, over all cores with the feature `parallel`. Each
/// result depends on its number alone, so neither cores nor schedule change any.
///
/// # Errors
/// One of those of `work`.
pub fn map<T: Send, E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T, E> + Send + Sync,
) -> Result<Vec<T>, E> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let interrupt = Interrupt::current();
        (0..count).into_par_iter().map(|i| interrupt.during(|| work(i))).collect()
    }
    #[cfg(not(feature = "parallel"))]
    {
        (0..count).map(work).collect()
    }
}
