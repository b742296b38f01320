//! `# merge3: keep` (rules: Pins): what it is on or above stays as it is, whatever upstream
//! does.

use memchr::memmem;
use rustc_hash::FxHashSet;

use crate::line_breaks::lines;
use crate::yaml::{Comments, Document, EntryId, NodeId, Tree};

/// What a comment says that pins.
const WORDS: &str = "merge3: keep";

/// The pins of a local document.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    entries: FxHashSet<EntryId>,
    holders: FxHashSet<NodeId>,
}

impl Pins {
    /// Finds the comments that pin an entry.
    pub(crate) fn of(tree: &Tree<'_>) -> Self {
        let mut pins = Self::default();
        if may_pin(tree.text().as_bytes()) {
            pins.search(tree, tree.root().value);
        }
        pins
    }

    /// Whether anything in a collection, at any depth, is pinned; it is a holder then.
    fn search(&mut self, tree: &Tree<'_>, node: NodeId) -> bool {
        let mut holds = false;
        for entry in tree.entries(node) {
            let pinned =
                is_pin(tree, tree.entry(entry).comments()) || is_pinned_on_dash(tree, entry);
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

    /// Whether a comment pins this entry.
    pub(crate) fn has(&self, entry: EntryId) -> bool {
        self.entries.contains(&entry)
    }

    /// Whether a comment pins anything in this map or list.
    pub(crate) fn are_in(&self, node: NodeId) -> bool {
        self.holders.contains(&node)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.holders.is_empty()
    }
}

/// Whether the words occur at all, wherever.
pub(crate) fn may_pin(bytes: &[u8]) -> bool {
    memmem::find(bytes, WORDS.as_bytes()).is_some()
}

/// Whether the comment on an element's dash pins it, although a field on that line owns it.
fn is_pinned_on_dash(tree: &Tree<'_>, element: EntryId) -> bool {
    let entry = tree.entry(element);
    let first = tree.entries(entry.value).next();
    entry.key.is_none()
        && first.is_some_and(|first| {
            let first = tree.entry(first);
            tree.line_start(first.span.start) == tree.line_start(entry.span.start)
                && is_pin(tree, first.comments())
        })
}

fn is_pin(tree: &Tree<'_>, comments: Comments) -> bool {
    [comments.leading, comments.line, comments.tail]
        .into_iter()
        .any(|span| !span.is_empty() && lines(tree.slice(span)).any(says_keep))
}

/// Whether a comment says that what it belongs to stays: `# merge3: keep`, with or without a reason
/// behind it.
fn says_keep(comment: &str) -> bool {
    let words = comment.trim_start().trim_start_matches('#').trim_start();
    words
        .strip_prefix(WORDS)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| !c.is_alphanumeric()))
}

/// Whether a comment above a document, or on its `---` line, pins the whole of it.
pub(crate) fn is_document_pinned(document: &Document<'_>) -> bool {
    let head = document.head.trim_start_matches('\u{feff}');
    if !may_pin(head.as_bytes()) && !may_pin(document.text.as_bytes()) {
        return false;
    }
    for line in lines(head).chain(lines(document.text)) {
        let line = line.trim();
        let behind_marker = line.strip_prefix("---").map(str::trim_start);
        let comment = behind_marker.unwrap_or(line);
        if comment.starts_with('#') && says_keep(comment) {
            return true;
        }
        let head = comment.is_empty() || comment.starts_with(['#', '%']);
        if !head {
            return false;
        }
    }
    false
}

/// Whether the first line of a file pins it. In a file that is not YAML, whatever its comments look
/// like.
pub(crate) fn is_file_pinned(bytes: &[u8], yaml: bool) -> bool {
    let first = bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    if !may_pin(first) {
        return false;
    }
    let first = String::from_utf8_lossy(first);
    let line = first.trim_start_matches('\u{feff}').trim();
    !yaml || (line.starts_with('#') && says_keep(line))
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
            assert!(says_keep(pin), "{pin}");
        }
        for other in ["# merge3: keeper", "# see merge3: keep", "# merge3"] {
            assert!(!says_keep(other), "{other}");
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
