//! Tests `install`, `uninstall` and `status`.

use std::fs;

use pretty_assertions::assert_eq;

use crate::harness::{BASE, BOTH, OURS, Repository, THEIRS};

const LINES: &str =
    "*.yaml merge=merge3\n*.yml merge=merge3\n*.json merge=merge3\nKptfile merge=merge3\n";

#[test]
fn install_says_what_it_wrote_and_can_be_repeated() {
    let repository = Repository::without_driver("repository");
    let first = repository.merge3(&["git", "install"]);
    assert_eq!(first.status, 0);
    for line in [
        "merge.merge3.driver",
        "merge3 git driver %O %A %B --path %P --marker-size %L --labels %S %X %Y",
        "    *.yaml merge=merge3\n",
        "MERGE3=0 git merge",
    ] {
        assert!(first.stdout.contains(line), "{line}: {}", first.stdout);
    }
    assert!(!first.stdout.contains("jj config"), "{}", first.stdout);
    assert!(!first.stdout.contains("PATH"), "{}", first.stdout);
    let written = || {
        (
            repository.read(".git/config"),
            repository.read(".gitattributes"),
        )
    };
    let before = written();
    assert_eq!(before.1, LINES);
    let again = repository.merge3(&["git", "install"]);
    assert!(
        again.stdout.contains("was set already")
            && again.stdout.contains("has the patterns already")
    );
    assert_eq!(written(), before);
}

#[test]
fn uninstall_reverts_only_install() {
    let repository = Repository::without_driver("repository");
    repository.git(&["config", "merge.other.driver", "true"]);
    repository.write(".gitattributes", "*.png binary\n*.yaml text\n");
    let before = repository.read(".git/config");
    repository.install();
    assert_eq!(
        repository.read(".gitattributes"),
        format!("*.png binary\n*.yaml text\n{LINES}")
    );
    assert_eq!(repository.merge3(&["git", "uninstall"]).status, 0);
    assert_eq!(
        repository.read(".gitattributes"),
        "*.png binary\n*.yaml text\n"
    );
    assert_eq!(repository.read(".git/config"), before);
    let again = repository.merge3(&["git", "uninstall"]);
    assert_eq!(
        (again.status, again.stdout.as_str()),
        (0, "nothing was set up\n")
    );
}

#[test]
fn an_attributes_file_that_has_nothing_else_goes() {
    let repository = Repository::new();
    repository.merge3(&["git", "uninstall"]);
    assert!(!repository.path(".gitattributes").exists());
}

#[test]
fn from_a_subfolder_the_attributes_go_to_the_top() {
    let repository = Repository::without_driver("repository");
    repository.write("charts/a.yaml", "");
    let run = repository.run(std::process::Command::new("sh").args([
        "-c",
        "cd charts && exec \"$0\" git install",
        crate::harness::merge3(),
    ]));
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(repository.read(".gitattributes"), LINES);
}

#[test]
fn global_sets_up_all_repositories() {
    let repository = Repository::without_driver("repository");
    assert_eq!(repository.merge3(&["git", "install", "--global"]).status, 0);
    let attributes = repository.home().join(".config/git/attributes");
    assert_eq!(fs::read_to_string(&attributes).unwrap(), LINES);
    repository.diverge("shop.yaml", BASE, OURS, THEIRS);
    repository.git(&["merge", "-q", "other"]);
    assert_eq!(repository.read("shop.yaml"), BOTH);
    assert!(!repository.path(".gitattributes").exists());
    assert_eq!(
        repository.merge3(&["git", "uninstall", "--global"]).status,
        0
    );
    assert!(!attributes.exists());
    assert!(
        !fs::read_to_string(repository.home().join(".gitconfig"))
            .unwrap()
            .contains("merge3")
    );
}

#[test]
fn global_follows_the_attributes_file_that_is_configured() {
    let repository = Repository::without_driver("repository");
    repository.git(&[
        "config",
        "--global",
        "core.attributesFile",
        "~/my attributes",
    ]);
    assert_eq!(repository.merge3(&["git", "install", "--global"]).status, 0);
    assert_eq!(
        fs::read_to_string(repository.home().join("my attributes")).unwrap(),
        LINES
    );
}

#[test]
fn status_says_whether_git_uses_it() {
    let repository = Repository::without_driver("repository");
    let before = repository.merge3(&["git", "status"]);
    assert_eq!(before.status, 1);
    assert!(
        before.stdout.contains("driver: not set") && before.stdout.contains("merge3 git install")
    );
    repository.install();
    let after = repository.merge3(&["git", "status"]);
    assert_eq!(after.status, 0, "{after:?}");
    assert!(after.stdout.contains("driver: set\n") && after.stdout.contains(": all\n"));
    repository.write(".gitattributes", "*.yml merge=merge3\n");
    let half = repository.merge3(&["git", "status"]);
    assert_eq!(half.status, 1);
    assert!(half.stdout.contains("3 of 4 missing"));
}

#[test]
fn outside_a_repository_it_says_what_to_do() {
    let repository = Repository::without_driver("repository");
    fs::remove_dir_all(repository.path(".git")).unwrap();
    let run = repository.merge3(&["git", "install"]);
    assert_eq!(run.status, 2);
    assert_eq!(
        run.stderr,
        "error: this is not a git repository: go into one, or use --global\n"
    );
}
