//! Compares the line reader with the parser: both must read the same tree.

use merge3::yaml::Tree;

/// Whether the line reader accepts the text. Returns an error if the parser then refuses the text
/// or reads another tree.
pub(crate) fn agree(text: &str) -> Result<bool, String> {
    let Some(tree) = Tree::parse_lines(text) else {
        return Ok(false);
    };
    let expected = match Tree::parse_events(text) {
        Ok(Some(expected)) => expected,
        Ok(None) => return Err(format!("the parser finds no content:\n{text:?}")),
        Err(error) => return Err(format!("the parser rejects it: {error}:\n{text:?}")),
    };
    if tree == expected {
        return Ok(true);
    }
    let (tree, expected) = (format!("{tree:#?}"), format!("{expected:#?}"));
    let differ = |(line, other): &(&str, &str)| line != other;
    let differences: Vec<String> = (tree.lines().zip(expected.lines()))
        .filter(differ)
        .take(5)
        .map(|(line, other)| format!("{} and not {}", line.trim(), other.trim()))
        .collect();
    Err(format!("{}:\n{text:?}", differences.join("; ")))
}
