//! A text with placeholders for hunks, which are filled with one side or with conflict markers.

use super::reindent::{is_at_margin, push_moved};
use crate::line_breaks::{cut_first_line, cut_last_line, line_start, lines_with_breaks};
use crate::triple::Triple;
use crate::white_space::is_white_space;

/// The lines of each side of an open conflict, line breaks included.
pub(crate) type Hunk = Triple<String>;

/// The character that begins a line which stands for a hunk. No YAML text contains it.
pub(super) const PLACEHOLDER: char = '\0';

/// A text with placeholders for hunks, which are in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) hunks: Vec<Hunk>,
}

impl Draft {
    /// Returns the text with what `write` writes in the place of each hunk.
    pub(crate) fn fill(&self, mut write: impl FnMut(&mut String, &Hunk)) -> String {
        let mut filled = String::with_capacity(self.text.len());
        let (mut rest, mut hunks) = (self.text.as_str(), self.hunks.iter());
        while let Some((above, below)) = rest.split_once(PLACEHOLDER) {
            let (above, dashes) = above.split_at(line_start(above, above.len()));
            let is_line = dashes.bytes().all(|byte| b" -".contains(&byte));
            let (line_break, below) = cut_first_line(below);
            filled.push_str(above);
            match hunks.next().filter(|_| is_line) {
                Some(hunk) if dashes.contains('-') => {
                    write(&mut filled, &with_dashes(hunk, dashes))
                }
                Some(hunk) => write(&mut filled, hunk),
                None => filled.extend([dashes, "\0", line_break]),
            }
            rest = below;
        }
        filled.push_str(rest);
        filled
    }
}

/// Returns a hunk with dashes in the place of the indentation of its first lines.
fn with_dashes(hunk: &Hunk, dashes: &str) -> Hunk {
    let spaces = " ".repeat(dashes.len());
    hunk.as_ref().map(|text| match text.strip_prefix(&spaces) {
        Some(rest) => format!("{dashes}{rest}"),
        None => text.clone(),
    })
}

/// Removes the blank lines that all texts of a hunk begin with, and returns them.
pub(super) fn take_shared_blanks(hunk: &mut Hunk) -> String {
    let blanks = |text: &String| -> usize {
        let lines = lines_with_breaks(text).take_while(|line| is_white_space(line));
        lines.map(str::len).sum()
    };
    let original = Some(&hunk.original).filter(|original| !original.is_empty());
    let texts = original.into_iter().chain([&hunk.updated, &hunk.local]);
    let end = texts.map(blanks).min().unwrap_or(0);
    if end == 0 {
        return String::new();
    }
    let shared = hunk.local[..end].to_owned();
    for text in [&mut hunk.original, &mut hunk.updated, &mut hunk.local] {
        text.replace_range(..end.min(text.len()), "");
    }
    shared
}

/// Returns the length in bytes of the lines that all texts begin with, and of those that all end
/// with. If there is no original, at least one line of each text is left.
pub(super) fn shared_lines(local: &str, updated: &str, original: Option<&str>) -> (usize, usize) {
    let mut texts = [local, updated, original.unwrap_or(local)];
    let mut shared = |cut: fn(&str) -> (&str, &str)| {
        let mut length = 0;
        loop {
            let parts = texts.map(cut);
            let [line, second, third] = parts.map(|(line, _)| line);
            if line.is_empty() || line != second || line != third {
                return length;
            }
            length += line.len();
            texts = parts.map(|(_, rest)| rest);
        }
    };
    let (above, below) = (shared(cut_first_line), shared(cut_last_line));
    let is_empty = |text: &str| text.len() == above + below;
    if original.is_some() || !is_empty(local) && !is_empty(updated) {
        return (above, below);
    }
    match cut_first_line(&local[local.len() - below..]).0.len() {
        0 => (above - cut_last_line(&local[..above]).0.len(), below),
        first => (above, below - first),
    }
}

/// Returns the text of entries in `column` with its lines indented by `by` more columns, or fewer
/// if it is negative. Empty lines and placeholders stay as they are, and so do comments left of
/// indented entries at the margin. A line of spaces moves: it can be in a block scalar.
pub(super) fn shifted(text: String, column: u32, by: i64) -> String {
    if by == 0 {
        return text;
    }
    let mut moved = String::with_capacity(text.len() + 64);
    for line in lines_with_breaks(&text) {
        let is_placeholder = line.trim_start_matches(' ').starts_with(PLACEHOLDER);
        let stays = is_placeholder || column > 0 && is_at_margin(line);
        let by = if stays { 0 } else { by };
        let rest = push_moved(&mut moved, line, 0, by);
        moved.push_str(rest);
    }
    moved
}
