//! Which elements of lists without an identity are the same in three lists.

use std::ops::Range;
use std::rc::Rc;

use similar::DiffOp;

use super::Walker;
use crate::merge::Elements;
use crate::merge::differences::differences;
use crate::triple::Triple;
use crate::yaml::{EntryId, Tree};

/// A part of three lists.
#[derive(Debug)]
pub(super) enum Stretch {
    /// One element that all three have: where it is.
    Element(Triple<usize>),
    /// What lies between two of those.
    Between(Triple<Range<usize>>),
}

impl Walker<'_> {
    /// Cuts three lists into elements that all of them have and what lies between. `values` are the elements'
    /// fingerprints.
    pub(super) fn stretches(
        &self,
        elements: &Triple<Vec<EntryId>>,
        values: &Triple<Rc<[u64]>>,
    ) -> Vec<Stretch> {
        let trees = self.trees;
        let original = (trees.original, &*elements.original, &*values.original);
        let in_updated = self.found_in(
            original,
            (trees.updated, &elements.updated, &values.updated),
        );
        let in_local = self.found_in(original, (trees.local, &elements.local, &values.local));
        let mut stretches = Vec::new();
        let mut start = Triple::new(0, 0, 0);
        for original in 0..values.original.len() {
            let (Some(updated), Some(local)) = (in_updated[original], in_local[original]) else {
                continue;
            };
            let at = Triple::new(original, updated, local);
            push_between(&mut stretches, start, at);
            stretches.push(Stretch::Element(at));
            start = at.map(|index| index + 1);
        }
        push_between(
            &mut stretches,
            start,
            values.as_ref().map(|values| values.len()),
        );
        stretches
    }

    /// For each element of the first list, where it is in the second: where its value is, and where elements are paired by
    /// likeness, also where one like it stands between the same neighbours.
    fn found_in(
        &self,
        (old_tree, old, old_values): (&Tree<'_>, &[EntryId], &[u64]),
        (new_tree, new, new_values): (&Tree<'_>, &[EntryId], &[u64]),
    ) -> Vec<Option<usize>> {
        let mut found = vec![None; old.len()];
        for operation in differences(old_values, new_values) {
            let (olds, news) = (operation.old_range(), operation.new_range());
            if let DiffOp::Equal { .. } = operation {
                for (old, new) in olds.zip(news) {
                    found[old] = Some(new);
                }
            } else if self.options.elements == Elements::Alike {
                let mut next = news.start;
                for index in olds {
                    let alike = (next..news.end).find(|other| {
                        self.are_alike((old_tree, old[index]), (new_tree, new[*other]))
                    });
                    if let Some(other) = alike {
                        found[index] = Some(other);
                        next = other + 1;
                    }
                }
            }
        }
        found
    }
}

fn push_between(stretches: &mut Vec<Stretch>, start: Triple<usize>, end: Triple<usize>) {
    let ranges = start.zip(end).map(|(start, end)| start..end);
    let is_empty = ranges
        .as_ref()
        .into_array()
        .into_iter()
        .all(Range::is_empty);
    if !is_empty {
        stretches.push(Stretch::Between(ranges));
    }
}
