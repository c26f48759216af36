//! Threads, where there are any.

#[cfg(feature = "parallel")]
pub fn threads(wanted: usize) -> usize {
    let there = rayon::current_num_threads();
    if wanted == 0 { there } else { wanted.min(there) }
}

#[cfg(feature = "parallel")]
pub fn each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    use rayon::prelude::*;
    items.par_iter_mut().with_max_len(1).for_each(&work);
}

#[cfg(not(feature = "parallel"))]
pub fn threads(_wanted: usize) -> usize {
    1
}

#[cfg(not(feature = "parallel"))]
pub fn each<T>(items: &mut [T], work: impl Fn(&mut T)) {
    items.iter_mut().for_each(work);
}
