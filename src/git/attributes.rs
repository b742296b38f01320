//! The lines of `.gitattributes` that assign files to the merge driver.

/// The patterns of the files that merge by structure.
pub(super) use crate::package::YAML_NAMES as PATTERNS;

/// Returns the line that assigns a pattern to the driver.
pub(super) fn line_for(pattern: &str) -> String {
    format!("{pattern} merge=merge3")
}

/// Whether a line assigns a pattern to the driver and sets no other attribute.
fn is_line_for(line: &str, pattern: &str) -> bool {
    line_for(pattern).split(' ').eq(line.split_whitespace())
}

/// Returns the lines that are missing in a text.
pub(super) fn missing(text: &str) -> Vec<String> {
    let has = |pattern: &str| text.lines().any(|line| is_line_for(line, pattern));
    let missing = PATTERNS.into_iter().filter(|pattern| !has(pattern));
    missing.map(line_for).collect()
}

/// Returns the text with the missing lines at its end.
pub(super) fn with_lines(text: &str) -> String {
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut result = text.to_owned();
    let missing = missing(text);
    if !missing.is_empty() && !text.is_empty() && !text.ends_with('\n') {
        result.push_str(line_break);
    }
    for line in missing {
        result.push_str(&line);
        result.push_str(line_break);
    }
    result
}

/// Returns the text without the lines that assign a pattern to the driver.
pub(super) fn without_lines(text: &str) -> String {
    text.split_inclusive('\n')
        .filter(|line| !PATTERNS.iter().any(|pattern| is_line_for(line, pattern)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_lines_once_and_removes_only_these() {
        let before = "*.png binary\n*.yaml text eol=lf\n";
        let after = with_lines(before);
        assert_eq!(
            after,
            format!(
                "{before}*.yaml merge=merge3\n*.yml merge=merge3\n*.json merge=merge3\n\
                 Kptfile merge=merge3\n"
            )
        );
        assert_eq!(with_lines(&after), after);
        assert_eq!(without_lines(&after), before);
        assert_eq!(
            without_lines("*.yaml merge=merge3 text\n"),
            "*.yaml merge=merge3 text\n"
        );
    }

    #[test]
    fn ends_the_last_line_before_adding_lines() {
        assert!(with_lines("a b").starts_with("a b\n*.yaml"));
        assert!(with_lines("a b\r\n").ends_with("Kptfile merge=merge3\r\n"));
    }
}
