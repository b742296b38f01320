//! Merges of files in different places and with different line breaks.

use pretty_assertions::assert_eq;

use crate::harness::{BASE, BOTH, OURS, Repository, THEIRS};

#[test]
fn crlf_with_autocrlf() {
    let repository = Repository::new();
    repository.git(&["config", "core.autocrlf", "true"]);
    let crlf = |text: &str| text.replace('\n', "\r\n");
    repository.diverge("shop.yaml", &crlf(BASE), &crlf(OURS), &crlf(THEIRS));
    repository.git(&["merge", "-q", "other"]);
    assert_eq!(repository.read("shop.yaml"), crlf(BOTH));
    assert_eq!(repository.git(&["show", "HEAD:shop.yaml"]), BOTH);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

#[test]
fn crlf_in_the_repository() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let repository = Repository::new();
    repository.git(&["config", "core.autocrlf", "false"]);
    // only one side converted the line breaks
    repository.diverge("shop.yaml", BASE, &crlf(OURS), THEIRS);
    repository.git(&["merge", "-q", "other"]);
    assert_eq!(repository.read("shop.yaml"), crlf(BOTH));
}

#[test]
fn a_subfolder_with_attributes_of_its_own() {
    let repository = Repository::without_driver("repository");
    repository.install();
    std::fs::remove_file(repository.path(".gitattributes")).unwrap();
    repository.write("charts/.gitattributes", "*.tpl.txt merge=merge3\n");
    repository.diverge("charts/shop.tpl.txt", BASE, OURS, THEIRS);
    repository.git(&["merge", "-q", "other"]);
    assert_eq!(repository.read("charts/shop.tpl.txt"), BOTH);

    let repository = Repository::new();
    repository.write("charts/.gitattributes", "*.yaml -merge3 merge=text\n");
    repository.diverge("charts/shop.yaml", BASE, OURS, THEIRS);
    assert_eq!(repository.try_git(&["merge", "-q", "other"]).status, 1);
}

#[test]
fn paths_with_spaces_and_quotes() {
    let file = "my charts/it's a \"shop\" $HOME %P.yaml";
    let repository = Repository::without_driver("a 'folder' of mine");
    repository.install();
    repository.diverge(file, BASE, OURS, THEIRS);
    repository.git(&["merge", "-q", "other"]);
    assert_eq!(repository.read(file), BOTH);
}

#[test]
fn json_and_kptfiles() {
    let repository = Repository::new();
    let json = |a: i32, b: i32| format!("{{\n  \"a\": {a},\n  \"b\": {b}\n}}\n");
    repository.write("Kptfile", BASE);
    repository.commit("a.json", &json(1, 1));
    repository.git(&["checkout", "-q", "-b", "other"]);
    repository.write("Kptfile", THEIRS);
    repository.commit("a.json", &json(1, 2));
    repository.git(&["checkout", "-q", "main"]);
    repository.write("Kptfile", OURS);
    repository.commit("a.json", &json(2, 1));
    repository.git(&["merge", "-q", "other"]);
    assert_eq!(repository.read("a.json"), json(2, 2));
    assert_eq!(repository.read("Kptfile"), BOTH);
}
