//! Independent pieces of work, over all cores where threads are built in.

/// `one` of every item, in order; the first error of the list.
#[cfg(feature = "parallel")]
pub fn each_of<T: Send, R: Send, E: Send>(
    items: Vec<T>,
    one: impl Fn(T) -> Result<R, E> + Sync + Send,
) -> Result<Vec<R>, E> {
    use rayon::prelude::*;
    // What may stop this thread may stop what it hands out.
    let interrupt = stickslip::Interrupt::current();
    items.into_par_iter().with_max_len(1).map(|item| interrupt.during(|| one(item))).collect()
}

/// `one` of every item, in order; the first error of the list.
#[cfg(not(feature = "parallel"))]
pub fn each_of<T, R, E>(items: Vec<T>, one: impl Fn(T) -> Result<R, E>) -> Result<Vec<R>, E> {
    items.into_iter().map(one).collect()
}

/// Does `work` on so many threads; 0 takes one for each core.
///
/// # Errors
/// Where the threads cannot be started.
#[cfg(feature = "parallel")]
pub fn on_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> stickslip_file::Result<T> {
    if threads == 0 {
        return Ok(work());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
        stickslip_file::Diagnostic::new(format!("{threads} threads cannot be started: {e}"))
            .help("take fewer threads")
    })?;
    let interrupt = stickslip::Interrupt::current();
    Ok(pool.install(|| interrupt.during(work)))
}

/// Does `work`.
///
/// # Errors
/// None without threads.
#[cfg(not(feature = "parallel"))]
pub fn on_threads<T>(_: usize, work: impl FnOnce() -> T) -> stickslip_file::Result<T> {
    Ok(work())
}
