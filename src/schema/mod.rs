//! The schemas of Kubernetes resources: which lists merge, and by which keys.
//!
//! The schemas come from Kubernetes' published OpenAPI, which is embedded as a small table, and
//! from custom resource definitions. This module uses trees and does not know of merging. `table`
//! reads the embedded table, `crd` reads definitions, and `types` has the data that both produce.
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
mod table;
mod types;

pub use field_schema::{FieldSchema, FieldSchemas, Kind};
pub use types::{KeyDefault, ListRule, MapKey};

use crate::yaml::{NodeId, ParseError, Tree};
use types::Types;

/// The known kinds: those built into Kubernetes, and those of custom resource definitions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schema {
    custom: Types,
}

impl Schema {
    /// Returns the kinds built into Kubernetes. The table is read when a kind is first looked up.
    pub fn kubernetes() -> Self {
        Self::default()
    }

    /// Adds the kinds of a document, if it is a custom resource definition
    /// (`apiextensions.k8s.io/v1` or `v1beta1`, every version with a schema). Returns their number.
    /// A kind that was added earlier is replaced.
    ///
    /// # Errors
    /// Returns an error if a schema is invalid: an unknown `x-kubernetes-list-type`, a list of type
    /// `map` without `x-kubernetes-list-map-keys`, or keys that are not a list of names.
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

    /// Returns the schema of a kind, or `None` if the kind is unknown.
    pub fn kind(&self, api_version: &str, kind: &str) -> Option<Kind<'_>> {
        let found = |types, is_custom| {
            let root = FieldSchema::new(types, Types::kind(types, api_version, kind)?);
            Some(Kind { root, is_custom })
        };
        found(&self.custom, true).or_else(|| found(table::built_in(), false))
    }

    /// Whether a kind is built into Kubernetes. A built-in kind in two API groups has moved from
    /// one to the other, as `Deployment` did from `extensions` to `apps`.
    pub(crate) fn is_built_in(api_version: &str, kind: &str) -> bool {
        Types::kind(table::built_in(), api_version, kind).is_some()
    }

    /// Whether objects of a kind are cluster-scoped: built-in kinds, and kinds whose definition
    /// says so.
    pub(crate) fn is_cluster_scoped(&self, api_version: &str, kind: &str) -> bool {
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let name = format!("{group}/{kind}");
        let all = [table::built_in(), &self.custom];
        all.iter().any(|types| types.cluster_scoped.contains(&name))
    }

    /// Returns the schema of a map that is a resource. If its kind is unknown, only the `metadata`
    /// has a schema. Returns `None` if the map has no `apiVersion` or no `kind`.
    pub fn resource_at(&self, tree: &Tree<'_>, map: NodeId) -> Option<FieldSchema<'_>> {
        let (api_version, kind) = kind_of(tree, map)?;
        Some(match self.kind(api_version, kind) {
            Some(kind) => kind.root,
            None => table::any_resource(),
        })
    }
}

/// Returns the `apiVersion` and `kind` of a map, if it has both.
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
