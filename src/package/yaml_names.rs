//! Decides by name which files are read as YAML (rules: Packages and files).

use std::path::Path;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::Error;

/// The suffixes, and the whole name, of files that are read as YAML without `--yaml` (rules:
/// Packages and files).
const YAML_SUFFIXES: [&str; 3] = [".yaml", ".yml", ".json"];
const YAML_NAME: &str = "Kptfile";
/// The names of the files that are read as YAML.
pub(super) enum YamlNames {
    Default,
    Matching(GlobSet),
}

/// Returns true if a file is read as YAML by default.
pub(crate) fn is_yaml_name(path: &Path) -> bool {
    YamlNames::Default.matches(path)
}

/// Returns a glob for paths, in which only `**` crosses a slash.
pub(super) fn path_glob(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern).literal_separator(true).build()
}

impl YamlNames {
    pub(super) fn of(matches: &[String]) -> Result<Self, Error> {
        if matches.is_empty() {
            return Ok(Self::Default);
        }
        let wrong = |pattern: &str, error: globset::Error| Error::pattern(pattern, error.kind());
        let mut set = GlobSetBuilder::new();
        for pattern in matches {
            set.add(path_glob(pattern).map_err(|error| wrong(pattern, error))?);
        }
        let set = set.build();
        let set = set.map_err(|error| wrong(&matches.join(" "), error))?;
        Ok(Self::Matching(set))
    }

    /// Returns true if the relative path or the file name matches.
    pub(super) fn matches(&self, path: &Path) -> bool {
        let name = path.file_name();
        match self {
            Self::Default => name.is_some_and(|name| {
                let bytes = name.as_encoded_bytes();
                let mut suffixes = YAML_SUFFIXES.iter();
                name == YAML_NAME || suffixes.any(|suffix| bytes.ends_with(suffix.as_bytes()))
            }),
            Self::Matching(set) => {
                set.is_match(path) || name.is_some_and(|name| set.is_match(name))
            }
        }
    }
}
