//! Independent pieces of work, over all cores where threads are built in.

pub use stickslip::study::parallel::try_over as each_of;

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
