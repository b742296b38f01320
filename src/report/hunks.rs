//! The hunks of a unified diff, without lines that may contain values of Secrets.

use std::ops::Range;

use crate::differences::{AlignedRange, differences_of_lines};
use crate::secret::{PUBLIC_FIELDS, may_contain_secret};
use crate::yaml::stream::split;
use crate::yaml::{Entry, Tree};

/// The number of context lines above and below a change.
const CONTEXT: usize = 3;

/// The hunks that may be shown of a change.
#[derive(Debug, Default)]
pub(super) struct Hunks {
    pub(super) text: String,
    /// Whether changed lines are left out.
    pub(super) is_partial: bool,
}

/// Returns the change between two texts as hunks, each of which `git apply` accepts without the
/// others. Lines that may contain values of Secrets are left out unless `show_secrets` is set.
pub(super) fn hunks(old: &str, new: &str, show_secrets: bool) -> Hunks {
    // git does not treat a single carriage return as the end of a line
    let lines: [Vec<&str>; 2] = [old, new].map(|text| text.split_inclusive('\n').collect());
    let shown = [old, new].map(|text| shown_lines(text, show_secrets));
    let all_shown =
        |shown: &[bool], range: &Range<usize>| shown[range.clone()].iter().all(|it| *it);
    let [old, new] = &lines;
    let mut changes = Vec::new();
    let mut is_partial = false;
    for change in differences_of_lines(old, new).changed() {
        let (from, to) = (&change.old, &change.new);
        // git places a hunk without context below it at the end of the file
        let has_context_below = shown[0].get(from.end).is_none_or(|shown| *shown);
        if has_context_below && all_shown(&shown[0], from) && all_shown(&shown[1], to) {
            changes.push(change);
        } else {
            is_partial = true;
        }
    }
    let mut text = String::new();
    let mut line_shift = 0;
    let share_hunk = |above: &AlignedRange, below: &AlignedRange| {
        let between = above.old.end..below.old.start;
        between.len() <= 2 * CONTEXT && all_shown(&shown[0], &between)
    };
    for group in changes.chunk_by(share_hunk) {
        let [first, last] = [&group[0].old, &group[group.len() - 1].old];
        let is_shown = |line: &usize| shown[0].get(*line) == Some(&true);
        let above = first.start.saturating_sub(CONTEXT)..first.start;
        let start = first.start - above.rev().take_while(is_shown).count();
        let below = last.end..(last.end + CONTEXT).min(old.len());
        let end = last.end + below.take_while(is_shown).count();
        write_hunk(&mut text, [old, new], group, start..end, &mut line_shift);
    }
    Hunks { text, is_partial }
}

/// Writes a hunk. `line_shift` is the number of lines that the hunks before it add to the text;
/// this hunk's number is added to it.
fn write_hunk(
    text: &mut String,
    [old, new]: [&[&str]; 2],
    changes: &[AlignedRange],
    range: Range<usize>,
    line_shift: &mut isize,
) {
    let growth = |it: &AlignedRange| it.new.len().cast_signed() - it.old.len().cast_signed();
    let growth: isize = changes.iter().map(growth).sum();
    let start = range.start.saturating_add_signed(*line_shift);
    let numbers = |start: usize, count: usize| match count {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{count}", start + 1),
    };
    let to = numbers(start, range.len().saturating_add_signed(growth));
    *text += &format!("@@ -{} +{to} @@\n", numbers(range.start, range.len()));
    let mut put = |sign: char, lines: &[&str]| {
        for line in lines {
            text.push(sign);
            text.push_str(line);
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    let mut at = range.start;
    for change in changes {
        put(' ', &old[at..change.old.start]);
        put('-', &old[change.old.clone()]);
        put('+', &new[change.new.clone()]);
        at = change.old.end;
    }
    put(' ', &old[at..range.end]);
    *line_shift += growth;
}

/// Returns for each line of a text whether it may be shown. These lines may be shown: those of
/// documents without a Secret, bare `---` lines, and the lines of Secrets that contain no secret
/// values. With `show_secrets` all lines may be shown. If a document does not parse, none may.
pub(crate) fn shown_lines(text: &str, show_secrets: bool) -> Vec<bool> {
    let count = text.split_inclusive('\n').count();
    if show_secrets || !may_contain_secret(text.as_bytes()) {
        return vec![true; count];
    }
    let documents = split(text);
    let parsed = documents.iter().map(|it| Tree::parse(it.text));
    let Ok(trees) = parsed.collect::<Result<Vec<_>, _>>() else {
        return vec![false; count];
    };
    let shown_in = |text: &str, is_public: &dyn Fn(usize) -> bool| {
        let mut offset = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            let start = offset;
            offset += line.len();
            is_public(start) || line.trim_end() == "---"
        });
        lines.collect::<Vec<bool>>()
    };
    // comments above the first document may contain secret values
    let head = documents.first().map_or(text, |first| first.head);
    let mut shown = shown_in(head, &|_| false);
    for (document, tree) in documents.iter().zip(&trees) {
        let has_no_secret = !may_contain_secret(document.text.as_bytes());
        let public = tree.as_ref().map_or_else(Vec::new, public_lines);
        let is_public = |start| has_no_secret || public.iter().any(|lines| lines.contains(&start));
        shown.extend(shown_in(document.text, &is_public));
    }
    // with a byte order mark, or documents that meet within a line, the lines do not match up
    if shown.len() == count {
        shown
    } else {
        vec![false; count]
    }
}

