//! Whether two nodes say the same (SPEC 4).

use rustc_hash::FxHashMap;

use super::keys::KeyIdentity;
use super::tree::{EntryId, NodeId, NodeKind, Tree};

/// Above this many entries a hash table pays.
const SMALL: usize = 8;

/// Whether two nodes are equal: scalars by type and content, maps whatever the order of their keys, lists in order, an
/// alias as what it stands for. Style, comments and anchors play no part, nor does a tag that says what was so already.
///
/// Time is about that of reading both texts, aliases that stand for aliases included.
///
/// ```
/// use merge3::yaml::{Tree, equal};
///
/// let same = |left, right| {
///     let (left, right) = (Tree::parse(left).unwrap().unwrap(), Tree::parse(right).unwrap().unwrap());
///     equal(&left, left.root().value, &right, right.root().value)
/// };
/// assert!(same("a: 1\nb: 'x'\n", "{b: x, a: 1}"));
/// assert!(!same("port: 8080\n", "port: \"8080\"\n"));
/// ```
pub fn equal(left: &Tree<'_>, l: NodeId, right: &Tree<'_>, r: NodeId) -> bool {
    if std::ptr::eq(left, right) && left.resolve(l) == left.resolve(r) {
        return true;
    }
    Comparison {
        left,
        right,
        known: FxHashMap::default(),
    }
    .nodes(l, r)
}

struct Comparison<'a, 's, 't> {
    left: &'a Tree<'s>,
    right: &'a Tree<'t>,
    /// Collections that were reached through an alias, and what came out. (A tree has no cycles.)
    known: FxHashMap<(NodeId, NodeId), bool>,
}

impl Comparison<'_, '_, '_> {
    fn nodes(&mut self, l: NodeId, r: NodeId) -> bool {
        let (left, right) = (self.left.resolve(l), self.right.resolve(r));
        match (&self.left.node(left).kind, &self.right.node(right).kind) {
            (NodeKind::Scalar(_), NodeKind::Scalar(_)) => {
                self.left.key_identity(left) == self.right.key_identity(right)
            }
            (NodeKind::Mapping(_), NodeKind::Mapping(_))
            | (NodeKind::Sequence(_), NodeKind::Sequence(_)) => {
                let is_map = matches!(self.left.node(left).kind, NodeKind::Mapping(_));
                let aliased = left != l
                    || right != r
                    || self.left.node(left).anchor.is_some()
                    || self.right.node(right).anchor.is_some();
                if !aliased {
                    return self.collections(left, right, is_map);
                }
                if let Some(known) = self.known.get(&(left, right)) {
                    return *known;
                }
                let result = self.collections(left, right, is_map);
                self.known.insert((left, right), result);
                result
            }
            _ => false,
        }
    }

    fn collections(&mut self, l: NodeId, r: NodeId, is_map: bool) -> bool {
        let (ls, rs) = (self.left.entries(l), self.right.entries(r));
        if ls.len() != rs.len() || self.left.custom_tag(l) != self.right.custom_tag(r) {
            return false;
        }
        if is_map {
            return self.maps(r, ls.zip(rs));
        }
        ls.zip(rs)
            .all(|(l, r)| self.nodes(self.left.entry(l).value, self.right.entry(r).value))
    }

    /// Pairs of entries at the same place; keys elsewhere are looked up in `r`. (No map has a key twice, so as many
    /// entries and each found is all of them.)
    fn maps(&mut self, r: NodeId, pairs: impl Iterator<Item = (EntryId, EntryId)>) -> bool {
        let (left, right) = (self.left, self.right);
        let mut index: Option<FxHashMap<Option<KeyIdentity<'_>>, EntryId>> = None;
        for (l, beside) in pairs {
            let key = identity(left, l);
            let partner = if identity(right, beside) == key {
                Some(beside)
            } else if right.entries(r).len() <= SMALL {
                right.entries(r).find(|id| identity(right, *id) == key)
            } else {
                let index = index.get_or_insert_with(|| {
                    right
                        .entries(r)
                        .map(|id| (identity(right, id), id))
                        .collect()
                });
                index.get(&key).copied()
            };
            let Some(partner) = partner else {
                return false;
            };
            if !self.nodes(left.entry(l).value, right.entry(partner).value) {
                return false;
            }
        }
        true
    }
}

fn identity<'a>(tree: &'a Tree<'_>, entry: EntryId) -> Option<KeyIdentity<'a>> {
    tree.entry(entry).key.and_then(|key| tree.key_identity(key))
}
