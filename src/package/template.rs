//! Recognizes templates: texts with a YAML name from which a program generates YAML (rules: Files
//! that are not YAML).

/// The delimiters of a statement in Jinja and in ERB.
const STATEMENTS: [(&str, &str); 2] = [("{%", "%}"), ("<%", "%>")];

/// Returns true if a text is a template. `broken` is the line, from 1, on which it stops being
/// YAML.
///
/// A template has `{{ ... }}` where YAML has a key, a value, or a line of its own; or a statement
/// such as `{% ... %}` there, on the line where YAML ends or the one above. Braces in quotes, in a
/// comment or behind other text do not count, because YAML can have them there, and in a block
/// scalar anywhere.
pub(super) fn is_template(text: &str, broken: usize) -> bool {
    let near = broken.saturating_sub(2)..broken;
    text.lines().enumerate().any(|(index, line)| {
        let statements = STATEMENTS.iter().filter(|_| near.contains(&index));
        let mut actions = statements.chain([&("{{", "}}")]);
        actions.any(|action| has_action(line, *action))
    })
}

/// Returns true if a line has an action with these delimiters where YAML has a node, perhaps after
/// an anchor or a tag.
fn has_action(line: &str, (open, close): (&str, &str)) -> bool {
    if !line.contains(open) {
        return false;
    }
    // looked for once, so that the time is linear in the length of the line
    let (last_close, last_bracket) = (line.rfind(close), line.rfind(['}', '>']));
    let opens = |value: &str| {
        let mut value = value.trim_start();
        // an anchor and a tag
        for _ in 0..2 {
            if value.starts_with(['&', '!'])
                && let Some((_, rest)) = value.split_once(' ')
            {
                value = rest.trim_start();
            }
        }
        let Some(inside) = value.strip_prefix(open) else {
            return false;
        };
        let start = line.len() - inside.len();
        let is_inside = |at: usize| at >= start;
        // an action that spans lines is closed on another line
        last_close.is_some_and(is_inside) || !last_bracket.is_some_and(is_inside)
    };
    let mut rest = line.trim_start();
    while let Some(value) = rest.strip_prefix("- ") {
        rest = value.trim_start();
    }
    opens(rest)
        || rest
            .match_indices(": ")
            .any(|(at, _)| opens(&rest[at + 2..]))
}

#[cfg(test)]
mod tests {
    use super::is_template;

    #[test]
    fn braces_where_yaml_has_a_node_make_a_template() {
        for text in [
            "{{- if .Values.a }}\na: 1\n{{- end }}\n",
            "a:\n  {{ .Values.key }}: 1\n",
            "a: {{ .Values.a }}\n",
            "- - {{ .Values.a }}\n",
            "a: &a {{ .Values.a }}\n",
            "{% for a in b %}\na: {{ a }}\n{% endfor %}\n",
            "<% if a %>\na: 1\n<% end %>\n",
            "a:\n  - b: {{ include \"c\" (dict\n    \"d\" .) }}\n",
        ] {
            assert!(is_template(text, 1), "{text}");
        }
    }

    #[test]
    fn broken_yaml_is_not_a_template() {
        for text in [
            "a: \"b\nc: d\n",
            "a: '{{ .Values.a }}'\nb: \"\n",
            "# {{ .Values.a }}\na: [\n",
            "a: {b: {c: 1}\n",
            "a: {%: b}\n",
            "image: repo:{{ tag }}\nb: [\n",
            "a: 1\na: 2\nb: |\n  {% if a %}\n",
        ] {
            assert!(!is_template(text, 1), "{text}");
        }
    }
}
