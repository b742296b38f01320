//! A text with placeholders for hunks, which are filled with one side or with conflict markers.

use crate::line_breaks::{cut_first_line, cut_last_line, lines_with_breaks};
use crate::triple::Triple;

/// The lines of each side of an open conflict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Hunk {
    /// The lines of each side, line breaks included.
    pub(crate) texts: Triple<String>,
}

/// The character that begins a line which stands for a hunk. No YAML text contains it.
pub(super) const PLACEHOLDER: char = '\0';

/// A text with placeholders for hunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    text: String,
    hunks: Vec<Hunk>,
}

impl Draft {
    pub(super) const fn new(text: String, hunks: Vec<Hunk>) -> Self {
        Self { text, hunks }
    }

    /// Whether it has no hunks.
    pub(crate) const fn is_plain(&self) -> bool {
        self.hunks.is_empty()
    }

    /// Returns the text of a draft without hunks.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Returns the text with what `write` writes in the place of each hunk.
    pub(crate) fn fill(&self, mut write: impl FnMut(&mut String, &Hunk)) -> String {
        let mut filled = String::with_capacity(self.text.len());
        let mut rest = self.text.as_str();
        while let Some((above, line)) = rest.split_once(PLACEHOLDER) {
            let indent = above.trim_end_matches(' ');
            let number = lines_with_breaks(line).next().unwrap_or_default();
            let hunk = number.trim().parse::<usize>().ok();
            let begin = above.rfind(['\n', '\r']).map_or(0, |at| at + 1);
            let dashes = &above[begin..];
            let is_line = dashes.bytes().all(|byte| b" -".contains(&byte));
            let hunk = hunk.filter(|_| is_line);
            match hunk.and_then(|number| self.hunks.get(number)) {
                Some(hunk) if dashes.contains('-') => {
                    filled.push_str(&above[..begin]);
                    write(&mut filled, &hunk.with_dashes(dashes));
                }
                Some(hunk) => {
                    filled.push_str(indent);
                    write(&mut filled, hunk);
                }
                None => filled.extend([above, "\0", number]),
            }
            rest = &line[number.len()..];
        }
        filled.push_str(rest);
        filled
    }
}

impl Hunk {
    /// Returns the hunk with dashes in the place of the indentation of its first lines.
    fn with_dashes(&self, dashes: &str) -> Self {
        let spaces = " ".repeat(dashes.len());
        let with_dashes = |text: &String| match text.strip_prefix(&spaces) {
            Some(rest) => format!("{dashes}{rest}"),
            None => text.clone(),
        };
        let texts = self.texts.as_ref().map(with_dashes);
        Self { texts }
    }

    /// Removes the blank lines that all of its texts begin with, and returns them.
    pub(super) fn take_shared_blanks(&mut self) -> String {
        let Triple {
            original,
            updated,
            local,
        } = &mut self.texts;
        let blanks = |text: &str| -> usize {
            let lines = lines_with_breaks(text).take_while(|line| line.trim().is_empty());
            lines.map(str::len).sum()
        };
        let ends = match original.is_empty() {
            true => vec![blanks(updated), blanks(local)],
            false => vec![blanks(original), blanks(updated), blanks(local)],
        };
        let end = ends.into_iter().min().unwrap_or(0);
        let shared = local[..end].to_owned();
        for text in [original, updated, local] {
            text.replace_range(..end.min(text.len()), "");
        }
        shared
    }
}

/// Returns the length in bytes of the lines that all texts begin with, and of those that all end
/// with.
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
    (shared(cut_first_line), shared(cut_last_line))
}

/// Returns a text with its lines indented by `by` more columns, or fewer if it is negative. Blank
/// lines and placeholders stay as they are.
pub(super) fn shifted(text: String, by: i64) -> String {
    if by == 0 {
        return text;
    }
    let mut moved = String::with_capacity(text.len() + 64);
    let more = usize::try_from(by).unwrap_or(0);
    let less = usize::try_from(-by).unwrap_or(0);
    for line in lines_with_breaks(&text) {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        if content.trim_end_matches(['\r', '\n']).is_empty() || content.starts_with(PLACEHOLDER) {
            moved.push_str(line);
            continue;
        }
        moved.extend(std::iter::repeat_n(' ', more));
        moved.push_str(&line[less.min(indent)..]);
    }
    moved
}
