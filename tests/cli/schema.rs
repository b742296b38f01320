//! Tests `--schema kubernetes`, `--crd` and the same settings in `.merge3.yaml` (docs/merges.md).

use pretty_assertions::assert_eq;

use crate::harness::Case;

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.acme.io}
spec:
  group: acme.io
  names: {kind: Shop}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
";

fn shop(tags: &str) -> String {
    format!("apiVersion: acme.io/v1\nkind: Shop\nmetadata: {{name: shop}}\ntags: {tags}\n")
}

fn shops() -> Case {
    Case::of(
        "shop.yaml",
        &shop("[a, b]"),
        &shop("[a, c]"),
        &shop("[a, b, d]"),
    )
}

fn with_crd(case: Case, crd: &str) -> Case {
    let case = case.file("elsewhere", "crd.yaml", crd);
    let path = case.path("elsewhere/crd.yaml").display().to_string();
    case.arg(&["--schema", "kubernetes", "--crd", &path])
}

#[test]
fn a_definition_that_is_given_counts() {
    let case = with_crd(shops(), CRD);
    case.merge();
    assert_eq!(case.read("shop.yaml").unwrap(), shop("[a, d, c]"));
}

#[test]
fn a_definition_that_is_given_counts_more_than_one_in_a_package() {
    let atomic = CRD.replace("type: set", "type: atomic");
    let case = with_crd(shops().all("crd.yaml", CRD), &atomic);
    case.merge();
    assert_eq!(case.read("shop.yaml").unwrap(), shop("[a, c]"));
}

#[test]
fn the_rules_file_may_ask_for_the_schema() {
    let case = shops()
        .local(
            ".merge3.yaml",
            "schema: kubernetes\ncrds: [definitions/crd.txt]\n",
        )
        .local("definitions/crd.txt", CRD);
    case.merge();
    assert_eq!(case.read("shop.yaml").unwrap(), shop("[a, d, c]"));
}

#[test]
fn a_rule_counts_more_than_the_schema() {
    let rules = "schema: kubernetes\nrules:\n- path: tags\n  lists: replace\n";
    let case = shops().all("crd.yaml", CRD).local(".merge3.yaml", rules);
    case.merge();
    assert_eq!(case.read("shop.yaml").unwrap(), shop("[a, c]"));
}

#[test]
fn a_definition_in_a_package_that_cannot_be_used_is_a_warning() {
    let broken = CRD.replace("type: set", "type: bag");
    let case = shops()
        .all("crd.yaml", &broken)
        .arg(&["--schema", "kubernetes"]);
    let run = case.merge();
    assert!(
        run.stderr.contains("updated/crd.yaml:12:"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("has to be atomic, set or map"),
        "{}",
        run.stderr
    );
}

#[test]
fn errors_name_their_place() {
    let broken = CRD.replace("type: set", "type: bag");
    with_crd(shops(), &broken).fails_with(&[
        "crd.yaml:12:",
        "has to be atomic, set or map",
        "help:",
    ]);
    with_crd(shops(), "a: [\n").fails_with(&["crd.yaml:2:1", "help:"]);
    with_crd(shops(), &shop("[]")).fails_with(&[
        "crd.yaml:1:1",
        "defines no kind",
        "CustomResourceDefinition",
    ]);
    shops()
        .arg(&["--schema", "kubernetes", "--crd", "nowhere.yaml"])
        .fails_with(&["nowhere.yaml"]);
    shops().arg(&["--crd", "a.yaml"]).fails_with(&["--schema"]);
    shops().arg(&["--schema", "docker"]).fails_with(&["docker"]);
    for (rules, place, message) in [
        ("schema: docker\n", "1:9", "`docker` is not a known value"),
        ("crds: [a.yaml]\n", "1:7", "does not ask for that"),
        (
            "schema: kubernetes\ncrds: a.yaml\n",
            "2:7",
            "a list of files",
        ),
    ] {
        shops().local(".merge3.yaml", rules).fails_with(&[
            &format!("/local/.merge3.yaml:{place}"),
            message,
            "help:",
        ]);
    }
}
