//! Lists that no key identifies, merged element by element (rules: Lists without a key).

use std::ops::Range;

use super::Merger;
use super::likeness::{add_alike, likeness};
use super::settled::{is_moved_and_deleted, is_settled, is_there_too, namesakes};
use super::sorted::is_theirs_first;
use crate::value::{Value, distinct};
use merge3::triple::Triple;

/// Where each element of the original is on a side.
pub(super) type Partners = Vec<Option<usize>>;

/// What one side put in the place of elements of the original.
type Hunk = (Range<usize>, Range<usize>);

impl Merger<'_> {
    /// The merged list; none where it is one value: where local left it alone, or where the rules
    /// have no single answer.
    pub(super) fn sequence(&mut self, at: &str, lists: Triple<&[Value]>) -> Option<Value> {
        let Triple {
            original: o,
            updated: u,
            local: d,
        } = lists;
        let is_scalar = |value: &Value| matches!(value, Value::Null | Value::Scalar { .. });
        let is_replaced = o.len() > 1
            && !d.is_empty()
            && o.iter().chain(d).all(is_scalar)
            && !d.iter().any(|it| o.contains(it));
        let inserts = u.iter().any(|it| !o.contains(it) && !d.contains(it));
        if o == d || is_replaced && inserts {
            return None;
        }
        let mut in_u = same_values(o, u);
        let moved = |partners: &Partners| !partners.iter().flatten().is_sorted();
        self.outcome.repeats |= ![o, u, d].into_iter().all(distinct);
        if self.outcome.repeats || moved(&in_u) {
            self.outcome.ambiguous = true;
            return None;
        }
        add_alike(
            &mut in_u,
            u.len(),
            |_| true,
            |i, j, least| likeness(&o[i], &u[j], least, true),
        );
        // what upstream changed may be changed here already
        let changed = |value: &Value| {
            let is_new = |i: &usize| in_u[*i].is_some_and(|j| u[j] == *value && u[j] != o[*i]);
            let before = (0..o.len()).find(is_new).map(|i| &o[i]);
            before.filter(|it| !d.contains(it) && !o.contains(value))
        };
        let before: Vec<Value> = d
            .iter()
            .map(|it| changed(it).unwrap_or(it).clone())
            .collect();
        let mut in_d = same_values(o, &before);
        if moved(&in_d) {
            self.outcome.ambiguous = true;
            return None;
        }
        let is_new = |j: usize, k: usize| !in_u.contains(&Some(j)) && u[j] == d[k];
        let is_own = |k: usize| !(0..u.len()).any(|j| is_new(j, k));
        add_alike(&mut in_d, d.len(), is_own, |i, k, least| {
            let now = in_u[i].filter(|j| u[*j] != o[i]);
            let after = now.and_then(|j| likeness(&u[j], &d[k], least, in_u[i].is_some()));
            let both = likeness(&o[i], &d[k], least, in_u[i].is_some()).max(after);
            // of what upstream removed, nothing is brought that is less alike
            both.filter(|both| in_u[i].is_some() || *both >= 500)
        });
        let still = |partners: &Partners, len: usize| {
            partners.len() == len
                && (0..len).all(|i| partners[i].is_none_or(|partner| partner == i))
        };
        // nothing came or went, nor is anything of upstream's at another place of local's
        let apart = |(j, value): (usize, &Value)| {
            in_u.contains(&Some(j)) || d.iter().position(|own| own == value).is_none_or(|k| k == j)
        };
        if still(&in_u, u.len()) && still(&in_d, d.len()) && u.iter().enumerate().all(apart) {
            let kinds = |list: &[Value]| list.iter().map(kind).collect::<Vec<_>>();
            let same = kinds(o) == kinds(u) && kinds(o) == kinds(d);
            for i in (0..o.len()).filter(|i| same && kind(&o[*i]) > 0) {
                (in_u[i], in_d[i]) = (Some(i), Some(i));
            }
        }
        let (mut result, mut from) = (Vec::new(), [0; 3]);
        for i in 0..=o.len() {
            let (j, k) = match (in_u.get(i), in_d.get(i)) {
                (Some(Some(j)), Some(Some(k))) => (*j, *k),
                (None, None) => (u.len(), d.len()),
                _ => continue,
            };
            let part = Triple::new(from[0]..i, from[1]..j, from[2]..k);
            self.part(at, lists, (&in_u, &in_d), part, &mut result);
            if i < o.len() {
                let sides = Triple::new(Some(&o[i]), Some(&u[j]), Some(&d[k]));
                result.extend(self.node(&format!("{at}[{k}]"), sides));
            }
            from = [i + 1, j + 1, k + 1];
        }
        Some(Value::List(result))
    }

    /// What lies between two elements that all three have.
    fn part(
        &mut self,
        at: &str,
        lists: Triple<&[Value]>,
        (in_u, in_d): (&Partners, &Partners),
        part: Triple<Range<usize>>,
        result: &mut Vec<Value>,
    ) {
        let [o, u, d] = [
            &lists.original[part.original.clone()],
            &lists.updated[part.updated.clone()],
            &lists.local[part.local.clone()],
        ];
        let both = namesakes(lists, (in_u, in_d));
        let comes = |value: &&Value| {
            let is_both = |pair: &(usize, usize)| &lists.updated[pair.0] == *value;
            !is_settled(lists, (in_u, in_d), value) && !both.iter().any(is_both)
        };
        if u == d {
            return result.extend(d.iter().cloned());
        } else if o == u {
            return self.own_elements(at, lists, (in_u, in_d), part.local, result);
        } else if o == d {
            if !has_inserted(lists.local, in_d, &u.iter().collect::<Vec<_>>()) {
                result.extend(u.iter().filter(comes).cloned());
            }
            return;
        }
        let updated = hunks(in_u, &part.original, &part.updated);
        let local = hunks(in_d, &part.original, &part.local);
        let mut cuts: Vec<Range<usize>> = Vec::new();
        let mut all: Vec<&Range<usize>> =
            updated.iter().chain(&local).map(|hunk| &hunk.0).collect();
        all.sort_by_key(|olds| (olds.start, olds.end));
        for olds in all {
            match cuts.last_mut() {
                Some(cut) if olds.start < cut.end || olds == cut => cut.end = cut.end.max(olds.end),
                _ => cuts.push(olds.clone()),
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
            let (to_j, to_k) = (reach(&updated, in_u, j), reach(&local, in_d, k));
            let place = Triple::new(cut.clone(), j..to_j, k..to_k);
            let inside = |hunk: &&Hunk| {
                place.updated.start <= hunk.1.start
                    && hunk.1.end <= place.updated.end
                    && cut.start <= hunk.0.start
                    && hunk.0.end <= cut.end
            };
            let theirs: Vec<&Hunk> = updated.iter().filter(inside).collect();
            self.place(at, lists, (in_u, in_d), (place, &theirs), result);
            (j, k) = (to_j, to_k);
        }
    }

    /// What local put at a place that upstream left alone.
    fn own_elements(
        &mut self,
        at: &str,
        lists: Triple<&[Value]>,
        (in_u, in_d): (&Partners, &Partners),
        part: Range<usize>,
        result: &mut Vec<Value>,
    ) {
        let both = namesakes(lists, (in_u, in_d));
        for k in part {
            let own = &lists.local[k];
            if let Some((j, _)) = both.iter().find(|pair| pair.1 == k) {
                let sides = Triple::new(None, Some(&lists.updated[*j]), Some(own));
                result.extend(self.node(&format!("{at}[{k}]"), sides));
            } else if !is_moved_and_deleted(lists, (in_u, in_d), own) {
                result.push(own.clone());
            }
        }
    }

    /// One place that one side changed, or both.
    fn place(
        &mut self,
        at: &str,
        lists: Triple<&[Value]>,
        (in_u, in_d): (&Partners, &Partners),
        (place, theirs): (Triple<Range<usize>>, &[&Hunk]),
        result: &mut Vec<Value>,
    ) {
        let Triple {
            original: o,
            updated: u,
            local: d,
        } = lists;
        let before = |partners: &Partners, at: usize| partners.iter().position(|p| *p == Some(at));
        let new_u: Vec<usize> = place
            .updated
            .clone()
            .filter(|j| before(in_u, *j).is_none())
            .collect();
        let new_d: Vec<usize> = place
            .local
            .clone()
            .filter(|k| before(in_d, *k).is_none())
            .collect();
        let partner = |k: &usize| new_u.iter().copied().find(|j| u[*j] == d[*k]);
        let shared: Vec<(usize, usize)> = new_d
            .iter()
            .filter_map(|k| Some((partner(k)?, *k)))
            .collect();
        if !shared.iter().map(|pair| pair.0).is_sorted() {
            self.outcome.ambiguous = true;
        }
        let is_shared_u = |j: usize| shared.iter().any(|pair| pair.0 == j);
        let both = namesakes(lists, (in_u, in_d));
        let comes = |j: usize| {
            let is_both = both.iter().any(|pair| pair.0 == j);
            !is_shared_u(j) && !is_both && !is_settled(lists, (in_u, in_d), &u[j])
        };
        let rest_u = new_u.iter().filter(|j| comes(**j)).map(|j| &u[*j]);
        let rest_u: Vec<&Value> = rest_u.collect();
        let there = has_inserted(d, in_d, &rest_u);
        // what stands for elements that local replaced too
        let disputed = |j: usize| {
            let hunk = theirs.iter().find(|(_, news)| news.contains(&j));
            hunk.is_some_and(|(olds, news)| {
                let gone = olds.clone().filter(|i| in_d[*i].is_none()).count();
                gone > news.clone().filter(|j| !comes(*j)).count()
            })
        };
        let apart = !there && new_u.iter().any(|j| comes(*j) && disputed(*j));
        let is_one = |range: &Range<usize>| range.len() == 1;
        if apart && place.as_ref().into_array().into_iter().all(is_one) {
            let at_place = place.as_ref().map(|range| range.start);
            let sides = Triple::new(
                &o[at_place.original],
                &u[at_place.updated],
                &d[at_place.local],
            );
            if sides
                .into_array()
                .into_iter()
                .all(|value| value.scalar().is_some())
            {
                let path = format!("{at}[{}]", at_place.local);
                return result.extend(self.node(&path, sides.map(Some)));
            }
        }
        let (u_comes, d_stays) = match apart {
            true => (
                self.settle(at, false, true, false),
                self.settings.local_wins,
            ),
            false => (true, true),
        };
        let bring = |merger: &mut Self, range: Range<usize>, result: &mut Vec<Value>| {
            for j in range {
                match before(in_u, j) {
                    Some(i) if o[i] != u[j] => {
                        let path = format!("{at}[{j}]");
                        result.extend(merger.settle(&path, false, Some(u[j].clone()), None));
                    }
                    None if comes(j)
                        && (if apart && disputed(j) {
                            u_comes
                        } else {
                            !there
                        }) =>
                    {
                        result.push(u[j].clone())
                    }
                    _ => {}
                }
            }
        };
        let mut next = place.updated.start;
        if shared.is_empty() && is_theirs_first(lists, &place) {
            bring(self, next..place.updated.end, result);
            next = place.updated.end;
        }
        for k in place.local.clone() {
            if let Some((j, _)) = shared.iter().find(|pair| pair.1 == k) {
                if next <= *j {
                    bring(self, next..*j, result);
                    next = j + 1;
                }
                result.push(d[k].clone());
            } else if let Some((j, _)) = both.iter().find(|pair| pair.1 == k) {
                if (next..place.updated.end).contains(j) {
                    bring(self, next..*j, result);
                    next = j + 1;
                }
                let sides = Triple::new(None, Some(&u[*j]), Some(&d[k]));
                result.extend(self.node(&format!("{at}[{k}]"), sides));
            } else if let Some(i) = before(in_d, k) {
                if o[i] != d[k] {
                    let path = format!("{at}[{k}]");
                    result.extend(self.settle(&path, false, None, Some(d[k].clone())));
                }
            } else if (d_stays || is_there_too(lists, (in_u, in_d), &d[k]))
                && !is_moved_and_deleted(lists, (in_u, in_d), &d[k])
            {
                result.push(d[k].clone());
            }
        }
        bring(self, next..place.updated.end, result);
    }
}

