//! Files in which git left conflict markers.

use pretty_assertions::assert_eq;

use crate::harness::{BASE, BOTH, OTHER, OURS, Repository, THEIRS};

const FILE: &str = "shop.yaml";

/// A merge that git did without the driver, with its conflict in the file.
fn left_by_git(style: &str, theirs: &str) -> Repository {
    let repository = Repository::bare_of_driver("repository");
    repository.git(&["config", "merge.conflictStyle", style]);
    repository.diverge(FILE, BASE, OURS, theirs);
    assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
    assert!(repository.read(FILE).contains("<<<<<<< HEAD\n"));
    repository
}

#[test]
fn what_structure_can_merge_is_merged() {
    for style in ["diff3", "zdiff3"] {
        let repository = left_by_git(style, THEIRS);
        let ran = repository.merge3(&["solve", FILE]);
        assert_eq!(ran.status, 0, "{ran:?}");
        assert_eq!(repository.read(FILE), BOTH);
    }
}

#[test]
fn what_is_left_is_less_and_can_be_solved_again() {
    let repository = left_by_git("diff3", OTHER);
    let ran = repository.merge3(&["solve", FILE]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let left = repository.read(FILE);
    let hunk = &left[left.find("<<<<<<<").unwrap()..];
    assert!(
        hunk.starts_with("<<<<<<< HEAD\n  replicas: 2\n||||||| "),
        "{hunk}"
    );
    assert!(
        hunk.ends_with("\n  replicas: 1\n=======\n  replicas: 3\n>>>>>>> other\n  image: shop:2\n"),
        "{hunk}"
    );
    assert_eq!(repository.merge3(&["solve", FILE]).status, 1);
    assert_eq!(repository.read(FILE), left);
}

#[test]
fn markers_without_the_original_are_an_error_that_says_what_to_do() {
    let repository = left_by_git("merge", THEIRS);
    let before = repository.read(FILE);
    let ran = repository.merge3(&["solve", FILE]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("shop.yaml:6") && ran.stderr.contains("diff3"),
        "{}",
        ran.stderr
    );
    assert_eq!(repository.read(FILE), before);
    // what it says works
    repository.git(&["checkout", "--conflict=diff3", "--", FILE]);
    assert_eq!(repository.merge3(&["solve", FILE]).status, 0);
    assert_eq!(repository.read(FILE), BOTH);
}

#[test]
fn a_file_without_markers_is_an_error() {
    let repository = Repository::bare_of_driver("repository");
    repository.write(FILE, BASE);
    let ran = repository.merge3(&["solve", FILE]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("no conflict markers"));
    assert_eq!(repository.merge3(&["solve", "missing.yaml"]).status, 2);
}

#[test]
fn what_is_no_yaml_stays_as_it_is() {
    let repository = Repository::bare_of_driver("repository");
    let text = "{{ x }}\n<<<<<<< a\none\n||||||| b\ntwo\n=======\nthree\n>>>>>>> c\n";
    repository.write("x.yaml", text);
    assert_eq!(repository.merge3(&["solve", "x.yaml"]).status, 1);
    assert_eq!(repository.read("x.yaml"), text);
}

/// What `merge-file` leaves of three texts in the style diff3, solved: `solve` has to find in it
/// what `merge-file` found.
fn solved_after_merge_file(base: &str, ours: &str, theirs: &str) -> (Repository, String, i32) {
    let repository = Repository::bare_of_driver("repository");
    for (name, text) in [("base", base), (FILE, ours), ("theirs", theirs)] {
        repository.write(name, text);
    }
    let ran = repository.merge3(&["merge-file", "--diff3", FILE, "base", "theirs"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let left = repository.read(FILE);
    let status = repository.merge3(&["solve", FILE]).status;
    (repository, left, status)
}

#[test]
fn what_one_side_deleted_does_not_come_back() {
    let (repository, left, status) = solved_after_merge_file(
        "hosts:\n- one\n\n- two\n\n",
        "hosts:\n- one\n\n",
        "port: 81\nhosts:\n- one\n\n- new\n\n- two\n\n",
    );
    assert_eq!(repository.read(FILE), left);
    assert_eq!(status, 1, "the conflict is still one:\n{left}");
}

#[test]
fn a_conflict_in_the_first_line_below_a_byte_order_mark_can_be_read_again() {
    let (repository, left, status) = solved_after_merge_file(
        "\u{feff}port: 80\n",
        "\u{feff}port: 81\n",
        "\u{feff}port: 82\n",
    );
    assert_eq!(repository.read(FILE), left);
    assert_eq!(status, 1, "the conflict is still one:\n{left}");
}
