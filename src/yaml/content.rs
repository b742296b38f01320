//! What a scalar says: mostly a stretch of the text.

use std::borrow::Cow;
use std::ops::Deref;

/// Like [`std::borrow::Cow`], in two thirds of its memory: there is one for each scalar of a document.
#[derive(Clone)]
pub struct Content<'s>(Text<'s>);

#[derive(Clone)]
enum Text<'s> {
    Borrowed(&'s str),
    // a pointer alone, which fits beside the other's length
    #[allow(clippy::box_collection)]
    Owned(Box<String>),
}

impl<'s> Content<'s> {
    /// The same, for as long as the text is there.
    pub fn to_cow(&self) -> Cow<'s, str> {
        match &self.0 {
            Text::Borrowed(text) => Cow::Borrowed(text),
            Text::Owned(text) => Cow::Owned(String::clone(text)),
        }
    }
}

impl<'s> From<&'s str> for Content<'s> {
    fn from(text: &'s str) -> Self {
        Self(Text::Borrowed(text))
    }
}

impl From<String> for Content<'_> {
    fn from(text: String) -> Self {
        Self(Text::Owned(Box::new(text)))
    }
}

impl Deref for Content<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Text::Borrowed(text) => text,
            Text::Owned(text) => text,
        }
    }
}

impl PartialEq for Content<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Content<'_> {}

impl PartialEq<str> for Content<'_> {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Content<'_> {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl std::fmt::Debug for Content<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl std::fmt::Display for Content<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Entry, Node};

    #[test]
    fn trees_are_small() {
        assert_eq!(size_of::<Content<'_>>(), 16);
        assert_eq!(size_of::<Node<'_>>(), 40);
        assert_eq!(size_of::<Entry>(), 32);
    }
}
