//! Templates: texts with a YAML name of which a program makes YAML (rules: Files that are not
//! YAML).

/// Whether a text has `{{ ... }}` where YAML has a key, a value, or a line of its own. Within
/// quotes, in a comment, and behind other text it says nothing: YAML can have it there.
///
/// Only for a text that is no YAML: `{{ a }}: b` may begin a line of a block scalar as well.
pub(super) fn is_template(text: &str) -> bool {
    text.lines().any(|line| {
        let mut rest = line.trim_start();
        while let Some(value) = rest.strip_prefix("- ") {
            rest = value.trim_start();
        }
        opens(rest) || rest.split(": ").skip(1).any(opens)
    })
}

/// Whether a text begins with `{{`, perhaps behind an anchor or a tag, and has the `}}` that
/// belongs to it.
fn opens(text: &str) -> bool {
    let text = text.trim_start();
    match text.strip_prefix("{{") {
        // what spans lines ends on another one
        Some(inside) => inside.contains("}}") || !inside.contains('}'),
        None if text.starts_with(['&', '!']) => {
            text.split_once(' ').is_some_and(|(_, value)| opens(value))
        }
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
            "a:\n  - b: {{ include \"c\" (dict\n    \"d\" .) }}\n",
        ] {
            assert!(is_template(text), "{text}");
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
        ] {
            assert!(!is_template(text), "{text}");
        }
    }
}
