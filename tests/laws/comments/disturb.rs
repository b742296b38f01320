//! Rewrites a text without changing its meaning: other indentation, order, blank lines or comments.

/// A way to rewrite a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disturbance {
    /// A trailing space on each line with a key.
    Spaced,
    /// All indentation doubled.
    Wide,
    Crlf,
    /// The top-level sections in reverse order.
    Reversed,
    /// The first section moved to the end.
    Moved,
    /// An additional comment above every key.
    Comments,
    /// Each blank line doubled.
    Blanks,
    /// All comments removed.
    Bare,
}

impl Disturbance {
    pub const ALL: [Self; 8] = [
        Self::Spaced,
        Self::Wide,
        Self::Crlf,
        Self::Reversed,
        Self::Moved,
        Self::Comments,
        Self::Blanks,
        Self::Bare,
    ];

    /// Returns the rewritten text.
    pub fn of(self, text: &str) -> String {
        match self {
            Self::Spaced => by_line(text, |line| {
                match key(line).is_some() && !line.contains('#') {
                    true => vec![format!("{line} ")],
                    false => vec![line.to_owned()],
                }
            }),
            Self::Wide => by_line(text, |line| {
                let content = line.trim_start();
                vec![format!(
                    "{}{content}",
                    " ".repeat(2 * (line.len() - content.len()))
                )]
            }),
            Self::Crlf => text.replace('\n', "\r\n"),
            Self::Reversed => in_order(text, |sections| sections.reverse()),
            Self::Moved => in_order(text, |sections| sections.rotate_left(1)),
            Self::Comments => {
                let number = std::cell::Cell::new(0);
                by_line(text, |line| {
                    let indent = " ".repeat(line.len() - line.trim_start().len());
                    let comment = key(line).map(|key| {
                        number.set(number.get() + 1);
                        format!("{indent}{OWN} {} {key}", number.get())
                    });
                    comment.into_iter().chain([line.to_owned()]).collect()
                })
            }
            Self::Blanks => by_line(text, |line| match line.trim().is_empty() {
                true => vec![String::new(); 2],
                false => vec![line.to_owned()],
            }),
            Self::Bare => by_line(text, |line| match line.trim_start().starts_with('#') {
                true => Vec::new(),
                false => vec![line.to_owned()],
            }),
        }
    }

    /// Returns the text without the additions, or None if the disturbance removed lines or changed
    /// their order.
    pub fn undone(self, text: &str) -> Option<String> {
        let kept = |keep: fn(&str) -> bool| {
            by_line(text, |line| match keep(line) {
                true => vec![line.to_owned()],
                false => Vec::new(),
            })
        };
        match self {
            Self::Spaced => Some(by_line(text, |line| vec![line.trim_end().to_owned()])),
            Self::Crlf => Some(text.replace("\r\n", "\n")),
            // blank lines beside the added comments are part of local's text
            Self::Comments => Some(kept(|line| !line.contains(OWN) && !line.trim().is_empty())),
            Self::Blanks => Some(kept(|line| !line.trim().is_empty())),
            Self::Wide | Self::Reversed | Self::Moved | Self::Bare => None,
        }
    }
}

/// The prefix of the comments that [`Disturbance::Comments`] adds.
pub const OWN: &str = "# OURS:";

/// Returns the key of a line, or None if it has none.
pub fn key(line: &str) -> Option<&str> {
    let words = line.trim_start();
    let words = words.strip_prefix("- ").unwrap_or(words);
    let (key, rest) = words.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(char::is_alphanumeric);
    (is_key && (rest.is_empty() || rest.starts_with(' '))).then_some(key)
}

fn by_line(text: &str, made: impl Fn(&str) -> Vec<String>) -> String {
    let lines = text.lines().flat_map(made);
    lines.map(|line| line + "\n").collect()
}

/// Reorders the top-level sections, each with the comments right above its key. The text above the
/// first section stays in place.
fn in_order(text: &str, change: impl Fn(&mut [Vec<&str>])) -> String {
    let mut sections: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines() {
        if !line.starts_with(' ') && key(line).is_some() {
            let last = sections.last_mut().unwrap();
            let comments_above = last
                .iter()
                .rev()
                .take_while(|line| line.starts_with('#'))
                .count();
            let comments_above = last.split_off(last.len() - comments_above);
            sections.push(comments_above);
        }
        sections.last_mut().unwrap().push(line);
    }
    change(&mut sections[1..]);
    sections
        .concat()
        .into_iter()
        .map(|line| format!("{line}\n"))
        .collect()
}
