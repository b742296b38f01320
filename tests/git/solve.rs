//! Tests `solve` on files in which git left conflict markers.

use pretty_assertions::assert_eq;

use crate::harness::{BASE, BOTH, OTHER, OURS, Repository, THEIRS};

const FILE: &str = "shop.yaml";

/// Returns a repository with a merge that git did without the driver, with a conflict in the file.
fn left_by_git(style: &str, theirs: &str) -> Repository {
    let repository = Repository::without_driver("repository");
    repository.git(&["config", "merge.conflictStyle", style]);
    repository.diverge(FILE, BASE, OURS, theirs);
    assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
    assert!(repository.read(FILE).contains("<<<<<<< HEAD\n"));
    repository
}

#[test]
fn what_structure_can_merge_is_merged() {
    for style in ["merge", "diff3", "zdiff3"] {
        let repository = left_by_git(style, THEIRS);
        let run = repository.merge3(&["solve", FILE]);
        assert_eq!(run.status, 0, "{run:?}");
        assert_eq!(run.stderr, "1 of 1 conflict solved in shop.yaml\n");
        assert_eq!(repository.read(FILE), BOTH);
    }
}

#[test]
fn what_is_left_is_less_and_can_be_solved_again() {
    let repository = left_by_git("diff3", OTHER);
    let run = repository.merge3(&["solve", FILE]);
    assert_eq!(run.status, 1, "{run:?}");
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
fn markers_without_the_original_are_an_error_where_git_has_none() {
    let repository = left_by_git("merge", THEIRS);
    let before = repository.read(FILE);
    repository.write("copy.yaml", &before);
    let run = repository.merge3(&["solve", "copy.yaml"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("copy.yaml:6") && run.stderr.contains("diff3"),
        "{}",
        run.stderr
    );
    assert_eq!(repository.read("copy.yaml"), before);
}

/// Returns a repository with several conflicts and shared lines between them; structure solves the
/// first one.
fn several_conflicts(style: &str) -> Repository {
    let text = |first: [u8; 2], last: u8| {
        format!(
            "a: {}\nb: {}\nc: 1\nd: 1\ne: 1\nf: 1\nlast: {last}\nz: 1\n",
            first[0], first[1]
        )
    };
    let repository = Repository::without_driver("repository");
    repository.git(&["config", "merge.conflictStyle", style]);
    repository.diverge(FILE, &text([1, 1], 1), &text([2, 1], 2), &text([1, 2], 3));
    assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
    repository
}

#[test]
fn what_was_solved_is_told_and_the_rest_keeps_the_style() {
    let repository = several_conflicts("merge");
    let run = repository.merge3(&["solve", FILE]);
    assert_eq!(run.status, 1, "{run:?}");
    assert_eq!(run.stderr, "1 of 2 conflicts solved in shop.yaml\n");
    let left = repository.read(FILE);
    assert_eq!(
        left,
        "a: 2\nb: 2\nc: 1\nd: 1\ne: 1\nf: 1\n<<<<<<< HEAD\nlast: 2\n=======\nlast: 3\n>>>>>>> other\nz: 1\n"
    );
    let again = repository.merge3(&["solve", FILE]);
    assert_eq!((again.status, repository.read(FILE)), (1, left));
    assert_eq!(again.stderr, "0 of 1 conflict solved in shop.yaml\n");
}

/// The result is that of the driver, although git shows smaller conflicts than `git merge-file`,
/// with shared lines between them.
#[test]
fn what_nobody_edited_is_merged_as_the_driver_does() {
    let text = |a: &str, b: &str, c: &str| format!("x: 1\na: {a}\n\nb: {b}\nc: {c}\ny: 1\n");
    let repository = Repository::without_driver("repository");
    repository.diverge(
        FILE,
        &text("1", "1", "1").replace("\n\n", "\n"),
        &text("2", "2", "1"),
        &text("1", "2", "3").replace("a: 1", "a: 4"),
    );
    assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
    let run = repository.merge3(&["solve"]);
    assert_eq!(run.status, 1, "{run:?}");
    let solved = repository.read(FILE);
    assert_eq!(
        solved,
        "x: 1\n<<<<<<< HEAD\na: 2\n=======\na: 4\n>>>>>>> other\n\nb: 2\nc: 3\ny: 1\n"
    );
}

#[test]
fn what_somebody_edited_stays() {
    for style in ["merge", "diff3", "zdiff3"] {
        let repository = several_conflicts(style);
        // the last conflict is solved by hand, and a line is added
        let text = repository.read(FILE);
        let last = text.rfind("<<<<<<<").unwrap();
        let edited = format!("# mine\n{}last: 23\nz: 9\n", &text[..last]);
        repository.write(FILE, &edited);
        let run = repository.merge3(&["solve", FILE]);
        assert_eq!(run.status, 0, "{run:?}");
        assert_eq!(
            repository.read(FILE),
            "# mine\na: 2\nb: 2\nc: 1\nd: 1\ne: 1\nf: 1\nlast: 23\nz: 9\n"
        );
    }
}

#[test]
fn a_conflict_that_somebody_began_to_edit_is_theirs() {
    let repository = several_conflicts("merge");
    let edited = repository.read(FILE).replace("last: 3\n", "last: 4\n");
    repository.write(FILE, &edited);
    let run = repository.merge3(&["solve", FILE]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.stderr.contains("shop.yaml:12: "), "{}", run.stderr);
    assert!(run.stderr.contains("nothing was changed"), "{}", run.stderr);
    assert_eq!(repository.read(FILE), edited);
}

#[test]
fn without_names_all_unmerged_files_are_solved() {
    let repository = Repository::without_driver("repository");
    let write = |text: &str, notes: &str| {
        for file in ["a.yaml", "deep/b.yaml", "deep/c.json"] {
            repository.write(file, text);
        }
        repository.commit("notes.txt", notes);
    };
    write(BASE, "1\n");
    repository.git(&["checkout", "-q", "-b", "other"]);
    write(THEIRS, "2\n");
    repository.git(&["checkout", "-q", "main"]);
    write(OURS, "3\n");
    let none = repository.merge3(&["solve"]);
    assert_eq!(
        (none.status, none.stderr.as_str()),
        (0, "git has no unmerged files here\n")
    );
    assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
    let notes = repository.read("notes.txt");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "cd deep && exec merge3 solve"]);
    let run = repository.run(&mut command);
    assert_eq!(run.status, 1, "notes.txt still has its conflict: {run:?}");
    let messages: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(
        messages,
        [
            "1 of 1 conflict solved in ../a.yaml",
            "1 of 1 conflict solved in ../deep/b.yaml",
            "1 of 1 conflict solved in ../deep/c.json",
            "../notes.txt is no YAML or JSON: left as it is",
        ]
    );
    for file in ["a.yaml", "deep/b.yaml", "deep/c.json"] {
        assert_eq!(repository.read(file), BOTH);
    }
    assert_eq!(repository.read("notes.txt"), notes);
}

