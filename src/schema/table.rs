//! Reads the embedded table of the kinds built into Kubernetes, on first use.
//!
//! `make_table.py` writes the table, `kubernetes.txt`. It has a line for each kind, a line for each
//! cluster-scoped kind, and for each type its fields that differ from the default: maps merge, and
//! lists are one value.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::field_schema::FieldSchema;
use super::types::{Content, KeyDefault, ListRule, MapKey, Type, Types, ValueSchema};
use crate::yaml::ScalarType;

const TABLE: &str = include_str!("kubernetes.txt");

/// The name of the type of `metadata`.
const METADATA: &str = "meta.v1.ObjectMeta";

struct BuiltIn {
    types: Types,
    any_resource: ValueSchema,
    metadata: ValueSchema,
}

/// Returns the kinds built into Kubernetes.
pub(super) fn built_in() -> &'static Types {
    &table().types
}

/// Returns the schema of a resource of which only the `metadata` is known.
pub(super) fn any_resource() -> FieldSchema<'static> {
    FieldSchema::new(&table().types, &table().any_resource)
}

/// Adds the built-in type of `metadata` to `types`.
pub(super) fn copy_metadata(types: &mut Types) -> ValueSchema {
    ValueSchema::new(match table().metadata.content {
        Content::Fields(id) => types.add_type(built_in().types[id].clone()),
        _ => Content::Default,
    })
}

fn table() -> &'static BuiltIn {
    static BUILT_IN: OnceLock<BuiltIn> = OnceLock::new();
    BUILT_IN.get_or_init(|| parse_table(TABLE))
}

fn parse_table(table: &str) -> BuiltIn {
    let mut types = Types::default();
    let lines = || {
        let words = table
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        table.lines().map(|line| line.starts_with(' ')).zip(words)
    };
    let mut contents: FxHashMap<&str, Content> = FxHashMap::default();
    for (is_field, words) in lines() {
        if let (false, ["type", name, attributes @ ..]) = (is_field, words.as_slice()) {
            let other_fields = match attributes {
                ["open"] => Content::Unknown,
                _ => Content::Default,
            };
            contents.insert(name, types.add_type(Type::without_fields(other_fields)));
        }
    }
    let content = |name: &str| contents.get(name).cloned().unwrap_or(Content::Default);
    let mut current: Option<&Content> = None;
    for (is_field, words) in lines() {
        match (is_field, words.as_slice(), current) {
            (true, [name, shape, attributes @ ..], Some(Content::Fields(id))) => {
                let value = field(shape, attributes, content);
                types.types[*id].fields.insert((*name).into(), value);
            }
            (false, ["type", name, ..], _) => current = contents.get(name),
            (false, ["kind", api_version, kind, name], _) => {
                types.add_kind(api_version, kind, ValueSchema::new(content(name)));
            }
            // a dash stands for the core group, which has no name
            (false, ["cluster", group, kind], _) => {
                types.add_cluster_scoped(group.trim_start_matches('-'), kind);
            }
            _ => {}
        }
    }
    let metadata = ValueSchema::new(content(METADATA));
    let root = types.add_type(Type {
        fields: FxHashMap::from_iter([("metadata".into(), metadata.clone())]),
        ..Type::without_fields(Content::Unknown)
    });
    BuiltIn {
        types,
        any_resource: ValueSchema::new(root),
        metadata,
    }
}

/// Reads the line of a field after its name: `TYPE`, `[TYPE]` or `-`, and then `NAME=VALUE`
/// attributes.
fn field(shape: &str, attributes: &[&str], content: impl Fn(&str) -> Content) -> ValueSchema {
    let elements = shape
        .strip_prefix('[')
        .and_then(|shape| shape.strip_suffix(']'));
    let mut value = ValueSchema::new(match elements {
        Some(name) => Content::Elements(Box::new(ValueSchema::new(content(name)))),
        None => content(shape),
    });
    let word = |name: &str| {
        let mut words = attributes.iter().filter_map(|word| word.split_once('='));
        words.find_map(|(found, value)| (found == name).then_some(value))
    };
    let keys = |names: &str| names.split(',').map(map_key).collect::<Vec<MapKey>>();
    let has_strategy = |name| word("patch").is_some_and(|it| it.split(',').any(|it| it == name));
    value.is_patched_whole = has_strategy("replace");
    value.retains_keys = has_strategy("retainKeys");
    if elements.is_some() {
        value.patch_list = match word("by").or(word("keys")) {
            _ if !has_strategy("merge") => ListRule::Atomic,
            Some(names) => ListRule::Map(keys(names)),
            None => ListRule::Set,
        };
        value.list = match word("list") {
            Some("map") => ListRule::Map(word("keys").map(keys).unwrap_or_default()),
            Some("set") => ListRule::Set,
            Some(_) => ListRule::Atomic,
            None => value.patch_list.clone(),
        };
    }
    value
}

