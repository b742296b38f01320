//! Longest common subsequences of two rows.

use crate::differences::differences;

/// The largest number of cells of the exact table. Longer rows align as `diff` aligns lines.
const MAX_TABLE_CELLS: usize = 1 << 20;

/// Returns the pairs of positions of a common subsequence of two rows with the largest total
/// weight, in order. `weight` is the weight of a pair of equal elements.
pub(super) fn heaviest<T: Eq + std::hash::Hash>(
    left: &[T],
    right: &[T],
    weight: impl Fn(usize, usize) -> u32,
) -> Vec<[u32; 2]> {
    if left.len().saturating_mul(right.len()) > MAX_TABLE_CELLS {
        return differences(left, right).pairs().collect();
    }
    heaviest_pairs((left.len(), right.len()), |i, j| {
        (left[i] == right[j]).then(|| weight(i, j))
    })
}

/// Returns the pairs of positions of two rows with the largest total weight, in order. `weight` is
/// the weight of a pair, or `None` if the two do not pair.
pub(in crate::merge) fn heaviest_pairs(
    (height, width): (usize, usize),
    weight: impl Fn(usize, usize) -> Option<u32>,
) -> Vec<[u32; 2]> {
    if height == 0 || width == 0 {
        return Vec::new();
    }
    let cell = |i: usize, j: usize| i * (width + 1) + j;
    let mut best = vec![0u32; (height + 1) * (width + 1)];
    for i in (0..height).rev() {
        for j in (0..width).rev() {
            let unpaired = best[cell(i + 1, j)].max(best[cell(i, j + 1)]);
            let paired = weight(i, j).map(|weight| weight + best[cell(i + 1, j + 1)]);
            best[cell(i, j)] = paired.map_or(unpaired, |paired| paired.max(unpaired));
        }
    }
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    while i < height && j < width {
        let paired = weight(i, j).map(|weight| weight + best[cell(i + 1, j + 1)]);
        if paired == Some(best[cell(i, j)]) {
            pairs.push([i, j].map(|at| at as u32));
            (i, j) = (i + 1, j + 1);
        } else if best[cell(i + 1, j)] >= best[cell(i, j + 1)] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Like [`heaviest`], but pairs the common beginning and the common end first, as `diff` does.
/// `belong` says whether two equal elements belong to the same thing: these are paired before others
/// of the same weight.
pub(in crate::merge) fn heaviest_between<T: Eq + std::hash::Hash>(
    left: &[T],
    right: &[T],
    weight: impl Fn(usize) -> u32,
    belong: impl Fn(usize, usize) -> bool,
) -> Vec<[u32; 2]> {
    let shorter = left.len().min(right.len());
    let is_same = |i: usize, j: usize| left[i] == right[j] && belong(i, j);
    let head = (0..shorter).take_while(|at| is_same(*at, *at)).count();
    let from_end = |at: usize| is_same(left.len() - 1 - at, right.len() - 1 - at);
    let tail = (0..shorter - head).take_while(|at| from_end(*at)).count();
    let (left_end, right_end) = (left.len() - tail, right.len() - tail);
    let between = heaviest(&left[head..left_end], &right[head..right_end], |i, j| {
        2 * weight(head + i) + u32::from(belong(head + i, head + j))
    });
    let first = (0..head as u32).map(|i| [i, i]);
    let middle = between
        .into_iter()
        .map(|pair| pair.map(|at| head as u32 + at));
    let last = (0..tail).map(|i| [left_end + i, right_end + i].map(|at| at as u32));
    let mut pairs: Vec<[u32; 2]> = first.chain(middle).chain(last).collect();
    slide_down(&mut pairs, (left, right), belong);
    pairs
}

/// Moves what only one row has as far down as possible: of repeated lines, the upper ones are
/// paired, unless only the lower ones belong together.
fn slide_down<T: PartialEq>(
    pairs: &mut [[u32; 2]],
    (left, right): (&[T], &[T]),
    belong: impl Fn(usize, usize) -> bool,
) {
    let belong = |i: u32, j: u32| belong(i as usize, j as usize);
    let (mut i, mut j) = (0, 0);
    for [n, m] in pairs {
        let may_move = belong(i, j) || !belong(*n, *m);
        // between this pair and the one before it there are only pieces of one row
        if *n == i && *m > j && right[j as usize] == right[*m as usize] && may_move {
            *m = j;
        } else if *m == j && *n > i && left[i as usize] == left[*n as usize] && may_move {
            *n = i;
        }
        (i, j) = (*n + 1, *m + 1);
    }
}

/// Returns the positions of a longest increasing subsequence of these numbers, which all differ.
pub(super) fn longest_increasing(numbers: &[u32]) -> Vec<u32> {
    // the last position of the best subsequence of each length; the predecessor of each position
    let mut ends: Vec<u32> = Vec::new();
    let mut before = Vec::with_capacity(numbers.len());
    for (at, number) in (0..).zip(numbers) {
        let length = ends.partition_point(|end| numbers[*end as usize] < *number);
        before.push(
            length
                .checked_sub(1)
                .map_or(u32::MAX, |shorter| ends[shorter]),
        );
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    // the subsequence replaces the ends, from the last one
    let mut next = ends.last().copied().unwrap_or_default();
    for end in ends.iter_mut().rev() {
        *end = next;
        next = before[next as usize];
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_row_is_common() {
        let (left, right) = (b"abcde", b"axcye");
        assert_eq!(heaviest(left, right, |_, _| 1), [[0, 0], [2, 2], [4, 4]]);
        // one heavy piece outweighs two light ones
        let heavy = |at: usize, _: usize| if at == 2 { 5 } else { 1 };
        assert_eq!(heaviest(b"abX", b"Xab", heavy), [[2, 0]]);
        // of two pieces alike it is the heavier one
        assert_eq!(heaviest(b"aba", b"a", heavy), [[2, 0]]);
        let between = |left, right| heaviest_between(left, right, |_| 1, |_, _| true);
        assert_eq!(between(b"aXb", b"ab"), [[0, 0], [2, 1]]);
        assert_eq!(between(b"aa", b"a"), [[0, 0]]);
        // of two frames of one kind the upper one is the old one
        let (old, new) = (b"#a#", b"x#a##b#");
        assert_eq!(between(old, new), [[0, 1], [1, 2], [2, 3]]);
        // the lower ones belong together
        let lower = |left, right, belong: [usize; 2]| {
            heaviest_between(
                left,
                right,
                |_| 1,
                |i, j| [i, j] == belong || left[i] != b'#',
            )
        };
        assert_eq!(lower(b"#a#b", b"#b", [2, 0]), [[2, 0], [3, 1]]);
        assert_eq!(lower(b"#b", b"#a#b", [0, 2]), [[0, 2], [1, 3]]);
    }

    #[test]
    fn the_longest_row_increases() {
        assert_eq!(longest_increasing(&[2, 0, 1, 3]), [1, 2, 3]);
        assert_eq!(longest_increasing(&[]), [0; 0]);
        assert_eq!(longest_increasing(&[3, 2, 1]).len(), 1);
    }
}
