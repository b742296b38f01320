//! Adds rules to a `.merge3.yaml`.

use std::path::Path;

use clap::ValueEnum as _;
use clap::builder::PossibleValue;
use regex::{Captures, Regex};

use super::invalid_rules;
use crate::error::Error;
use crate::line_breaks::missing_lf;
use crate::merge::{Pattern, Take};
use crate::package::disk::portable;
use crate::package::resource::ResourceId;
use crate::yaml::scalar::write_text;
use crate::yaml::{NodeKind, Tree};

/// A rule that decides conflicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewRule {
    /// The path, as reports show it; empty for whole documents.
    pub(crate) path: String,
    /// The kind of the resources to which it is limited, if any.
    pub(crate) kind: Option<String>,
    /// The path of the file to which it is limited, if any, with `/` as separator.
    pub(crate) file: Option<String>,
    pub(crate) take: Take,
}

impl NewRule {
    /// Returns the rule for a path in a report, limited to the kind of its resource and to its
    /// file; `None` if no pattern can express the path.
    pub(crate) fn of_place(
        path: &str,
        resource: Option<&ResourceId<'_>>,
        file: &Path,
        take: Take,
    ) -> Option<Self> {
        let path = path.strip_suffix("(comment)").unwrap_or(path).trim_end();
        Pattern::parse(path).ok()?;
        Some(Self {
            path: path.to_owned(),
            kind: resource.map(|it| it.kind.to_string()),
            file: Some(portable(file)),
            take,
        })
    }

    /// Returns a more general rule: for any file, and for any element of the lists in its path.
    pub(crate) fn generalized(&self) -> Self {
        // a name in quotes, which stays, or what identifies an element
        let generalized = Regex::new(r#"(?s)(\[".*?"\])|\[.*?\]"#).map(|brackets| {
            let general = |found: &Captures<'_>| match found.get(1) {
                Some(name) => name.as_str().to_owned(),
                None => "[*]".to_owned(),
            };
            brackets.replace_all(&self.path, general).into_owned()
        });
        Self {
            // the pattern is valid
            path: generalized.unwrap_or_default(),
            file: None,
            ..self.clone()
        }
    }

    /// Returns the rule as an element of `rules`, on its own lines.
    pub(crate) fn to_yaml(&self) -> String {
        let take = self.take.to_possible_value();
        let path = Some(self.path.as_str()).filter(|path| !path.is_empty());
        let file = self.file.as_deref().map(globset::escape);
        let fields = [
            ("path", path),
            ("kind", self.kind.as_deref()),
            ("file", file.as_deref()),
            ("take", take.as_ref().map(PossibleValue::get_name)),
        ];
        let fields = fields
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}: {}\n", write_text(value?, false))));
        format!("- {}", fields.collect::<Vec<_>>().join("  "))
    }
}

/// Returns the text of a rules file with further rules at its end.
///
/// # Errors
/// If the text is not valid YAML, or its rules are not a block list, to which lines can be added.
pub(crate) fn with_rules(path: &Path, text: &str, rules: &[NewRule]) -> Result<String, Error> {
    let added: String = rules.iter().map(NewRule::to_yaml).collect();
    let not_editable = || {
        let message = "rules cannot be added to this file as it is written";
        let help = "write each rule behind a dash on a line of its own, under `rules:`";
        invalid_rules(path, text, 0, message, help)
    };
    let tree = Tree::parse(text).map_err(|_| not_editable())?;
    let rules = tree
        .as_ref()
        .and_then(|tree| Some((tree, tree.at(&["rules"])?)));
    let Some((tree, list)) = rules else {
        return Ok(format!("{text}{}rules:\n{added}", missing_lf(text)));
    };
    let last = tree.entries(list).next_back().ok_or_else(not_editable)?;
    let span = tree.entry(last).span;
    let is_block = matches!(&tree.node(list).kind, NodeKind::Sequence(list) if !list.flow);
    if !is_block {
        return Err(not_editable());
    }
    let indent = " ".repeat(tree.column(span.start) as usize);
    let added: String = added
        .lines()
        .map(|line| format!("{indent}{line}\n"))
        .collect();
    let end = tree.next_line(span.end.max(1) - 1) as usize;
    let (above, below) = text.split_at(end);
    Ok(format!("{above}{}{added}{below}", missing_lf(above)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rule for a path that is in no resource, without its file.
    fn of_place(path: &str) -> Option<NewRule> {
        let rule = NewRule::of_place(path, None, Path::new(""), Take::Local)?;
        Some(NewRule { file: None, ..rule })
    }

    #[test]
    fn a_written_rule_can_be_read() {
        let rule = NewRule {
            kind: Some("Deployment".into()),
            file: Some("a [b]/c.yaml".into()),
            ..of_place("spec.containers[name=app].env (comment)").unwrap()
        };
        assert_eq!(
            rule.to_yaml(),
            "- path: spec.containers[name=app].env\n  kind: Deployment\n  file: a [[]b[]]/c.yaml\n  take: local\n"
        );
        let wide = rule.generalized();
        assert_eq!(
            (wide.path.as_str(), wide.file),
            ("spec.containers[*].env", None)
        );
        let quoted = of_place("data[\"a]b.yaml\"].x[0]").unwrap();
        assert_eq!(quoted.generalized().path, "data[\"a]b.yaml\"].x[*]");
        assert_eq!(of_place("a..b"), None);
        let number = of_place("8080").unwrap();
        assert_eq!(number.to_yaml(), "- path: \"8080\"\n  take: local\n");
    }

    #[test]
    fn rules_are_added_after_existing_ones() {
        let rule = [of_place("a.b").unwrap()];
        let added = |text: &str| with_rules("x".as_ref(), text, &rule).ok();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(added(""), text("rules:\n- path: a.b\n  take: local\n"));
        assert_eq!(
            added("# ours\nschema: kubernetes"),
            text("# ours\nschema: kubernetes\nrules:\n- path: a.b\n  take: local\n")
        );
        assert_eq!(
            added("rules:\n  - path: c # d\n    take: local # e\n\n# f\nschema: kubernetes\n"),
            text(
                "rules:\n  - path: c # d\n    take: local # e\n  - path: a.b\n    take: local\n\n\
                 # f\nschema: kubernetes\n"
            )
        );
        assert_eq!(
            added("rules:\n- take: local"),
            text("rules:\n- take: local\n- path: a.b\n  take: local\n")
        );
        for text in ["rules: [{take: local}]\n", "rules: []\n", "rules: [\n"] {
            assert_eq!(added(text), None, "{text}");
        }
    }
}
