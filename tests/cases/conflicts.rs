//! Compares the conflicts of a run with those that the case expects.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use merge3::cli::merge_arguments;
use merge3::package::{FileConflict, plan};

use crate::case::{Case, RunOutput};

/// Returns the conflicts that the library finds with the same arguments, in the format of the
/// cases: `FILE PATH KIND RESOLUTION`.
///
/// # Errors
///
/// If the library rejects the arguments or the packages.
pub(crate) fn of(arguments: &[String], folder: &Path) -> Result<Vec<String>, String> {
    let program = std::iter::once(OsString::from("merge3"));
    let arguments: Vec<OsString> = program
        .chain(arguments.iter().map(OsString::from))
        .collect();
    let (sides, settings) = merge_arguments(&arguments).map_err(|error| error.to_string())?;
    let sides = sides.map(|side| folder.join(side));
    let plan = plan(&sides, &settings).map_err(|error| error.render(false))?;
    Ok(plan.conflicts.iter().map(line).collect())
}

fn line(found: &FileConflict) -> String {
    let conflict = &found.conflict;
    let path = if conflict.path().is_empty() {
        "-"
    } else {
        conflict.path()
    };
    let resolution = conflict.resolution.as_str();
    format!(
        "{} {path} {} {resolution}",
        found.file.display(),
        conflict.kind.as_str()
    )
}

/// Returns what is wrong with the conflicts and with their summary, or an empty text.
pub(crate) fn difference(case: &Case, run: &RunOutput) -> String {
    let mut out = String::new();
    let found = match &run.conflicts {
        Ok(found) => found,
        Err(problem) => return format!("the library fails: {problem}\n"),
    };
    let mut balance: BTreeMap<&str, i32> = BTreeMap::new();
    for line in found {
        *balance.entry(line).or_default() += 1;
    }
    for line in &case.conflicts {
        *balance.entry(line).or_default() -= 1;
    }
    for (line, count) in balance {
        let problem = match count {
            0 => continue,
            1.. => "conflict that the case does not expect",
            _ => "missing conflict that the case expects",
        };
        let _ = writeln!(out, "{problem}: {line}");
    }
    for line in &case.conflicts {
        let words: Vec<&str> = line.split(' ').filter(|word| *word != "-").collect();
        let names_it = |line: &str| {
            line.starts_with("conflict ") && words.iter().all(|word| line.contains(word))
        };
        if !run.stdout.lines().any(names_it) {
            let _ = writeln!(out, "the summary does not list {line}");
        }
    }
    let listed = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("conflict "))
        .count();
    if listed != case.conflicts.len() {
        let _ = writeln!(
            out,
            "the summary lists {listed} conflicts instead of {}",
            case.conflicts.len()
        );
    }
    out
}
