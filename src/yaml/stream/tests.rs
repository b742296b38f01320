use super::*;

fn texts(text: &str) -> Vec<&str> {
    let documents = split(text);
    let joined: String = documents.iter().map(|document| document.text).collect();
    assert_eq!(format!("{}{joined}", head(text)), text);
    for document in &documents {
        assert!(text[document.start..].starts_with(document.text));
        assert_eq!(document.line, count_lines(&text[..document.start]));
    }
    documents.iter().map(|document| document.text).collect()
}

fn bodies(text: &str) -> Vec<&str> {
    let body = |document: &Document<'_>| document.body.range();
    split(text)
        .iter()
        .map(|document| &document.text[body(document)])
        .collect()
}

#[test]
fn splits_at_marker_lines() {
    assert_eq!(texts(""), [""; 0]);
    assert_eq!(texts("a\n"), ["a\n"]);
    assert_eq!(texts("a\n---\nb\n"), ["a\n", "---\nb\n"]);
    assert_eq!(texts("a\n---\n---\n"), ["a\n", "---\n", "---\n"]);
    assert_eq!(
        texts("a\r\n---\r\nb\r---\rc"),
        ["a\r\n", "---\r\nb\r", "---\rc"]
    );
    assert_eq!(texts("--- a\n---\tb\n---"), ["--- a\n", "---\tb\n", "---"]);
    assert_eq!(
        texts("---a\n --- \n----\na: ---\n"),
        ["---a\n --- \n----\na: ---\n"]
    );
}

#[test]
fn comments_above_a_marker_belong_to_the_previous_document() {
    assert_eq!(texts("a\n\n# a\n---\nb\n"), ["a\n\n# a\n", "---\nb\n"]);
    assert_eq!(
        texts("--- |\n# text\n---\nc\n"),
        ["--- |\n# text\n", "---\nc\n"]
    );
}

#[test]
fn directives_belong_to_the_next_document() {
    assert_eq!(
        texts("a\n...\n# b\n%YAML 1.2\n# c\n\n---\nd\n"),
        ["a\n...\n# b\n", "%YAML 1.2\n# c\n\n---\nd\n"]
    );
    assert_eq!(texts("%YAML 1.2\n---\na\n"), ["%YAML 1.2\n---\na\n"]);
    assert_eq!(texts("a\n%b\n---\nc\n"), ["a\n%b\n", "---\nc\n"]);
    assert_eq!(texts("---\n%b\n---\nc\n"), ["---\n%b\n", "---\nc\n"]);
}

#[test]
fn splits_after_an_end_marker() {
    assert_eq!(
        texts("a\n...\n# b\n\n---\nc\n"),
        ["a\n...\n# b\n\n", "---\nc\n"]
    );
    assert_eq!(
        texts("a\n...\n# b\nc\n...\n"),
        ["a\n...\n", "# b\nc\n...\n"]
    );
    assert_eq!(texts("a\n...\n...\n"), ["a\n...\n...\n"]);
    assert_eq!(texts("a\n....\n..\n ...\n"), ["a\n....\n..\n ...\n"]);
}

#[test]
fn splits_below_the_head() {
    let cut = |text| {
        texts(text);
        let documents = split(text);
        let first = documents.first();
        assert_eq!(
            first.map_or("", |it| it.head),
            first.map_or("", |_| head(text))
        );
        (head(text), first.map_or("", |it| it.text))
    };
    assert_eq!(cut("# 1\n\n# 2\na\n"), ("# 1\n\n", "# 2\na\n"));
    assert_eq!(cut("# 1\n\n# 2\n\na\n"), ("# 1\n\n", "# 2\n\na\n"));
    assert_eq!(cut("\u{feff}\n# 2\n  a\n"), ("\u{feff}\n", "# 2\n  a\n"));
    assert_eq!(cut("# 1\r\r# 2\ra"), ("# 1\r\r", "# 2\ra"));
    assert_eq!(cut("---\na\n"), ("", "---\na\n"));
    assert_eq!(cut("# 1\n---\n# 2\n\na\n"), ("# 1\n", "---\n# 2\n\na\n"));
    assert_eq!(cut("---\n# 1\n \n# 2\na\n"), ("---\n# 1\n \n", "# 2\na\n"));
    assert_eq!(
        cut("# 1\n--- # 2\n# 3\n\na\n"),
        ("# 1\n", "--- # 2\n# 3\n\na\n")
    );
    assert_eq!(
        cut("# 1\n\n# 2\n%YAML 1.2\n---\na\n"),
        ("# 1\n\n# 2\n", "%YAML 1.2\n---\na\n")
    );
    assert_eq!(cut("# 1\n\n...\na\n"), ("# 1\n\n", "...\n"));
    assert_eq!(cut("---\n# all"), ("---\n# all", ""));
}

#[test]
fn bodies_are_between_the_markers() {
    assert_eq!(bodies("# a\n---  \nb\n...\n# c\n"), ["b\n"]);
    assert_eq!(bodies("--- # a\nb\n--- c\n"), ["b\n", " c\n"]);
    assert_eq!(bodies("\u{feff}# a\nb\n"), ["# a\nb\n"]);
    assert_eq!(bodies("\u{feff}---\na\n---"), ["a\n", ""]);
    assert_eq!(bodies("%YAML 1.2\n---\r\na"), ["a"]);
    let two = bodies("a\n# b\n---\n# c\n\n# d\ne\n");
    assert_eq!(two, ["a\n# b\n", "# d\ne\n"]);
}
