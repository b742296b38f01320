//! Which pieces two rows share: lines of texts, elements of lists, pieces of collections.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;
use similar::algorithms::{Capture, Compact, DiffHook, Replace};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Up to so many pairs of pieces, all of them take part in the search: it is fast there.
const SHORT: usize = 1 << 16;

/// What becomes of an old row in a new one, as `diff` aligns them: stretches that are the same, and
/// stretches that differ.
///
/// What only one of the rows has can pair with nothing. In long rows it takes no part in the
/// search, which would take long where much differs.
pub(super) fn differences<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let is_same = |(old, new): &(&T, &T)| old == new;
    let shorter = old.len().min(new.len());
    let head = old.iter().zip(new).take_while(is_same).count();
    let backwards = old.iter().rev().zip(new.iter().rev());
    let tail = backwards.take(shorter - head).take_while(is_same).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    if (old_end - head).saturating_mul(new_end - head) <= SHORT {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let [in_old, in_new] = in_both(&old[head..old_end], &new[head..new_end]);
    let mut runs = Runs::default();
    runs.push(0, 0, head);
    for operation in capture_diff_slices(Algorithm::Myers, &in_old.numbers, &in_new.numbers) {
        if let DiffOp::Equal { .. } = operation {
            for (old, new) in operation.old_range().zip(operation.new_range()) {
                runs.push(
                    head + in_old.places[old] as usize,
                    head + in_new.places[new] as usize,
                    1,
                );
            }
        }
    }
    runs.push(old_end, new_end, tail);
    drop((in_old, in_new));
    runs.into_differences(old, new)
}

/// For each piece of a row, which piece of the old row it is.
pub(super) fn places_in<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let mut found = vec![None; new.len()];
    for operation in differences(old, new) {
        if let DiffOp::Equal { .. } = operation {
            for (old, new) in operation.old_range().zip(operation.new_range()) {
                found[new] = Some(old);
            }
        }
    }
    found
}

/// Where each of `part` is in `whole`, in the same order; `None` if `whole` has not all of them.
pub(super) fn positions_in(part: &[u64], whole: &[u64]) -> Option<Vec<usize>> {
    let mut next = 0;
    part.iter()
        .map(|value| {
            let found = next + whole[next..].iter().position(|other| other == value)?;
            next = found + 1;
            Some(found)
        })
        .collect()
}

/// The pieces of a row that the other row has too.
struct Shared {
    /// The same number for the same piece.
    numbers: Vec<u32>,
    /// Where each is in the row.
    places: Vec<u32>,
}

fn in_both<T: Eq + Hash>(old: &[T], new: &[T]) -> [Shared; 2] {
    let rows = numbered(old, new);
    let mut is_in = vec![[false; 2]; old.len() + new.len()];
    for (side, row) in rows.iter().enumerate() {
        for number in row {
            is_in[*number as usize][side] = true;
        }
    }
    rows.map(|row| {
        let pieces = (0..).zip(row);
        let shared = pieces.filter(|(_, number)| is_in[*number as usize] == [true; 2]);
        let (places, numbers) = shared.unzip();
        Shared { numbers, places }
    })
}

/// A number for each piece of both rows, the same for the same piece: where it is the first time.
fn numbered<T: Eq + Hash>(old: &[T], new: &[T]) -> [Vec<u32>; 2] {
    let piece = |at: u32| match (at as usize).checked_sub(old.len()) {
        None => &old[at as usize],
        Some(at) => &new[at],
    };
    let hash = |at: &u32| FxBuildHasher.hash_one(piece(*at));
    // the pieces are not kept in it: there are as many as lines
    let mut known: HashTable<u32> = HashTable::with_capacity(old.len());
    let mut number = |at: u32| match known.entry(hash(&at), |it| piece(*it) == piece(at), hash) {
        Entry::Occupied(known) => *known.get(),
        Entry::Vacant(vacant) => *vacant.insert(at).get(),
    };
    let (first, end) = (old.len() as u32, (old.len() + new.len()) as u32);
    [0..first, first..end].map(|row| row.map(&mut number).collect())
}

/// Stretches that are the same in both rows, from top to bottom: where each begins, and its length.
/// (In small numbers: there may be as many as lines.)
#[derive(Default)]
struct Runs(Vec<[u32; 3]>);

impl Runs {
    fn push(&mut self, old: usize, new: usize, length: usize) {
        let run @ [old, new, length] = [old, new, length].map(|number| number as u32);
        match self.0.last_mut() {
            Some([o, n, l]) if *o + *l == old && *n + *l == new => *l += length,
            _ if length > 0 => self.0.push(run),
            _ => {}
        }
    }

    /// The runs and what is between them. A stretch that could as well be further up or down
    /// is beside another one, if it can.
    fn into_differences<T: PartialEq>(self, old: &[T], new: &[T]) -> Vec<DiffOp> {
        let mut hook = Compact::new(Replace::new(Capture::new()), old, new);
        let (mut i, mut j) = (0, 0);
        let end = [old.len() as u32, new.len() as u32, 0];
        for run in self.0.into_iter().chain([end]) {
            let [old_start, new_start, length] = run.map(|number| number as usize);
            if i < old_start {
                let Ok(()) = hook.delete(i, old_start - i, j);
            }
            if j < new_start {
                let Ok(()) = hook.insert(old_start, j, new_start - j);
            }
            if length > 0 {
                let Ok(()) = hook.equal(old_start, new_start, length);
            }
            (i, j) = (old_start + length, new_start + length);
        }
        let Ok(()) = hook.finish();
        hook.into_inner().into_inner().into_ops()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_rows_align_as_short_ones_do() {
        // every third piece is one that only its row has
        let row = |own: u32| -> Vec<u32> {
            let piece = |at: u32| [own + at, at, at][at as usize % 3];
            (0..900).map(piece).collect()
        };
        let (old, new) = (row(10_000), row(20_000));
        let same: Vec<Option<usize>> = (0..900).map(|at| (at % 3 != 0).then_some(at)).collect();
        assert_eq!(places_in(&old, &new), same);
        assert_eq!(places_in(&old[..30], &new[..30]), same[..30]);
        let replaced: usize = differences(&old, &new)
            .iter()
            .map(|it| it.old_range().len())
            .sum();
        assert_eq!(replaced, 900);
    }

    #[test]
    fn rows_without_a_shared_piece_are_replaced_at_once() {
        let (old, new): (Vec<u32>, Vec<u32>) = ((0..300).collect(), (300..700).collect());
        assert_eq!(differences(&old, &new).len(), 1);
        assert_eq!(differences::<u32>(&[], &[]), []);
        assert_eq!(differences(&[], &new).len(), 1);
    }
}
