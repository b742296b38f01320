//! Selectors of resources: `Deployment/web`, `Deployment/*`, or the `target` of a kustomization.

use std::fmt;
use std::str::FromStr;

use regex::bytes::{Regex, RegexBuilder};

use super::resource::ResourceId;
use crate::white_space::{trimmed, trimmed_end};
use crate::yaml::{NodeId, Tree};

/// The fields of a selector that are regular expressions.
const PATTERN_FIELDS: [&str; 5] = ["group", "version", "kind", "namespace", "name"];

/// The fields of a selector that are label selectors, with the fields of `metadata` that they are
/// about.
const LABEL_FIELDS: [(&str, &str); 2] = [
    ("labelSelector", "labels"),
    ("annotationSelector", "annotations"),
];

/// A selector of resources.
#[derive(Debug, Clone, Default)]
pub struct Selector {
    /// A regular expression for each of [`PATTERN_FIELDS`], which matches whole texts only. `None`
    /// matches anything.
    patterns: [Option<Regex>; 5],
    /// The requirements of label selectors, with the field of `metadata` that they are about. All
    /// have to be met.
    labels: Vec<(&'static str, Requirement)>,
    /// Whether the selector names a single resource and has no wildcard.
    pub(super) names_one: bool,
    /// The text of the selector.
    text: String,
}

impl FromStr for Selector {
    type Err = String;

    /// Parses `KIND/NAME` or `KIND/NAMESPACE/NAME`, in which `*` matches any text; or a map in
    /// braces, like `target` in a kustomization.
    ///
    /// ```
    /// use merge3::package::Selector;
    ///
    /// assert!("Deployment/shop/web".parse::<Selector>().is_ok());
    /// assert!("{kind: Deployment, labelSelector: app=web}".parse::<Selector>().is_ok());
    /// assert!("web".parse::<Selector>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with('{') {
            let tree = Tree::parse(text).map_err(|error| error.message)?;
            let tree = tree.ok_or("it is empty")?;
            return Self::of_target(&tree, tree.root().value).map_err(|(_, message)| message);
        }
        let parts: Vec<&str> = text.split('/').collect();
        let (kind, namespace, name) = match parts.as_slice() {
            [kind, name] => (kind, None, name),
            [kind, namespace, name] => (kind, Some(namespace), name),
            _ => (&"", None, &""),
        };
        if kind.is_empty() || name.is_empty() {
            return Err(
                "write it as KIND/NAME or KIND/NAMESPACE/NAME, such as Deployment/app".to_owned(),
            );
        }
        let kind = Some(glob(kind, false)?);
        let namespace = namespace.map(|text| glob(text, true)).transpose()?;
        Ok(Self {
            patterns: [None, None, kind, namespace, Some(glob(name, true)?)],
            names_one: !text.contains('*'),
            text: text.to_owned(),
            ..Self::default()
        })
    }
}

impl Selector {
    /// Reads the `target` of a patch in a kustomization: regular expressions for `group`,
    /// `version`, `kind`, `namespace` and `name`, and `labelSelector` and `annotationSelector`.
    ///
    /// # Errors
    /// The node of `tree` that is wrong, and a message.
    pub(super) fn of_target(tree: &Tree<'_>, target: NodeId) -> Result<Self, (NodeId, String)> {
        let mut selector = Self {
            text: trimmed_end(&tree.text_of(target)).to_owned(),
            ..Self::default()
        };
        for entry in tree.entries(tree.resolve(target)) {
            let entry = tree.entry(entry);
            let (key, value) = (entry.key.unwrap_or(entry.value), entry.value);
            let Some(text) = tree.scalar(value).filter(|_| !tree.is_null(value)) else {
                continue;
            };
            let wrong = |message: String| (value, message);
            let name = tree.scalar(key).map_or("", |key| key.content);
            if let Some(at) = PATTERN_FIELDS.iter().position(|it| *it == name) {
                selector.patterns[at] = Some(anchored(text.content, true).map_err(wrong)?);
            } else if let Some((_, field)) = LABEL_FIELDS.iter().find(|it| it.0 == name) {
                let requirements = requirements(text.content).map_err(wrong)?;
                let labels = requirements.into_iter().map(|it| (*field, it));
                selector.labels.extend(labels);
            } else {
                let message = "the fields are group, version, kind, namespace, name, \
                               labelSelector and annotationSelector";
                return Err((key, message.to_owned()));
            }
        }
        Ok(selector)
    }

