//! Tests of the trees of texts, and of texts that are refused.

use crate::yaml::{NodeId, NodeKind, ParseError, Tree, stream};

fn tree(text: &str) -> Tree<'_> {
    Tree::parse(text).unwrap().unwrap()
}

fn error(text: &str) -> ParseError {
    Tree::parse(text).unwrap_err()
}

/// The entry spans of the root's entries.
fn entries(text: &str) -> Vec<&str> {
    let tree = tree(text);
    tree.entries(tree.root().value)
        .map(|id| tree.slice(tree.entry(id).span))
        .collect()
}

/// The value spans of the root's entries.
fn values(text: &str) -> Vec<&str> {
    let tree = tree(text);
    tree.entries(tree.root().value)
        .map(|id| tree.slice(tree.node(tree.entry(id).value).span))
        .collect()
}

#[test]
fn entries_reach_to_the_end_of_their_values() {
    assert_eq!(
        entries("a: 1 # c\nb:\n  - x\n  - y\n\n# c\nd:\n? e\n? f\n: g\n"),
        ["a: 1", "b:\n  - x\n  - y", "d:", "? e", "? f\n: g"]
    );
    assert_eq!(
        entries("- a\n- # c\n-\n- - b\n"),
        ["- a", "-", "-", "- - b"]
    );
    assert_eq!(entries("{a, b: , &c c: d}"), ["a", "b:", "&c c: d"]);
    assert_eq!(entries("[a, b: c, ? d : e,]"), ["a", "b: c", "? d : e"]);
    assert_eq!(
        entries("a: &x\nb: !!null # c\nc: *x\n"),
        ["a: &x", "b: !!null", "c: *x"]
    );
    assert_eq!(entries(": a\n"), [": a"]);
}

#[test]
fn block_scalars_end_with_their_last_line() {
    assert_eq!(
        values(
            "a: |\n  x\n\n  y\n\n\nb: |+\n  x\n\n\nc: |-\n\nd: >2\n    x\n # c\ne: |+\n\n\nf: |\n"
        ),
        [
            "|\n  x\n\n  y",
            "|+\n  x\n\n",
            "|-",
            ">2\n    x",
            "|+\n\n",
            "|"
        ]
    );
    assert_eq!(
        values("a: |\r\n  x\r\n  y\r\nb: 1\r\n"),
        ["|\r\n  x\r\n  y", "1"]
    );
    assert_eq!(values("a: |+\n  x\n\n"), ["|+\n  x\n"]);
    assert_eq!(
        values("- |1\n  x\n- |\n   # x\n  # y\n"),
        ["|1\n  x", "|\n   # x"]
    );
}

#[test]
fn plain_scalars_over_lines() {
    let text = "a: b\n  c\n\n\n  d # e\nf: g";
    let tree = tree(text);
    assert_eq!(values(text), ["b\n  c\n\n\n  d", "g"]);
    let first = tree.entries(tree.root().value).next().unwrap();
    let scalar = tree.scalar(tree.entry(first).value).unwrap();
    assert_eq!(scalar.content, "b c\n\nd");
    let long = format!("a: b{}  c\n", "\n".repeat(200));
    assert_eq!(values(&long), [&long[3..long.len() - 1]]);
}

#[test]
fn spans_do_not_include_anchors_and_tags() {
    let text = "&m !t\n&k a: !!str &v b\n";
    let tree = tree(text);
    let root = tree.node(tree.root().value);
    assert_eq!(tree.slice(tree.root().span), "&m !t\n&k a: !!str &v b");
    assert_eq!(tree.slice(root.span), "&k a: !!str &v b");
    assert_eq!(root.anchor().map(|span| tree.slice(span)), Some("&m"));
    assert_eq!(root.tag().map(|span| tree.slice(span)), Some("!t"));
    let entry = tree.entry(tree.find(tree.root().value, "a").unwrap());
    let key = tree.node(entry.key.unwrap());
    assert_eq!(key.anchor().map(|span| tree.slice(span)), Some("&k"));
    let value = tree.node(entry.value);
    assert_eq!(tree.slice(value.span), "b");
    assert_eq!(value.tag().map(|span| tree.slice(span)), Some("!!str"));
}

