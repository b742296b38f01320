//! The hunks of a unified diff, without the lines that are not to be shown.

use std::ops::Range;

use crate::differences::differences_of_lines;
use crate::secret::may_be_in;
use crate::yaml::stream::split;
use crate::yaml::{Entry, Tree};

/// How many lines around a change are shown.
const CONTEXT: usize = 3;

/// What can be shown of a change of a text.
#[derive(Debug, Default)]
pub(super) struct Hunks {
    pub(super) text: String,
    /// Whether something that changes is left out.
    pub(super) is_partial: bool,
}

/// The change between two texts in hunks that `git apply` takes one without the other. Of Secrets
/// nothing is shown unless it is asked for.
pub(super) fn hunks(old: &str, new: &str, show_secrets: bool) -> Hunks {
    // a carriage return alone ends no line for git
    let lines: [Vec<&str>; 2] = [old, new].map(|text| text.split_inclusive('\n').collect());
    let shown = [old, new].map(|text| shown_lines(text, show_secrets));
    let all = |shown: &[bool], range: &Range<usize>| shown[range.clone()].iter().all(|it| *it);
    let [old, new] = &lines;
    let mut changes = Vec::new();
    let mut is_partial = false;
    for change in differences_of_lines(old, new).changed() {
        let (from, to) = (change.old, change.new);
        // git takes a hunk that ends without context for one at the end of the file
        let is_followed = shown[0].get(from.end).is_none_or(|shown| *shown);
        if is_followed && all(&shown[0], &from) && all(&shown[1], &to) {
            changes.push((from, to));
        } else {
            is_partial = true;
        }
    }
    let mut text = String::new();
    let mut shift = 0;
    let is_near = |(left, _): &Change, (right, _): &Change| {
        right.start - left.end <= 2 * CONTEXT && all(&shown[0], &(left.end..right.start))
    };
    for group in changes.chunk_by(is_near) {
        let (Some((first, _)), Some((last, _))) = (group.first(), group.last()) else {
            continue;
        };
        let near = |line: &usize| shown[0].get(*line) == Some(&true);
        let above = first.start.saturating_sub(CONTEXT)..first.start;
        let start = first.start - above.rev().take_while(near).count();
        let below = last.end..(last.end + CONTEXT).min(old.len());
        let end = last.end + below.take_while(near).count();
        write_hunk(&mut text, [old, new], group, start..end, &mut shift);
    }
    Hunks { text, is_partial }
}

/// The lines that go, and those that come instead.
type Change = (Range<usize>, Range<usize>);

/// Writes a hunk. `shift` is by how many lines those before it make the text longer.
fn write_hunk(
    text: &mut String,
    [old, new]: [&[&str]; 2],
    changes: &[Change],
    range: Range<usize>,
    shift: &mut isize,
) {
    let length = |range: &Range<usize>| range.len().cast_signed();
    let growth: isize = changes
        .iter()
        .map(|(from, to)| length(to) - length(from))
        .sum();
    let start = range.start.saturating_add_signed(*shift);
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
    for (from, to) in changes {
        put(' ', &old[at..from.start]);
        put('-', &old[from.clone()]);
        put('+', &new[to.clone()]);
        at = from.end;
    }
    put(' ', &old[at..range.end]);
    *shift += growth;
}

/// For each line whether it may be shown: whether it is in a document that holds no Secret, is a
/// bare `---`, or one of a Secret in which it keeps nothing, unless `show_secrets` is set. Where one
/// document does not parse nobody can say of any.
pub(crate) fn shown_lines(text: &str, show_secrets: bool) -> Vec<bool> {
    let count = text.split_inclusive('\n').count();
    if show_secrets || !may_be_in(text.as_bytes()) {
        return vec![true; count];
    }
    let documents = split(text);
    let parsed = documents.iter().map(|it| Tree::parse(it.text));
    let Ok(trees) = parsed.collect::<Result<Vec<_>, _>>() else {
        return vec![false; count];
    };
    let lines = |text: &str, is_open: &dyn Fn(usize) -> bool| {
        let mut at = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            let start = at;
            at += line.len();
            is_open(start) || line.trim_end() == "---"
        });
        lines.collect::<Vec<bool>>()
    };
    // the comments above the first document may be about a Secret
    let head = documents.first().map_or(text, |first| first.head);
    let mut shown = lines(head, &|_| false);
    for (document, tree) in documents.iter().zip(&trees) {
        let is_plain = !may_be_in(document.text.as_bytes());
        let open = tree.as_ref().map_or_else(Vec::new, keeps_nothing);
        let is_open = |start| is_plain || open.iter().any(|lines| lines.contains(&start));
        shown.extend(lines(document.text, &is_open));
    }
    // a byte order mark or a cut within a line: then nothing is certain
    if shown.len() == count {
        shown
    } else {
        vec![false; count]
    }
}

