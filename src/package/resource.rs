//! The identity of a resource (rules: Documents).

use std::borrow::Cow;
use std::fmt;

use crate::yaml::{NodeId, NodeKind, Tree};

/// The identity of a resource. Its parts borrow from the text or are copies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceId<'s> {
    /// `apiVersion`, or empty.
    pub api_version: Cow<'s, str>,
    /// `kind`
    pub kind: Cow<'s, str>,
    /// `metadata.namespace`, or empty.
    pub namespace: Cow<'s, str>,
    /// `metadata.name`, or `metadata.generateName` followed by `*`.
    pub name: Cow<'s, str>,
}

impl<'s> ResourceId<'s> {
    /// Returns the identity of a document; `None` if its top level is not a map with `kind` and
    /// `metadata.name`.
    pub fn of(tree: &Tree<'s>) -> Option<Self> {
        let root = tree.root().value;
        let metadata = tree.field(root, "metadata")?;
        let name = match text(tree, metadata, "name") {
            Some(name) => name,
            None => format!("{}*", text(tree, metadata, "generateName")?).into(),
        };
        Some(Self {
            api_version: text(tree, root, "apiVersion").unwrap_or_default(),
            kind: text(tree, root, "kind")?,
            namespace: text(tree, metadata, "namespace").unwrap_or_default(),
            name,
        })
    }

    /// Returns the identity for pairing, if it is another one: a comment `# kpt-merge:
    /// NAMESPACE/NAME` on the `metadata` line gives the namespace and name (rules: Documents).
    pub(crate) fn for_pairing(&self, tree: &Tree<'s>) -> Option<Self> {
        let metadata = tree.entry(tree.find(tree.root().value, "metadata")?);
        let flow = matches!(&tree.node(metadata.value).kind, NodeKind::Mapping(map) if map.flow);
        let mut comment = tree.slice(metadata.comments().line);
        if comment.is_empty() && flow {
            comment = tree.slice(metadata.comments().tail);
        }
        let words = comment.trim_start_matches('#').trim();
        let (namespace, name) = words.strip_prefix("kpt-merge:")?.trim().split_once('/')?;
        (!name.is_empty()).then(|| Self {
            namespace: namespace.into(),
            name: name.into(),
            ..self.clone()
        })
    }

    /// Returns the group in the API version: `apps` for `apps/v1`, empty for `v1`.
    ///
    /// ```
    /// use merge3::package::ResourceId;
    ///
    /// let id = ResourceId {
    ///     api_version: "apps/v1".into(),
    ///     kind: "Deployment".into(),
    ///     namespace: "shop".into(),
    ///     name: "cart".into(),
    /// };
    /// assert_eq!(id.group(), "apps");
    /// assert_eq!(id.to_string(), "apps/v1 Deployment shop/cart");
    /// ```
    pub fn group(&self) -> &str {
        let group = self.api_version.rsplit_once('/');
        group.map_or("", |(group, _)| group)
    }

    /// Returns the parts that are equal in all versions of an API: group, kind, namespace and name.
    pub(crate) fn of_any_version(&self) -> [&str; 4] {
        [self.group(), &self.kind, &self.namespace, &self.name]
    }

    /// Returns true if the resource may be in `namespace`: it has that namespace or none. `None`
    /// stands for any namespace.
    pub(crate) fn may_be_in(&self, namespace: Option<&str>) -> bool {
        namespace.is_none_or(|it| self.namespace.is_empty() || self.namespace == it)
    }

    /// Returns true if the namespace is that of `wanted`, or `default_namespace` if `wanted` has
    /// none.
    pub(crate) fn namespace_matches(&self, wanted: &Self, default_namespace: Option<&str>) -> bool {
        match &*wanted.namespace {
            "" => self.may_be_in(default_namespace),
            own => own == self.namespace,
        }
    }

    /// Returns a copy that does not borrow from the text.
    pub fn to_static(&self) -> ResourceId<'static> {
        let copy = |text: &str| Cow::Owned(text.to_owned());
        ResourceId {
            api_version: copy(&self.api_version),
            kind: copy(&self.kind),
            namespace: copy(&self.namespace),
            name: copy(&self.name),
        }
    }
}

impl fmt::Display for ResourceId<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.api_version.is_empty() {
            write!(formatter, "{} ", self.api_version)?;
        }
        write!(formatter, "{} ", self.kind)?;
        if !self.namespace.is_empty() {
            write!(formatter, "{}/", self.namespace)?;
        }
        formatter.write_str(&self.name)
    }
}

/// Returns the text of a field that is a scalar and not empty.
fn text<'s>(tree: &Tree<'s>, map: NodeId, key: &str) -> Option<Cow<'s, str>> {
    let value = tree.field(map, key)?;
    let content = tree.content(value)?;
    (!content.is_empty() && !tree.is_null(value)).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<(String, String)> {
        let tree = Tree::parse(text).unwrap().unwrap();
        let identity = ResourceId::of(&tree);
        let identity = identity?;
        let pairing = identity.for_pairing(&tree);
        let pairing = pairing.unwrap_or_else(|| identity.clone());
        Some((identity.to_string(), pairing.to_string()))
    }

    fn equal_ids(text: &str) -> Option<(String, String)> {
        Some((text.to_owned(), text.to_owned()))
    }

    #[test]
    fn a_resource_has_a_kind_and_a_name() {
        assert_eq!(
            id("apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\n"),
            equal_ids("v1 Pod b/a")
        );
        assert_eq!(id("kind: Pod\nmetadata:\n  name: a\n"), equal_ids("Pod a"));
        assert_eq!(
            id("kind: Job\nmetadata:\n  generateName: a-\n"),
            equal_ids("Job a-*")
        );
        assert_eq!(id("kind: Pod\nmetadata: {}\n"), None);
        assert_eq!(id("metadata: {name: a}\n"), None);
        assert_eq!(id("- kind: Pod\n"), None);
    }

    #[test]
    fn a_kpt_merge_comment_gives_namespace_and_name() {
        assert_eq!(
            id("kind: Pod\nmetadata: # kpt-merge: old/first\n  name: second\n"),
            Some(("Pod second".into(), "Pod old/first".into()))
        );
        assert_eq!(
            id("kind: Pod\nmetadata: # kpt-merge: /first\n  name: second\n"),
            Some(("Pod second".into(), "Pod first".into()))
        );
        assert_eq!(
            id("kind: Pod\nmetadata: # something else\n  name: second\n"),
            equal_ids("Pod second")
        );
    }
}
