//! Which kinds have no namespace.

/// Kubernetes' own: the API group, and the kinds of it.
const CLUSTER_SCOPED: [(&str, &[&str]); 14] = [
    ("", &["Namespace", "Node", "PersistentVolume"]),
    (
        "admissionregistration.k8s.io",
        &[
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
    ),
    ("apiextensions.k8s.io", &["CustomResourceDefinition"]),
    ("apiregistration.k8s.io", &["APIService"]),
    (
        "certificates.k8s.io",
        &["CertificateSigningRequest", "ClusterTrustBundle"],
    ),
    ("extensions", &["PodSecurityPolicy"]),
    (
        "flowcontrol.apiserver.k8s.io",
        &["FlowSchema", "PriorityLevelConfiguration"],
    ),
    (
        "networking.k8s.io",
        &["IPAddress", "IngressClass", "ServiceCIDR"],
    ),
    ("node.k8s.io", &["RuntimeClass"]),
    ("policy", &["PodSecurityPolicy"]),
    (
        "rbac.authorization.k8s.io",
        &["ClusterRole", "ClusterRoleBinding"],
    ),
    ("resource.k8s.io", &["DeviceClass", "ResourceSlice"]),
    ("scheduling.k8s.io", &["PriorityClass"]),
    (
        "storage.k8s.io",
        &[
            "CSIDriver",
            "CSINode",
            "StorageClass",
            "VolumeAttachment",
            "VolumeAttributesClass",
        ],
    ),
];

/// Whether Kubernetes' own kind of a group has no namespace.
pub(super) fn is_cluster_scoped(group: &str, kind: &str) -> bool {
    CLUSTER_SCOPED
        .iter()
        .any(|(of, kinds)| *of == group && kinds.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;
    use crate::yaml::Tree;

    #[test]
    fn kinds_of_no_namespace() {
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
        assert!(CLUSTER_SCOPED.is_sorted_by_key(|(group, _)| *group));
    }
}
