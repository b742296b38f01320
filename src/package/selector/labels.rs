//! Label selectors in the syntax of `kubectl -l`: `app=web,tier in (a, b),!old`.

use crate::yaml::Tree;

/// A label selector: all of its requirements have to be met.
#[derive(Debug, Clone)]
pub(super) struct LabelSelector(Vec<Requirement>);

/// One requirement of a selector.
#[derive(Debug, Clone)]
struct Requirement {
    key: String,
    /// The values that the label may have; `None` if it may have any.
    values: Option<Vec<String>>,
    /// Whether the requirement is negated.
    negated: bool,
}

impl LabelSelector {
    /// Parses a selector.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let requirements = split_requirements(text).map(Requirement::read);
        requirements
            .collect::<Option<_>>()
            .map(Self)
            .ok_or_else(|| {
                format!(
                    "`{text}` is not a label selector: write it as in `app=web,tier in (a, b),!old`"
                )
            })
    }

    /// Returns true if the `labels` or `annotations` of a resource (`field`) meet all requirements.
    pub(super) fn matches(&self, tree: &Tree<'_>, field: &str) -> bool {
        let labels = tree.at(&["metadata", field]);
        self.0.iter().all(|requirement| {
            let value = labels.and_then(|labels| tree.field(labels, &requirement.key));
            let value = value.map(|value| tree.scalar(value).map_or("", |scalar| scalar.content));
            let is_met = match (&requirement.values, value) {
                (None, value) => value.is_some(),
                (Some(values), Some(value)) => values.iter().any(|it| it == value),
                (Some(_), None) => false,
            };
            is_met != requirement.negated
        })
    }
}

/// Splits a selector at the commas that are not in parentheses.
fn split_requirements(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let parts = text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

impl Requirement {
    fn read(text: &str) -> Option<Self> {
        let new = |key: &str, values: Option<Vec<&str>>, negated| {
            let key = key.trim();
            let is_valid = !key.is_empty() && !key.contains([' ', '(', ')', '!', '=', '<', '>']);
            is_valid.then(|| Self {
                key: key.to_owned(),
                values: values.map(|it| it.iter().map(|value| value.trim().to_owned()).collect()),
                negated,
            })
        };
        if let Some((key, value)) = text.split_once("!=") {
            return new(key, Some(vec![value]), true);
        }
        if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
            return new(key, Some(vec![value]), false);
        }
        let Some(list) = text.strip_suffix(')') else {
            return match text.strip_prefix('!') {
                Some(key) => new(key, None, true),
                None => new(text, None, false),
            };
        };
        let (head, values) = list.split_once('(')?;
        let (key, word) = head.trim().rsplit_once(' ')?;
        let negated = match word {
            "in" => false,
            "notin" => true,
            _ => return None,
        };
        new(key, Some(values.split(',').collect()), negated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(selector: &str) -> bool {
        let tree = Tree::parse("metadata:\n  labels: {app: web, tier: a, on: ''}\n");
        let labels = LabelSelector::read(selector).unwrap();
        labels.matches(&tree.unwrap().unwrap(), "labels")
    }

    #[test]
    fn labels_are_selected_as_kubectl_does() {
        for selector in [
            "",
            "app=web",
            "app==web, tier",
            "app!=x",
            "tier in (a, b),app=web",
            "tier notin (b)",
            "!old",
            "old!=x",
            "old notin (x)",
        ] {
            assert!(matches(selector), "{selector}");
        }
        for selector in [
            "app=x",
            "old",
            "!app",
            "tier in (b)",
            "tier notin (a)",
            "app=web,old=x",
        ] {
            assert!(!matches(selector), "{selector}");
        }
        for selector in ["app>1", "tier of (a)", "=x", "a b"] {
            assert!(LabelSelector::read(selector).is_err(), "{selector}");
        }
    }
}
