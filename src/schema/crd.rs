//! Reads the kinds of custom resource definitions from their structural schemas.

use super::kind_of;
use super::table::copy_metadata;
use super::types::{Content, KeyDefault, ListRule, MapKey, Type, Types, ValueSchema};
use crate::yaml::{NodeId, NodeKind, ParseError, ScalarType, Tree};

const LIST_TYPE: &str = "x-kubernetes-list-type";
const LIST_MAP_KEYS: &str = "x-kubernetes-list-map-keys";
const MAP_TYPE: &str = "x-kubernetes-map-type";
const EMBEDDED_RESOURCE: &str = "x-kubernetes-embedded-resource";

/// Adds the kinds of a document, if it is a custom resource definition. Returns their number.
pub(super) fn add(types: &mut Types, tree: &Tree<'_>) -> Result<usize, ParseError> {
    let Some((spec, group, kind)) = definition_of(tree) else {
        return Ok(0);
    };
    let mut reader = DefinitionReader { types, tree };
    if tree.field_text(spec, "scope") == Some("Cluster") {
        let name = format!("{group}/{kind}");
        reader.types.cluster_scoped.insert(name);
    }
    let versions = match tree.field(spec, "versions") {
        Some(list) => reader.elements(list),
        None => vec![spec],
    };
    let mut added = 0;
    for version in versions {
        let name = if version == spec { "version" } else { "name" };
        let schema = tree.below(version, &["schema", "openAPIV3Schema"]);
        let schema = schema.or_else(|| tree.below(spec, &["validation", "openAPIV3Schema"]));
        let (Some(name), Some(schema)) = (tree.field_text(version, name), schema) else {
            continue;
        };
        let value = reader.resource(schema)?;
        let kind = format!("{group}/{name}/{kind}");
        reader.types.kinds.insert(kind, value);
        added += 1;
    }
    Ok(added)
}

/// Returns the `spec` of a custom resource definition, with the group and kind that it defines.
fn definition_of<'t>(tree: &'t Tree<'_>) -> Option<(NodeId, &'t str, &'t str)> {
    let root = tree.root().value;
    let (api_version, kind) = kind_of(tree, root)?;
    let is_definition =
        kind == "CustomResourceDefinition" && api_version.starts_with("apiextensions.k8s.io/");
    let spec = tree.field(root, "spec").filter(|_| is_definition)?;
    let names = tree.field(spec, "names")?;
    Some((
        spec,
        tree.field_text(spec, "group")?,
        tree.field_text(names, "kind")?,
    ))
}

/// Reads the schemas of a definition.
struct DefinitionReader<'a, 't> {
    types: &'a mut Types,
    tree: &'t Tree<'t>,
}

