//! Templates: texts with a YAML name of which a program makes YAML (rules: Files that are not
//! YAML).

/// What opens and closes a statement in Jinja and in ERB.
const STATEMENTS: [(&str, &str); 2] = [("{%", "%}"), ("<%", "%>")];

/// Whether a text, which is no YAML from line `broken` on, counted from 1, is a template.
///
/// It has `{{ ... }}` where YAML has a key, a value, or a line of its own; or a statement such as
/// `{% ... %}` there, on the line where YAML ends or the one above. Within quotes, in a comment, and
/// behind other text these say nothing: YAML can have them there, and in a block scalar anywhere.
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
        opens(rest) || rest.split(": ").skip(1).any(opens)
    })
}

/// Whether a text begins with what opens an action, perhaps behind an anchor or a tag, and has what
/// closes it.
fn opens(text: &str, action: &(&str, &str)) -> bool {
    let text = text.trim_start();
    let (open, close) = action;
    match text.strip_prefix(open) {
        // what spans lines is closed on another one
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
    fn a_template_has_braces_where_yaml_has_something() {
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
    fn yaml_that_is_broken_is_none() {
        for text in [
            "a: \"b\nc: d\n",
            "a: '{{ .Values.a }}'\nb: \"\n",
            "# {{ .Values.a }}\na: [\n",
            "a: {b: {c: 1}\n",
            "image: repo:{{ tag }}\nb: [\n",
            "a: 1\na: 2\nb: |\n  {% if a %}\n",
        ] {
            assert!(!is_template(text, 1), "{text}");
        }
    }
}
