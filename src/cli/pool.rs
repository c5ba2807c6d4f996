//! The threads of `--jobs`.

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io;

/// More threads than this are of no use to anybody, and systems refuse them.
const MOST: usize = 256;

/// A pool of `jobs` threads, or of as many as the system gives.
///
/// # Errors
///
/// It gives none.
pub(super) fn threads(jobs: usize) -> io::Result<ThreadPool> {
    let mut wanted = jobs.clamp(1, MOST);
    loop {
        match ThreadPoolBuilder::new().num_threads(wanted).build() {
            Ok(pool) => return Ok(pool),
            Err(error) if wanted == 1 => return Err(io::Error::other(error)),
            Err(_) => wanted /= 2,
        }
    }
}

/// Work on several things at a time whose results come in order.
#[derive(Debug)]
pub(super) struct Pool(Option<ThreadPool>);

impl Pool {
    /// A pool for `jobs` things at a time; for one, or where the system gives no
    /// thread, the calling thread works alone.
    pub(super) fn new(jobs: usize) -> Self {
        Self((jobs > 1).then(|| threads(jobs).ok()).flatten())
    }

    /// What `work` makes of each item, in the order of the items.
    pub(super) fn in_order<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> R + Send + Sync,
    ) -> Vec<R> {
        match &self.0 {
            Some(pool) => pool.install(|| items.par_iter().map(work).collect()),
            None => items.iter().map(work).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pool;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        let expected: Vec<usize> = items.iter().map(|item| item * 2).collect();
        for jobs in [0, 1, 2, 3, 7, 100, 1000] {
            let pool = Pool::new(jobs);
            assert_eq!(pool.in_order(&items, |item| item * 2), expected, "{jobs}");
            assert!(pool.in_order(&[], |item: &usize| *item).is_empty());
        }
    }
}