#[test]
fn outside_of_a_repository_files_have_to_be_named() {
    let repository = Repository::without_driver("repository");
    std::fs::remove_dir_all(repository.path(".git")).unwrap();
    let run = repository.merge3(&["solve"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("this is not a git repository"),
        "{run:?}"
    );
}

#[test]
fn files_that_both_sides_added_and_files_with_crlf() {
    let repository = Repository::without_driver("repository");
    repository.git(&["config", "core.autocrlf", "true"]);
    repository.commit("other.yaml", "a: 1\r\n");
    repository.git(&["checkout", "-q", "-b", "other"]);
    repository.commit(FILE, "a: 1\r\nb: 2\r\n");
    repository.git(&["checkout", "-q", "main"]);
    repository.commit(FILE, "a: 1\r\nc: 3\r\n");
    assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
    let run = repository.merge3(&["solve", FILE]);
    assert_eq!(run.status, 0, "{run:?}");
    let merged = repository.read(FILE);
    assert!(
        merged.contains("b: 2\r\n") && merged.contains("c: 3\r\n") && !merged.contains("<<<"),
        "{merged:?}"
    );
}

#[test]
fn as_mergetool_of_git() {
    let repository = several_conflicts("merge");
    repository.merge3(&["git", "mergetool", "--install"]);
    let tool = || {
        repository
            .try_git(&["mergetool", "--no-prompt", "--tool=merge3"])
            .status
    };
    // the solved conflicts are kept, although one is left
    assert_eq!(tool(), 1);
    let left = repository.read(FILE);
    assert!(
        left.starts_with("a: 2\nb: 2\n") && left.contains("<<<<<<<"),
        "{left}"
    );
    assert_eq!(
        repository.git(&["diff", "--name-only", "--diff-filter=U"]),
        "shop.yaml\n"
    );
    // a solved file is staged
    let repository = left_by_git("merge", THEIRS);
    repository.merge3(&["git", "mergetool", "--install"]);
    let run = repository.try_git(&["mergetool", "--no-prompt", "--tool=merge3"]);
    assert_eq!(
        (run.status, repository.read(FILE)),
        (0, BOTH.to_owned()),
        "{run:?}"
    );
    assert_eq!(
        repository.git(&["diff", "--name-only", "--diff-filter=U"]),
        ""
    );
    repository.merge3(&["git", "uninstall"]);
    assert!(!repository.read(".git/config").contains("merge3"));
}

#[test]
fn a_file_without_markers_is_an_error() {
    let repository = Repository::without_driver("repository");
    repository.write(FILE, BASE);
    let run = repository.merge3(&["solve", FILE]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("no conflict markers"));
    assert_eq!(repository.merge3(&["solve", "missing.yaml"]).status, 2);
}

#[test]
fn markers_that_do_not_match_up_are_an_error_with_their_line() {
    let repository = Repository::without_driver("repository");
    repository.write(FILE, "a: 1\n<<<<<<< a\nx: 1\n=======\nx: 2\n");
    let run = repository.merge3(&["solve", FILE]);
    assert_eq!(run.status, 2, "{run:?}");
    let message = "error: shop.yaml:2: the conflict markers do not match up";
    assert!(run.stderr.starts_with(message), "{run:?}");
}

#[test]
fn markers_have_the_length_that_the_attributes_say() {
    let repository = Repository::without_driver("repository");
    repository.write(".gitattributes", "*.yaml conflict-marker-size=12\n");
    repository.diverge(FILE, BASE, OURS, OTHER);
    assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
    let wrong = repository.merge3(&["solve", "--marker-size", "9", FILE]);
    assert_eq!(wrong.status, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("use --marker-size 12"), "{wrong:?}");
    assert_eq!(repository.merge3(&["solve"]).status, 1);
    let left = repository.read(FILE);
    let start = "# the shop\n";
    assert!(
        left.starts_with(start) && left.contains("\n<<<<<<<<<<<< HEAD\n"),
        "{left}"
    );
    repository.merge3(&["git", "mergetool", "--install"]);
    let run = repository.try_git(&["mergetool", "--no-prompt", "--tool=merge3"]);
    assert_eq!(run.status, 1, "{run:?}");
    let unmerged = repository.git(&["diff", "--name-only", "--diff-filter=U"]);
    assert_eq!(unmerged, "shop.yaml\n");
}

#[test]
fn a_conflict_without_markers_is_unsolved() {
    for (attributes, base, ours, theirs) in [
        ("*.yaml -merge\n", BASE, OURS, THEIRS),
        ("", "a: \0\n", "b: \0\n", "c: \0\n"),
    ] {
        let repository = Repository::without_driver("repository");
        repository.write(".gitattributes", attributes);
        repository.diverge(FILE, base, ours, theirs);
        assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
        let run = repository.merge3(&["solve"]);
        assert_eq!(run.status, 1, "{run:?}");
        assert!(run.stderr.contains("choose a side"), "{run:?}");
        assert_eq!(repository.read(FILE), ours);
        // the other side's version is a decision
        repository.write(FILE, theirs);
        assert_eq!(repository.merge3(&["solve"]).status, 0);
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_both_sides_changed_is_unsolved() {
    let repository = Repository::without_driver("repository");
    repository.write("target", BASE);
    let link = repository.path(FILE);
    let commit = |target: &str| {
        std::fs::remove_file(&link).ok();
        std::os::unix::fs::symlink(target, &link).unwrap();
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-qm", target]);
    };
    commit("base");
    repository.git(&["checkout", "-qb", "other"]);
    commit("theirs");
    repository.git(&["checkout", "-q", "-"]);
    commit("target");
    assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
    let run = repository.merge3(&["solve"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.stderr.contains("symbolic link"), "{run:?}");
}

#[test]
fn what_is_no_yaml_stays_as_it_is() {
    let repository = Repository::without_driver("repository");
    let text = "{{ x }}\n<<<<<<< a\none\n||||||| b\ntwo\n=======\nthree\n>>>>>>> c\n";
    repository.write("x.yaml", text);
    assert_eq!(repository.merge3(&["solve", "x.yaml"]).status, 1);
    assert_eq!(repository.read("x.yaml"), text);
}

/// Solves what `merge-file` leaves of three texts in diff3 style: `solve` must find the three texts
/// in it that `merge-file` had.
fn solved_after_merge_file(base: &str, ours: &str, theirs: &str) -> (Repository, String, i32) {
    let repository = Repository::without_driver("repository");
    for (name, text) in [("base", base), (FILE, ours), ("theirs", theirs)] {
        repository.write(name, text);
    }
    let run = repository.merge3(&["merge-file", "--diff3", FILE, "base", "theirs"]);
    assert_eq!(run.status, 1, "{run:?}");
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
    assert_eq!(
        status, 1,
        "the conflict is not solved by another run:\n{left}"
    );
}

#[test]
fn a_conflict_in_the_first_line_below_a_byte_order_mark_can_be_read_again() {
    let (repository, left, status) = solved_after_merge_file(
        "\u{feff}port: 80\n",
        "\u{feff}port: 81\n",
        "\u{feff}port: 82\n",
    );
    assert_eq!(repository.read(FILE), left);
    assert_eq!(
        status, 1,
        "the conflict is not solved by another run:\n{left}"
    );
}
