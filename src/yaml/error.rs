//! What is wrong with a document, where, and what to do about it.

use std::fmt;

use yaml_rust2::scanner::ScanError;

use super::marks::Marks;

/// Why a text is no document that can be merged by its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Where, in bytes into the document's chunk.
    pub offset: usize,
    /// What is wrong, in plain words.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

impl ParseError {
    pub(crate) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self {
            offset,
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The parser's error over `text`, in our words where it has a help to give.
    pub(crate) fn from_scan(text: &str, error: &ScanError, marks: &mut Marks<'_>) -> Self {
        let offset = marks.byte(error.marker().index());
        let mut result = Self::new(offset, plain_words(error.info()));
        result.help = help_for(text, offset, error.info());
        result
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

/// Whether the line around `offset` holds a template's braces.
pub(crate) fn looks_like_template(text: &str, offset: usize) -> bool {
    let offset = offset.min(text.len());
    let bytes = text.as_bytes();
    let start = memchr::memrchr2(b'\n', b'\r', &bytes[..offset]).map_or(0, |at| at + 1);
    let end = memchr::memchr2(b'\n', b'\r', &bytes[offset..]).map_or(bytes.len(), |at| offset + at);
    memchr::memmem::find(&bytes[start..end], b"{{").is_some()
}

/// What to say about a line that holds a template's braces.
pub(crate) const TEMPLATE_HELP: &str =
    "this looks like a Helm template, which is no YAML before it is rendered";

fn plain_words(info: &str) -> String {
    let words = match info {
        "simple key expected" | "simple key expect ':'" => "a `:` is missing after this key",
        "mapping values are not allowed in this context" => "a `:` is not allowed here",
        "mapping keys are not allowed in this context" => "a key is not allowed here",
        "block sequence entries are not allowed in this context" => "a `-` is not allowed here",
        "while parsing node, found unknown anchor" => "no anchor of this name stands above",
        "while scanning a quoted scalar, found unexpected end of stream" => {
            "the quote that opens here is never closed"
        }
        "while scanning a quoted scalar, found unexpected document indicator" => {
            "the quote that opens here is not closed before the document ends"
        }
        "while parsing a flow mapping, did not find expected ',' or '}'" => {
            "a `,` or `}` is missing before this"
        }
        "while parsing a flow sequence, expected ',' or ']'" => {
            "a `,` or `]` is missing before this"
        }
        "while parsing a block mapping, did not find expected key" => {
            "this is no key of the map it stands in"
        }
        "while parsing a block collection, did not find expected '-' indicator" => {
            "this is no element of the list it stands in"
        }
        "while parsing a node, did not find expected node content" => "a value is missing here",
        "invalid indentation" => "the indentation fits no line above",
        "recursion limit exceeded" => "brackets are nested deeper than 255 levels",
        other => other,
    };
    words.to_owned()
}

fn help_for(text: &str, offset: usize, info: &str) -> Option<String> {
    if looks_like_template(text, offset) {
        return Some(TEMPLATE_HELP.to_owned());
    }
    if info.contains("tab") && info.contains("indentation") || at_tab_indentation(text, offset) {
        return Some("indent with spaces: YAML takes no tabs there".to_owned());
    }
    if info.contains("quoted scalar, found unexpected") {
        return Some("close the quote; inside '...' write '' for a quote".to_owned());
    }
    if info.contains("flow mapping") || info.contains("flow sequence") {
        return Some("check that the bracket that opens above is closed".to_owned());
    }
    if info.starts_with("simple key") || info.contains("values are not allowed") {
        return Some("check the indentation, and quote a text that holds `: `".to_owned());
    }
    if info.starts_with("unexpected character") {
        return Some("quote a text that begins with this character".to_owned());
    }
    None
}

fn at_tab_indentation(text: &str, offset: usize) -> bool {
    let bytes = &text.as_bytes()[..offset.min(text.len())];
    let start = memchr::memrchr2(b'\n', b'\r', bytes).map_or(0, |at| at + 1);
    text.as_bytes()[start..]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .any(|byte| *byte == b'\t')
}
