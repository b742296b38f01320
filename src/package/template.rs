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
        let opens = |text: &str| {
            let statements = STATEMENTS.iter().filter(|_| near.contains(&index));
            let mut actions = statements.chain([&("{{", "}}")]);
            actions.any(|action| opens(text, action))
        };
        let mut rest = line.trim_start();
        while let Some(value) = rest.strip_prefix("- ") {
            rest = value.trim_start();
        }
        let mut values = rest.match_indices(": ").map(|(at, _)| &rest[at..][2..]);
        opens(rest) || values.any(opens)
    })
}

/// Returns true if a text begins with the opening delimiter, perhaps after an anchor or a tag, and
/// has the closing one.
fn opens(text: &str, action: &(&str, &str)) -> bool {
    let text = text.trim_start();
    let (open, close) = action;
    match text.strip_prefix(open) {
        // an action that spans lines is closed on another line
        Some(inside) => inside.contains(close) || !inside.contains(['}', '>']),
        None if text.starts_with(['&', '!']) => text
            .split_once(' ')
            .is_some_and(|(_, value)| opens(value, action)),
        None => false,
    }
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
