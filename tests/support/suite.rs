//! The cases of the YAML test suite, as its files hold them.

use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::{Yaml, YamlLoader};

/// One text of the suite.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// The text, its special characters resolved.
    pub(crate) yaml: String,
    /// Whether a parser should refuse it.
    pub(crate) invalid: bool,
}

/// The cases of one of the suite's files; a case without a text inherits the one before it, and
/// adds nothing.
pub(crate) fn cases(file: &str) -> Vec<Case> {
    let Ok(documents) = YamlLoader::load_from_str(file) else {
        return Vec::new();
    };
    let list = documents
        .first()
        .and_then(Yaml::as_vec)
        .cloned()
        .unwrap_or_default();
    list.iter()
        .filter_map(|case| {
            Some(Case {
                yaml: resolve(case["yaml"].as_str()?),
                invalid: case["fail"].as_bool() == Some(true),
            })
        })
        .collect()
}

/// The suite writes what cannot be seen with special characters.
fn resolve(text: &str) -> String {
    let mut text = text
        .replace('␣', " ")
        .replace('⇔', "\u{feff}")
        .replace('←', "\r");
    while text.contains("—»") {
        text = text.replace("—»", "»");
    }
    text = text.replace('»', "\t").replace('↵', "");
    match text.strip_suffix("∎\n") {
        Some(text) => text.to_owned(),
        None => text,
    }
}

/// Whether the parser itself takes a whole text.
pub(crate) fn parses(text: &str) -> bool {
    let mut parser = Parser::new_from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    loop {
        match parser.next_token() {
            Ok((Event::StreamEnd, _)) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}
