//! The schema of a value at one path of a resource, and the schemas of all nodes of a document.

use std::sync::LazyLock;

use super::Schema;
use super::types::{Content, ListRule, MapKey, Types, ValueSchema};
use crate::yaml::{NodeId, Tree};

/// The schema of a kind.
#[derive(Debug, Clone, Copy)]
pub struct Kind<'s> {
    /// The schema of the resource's root.
    pub root: FieldSchema<'s>,
    /// Whether a custom resource definition defines the kind. Otherwise, it is built into
    /// Kubernetes.
    pub is_custom: bool,
}

/// The schema of a value at one path of a resource.
#[derive(Debug, Clone, Copy)]
pub struct FieldSchema<'s> {
    types: &'s Types,
    value: &'s ValueSchema,
}

/// The schema of a value about which there is no information.
impl Default for FieldSchema<'_> {
    fn default() -> Self {
        static NO_TYPES: LazyLock<Types> = LazyLock::new(Types::default);
        Self::new(&NO_TYPES, &UNKNOWN)
    }
}

static UNKNOWN: ValueSchema = ValueSchema::new(Content::Unknown);
static DEFAULT: ValueSchema = ValueSchema::new(Content::Default);

impl<'s> FieldSchema<'s> {
    pub(super) const fn new(types: &'s Types, value: &'s ValueSchema) -> Self {
        Self { types, value }
    }

    /// Returns the schema of a field of this map.
    pub fn field(self, name: &str) -> Self {
        self.at(match &self.value.content {
            Content::Default => &DEFAULT,
            Content::Fields(type_name) => match self.types.types.get(type_name) {
                Some(fields) => fields.fields.get(name).unwrap_or(&fields.other_fields),
                None => &UNKNOWN,
            },
            Content::Unknown | Content::Elements(_) => &UNKNOWN,
        })
    }

    /// Returns the schema of the elements of this list.
    pub fn element(self) -> Self {
        self.at(match &self.value.content {
            Content::Default => &DEFAULT,
            Content::Elements(element) => element,
            Content::Unknown | Content::Fields(_) => &UNKNOWN,
        })
    }

    const fn at(self, value: &'s ValueSchema) -> Self {
        Self { value, ..self }
    }

    /// Whether the schema has any information about the value.
    pub fn is_known(self) -> bool {
        self.value.content != Content::Unknown
    }

    /// Returns how this list merges.
    pub fn list(self) -> &'s ListRule {
        match (&self.value.list, &self.value.content) {
            (ListRule::Unknown, Content::Default | Content::Elements(_)) => &ListRule::Atomic,
            (rule, _) => rule,
        }
    }

    /// Returns the fields that identify the elements of this list. It is empty if none do.
    pub fn map_keys(self) -> &'s [MapKey] {
        match self.list() {
            ListRule::Map(keys) => keys,
            ListRule::Unknown | ListRule::Atomic | ListRule::Set => &[],
        }
    }

    /// Whether this map is one value (`x-kubernetes-map-type`). Otherwise, it merges field by
    /// field.
    pub const fn is_atomic_map(self) -> bool {
        self.value.is_atomic_map
    }

    /// Returns how a strategic merge patch merges this list.
    pub fn patch_list(self) -> &'s ListRule {
        match (&self.value.patch_list, &self.value.content) {
            (_, Content::Unknown | Content::Fields(_)) => &ListRule::Unknown,
            (ListRule::Unknown, _) => &ListRule::Atomic,
            (rule, _) => rule,
        }
    }

    /// Whether a strategic merge patch replaces this map instead of merging it (`patchStrategy:
    /// replace`).
    pub const fn is_patched_whole(self) -> bool {
        self.value.is_patched_whole
    }

    /// Whether a strategic merge patch of `kubectl apply` removes the fields that it does not name,
    /// from this map or from each element of this list (`patchStrategy: retainKeys`).
    pub const fn retains_keys(self) -> bool {
        self.value.retains_keys
    }
}

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
