//! Tests changes that forks make to whole resources and files (rules: Documents): other names and
//! namespaces, permanent deletions.

use pretty_assertions::assert_eq;

use crate::harness::{Case, resource};

fn two_documents(first: &str, second: &str) -> String {
    format!("{first}---\n{second}")
}

/// Returns a resource with three fields in a namespace.
fn namespaced(name: &str, namespace: &str, fields: [&str; 3]) -> String {
    let [a, b, c] = fields;
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: {namespace}\ndata:\n  a: {a}\n  b: {b}\n  c: {c}\n"
    )
}

#[test]
fn a_fork_in_another_namespace_is_upgraded_in_it() {
    let file = |namespace: &str, fields| {
        two_documents(
            &namespaced("x", namespace, fields),
            &namespaced("y", namespace, fields),
        )
    };
    let case = || {
        Case::of(
            "a.yaml",
            &file("upstream", ["1", "1", "1"]),
            &file("upstream", ["2", "1", "1"]),
            &file("ours", ["1", "1", "1"]),
        )
        .original("b.yaml", &namespaced("z", "upstream", ["1", "1", "1"]))
        .updated("b.yaml", &namespaced("z", "upstream", ["1", "2", "1"]))
        .local("b.yaml", &namespaced("mine", "upstream", ["1", "1", "3"]))
    };
    let run = case().gives(&[
        ("a.yaml", &file("ours", ["2", "1", "1"])),
        ("b.yaml", &namespaced("mine", "upstream", ["1", "2", "3"])),
    ]);
    assert!(
        run.stdout.ends_with(
            ", 0 conflicts\n3 resources have another name or namespace than upstream's and were paired all the same\n"
        ),
        "{}",
        run.stdout
    );
    let run = case().arg(&["-v"]).merge();
    assert!(
        run.stdout.contains(
            "\nrenamed b.yaml:1: original v1 ConfigMap upstream/z | updated v1 ConfigMap upstream/z | local v1 ConfigMap upstream/mine\n"
        ),
        "{}",
        run.stdout
    );
}

#[test]
fn a_resource_moves_where_upstream_moved_it_and_the_user_renamed_it() {
    let (x, y) = (["1", "1", "1"], ["2", "1", "1"]);
    Case::empty()
        .original(
            "a.yaml",
            &two_documents(&namespaced("x", "n", x), &resource("b", "1")),
        )
        .updated("a.yaml", &resource("b", "1"))
        .updated("new.yaml", &namespaced("x", "n", y))
        .local(
            "a.yaml",
            &two_documents(&namespaced("mine", "n", x), &resource("b", "1")),
        )
        .gives(&[
            ("a.yaml", &resource("b", "1")),
            ("new.yaml", &namespaced("mine", "n", y)),
        ]);
}

#[test]
fn a_file_that_the_user_deleted_does_not_come_back_with_something_new() {
    let (a, b) = (resource("a", "1"), resource("b", "1"));
    let case = || {
        Case::empty()
            .all("other.yaml", &b)
            .original("all.yaml", &a)
            .updated("all.yaml", &two_documents(&a, &resource("c", "1")))
            .original("web/a.txt", "1\n")
            .updated("web/a.txt", "2\n")
            .updated("web/sub/b.yaml", &resource("d", "1"))
    };
    let run = case().gives(&[("other.yaml", &b)]);
    let message = "2 files or folders that were deleted here changed upstream and stay deleted\n";
    assert!(run.stdout.ends_with(message), "{}", run.stdout);
    let run = case().arg(&["-v"]).merge();
    for message in [
        "\nconflict all.yaml: deleted-locally: original apiVersion: v1",
        "\nconflict web: deleted-locally: original (1 files) | updated (2 files) | local (absent) -> local\n",
    ] {
        assert!(run.stdout.contains(message), "{message}\n{}", run.stdout);
    }
    let run = case().arg(&["--on-conflict", "markers"]).run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    let tree = case()
        .arg(&["--on-conflict", "local"])
        .gives(&[("other.yaml", &b)]);
    assert!(tree.stdout.contains(message), "{}", tree.stdout);
}

#[test]
fn old_deletions_are_listed_last_and_can_be_acknowledged() {
    let all = |field: &str| {
        let docs: Vec<String> = (0..87)
            .map(|at| resource(&format!("r{at}"), field))
            .collect();
        docs.join("---\n") + "---\n" + &resource("z", field)
    };
    let case = || Case::of("a.yaml", &all("1"), &all("2"), &resource("z", "local"));
    let run = case().gives(&[("a.yaml", &resource("z", "2"))]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.stdout);
    assert!(lines[0].ends_with("88 conflicts"), "{}", lines[0]);
    assert!(
        lines[1].starts_with("conflict a.yaml:6: v1 ConfigMap z: data.field: "),
        "{}",
        lines[1]
    );
    assert_eq!(
        lines[2],
        "87 resources that were deleted here changed upstream and stay deleted"
    );
    let run = case().arg(&["-v"]).merge();
    assert_eq!(run.stdout.matches(": deleted-locally: ").count(), 87);
    let known = "rules:\n- kind: ConfigMap\n  file: a.yaml\n  take: local\n";
    let run = case().local(".merge3.yaml", known).merge();
    assert!(!run.stdout.contains("stay"), "{}", run.stdout);
    assert!(run.stdout.contains(", 1 conflict\n"), "{}", run.stdout);
}

#[test]
fn a_resource_that_the_old_release_has_twice_is_a_warning() {
    let twice = two_documents(&resource("a", "1"), &resource("a", "2"));
    let run = Case::of(
        "a.yaml",
        &twice,
        &resource("a", "3"),
        &(resource("a", "2") + "  ours: 1\n"),
    )
    .gives(&[("a.yaml", &(resource("a", "3") + "  ours: 1\n"))]);
    assert!(
        run.stderr.contains(
            "original/a.yaml:9:1: v1 ConfigMap a occurs twice in the original, in lines 2 and 9"
        ),
        "{}",
        run.stderr
    );
    // two local resources of one identity cannot be merged
    let run = Case::of(
        "a.yaml",
        &twice,
        &resource("a", "3"),
        &(twice.clone() + "  ours: 1\n"),
    )
    .run_untouched();
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("local/a.yaml"), "{}", run.stderr);
}
