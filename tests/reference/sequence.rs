//! Merges lists that no key identifies, element by element (rules: Lists without a key).

use std::ops::Range;

use super::Merger;
use super::likeness::{add_alike, common_leaves, likeness, makes_equal_move};
use super::settled::{
    is_inserted_by_both, is_moved_and_deleted, is_skipped, pair_by_name, pair_common_renames,
};
use super::sorted::upstream_sorts_first;
use crate::value::{Value, distinct};
use merge3::triple::Triple;

/// For each element of the original, its index in the list of a side.
pub(super) type Partners = Vec<Option<usize>>;

/// A change of one side: the range of the original that it replaced, and the range of its own
/// elements there.
type Hunk = (Range<usize>, Range<usize>);

impl Merger<'_> {
    /// Returns the merged list, or None if the list is merged as one value: if local did not change
    /// it, or the rules have no single answer.
    pub(super) fn sequence(&mut self, at: &str, lists: Triple<&[Value]>) -> Option<Value> {
        let Triple {
            original: o,
            updated: u,
            local: l,
        } = lists;
        let is_scalar = |value: &Value| matches!(value, Value::Null | Value::Scalar { .. });
        let is_replaced = o.len() > 1
            && !l.is_empty()
            && o.iter().chain(l).all(is_scalar)
            && !l.iter().any(|it| o.contains(it));
        let inserts = u.iter().any(|it| !o.contains(it) && !l.contains(it));
        if o == l || is_replaced && inserts {
            return None;
        }
        let mut in_updated = same_values(o, u);
        let moved = |partners: &Partners| !partners.iter().flatten().is_sorted();
        self.outcome.repeats |= ![o, u, l].into_iter().all(distinct);
        let alike = |i: usize, j: usize, least: usize| likeness(&o[i], &u[j], least, true);
        if self.outcome.repeats
            || moved(&in_updated)
            || makes_equal_move(&in_updated, u.len(), |_| true, alike)
        {
            self.outcome.ambiguous = true;
            return None;
        }
        add_alike(&mut in_updated, u.len(), |_| true, alike);
        // local may already have an element as upstream changed it: it then pairs by its old value
        let changed = |value: &Value| {
            let is_new =
                |i: &usize| in_updated[*i].is_some_and(|j| u[j] == *value && u[j] != o[*i]);
            let before = (0..o.len()).find(is_new).map(|i| &o[i]);
            before.filter(|it| !l.contains(it) && !o.contains(value))
        };
        let before: Vec<Value> = l
            .iter()
            .map(|it| changed(it).unwrap_or(it).clone())
            .collect();
        let mut in_local = same_values(o, &before);
        let is_new = |j: usize, k: usize| !in_updated.contains(&Some(j)) && u[j] == l[k];
        let is_only_local = |k: usize| !(0..u.len()).any(|j| is_new(j, k));
        // whether upstream has the element at this index of the original
        let stays = |i: usize| in_updated.get(i).is_none_or(Option::is_some);
        let alike = |i: usize, k: usize, least: usize| {
            let least = match (i == 0 || stays(i - 1)) && stays(i + 1) {
                true => least,
                false => 500,
            };
            let now = in_updated[i].filter(|j| u[*j] != o[i]);
            let after = now.and_then(|j| likeness(&u[j], &l[k], least, in_updated[i].is_some()));
            let in_common = likeness(&o[i], &l[k], least, in_updated[i].is_some()).max(after);
            // an element that upstream removed only pairs if it has half in common, and more if
            // that is one of several scalars
            let leaves = common_leaves(&o[i], &l[k]);
            let is_whole = leaves == common_leaves(&o[i], &o[i]);
            let least = 500 + usize::from(leaves < 2 && !is_whole);
            in_common.filter(|it| in_updated[i].is_some() || *it >= least)
        };
        if moved(&in_local) || makes_equal_move(&in_local, l.len(), is_only_local, alike) {
            self.outcome.ambiguous = true;
            return None;
        }
        add_alike(&mut in_local, l.len(), is_only_local, alike);
        pair_common_renames(lists, &mut in_updated, &mut in_local);
        let is_unmoved = |partners: &Partners, len: usize| {
            partners.len() == len
                && (0..len).all(|i| partners[i].is_none_or(|partner| partner == i))
        };
        // no side inserted or removed elements, and no element of upstream's is at another index in
        // local
        let is_in_place = |(j, value): (usize, &Value)| {
            in_updated.contains(&Some(j))
                || l.iter()
                    .position(|element| element == value)
                    .is_none_or(|k| k == j)
        };
        if is_unmoved(&in_updated, u.len())
            && is_unmoved(&in_local, l.len())
            && u.iter().enumerate().all(is_in_place)
        {
            let kinds = |list: &[Value]| list.iter().map(kind).collect::<Vec<_>>();
            let same = kinds(o) == kinds(u) && kinds(o) == kinds(l);
            let is_replaced =
                |i: usize| have_disjoint_keys(&o[i], &l[i]) && have_disjoint_keys(&u[i], &l[i]);
            for i in (0..o.len()).filter(|i| same && kind(&o[*i]) > 0 && !is_replaced(*i)) {
                (in_updated[i], in_local[i]) = (Some(i), Some(i));
            }
        }
        let (mut result, mut from) = (Vec::new(), [0; 3]);
        for i in 0..=o.len() {
            let (j, k) = match (in_updated.get(i), in_local.get(i)) {
                (Some(Some(j)), Some(Some(k))) => (*j, *k),
                (None, None) => (u.len(), l.len()),
                _ => continue,
            };
            let part = Triple::new(from[0]..i, from[1]..j, from[2]..k);
            self.merge_between(at, lists, (&in_updated, &in_local), part, &mut result);
            if i < o.len() {
                let sides = Triple::new(Some(&o[i]), Some(&u[j]), Some(&l[k]));
                result.extend(self.node(&format!("{at}[{k}]"), sides));
            }
            from = [i + 1, j + 1, k + 1];
        }
        Some(Value::List(result))
    }

    /// Merges the elements between two elements that all three lists have.
    fn merge_between(
        &mut self,
        at: &str,
        lists: Triple<&[Value]>,
        (in_updated, in_local): (&Partners, &Partners),
        part: Triple<Range<usize>>,
        result: &mut Vec<Value>,
    ) {
        let [o, u, l] = [
            &lists.original[part.original.clone()],
            &lists.updated[part.updated.clone()],
            &lists.local[part.local.clone()],
        ];
        let pairs_by_name = pair_by_name(lists, (in_updated, in_local));
        let is_inserted = |value: &&Value| {
            let is_both = |pair: &(usize, usize)| &lists.updated[pair.0] == *value;
            !is_skipped(lists, (in_updated, in_local), value) && !pairs_by_name.iter().any(is_both)
        };
        if u == l {
            return result.extend(l.iter().cloned());
        } else if o == u {
            return self.add_local_elements(at, lists, (in_updated, in_local), part.local, result);
        } else if o == l {
            if !has_inserted(lists.local, in_local, &u.iter().collect::<Vec<_>>()) {
                result.extend(u.iter().filter(is_inserted).cloned());
            }
            return;
        }
        let updated = hunks(in_updated, &part.original, &part.updated);
        let local = hunks(in_local, &part.original, &part.local);
        let mut cuts: Vec<Range<usize>> = Vec::new();
        let mut all: Vec<&Range<usize>> =
            updated.iter().chain(&local).map(|hunk| &hunk.0).collect();
        all.sort_by_key(|old_range| (old_range.start, old_range.end));
        for old_range in all {
            match cuts.last_mut() {
                Some(cut) if old_range.start < cut.end || old_range == cut => {
                    cut.end = cut.end.max(old_range.end)
                }
                _ => cuts.push(old_range.clone()),
            }
        }
        let (mut j, mut k) = (part.updated.start, part.local.start);
        for cut in cuts {
            let reach = |hunks: &[Hunk], partners: &Partners, start: usize| {
                let inside = |hunk: &&Hunk| match cut.is_empty() || !hunk.0.is_empty() {
                    true => {
                        cut.start <= hunk.0.start
                            && hunk.0.end <= cut.end
                            && cut.is_empty() == hunk.0.is_empty()
                    }
                    false => cut.start < hunk.0.start && hunk.0.end < cut.end,
                };
                let ends = hunks.iter().filter(inside).map(|hunk| hunk.1.end);
                let kept = cut.clone().filter_map(|i| partners[i]).map(|p| p + 1);
                ends.chain(kept).max().unwrap_or(start)
            };
            let (to_j, to_k) = (reach(&updated, in_updated, j), reach(&local, in_local, k));
            let region = Triple::new(cut.clone(), j..to_j, k..to_k);
            let inside = |hunk: &&Hunk| {
                region.updated.start <= hunk.1.start
                    && hunk.1.end <= region.updated.end
                    && cut.start <= hunk.0.start
                    && hunk.0.end <= cut.end
            };
            let upstream_hunks: Vec<&Hunk> = updated.iter().filter(inside).collect();
            self.merge_region(
                at,
                lists,
                (in_updated, in_local),
                (region, &upstream_hunks),
                result,
            );
            (j, k) = (to_j, to_k);
        }
    }

    /// Adds the elements that local has in a region that upstream did not change.
    fn add_local_elements(
        &mut self,
        at: &str,
        lists: Triple<&[Value]>,
        (in_updated, in_local): (&Partners, &Partners),
        part: Range<usize>,
        result: &mut Vec<Value>,
    ) {
        let pairs_by_name = pair_by_name(lists, (in_updated, in_local));
        for k in part {
            let element = &lists.local[k];
            if let Some((j, _)) = pairs_by_name.iter().find(|pair| pair.1 == k) {
                let sides = Triple::new(None, Some(&lists.updated[*j]), Some(element));
                result.extend(self.node(&format!("{at}[{k}]"), sides));
            } else if !is_moved_and_deleted(lists, (in_updated, in_local), element) {
                result.push(element.clone());
            }
        }
    }

    /// Merges a region that one side or both sides changed.
    fn merge_region(
        &mut self,
        at: &str,
        lists: Triple<&[Value]>,
        (in_updated, in_local): (&Partners, &Partners),
        (region, upstream_hunks): (Triple<Range<usize>>, &[&Hunk]),
        result: &mut Vec<Value>,
    ) {
        let Triple {
            original: o,
            updated: u,
            local: l,
        } = lists;
        let before = |partners: &Partners, at: usize| partners.iter().position(|p| *p == Some(at));
        let new_in_updated: Vec<usize> = region
            .updated
            .clone()
            .filter(|j| before(in_updated, *j).is_none())
            .collect();
        let new_in_local: Vec<usize> = region
            .local
            .clone()
            .filter(|k| before(in_local, *k).is_none())
            .collect();
        let partner = |k: &usize| new_in_updated.iter().copied().find(|j| u[*j] == l[*k]);
        let equal_pairs: Vec<(usize, usize)> = new_in_local
            .iter()
            .filter_map(|k| Some((partner(k)?, *k)))
            .collect();
        if !equal_pairs.iter().map(|pair| pair.0).is_sorted() {
            self.outcome.ambiguous = true;
        }
        let has_equal = |j: usize| equal_pairs.iter().any(|pair| pair.0 == j);
        let pairs_by_name = pair_by_name(lists, (in_updated, in_local));
        let is_inserted = |j: usize| {
            let is_both = pairs_by_name.iter().any(|pair| pair.0 == j);
            !has_equal(j) && !is_both && !is_skipped(lists, (in_updated, in_local), &u[j])
        };
        let remaining = new_in_updated
            .iter()
            .filter(|j| is_inserted(**j))
            .map(|j| &u[*j]);
        let remaining: Vec<&Value> = remaining.collect();
        let is_already_inserted = has_inserted(l, in_local, &remaining);
        // whether upstream put the element in the place of elements that local replaced, too
        let replaces_changed = |j: usize| {
            let hunk = upstream_hunks
                .iter()
                .find(|(_, new_range)| new_range.contains(&j));
            hunk.is_some_and(|(old_range, new_range)| {
                let removed = old_range.clone().filter(|i| in_local[*i].is_none()).count();
                removed > new_range.clone().filter(|j| !is_inserted(*j)).count()
            })
        };
        let is_contested = !is_already_inserted
            && new_in_updated
                .iter()
                .any(|j| is_inserted(*j) && replaces_changed(*j));
        let is_one = |range: &Range<usize>| range.len() == 1;
        if is_contested && region.as_ref().into_array().into_iter().all(is_one) {
            let at_place = region.as_ref().map(|range| range.start);
            let sides = Triple::new(
                &o[at_place.original],
                &u[at_place.updated],
                &l[at_place.local],
            );
            let partners = (in_updated, in_local);
            let is_elsewhere = is_inserted_by_both(lists, partners, sides.local)
                || is_moved_and_deleted(lists, partners, sides.local);
            let all = sides.into_array();
            let are_scalars = all.iter().all(|value| value.scalar().is_some());
            let are_maps = all.iter().all(|value| matches!(value, Value::Map(_)));
            let are_alike = || likeness(sides.updated, sides.local, 500, true).is_some();
            if !is_elsewhere && (are_scalars || are_maps && are_alike()) {
                let path = format!("{at}[{}]", at_place.local);
                return result.extend(self.node(&path, sides.map(Some)));
            }
        }
        let (insert_updated, keep_local) = match is_contested {
            true => (
                self.settle(at, false, true, false),
                self.settings.local_wins,
            ),
            false => (true, true),
        };
        let insert_upstream = |merger: &mut Self, range: Range<usize>, result: &mut Vec<Value>| {
            for j in range {
                match before(in_updated, j) {
                    Some(i) if o[i] != u[j] => {
                        let path = format!("{at}[{j}]");
                        result.extend(merger.settle(&path, false, Some(u[j].clone()), None));
                    }
                    None if is_inserted(j)
                        && (if is_contested && replaces_changed(j) {
                            insert_updated
                        } else {
                            !is_already_inserted
                        }) =>
                    {
                        result.push(u[j].clone())
                    }
                    _ => {}
                }
            }
        };
        let mut next = region.updated.start;
        if equal_pairs.is_empty() && upstream_sorts_first(lists, &region) {
            insert_upstream(self, next..region.updated.end, result);
            next = region.updated.end;
        }
        for k in region.local.clone() {
            if let Some((j, _)) = equal_pairs.iter().find(|pair| pair.1 == k) {
                if next <= *j {
                    insert_upstream(self, next..*j, result);
                    next = j + 1;
                }
                result.push(l[k].clone());
            } else if let Some((j, _)) = pairs_by_name.iter().find(|pair| pair.1 == k) {
                if (next..region.updated.end).contains(j) {
                    insert_upstream(self, next..*j, result);
                    next = j + 1;
                }
                let sides = Triple::new(None, Some(&u[*j]), Some(&l[k]));
                result.extend(self.node(&format!("{at}[{k}]"), sides));
            } else if let Some(i) = before(in_local, k) {
                if o[i] != l[k] {
                    let path = format!("{at}[{k}]");
                    result.extend(self.settle(&path, false, None, Some(l[k].clone())));
                }
            } else if (keep_local || is_inserted_by_both(lists, (in_updated, in_local), &l[k]))
                && !is_moved_and_deleted(lists, (in_updated, in_local), &l[k])
            {
                result.push(l[k].clone());
            }
        }
        insert_upstream(self, next..region.updated.end, result);
    }
}

