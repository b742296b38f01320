//! Finds the entries of a collection that a side gave another key (rules: Renamed keys).

use super::likeness::{is_mostly, is_mostly_by_fields, is_same_but_for};
use crate::value::Value;
use merge3::triple::Triple;
use std::mem::{Discriminant, discriminant};

/// An entry with its name: the key of a field, or the identity of an element.
pub type Named<'v, K> = (K, &'v Value);
type Row<'r, 'v, K> = &'r [Named<'v, K>];

/// The entries that one side renamed.
pub struct Renames<K> {
    /// The old and the new name of those that the other side has too.
    pub common: Vec<(K, K)>,
    /// The new names of those that updated renamed and local deleted.
    pub deleted_locally: Vec<K>,
    /// The new names of those that local renamed and updated deleted.
    pub deleted_upstream: Vec<K>,
}

/// Returns every entry that one side renamed. `fields` is the number of fields in the identity of an
/// element, 0 for maps.
pub fn renames<K: PartialEq + Clone>(rows: Triple<&[Named<'_, K>]>, fields: usize) -> Renames<K> {
    let Triple {
        original,
        updated,
        local,
    } = rows;
    let upstream_renames = by_side(
        (original, original, updated),
        (|_| None, |_, _| false),
        fields,
    );
    let changed = |old: &K| value_of(updated, old);
    let has_both =
        |old: &K, new: &K| value_of(updated, old).is_some() && value_of(updated, new).is_some();
    let mut local_renames = by_side((original, original, local), (changed, has_both), fields);
    let in_order = updated
        .iter()
        .filter_map(|(name, _)| Some((name.clone(), value_of(original, name)?)));
    let in_order: Vec<Named<'_, K>> = in_order.collect();
    for (old, new) in by_side((&in_order, original, local), (changed, has_both), fields) {
        if !local_renames
            .iter()
            .any(|(it, other)| *it == old || *other == new)
        {
            local_renames.push((old, new));
        }
    }
    let is_common = |(old, new): &(K, K), other: Row<'_, '_, K>, renames: &[(K, K)]| {
        value_of(other, old).is_none()
            && kind(other, new).is_some()
            && kind(other, new) == kind(original, old)
            && !renames
                .iter()
                .any(|(it, name)| (it == old) != (name == new))
    };
    let from_upstream = upstream_renames.iter().filter(|rename| {
        applies_to(rename, original, local) || is_common(rename, local, &local_renames)
    });
    let from_local = local_renames.iter().filter(|rename| {
        applies_to(rename, original, updated)
            || !upstream_renames.contains(rename) && is_common(rename, updated, &upstream_renames)
    });
    let deleted = |(old, new): &&(K, K), other: Row<'_, '_, K>, renames: &[(K, K)]| {
        let is_renamed = renames.iter().any(|(it, _)| it == old);
        !is_renamed && value_of(other, old).is_none() && value_of(other, new).is_none()
    };
    let names = |renames: &[(K, K)], other: Row<'_, '_, K>, of_other: &[(K, K)]| {
        let found = renames.iter().filter(|it| deleted(it, other, of_other));
        found.map(|(_, new)| new.clone()).collect()
    };
    Renames {
        common: from_upstream.chain(from_local).cloned().collect(),
        deleted_locally: names(&upstream_renames, local, &local_renames),
        deleted_upstream: names(&local_renames, updated, &upstream_renames),
    }
}

/// Returns the entries that one side renamed: it deleted the old name and added the new one at the
/// same place with mostly the same content. `in_order` has the original's entries in the order to
/// use; `other` returns the other side's value of an entry, and `has_both` whether that side has an
/// entry under both names.
fn by_side<'v, K: PartialEq + Clone>(
    (in_order, original, side): (Row<'_, 'v, K>, Row<'_, 'v, K>, Row<'_, 'v, K>),
    (other, has_both): (impl Fn(&K) -> Option<&'v Value>, impl Fn(&K, &K) -> bool),
    fields: usize,
) -> Vec<(K, K)> {
    let added = changed(side, original);
    let mut found: Vec<(K, K)> = Vec::new();
    let removed = changed(in_order, side);
    for (place, (old, before)) in &removed {
        let candidates = added.iter().filter(|(at, (new, _))| {
            at == place && !found.iter().any(|(_, from_upstream)| from_upstream == new)
        });
        let are_only_candidates =
            candidates.count() == 1 && removed.iter().filter(|(at, _)| at == place).count() == 1;
        let is_same_entry = |old: &Value, now: &Value| {
            let is_empty = matches!(now, Value::Map(fields) if fields.is_empty())
                || matches!(now, Value::List(elements) if elements.is_empty());
            (are_only_candidates || !is_empty) && is_mostly(old, now)
                || are_only_candidates && is_mostly_by_fields(old, now)
        };
        let is_changed = |it, now| {
            is_same_entry(it, now) || are_only_candidates && is_same_but_for(fields, it, now)
        };
        let matches =
            |now| is_same_entry(before, now) || other(old).is_some_and(|it| is_changed(it, now));
        let new = added.iter().find(|(at, (new, now))| {
            at == place
                && !found.iter().any(|(_, from_upstream)| from_upstream == new)
                && !has_both(old, new)
                && matches(now)
        });
        if let Some((_, (new, _))) = new {
            found.push((old.clone(), new.clone()));
        }
    }
    found
}

/// Returns the entries whose name the other side lacks, each with the nearest name above it that
/// both sides have.
fn changed<'r, 'v, K: PartialEq>(
    row: &'r [Named<'v, K>],
    other: &[Named<'_, K>],
) -> Vec<(Option<&'r K>, &'r Named<'v, K>)> {
    let is_shared = |named: &&Named<'v, K>| value_of(other, &named.0).is_some();
    let place = |index: usize| {
        row[..index]
            .iter()
            .rev()
            .find(is_shared)
            .map(|(name, _)| name)
    };
    let lacking = row
        .iter()
        .enumerate()
        .filter(|(_, named)| !is_shared(named));
    lacking
        .map(|(index, named)| (place(index), named))
        .collect()
}

/// Whether the other side still has the entry, as the same kind of value, and does not have the new
/// name.
fn applies_to<K: PartialEq>(
    (old, new): &(K, K),
    original: &[Named<'_, K>],
    other: &[Named<'_, K>],
) -> bool {
    let stays = kind(other, old);
    stays.is_some() && stays == kind(original, old) && value_of(other, new).is_none()
}

fn kind<K: PartialEq>(row: &[Named<'_, K>], name: &K) -> Option<Discriminant<Value>> {
    value_of(row, name).map(discriminant)
}

fn value_of<'v, K: PartialEq>(row: &[Named<'v, K>], name: &K) -> Option<&'v Value> {
    row.iter()
        .find(|(it, _)| it == name)
        .map(|(_, value)| *value)
}
