//! A rule, as it is written into `.merge3.yaml`.

use crate::merge::{Pattern, Take};
use crate::yaml::{ScalarStyle, ScalarType, scalar};

/// A rule that decides conflicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// The place, as reports write it; empty for whole documents.
    pub(crate) path: String,
    /// The kind of resource that it is for, if it is for one.
    pub(crate) kind: Option<String>,
    /// The file that it is for, with `/`, if it is for one.
    pub(crate) file: Option<String>,
    pub(crate) take: Take,
}

impl Written {
    /// The rule for a place that a report names; none where no rule can name it.
    pub(crate) fn of_place(path: &str, take: Take) -> Option<Self> {
        let path = path.strip_suffix("(comment)").unwrap_or(path).trim_end();
        Pattern::parse(path).ok()?;
        Some(Self {
            path: path.to_owned(),
            kind: None,
            file: None,
            take,
        })
    }

    /// The rule as an element of `rules`, on lines of its own.
    pub(crate) fn to_yaml(&self) -> String {
        let take = match self.take {
            Take::Updated => "updated",
            Take::Local => "local",
            Take::Higher => "higher",
        };
        let path = Some(self.path.as_str()).filter(|path| !path.is_empty());
        let file = self.file.as_deref().map(globset::escape);
        let fields = [
            ("path", path),
            ("kind", self.kind.as_deref()),
            ("file", file.as_deref()),
            ("take", Some(take)),
        ];
        let fields = fields
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}: {}\n", written(value?))));
        format!("- {}", fields.collect::<Vec<_>>().join("  "))
    }
}

/// A text as YAML.
fn written(text: &str) -> String {
    let in_style = |style| scalar::write(text, ScalarType::Str, style, false);
    in_style(ScalarStyle::Plain)
        .or_else(|| in_style(ScalarStyle::DoubleQuoted))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        let rule = Written {
            kind: Some("Deployment".into()),
            file: Some("a [b]/c.yaml".into()),
            ..Written::of_place("spec.containers[name=app].env (comment)", Take::Local).unwrap()
        };
        assert_eq!(
            rule.to_yaml(),
            "- path: spec.containers[name=app].env\n  kind: Deployment\n  file: a [[]b[]]/c.yaml\n  take: local\n"
        );
        assert_eq!(Written::of_place("a..b", Take::Local), None);
        let number = Written::of_place("8080", Take::Local).unwrap();
        assert_eq!(number.to_yaml(), "- path: \"8080\"\n  take: local\n");
    }
}
