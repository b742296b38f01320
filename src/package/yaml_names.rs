//! Which files are read as YAML (rules: Packages and files).

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

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

impl YamlNames {
    pub(super) fn of(matches: &[String]) -> Result<Self, Error> {
        if matches.is_empty() {
            return Ok(Self::Usual);
        }
        let mut set = GlobSetBuilder::new();
        for pattern in matches {
            let glob = GlobBuilder::new(pattern)
                .literal_separator(true)
                .build()
                .map_err(|error| Error::pattern(pattern, error.kind()))?;
            set.add(glob);
        }
        let set = set
            .build()
            .map_err(|error| Error::pattern(&matches.join(" "), error.kind()))?;
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
