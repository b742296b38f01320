//! Runs work in parallel if there is enough of it.

use rayon::prelude::*;

/// The least bytes for which parallel work is faster: a shorter text is done before another thread
/// wakes up.
const MIN_BYTES: usize = 64 << 10;

/// Calls `work` on each of `items` and returns the results in the order of the items. Works in
/// parallel if `bytes`, the total length of the texts, is large enough and the caller is in a
/// thread pool.
pub(crate) fn in_parallel<T: Send, R: Send>(
    bytes: usize,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync + Send,
) -> Vec<R> {
    if items.len() > 1 && is_worthwhile(bytes) {
        // small batches, because some items take many times as long as others
        let max_batch = items.len().div_ceil(64);
        let items = items.into_par_iter().with_max_len(max_batch);
        items.map(work).collect()
    } else {
        items.into_iter().map(work).collect()
    }
}

fn is_worthwhile(bytes: usize) -> bool {
    bytes >= MIN_BYTES && rayon::current_thread_index().is_some()
}
