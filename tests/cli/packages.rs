//! Tests pairing, moves, additions and deletions (rules: Documents) that the cases in
//! testdata/documents do not cover.

use pretty_assertions::assert_eq;

use crate::harness::{Case, resource};

fn two_documents(first: &str, second: &str) -> String {
    format!("{first}---\n{second}")
}

#[test]
fn nothing_upstream_nothing_done() {
    let case = Case::empty()
        .original("a.yaml", &resource("a", "1"))
        .updated("a.yaml", &resource("a", "1"))
        .local("b/moved.yaml", "# mine\n")
        .local("c.yaml", &resource("a", "local"));
    let run = case.run_untouched();
    assert_eq!(run.status, 0);
    assert!(
        run.stdout.starts_with("4 files read, 0 changed"),
        "{}",
        run.stdout
    );
}

#[test]
fn files_that_the_user_folded_into_one_are_updated_there() {
    Case::empty()
        .original("a.yaml", &resource("a", "1"))
        .original("b.yaml", &resource("b", "1"))
        .updated("a.yaml", &resource("a", "2"))
        .updated("b.yaml", &resource("b", "3"))
        .local(
            "all.yaml",
            &two_documents(&resource("b", "1"), &resource("a", "1")),
        )
        .gives(&[(
            "all.yaml",
            &two_documents(&resource("b", "3"), &resource("a", "2")),
        )]);
}

#[test]
fn a_file_that_upstream_renamed_moves_with_what_is_local_in_it() {
    let local = format!("# license\n\n{}# end\n", resource("a", "1"));
    let run = Case::empty()
        .original("a.yaml", &resource("a", "1"))
        .updated("new/b.yaml", &resource("a", "2"))
        .local("a.yaml", &local)
        .gives(&[("new/b.yaml", &local.replace("field: 1", "field: 2"))]);
    assert!(run.stdout.contains("1 moved"), "{}", run.stdout);
}

#[test]
fn a_resource_that_upstream_moved_to_another_file_moves() {
    let local = resource("a", "1").replace("data:", "data: # mine");
    Case::empty()
        .original(
            "a.yaml",
            &two_documents(&resource("a", "1"), &resource("x", "1")),
        )
        .updated("a.yaml", &resource("x", "1"))
        .original("b.yaml", &resource("b", "1"))
        .updated(
            "b.yaml",
            &two_documents(&resource("b", "1"), &resource("a", "2")),
        )
        .local("a.yaml", &two_documents(&local, &resource("x", "1")))
        .local("b.yaml", &resource("b", "1"))
        .gives(&[
            ("a.yaml", &resource("x", "1")),
            (
                "b.yaml",
                &two_documents(&resource("b", "1"), &local.replace("field: 1", "field: 2")),
            ),
        ]);
}

#[test]
fn with_path_merge_key_a_moved_resource_is_another_one() {
    Case::empty()
        .original("a.yaml", &resource("a", "1"))
        .updated("a.yaml", &resource("a", "1"))
        .updated("b.yaml", &resource("a", "2"))
        .local("a.yaml", &resource("a", "1"))
        .local("c.yaml", &resource("a", "local"))
        .arg(&["--path-merge-key"])
        .gives(&[
            ("a.yaml", &resource("a", "1")),
            ("b.yaml", &resource("a", "2")),
            ("c.yaml", &resource("a", "local")),
        ]);
}

#[test]
fn a_resource_that_was_renamed_locally_is_found_by_its_comment() {
    let local = resource("mine", "1").replace("metadata:", "metadata: # kpt-merge: /a");
    let original = resource("a", "1").replace("metadata:", "metadata: # kpt-merge: /a");
    Case::empty()
        .original("a.yaml", &original)
        .updated("a.yaml", &original.replace("field: 1", "field: 2"))
        .local("b.yaml", &local)
        .gives(&[("b.yaml", &local.replace("field: 1", "field: 2"))]);
}

#[test]
fn generate_name_serves_where_there_is_no_name() {
    let job = |field: &str| resource("a-", field).replace("name:", "generateName:");
    Case::empty()
        .original("a.yaml", &job("1"))
        .updated("a.yaml", &job("2"))
        .local("b.yaml", &job("1"))
        .gives(&[("b.yaml", &job("2"))]);
}

#[test]
fn other_documents_pair_by_path_and_index() {
    Case::of(
        "a.yaml",
        &two_documents("x: 1\n", &two_documents(&resource("a", "1"), "- 1\n")),
        &two_documents("x: 2\n", &two_documents(&resource("a", "1"), "- 2\n")),
        &two_documents(
            &resource("a", "1"),
            &two_documents("# mine\nx: 1\n", "- 1\n"),
        ),
    )
    .gives(&[(
        "a.yaml",
        &two_documents(
            &resource("a", "1"),
            &two_documents("# mine\nx: 2\n", "- 2\n"),
        ),
    )]);
}

