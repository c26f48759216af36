//! Independent pieces of work, over all cores where threads are built in.

pub use stickslip::study::parallel::try_over as each_of;

/// Does `work` on so many threads; 0 takes one for each core. Where they cannot be started, it is done without them: the
/// result is the same.
#[cfg(feature = "parallel")]
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    if threads == 0 {
        return work();
    }
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => {
            let interrupt = stickslip::Interrupt::current();
            pool.install(|| interrupt.during(work))
        }
        Err(_) => work(),
    }
}

/// Does `work`.
#[cfg(not(feature = "parallel"))]
pub fn on_threads<T>(_: usize, work: impl FnOnce() -> T) -> T {
    work()
}
