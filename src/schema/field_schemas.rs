//! What is known of each node of a document.

use super::{FieldSchema, Schema};
use crate::yaml::{NodeId, NodeKind, Tree};

/// What is known of each node of a document.
#[derive(Debug, Clone)]
pub struct FieldSchemas<'s> {
    of_nodes: Vec<Option<FieldSchema<'s>>>,
}

impl<'s> FieldSchemas<'s> {
    /// What is known of a document as the resource that it is; nothing where it is none.
    ///
    /// A resource inside of another, at a place of which nothing is known (the items of a `List`,
    /// say), is one of its own kind. What an alias stands for is at the place of its anchor.
    ///
    /// ```
    /// use merge3::schema::{ListRule, FieldSchemas, Schema};
    /// use merge3::yaml::Tree;
    ///
    /// let tree = Tree::parse("apiVersion: v1\nkind: Pod\nspec:\n  tolerations: []\n").unwrap().unwrap();
    /// let value = |map, name| tree.entry(tree.find(map, name).unwrap()).value;
    /// let tolerations = value(value(tree.root().value, "spec"), "tolerations");
    /// let schema = Schema::kubernetes();
    /// let place = FieldSchemas::of_document(&schema, &tree).of(tolerations).unwrap();
    /// assert_eq!(place.list(), &ListRule::Atomic);
    /// ```
    pub fn of_document(schema: &'s Schema, tree: &Tree<'_>) -> Self {
        let mut found = Self {
            of_nodes: vec![None; tree.node_ids().len()],
        };
        let root = tree.root().value;
        found.add(schema, tree, root, schema.resource_at(tree, root));
        found
    }

    /// What is known of a node; `None` if nothing is.
    pub fn of(&self, node: NodeId) -> Option<FieldSchema<'s>> {
        self.of_nodes.get(node.number() as usize).copied().flatten()
    }

    /// Adds a node and all that is in it.
    fn add(
        &mut self,
        schema: &'s Schema,
        tree: &Tree<'_>,
        node: NodeId,
        known: Option<FieldSchema<'s>>,
    ) {
        let known = known.filter(|known| known.is_known()).or_else(|| {
            tree.find(node, "metadata")?;
            schema.resource_at(tree, node)
        });
        self.of_nodes[node.number() as usize] = known;
        let is_list = matches!(tree.node(node).kind, NodeKind::Sequence(_));
        // an alias has no entries: what it stands for is met at its anchor
        for entry in tree.entries(node) {
            let entry = tree.entry(entry);
            let name = entry.key.and_then(|key| tree.scalar(key));
            let below = known.map(|known| match name {
                Some(name) => known.field(name.content),
                None if is_list => known.element(),
                None => known.field(""),
            });
            self.add(schema, tree, entry.value, below);
        }
    }
}