/// Whether local inserted these between two elements that were there before, in this order.
fn has_inserted(d: &[Value], in_d: &Partners, wanted: &[&Value]) -> bool {
    let mut runs = vec![Vec::new()];
    for (k, value) in d.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if !in_d.contains(&Some(k)) => run.push(value),
            _ => runs.push(Vec::new()),
        }
    }
    runs.iter().any(|run| {
        let mut run = run.iter();
        wanted.iter().all(|value| run.any(|other| other == value))
    })
}

fn same_values(olds: &[Value], news: &[Value]) -> Partners {
    let partner = |old: &Value| news.iter().position(|new| new == old);
    olds.iter().map(partner).collect()
}

/// Map, list, or neither.
const fn kind(value: &Value) -> u8 {
    match value {
        Value::Map(_) => 2,
        Value::List(_) => 1,
        _ => 0,
    }
}

/// What a side did. Where it put as many elements there as it took away, each is in the place of
/// one.
fn hunks(partners: &Partners, olds: &Range<usize>, news: &Range<usize>) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut i, mut j) = (olds.start, news.start);
    let kept = olds.clone().filter_map(|old| Some((old, partners[old]?)));
    for (to, to_j) in kept.chain([(olds.end, news.end)]) {
        match to - i == to_j - j {
            true => hunks.extend((0..to - i).map(|n| (i + n..i + n + 1, j + n..j + n + 1))),
            false => hunks.push((i..to, j..to_j)),
        }
        (i, j) = (to + 1, to_j + 1);
    }
    hunks
}
