//! What is known of each node of a document.

use super::{Place, Schema};
use crate::yaml::{NodeId, NodeKind, Tree};

/// The places of a document's nodes.
#[derive(Debug, Clone)]
pub struct Places<'s> {
    places: Vec<Option<Place<'s>>>,
}

impl<'s> Places<'s> {
    /// The places of a document as the resource that it is; of none where it is none.
    ///
    /// A resource inside of another, at a place of which nothing is known (the items of a `List`,
    /// say), is one of its own kind. What an alias stands for is at the place of its anchor.
    ///
    /// ```
    /// use merge3::schema::{ListRule, Places, Schema};
    /// use merge3::yaml::Tree;
    ///
    /// let tree = Tree::parse("apiVersion: v1\nkind: Pod\nspec:\n  tolerations: []\n").unwrap().unwrap();
    /// let value = |map, name| tree.entry(tree.find(map, name).unwrap()).value;
    /// let tolerations = value(value(tree.root().value, "spec"), "tolerations");
    /// let schema = Schema::kubernetes();
    /// let place = Places::of_document(&schema, &tree).of(tolerations).unwrap();
    /// assert_eq!(place.list(), ListRule::Atomic);
    /// ```
    pub fn of_document(schema: &'s Schema, tree: &Tree<'_>) -> Self {
        let mut found = Finder {
            schema,
            tree,
            places: vec![None; tree.node_ids().len()],
        };
        let root = tree.root().value;
        found.node(root, schema.resource_at(tree, root));
        Self {
            places: found.places,
        }
    }

    /// The place of a node; `None` if nothing is known.
    pub fn of(&self, node: NodeId) -> Option<Place<'s>> {
        self.places.get(node.number() as usize).copied().flatten()
    }
}

struct Finder<'s, 't> {
    schema: &'s Schema,
    tree: &'t Tree<'t>,
    places: Vec<Option<Place<'s>>>,
}

impl<'s> Finder<'s, '_> {
    fn node(&mut self, node: NodeId, place: Option<Place<'s>>) {
        let tree = self.tree;
        let place = place.filter(|place| place.is_known()).or_else(|| {
            tree.find(node, "metadata")?;
            self.schema.resource_at(tree, node)
        });
        self.places[node.number() as usize] = place;
        let is_list = matches!(tree.node(node).kind, NodeKind::Sequence(_));
        // an alias has no entries: what it stands for is met at its anchor
        for entry in tree.entries(node) {
            let entry = tree.entry(entry);
            let name = entry.key.and_then(|key| tree.scalar(key));
            let below = place.map(|place| match name {
                Some(name) => place.field(name.content),
                None if is_list => place.element(),
                None => place.field(""),
            });
            self.node(entry.value, below);
        }
    }
}