/// Returns the byte ranges of the lines of a Secret that contain no secret values: its public
/// fields, and the keys of the other ones. Returns none for other documents.
fn public_lines(tree: &Tree<'_>) -> Vec<Range<usize>> {
    let key = |entry: Entry<'_>| tree.scalar(entry.key?).map(|key| key.content);
    let entries = |map| tree.entries(map).map(|id| tree.entry(id));
    let root = tree.root().value;
    if tree.field_text(root, "kind") != Some("Secret") {
        return Vec::new();
    }
    let lines = |entry: Entry<'_>, whole: &[&str], only_keys: &[&str]| {
        let name = key(entry)?;
        let is_key_only = only_keys.contains(&name);
        let start = tree.start_of_indent(entry.span.start)?;
        let end = match is_key_only {
            true => tree.line_end(start),
            false => tree.line_end(entry.span.end),
        };
        let lines = start as usize..end as usize;
        let text = &tree.text()[lines.clone()];
        // a comment may contain a secret value, and an anchor or alias may share one
        let is_plain = !text.contains(['#', '&', '*', '\r']);
        let is_public = match is_key_only {
            true => text.ends_with(':') && text.split_whitespace().count() == 1,
            false => whole.contains(&name),
        };
        (is_plain && is_public).then_some(lines)
    };
    let at_top = ["metadata", "data", "stringData"];
    let at_top = entries(root).filter_map(|it| lines(it, &PUBLIC_FIELDS, &at_top));
    let metadata = tree.field(root, "metadata").into_iter();
    let in_metadata = metadata.flat_map(entries);
    let in_metadata =
        in_metadata.filter_map(|it| lines(it, &["name", "namespace", "labels"], &["annotations"]));
    at_top.chain(in_metadata).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_a_line_feed_only() {
        let hunks_shown = hunks("a\rb\nc", "a\rb\nd", false);
        assert_eq!(
            hunks_shown.text,
            "@@ -1,2 +1,2 @@\n a\rb\n-c\n\\ No newline at end of file\n+d\n\
             \\ No newline at end of file\n"
        );
    }

    #[test]
    fn changes_that_are_near_share_a_hunk() {
        let text = |a: &str, b: &str| format!("{a}1\n2\n3\n4\n5\n6\n{b}7\n8\n9\n10\n");
        let hunks_shown = hunks(&text("", ""), &text("a\n", "b\n"), false);
        assert_eq!(
            hunks_shown.text,
            "@@ -1,9 +1,11 @@\n+a\n 1\n 2\n 3\n 4\n 5\n 6\n+b\n 7\n 8\n 9\n"
        );
        assert!(!hunks_shown.is_partial);
    }

    #[test]
    fn fields_of_a_secret_that_keep_nothing_are_shown() {
        let text = |label: &str, key: &str| {
            format!(
                "kind: Secret\nmetadata:\n  labels:\n    a: {label}\n  annotations:\n    b: {key}\n\
                 data:\n  # {key}\n  key: {key}\ntype: {label}\nother: {key}\n"
            )
        };
        let hunks_shown = hunks(&text("1", "hunter2"), &text("2", "hunter3"), false);
        assert_eq!(
            hunks_shown.text,
            "@@ -1,5 +1,5 @@\n kind: Secret\n metadata:\n   labels:\n-    a: 1\n+    a: 2\n   annotations:\n"
        );
        assert!(hunks_shown.is_partial);
        // a value that is somewhere else, too
        for (label, key) in [("&x hunter2", "*x"), ("1 # hunter2", "hunter2")] {
            let hunks_shown = hunks(&text("1", "a"), &text(label, key), false);
            assert!(!hunks_shown.text.contains("hunter"), "{}", hunks_shown.text);
        }
        let text = |value: &str| format!("kind: Secret\ndata: \"{value}:\n  x\"\ntype: a\n");
        let hunks_shown = hunks(&text("hunter2"), &text("hunter3"), false);
        assert!(
            hunks_shown.text.is_empty() && hunks_shown.is_partial,
            "{}",
            hunks_shown.text
        );
    }

    #[test]
    fn nothing_of_a_secret_is_shown_and_the_rest_is() {
        let text = |label: &str, key: &str| {
            format!("# hunter1\nkind: Secret\ndata: {{key: {key}}}\n---\na: {label}\n---\nb: 1\n")
        };
        let hunks_shown = hunks(&text("1", "hunter2"), &text("2", "hunter3"), false);
        assert_eq!(
            hunks_shown.text,
            "@@ -4,4 +4,4 @@\n ---\n-a: 1\n+a: 2\n ---\n b: 1\n"
        );
        assert!(hunks_shown.is_partial);
        let hunks_shown = hunks(&text("1", "hunter2"), &text("1", "hunter3"), true);
        assert!(hunks_shown.text.contains("hunter3") && !hunks_shown.is_partial);
        let broken = |key: &str| format!("a: {key}\n---\nkind: Secret\n\tx: [\n");
        assert_eq!(hunks(&broken("1"), &broken("2"), false).text, "");
    }
}
