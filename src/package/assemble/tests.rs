use super::super::head::begins_with_marker;
use super::*;
use pretty_assertions::assert_eq;

fn assembled(text: &str, removed: &[usize], inserted: &[(usize, &str)]) -> String {
    let file = ParsedFile::parse(std::path::Path::new("a.yaml"), text).unwrap();
    let actions: Vec<Action> = (0..file.documents.len())
        .map(|index| match removed.contains(&index) {
            true => Action::Remove,
            false => Action::Keep,
        })
        .collect();
    let insertions: Vec<Insertion> = inserted
        .iter()
        .map(|(before, text)| Insertion {
            before: *before,
            text: (*text).to_owned(),
            marks: None,
        })
        .collect();
    joined(&file, &actions, &insertions)
}

fn joined(file: &ParsedFile<'_>, actions: &[Action], insertions: &[Insertion]) -> String {
    Assembly {
        file,
        head: file.head,
        has_marker: begins_with_marker(file),
        actions,
        positions: &Vec::from_iter(0..actions.len()),
        insertions,
    }
    .joined()
}

#[test]
fn unchanged_documents_are_copied() {
    for text in [
        "a: 1\n---\nb: 2",
        "\u{feff}---\r\na: 1\r\n---\r\n",
        "%YAML 1.2\n---\na: 1\n...\nb: 2\n",
        "# only a comment\n",
    ] {
        assert_eq!(assembled(text, &[], &[]), text);
    }
}

#[test]
fn a_document_takes_its_marker_along() {
    assert_eq!(
        assembled("a: 1\n---\nb: 2\n---\nc: 3\n", &[1], &[]),
        "a: 1\n---\nc: 3\n"
    );
    assert_eq!(assembled("a: 1\n---\nb: 2\n", &[1], &[]), "a: 1\n");
    assert_eq!(
        assembled("---\na: 1\n---\nb: 2\n", &[0], &[]),
        "---\nb: 2\n"
    );
}

#[test]
fn a_file_does_not_start_with_a_marker_it_did_not_have() {
    assert_eq!(
        assembled("a: 1\n# a's\n---\n# b's\n\nb: 2\n", &[0], &[]),
        "# b's\n\nb: 2\n"
    );
    assert_eq!(
        assembled("a: 1\n--- # b\nb: 2\n", &[0], &[]),
        "--- # b\nb: 2\n"
    );
}

fn replaced(text: &str, actions: &[Action]) -> String {
    let file = ParsedFile::parse(std::path::Path::new("a.yaml"), text).unwrap();
    joined(&file, actions, &[])
}

#[test]
fn directives_get_an_end_marker_above() {
    let with = |text: &str| {
        let actions = [Action::Keep, Action::Replace(text.to_owned())];
        replaced("a: 1\n---\nb: 2\n", &actions)
    };
    assert_eq!(with("%YAML 1.2\n---\nb: 3\n"), "a: 1\n---\nb: 3\n");
    let tag = "%TAG !x! tag:x\n---\nb: !x!y 3\n";
    assert_eq!(with(tag), format!("a: 1\n...\n{tag}"));
}

#[test]
fn a_document_without_a_marker_gets_one_below_another_text() {
    let with = |text: &str| {
        let actions = [Action::Replace(text.to_owned()), Action::Keep];
        replaced("a: 1\n...\nb: 2\n", &actions)
    };
    assert_eq!(with("a: 2\n...\n"), "a: 2\n...\nb: 2\n");
    assert_eq!(with("a: 2\n"), "a: 2\n---\nb: 2\n");
}

#[test]
fn the_head_of_the_file_stays() {
    assert_eq!(
        assembled("# license\n\n# a's\na: 1\n---\nb: 2\n", &[0], &[]),
        "# license\n\nb: 2\n"
    );
    assert_eq!(
        assembled("---\n# license\n\na: 1\n---\nb: 2\n", &[0], &[]),
        "---\n# license\n\nb: 2\n"
    );
    assert_eq!(
        assembled("# license\n\nb: 2\n", &[], &[(0, "---\na: 1\n")]),
        "# license\n\na: 1\n---\nb: 2\n"
    );
}

#[test]
fn an_inserted_document_gets_a_marker() {
    assert_eq!(
        assembled("a: 1\n", &[], &[(1, "b: 2\n")]),
        "a: 1\n---\nb: 2\n"
    );
    assert_eq!(
        assembled("b: 2\n", &[], &[(0, "---\na: 1\n")]),
        "a: 1\n---\nb: 2\n"
    );
    assert_eq!(
        assembled("---\nb: 2\n", &[], &[(0, "a: 1\n")]),
        "---\na: 1\n---\nb: 2\n"
    );
    assert_eq!(
        assembled("a: 1\n---\nc: 3\n", &[0], &[(1, "---\nb: 2\n")]),
        "b: 2\n---\nc: 3\n"
    );
}

#[test]
fn a_missing_newline_is_repaired_between_documents() {
    assert_eq!(
        assembled("a: 1", &[], &[(1, "---\nb: 2")]),
        "a: 1\n---\nb: 2"
    );
    assert_eq!(
        assembled("a: 1\r\nb: 1", &[], &[(1, "c: 2\r\n")]),
        "a: 1\r\nb: 1\r\n---\r\nc: 2\r\n"
    );
}

#[test]
fn a_document_below_an_end_marker_gets_a_marker_if_needed() {
    assert_eq!(
        assembled("a: 1\n...\nb: 2\n", &[], &[(1, "---\nx: 1\n")]),
        "a: 1\n...\n---\nx: 1\n---\nb: 2\n"
    );
    assert_eq!(
        assembled("x: 1\n---\na: 1\n...\nb: 2\n", &[1], &[]),
        "x: 1\n---\nb: 2\n"
    );
}
