//! Tests `.merge3.yaml` (docs/config.md).

use pretty_assertions::assert_eq;

use crate::harness::Case;

/// Returns the example in the docs.
fn example() -> &'static str {
    let text = include_str!("../../docs/config.md");
    text.split_once("```yaml\n")
        .unwrap()
        .1
        .split_once("```")
        .unwrap()
        .0
}

fn deployment(replicas: &str, cpu: &str, args: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: {replicas}\n  template:\n    spec:\n      containers:\n      - name: web\n        args: {args}\n        resources:\n          cpu: {cpu}\n"
    )
}

fn service(ports: &str) -> String {
    format!("apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n{ports}")
}

#[test]
fn the_example_in_the_docs_does_what_it_says() {
    let case = Case::of(
        "web.yaml",
        &deployment("1", "1", "[a, b]"),
        &deployment("2", "2", "[a, b, new]"),
        &deployment("3", "3", "[own, a, b]"),
    )
    .original(
        "service.yaml",
        &service("  - {name: a, port: 1}\n  - {name: b, port: 2}\n"),
    )
    .updated(
        "service.yaml",
        &service("  - {name: a, port: 1, nodePort: 7}\n  - {name: b, port: 2}\n"),
    )
    .local(
        "service.yaml",
        &service("  - {name: mine, port: 1}\n  - {name: b, port: 2}\n"),
    )
    .original("dashboards/x/a.json", "{\"a\": 1}\n")
    .updated("dashboards/x/a.json", "{\"a\": 2}\n")
    .local("dashboards/x/a.json", "{\"a\": 3}\n")
    .local(".merge3.yaml", example())
    .arg(&["--on-conflict", "fail"]);
    let run = case.merge();
    assert_eq!(run.stderr, "");
    assert_eq!(
        case.read("web.yaml").unwrap(),
        deployment("3", "2", "[own, a, b, new]")
    );
    assert_eq!(
        case.read("service.yaml").unwrap(),
        service("  - {name: mine, port: 1, nodePort: 7}\n  - {name: b, port: 2}\n")
    );
    assert_eq!(case.read("dashboards/x/a.json").unwrap(), "{\"a\": 3}\n");
    assert_eq!(case.read(".merge3.yaml").unwrap(), example());
    assert!(
        run.stdout.contains("-> local (by .merge3.yaml:3)"),
        "{}",
        run.stdout
    );
}

#[test]
fn rules_can_be_somewhere_else() {
    let case = Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 3\n").file(
        "",
        "rules",
        "rules: [{path: a, take: local}]\n",
    );
    let rules = case.path("rules");
    let case = case.arg(&["--config", rules.to_str().unwrap()]);
    case.gives(&[("a.yaml", "a: 3\n")]);
}

#[test]
fn errors_name_their_place() {
    for (rules, place, message) in [
        (
            "rules:\n- path: a\n  tkae: local\n",
            "3:3",
            "`tkae` is not a known value",
        ),
        (
            "rules:\n- path: a\n  take: mine\n",
            "3:9",
            "`mine` is not a known value",
        ),
        (
            "rules:\n- path: a[b\n  take: local\n",
            "2:10",
            "a `]` is missing",
        ),
        ("rules:\n- path: a\n", "2:3", "has no effect"),
        ("rules:\n- keys: [a]\n", "2:3", "does not say which"),
        (
            "rules:\n- path: a\n  keys: [a, b, c]\n",
            "3:9",
            "one key or two",
        ),
        (
            "rules:\n- path: a\n  lists: set\n  keys: [a]\n",
            "2:3",
            "exclude each other",
        ),
        ("- path: a\n", "1:1", "`rules`"),
        ("rule: []\n", "1:1", "`rule` is not a known value"),
        ("rules: [\n", "", ""),
    ] {
        Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 3\n")
            .local(".merge3.yaml", rules)
            .fails_with(&[&format!("/local/.merge3.yaml:{place}"), message, "help:"]);
    }
}
