//! Makes foreign text safe to show: names, values, commit subjects, and messages of git. Terminals
//! must not obey it, it must not look like another text, and CI services must not read commands in
//! it. All messages and reports pass foreign text through this module.

use std::fmt::Write as _;

/// Whether a character is invisible or controls a terminal: control characters, line separators,
/// changes of the writing direction, characters without width, and tag characters.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Returns a text on one line, with hidden characters escaped: `\n`, `\u{1b}`.
pub(crate) fn visible(text: &str) -> String {
    escaped(text, |_| false)
}

/// Returns several lines, escaped as in [`visible`], except for tabs and line breaks.
pub(crate) fn visible_lines(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| escaped(line, |c| matches!(c, '\n' | '\t')))
        .collect()
}

fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let start = text.len() - text.trim_start().len();
    // GitHub's runner reads `::error::` as a command at the start of a line, and `##[error]`
    // anywhere
    let is_command = text[start..]
        .strip_prefix("::")
        .is_some_and(|rest| rest.contains("::"));
    for (at, c) in text.char_indices() {
        let breaks_command =
            (is_command && at == start) || (c == '[' && text[..at].ends_with("##"));
        if breaks_command {
            shown.extend(c.escape_unicode());
        } else if is_hidden(c) && !is_kept(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Escapes the hidden characters of a JSON text, which keeps its value.
pub(crate) fn visible_json(text: String) -> String {
    let is_escaped = |c: char| c != '\n' && is_hidden(c);
    if !text.contains(is_escaped) && !text.contains("##[") {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    let mut units = [0; 2];
    for (at, c) in text.char_indices() {
        let breaks_command = c == '[' && text[..at].ends_with("##");
        if breaks_command || is_escaped(c) {
            for unit in c.encode_utf16(&mut units) {
                let written = write!(shown, "\\u{unit:04x}");
                debug_assert!(written.is_ok(), "writing to a string does not fail");
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped() {
        assert_eq!(visible("a\nb\r\u{1b}[2J"), "a\\nb\\r\\u{1b}[2J");
        assert_eq!(visible("\u{202e}gpj.exe\u{9b}"), "\\u{202e}gpj.exe\\u{9b}");
        assert_eq!(visible("größer 👩‍🚀 עברית"), "größer 👩‍🚀 עברית");
        assert_eq!(visible_lines("a\n\tb\u{7}\n"), "a\n\tb\\u{7}\n");
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
