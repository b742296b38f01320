//! Runs work in parallel where that pays.

use rayon::prelude::*;

/// Texts shorter than this are dealt with sooner than another thread has woken up.
const LONG: usize = 64 << 10;

/// Does `work` on each of `items`, at once where the texts they are about have so many `bytes` that
/// it pays and this runs in a pool of threads. The results are in the order of the items.
pub(crate) fn in_parallel<T: Send, R: Send>(
    bytes: usize,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync + Send,
) -> Vec<R> {
    if items.len() > 1 && pays(bytes) {
        // some take many times as long as others
        let longest = items.len().div_ceil(64);
        let items = items.into_par_iter().with_max_len(longest);
        items.map(work).collect()
    } else {
        items.into_iter().map(work).collect()
    }
}

fn pays(bytes: usize) -> bool {
    bytes >= LONG && rayon::current_thread_index().is_some()
}
