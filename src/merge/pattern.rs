//! Parses patterns for paths in a document, such as
//! `spec.template.spec.containers[name=*].resources`, and finds the entries that match.

use crate::yaml::{EntryId, NodeId, Tree};

/// A path or a pattern for paths, in the syntax of the paths in reports. `*` matches any part of a
/// name or value, `[*]` any element, `**` any number of steps.
///
/// ```
/// use merge3::merge::Pattern;
/// use merge3::yaml::Tree;
///
/// let tree = Tree::parse("spec:\n  ports: [{name: http, port: 80}, {name: https, port: 443}]\n").unwrap().unwrap();
/// let found = |path: &str| Pattern::parse(path).unwrap().find(&tree).len();
/// assert_eq!(found("spec.ports[name=http].port"), 1);
/// assert_eq!(found("spec.ports[name=http*].port"), 2);
/// assert_eq!(found("**.port"), 2);
/// assert_eq!(found("spec.ports[0]"), 1);
/// assert_eq!(found("spec.replicas"), 0);
/// assert!(Pattern::parse("spec.ports[name").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pattern {
    steps: Vec<PatternStep>,
}

/// One step of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PatternStep {
    /// A field, by a pattern for its key.
    Field(String),
    /// An element with these fields, by patterns for their values; any element if empty.
    Element(Vec<(String, String)>),
    /// An element by its position.
    Index(usize),
    /// Any number of steps.
    Deep,
}

/// A syntax error in a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// The byte offset in the text.
    pub offset: usize,
    /// What is wrong.
    pub message: &'static str,
}

impl Pattern {
    /// Parses a pattern. An empty text stands for the whole document.
    ///
    /// # Errors
    /// If the syntax is wrong.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let mut steps = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let error = |message| PatternError {
                offset: at,
                message,
            };
            if rest.starts_with('[') {
                let (step, length) = bracket(rest).map_err(error)?;
                steps.push(step);
                at += length;
            } else {
                let name = match rest.strip_prefix('.') {
                    Some(name) if at > 0 => name,
                    _ => rest,
                };
                let length = name.find(['.', '[']).unwrap_or(name.len());
                if length == 0 {
                    return Err(error("a name is missing here"));
                }
                at += rest.len() - name.len() + length;
                steps.push(match &name[..length] {
                    "**" => PatternStep::Deep,
                    name => PatternStep::Field(name.to_owned()),
                });
            }
        }
        Ok(Self { steps })
    }

    /// Whether it stands for the whole document.
    pub fn is_whole(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn steps(&self) -> &[PatternStep] {
        &self.steps
    }

    /// Returns the entries of a document that it matches.
    pub fn find(&self, tree: &Tree<'_>) -> Vec<EntryId> {
        let mut found = Vec::new();
        search(tree, tree.root().value, &self.steps, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Adds the entries in a collection that the steps match.
fn search(tree: &Tree<'_>, node: NodeId, steps: &[PatternStep], found: &mut Vec<EntryId>) {
    let Some((step, rest)) = steps.split_first() else {
        return;
    };
    if *step == PatternStep::Deep {
        search(tree, node, rest, found);
    }
    for (index, entry) in tree.entries(tree.resolve(node)).enumerate() {
        let value = tree.entry(entry).value;
        if *step == PatternStep::Deep {
            if rest.is_empty() {
                found.push(entry);
            }
            search(tree, value, steps, found);
        } else if step.matches(tree, entry)
            || *step == PatternStep::Index(index) && is_element(tree, entry)
        {
            if rest.is_empty() {
                found.push(entry);
            } else {
                search(tree, value, rest, found);
            }
        }
    }
}

fn is_element(tree: &Tree<'_>, entry: EntryId) -> bool {
    tree.entry(entry).key.is_none()
}

impl PatternStep {
    /// Whether the step matches an entry by its key or its fields. Always false for
    /// [`Self::Index`] and [`Self::Deep`].
    pub(crate) fn matches(&self, tree: &Tree<'_>, entry: EntryId) -> bool {
        match self {
            Self::Field(name) => tree
                .key_text(entry)
                .is_some_and(|key| matches_glob(name, key)),
            Self::Element(fields) => {
                let value = tree.entry(entry).value;
                let has = |(name, pattern): &(String, String)| {
                    let text = tree.field_text(value, name);
                    text.is_some_and(|text| matches_glob(pattern, text))
                };
                is_element(tree, entry) && fields.iter().all(has)
            }
            Self::Index(_) | Self::Deep => false,
        }
    }
}

/// Parses `[...]` at the start of a text. Returns the step and the length of its text.
fn bracket(text: &str) -> Result<(PatternStep, usize), &'static str> {
    const OPEN: &str = "a `]` is missing for this `[`";
    if let Some(quoted) = text.strip_prefix("[\"") {
        let mut name = String::new();
        let mut chars = quoted.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => name.extend(chars.next().map(|(_, c)| c)),
                '"' if quoted[at + 1..].starts_with(']') => {
                    return Ok((PatternStep::Field(name), at + "[\"\"]".len()));
                }
                _ => name.push(c),
            }
        }
        return Err(OPEN);
    }
    let end = text.find(']').ok_or(OPEN)?;
    let inside = &text[1..end];
    let length = end + 1;
    if inside == "*" {
        return Ok((PatternStep::Element(Vec::new()), length));
    }
    if let Ok(index) = inside.parse() {
        return Ok((PatternStep::Index(index), length));
    }
    let pairs: Option<Vec<(String, String)>> = inside
        .split(',')
        .map(|pair| pair.split_once('='))
        .map(|pair| pair.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())))
        .collect();
    match pairs {
        Some(pairs) if pairs.iter().all(|(key, _)| !key.is_empty()) => {
            Ok((PatternStep::Element(pairs), length))
        }
        _ => Err("expected between brackets: `*`, a number, `key=value` or a name in quotes"),
    }
}

/// Whether a text matches a pattern in which `*` stands for any text.
pub(crate) fn matches_glob(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_anything() {
        assert!(
            matches_glob("a*", "abc")
                && matches_glob("*c", "abc")
                && matches_glob("a*b*c", "axbyc")
        );
        assert!(matches_glob("*", "") && matches_glob("**", "x"));
        assert!(
            !matches_glob("a*", "ba") && !matches_glob("a*b*b", "ab") && !matches_glob("a", "ab")
        );
    }

    #[test]
    fn errors_have_an_offset() {
        let wrong = |text| {
            Pattern::parse(text)
                .map_err(|error| error.offset)
                .unwrap_err()
        };
        assert_eq!(wrong("a..b"), 1);
        assert_eq!(wrong("a.b[c"), 3);
        assert_eq!(wrong("a[b]"), 1);
        assert_eq!(wrong("."), 0);
    }

    #[test]
    fn paths_of_reports_are_patterns() {
        let tree = Tree::parse("a:\n  x.y/z: 1\n  'q\"r': 2\nb: [{k: 1, l: 2}]\n")
            .unwrap()
            .unwrap();
        for path in [
            "a[\"x.y/z\"]",
            "a[\"q\\\"r\"]",
            "b[k=1,l=2]",
            "b[*].l",
            "b[k=*]",
        ] {
            assert_eq!(Pattern::parse(path).unwrap().find(&tree).len(), 1, "{path}");
        }
    }
}
