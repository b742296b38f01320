//! Which files are read as YAML (rules: Packages and files).

use std::path::Path;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::Error;

/// How the names of files end that are read as YAML unless `--yaml` says otherwise, and one that
/// is so as a whole (rules: Packages and files).
const YAML_ENDINGS: [&str; 3] = [".yaml", ".yml", ".json"];
const YAML_NAME: &str = "Kptfile";
/// Which files are read as YAML.
pub(super) enum YamlNames {
    Usual,
    Matching(GlobSet),
}

/// Whether a file is read as YAML where nothing else is said.
pub(crate) fn is_yaml_name(path: &Path) -> bool {
    YamlNames::Usual.have(path)
}

/// A pattern for paths: only `**` reaches over a slash.
pub(super) fn path_glob(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern).literal_separator(true).build()
}

impl YamlNames {
    pub(super) fn of(matches: &[String]) -> Result<Self, Error> {
        if matches.is_empty() {
            return Ok(Self::Usual);
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

    /// A pattern is held against the relative path and against the file name.
    pub(super) fn have(&self, path: &Path) -> bool {
        let name = path.file_name();
        match self {
            Self::Usual => name.is_some_and(|name| {
                let bytes = name.as_encoded_bytes();
                let mut endings = YAML_ENDINGS.iter();
                name == YAML_NAME || endings.any(|ending| bytes.ends_with(ending.as_bytes()))
            }),
            Self::Matching(set) => {
                set.is_match(path) || name.is_some_and(|name| set.is_match(name))
            }
        }
    }
}
