//! Lists that are sorted: of what both sides inserted at one place, the order says what comes first
//! (rules: Lists without a key).

use std::ops::Range;

use super::index::{key_of, scalar_key};
use super::inserted::Lists;
use super::{Shape, Walker, entries_of, shape};
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, ScalarType, Tree};

/// A list of fewer elements is in order by chance.
const FEWEST: usize = 5;

/// By what an element is sorted: a scalar, or the key and value of a map's first field.
type Rank<'t> = (&'t str, &'t str);

impl Walker<'_> {
    /// Whose elements come first, where both sides inserted some at one place of a sorted list.
    /// `None` if it is not sorted, or if they do not follow each other in its order.
    pub(super) fn first_in_order(
        &self,
        lists: &Lists<'_>,
        place: &Triple<Range<usize>>,
    ) -> Option<Side> {
        if !place.original.is_empty() || place.updated.is_empty() || place.local.is_empty() {
            return None;
        }
        let elements = lists.elements.as_ref();
        let is_sorted = || is_sorted(self.trees.original, elements.original);
        if !*lists.is_sorted.get_or_init(is_sorted) {
            return None;
        }
        let ranks = |side: Side| -> Option<Vec<Rank<'_>>> {
            let inserted = elements[side][place[side].clone()].iter();
            inserted.map(|it| rank(self.trees[side], *it)).collect()
        };
        let (updated, local) = (ranks(Side::Updated)?, ranks(Side::Local)?);
        let at = place.original.start;
        let (above, below) = elements.original.split_at(at);
        let neighbour = |it: Option<&EntryId>| -> Vec<Rank<'_>> {
            let rank = it.and_then(|it| rank(self.trees.original, *it));
            rank.into_iter().collect()
        };
        let (above, below) = (neighbour(above.last()), neighbour(below.first()));
        let follow = |first: &[Rank<'_>], second: &[Rank<'_>]| {
            let mut rest = [&above[..], first, second, &below[..]].into_iter();
            let mut last = rest.next().and_then(|row| row.iter().max());
            rest.all(|row| {
                let is_behind = row.iter().min().is_none_or(|least| last < Some(least));
                last = row.iter().max().or(last);
                is_behind
            })
        };
        if follow(&updated, &local) {
            Some(Side::Updated)
        } else {
            follow(&local, &updated).then_some(Side::Local)
        }
    }
}

/// Whether at least nine of ten neighbours in a list are in order.
fn is_sorted(tree: &Tree<'_>, list: &[EntryId]) -> bool {
    let ranks: Option<Vec<Rank<'_>>> = list.iter().map(|it| rank(tree, *it)).collect();
    ranks.is_some_and(|ranks| {
        let wrong = ranks.windows(2).filter(|pair| pair[0] >= pair[1]).count();
        ranks.len() >= FEWEST && wrong * 10 < ranks.len()
    })
}

fn rank<'t>(tree: &'t Tree<'_>, element: EntryId) -> Option<Rank<'t>> {
    let value = tree.entry(element).value;
    let field = match shape(tree, value) {
        Shape::Map => entries_of(tree, value).next(),
        Shape::List => return None,
        Shape::Scalar => None,
    };
    let (key, value) = match field {
        Some(field) => (key_of(tree, field)?.1, tree.entry(field).value),
        None => ("", value),
    };
    let (scalar_type, text) = scalar_key(tree, value)?;
    (scalar_type != ScalarType::Null).then_some((key, text))
}
