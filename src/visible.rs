//! Makes foreign text safe to show: names, values, commit subjects, and messages of git. Terminals
//! must not obey it, it must not look like another text, and CI services must not read commands in
//! it. All messages and reports pass foreign text through this module.

/// Whether a character is invisible or controls a terminal: control characters, line separators,
/// changes of the writing direction, characters without width, tag characters, and spaces that look
/// like a plain one.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || is_special_space(c)
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

fn is_special_space(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}'
    )
}

/// Returns a text on one line, with hidden characters escaped: `\n`, `\u{1b}`.
pub(crate) fn visible(text: &str) -> String {
    escaped(text, |_| false)
}

/// Returns several lines, escaped as in [`visible`], except for tabs, line breaks and special
/// spaces.
pub(crate) fn visible_lines(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| escaped(line, |c| matches!(c, '\n' | '\t') || is_special_space(c)))
        .collect()
}

fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let start = text.len() - text.trim_start().len();
    // GitHub's runner reads `::error::` as a command at the start of a line
    let is_command = text[start..]
        .strip_prefix("::")
        .is_some_and(|rest| rest.contains("::"));
    replaced(text, |at, c| match c {
        _ if is_command && at == start => Some(c.escape_unicode().to_string()),
        '[' if is_in_command(text, at) => Some(c.escape_unicode().to_string()),
        _ if is_hidden(c) && !is_kept(c) => Some(c.escape_default().to_string()),
        _ => None,
    })
}

/// Whether a bracket belongs to `##[error]`, which GitHub's runner reads as a command anywhere.
fn is_in_command(text: &str, at: usize) -> bool {
    text[..at].ends_with("##")
}

/// Returns the text with a replacement for some of its characters.
pub(crate) fn replaced<R: AsRef<str>>(
    text: &str,
    replacement: impl Fn(usize, char) -> Option<R>,
) -> String {
    let mut result = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match replacement(at, c) {
            Some(text) => result.push_str(text.as_ref()),
            None => result.push(c),
        }
    }
    result
}

/// Returns the beginning of a text, of at most `max_len` bytes.
pub(crate) fn cut(text: &str, max_len: usize) -> &str {
    let mut end = text.len().min(max_len);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Escapes the hidden characters of a JSON text, which keeps its value.
pub(crate) fn visible_json(text: String) -> String {
    let is_escaped = |c: char| c != '\n' && is_hidden(c);
    if !text.contains(is_escaped) && !text.contains("##[") {
        return text;
    }
    replaced(&text, |at, c| {
        let is_escaped = is_escaped(c) || c == '[' && is_in_command(&text, at);
        let mut units = [0; 2];
        let units = c.encode_utf16(&mut units).iter();
        is_escaped.then(|| {
            units
                .map(|unit| format!("\\u{unit:04x}"))
                .collect::<String>()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped() {
        assert_eq!(visible("a\nb\r\u{1b}[2J"), "a\\nb\\r\\u{1b}[2J");
        assert_eq!(visible("\u{202e}gpj.exe\u{9b}"), "\\u{202e}gpj.exe\\u{9b}");
        assert_eq!(visible("größer 👩‍🚀 עברית"), "größer 👩‍🚀 עברית");
        assert_eq!(visible("app\u{a0}"), "app\\u{a0}");
        assert_eq!(visible_lines("a\n\tb\u{7}\u{a0}\n"), "a\n\tb\\u{7}\u{a0}\n");
    }

    #[test]
    fn commands_to_ci_runners_are_escaped() {
        assert_eq!(visible("::error::x"), "\\u{3a}:error::x");
        assert_eq!(visible("::1"), "::1");
        assert_eq!(visible("a ::error::x"), "a ::error::x");
        assert_eq!(visible("x ##[add-mask]y"), "x ##\\u{5b}add-mask]y");
        assert_eq!(visible_lines("a\n  ::stop::x\n"), "a\n  \\u{3a}:stop::x\n");
    }

    #[test]
    fn visible_json_has_the_same_value() {
        let value = serde_json::json!({"a": "\u{9b}\u{e0041}\u{2028} ##[error] \u{1b}\n"});
        let text = visible_json(serde_json::to_string_pretty(&value).unwrap_or_default());
        assert!(!text.contains(|c| is_hidden(c) && c != '\n') && !text.contains("##["));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).ok(),
            Some(value)
        );
    }
}
