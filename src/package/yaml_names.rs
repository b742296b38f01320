//! Decides by name which files are read as YAML (rules: Packages and files).

use std::path::Path;
use std::sync::LazyLock;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::Error;

/// The names of the files that are read as YAML without `--yaml`.
pub(crate) const YAML_NAMES: [&str; 4] = ["*.yaml", "*.yml", "*.json", "Kptfile"];

/// The names of the files that are read as YAML.
#[derive(Default)]
pub(super) struct YamlNames(GlobSet);

/// Returns true if a file is read as YAML by default.
pub(crate) fn is_yaml_name(path: &Path) -> bool {
    static NAMES: LazyLock<YamlNames> = LazyLock::new(|| YamlNames::of(&[]).unwrap_or_default());
    NAMES.matches(path)
}

/// Returns a glob for paths, in which only `**` crosses a slash.
pub(super) fn path_glob(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern).literal_separator(true).build()
}

impl YamlNames {
    /// Returns the names that `patterns` match; the default ones if there are none.
    pub(super) fn of(patterns: &[String]) -> Result<Self, Error> {
        let default = YAML_NAMES.iter().filter(|_| patterns.is_empty()).copied();
        let wrong = |pattern: &str, error: globset::Error| Error::pattern(pattern, error.kind());
        let mut set = GlobSetBuilder::new();
        for pattern in patterns.iter().map(String::as_str).chain(default) {
            set.add(path_glob(pattern).map_err(|error| wrong(pattern, error))?);
        }
        let set = set.build();
        Ok(Self(
            set.map_err(|error| wrong(&patterns.join(" "), error))?,
        ))
    }

    /// Returns true if the relative path or the file name matches.
    pub(super) fn matches(&self, path: &Path) -> bool {
        let name = path.file_name();
        self.0.is_match(path) || name.is_some_and(|name| self.0.is_match(name))
    }
}
