//! A file in which git left conflict markers: its three sides, rebuilt and merged by structure.

use std::io::Write;

use super::commands::{Solve, print, read_file, write};
use super::hunks::{self, Stretch};
use super::resolve::{Diff, Request, Style, resolve};
use crate::error::shown;

/// Solves what can be solved of a file's conflicts. The status is 1 where conflicts are left.
///
/// # Errors
/// Where the file cannot be read or written, has no markers, or markers that do not show the original.
pub(super) fn solve(
    arguments: &Solve,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> Result<u8, String> {
    let file = shown(&arguments.file);
    let size = arguments.marker_size;
    let bytes = read_file(&arguments.file)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| format!("{file} is not UTF-8 text"))?;
    let stretches = hunks::read(text, size).ok_or_else(|| {
        format!("{file}: the conflict markers do not match up; repair them by hand")
    })?;
    let before = stretches
        .iter()
        .filter(|it| matches!(it, Stretch::Conflict { .. }))
        .count();
    if before == 0 {
        return Err(format!(
            "{file} has no conflict markers of {size} characters"
        ));
    }
    let (texts, style) = hunks::sides(&stretches, size).map_err(|line| {
        format!(
            "{file}:{line}: the markers do not show the original, so what each side changed cannot be told; \
             have git write them anew with `git checkout --conflict=diff3 -- FILE`, and set it for good with \
             `git config --global merge.conflictStyle diff3`"
        )
    })?;
    let request = Request {
        path: &arguments.file,
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
    let (result, left) = match &merged {
        Some(merged) => (merged.bytes.as_slice(), merged.conflicts),
        None => (bytes.as_slice(), before),
    };
    if arguments.stdout {
        print(output, result)?;
    } else if result != bytes {
        write(&arguments.file, result)?;
    }
    let _ = match merged {
        None => writeln!(
            errors,
            "{file}: a side is no YAML that can be merged; nothing was changed"
        ),
        Some(_) => writeln!(errors, "{file}: {before} conflicts before, {left} now"),
    };
    Ok(u8::from(left > 0))
}
