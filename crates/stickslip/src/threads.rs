//! The threads that share the work of large computations.
//!
//! They belong to a process. A process that was forked inherits the memory of its parent but none of its threads, so
//! whatever is handed to the parent's threads there is never done, and whoever waits for it waits for ever. Python's
//! `multiprocessing` forks, as do its process pools. Rayon's own global pool is made once and cannot be
//! replaced; that is why the threads are kept here, for each process that asks for them.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;

/// The threads of a process, and those of the processes that were forked from it.
struct Threads {
    process: u32,
    /// None where the system starts no threads: then the work is done where it is handed out.
    pool: Option<ThreadPool>,
    child: Link,
}

/// The next generation. It is set at once with what was made before, so a fork never copies one that is half made.
type Link = OnceLock<Box<Threads>>;

static FIRST: Link = Link::new();

/// The threads of this process. Those of its ancestors are dead here and stay in the list as they are: to end them would
/// be to wait for them.
fn pool() -> Option<&'static ThreadPool> {
    let process = std::process::id();
    let mut link = &FIRST;
    loop {
        let found = match link.get() {
            Some(threads) => threads,
            None => {
                let pool = ThreadPoolBuilder::new().build().ok();
                let made = Threads { process, pool, child: Link::new() };
                // Another thread of this process may have been quicker: then its threads are taken, and these end.
                let _ = link.set(Box::new(made));
                continue;
            }
        };
        if found.process == process {
            return found.pool.as_ref();
        }
        link = &found.child;
    }
}

/// How many threads share the work of the caller.
pub(crate) fn count() -> usize {
    if rayon::current_thread_index().is_some() {
        return rayon::current_num_threads();
    }
    pool().map_or(1, ThreadPool::current_num_threads)
}

/// Does both, at once where a second thread is free.
pub(crate) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if rayon::current_thread_index().is_some() {
        rayon::join(a, b)
    } else if let Some(pool) = pool() {
        pool.install(|| rayon::join(a, b))
    } else {
        (a(), b())
    }
}

/// `work(0)` … `work(count − 1)`, on the threads of this process; on those of the caller's own pool if it runs in one.
pub(crate) fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    let shared = || (0..count).into_par_iter().with_max_len(1).for_each(work);
    if rayon::current_thread_index().is_some() {
        shared();
    } else if let Some(pool) = pool() {
        pool.install(shared);
    } else {
        (0..count).for_each(work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Mutex, PoisonError};

    #[test]
    fn the_threads_of_a_process_are_made_once() {
        let first = pool().map(std::ptr::from_ref);
        let others: Vec<_> = (0..8)
            .map(|_| std::thread::spawn(|| pool().map(|p| std::ptr::from_ref(p) as usize)))
            .collect();
        for other in others {
            assert_eq!(other.join().ok().flatten(), first.map(|p| p as usize));
        }
        assert_eq!(count(), pool().map_or(1, ThreadPool::current_num_threads));
    }

    #[test]
    fn a_callers_own_pool_is_used() {
        let Ok(own) = ThreadPoolBuilder::new().num_threads(3).build() else { return };
        assert_eq!(own.install(count), 3);
        assert_eq!(
            own.install(|| {
                let seen = Mutex::new(0);
                each(1, &|_| {
                    *seen.lock().unwrap_or_else(PoisonError::into_inner) =
                        rayon::current_num_threads()
                });
                seen.into_inner().unwrap_or_else(PoisonError::into_inner)
            }),
            3
        );
    }
}
