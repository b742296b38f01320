//! Tests of parsing addresses.

use super::*;

fn clear(text: &str) -> (String, String, Option<String>) {
    let candidates = Address::parse(text).unwrap().0;
    let Ok([(origin, reference)]) = <[_; 1]>::try_from(candidates) else {
        panic!("{text} is not clear");
    };
    (origin.repository, origin.directory, reference)
}

fn parts(
    repository: &str,
    directory: &str,
    reference: Option<&str>,
) -> (String, String, Option<String>) {
    (
        repository.into(),
        directory.into(),
        reference.map(Into::into),
    )
}

#[test]
fn finds_the_end_of_the_repository() {
    let cases = [
        (
            "https://h/o/r.git/a/b@v1",
            parts("https://h/o/r.git", "a/b", Some("v1")),
        ),
        (
            "https://h/o/r.git@a/v1",
            parts("https://h/o/r.git", "", Some("a/v1")),
        ),
        (
            "git@h:o/r.git/d@v1",
            parts("git@h:o/r.git", "d", Some("v1")),
        ),
        ("git@h:o/r.git", parts("git@h:o/r.git", "", None)),
        (
            "https://u@h/o/r//d/@v1",
            parts("https://u@h/o/r", "d", Some("v1")),
        ),
        ("/srv/r.git/d@main", parts("/srv/r.git", "d", Some("main"))),
        (
            "github.com/o/r/a/b@v1",
            parts("https://github.com/o/r", "a/b", Some("v1")),
        ),
        (
            "https://GitHub.com/o/r",
            parts("https://GitHub.com/o/r", "", None),
        ),
        (
            "https://h/o/r//d/e?ref=v1&timeout=9s",
            parts("https://h/o/r", "d/e", Some("v1")),
        ),
        (
            "git::https://h/o/r.git//d?ref=a/v1",
            parts("https://h/o/r.git", "d", Some("a/v1")),
        ),
        (
            "git@h:o/r.git//d?ref=v1",
            parts("git@h:o/r.git", "d", Some("v1")),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(clear(text), expected, "{text}");
    }
}

#[test]
fn returns_candidates_without_a_sign_of_the_end() {
    let candidates = Address::parse("https://u@h/o/r/d@v1").unwrap().0;
    let references = candidates.iter().map(|(_, reference)| reference.as_deref());
    assert_eq!(references.collect::<Vec<_>>(), [Some("v1"); 3]);
    let candidates: Vec<String> = candidates
        .iter()
        .map(|(origin, _)| format!("{} {}", origin.repository, origin.directory))
        .collect();
    assert_eq!(
        candidates,
        [
            "https://u@h/o r/d",
            "https://u@h/o/r d",
            "https://u@h/o/r/d "
        ]
    );
}

#[test]
fn splits_the_address_of_a_page() {
    // the ref is the longest of all that are possible
    let parsed = |text: &str| match Address::parse(text).unwrap().0.first() {
        Some((origin, Some(reference))) => format!("{} {reference}", origin.shown()),
        other => panic!("{text}: {other:?}"),
    };
    for (text, expected) in [
        (
            "https://github.com/o/r/tree/v1/a/b/",
            "https://github.com/o/r v1/a/b",
        ),
        ("github.com/o/r/tree/main", "https://github.com/o/r main"),
        (
            "https://git.h/g/s/r/-/tree/v1/d",
            "https://git.h/g/s/r v1/d",
        ),
        (
            "https://codeberg.org/o/r/src/tag/v1/d",
            "https://codeberg.org/o/r v1/d",
        ),
    ] {
        assert_eq!(parsed(text), expected);
    }
    for twice in [
        "https://github.com/o/r/tree/v1/d@v2",
        "https://github.com/o/r/tree/v1?ref=v2",
    ] {
        assert!(Address::parse(twice).is_err(), "{twice}");
    }
}

#[test]
fn refuses_what_git_could_misunderstand() {
    for text in [
        "--upload-pack=x@v1",
        "ext::sh -c x@v1",
        "https://h/r.git/../x@v1",
        "https://h/r.git@--exec",
        "https://h/r.git@a..b",
        "@v1",
        "https://h/r.git//d?ref=--exec",
        "git::ext::sh -c x",
    ] {
        assert!(Address::parse(text).is_err(), "{text}");
    }
}

#[test]
fn base_name_is_the_last_name_of_the_path() {
    let name = |repository: &str, directory: &str| {
        Origin::new(repository, directory)
            .unwrap()
            .base_name()
            .to_owned()
    };
    assert_eq!(name("https://h/o/r.git", ""), "r");
    assert_eq!(name("https://h/o/r.git", "a/b"), "b");
    assert_eq!(name("h:r", ""), "r");
    assert_eq!(name("/srv/r/.git", ""), "r");
}