#[test]
fn a_document_comes_where_its_neighbours_are() {
    let (a, b, c) = (resource("a", "1"), resource("b", "1"), resource("c", "1"));
    let local = resource("own", "1");
    Case::of(
        "a.yaml",
        &two_documents(&a, &c),
        &two_documents(&a, &two_documents(&b, &c)),
        &two_documents(
            &a,
            &two_documents(&local, &c.replace("field: 1", "field: local")),
        ),
    )
    .gives(&[(
        "a.yaml",
        &two_documents(
            &a,
            &two_documents(
                &local,
                &two_documents(&b, &c.replace("field: 1", "field: local")),
            ),
        ),
    )]);
}

#[test]
fn a_new_file_is_copied_to_the_byte() {
    let text = format!("# new\r\n\r\n---\r\n{}  \r\n", resource("a", "null"));
    Case::empty()
        .updated("x/new.yaml", &text)
        .gives(&[("x/new.yaml", &text)]);
}

#[test]
fn what_upstream_deleted_goes_and_its_file_and_folder_too() {
    let case = Case::empty()
        .original("x/y/a.yaml", &resource("a", "1"))
        .local("x/y/a.yaml", &format!("# mine\n{}", resource("a", "1")))
        .all("b.yaml", &resource("b", "1"));
    let run = case.gives(&[("b.yaml", &resource("b", "1"))]);
    let reported = "conflict x/y/a.yaml:1: v1 ConfigMap a: (comment): deleted-upstream:";
    assert!(
        run.stdout.contains("1 deleted, 1 conflict\n") && run.stdout.contains(reported),
        "{}",
        run.stdout
    );
    assert!(!case.path("local").join("x").exists());
}

#[test]
fn what_upstream_deleted_and_the_user_changed_is_a_conflict() {
    let case = || {
        Case::empty()
            .original("a.yaml", &resource("a", "1"))
            .local("a.yaml", &resource("a", "local"))
    };
    let run = case().gives(&[]);
    assert!(
        run.stdout
            .contains("a.yaml:1: v1 ConfigMap a: deleted-upstream:"),
        "{}",
        run.stdout
    );
    case()
        .arg(&["--on-conflict", "local"])
        .gives(&[("a.yaml", &resource("a", "local"))]);
}

#[test]
fn what_the_user_deleted_stays_deleted() {
    let case = Case::empty()
        .original(
            "a.yaml",
            &two_documents(&resource("a", "1"), &resource("b", "1")),
        )
        .updated(
            "a.yaml",
            &two_documents(&resource("a", "2"), &resource("b", "1")),
        )
        .local("a.yaml", &resource("b", "1"));
    let run = case.gives(&[("a.yaml", &resource("b", "1"))]);
    assert!(
        run.stdout.contains("v1 ConfigMap a: deleted-locally:"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("1 conflict\n"), "{}", run.stdout);
}

#[test]
fn a_file_that_is_the_originals_becomes_upstreams_to_the_byte() {
    Case::of("a.yaml", "# a\na: 1\n", "# b\n\n---\na:   2", "# a\na: 1\n")
        .gives(&[("a.yaml", "# b\n\n---\na:   2")]);
}

#[test]
fn a_null_from_upstream_deletes_in_an_unchanged_file_too() {
    Case::of(
        "a.yaml",
        &resource("a", "1"),
        &resource("a", "null"),
        &resource("a", "1"),
    )
    .gives(&[(
        "a.yaml",
        &resource("a", "1").replace("data:\n  field: 1\n", "data: {}\n"),
    )]);
}

#[test]
fn folders_and_files_change_places() {
    Case::empty()
        .original("a", "a file\n")
        .local("a", "a file\n")
        .updated("a/b.yaml", "b: 1\n")
        .original("c/d.yaml", "d: 1\n")
        .local("c/d.yaml", "d: 1\n")
        .updated("c", "now a file\n")
        .gives(&[("a/b.yaml", "b: 1\n"), ("c", "now a file\n")]);
}

#[test]
fn the_merge_of_the_result_changes_nothing() {
    let case = Case::empty()
        .original(
            "a.yaml",
            &two_documents(&resource("a", "1"), &resource("b", "1")),
        )
        .updated(
            "n.yaml",
            &two_documents(&resource("b", "2"), &resource("c", "1")),
        )
        .local(
            "a.yaml",
            &two_documents(&resource("a", "local"), &resource("b", "1")),
        );
    case.merge();
    let first = case.tree();
    assert_eq!(first.len(), 1, "{first:?}");
    case.merge();
    assert_eq!(case.tree(), first);
}