#[test]
fn a_pair_in_a_flow_list_is_a_map() {
    let tree = tree("[a: b]");
    let element = tree.entries(tree.root().value).next().unwrap();
    let node = tree.node(tree.entry(element).value);
    assert_eq!(tree.slice(node.span), "a: b");
    assert!(matches!(&node.kind, NodeKind::Mapping(collection) if collection.flow));
}

#[test]
fn empty_documents_have_no_tree() {
    for text in [
        "",
        "\n",
        "# c\n",
        "---\n",
        "--- # c\n...\n",
        "\u{feff}",
        "%YAML 1.2\n---\n",
        "...\n",
    ] {
        assert!(Tree::parse(text).unwrap().is_none(), "{text:?}");
    }
    for text in ["~", "''", "!!str", "&a", "--- null\n", "{}"] {
        assert!(Tree::parse(text).unwrap().is_some(), "{text:?}");
    }
    assert!(Tree::parse_events("...a: b\n").unwrap().is_some());
}

#[test]
fn a_marker_ends_with_white_space() {
    // a form feed is a part of the key
    assert_eq!(entries("...\u{c} a: {}\n"), ["...\u{c} a: {}"]);
    assert_eq!(entries("---\u{c} a: {}\n"), ["---\u{c} a: {}"]);
    assert_eq!(entries("...\n--- {a: b}\n"), ["a: b"]);
}

#[test]
fn finds_lines() {
    let tree = tree("\u{feff}a: 1\r\nb: 2\rc: 3\nd: 4");
    let at = |needle: &str| u32::try_from(tree.text().find(needle).unwrap()).unwrap();
    let lines: Vec<_> = ["1", "2", "3", "4"]
        .map(at)
        .map(|at| {
            let line = tree.line_start(at)..tree.line_end(at);
            let text = &tree.text()[line.start as usize..line.end as usize];
            (
                text,
                tree.column(at),
                tree.line_number(at),
                tree.next_line(at),
            )
        })
        .into();
    assert_eq!(
        lines,
        [
            ("a: 1", 3, 0, 9),
            ("b: 2", 3, 1, 14),
            ("c: 3", 3, 2, 19),
            ("d: 4", 3, 3, 23)
        ]
    );
}

#[test]
fn finds_fields_by_text() {
    let tree = tree("1: a\n'1': b\nm: &m {x: }\no: *m\n");
    let root = tree.root().value;
    let value = |map: NodeId, key: &str| tree.find(map, key).map(|id| tree.entry(id).value);
    assert_eq!(tree.slice(tree.node(value(root, "1").unwrap()).span), "b");
    assert_eq!(value(root, "absent"), None);
    let x = value(value(root, "o").unwrap(), "x").unwrap();
    assert!(tree.is_null(x) && !tree.is_null(root));
    assert!(tree.scalar(root).is_none());
}

#[test]
fn duplicate_keys() {
    let found = error("a: 1\nb:\n  c: 1\n  d: 2\n  \"c\": 3\n");
    assert_eq!(found.offset, 24);
    assert_eq!(
        found.message,
        "the key `\"c\"` occurs twice in one map, first 2 lines above"
    );
    assert!(Tree::parse("1: a\n'1': b\n").is_ok());
    for text in [
        "<<: {}\n<<: {}",
        "{a, a: 1}",
        "~: 1\n: 2",
        "&k a: b\n*k : c",
        "!x a: 1\n!x a: 2",
    ] {
        assert!(error(text).message.contains("occurs twice"), "{text:?}");
    }
    let line = |n: usize| format!("key{n}: {n}\n");
    let many: String = (0..100_000).map(line).collect();
    assert!(Tree::parse(&many).is_ok());
    assert!(
        error(&format!("{many}key7:\n"))
            .message
            .contains("`key7` occurs twice")
    );
}

