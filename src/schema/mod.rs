//! What is known of the fields of Kubernetes resources: which lists merge, and by which keys.
//!
//! The facts come from Kubernetes' published OpenAPI, embedded as a small table that is read when
//! it is first asked for, and from the schemas of custom resource definitions. Knows trees, and
//! nothing of merging.
//!
//! ```
//! use merge3::schema::{ListRule, MapKey, Schema};
//!
//! let schema = Schema::kubernetes();
//! let pod = schema.kind("v1", "Pod").unwrap().root;
//! let container = pod.field("spec").field("containers").element();
//! let ListRule::Map(keys) = container.field("ports").list() else { panic!() };
//! assert_eq!(keys.iter().map(|key| key.name()).collect::<Vec<_>>(), ["containerPort", "protocol"]);
//! assert_eq!(&*keys[1].default().unwrap().content, "TCP");
//! assert_eq!(container.field("ports").patch_list(), &ListRule::Map(vec![MapKey::new("containerPort", None)]));
//! assert_eq!(container.field("args").list(), &ListRule::Atomic);
//! assert_eq!(pod.field("metadata").field("finalizers").list(), &ListRule::Set);
//! ```

mod crd;
mod field_schema;
mod field_schemas;
mod table;
mod types;

pub use field_schema::{FieldSchema, Kind};
pub use field_schemas::FieldSchemas;
pub use types::{KeyDefault, ListRule, MapKey};

use crate::yaml::{NodeId, ParseError, Tree};
use types::Types;

/// The kinds that are known: those built into Kubernetes, and those of custom resource definitions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schema {
    custom: Types,
}

impl Schema {
    /// The kinds built into Kubernetes. Costs nothing before the first kind is asked for.
    pub fn kubernetes() -> Self {
        Self::default()
    }

    /// Adds the kinds that a document defines, if it is a custom resource definition (of
    /// `apiextensions.k8s.io/v1` or `v1beta1`, every version with a schema); returns how many. A
    /// kind that was added earlier is replaced.
    ///
    /// # Errors
    /// Where a schema says what no schema can: an unknown `x-kubernetes-list-type`, a list of type
    /// `map` without `x-kubernetes-list-map-keys`, or keys that are no list of names.
    ///
    /// ```
    /// use merge3::schema::{ListRule, Schema};
    /// use merge3::yaml::Tree;
    ///
    /// let crd = "\
    /// apiVersion: apiextensions.k8s.io/v1
    /// kind: CustomResourceDefinition
    /// spec:
    ///   group: acme.io
    ///   names: {kind: Shop}
    ///   versions:
    ///   - name: v1
    ///     schema:
    ///       openAPIV3Schema:
    ///         type: object
    ///         properties:
    ///           tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
    /// ";
    /// let mut schema = Schema::kubernetes();
    /// assert_eq!(schema.add_definition(&Tree::parse(crd).unwrap().unwrap()), Ok(1));
    /// assert_eq!(schema.kind("acme.io/v1", "Shop").unwrap().root.field("tags").list(), &ListRule::Set);
    /// ```
    pub fn add_definition(&mut self, tree: &Tree<'_>) -> Result<usize, ParseError> {
        crd::add(&mut self.custom, tree)
    }

    /// What is known of a kind; `None` if nothing is.
    pub fn kind(&self, api_version: &str, kind: &str) -> Option<Kind<'_>> {
        let found = |types, is_custom| {
            let root = FieldSchema::new(types, Types::kind(types, api_version, kind)?);
            Some(Kind { root, is_custom })
        };
        found(&self.custom, true).or_else(|| found(table::built_in(), false))
    }

    /// Whether Kubernetes itself has a kind. Where it has one in two API groups, it moved from one
    /// to the other: `Deployment` from `extensions` to `apps`.
    pub(crate) fn is_built_in(api_version: &str, kind: &str) -> bool {
        Types::kind(table::built_in(), api_version, kind).is_some()
    }

    /// Whether objects of a kind are in no namespace: of Kubernetes' own kinds, and of those whose
    /// definition says so.
    pub(crate) fn is_cluster_scoped(&self, api_version: &str, kind: &str) -> bool {
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        [table::built_in(), &self.custom]
            .iter()
            .any(|types| types.is_cluster_scoped(group, kind))
    }

    /// The resource that a map of a document is: of its kind, or, where that is not known,
    /// something of which only the `metadata` is. `None` if it has no `apiVersion` and `kind`.
    pub fn resource_at(&self, tree: &Tree<'_>, map: NodeId) -> Option<FieldSchema<'_>> {
        let (api_version, kind) = kind_of(tree, map)?;
        Some(match self.kind(api_version, kind) {
            Some(kind) => kind.root,
            None => table::any_resource(),
        })
    }
}

/// The `apiVersion` and `kind` of a map of a document, where it has both.
pub fn kind_of<'t>(tree: &'t Tree<'_>, map: NodeId) -> Option<(&'t str, &'t str)> {
    Some((
        tree.field_text(map, "apiVersion")?,
        tree.field_text(map, "kind")?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cluster_scoped_kinds() {
        let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
            spec:\n  group: acme.io\n  scope: Cluster\n  names: {kind: Mall}\n  versions:\n  - name: v1\n";
        let mut schema = Schema::kubernetes();
        let tree = Tree::parse(definition).unwrap().unwrap();
        schema.add_definition(&tree).unwrap();
        for (api_version, kind, is_cluster_scoped) in [
            ("v1", "Namespace", true),
            ("v1", "Pod", false),
            ("rbac.authorization.k8s.io/v1", "ClusterRole", true),
            ("rbac.authorization.k8s.io/v1", "Role", false),
            ("acme.io/v1", "Mall", true),
            ("acme.io/v1", "Shop", false),
        ] {
            let found = schema.is_cluster_scoped(api_version, kind);
            assert_eq!(found, is_cluster_scoped, "{api_version} {kind}");
        }
    }
}