/// The lines of a Secret that show nothing of what it keeps: those of its fields that keep nothing,
/// and the keys above those that do. None in another document.
fn keeps_nothing(tree: &Tree<'_>) -> Vec<Range<usize>> {
    let root = tree.root().value;
    let (mut metadata, mut is_secret) = (None, false);
    let mut open = Vec::new();
    let mut add = |entry: Entry<'_>, is_key_only: bool| {
        let Some(start) = tree.start_of_indent(entry.span.start) else {
            return;
        };
        let end = match is_key_only {
            true => tree.line_end(start),
            false => tree.line_end(entry.span.end),
        };
        let lines = start as usize..end as usize;
        let text = &tree.text()[lines.clone()];
        // a comment can say anything, an anchor can be anywhere
        let is_plain = !text.contains(['#', '&', '*', '\r']);
        let is_key = || text.ends_with(':') && text.split_whitespace().count() == 1;
        if is_plain && (!is_key_only || is_key()) {
            open.push(lines);
        }
    };
    let key = |entry: Entry<'_>| tree.scalar(entry.key?).map(|key| key.content);
    for id in tree.entries(root) {
        let entry = tree.entry(id);
        match key(entry) {
            Some("kind") => {
                is_secret = tree.scalar(entry.value).map(|it| it.content) == Some("Secret");
                add(entry, false);
            }
            Some("apiVersion" | "type" | "immutable") => add(entry, false),
            Some("metadata") => {
                metadata = Some(entry.value);
                add(entry, true);
            }
            Some("data" | "stringData") => add(entry, true),
            _ => {}
        }
    }
    for id in metadata.map(|it| tree.entries(it)).into_iter().flatten() {
        let entry = tree.entry(id);
        match key(entry) {
            Some("name" | "namespace" | "labels") => add(entry, false),
            Some("annotations") => add(entry, true),
            _ => {}
        }
    }
    open.retain(|_| is_secret);
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_a_line_feed_only() {
        let made = hunks("a\rb\nc", "a\rb\nd", false);
        assert_eq!(
            made.text,
            "@@ -1,2 +1,2 @@\n a\rb\n-c\n\\ No newline at end of file\n+d\n\
             \\ No newline at end of file\n"
        );
    }

    #[test]
    fn changes_that_are_near_share_a_hunk() {
        let text = |a: &str, b: &str| format!("{a}1\n2\n3\n4\n5\n6\n{b}7\n8\n9\n10\n");
        let made = hunks(&text("", ""), &text("a\n", "b\n"), false);
        assert_eq!(
            made.text,
            "@@ -1,9 +1,11 @@\n+a\n 1\n 2\n 3\n 4\n 5\n 6\n+b\n 7\n 8\n 9\n"
        );
        assert!(!made.is_partial);
    }

    #[test]
    fn fields_of_a_secret_that_keep_nothing_are_shown() {
        let text = |label: &str, key: &str| {
            format!(
                "kind: Secret\nmetadata:\n  labels:\n    a: {label}\n  annotations:\n    b: {key}\n\
                 data:\n  # {key}\n  key: {key}\ntype: {label}\nother: {key}\n"
            )
        };
        let made = hunks(&text("1", "hunter2"), &text("2", "hunter3"), false);
        assert_eq!(
            made.text,
            "@@ -1,5 +1,5 @@\n kind: Secret\n metadata:\n   labels:\n-    a: 1\n+    a: 2\n   annotations:\n"
        );
        assert!(made.is_partial);
        // a value that is somewhere else, too
        for (label, key) in [("&x hunter2", "*x"), ("1 # hunter2", "hunter2")] {
            let made = hunks(&text("1", "a"), &text(label, key), false);
            assert!(!made.text.contains("hunter"), "{}", made.text);
        }
        let text = |value: &str| format!("kind: Secret\ndata: \"{value}:\n  x\"\ntype: a\n");
        let made = hunks(&text("hunter2"), &text("hunter3"), false);
        assert!(made.text.is_empty() && made.is_partial, "{}", made.text);
    }

    #[test]
    fn nothing_of_a_secret_is_shown_and_the_rest_is() {
        let text = |label: &str, key: &str| {
            format!("# hunter1\nkind: Secret\ndata: {{key: {key}}}\n---\na: {label}\n---\nb: 1\n")
        };
        let made = hunks(&text("1", "hunter2"), &text("2", "hunter3"), false);
        assert_eq!(
            made.text,
            "@@ -4,4 +4,4 @@\n ---\n-a: 1\n+a: 2\n ---\n b: 1\n"
        );
        assert!(made.is_partial);
        let made = hunks(&text("1", "hunter2"), &text("1", "hunter3"), true);
        assert!(made.text.contains("hunter3") && !made.is_partial);
        let broken = |key: &str| format!("a: {key}\n---\nkind: Secret\n\tx: [\n");
        assert_eq!(hunks(&broken("1"), &broken("2"), false).text, "");
    }
}
