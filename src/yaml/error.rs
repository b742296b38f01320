//! Errors in a document: the position, the message and a hint.

use std::fmt;

use yaml_rust2::scanner::ScanError;

use crate::line_breaks::{line_end, line_start};

/// The reason why a text cannot be merged by its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The position, as a byte offset into the document's chunk.
    pub offset: usize,
    /// The message.
    pub message: String,
    /// A hint how to fix the error, if there is one.
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

    /// Returns an error for a tab at `offset`, where only spaces are allowed.
    pub(crate) fn tab_indentation(offset: usize) -> Self {
        Self::new(offset, TAB_INDENTATION).with_help(USE_SPACES)
    }

    /// Translates an error of the parser at `offset` of `text`.
    pub(crate) fn from_scan(text: &str, offset: usize, error: &ScanError) -> Self {
        let (message, help) = translate(error.info());
        let help = if looks_like_template(text, offset) {
            Some(TEMPLATE_HELP)
        } else if at_tab_indentation(text, offset) {
            Some(USE_SPACES)
        } else {
            help
        };
        Self {
            offset,
            message: message.to_owned(),
            help: help.map(str::to_owned),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

/// Whether the line of `offset` contains the braces of a template.
pub(crate) fn looks_like_template(text: &str, offset: usize) -> bool {
    let offset = offset.min(text.len());
    text[line_start(text, offset)..line_end(text, offset)].contains("{{")
}

/// The hint for a line that contains the braces of a template.
pub(crate) const TEMPLATE_HELP: &str =
    "this looks like a Helm template, which is not YAML until it is rendered";

const CHECK_INDENTATION: &str = "check the indentation, and quote a text that holds `: `";
const CHECK_COLUMN: &str = "give it the same indentation as its neighbours above";
const CHECK_BRACKETS: &str = "check that the bracket that opens above is closed";
const CLOSE_QUOTE: &str = "close the quote; inside '...' write '' for a quote, inside \"...\" \\\"";
const TAB_INDENTATION: &str = "a tab where the indentation should be";
const USE_SPACES: &str = "indent with spaces: YAML takes no tabs there";

/// A part of the parser's message, the message that replaces it, and a hint. The first match
/// counts.
const MESSAGES: &[(&str, &str, &str)] = &[
    (
        "simple key expect",
        "a `:` is missing after this key",
        CHECK_INDENTATION,
    ),
    (
        "mapping values are not allowed",
        "a `:` is not allowed here",
        CHECK_INDENTATION,
    ),
    (
        "mapping keys are not allowed",
        "a key is not allowed here",
        CHECK_INDENTATION,
    ),
    (
        "block sequence entries are not",
        "a `-` is not allowed here",
        CHECK_COLUMN,
    ),
    (
        "found unknown anchor",
        "this document has no anchor of this name above",
        "anchors hold in one document only; quote a text that begins with `*`",
    ),
    (
        "found unexpected end of stream",
        "the quote that opens here is never closed",
        CLOSE_QUOTE,
    ),
    (
        "found unexpected document indicator",
        "the quote that opens here is not closed before the document ends",
        CLOSE_QUOTE,
    ),
    (
        "expected ',' or '}'",
        "a `,` or `}` is missing before this",
        CHECK_BRACKETS,
    ),
    (
        "expected ',' or ']'",
        "a `,` or `]` is missing before this",
        CHECK_BRACKETS,
    ),
    (
        "illegal placement of ':'",
        "a `,` or a closing bracket is missing before this",
        CHECK_BRACKETS,
    ),
    (
        "invalid indentation in flow",
        "a closing bracket is missing before this",
        CHECK_BRACKETS,
    ),
    (
        "did not find expected key",
        "this is not a key of the map around it",
        CHECK_COLUMN,
    ),
    (
        "expected '-' indicator",
        "this is not an element of the list around it",
        CHECK_COLUMN,
    ),
    (
        "expected node content",
        "a value is missing here",
        CHECK_BRACKETS,
    ),
    (
        "invalid indentation in quoted",
        "a line of this text is not indented",
        CHECK_COLUMN,
    ),
    (
        "invalid indentation",
        "the indentation fits no line above",
        CHECK_COLUMN,
    ),
    (
        "wrongly indented line",
        "a line of this text is indented less than its first",
        CHECK_COLUMN,
    ),
    (
        "recursion limit exceeded",
        "brackets are nested deeper than 255 levels",
        "write the outer levels in block style",
    ),
    ("found a tab", TAB_INDENTATION, USE_SPACES),
    ("tabs disallowed", TAB_INDENTATION, USE_SPACES),
    (
        "tab cannot be used as indentation",
        TAB_INDENTATION,
        USE_SPACES,
    ),
    (
        "valid YAML whitespace",
        "a tab where a space should be",
        "put a space there",
    ),
    (
        "unexpected character",
        "no text without quotes begins with this character",
        "put the text between quotes",
    ),
    (
        "unknown escape character",
        "YAML has no such `\\` escape",
        "write `\\\\` for a backslash, or use '...'",
    ),
    (
        "invalid trailing content",
        "something follows the closing quote",
        "put all of the text between the quotes",
    ),
    (
        "did not find expected alphabetic or numeric character",
        "an anchor or alias without a name",
        "quote a text that begins with `&` or `*`",
    ),
    (
        "while scanning a block scalar, did not find expected comment or line break",
        "something follows the `|` or `>`",
        "begin the text on the next line",
    ),
    (
        "expected <document start>",
        "no document begins here",
        "put a `---` line between documents, and after directives",
    ),
];

fn translate(info: &str) -> (&str, Option<&'static str>) {
    match MESSAGES.iter().find(|(part, ..)| info.contains(part)) {
        Some((_, message, help)) => (message, Some(help)),
        None => {
            let rest_of_message = info
                .strip_prefix("while ")
                .and_then(|rest| rest.split_once(", "));
            (
                rest_of_message.map_or(info, |(_, rest_of_message)| rest_of_message),
                None,
            )
        }
    }
}

fn at_tab_indentation(text: &str, offset: usize) -> bool {
    let offset = offset.min(text.len());
    text.as_bytes()[line_start(text, offset)..offset]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .any(|byte| *byte == b'\t')
}