#[test]
fn complex_keys() {
    for text in [
        "{a: b}: c",
        "[a]: b",
        "? - a\n: b",
        "a: &a [b]\n*a : c",
        "[{a: b}: c]",
        "? a: b\n: c",
    ] {
        let found = error(text);
        assert_eq!(found.message, "a key that is a map or a list", "{text:?}");
    }
    let template = error("name: {{ .Values.name }}\n");
    assert!(template.help.unwrap().contains("Helm"));
}

#[test]
fn nesting_has_a_limit() {
    let lists = |depth: usize| format!("{}x", "- ".repeat(depth));
    assert!(Tree::parse(&lists(512)).is_ok());
    assert!(error(&lists(513)).message.contains("deeper than 512"));
    assert!(error(&lists(100_000)).message.contains("deeper than 512"));
    let maps: String = (0..5_000)
        .map(|depth| format!("{}a:\n", " ".repeat(depth)))
        .collect();
    assert!(error(&maps).message.contains("deeper than 512"));
    assert!(error(&"[".repeat(300)).message.contains("255"));
    // aliases count with the depth of the nodes that they refer to
    let chain: String = (1..600)
        .map(|n| format!("- &a{n} [*a{}]\n", n - 1))
        .collect();
    assert!(
        error(&format!("- &a0 x\n{chain}"))
            .message
            .contains("deeper than 512")
    );
}

#[test]
fn invalid_aliases() {
    for text in ["a: {b: |\n c}\n", "a: [>-\n c]\n"] {
        assert!(error(text).message.contains("between brackets"), "{text:?}");
    }
    assert!(error("a: *x\n").message.contains("no anchor"));
    let found = error("a: &x [*x]\n");
    assert_eq!(
        (found.offset, found.message.as_str()),
        (7, "an alias inside the node that it refers to")
    );
    assert!(error("&x\na: *x\n").message.contains("inside"));
}

#[test]
fn errors_have_an_offset_and_help() {
    let found = error("é: 1\nb: 'x\n");
    assert_eq!(
        (found.offset, found.message.as_str()),
        (9, "the quote that opens here is never closed")
    );
    let found = error("a:\n\tb: 1\n");
    assert!(found.help.unwrap().contains("spaces"));
    let found = error("a: [1, 2\nb: 3\n");
    assert!(found.help.unwrap().contains("bracket"));
    let found = error("a: 1\n\tb: 2\n");
    assert_eq!(found.message, "a tab where the indentation should be");
    for (text, at) in [
        ("\ta: 1\n", 0),
        ("a:\n  \t b: 1\n", 5),
        ("a:\n  \t- 1\n", 5),
    ] {
        let found = error(text);
        assert_eq!(
            (found.offset, found.message.as_str()),
            (at, "a tab where the indentation should be")
        );
        assert!(found.help.unwrap().contains("spaces"));
    }
    let found = error("a:\n  b: 1\n c: 2\n");
    assert_eq!(
        (found.offset, found.message.as_str()),
        (12, "this is not a key of the map around it")
    );
    let found = error("a: b: c\n");
    assert_eq!(
        (found.offset, found.message.as_str()),
        (4, "a `:` is not allowed here")
    );
    for text in [
        " \u{feff}# a: b",
        "a:\n  \u{feff}b: 1\n",
        "[\u{feff}a]",
        "a: \u{feff}b # c",
    ] {
        assert_eq!(error(text).offset, text.find('\u{feff}').unwrap());
    }
    assert_eq!(error("a: \0b").offset, 3);
    assert_eq!(error("a\n...\nb\n").message, "a second document in one");
    assert_eq!(error("[a: {]").message, "a `}` is missing before this");
}

#[test]
fn documents_of_a_file_are_parsed_separately() {
    let file = "a: &x 1\n---\nb: *x\n";
    let documents = stream::split(file);
    assert!(Tree::parse(documents[0].text).is_ok());
    assert!(Tree::parse(documents[1].text).is_err());
}
