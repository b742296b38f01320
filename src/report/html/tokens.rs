//! Syntax highlighting of YAML and JSON, line by line.

use super::out::Out;

/// Writes a line with elements around its key, value and comment. A line that is part of a block
/// scalar may get wrong colours, because the lines around it are not known; the text is always
/// right.
pub(super) fn write(out: &mut Out, line: &str) {
    let body = line.trim_start_matches([' ', '\t', '-']);
    // a dash without a space after it is part of a key or value
    let body = match line[..line.len() - body.len()].ends_with('-') && !body.is_empty() {
        true => line.trim_start_matches([' ', '\t']),
        false => body,
    };
    out.text(&line[..line.len() - body.len()]);
    let (body, comment) = body.split_at(comment_start(body));
    let key_len = key_len(body);
    if key_len > 0 {
        out.raw("<span class=\"k\">")
            .text(&body[..key_len])
            .raw("</span>");
    }
    let value = &body[key_len..];
    let colon_len = value.len() - value.trim_start_matches([':', ' ']).len();
    let (colon, value) = value.split_at(if key_len > 0 { colon_len } else { 0 });
    out.text(colon);
    let core = value.trim_end_matches([' ', ',', '\r']);
    match start_tag(core) {
        Some(tag) => drop(out.raw(tag).text(core).raw("</span>")),
        None => drop(out.text(core)),
    }
    out.text(&value[core.len()..]);
    if !comment.is_empty() {
        out.raw("<span class=\"c\">").text(comment).raw("</span>");
    }
}

/// Returns the offset of a line's comment, or the length of the line if it has none.
fn comment_start(line: &str) -> usize {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') if before == ' ' || before == '\t' => return at,
            (None, '"' | '\'') if " \t[{,:".contains(before) => quote = Some(c),
            (Some(open), c) if open == c && before != '\\' => quote = None,
            _ => {}
        }
        before = c;
    }
    line.len()
}

/// Returns the length of the key at the start of a line; 0 if there is none.
fn key_len(line: &str) -> usize {
    let quote = line.chars().next().filter(|c| "\"'".contains(*c));
    let end = match quote {
        Some(quote) => line[1..].find(quote).map(|at| at + 2),
        None => line
            .match_indices(':')
            .map(|(at, _)| at)
            .find(|at| line[at + 1..].is_empty() || line[at + 1..].starts_with([' ', '\t'])),
    };
    let end = end.unwrap_or(0);
    let is_key = end > 0 && line[end..].starts_with(':') && !line[..end].contains(['{', '[']);
    if is_key { end } else { 0 }
}

/// Returns the start tag for a value; `None` for values without a colour.
fn start_tag(value: &str) -> Option<&'static str> {
    let is_number = value.parse::<f64>().is_ok();
    match value {
        "" => None,
        "true" | "false" | "null" | "~" => Some("<span class=\"n\">"),
        _ if is_number => Some("<span class=\"n\">"),
        _ if value.starts_with(['"', '\'']) => Some("<span class=\"s\">"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_its_text_and_gets_colours() {
        let written = |line: &str| {
            let mut out = Out::default();
            write(&mut out, line);
            let text = out.finish();
            text.replace("<span class=\"", "<")
                .replace("\">", ">")
                .replace("</span>", "</>")
        };
        assert_eq!(written("  - name: a # b"), "  - <k>name</>: a <c># b</>");
        assert_eq!(written("\"a:b\": 1,"), "<k>&quot;a:b&quot;</>: <n>1</>,");
        assert_eq!(written("-x: '#1'"), "<k>-x</>: <s>&#39;#1&#39;</>");
        assert_eq!(written("---"), "---");
        assert_eq!(written("- --flag=a:b"), "- --flag=a:b");
        assert_eq!(written("{a: 1}"), "{a: 1}");
        assert_eq!(written("größe: \"ü"), "<k>größe</>: <s>&quot;ü</>");
        assert_eq!(written("'"), "<s>&#39;</>");
    }
}