/// Reads `NAME` or `NAME=DEFAULT`. The defaults in the table are strings.
fn map_key(text: &str) -> MapKey {
    let default = |content: &str| KeyDefault {
        scalar_type: ScalarType::Str,
        content: content.into(),
    };
    match text.split_once('=') {
        Some((name, content)) => MapKey::new(name, Some(default(content))),
        None => MapKey::new(text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{ListRule, Schema};

    fn field_at(api_version: &str, kind: &str, path: &str) -> FieldSchema<'static> {
        let value = built_in().kind(api_version, kind).unwrap();
        let steps = path.split('.').filter(|step| !step.is_empty());
        steps.fold(
            FieldSchema::new(built_in(), value),
            |schema, step| match step {
                "[]" => schema.element(),
                name => schema.field(name),
            },
        )
    }

    fn keys(schema: FieldSchema<'_>) -> Vec<(&str, Option<&str>)> {
        match schema.list() {
            ListRule::Map(keys) => keys
                .iter()
                .map(|key| (key.name(), key.default().map(|default| &*default.content)))
                .collect(),
            other => panic!("{other:?}"),
        }
    }

    fn merge_by(name: &str) -> ListRule {
        ListRule::Map(vec![MapKey::new(name, None)])
    }

    #[test]
    fn every_line_of_the_table_is_valid() {
        let mut types = 0;
        for line in TABLE.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["#", ..] => {}
                ["kind", _, _, name] => assert!(
                    *name == "-" || TABLE.contains(&format!("\ntype {name}")),
                    "{line}"
                ),
                ["cluster", _, _] => {}
                ["type", _] | ["type", _, "open"] => types += 1,
                [_, shape, attributes @ ..] if line.starts_with(' ') => {
                    let name = shape.trim_matches(['[', ']']);
                    assert!(
                        matches!(name, "" | "-") || TABLE.contains(&format!("\ntype {name}\n")),
                        "{line}"
                    );
                    for word in attributes {
                        let known = ["list=", "keys=", "patch=", "by="];
                        assert!(known.iter().any(|name| word.starts_with(name)), "{line}");
                    }
                }
                _ => panic!("{line}"),
            }
        }
        assert!(types > 100);
    }

    #[test]
    fn lists_of_pods() {
        let pod = "spec.template.spec";
        let deployment = |path: &str| field_at("apps/v1", "Deployment", &format!("{pod}.{path}"));
        assert_eq!(keys(deployment("containers")), [("name", None)]);
        assert_eq!(
            keys(deployment("containers.[].ports")),
            [("containerPort", None), ("protocol", Some("TCP"))]
        );
        assert_eq!(
            deployment("containers.[].ports").patch_list(),
            &merge_by("containerPort")
        );
        assert_eq!(
            keys(deployment("containers.[].volumeMounts")),
            [("mountPath", None)]
        );
        assert_eq!(deployment("containers.[].args").list(), &ListRule::Atomic);
        assert_eq!(
            deployment("containers.[].args").patch_list(),
            &ListRule::Atomic
        );
        assert_eq!(deployment("tolerations").list(), &ListRule::Atomic);
        assert_eq!(
            keys(deployment("topologySpreadConstraints")),
            [("topologyKey", None), ("whenUnsatisfiable", None)]
        );
        assert!(deployment("volumes").retains_keys());
        assert!(field_at("apps/v1", "Deployment", "spec.strategy").retains_keys());
        assert_eq!(
            field_at("apps/v1", "Deployment", "metadata.finalizers").list(),
            &ListRule::Set
        );
        assert!(field_at("policy/v1", "PodDisruptionBudget", "spec.selector").is_patched_whole());
    }

    #[test]
    fn list_type_and_patch_strategy_may_differ() {
        let conditions = field_at("batch/v1", "Job", "status.conditions");
        assert_eq!(conditions.list(), &ListRule::Atomic);
        assert_eq!(conditions.patch_list(), &merge_by("type"));
        let ports = field_at("v1", "Service", "spec.ports");
        assert_eq!(keys(ports), [("port", None), ("protocol", Some("TCP"))]);
        assert_eq!(ports.patch_list(), &merge_by("port"));
    }

    #[test]
    fn unknown_kinds_and_fields() {
        let schema = Schema::kubernetes();
        assert!(schema.kind("acme.io/v1", "Shop").is_none());
        let images = field_at("kustomize.config.k8s.io/v1beta1", "Kustomization", "images");
        assert_eq!(images.list(), &ListRule::Unknown);
        assert_eq!(
            any_resource().field("metadata").field("finalizers").list(),
            &ListRule::Set
        );
        assert_eq!(
            any_resource().field("spec").field("ports").list(),
            &ListRule::Unknown
        );
        assert_eq!(
            any_resource().field("spec").patch_list(),
            &ListRule::Unknown
        );
    }
}