    /// Returns true if the selector matches a resource with this identity and tree.
    pub(super) fn matches(&self, id: &ResourceId<'_>, tree: &Tree<'_>) -> bool {
        let version = id.api_version.rsplit('/').next().unwrap_or_default();
        let texts = [id.group(), version, &id.kind, &id.namespace, &id.name];
        let matches = |(pattern, text): (&Option<Regex>, &str)| {
            let pattern = pattern.as_ref();
            pattern.is_none_or(|pattern| pattern.is_match(text.as_bytes()))
        };
        let mut labels = self.labels.iter();
        self.patterns.iter().zip(texts).all(matches)
            && labels.all(|(field, it)| it.is_met(tree, field))
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Compiles a text in which `*` matches any text.
///
/// # Errors
/// If the text is too long.
fn glob(text: &str, case_sensitive: bool) -> Result<Regex, String> {
    let parts: Vec<String> = text.split('*').map(regex::escape).collect();
    anchored(&parts.join(".*"), case_sensitive)
}

/// Compiles a regular expression as kustomize does. It has to match the whole text.
///
/// # Errors
/// The message for the user.
fn anchored(text: &str, case_sensitive: bool) -> Result<Regex, String> {
    RegexBuilder::new(&format!("^(?:{text})$"))
        .unicode(false)
        .case_insensitive(!case_sensitive)
        .build()
        .map_err(|_| format!("`{text}` is not a supported regular expression"))
}

/// One requirement of a label selector.
#[derive(Debug, Clone)]
struct Requirement {
    key: String,
    /// The values that the label may have; `None` if it may have any.
    values: Option<Vec<String>>,
    /// Whether the requirement is negated.
    negated: bool,
}

/// Parses a label selector.
///
/// # Errors
/// The message for the user.
fn requirements(text: &str) -> Result<Vec<Requirement>, String> {
    // commas in parentheses divide values
    let mut depth = 0;
    let parts = text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    let parts = parts.map(trimmed).filter(|part| !part.is_empty());
    let all: Option<Vec<Requirement>> = parts.map(Requirement::read).collect();
    all.ok_or_else(|| {
        format!("`{text}` is not a label selector: write it as in `app=web,tier in (a, b),!old`")
    })
}

impl Requirement {
    fn read(text: &str) -> Option<Self> {
        let (key, values, negated) = if let Some((key, value)) = text.split_once("!=") {
            (key, Some(vec![value]), true)
        } else if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
            (key, Some(vec![value]), false)
        } else if let Some(list) = text.strip_suffix(')') {
            let (head, values) = list.split_once('(')?;
            let (key, word) = head.trim().rsplit_once(' ')?;
            let negated = match word {
                "in" => false,
                "notin" => true,
                _ => return None,
            };
            (key, Some(values.split(',').collect()), negated)
        } else {
            let key = text.strip_prefix('!');
            (key.unwrap_or(text), None, key.is_some())
        };
        let key = key.trim();
        let is_valid = !key.is_empty() && !key.contains([' ', '(', ')', '!', '=', '<', '>']);
        is_valid.then(|| Self {
            key: key.to_owned(),
            values: values.map(|it| it.iter().map(|value| value.trim().to_owned()).collect()),
            negated,
        })
    }

    /// Returns true if the `labels` or `annotations` of a resource (`field`) meet the requirement.
    fn is_met(&self, tree: &Tree<'_>, field: &str) -> bool {
        let label = tree.at(&["metadata", field, &self.key]);
        let has_value = label.is_some_and(|label| {
            let value = tree.scalar(label).map_or("", |scalar| scalar.content);
            let values = self.values.as_ref();
            values.is_none_or(|values| values.iter().any(|it| it == value))
        });
        has_value != self.negated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(selector: &str) -> bool {
        let tree = Tree::parse("metadata:\n  labels: {app: web, tier: a, on: ''}\n");
        let tree = tree.unwrap().unwrap();
        let mut all = requirements(selector).unwrap().into_iter();
        all.all(|it| it.is_met(&tree, "labels"))
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
            assert!(requirements(selector).is_err(), "{selector}");
        }
    }
}