/// Whether local inserted the wanted elements in this order, with no element of the original
/// between them.
fn has_inserted(l: &[Value], in_local: &Partners, wanted: &[&Value]) -> bool {
    let mut runs = vec![Vec::new()];
    for (k, value) in l.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if !in_local.contains(&Some(k)) => run.push(value),
            _ => runs.push(Vec::new()),
        }
    }
    runs.iter().any(|run| {
        let mut run = run.iter();
        wanted.iter().all(|value| run.any(|other| other == value))
    })
}

fn same_values(original: &[Value], side: &[Value]) -> Partners {
    let partner = |old: &Value| side.iter().position(|new| new == old);
    original.iter().map(partner).collect()
}

/// Returns true for two maps with keys of which none is the same.
fn have_disjoint_keys(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Map(one), Value::Map(other)) => {
            let is_new = |key| !other.iter().any(|it| &it.0 == key);
            !one.is_empty() && !other.is_empty() && one.iter().all(|it| is_new(&it.0))
        }
        _ => false,
    }
}

/// Distinguishes maps, lists and all other values.
const fn kind(value: &Value) -> u8 {
    match value {
        Value::Map(_) => 2,
        Value::List(_) => 1,
        _ => 0,
    }
}

/// Returns the changes of one side. If a side put as many elements in as it took out, each one
/// replaces the element at the same position.
fn hunks(partners: &Partners, old_range: &Range<usize>, new_range: &Range<usize>) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut i, mut j) = (old_range.start, new_range.start);
    let kept = old_range
        .clone()
        .filter_map(|old| Some((old, partners[old]?)));
    for (to, to_j) in kept.chain([(old_range.end, new_range.end)]) {
        match to - i == to_j - j {
            true => hunks.extend((0..to - i).map(|n| (i + n..i + n + 1, j + n..j + n + 1))),
            false => hunks.push((i..to, j..to_j)),
        }
        (i, j) = (to + 1, to_j + 1);
    }
    hunks
}
