//! Merges lines with `git merge-file`, so that the result is git's to the byte. If git cannot be
//! run, merge3's own line merge takes its place.

use std::fs;
use std::path::Path;

use super::hunks::{self, Favor};
use crate::git_process::Git;
use crate::merge::text::merge_lines_with;
use crate::merge::{ConflictStyle, MarkerStyle, Resolution};
use crate::package::Bytes;
use crate::triple::Triple;

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The merged content.
    pub bytes: Vec<u8>,
    /// The number of conflicts in it.
    pub conflicts: usize,
    /// Whether it was merged by structure.
    pub structural: bool,
}

impl Resolved {
    /// The result of a merge by lines.
    pub(super) const fn by_lines(bytes: Vec<u8>, conflicts: usize) -> Self {
        Self {
            bytes,
            conflicts,
            structural: false,
        }
    }

    /// The result of a merge by structure.
    pub(super) fn by_structure(text: String, conflicts: usize) -> Self {
        Self {
            structural: true,
            ..Self::by_lines(text.into_bytes(), conflicts)
        }
    }
}

/// The diff algorithm that compares lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diff {
    /// The one of `git merge`.
    Histogram,
    /// The default of `git merge-file`.
    Myers,
}

/// One file to merge.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The path of the file, as errors and conflicts name it.
    pub path: &'a Path,
    /// The content on each side; empty if the side does not have the file.
    pub sides: Triple<Bytes>,
    /// How conflicts are written.
    pub style: MarkerStyle,
    /// Which side wins conflicts; `None` leaves them between markers.
    pub favor: Option<Favor>,
    /// How the line merge compares lines.
    pub diff: Diff,
}

impl Request<'_> {
    pub(super) fn bytes(&self) -> Triple<&[u8]> {
        self.sides.as_ref().map(|bytes| &**bytes)
    }
}

/// Merges lines as git does; `None` if a side is binary.
pub(super) fn merge(request: &Request<'_>) -> Option<Resolved> {
    if request.bytes().into_array().into_iter().any(is_binary) {
        return None;
    }
    by_git(request).or_else(|| without_git(request))
}

/// Whether git takes a file for binary: there is a zero byte among the first 8000.
fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(8000)]).is_some()
}

/// Runs `git merge-file`; `None` if it cannot be run or fails.
fn by_git(request: &Request<'_>) -> Option<Resolved> {
    let style = &request.style;
    let folder = tempfile::tempdir().ok()?;
    let names = Triple::new("original", "updated", "local");
    let paths = names.map(|name| folder.path().join(name));
    for (path, bytes) in paths.as_ref().zip(request.bytes()).into_array() {
        fs::write(path, bytes).ok()?;
    }
    let labels = &style.labels;
    let labels = [&labels.local, &labels.original, &labels.updated];
    let conflict_style = style.conflict_style.map(|style| match style {
        ConflictStyle::Diff3 => "--diff3",
        ConflictStyle::Zdiff3 => "--zdiff3",
        ConflictStyle::Merge => "--no-diff3",
    });
    let favor = request.favor.map(|favor| match favor {
        Favor::Ours => "--ours",
        Favor::Theirs => "--theirs",
        Favor::Union => "--union",
    });
    let run = |algorithm: Option<&str>| {
        let call = Git::here()
            .max_output(u64::MAX)
            .args(["merge-file", "-p", "-q"]);
        call.arg(format!("--marker-size={}", style.size))
            .args(labels.iter().flat_map(|label| ["-L", label]))
            .args(conflict_style)
            .args(favor)
            .args(algorithm)
            .args([&paths.local, &paths.original, &paths.updated])
            .output()
            .ok()
    };
    let output = match request.diff {
        Diff::Myers => run(None)?,
        // git before 2.44 does not know the option
        Diff::Histogram => run(Some("--diff-algorithm=histogram"))
            .filter(|output| output.status.code() != Some(129))
            .or_else(|| run(None))?,
    };
    let conflicts = usize::try_from(output.status.code()?).ok()?;
    (conflicts < 128).then_some(Resolved::by_lines(output.stdout, conflicts))
}

/// Merges lines with merge3's own line merge. The sides may have any encoding, so each byte becomes
/// one character and back.
fn without_git(request: &Request<'_>) -> Option<Resolved> {
    let to_characters = |bytes: &[u8]| String::from_iter(bytes.iter().map(|it| char::from(*it)));
    let texts = request.bytes().map(to_characters);
    let labels = request.style.labels.as_ref();
    let style = MarkerStyle {
        // these are converted too, because the whole result is converted back
        labels: labels.map(|label| to_characters(label.as_bytes())),
        ..request.style
    };
    let texts = texts.as_ref().map(String::as_str);
    let merge = merge_lines_with(texts, Resolution::Markers, &style);
    let (text, conflicts) = match request.favor.filter(|_| !merge.hunks.is_empty()) {
        Some(favor) => (hunks::choose(&merge.text, style.size, favor)?, 0),
        None => (merge.text, merge.hunks.len()),
    };
    let bytes = text.chars().filter_map(|char| u8::try_from(char).ok());
    Some(Resolved::by_lines(bytes.collect(), conflicts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(sides: Triple<&[u8]>) -> Request<'static> {
        Request {
            path: Path::new("a.yaml"),
            sides: sides.map(|side| side.to_owned().into()),
            style: MarkerStyle {
                labels: Triple::new("base", "you", "mé").map(str::to_owned),
                ..MarkerStyle::default()
            },
            favor: None,
            diff: Diff::Myers,
        }
    }

    #[test]
    fn merges_lines_without_git() {
        let mut request = request(Triple::new(b"a\nb\n", b"a\nc\n", b"a\nd\n"));
        let merged = without_git(&request).unwrap();
        let expected = "a\n<<<<<<< mé\nd\n=======\nc\n>>>>>>> you\n";
        assert_eq!(String::from_utf8(merged.bytes).unwrap(), expected);
        assert_eq!(merged.conflicts, 1);
        assert_eq!(merge(&request).unwrap().bytes, expected.as_bytes());
        request.favor = Some(Favor::Union);
        assert_eq!(without_git(&request).unwrap().bytes, b"a\nd\nc\n");
    }

    #[test]
    fn merges_bytes_of_any_encoding() {
        let sides = Triple::new(&b"\xe4\nb\nc\n"[..], b"\xe4\nb\nC\n", b"\xc4\nb\nc\n");
        let merged = without_git(&request(sides)).unwrap();
        assert_eq!(merged.bytes, b"\xc4\nb\nC\n");
        assert_eq!(merge(&request(Triple::new(b"\0", b"a", b"b"))), None);
    }
}