impl<'t> DefinitionReader<'_, 't> {
    fn elements(&self, list: NodeId) -> Vec<NodeId> {
        let list = self.tree.resolve(list);
        let is_list = matches!(self.tree.node(list).kind, NodeKind::Sequence(_));
        let entries = self.tree.entries(list).filter(|_| is_list);
        entries.map(|entry| self.tree.entry(entry).value).collect()
    }

    /// Returns the schema of a resource: a root, or a resource embedded in another. Each has the
    /// `metadata` of all resources.
    fn resource(&mut self, schema: NodeId) -> Result<ValueSchema, ParseError> {
        let mut value = self.value(schema)?;
        let metadata = copy_metadata(self.types);
        if !matches!(value.content, Content::Fields(_)) {
            value.content = self.types.add_type(Type {
                other_fields: ValueSchema::new(Content::Unknown),
                ..Type::default()
            });
        }
        if let Content::Fields(name) = &value.content
            && let Some(fields) = self.types.types.get_mut(name)
        {
            fields.fields.insert("metadata".into(), metadata);
        }
        Ok(value)
    }

    /// Returns the schema of a value.
    fn value(&mut self, schema: NodeId) -> Result<ValueSchema, ParseError> {
        let mut value = ValueSchema::new(self.content(schema)?);
        value.list = self.list_type(schema)?;
        value.is_atomic_map = self.tree.field_text(schema, MAP_TYPE) == Some("atomic");
        // a definition has no other rules for patches
        value.patch_list = value.list.clone();
        value.is_patched_whole = value.is_atomic_map;
        Ok(value)
    }

    /// Returns the schema of a value's fields or elements.
    fn content(&mut self, schema: NodeId) -> Result<Content, ParseError> {
        if let Some(items) = self.tree.field(schema, "items") {
            return Ok(Content::Elements(Box::new(self.field_value(items)?)));
        }
        let properties = self.tree.field(schema, "properties");
        let other_fields = self.tree.field(schema, "additionalProperties");
        if properties.is_none() && other_fields.is_none() {
            return Ok(Content::Unknown);
        }
        let mut map = Type {
            other_fields: ValueSchema::new(Content::Unknown),
            ..Type::default()
        };
        let entries = properties.map(|it| self.tree.entries(self.tree.resolve(it)));
        for entry in entries.into_iter().flatten() {
            if let Some(name) = self.tree.key_text(entry) {
                let field = self.field_value(self.tree.entry(entry).value)?;
                map.fields.insert(name.into(), field);
            }
        }
        if let Some(other_fields) = other_fields {
            map.other_fields = self.field_value(other_fields)?;
        }
        Ok(self.types.add_type(map))
    }

    /// Returns the schema of a field or element, which may be an embedded resource.
    fn field_value(&mut self, schema: NodeId) -> Result<ValueSchema, ParseError> {
        match self.tree.field_text(schema, EMBEDDED_RESOURCE) {
            Some("true") => self.resource(schema),
            _ => self.value(schema),
        }
    }

    fn list_type(&self, schema: NodeId) -> Result<ListRule, ParseError> {
        let Some(list_type) = self.tree.field(schema, LIST_TYPE) else {
            return Ok(ListRule::Unknown);
        };
        match self.tree.scalar(list_type).map(|scalar| scalar.content) {
            Some("atomic") => Ok(ListRule::Atomic),
            Some("set") => Ok(ListRule::Set),
            Some("map") => Ok(ListRule::Map(self.map_keys(schema, list_type)?)),
            _ => {
                let message = format!("`{LIST_TYPE}` has to be atomic, set or map");
                let help = "write one of the three, or leave it out: the list is one value then";
                Err(self.tree.error_at(list_type, message).with_help(help))
            }
        }
    }

    fn map_keys(&self, schema: NodeId, list_type: NodeId) -> Result<Vec<MapKey>, ParseError> {
        let help = format!(
            "write `{LIST_MAP_KEYS}: [NAME]` beside it, the fields that identify an element"
        );
        let Some(names) = self.tree.field(schema, LIST_MAP_KEYS) else {
            let message = format!("this list is of type map, and `{LIST_MAP_KEYS}` is missing");
            return Err(self.tree.error_at(list_type, message).with_help(help));
        };
        let elements = self.elements(names);
        let keys: Option<Vec<MapKey>> = elements
            .iter()
            .map(|name| {
                let name = &self.tree.scalar(*name)?.content;
                Some(MapKey::new(name, self.default_of(schema, name)))
            })
            .collect();
        keys.filter(|keys| !keys.is_empty()).ok_or_else(|| {
            let message = format!("`{LIST_MAP_KEYS}` is not a list of names");
            self.tree.error_at(names, message).with_help(help)
        })
    }

    /// Returns the default of a field of a list's elements.
    fn default_of(&self, list: NodeId, name: &str) -> Option<KeyDefault> {
        let path = ["items", "properties", name, "default"];
        let default = self.tree.below(list, &path)?;
        let scalar = self.tree.scalar(default)?;
        (scalar.scalar_type != ScalarType::Null).then(|| KeyDefault {
            scalar_type: scalar.scalar_type,
            content: (scalar.content).into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::schema::{ListRule, Schema};
    use crate::yaml::Tree;

    const HEAD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
        spec:\n  group: acme.io\n  names: {kind: Shop}\n";

    fn schema(properties: &str) -> Schema {
        let text = definition(properties);
        let mut schema = Schema::kubernetes();
        assert_eq!(
            schema.add_definition(&Tree::parse(&text).unwrap().unwrap()),
            Ok(1)
        );
        schema
    }

    fn definition(properties: &str) -> String {
        format!(
            "{HEAD}  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema: {{type: object, properties: {{{properties}}}}}\n"
        )
    }

    #[test]
    fn map_keys_have_defaults() {
        let schema = schema(
            "ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, \
             protocol], items: {type: object, properties: {port: {type: integer}, protocol: \
             {type: string, default: TCP}, weights: {type: array, items: {type: integer}}}}}",
        );
        let ports = schema
            .kind("acme.io/v1", "Shop")
            .unwrap()
            .root
            .field("ports");
        let ListRule::Map(keys) = ports.list() else {
            panic!("{:?}", ports.list())
        };
        assert_eq!(keys[0].default(), None);
        assert_eq!(&*keys[1].default().unwrap().content, "TCP");
        assert_eq!(ports.element().field("weights").list(), &ListRule::Atomic);
        assert_eq!(ports.element().field("unheard").list(), &ListRule::Unknown);
    }

    #[test]
    fn maps_with_any_key_and_atomic_maps() {
        let schema = schema(
            "zones: {type: object, additionalProperties: {type: array, \
             x-kubernetes-list-type: set, items: {type: string}}}, selector: {type: \
             object, x-kubernetes-map-type: atomic, properties: {a: {type: string}}}",
        );
        let root = schema.kind("acme.io/v1", "Shop").unwrap().root;
        assert_eq!(root.field("zones").field("any").list(), &ListRule::Set);
        assert!(root.field("selector").is_atomic_map());
        assert!(!root.field("zones").is_atomic_map());
        assert_eq!(
            root.field("metadata").field("finalizers").list(),
            &ListRule::Set
        );
        assert!(schema.kind("acme.io/v2", "Shop").is_none());
    }

    #[test]
    fn v1beta1_has_one_schema_for_all_versions() {
        let text = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n\
            spec:\n  group: acme.io\n  names: {kind: Shop}\n  validation:\n    openAPIV3Schema:\n      properties:\n        tags: {items: {type: string}, x-kubernetes-list-type: set}\n  versions: [{name: v1}, {name: v2}]\n";
        let mut schema = Schema::kubernetes();
        assert_eq!(
            schema.add_definition(&Tree::parse(text).unwrap().unwrap()),
            Ok(2)
        );
        for version in ["acme.io/v1", "acme.io/v2"] {
            let root = schema.kind(version, "Shop").unwrap().root;
            assert_eq!(root.field("tags").list(), &ListRule::Set);
        }
    }

    #[test]
    fn invalid_schemas() {
        for (properties, at, message) in [
            (
                "a: {x-kubernetes-list-type: bag}",
                "bag",
                "has to be atomic, set or map",
            ),
            ("a: {x-kubernetes-list-type: map}", "map}", "is missing"),
            (
                "a: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: name}",
                "name}",
                "not a list of names",
            ),
            (
                "a: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: []}",
                "[]}",
                "not a list of names",
            ),
        ] {
            let text = definition(properties);
            let tree = Tree::parse(&text).unwrap().unwrap();
            let error = Schema::kubernetes().add_definition(&tree).unwrap_err();
            assert!(error.message.contains(message), "{}", error.message);
            assert_eq!(error.offset, text.find(at).unwrap(), "{properties}");
            assert!(error.help.is_some());
        }
    }
}
