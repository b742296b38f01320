//! The colours of YAML and JSON, line by line.

use super::out::Out;

/// Writes a line with its key, comment and value in elements. A line alone does not tell whether it
/// is part of a longer text: then a colour is wrong, and never the text.
pub(super) fn write(out: &mut Out, line: &str) {
    let body = line.trim_start_matches([' ', '\t', '-']);
    // a dash without a space behind it is part of a value
    let body = match line[..line.len() - body.len()].ends_with('-') && !body.is_empty() {
        true => line.trim_start_matches([' ', '\t']),
        false => body,
    };
    out.text(&line[..line.len() - body.len()]);
    let (body, comment) = body.split_at(comment_in(body));
    let key = key_in(body);
    if key > 0 {
        out.within("<span class=\"k\">", &body[..key], "</span>");
    }
    let value = &body[key..];
    let begin = value.len() - value.trim_start_matches([':', ' ']).len();
    let (colon, value) = value.split_at(if key > 0 { begin } else { 0 });
    out.text(colon);
    let core = value.trim_end_matches([' ', ',', '\r']);
    match class_of(core) {
        Some(class) => drop(out.raw(class).text(core).raw("</span>")),
        None => drop(out.text(core)),
    }
    out.text(&value[core.len()..]);
    if !comment.is_empty() {
        out.within("<span class=\"c\">", comment, "</span>");
    }
}

/// Where the comment of a line begins: at its end where there is none.
fn comment_in(line: &str) -> usize {
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

/// The length of the key that a line begins with; 0 where it begins with none.
fn key_in(line: &str) -> usize {
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

fn class_of(value: &str) -> Option<&'static str> {
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
