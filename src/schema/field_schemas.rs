//! The schemas of all nodes of a document.

use super::{FieldSchema, Schema};
use crate::yaml::{NodeId, Tree};

/// The schemas of the nodes of a document.
#[derive(Debug, Clone)]
pub struct FieldSchemas<'s> {
    of_nodes: Vec<Option<FieldSchema<'s>>>,
}

impl<'s> FieldSchemas<'s> {
    /// Returns the schemas of a document by its kind. Nodes have none if the document is not a
    /// resource.
    ///
    /// A resource inside another one has the schema of its own kind, if the outer schema has no
    /// information about it, as for the items of a `List`. A node that aliases refer to has the
    /// schema of the position of its anchor.
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

    /// Returns the schema of a node, or `None` if there is no information about it.
    pub fn of(&self, node: NodeId) -> Option<FieldSchema<'s>> {
        self.of_nodes.get(node.number() as usize).copied().flatten()
    }

    /// Adds a node with all nodes in it.
    fn add(
        &mut self,
        schema: &'s Schema,
        tree: &Tree<'_>,
        node: NodeId,
        field_schema: Option<FieldSchema<'s>>,
    ) {
        let field_schema = field_schema.filter(|it| it.is_known()).or_else(|| {
            tree.find(node, "metadata")?;
            schema.resource_at(tree, node)
        });
        self.of_nodes[node.number() as usize] = field_schema;
        // an alias has no entries: the node that it refers to is added at its anchor
        for entry in tree.entries(node) {
            let entry = tree.entry(entry);
            let name = entry.key.and_then(|key| tree.scalar(key));
            let below = field_schema.map(|field_schema| match name {
                Some(name) => field_schema.field(name.content),
                None => field_schema.element(),
            });
            self.add(schema, tree, entry.value, below);
        }
    }
}
