//! A folder with its files and subfolders, in memory.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use pretty_assertions::StrComparison;

/// Maps each path, with `/` as the separator, to the bytes of a file, or to None for a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Folder(BTreeMap<String, Option<Vec<u8>>>);

impl Folder {
    /// Creates a folder of text files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let mut entries = BTreeMap::new();
        for (path, text) in files {
            for (at, _) in path.match_indices('/') {
                entries.insert(path[..at].to_owned(), None);
            }
            entries.insert((*path).to_owned(), Some(text.as_bytes().to_vec()));
        }
        Self(entries)
    }

    /// Returns the path and text of the only file, or None if there are more files or folders.
    pub(crate) fn only_file(&self) -> Option<(&str, &str)> {
        let mut entries = self.0.iter();
        let (path, content) = entries.next().filter(|_| self.0.len() == 1)?;
        Some((path, std::str::from_utf8(content.as_ref()?).ok()?))
    }

    /// Reads everything below `root`. A missing folder is empty.
    pub(crate) fn read(root: &Path) -> io::Result<Self> {
        let mut folder = Self::default();
        if root.exists() {
            folder.read_into("", root)?;
        }
        Ok(folder)
    }

    fn read_into(&mut self, prefix: &str, path: &Path) -> io::Result<()> {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.read_into(&format!("{name}/"), &entry.path())?;
                self.0.insert(name, None);
            } else {
                self.0.insert(name, Some(fs::read(entry.path())?));
            }
        }
        Ok(())
    }

    /// Creates `root` with its whole content.
    pub(crate) fn write(&self, root: &Path) -> io::Result<()> {
        fs::create_dir_all(root)?;
        for (path, content) in &self.0 {
            match content {
                None => fs::create_dir_all(root.join(path))?,
                Some(bytes) => fs::write(root.join(path), bytes)?,
            }
        }
        Ok(())
    }

    /// Returns the differences from `expected`, a line or a diff for each path, or an empty text if
    /// all bytes are equal.
    pub(crate) fn difference(&self, expected: &Self) -> String {
        let mut out = String::new();
        for (path, content) in &self.0 {
            match (content, expected.0.get(path)) {
                (_, None) => {
                    let _ = writeln!(out, "{path}: should not be there");
                }
                (Some(is), Some(Some(should))) if is != should => {
                    let (is, should) = (visible(is), visible(should));
                    let _ = writeln!(
                        out,
                        "{path}: differs (result < > expected)\n{}",
                        StrComparison::new(&is, &should)
                    );
                }
                (is, Some(should)) if is.is_some() != should.is_some() => {
                    let _ = writeln!(
                        out,
                        "{path}: is a folder instead of a file or the other way round"
                    );
                }
                _ => {}
            }
        }
        for path in expected.0.keys().filter(|path| !self.0.contains_key(*path)) {
            let _ = writeln!(out, "{path}: is missing");
        }
        out
    }
}

/// Returns the text of a file with invisible characters made visible.
fn visible(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .replace('\r', "\\r")
        .replace('\t', "\\t")
        .replace('\u{feff}', "\\u{feff}")
        .replace(" \n", "\\s\n")
}
