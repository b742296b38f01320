//! Lists the cases in testdata: the folders there that have a README.md.

use std::path::{Path, PathBuf};

/// Returns the folders of all cases, sorted.
pub(crate) fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let mut cases = Vec::new();
    let mut themes = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter();
    while let Some(entry) = themes.next() {
        let entry = entry.unwrap_or_else(|error| panic!("{error}"));
        if entry.path().join("README.md").exists() {
            cases.push(entry.into_path());
            themes.skip_current_dir();
        }
    }
    assert!(!cases.is_empty(), "no cases below {}", root.display());
    cases
}

/// Returns the name of a case: its folder below testdata.
#[allow(dead_code)] // some test crates do not use it
pub(crate) fn name(folder: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let name = folder.strip_prefix(root).unwrap_or(folder);
    name.to_string_lossy().into_owned()
}
