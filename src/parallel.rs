//! Runs work in parallel if there is enough of it.

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

/// The least bytes for which parallel work is faster: a shorter text is done before another thread
/// wakes up.
const MIN_BYTES: usize = 32 << 10;

/// Starts to build a pool with the given number of threads; 0 stands for one for each core.
pub(crate) fn thread_pool(threads: usize) -> ThreadPoolBuilder {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        // the parser and the walk recurse, so a deep document needs a large stack
        .stack_size(64 << 20)
        .start_handler(|_| grow_heap())
}

/// Makes a thread's heap grow in large steps. By default glibc grows it page by page, with a system
/// call for each page.
///
/// When glibc frees a block that it had allocated outside of the heap, it raises two limits: the
/// size from which blocks are allocated outside, and the free memory that the heap may keep at its
/// end. Larger blocks stay outside, because they would leave holes in the heap when they grow.
fn grow_heap() {
    let block = |_| Vec::<u8>::with_capacity(2 << 20);
    drop(std::hint::black_box(block(0)));
    drop(std::hint::black_box::<[_; 10]>(std::array::from_fn(block)));
}

/// Calls `work` on each of `items` and returns the results in the order of the items. Works in
/// parallel if `bytes`, the total length of the texts, is large enough and the caller is in a
/// thread pool.
pub(crate) fn in_parallel<T: Send, R: Send>(
    bytes: usize,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync + Send,
) -> Vec<R> {
    if items.len() > 1 && is_in_pool() && are_many(bytes) {
        // small batches, because some items take many times as long as others
        let max_batch = items.len().div_ceil(64);
        let items = items.into_par_iter().with_max_len(max_batch);
        items.map(work).collect()
    } else {
        items.into_iter().map(work).collect()
    }
}

/// Returns the results of two functions. Calls them in parallel as [`in_parallel`] does.
pub(crate) fn both<A: Send, B: Send>(
    bytes: usize,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    match is_in_pool() && are_many(bytes) {
        true => rayon::join(first, second),
        false => (first(), second()),
    }
}

/// Whether a text of this length is worth parallel work.
pub(crate) const fn are_many(bytes: usize) -> bool {
    bytes >= MIN_BYTES
}

/// Whether the caller is in a thread pool.
pub(crate) fn is_in_pool() -> bool {
    rayon::current_thread_index().is_some()
}
