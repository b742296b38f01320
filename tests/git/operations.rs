//! All operations of git that merge go through the driver.

use pretty_assertions::assert_eq;

use crate::harness::{BASE, BOTH, OTHER, OURS, Repository, THEIRS};

const FILE: &str = "shop.yaml";

#[test]
fn without_the_driver_these_changes_are_a_conflict() {
    let repository = Repository::without_driver("repository");
    repository.diverge(FILE, BASE, OURS, THEIRS);
    assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
}

#[test]
fn merge() {
    let repository = Repository::diverged(FILE, BASE, OURS, THEIRS);
    repository.git(&["merge", "-q", "other"]);
    assert_eq!(repository.read(FILE), BOTH);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

#[test]
fn rebase() {
    let repository = Repository::diverged(FILE, BASE, OURS, THEIRS);
    repository.git(&["rebase", "-q", "other"]);
    assert_eq!(repository.read(FILE), BOTH);
}

#[test]
fn cherry_pick() {
    let repository = Repository::diverged(FILE, BASE, OURS, THEIRS);
    repository.git(&["cherry-pick", "other"]);
    assert_eq!(repository.read(FILE), BOTH);
}

#[test]
fn revert() {
    let repository = Repository::new();
    repository.commit(FILE, BASE);
    repository.commit(FILE, THEIRS);
    repository.commit(FILE, BOTH);
    repository.git(&["revert", "--no-edit", "HEAD~1"]);
    assert_eq!(repository.read(FILE), OURS);
}

#[test]
fn stash_pop() {
    let repository = Repository::new();
    repository.commit(FILE, BASE);
    repository.write(FILE, THEIRS);
    repository.git(&["stash", "-q"]);
    repository.commit(FILE, OURS);
    repository.git(&["stash", "pop", "-q"]);
    assert_eq!(repository.read(FILE), BOTH);
}

#[test]
fn an_octopus_with_a_conflict_is_refused_and_changes_nothing() {
    let repository = Repository::diverged(FILE, BASE, OURS, OTHER);
    repository.git(&["checkout", "-q", "-b", "third", "main~1"]);
    repository.commit("third.yaml", "a: 1\n");
    repository.git(&["checkout", "-q", "main"]);
    let before = repository.git(&["rev-parse", "HEAD"]);
    let run = repository.try_git(&["merge", "-q", "third", "other"]);
    assert_eq!(run.status, 1, "{run:?}");
    repository.git(&["reset", "-q", "--hard"]);
    assert_eq!(repository.git(&["rev-parse", "HEAD"]), before);
    assert_eq!(repository.read(FILE), OURS);
}

#[test]
fn an_octopus_that_merges_is_merged() {
    let repository = Repository::diverged(
        FILE,
        BASE,
        OURS,
        BASE.replace("the shop", "a shop").as_str(),
    );
    repository.git(&["checkout", "-q", "-b", "third", "main~1"]);
    repository.commit("third.yaml", "a: 1\n");
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["merge", "-q", "third", "other"]);
    assert_eq!(repository.read(FILE), OURS.replace("the shop", "a shop"));
    assert_eq!(repository.read("third.yaml"), "a: 1\n");
}

#[test]
fn a_rename_on_one_side() {
    let repository = Repository::diverged(FILE, BASE, OURS, THEIRS);
    repository.git(&["mv", FILE, "renamed.yaml"]);
    repository.git(&["commit", "-q", "-m", "rename"]);
    repository.git(&["merge", "-q", "other"]);
    assert_eq!(repository.read("renamed.yaml"), BOTH);
    assert!(!repository.path(FILE).exists());
}

#[test]
fn a_file_that_both_added() {
    let repository = Repository::new();
    repository.commit("readme", "");
    repository.git(&["checkout", "-q", "-b", "other"]);
    repository.commit("values.yaml", "a: 1\nb: 1\ntheirs: 1\n");
    repository.git(&["checkout", "-q", "main"]);
    repository.commit("values.yaml", "ours: 1\na: 1\nb: 1\n");
    repository.git(&["merge", "-q", "other"]);
    assert_eq!(
        repository.read("values.yaml"),
        "ours: 1\na: 1\nb: 1\ntheirs: 1\n"
    );
}

#[test]
fn a_file_that_both_added_with_different_values_is_a_conflict_there() {
    let repository = Repository::new();
    repository.commit("readme", "");
    repository.git(&["checkout", "-q", "-b", "other"]);
    repository.commit("values.yaml", "a: 1\nb: 2\n");
    repository.git(&["checkout", "-q", "main"]);
    repository.commit("values.yaml", "a: 1\nb: 3\n");
    assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
    assert_eq!(
        repository.read("values.yaml"),
        "a: 1\n<<<<<<< HEAD\nb: 3\n=======\nb: 2\n>>>>>>> other\n"
    );
}

#[test]
fn a_conflict_stops_the_merge_and_the_rest_is_merged() {
    let repository = Repository::diverged(FILE, BASE, OURS, OTHER);
    let run = repository.try_git(&["merge", "-q", "other"]);
    assert_eq!(run.status, 1, "{run:?}");
    let expected = "# the shop\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n<<<<<<< HEAD\n  replicas: 2\n=======\n  replicas: 3\n>>>>>>> other\n  image: shop:2\n";
    assert_eq!(repository.read(FILE), expected);
    assert_eq!(
        repository.git(&["status", "--porcelain"]),
        format!("UU {FILE}\n")
    );
}

#[test]
fn conflict_styles_are_followed() {
    for style in ["diff3", "zdiff3"] {
        let repository = Repository::diverged(FILE, BASE, OURS, OTHER);
        repository.git(&["config", "merge.conflictStyle", style]);
        assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
        let merged = repository.read(FILE);
        let at = merged
            .find("<<<<<<< HEAD\n  replicas: 2\n||||||| ")
            .unwrap();
        assert!(
            merged[at..].contains(
                "\n  replicas: 1\n=======\n  replicas: 3\n>>>>>>> other\n  image: shop:2\n"
            ),
            "{merged}"
        );
    }
}

#[test]
fn images_merge_by_their_parts_where_git_is_configured_so() {
    let [base, ours, theirs] = ["quay.io/a:1", "mirror/a:1", "quay.io/a:2"]
        .map(|image| format!("name: shop\nimage: {image}\n"));
    let repository = || Repository::diverged("values.yaml", &base, &ours, &theirs);
    let plain = repository();
    assert_eq!(plain.try_git(&["merge", "-q", "other"]).status, 1);
    let parts = repository();
    parts.git(&["config", "merge3.images", "parts"]);
    parts.git(&["merge", "-q", "other"]);
    assert_eq!(parts.read("values.yaml"), "name: shop\nimage: mirror/a:2\n");
}

#[test]
fn a_criss_cross_merge_has_a_merged_base() {
    let repository = Repository::diverged(FILE, BASE, OURS, THEIRS);
    repository.git(&["branch", "ours"]);
    repository.git(&["merge", "-q", "other"]);
    repository.git(&["checkout", "-q", "other"]);
    repository.git(&["merge", "-q", "ours"]);
    repository.commit(FILE, &BOTH.replace("replicas: 2", "replicas: 5"));
    repository.git(&["checkout", "-q", "main"]);
    repository.commit(FILE, &BOTH.replace("shop:2", "shop:3"));
    repository.git(&["merge", "-q", "other"]);
    let expected = BOTH
        .replace("replicas: 2", "replicas: 5")
        .replace("shop:2", "shop:3");
    assert_eq!(repository.read(FILE), expected);
}
