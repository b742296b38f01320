//! A file in which git left conflict markers: its three sides, rebuilt and merged by structure.

use std::io::Write;
use std::path::Path;

use super::commands::{Solve, print, read_file, write};
use super::hunks::{self, Stretch};
use super::resolve::{Diff, Request, Style, resolve};
use crate::error::shown;

/// What became of a text with conflict markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solved {
    /// The text; the one that was there, where a side is no YAML that can be merged.
    pub text: String,
    /// How many conflicts there were.
    pub before: usize,
    /// How many are left.
    pub left: usize,
    /// Whether the sides were merged by structure.
    pub structural: bool,
}

/// Why nothing could be done with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotSolved {
    /// The markers do not match up.
    Unmatched,
    /// There are none.
    NoMarkers,
    /// They do not show the original.
    NoOriginal {
        /// The line of the first marker of those, from 1.
        line: usize,
    },
}

/// Solves what can be solved of a text's conflicts, whose markers have `size` characters. `path` is
/// what the file is called.
///
/// # Errors
/// Where the text has no markers, or some that do not match up or do not show the original.
///
/// ```
/// use merge3::git::solve_text;
///
/// let text = "<<<<<<< ours\na: 2\nb: 1\n||||||| base\na: 1\nb: 1\n=======\na: 1\nb: 2\n>>>>>>> theirs\n";
/// let solved = solve_text("a.yaml".as_ref(), text, 7).unwrap();
/// assert_eq!((solved.text.as_str(), solved.left), ("a: 2\nb: 2\n", 0));
/// ```
pub fn solve_text(path: &Path, text: &str, size: usize) -> Result<Solved, NotSolved> {
    let stretches = hunks::read(text, size).ok_or(NotSolved::Unmatched)?;
    let before = conflicts_in(&stretches);
    if before == 0 {
        return Err(NotSolved::NoMarkers);
    }
    let (texts, style) =
        hunks::sides(&stretches, size).map_err(|line| NotSolved::NoOriginal { line })?;
    let request = Request {
        path,
        sides: texts.as_ref().map(String::as_bytes),
        style: Style {
            size,
            labels: style.labels,
            conflict_style: Some(style.conflict_style),
        },
        favor: None,
        diff: Diff::Myers,
    };
    // where there is no structure, the markers are as good as they get
    let merged = resolve(&request).filter(|merged| merged.structural || merged.conflicts == 0);
    let merged = merged.and_then(|merged| {
        Some(Solved {
            text: String::from_utf8(merged.bytes).ok()?,
            before,
            left: merged.conflicts,
            structural: merged.structural,
        })
    });
    // lines of a side that look like markers can end up between markers
    let merged = merged.filter(|merged| is_readable(&merged.text, size, merged.left));
    Ok(merged.unwrap_or_else(|| Solved {
        text: text.to_owned(),
        before,
        left: before,
        structural: false,
    }))
}

fn conflicts_in(stretches: &[Stretch<'_>]) -> usize {
    let conflicts = stretches.iter();
    conflicts
        .filter(|it| matches!(it, Stretch::Conflict { .. }))
        .count()
}

/// Whether a text shows that many conflicts between its markers, each with its three sides.
fn is_readable(text: &str, size: usize, conflicts: usize) -> bool {
    hunks::read(text, size).is_some_and(|stretches| {
        conflicts_in(&stretches) == conflicts
            && (conflicts == 0 || hunks::sides(&stretches, size).is_ok())
    })
}

/// Solves what can be solved of a file's conflicts. The status is 1 where conflicts are left.
///
/// # Errors
/// Where the file cannot be read or written, has no markers, or markers that do not show the
/// original.
pub(super) fn solve(
    arguments: &Solve,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> Result<u8, String> {
    let file = shown(&arguments.file);
    let size = arguments.marker_size;
    let bytes = read_file(&arguments.file)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| format!("{file} is not UTF-8 text"))?;
    let solved = solve_text(&arguments.file, text, size).map_err(|why| match why {
        NotSolved::Unmatched => {
            format!("{file}: the conflict markers do not match up; repair them by hand")
        }
        NotSolved::NoMarkers => format!("{file} has no conflict markers of {size} characters"),
        NotSolved::NoOriginal { line } => format!(
            "{file}:{line}: the markers do not show the original, so what each side changed cannot be told; \
             have git write them anew with `git checkout --conflict=diff3 -- FILE`, and set it for good with \
             `git config --global merge.conflictStyle diff3`"
        ),
    })?;
    if arguments.stdout {
        print(output, solved.text.as_bytes())?;
    } else if solved.text != text {
        write(&arguments.file, solved.text.as_bytes())?;
    }
    let Solved { before, left, .. } = solved;
    let _ = if solved.structural || left == 0 {
        writeln!(errors, "{file}: {before} conflicts before, {left} now")
    } else {
        writeln!(
            errors,
            "{file}: a side is no YAML that can be merged, or has lines like markers; nothing was changed"
        )
    };
    Ok(u8::from(left > 0))
}
