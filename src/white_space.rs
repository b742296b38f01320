//! White space of YAML: spaces, tabs and line breaks. YAML treats other white space of Unicode,
//! such as a no-break space, as letters.

/// The characters of white space.
pub(crate) const WHITE_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// Returns a text without white space around it.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(WHITE_SPACE)
}

/// Returns a text without white space at its start.
pub(crate) fn trimmed_start(text: &str) -> &str {
    text.trim_start_matches(WHITE_SPACE)
}

/// Returns a text without white space at its end.
pub(crate) fn trimmed_end(text: &str) -> &str {
    text.trim_end_matches(WHITE_SPACE)
}

/// Returns true if a text is empty or has only white space.
pub(crate) fn is_white_space(text: &str) -> bool {
    trimmed_start(text).is_empty()
}
