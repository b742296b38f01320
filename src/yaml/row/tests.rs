use super::*;

fn drawn(text: &str) -> Vec<String> {
    let tree = Tree::parse(text).unwrap().unwrap();
    let mut found = Vec::new();
    draw(&tree, tree.root().value, None, &mut found);
    found
}

fn draw(tree: &Tree<'_>, node: NodeId, owner: Option<EntryId>, found: &mut Vec<String>) {
    let Some(row) = tree.row(node, owner.map(|id| tree.entry(id))) else {
        let below = tree.row_of_comments(tree.entry(owner.unwrap()));
        found.extend(
            below
                .items
                .iter()
                .take(below.items.len() - 1)
                .map(|item| format!("below {}+{:?}", item.blanks, tree.slice(item.span))),
        );
        return;
    };
    for item in row.items {
        let text = tree.slice(item.span).lines().next().unwrap_or("");
        let kind = match item.kind {
            ItemKind::Comment => "comment",
            ItemKind::Entry(_) => "entry",
            ItemKind::End => "end",
        };
        found.push(format!("{} {kind} {}+{text}", row.column, item.blanks));
        if let ItemKind::Entry(id) = item.kind {
            draw(tree, tree.entry(id).value, Some(id), found);
        }
    }
}

#[test]
fn a_row_has_entries_and_the_comments_between_them() {
    let text =
        "# head\n\n# a\na: 1\n  # deeper\n\nb:\n  - x\n\n  # of the list\n\n# of the end\n\n";
    assert_eq!(
        drawn(text),
        [
            "0 comment 0+# head",
            "0 comment 1+# a",
            "0 entry 0+a: 1",
            "below 0+\"  # deeper\\n\"",
            "0 entry 1+b:",
            "2 entry 0+  - x",
            "2 comment 1+  # of the list",
            "2 end 0+",
            "0 comment 1+# of the end",
            "0 end 1+",
        ]
    );
}

#[test]
fn a_row_may_start_after_a_dash() {
    assert_eq!(
        drawn("- a: 1\n  # c\n  b: 2\n# end\n"),
        [
            "0 entry 0+- a: 1",
            "2 entry 0+a: 1",
            "2 comment 0+  # c",
            "2 entry 0+  b: 2",
            "2 end 0+",
            "0 comment 0+# end",
            "0 end 0+",
        ]
    );
}

#[test]
fn comments_directly_above_an_entry() {
    let text = "# far\n\n# 1\n# 2\na: 1\n  # deep\nb: 2\n";
    let tree = Tree::parse(text).unwrap().unwrap();
    let above: Vec<&str> = tree
        .entries(tree.root().value)
        .map(|id| tree.slice(tree.comments_above(tree.entry(id))))
        .collect();
    assert_eq!(above, ["# 1\n# 2\n", ""]);
}

#[test]
fn only_spaces_are_indentation() {
    for count in 0..40 {
        let text = format!("\u{feff}a:\n{}b: c", " ".repeat(count));
        let tree = Tree::parse(&text).unwrap().unwrap();
        let second = 6 + u32::try_from(count).unwrap();
        let starts = [3, 4, second, second + 1].map(|at| tree.start_of_indent(at));
        assert_eq!(starts, [Some(3), None, Some(6), None]);
    }
}
