//! Solves conflicts that git left in a file: rebuilds the three sides from the conflict markers,
//! with the help of the versions in git's index, and merges them by structure.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::files::{print, read_file, write};
use super::hunks::{self, ConflictHunk, Favor, Segment};
use super::lines;
use super::resolve::{Diff, Request, resolve};
use super::unmerged::{marker_size, unmerged_files, unmerged_versions};
use crate::error::shown;
use crate::merge::{ConflictStyle, MarkerStyle};
use crate::package::{Bytes, is_yaml_name};
use crate::report::many;
use crate::triple::Triple;
use crate::visible::visible_lines;
use crate::yaml::stream::count_lines;

/// What to do about a conflict that has no markers.
const CHOOSE_A_SIDE: &str =
    "choose a side (`git checkout --ours -- FILE`, or --theirs), and run `git add`";

/// The result of solving the conflicts of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solved {
    /// The text; unchanged if a side is no YAML that can be merged, or if nothing got better.
    pub text: String,
    /// The number of conflicts before.
    pub before: usize,
    /// The number of conflicts that are left.
    pub left: usize,
    /// Whether the sides were merged by structure.
    pub structural: bool,
}

/// Why the conflicts of a text cannot be solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotSolved {
    /// The markers do not match up.
    Unmatched,
    /// There are no markers.
    NoMarkers,
    /// The markers of a conflict do not show the original.
    NoOriginal {
        /// The line number of the first marker of that conflict, from 1.
        line: usize,
    },
}

/// Solves as many conflicts of a text as possible. Its markers have `size` characters; `path` is
/// the path of the file.
///
/// # Errors
/// If the text has no markers, or its markers do not match up or do not show the original.
///
/// ```
/// use merge3::git::solve_text;
///
/// let text = "<<<<<<< ours\na: 2\nb: 1\n||||||| base\na: 1\nb: 1\n=======\na: 1\nb: 2\n>>>>>>> theirs\n";
/// let solved = solve_text("a.yaml".as_ref(), text, 7).unwrap();
/// assert_eq!((solved.text.as_str(), solved.left), ("a: 2\nb: 2\n", 0));
/// ```
pub fn solve_text(path: &Path, text: &str, size: usize) -> Result<Solved, NotSolved> {
    solve_with(path, text, size, None)
}

/// Solves a text like [`solve_text`]. `versions` are the three versions of the file in git's index,
/// if it has them; they supply the original where the markers do not show it.
fn solve_with(
    path: &Path,
    text: &str,
    size: usize,
    versions: Option<Triple<Bytes>>,
) -> Result<Solved, NotSolved> {
    let segments = hunks::read(text, size).ok_or(NotSolved::Unmatched)?;
    let before = hunks::conflicts(&segments).count();
    if before == 0 {
        return Err(NotSolved::NoMarkers);
    }
    let request = |sides, style, diff| Request {
        path,
        sides,
        style: MarkerStyle { size, ..style },
        favor: None,
        diff,
    };
    // the algorithm of the driver
    let versions = versions.map(|it| request(it, MarkerStyle::default(), Diff::Histogram));
    let versions = versions.as_ref();
    let request = match versions.and_then(|it| unedited(it, text, &segments)) {
        Some(request) => request,
        None => {
            let (texts, style) = sides(&segments, versions)?;
            request(texts, style, Diff::Myers)
        }
    };
    let shows_original = request.style.conflict_style != Some(ConflictStyle::Merge);
    let length = |segments: &[Segment<'_>]| -> usize {
        hunks::conflicts(segments).map(ConflictHunk::length).sum()
    };
    let length_before = length(&segments);
    drop(segments);
    let solved = |text, left, structural| Solved {
        text,
        before,
        left,
        structural,
    };
    let unchanged = |structural| solved(text.to_owned(), before, structural);
    // a line merge with conflicts is no better than the markers that are there
    let merged = resolve(&request).filter(|merged| merged.structural || merged.conflicts == 0);
    let solved = merged.and_then(|merged| {
        let text = String::from_utf8(merged.bytes).ok()?;
        Some(solved(text, merged.conflicts, merged.structural))
    });
    let Some(solved) = solved else {
        return Ok(unchanged(false));
    };
    // a line of a side that looks like a marker can make the result unreadable
    let after = hunks::read(&solved.text, size).filter(|after| {
        hunks::conflicts(after).count() == solved.left
            && (solved.left == 0 || !shows_original || hunks::sides(after).is_ok())
    });
    let Some(after) = after else {
        return Ok(unchanged(false));
    };
    // the conflicts must have become fewer or smaller
    let is_better = solved.left == 0 || length(&after) < length_before;
    Ok(if is_better { solved } else { unchanged(true) })
}

