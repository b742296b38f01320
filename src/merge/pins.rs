//! Finds comments `# merge3: keep`, which protect entries, documents and files from changes (rules:
//! Pins).

use memchr::memmem;
use rustc_hash::FxHashSet;

use crate::line_breaks::lines;
use crate::white_space::{trimmed, trimmed_start};
use crate::yaml::{Document, Entry, EntryId, NodeId, Tree};

/// The text of a pin.
const PIN_TEXT: &str = "merge3: keep";

/// The pins of a local document.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    /// The pinned entries.
    entries: FxHashSet<EntryId>,
    /// The collections with a pinned entry at any depth.
    holders: FxHashSet<NodeId>,
}

impl Pins {
    /// Finds the pinned entries of a document.
    pub(crate) fn of(tree: &Tree<'_>) -> Self {
        let mut pins = Self::default();
        if may_pin(tree.text().as_bytes()) {
            pins.search(tree, tree.root().value);
        }
        pins
    }

    /// Finds the pins in a collection at any depth. Returns whether there are any.
    fn search(&mut self, tree: &Tree<'_>, node: NodeId) -> bool {
        let mut holds = false;
        for entry in tree.entries(node) {
            let pinned = is_pin(tree, tree.entry(entry)) || is_pinned_on_dash(tree, entry);
            if pinned {
                self.entries.insert(entry);
            }
            holds |= self.search(tree, tree.entry(entry).value) || pinned;
        }
        if holds {
            self.holders.insert(node);
        }
        holds
    }

    /// Whether this entry has a pin.
    pub(crate) fn has(&self, entry: EntryId) -> bool {
        self.entries.contains(&entry)
    }

    /// Whether this map or list has a pinned entry at any depth.
    pub(crate) fn are_in(&self, node: NodeId) -> bool {
        self.holders.contains(&node)
    }

    /// Whether no entry is pinned.
    pub(crate) fn is_empty(&self) -> bool {
        self.holders.is_empty()
    }
}

/// Whether the text of a pin occurs anywhere.
pub(crate) fn may_pin(bytes: &[u8]) -> bool {
    memmem::find(bytes, PIN_TEXT.as_bytes()).is_some()
}

/// Whether the comment on the line of an element's dash pins the element. In the tree, that comment
/// belongs to the element's first field.
fn is_pinned_on_dash(tree: &Tree<'_>, element: EntryId) -> bool {
    let entry = tree.entry(element);
    let first = tree.entries(entry.value).next();
    entry.key.is_none()
        && first.is_some_and(|first| {
            let first = tree.entry(first);
            tree.line_start(first.span.start) == tree.line_start(entry.span.start)
                && is_pin(tree, first)
        })
}

fn is_pin(tree: &Tree<'_>, entry: Entry<'_>) -> bool {
    let comments = entry.comments();
    [tree.lines_above(entry), comments.line, comments.tail]
        .into_iter()
        .any(|span| !span.is_empty() && lines(tree.slice(span)).any(is_pin_comment))
}

/// Whether a comment is a pin: `# merge3: keep`, with or without a reason behind it.
fn is_pin_comment(comment: &str) -> bool {
    let text = trimmed_start(trimmed_start(comment).trim_start_matches('#'));
    text.strip_prefix(PIN_TEXT)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| !c.is_alphanumeric()))
}

/// Whether a comment above a document, or on its `---` line, pins the whole document.
pub(crate) fn is_document_pinned(document: &Document<'_>) -> bool {
    let head = document.head.trim_start_matches('\u{feff}');
    if !may_pin(head.as_bytes()) && !may_pin(document.text.as_bytes()) {
        return false;
    }
    let comments = lines(head).chain(lines(document.text)).map(|line| {
        let line = trimmed(line);
        line.strip_prefix("---").map_or(line, trimmed_start)
    });
    let mut above = comments.take_while(|it| it.is_empty() || it.starts_with(['#', '%']));
    above.any(|comment| comment.starts_with('#') && is_pin_comment(comment))
}

/// Whether the first line of a file pins it. In a file that is not YAML, any kind of comment does.
pub(crate) fn is_file_pinned(bytes: &[u8], yaml: bool) -> bool {
    let first = bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    if !may_pin(first) {
        return false;
    }
    let first = String::from_utf8_lossy(first);
    let line = trimmed(first.trim_start_matches('\u{feff}'));
    !yaml || (line.starts_with('#') && is_pin_comment(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::stream::split;

    #[test]
    fn a_pin_is_a_comment_of_its_own_words() {
        for pin in [
            "# merge3: keep",
            "#merge3: keep",
            "  # merge3: keep (audited)",
        ] {
            assert!(is_pin_comment(pin), "{pin}");
        }
        for other in ["# merge3: keeper", "# see merge3: keep", "# merge3"] {
            assert!(!is_pin_comment(other), "{other}");
        }
    }

    #[test]
    fn the_head_of_a_document_pins_it() {
        let is_pinned = |text: &str| is_document_pinned(&split(text)[0]);
        assert!(is_pinned("# merge3: keep\n---\na: 1\n"));
        assert!(is_pinned("--- # merge3: keep\na: 1\n"));
        assert!(is_pinned("# license\n\n# merge3: keep\na: 1\n"));
        assert!(!is_pinned("a: 1 # merge3: keep\n"));
        assert!(!is_pinned("a: 1\n# merge3: keep\nb: 1\n"));
    }

    #[test]
    fn the_first_line_pins_a_file() {
        assert!(is_file_pinned(b"# merge3: keep\na: 1\n", true));
        assert!(!is_file_pinned(b"a: 1 # merge3: keep\n", true));
        assert!(is_file_pinned(b"<!-- merge3: keep -->\n# Title\n", false));
        assert!(!is_file_pinned(b"# Title\nmerge3: keep\n", false));
    }
}
