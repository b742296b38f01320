//! A pattern for the whole of a text.

use regex::bytes::{Regex, RegexBuilder};

/// A regular expression that a text has to fit from end to end.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// A regular expression as kustomize takes it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn regex(text: &str) -> Result<Self, String> {
        Self::new(text, true)
    }

    /// A text in which `*` stands for anything.
    ///
    /// # Errors
    /// Where it is too long.
    pub(super) fn glob(text: &str, minds_case: bool) -> Result<Self, String> {
        let parts: Vec<String> = text.split('*').map(regex::escape).collect();
        Self::new(&parts.join(".*"), minds_case)
    }

    fn new(text: &str, minds_case: bool) -> Result<Self, String> {
        RegexBuilder::new(&format!("^(?:{text})$"))
            .unicode(false)
            .case_insensitive(!minds_case)
            .build()
            .map(Self)
            .map_err(|_| format!("`{text}` is no regular expression that can be used"))
    }

    pub(super) fn fits(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
    }
}
