//! Selectors of resources: `Deployment/web`, `Deployment/*`, or the `target` of a kustomization.

mod labels;

use std::fmt;
use std::str::FromStr;

use regex::bytes::{Regex, RegexBuilder};

use super::resource::ResourceId;
use crate::yaml::{NodeId, Tree};
use labels::Labels;

/// Which resources are meant. What is not said may be anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    group: Option<WholeRegex>,
    version: Option<WholeRegex>,
    kind: Option<WholeRegex>,
    namespace: Option<WholeRegex>,
    name: Option<WholeRegex>,
    labels: Option<Labels>,
    annotations: Option<Labels>,
    /// Whether one resource is meant, and not all that are so.
    is_name: bool,
    /// As it was written.
    text: String,
}

impl FromStr for Selector {
    type Err = String;

    /// Reads `KIND/NAME` or `KIND/NAMESPACE/NAME`, in which `*` stands for anything; or a map in
    /// braces, as `target` has it in a kustomization.
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
        Ok(Self {
            kind: Some(WholeRegex::glob(kind, false)?),
            namespace: namespace
                .map(|text| WholeRegex::glob(text, true))
                .transpose()?,
            name: Some(WholeRegex::glob(name, true)?),
            is_name: !text.contains('*'),
            text: text.to_owned(),
            ..Self::default()
        })
    }
}

impl Selector {
    /// Reads what a kustomization calls a `target`: regular expressions for `group`, `version`,
    /// `kind`, `namespace` and `name`, and `labelSelector` and `annotationSelector`.
    ///
    /// # Errors
    /// Where it is none: which node of `tree`, and what is wrong.
    pub(super) fn of_target(tree: &Tree<'_>, target: NodeId) -> Result<Self, (NodeId, String)> {
        let mut selector = Self {
            text: tree.text_of(target).trim_end().to_owned(),
            ..Self::default()
        };
        for entry in tree.entries(tree.resolve(target)) {
            let entry = tree.entry(entry);
            let (key, value) = (entry.key.unwrap_or(entry.value), entry.value);
            let Some(text) = tree.scalar(value).filter(|_| !tree.is_null(value)) else {
                continue;
            };
            let wrong = |message: String| (value, message);
            let pattern = || WholeRegex::new(text.content, true).map(Some).map_err(wrong);
            let labels = || Labels::read(text.content).map(Some).map_err(wrong);
            match tree.scalar(key).map(|key| key.content) {
                Some("group") => selector.group = pattern()?,
                Some("version") => selector.version = pattern()?,
                Some("kind") => selector.kind = pattern()?,
                Some("namespace") => selector.namespace = pattern()?,
                Some("name") => selector.name = pattern()?,
                Some("labelSelector") => selector.labels = labels()?,
                Some("annotationSelector") => selector.annotations = labels()?,
                _ => {
                    let message = "the fields are group, version, kind, namespace, name, \
                                   labelSelector and annotationSelector";
                    return Err((key, message.to_owned()));
                }
            }
        }
        Ok(selector)
    }

    /// Whether one resource is meant, and not all that are so.
    pub(super) const fn is_name(&self) -> bool {
        self.is_name
    }

    /// Whether it means a resource.
    pub(super) fn is_of(&self, id: &ResourceId<'_>, tree: Option<&Tree<'_>>) -> bool {
        let version = id.api_version.rsplit('/').next().unwrap_or_default();
        let fits = |pattern: &Option<WholeRegex>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| pattern.fits(text))
        };
        let by_name = fits(&self.group, id.group())
            && fits(&self.version, version)
            && fits(&self.kind, &id.kind)
            && fits(&self.namespace, &id.namespace)
            && fits(&self.name, &id.name);
        if !by_name || (self.labels.is_none() && self.annotations.is_none()) {
            return by_name;
        }
        tree.is_some_and(|tree| {
            let has = |labels: &Option<Labels>, field| {
                labels.as_ref().is_none_or(|labels| labels.fit(tree, field))
            };
            has(&self.labels, "labels") && has(&self.annotations, "annotations")
        })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// A regular expression that a text has to fit from end to end.
#[derive(Debug, Clone)]
struct WholeRegex(Regex);

impl PartialEq for WholeRegex {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for WholeRegex {}

impl WholeRegex {
    /// A text in which `*` stands for anything.
    ///
    /// # Errors
    /// Where it is too long.
    fn glob(text: &str, minds_case: bool) -> Result<Self, String> {
        let parts: Vec<String> = text.split('*').map(regex::escape).collect();
        Self::new(&parts.join(".*"), minds_case)
    }

    /// A regular expression as kustomize takes it.
    ///
    /// # Errors
    /// What is wrong with it.
    fn new(text: &str, minds_case: bool) -> Result<Self, String> {
        RegexBuilder::new(&format!("^(?:{text})$"))
            .unicode(false)
            .case_insensitive(!minds_case)
            .build()
            .map(Self)
            .map_err(|_| format!("`{text}` is no regular expression that can be used"))
    }

    fn fits(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
    }
}
