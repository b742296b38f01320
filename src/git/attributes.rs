//! The lines of an attributes file that send files to the driver.

/// The names of the files that merge by structure, as `package::is_yaml_name` has them.
pub(super) const PATTERNS: [&str; 4] = ["*.yaml", "*.yml", "*.json", "Kptfile"];

/// The line for a pattern.
pub(super) fn line_for(pattern: &str) -> String {
    format!("{pattern} merge=merge3")
}

/// Whether a line sends the files of a pattern to the driver, and says no more.
fn is_line_for(line: &str, pattern: &str) -> bool {
    line_for(pattern).split(' ').eq(line.split_whitespace())
}

/// The lines that a text has not got yet.
pub(super) fn missing(text: &str) -> Vec<String> {
    let has = |pattern: &str| text.lines().any(|line| is_line_for(line, pattern));
    let missing = PATTERNS.into_iter().filter(|pattern| !has(pattern));
    missing.map(line_for).collect()
}

/// The text with the lines that it has not got yet; the others as they are.
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

/// The text without those lines; the others as they are.
pub(super) fn without_lines(text: &str) -> String {
    text.split_inclusive('\n')
        .filter(|line| !PATTERNS.iter().any(|pattern| is_line_for(line, pattern)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_once_and_go_alone() {
        let before = "*.png binary\n*.yaml text eol=lf\n";
        let with = with_lines(before);
        assert_eq!(
            with,
            format!(
                "{before}*.yaml merge=merge3\n*.yml merge=merge3\n*.json merge=merge3\n\
                 Kptfile merge=merge3\n"
            )
        );
        assert_eq!(with_lines(&with), with);
        assert_eq!(without_lines(&with), before);
        assert_eq!(
            without_lines("*.yaml merge=merge3 text\n"),
            "*.yaml merge=merge3 text\n"
        );
    }

    #[test]
    fn a_last_line_without_an_end_gets_one() {
        assert!(with_lines("a b").starts_with("a b\n*.yaml"));
        assert!(with_lines("a b\r\n").ends_with("Kptfile merge=merge3\r\n"));
    }
}