/// Returns the merge of the versions in the index, in the style of the markers, if the text is what
/// git or the driver made of these versions; `None` if it was edited since.
fn unedited<'a>(
    versions: &Request<'a>,
    text: &str,
    segments: &[Segment<'_>],
) -> Option<Request<'a>> {
    let mut request = versions.clone();
    request.style.labels = hunks::conflicts(segments).next()?.labels.map(str::to_owned);
    request.style.conflict_style = Some(match hunks::sides(segments) {
        Ok(_) => ConflictStyle::Diff3,
        Err(_) => ConflictStyle::Merge,
    });
    // a style may split conflicts, but the text with one side chosen for all of them is the same;
    // the last line break is ignored, because markers add one
    let without_break = |text: &[u8]| text.strip_suffix(b"\n").unwrap_or(text).to_vec();
    let is_from_git = |diff| {
        [Favor::Ours, Favor::Theirs].into_iter().all(|favor| {
            let merged = lines::merge(&Request {
                favor: Some(favor),
                diff,
                ..request.clone()
            });
            let chosen = hunks::choose(text, request.style.size, favor);
            merged.zip(chosen).is_some_and(|(merged, chosen)| {
                without_break(&merged.bytes) == without_break(chosen.as_bytes())
            })
        })
    };
    let is_from_driver = || resolve(&request).is_some_and(|merged| merged.bytes == text.as_bytes());
    let is_unedited = is_from_git(Diff::Histogram) || is_from_git(Diff::Myers) || is_from_driver();
    let are_texts = request.bytes().try_map(std::str::from_utf8).is_ok();
    (is_unedited && are_texts).then_some(request)
}

