//! The driver follows the settings in git's configuration, wherever git finds them.

use std::fs::{self, File};
use std::io::Write;
use std::process::Command;

use crate::harness::{BASE, OTHER, OURS, Repository};

const FILE: &str = "app.yaml";
const SECTION: &str = "[MERGE]\n\tCONFLICTSTYLE = diff3\n";

/// Whether a merge shows the original lines of its conflict.
fn shows_original(repository: &Repository, command: &mut Command) -> bool {
    let run = repository.run(command);
    assert_eq!(run.status, 1, "{run:?}");
    repository.read(FILE).contains("||||||| ")
}

fn merge() -> Command {
    let mut git = Command::new("git");
    git.args(["merge", "-q", "other"]);
    git
}

#[test]
fn a_configuration_file_has_the_style() {
    let include = "[include]\n\tpath = more\n";
    let include_if = "[includeIf \"onbranch:main\"]\n\tpath = more\n";
    for files in [
        &[("repository/.git/config", SECTION)] as &[_],
        &[("home/.gitconfig", SECTION)],
        &[("home/.config/git/config", SECTION)],
        &[
            ("repository/.git/config", include),
            ("repository/.git/more", SECTION),
        ],
        &[("home/.gitconfig", include_if), ("home/more", SECTION)],
        &[
            (
                "repository/.git/config",
                "[extensions]\n\tworktreeConfig = true\n",
            ),
            ("repository/.git/config.worktree", SECTION),
        ],
    ] {
        let repository = Repository::diverged(FILE, BASE, OURS, OTHER);
        for (file, text) in files {
            let path = repository.root().with_file_name(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let mut file = File::options()
                .append(true)
                .create(true)
                .open(path)
                .unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }
        assert!(shows_original(&repository, &mut merge()), "{files:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_empty_variable_names_no_folder() {
    let repository = Repository::diverged(FILE, BASE, OURS, OTHER);
    let folder = repository.home().join(".config/git");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config"), SECTION).unwrap();
    let mut merge = Command::new("env");
    merge.args(["XDG_CONFIG_HOME=", "git", "merge", "-q", "other"]);
    assert!(shows_original(&repository, &mut merge));
}

#[test]
fn the_call_of_git_has_the_style() {
    let repository = Repository::diverged(FILE, BASE, OURS, OTHER);
    let with = |name, value| {
        repository.git(&["reset", "-q", "--hard"]);
        shows_original(&repository, merge().env(name, value))
    };
    assert!(!with("GIT_CONFIG_NOSYSTEM", "1"));
    assert!(with("GIT_CONFIG_PARAMETERS", "'merge.conflictStyle=diff3'"));
    let file = repository.home().join("other");
    fs::write(&file, SECTION).unwrap();
    assert!(with("GIT_CONFIG_GLOBAL", file.to_str().unwrap()));
}

#[test]
fn a_linked_work_tree_has_the_style_of_its_repository() {
    let repository = Repository::diverged(FILE, BASE, OURS, OTHER);
    repository.git(&["config", "merge.conflictStyle", "diff3"]);
    repository.git(&["worktree", "add", "-q", "-b", "linked", "linked"]);
    let run = repository.try_git(&["-C", "linked", "merge", "-q", "other"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(repository.read("linked/app.yaml").contains("||||||| "));
}

/// Starting git would take longer than the merge.
#[cfg(target_os = "linux")]
#[test]
fn git_is_started_only_if_a_file_has_a_setting() {
    let repository = Repository::without_driver("repository");
    for (name, text) in [("o", BASE), ("l", OURS), ("u", OTHER)] {
        repository.write(name, text);
    }
    let trace = repository.home().join("trace");
    let starts_git = || {
        let mut merge = Command::new(crate::harness::merge3());
        merge
            .args(["merge-file", "-p", "l", "o", "u"])
            .env("GIT_TRACE", &trace);
        let run = repository.run(&mut merge);
        assert_eq!(run.status, 1, "{run:?}");
        fs::remove_file(&trace).is_ok()
    };
    assert!(!starts_git());
    repository.git(&["config", "merge.conflictStyle", "merge"]);
    assert!(starts_git());
    fs::remove_dir_all(repository.path(".git")).unwrap();
    assert!(!starts_git());
}
