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
    /// Whether the text is YAML but for a key that occurs twice in one map. Many readers of YAML
    /// accept that.
    pub is_duplicate_key: bool,
}

impl ParseError {
    pub(crate) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self {
            offset,
            message: message.into(),
            help: None,
            is_duplicate_key: false,
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
            help: help.map(str::to_owned),
            ..Self::new(offset, message)
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

const TAB_INDENTATION: &str = "a tab where the indentation should be";
const USE_SPACES: &str = "indent with spaces: YAML takes no tabs there";

/// A hint, with parts of the parser's messages and what is said instead of these. The first part
/// that is found counts.
type Hint = (&'static str, &'static [(&'static str, &'static str)]);

const HINTS: &[Hint] = &[
    (
        "check the indentation, and quote a text that holds `: `",
        &[
            ("simple key", "a `:` is missing after this key"),
            ("mapping values", "a `:` is not allowed here"),
            ("mapping keys", "a key is not allowed here"),
        ],
    ),
    (
        "check that the bracket that opens above is closed",
        &[
            ("',' or '}'", "a `,` or `}` is missing before this"),
            ("',' or ']'", "a `,` or `]` is missing before this"),
            (
                "of ':'",
                "a `,` or a closing bracket is missing before this",
            ),
            ("in flow", "a closing bracket is missing before this"),
            ("node content", "a value is missing here"),
        ],
    ),
    (
        "give it the same indentation as its neighbours above",
        &[
            ("sequence entries", "a `-` is not allowed here"),
            ("expected key", "this is not a key of the map around it"),
            (
                "'-' indicator",
                "this is not an element of the list around it",
            ),
            ("in quoted", "a line of this text is not indented"),
            ("invalid indentation", "the indentation fits no line above"),
            (
                "wrongly",
                "a line of this text is indented less than its first",
            ),
        ],
    ),
    (
        "anchors hold in one document only; quote a text that begins with `*`",
        &[(
            "unknown anchor",
            "this document has no anchor of this name above",
        )],
    ),
    (
        "close the quote; inside '...' write '' for a quote, inside \"...\" \\\"",
        &[
            ("end of stream", "the quote that opens here is never closed"),
            (
                "document indicator",
                "the quote that opens here is not closed before the document ends",
            ),
        ],
    ),
    (
        "write the outer levels in block style",
        &[(
            "recursion limit",
            "brackets are nested deeper than 255 levels",
        )],
    ),
    (
        USE_SPACES,
        &[
            ("found a tab", TAB_INDENTATION),
            ("tabs disallowed", TAB_INDENTATION),
            ("as indentation", TAB_INDENTATION),
        ],
    ),
    (
        "put a space there",
        &[("YAML whitespace", "a tab where a space should be")],
    ),
    (
        "put the text between quotes",
        &[(
            "unexpected character",
            "no text without quotes begins with this character",
        )],
    ),
    (
        "write `\\\\` for a backslash, or use '...'",
        &[("escape character", "YAML has no such `\\` escape")],
    ),
    (
        "put all of the text between the quotes",
        &[("trailing content", "something follows the closing quote")],
    ),
    (
        "quote a text that begins with `&` or `*`",
        &[("alphabetic or numeric", "an anchor or alias without a name")],
    ),
    (
        "begin the text on the next line",
        &[("block scalar, did not", "something follows the `|` or `>`")],
    ),
    (
        "put a `---` line between documents, and after directives",
        &[("<document start>", "no document begins here")],
    ),
];

fn translate(info: &str) -> (&str, Option<&'static str>) {
    for (help, messages) in HINTS {
        if let Some((_, message)) = messages.iter().find(|(part, _)| info.contains(part)) {
            return (message, Some(help));
        }
    }
    let rest = info.strip_prefix("while ");
    let rest = rest.and_then(|rest| rest.split_once(", "));
    (rest.map_or(info, |(_, rest)| rest), None)
}

fn at_tab_indentation(text: &str, offset: usize) -> bool {
    let offset = offset.min(text.len());
    let before = &text[line_start(text, offset)..offset];
    before.trim_start_matches(' ').starts_with('\t')
}
