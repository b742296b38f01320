//! Reads the cases of the YAML test suite from its files.

use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::{Yaml, YamlLoader};

/// A text of the suite.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// The text, with the suite's special characters replaced.
    pub(crate) yaml: String,
    /// Whether a parser should reject the text.
    pub(crate) invalid: bool,
}

/// Returns the cases of a file of the suite. A case without a text reuses the text before it and is
/// left out.
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

/// Replaces the special characters that the suite uses for invisible ones.
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

/// Whether the parser accepts the whole text.
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
