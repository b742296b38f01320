//! What `kubectl apply` makes of the last applied configuration, the configuration and the live
//! object: rules of its own over the same trees. Original is what was applied last, updated the
//! configuration, local the live object.
//!
//! What the configuration has is set; what it no longer has goes, if it was applied before;
//! everything else stays.

mod lists;

use super::arrive::part_of;
use super::fields::fields_of_all;
use super::index::{FieldIndex, key_of};
use super::place::{Arrival, Resident, place};
use super::{Nodes, Shape, Walker, entries_of, position, shape};
use crate::merge::decision::{Child, Incoming, Outcome};
use crate::schema::{Kind, MapRule, Place};
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId, equal};

pub use lists::Unkeyed;
use lists::Way;

/// The annotation that holds what was applied last.
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The fields of `metadata` that the server writes.
const SERVER_FIELDS: [&str; 6] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// What an application decided.
pub(crate) struct Applied {
    pub(crate) outcome: Outcome,
    /// Whether lists were replaced because nothing is known of the kind.
    pub(crate) has_unknown_lists: bool,
    pub(crate) unkeyed: Option<Unkeyed>,
}

/// Where in a resource a map is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Metadata,
    Annotations,
    Below,
}

impl Walker<'_> {
    /// Decides what becomes of the live object. Of a kind of which nothing is known, lists are one
    /// value, as in a merge patch.
    pub(crate) fn apply(mut self, has_last: bool, kind: Option<Kind<'_>>) -> Applied {
        let mut rules = Rules {
            is_custom: kind.is_some_and(|kind| kind.is_custom),
            ..Rules::default()
        };
        let roots = self.roots(has_last);
        let root = kind.map(|kind| kind.place);
        let outcome = self.applied_fields(&mut rules, roots, root, Level::Root, false);
        Applied {
            outcome,
            has_unknown_lists: rules.has_unknown_lists,
            unkeyed: rules.unkeyed,
        }
    }

    /// What becomes of a document into which another one is put, nothing left alone.
    pub(crate) fn added(mut self) -> Outcome {
        let mut rules = Rules::default();
        let roots = self.roots(false);
        self.applied_fields(&mut rules, roots, None, Level::Below, false)
    }

    /// A value that the configuration and the live object both have.
    fn applied(
        &mut self,
        rules: &mut Rules,
        nodes: Nodes,
        at: Option<Place<'_>>,
        level: Level,
        retains: bool,
    ) -> Outcome {
        let (Some(updated), Some(local)) = (nodes.updated, nodes.local) else {
            return Outcome::Keep;
        };
        match (
            shape(self.trees.updated, updated),
            shape(self.trees.local, local),
        ) {
            (Shape::Map, Shape::Map) if !is_one_value(rules, at) => {
                let retains = retains || at.is_some_and(Place::retains_keys);
                self.applied_fields(rules, nodes, at, level, retains)
            }
            (Shape::List, Shape::List) => self.applied_list(rules, nodes, at),
            (Shape::Map, Shape::Map) => self.replaced(nodes),
            _ if equal(self.trees.updated, updated, self.trees.local, local) => Outcome::Keep,
            _ => {
                let part = self.without_nulls(rules, updated, at);
                let quoting = self.trees.local.scalar(local).map(|scalar| scalar.style);
                Outcome::Take(Incoming {
                    quoting,
                    ..Incoming::part(updated, part)
                })
            }
        }
    }

    /// The configuration's value, whatever the live object has.
    fn replaced(&mut self, nodes: Nodes) -> Outcome {
        self.exact(Triple::new(None, nodes.updated, nodes.local))
    }

    /// A map: the table of fields. With `retains`, a change of what the map is clears what only the
    /// live object has.
    fn applied_fields(
        &mut self,
        rules: &mut Rules,
        nodes: Nodes,
        at: Option<Place<'_>>,
        level: Level,
        retains: bool,
    ) -> Outcome {
        let Some(local) = nodes.local else {
            return Outcome::Keep;
        };
        let trees = self.trees;
        let fields = fields_of_all(trees, nodes);
        let clears = retains && self.is_changed_as_union(nodes, &fields.local);
        let residents = entries_of(trees.local, local)
            .map(|entry| {
                let key = key_of(trees.local, entry);
                let sides = fields.beside(key, entry);
                let name = key.map_or("", |(_, name)| name);
                let outcome = if is_left_alone(level, name) {
                    Outcome::Keep
                } else {
                    let below = at.map(|at| at.field(name));
                    self.applied_entry(rules, sides, below, level.below(name), clears)
                };
                Resident {
                    child: Child::local(entry, outcome),
                    own: sides.updated.is_none(),
                }
            })
            .collect();
        let arrivals = nodes.updated.map(|updated| {
            entries_of(trees.updated, updated)
                .map(|entry| {
                    let key = key_of(trees.updated, entry);
                    if let Some(resident) = key.and_then(|key| fields.local.find(key)) {
                        return Arrival::Resident(position(
                            entries_of(trees.local, local),
                            resident,
                        ));
                    }
                    if is_left_alone(level, key.map_or("", |(_, name)| name)) {
                        return Arrival::Nothing;
                    }
                    let name = key.map_or("", |(_, name)| name);
                    self.coming(rules, entry, at.map(|at| at.field(name)))
                })
                .collect()
        });
        let children = place(residents, arrivals.unwrap_or_default());
        match nodes.updated {
            Some(_) => self.merged(nodes, children),
            None if children.iter().all(Child::is_untouched) => Outcome::Keep,
            None => Outcome::Merge(children),
        }
    }

    /// A field or element that the live object has: the rows of the table.
    fn applied_entry(
        &mut self,
        rules: &mut Rules,
        sides: Triple<Option<EntryId>>,
        at: Option<Place<'_>>,
        level: Level,
        clears: bool,
    ) -> Outcome {
        let mut nodes = self.values_of(sides);
        let is_null = nodes
            .updated
            .is_some_and(|node| self.trees.updated.is_null(node));
        if level == Level::Annotations && (is_null || nodes.updated.is_none()) {
            // as it is applied, a configuration always has annotations: the last applied one
            nodes.updated = None;
            return self.applied_fields(rules, nodes, at, level, false);
        }
        match (nodes.updated, nodes.original) {
            (Some(_), _) if is_null => Outcome::Remove,
            (Some(_), _) => self.applied(rules, nodes, at, level, false),
            (None, Some(_)) => Outcome::Remove,
            (None, None) if clears => Outcome::Remove,
            (None, None) => Outcome::Keep,
        }
    }

    /// A field that only the configuration has; nulls in it say that there is nothing.
    fn coming(&self, rules: &mut Rules, entry: EntryId, at: Option<Place<'_>>) -> Arrival {
        let value = self.trees.updated.entry(entry).value;
        if self.trees.updated.is_null(value) {
            return Arrival::Nothing;
        }
        let part = self.without_nulls(rules, value, at);
        Arrival::New(Child::updated(
            entry,
            Outcome::Take(Incoming::part(value, part)),
        ))
    }

    /// A value without the fields that are null, in maps and in lists that merge by a key; what is
    /// one value stays whole.
    fn without_nulls(&self, rules: &mut Rules, node: NodeId, at: Option<Place<'_>>) -> Outcome {
        let tree = self.trees.updated;
        let is_map = match shape(tree, node) {
            Shape::Map if is_one_value(rules, at) => return Outcome::Keep,
            Shape::Map => true,
            Shape::List => {
                let lists = Triple::new(None, Some(node), None);
                if !matches!(self.way(rules, lists, at), Way::Keyed(_)) {
                    return Outcome::Keep;
                }
                false
            }
            Shape::Scalar => return Outcome::Keep,
        };
        let children = entries_of(tree, node).map(|entry| {
            let value = tree.entry(entry).value;
            let below = at.map(|at| match key_of(tree, entry) {
                Some((_, name)) => at.field(name),
                None => at.element(),
            });
            let outcome = match is_map && tree.is_null(value) {
                true => Outcome::Remove,
                false => self.without_nulls(rules, value, below),
            };
            Child::local(entry, outcome)
        });
        part_of(children.collect())
    }

    /// Whether a map that is one of several things becomes another: a field comes, or a scalar
    /// changes.
    fn is_changed_as_union(&self, nodes: Nodes, locals: &FieldIndex<'_>) -> bool {
        let trees = self.trees;
        let Some(updated) = nodes.updated else {
            return false;
        };
        entries_of(trees.updated, updated).any(|entry| {
            let value = trees.updated.entry(entry).value;
            let Some(local) = key_of(trees.updated, entry).and_then(|key| locals.find(key)) else {
                return !trees.updated.is_null(value);
            };
            shape(trees.updated, value) == Shape::Scalar
                && !equal(
                    trees.updated,
                    value,
                    trees.local,
                    trees.local.entry(local).value,
                )
        })
    }
}

/// The settings of an application and what it finds out.
#[derive(Debug, Default)]
struct Rules {
    is_custom: bool,
    has_unknown_lists: bool,
    unkeyed: Option<Unkeyed>,
}

impl Level {
    const fn below(self, name: &str) -> Self {
        match (self, name.as_bytes()) {
            (Self::Root, b"metadata") => Self::Metadata,
            (Self::Metadata, b"annotations") => Self::Annotations,
            _ => Self::Below,
        }
    }
}

/// Whether the map here is one value.
fn is_one_value(rules: &Rules, at: Option<Place<'_>>) -> bool {
    at.is_some_and(|at| match rules.is_custom {
        true => at.map() == MapRule::Atomic,
        false => at.is_patched_whole(),
    })
}

/// What no configuration changes: what the server writes, and the annotation that is written
/// afterwards. A resource keeps its namespace, which a configuration may leave out.
fn is_left_alone(level: Level, name: &str) -> bool {
    match level {
        Level::Root => name == "status",
        Level::Metadata => name == "namespace" || SERVER_FIELDS.contains(&name),
        Level::Annotations => name == LAST_APPLIED,
        Level::Below => false,
    }
}
