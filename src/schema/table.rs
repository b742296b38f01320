//! The embedded table of the kinds built into Kubernetes, which is read on first use.
//!
//! `make_table.py` writes the table, `kubernetes.json`. It has each kind, and for each type the
//! fields that differ from the default: maps merge, and lists are one value.

use std::sync::OnceLock;

use super::field_schema::FieldSchema;
use super::types::{Types, ValueSchema};

const TABLE: &str = include_str!("kubernetes.json");

/// The name of the type of `metadata`.
const METADATA: &str = "meta.v1.ObjectMeta";

/// Returns the kinds built into Kubernetes.
pub(super) fn built_in() -> &'static Types {
    static BUILT_IN: OnceLock<Types> = OnceLock::new();
    // a test checks that the table can be read
    BUILT_IN.get_or_init(|| serde_json::from_str(TABLE).unwrap_or_default())
}

/// Returns the schema of a resource of which only the `metadata` is known.
pub(super) fn any_resource() -> FieldSchema<'static> {
    FieldSchema::new(built_in(), &built_in().any_resource)
}

/// Adds the built-in type of `metadata` to `types`.
pub(super) fn copy_metadata(types: &mut Types) -> ValueSchema {
    let metadata = built_in().types.get(METADATA).cloned();
    ValueSchema::new(types.add_type(metadata.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::types::{Content, MapKey};
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

    /// Checks that the types of a value, and of its elements, are in the table.
    fn check_types(value: &ValueSchema) {
        match &value.content {
            Content::Unknown | Content::Default => {}
            Content::Fields(name) => assert!(built_in().types.contains_key(name), "{name}"),
            Content::Elements(element) => check_types(element),
        }
    }

    #[test]
    fn every_line_of_the_table_is_valid() {
        let table: Types = serde_json::from_str(TABLE).unwrap();
        assert_eq!(&table, built_in());
        assert!(table.types.len() > 100 && table.types.contains_key(METADATA));
        check_types(&table.any_resource);
        for fields in table.types.values() {
            fields.fields.values().for_each(check_types);
            check_types(&fields.other_fields);
        }
        let kinds: serde_json::Value = serde_json::from_str(TABLE).unwrap();
        for name in kinds["kinds"].as_object().unwrap().keys() {
            let (api_version, kind) = name.rsplit_once('/').unwrap();
            check_types(table.kind(api_version, kind).unwrap());
        }
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
