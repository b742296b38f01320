//! Templates: texts with a YAML name of which a program makes YAML (rules: Files that are not
//! YAML).

/// What opens and closes an action: in Go and Jinja templates, statements of Jinja, and ERB.
const ACTIONS: [(&str, &str); 3] = [("{{", "}}"), ("{%", "%}"), ("<%", "%>")];

/// Whether a text has an action such as `{{ ... }}` where YAML has a key, a value, or a line of its
/// own. Within quotes, in a comment, and behind other text it says nothing: YAML can have it there.
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

/// Whether a text begins with an action, perhaps behind an anchor or a tag, and has what closes it.
fn opens(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with(['&', '!']) {
        return text.split_once(' ').is_some_and(|(_, value)| opens(value));
    }
    ACTIONS.iter().any(|(open, close)| {
        let inside = text.strip_prefix(open);
        // what spans lines is closed on another one
        inside.is_some_and(|it| it.contains(close) || !it.contains(['}', '>']))
    })
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
            "%{for a in b %}\nb: [\n",
        ] {
            assert!(!is_template(text), "{text}");
        }
    }
}