/// Rebuilds the three sides of a text with conflict markers, and returns them with the style of its
/// markers.
fn sides(
    segments: &[Segment<'_>],
    versions: Option<&Request<'_>>,
) -> Result<(Triple<Bytes>, MarkerStyle), NotSolved> {
    let in_style = |(texts, labels): (Triple<String>, _), conflict_style| {
        let style = MarkerStyle {
            labels,
            conflict_style: Some(conflict_style),
            ..MarkerStyle::default()
        };
        (texts.map(Bytes::from), style)
    };
    let mut line = match hunks::sides(segments) {
        Ok(sides) => return Ok(in_style(sides, ConflictStyle::Diff3)),
        Err(line) => line,
    };
    let versions = versions.ok_or(NotSolved::NoOriginal { line })?;
    let diffs = [Diff::Histogram, Diff::Myers].into_iter();
    for shown in diffs.filter_map(|diff| diff3(versions, diff)) {
        let Some(found) = hunks::read(&shown, versions.style.size) else {
            continue;
        };
        match hunks::sides(&hunks::with_originals(segments.to_vec(), &found)) {
            Ok(sides) => return Ok(in_style(sides, ConflictStyle::Merge)),
            Err(unmatched) => line = line.max(unmatched),
        }
    }
    Err(NotSolved::NoOriginal { line })
}

/// Returns git's line merge of three versions, with conflicts in diff3 style.
fn diff3(versions: &Request<'_>, diff: Diff) -> Option<String> {
    let mut request = versions.clone();
    request.style.conflict_style = Some(ConflictStyle::Diff3);
    request.diff = diff;
    String::from_utf8(lines::merge(&request)?.bytes).ok()
}

/// Runs `solve`: solves as many conflicts as possible in `files`, or in all unmerged files if none
/// is given. Markers have `size` characters, or as many as git's attributes say. The result is
/// written to the files, or with `is_printed` to `output`. Returns the exit status: 1 if conflicts
/// are left, 2 if a given file cannot be solved.
///
/// # Errors
/// If no file is given outside of a repository.
pub(crate) fn solve(
    files: &[PathBuf],
    size: Option<usize>,
    is_printed: bool,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> Result<u8, String> {
    let mut status = 0;
    // a closed standard error is no reason to stop
    let mut tell = |text: &str| drop(writeln!(errors, "{}", visible_lines(text)));
    let are_named = !files.is_empty();
    let files = match files {
        [] => unmerged_files()
            .ok_or("this is not a git repository: go into one, or name the files")?,
        named => named.to_vec(),
    };
    if files.is_empty() {
        tell("git has no unmerged files here");
    }
    for file in files {
        let solved = match are_named || is_yaml_name(&file) {
            true => solve_file(&file, size, is_printed, output),
            false => Err(format!(
                "{} is no YAML or JSON: left as it is",
                shown(&file)
            )),
        };
        let (code, message) = match solved {
            Ok((left, message)) => (u8::from(left > 0), message),
            Err(message) if are_named => (2, format!("error: {message}")),
            // without arguments, the conflicts of this file are left
            Err(message) => (1, message),
        };
        tell(&message);
        status = status.max(code);
    }
    Ok(status)
}

/// Solves as many conflicts of one file as possible; returns the number of conflicts that are left
/// and a message.
fn solve_file(
    path: &Path,
    size: Option<usize>,
    is_printed: bool,
    output: &mut impl Write,
) -> Result<(usize, String), String> {
    let file = shown(path);
    let versions = unmerged_versions(path);
    if versions.is_some() && path.is_symlink() {
        return Err(format!("{file} is a symbolic link: {CHOOSE_A_SIDE}"));
    }
    let bytes = read_file(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| match versions {
        Some(_) => format!("{file} is not UTF-8 text: {CHOOSE_A_SIDE}"),
        None => format!("{file} is not UTF-8 text"),
    })?;
    let size = size.unwrap_or_else(|| marker_size(path));
    let local = versions.as_ref().map(|versions| versions.local.clone());
    let solved = match solve_with(path, text, size, versions) {
        Ok(solved) => solved,
        Err(why) => return not_solved(&file, (text, size), why, local.as_deref()),
    };
    if is_printed {
        print(output, solved.text.as_bytes())?;
    } else if solved.text != text {
        write(path, solved.text.as_bytes())?;
    }
    let message = message(&file, &solved, solved.text != text);
    Ok((solved.left, message))
}

fn message(file: &str, solved: &Solved, is_changed: bool) -> String {
    let Solved { before, left, .. } = *solved;
    if !solved.structural && left > 0 {
        return format!(
            "{file}: a side is no YAML that can be merged, \
             or has lines like markers; nothing was changed"
        );
    }
    if is_changed && left >= before {
        return format!("{file}: {} left", many(left, "smaller conflict"));
    }
    let all = many(before, "conflict");
    format!("{} of {all} solved in {file}", before - left)
}

/// Returns the error for a file whose conflicts cannot be solved; if the file itself is in order,
/// the number of conflicts that are left and a message. `local` is the current branch's version in
/// git's index if the file is unmerged.
fn not_solved(
    file: &str,
    (text, size): (&str, usize),
    why: NotSolved,
    local: Option<&[u8]>,
) -> Result<(usize, String), String> {
    let is_unmerged = local.is_some();
    match why {
        NotSolved::Unmatched => {
            let first = hunks::first_marker(text, size).unwrap_or_default();
            let line = count_lines(&text[..first]) + 1;
            Err(format!("{file}:{line}: {}", hunks::UNMATCHED))
        }
        NotSolved::NoMarkers if let Some((line, size)) = hunks::markers_of_any_size(text) => {
            Err(format!(
                "{file}:{line}: the conflict markers have {size} characters: \
                 use --marker-size {size}"
            ))
        }
        NotSolved::NoMarkers if local == Some(text.as_bytes()) => Ok((
            1,
            format!(
                "{file} is the current branch's version, and has no conflict markers: \
                 {CHOOSE_A_SIDE}"
            ),
        )),
        NotSolved::NoMarkers if is_unmerged => Ok((
            0,
            format!("{file} has no conflict markers left: `git add` says that it is merged"),
        )),
        NotSolved::NoMarkers => Err(format!(
            "{file} has no conflict markers of {size} characters"
        )),
        NotSolved::NoOriginal { line } if is_unmerged => Ok((
            1,
            format!(
                "{file}:{line}: this conflict is not as git left it (or git is older than \
                 2.44, and cannot tell), so it is yours to solve; nothing was changed (`git \
                 checkout --conflict=diff3 -- FILE` makes git write the whole file again)"
            ),
        )),
        NotSolved::NoOriginal { line } => Err(format!(
            "{file}:{line}: the markers do not show the original, and git has \
             none of this file, so what each side changed cannot be told; \
             `git config --global merge.conflictStyle diff3` has git show it"
        )),
    }
}
