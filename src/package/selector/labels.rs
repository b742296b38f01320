//! Label selectors, as `kubectl -l` has them: `app=web,tier in (a, b),!old`.

use crate::yaml::Tree;

/// What a resource's labels have to be like, all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Labels(Vec<Requirement>);

/// One of a selector's parts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    /// The values that the label may have; any where none are given.
    values: Option<Vec<String>>,
    /// Whether the opposite has to be so.
    is_not: bool,
}

impl Labels {
    /// Reads a selector.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let parts = parts(text).map(Requirement::read);
        parts.collect::<Option<_>>().map(Self).ok_or_else(|| {
            format!("`{text}` is no selector: write it as in `app=web,tier in (a, b),!old`")
        })
    }

    /// Whether the `labels`, or the `annotations`, of a resource are so.
    pub(super) fn fit(&self, tree: &Tree<'_>, field: &str) -> bool {
        let labels = tree.at(&["metadata", field]);
        self.0.iter().all(|wanted| {
            let value = labels.and_then(|labels| tree.field(labels, &wanted.key));
            let value = value.map(|value| tree.scalar(value).map_or("", |scalar| scalar.content));
            let fits = match (&wanted.values, value) {
                (None, value) => value.is_some(),
                (Some(values), Some(value)) => values.iter().any(|it| it == value),
                (Some(_), None) => false,
            };
            fits != wanted.is_not
        })
    }
}

/// The parts between the commas that are in no parentheses.
fn parts(text: &str) -> impl Iterator<Item = &str> {
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
        let new = |key: &str, values: Option<Vec<&str>>, is_not| {
            let key = key.trim();
            let is_word = !key.is_empty() && !key.contains([' ', '(', ')', '!', '=', '<', '>']);
            is_word.then(|| Self {
                key: key.to_owned(),
                values: values.map(|it| it.iter().map(|value| value.trim().to_owned()).collect()),
                is_not,
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
        let is_not = match word {
            "in" => false,
            "notin" => true,
            _ => return None,
        };
        new(key, Some(values.split(',').collect()), is_not)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(selector: &str) -> bool {
        let tree = Tree::parse("metadata:\n  labels: {app: web, tier: a, on: ''}\n");
        let labels = Labels::read(selector).unwrap();
        labels.fit(&tree.unwrap().unwrap(), "labels")
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
            assert!(fits(selector), "{selector}");
        }
        for selector in [
            "app=x",
            "old",
            "!app",
            "tier in (b)",
            "tier notin (a)",
            "app=web,old=x",
        ] {
            assert!(!fits(selector), "{selector}");
        }
        for selector in ["app>1", "tier of (a)", "=x", "a b"] {
            assert!(Labels::read(selector).is_err(), "{selector}");
        }
    }
}
