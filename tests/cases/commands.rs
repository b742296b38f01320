//! Cases of the other commands: a folder with a file `run` that has the arguments, one on a line.
//! Each runs in a copy of the case's folder, and `local` must then equal `expected`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use rayon::prelude::*;

use crate::folder::Folder;
use crate::testdata::{folders, name};

/// The file that marks a folder as such a case.
pub(crate) const RUN: &str = "run";

/// Returns what is wrong with the case in a folder, or an empty text.
fn problems(path: &Path) -> Result<String, String> {
    let text = |name: &str| fs::read_to_string(path.join(name)).unwrap_or_default();
    let folder = |name: &str| Folder::read(&path.join(name)).map_err(|error| error.to_string());
    for needed in ["README.md", "expected"] {
        if !path.join(needed).exists() {
            return Err(format!("{needed} is missing"));
        }
    }
    let temporary = tempfile::tempdir().map_err(|error| error.to_string())?;
    let all = Folder::read(path).map_err(|error| error.to_string())?;
    all.write(temporary.path())
        .map_err(|error| error.to_string())?;
    let command = text(RUN);
    let output = Command::new(env!("CARGO_BIN_EXE_merge3"))
        .args(command.lines())
        .current_dir(temporary.path())
        .output()
        .map_err(|error| error.to_string())?;
    let result =
        Folder::read(&temporary.path().join("local")).map_err(|error| error.to_string())?;
    let mut problems = result.difference(&folder("expected")?);
    let status = match text("status").trim() {
        "" => 0,
        status => status
            .parse()
            .map_err(|_| format!("{status:?} is not a number"))?,
    };
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    if output.status.code() != Some(status) {
        let _ = writeln!(problems, "{} instead of {status}", output.status);
    }
    for line in text("stderr").lines() {
        if !stderr.contains(line) {
            let _ = writeln!(problems, "standard error does not contain {line:?}");
        }
    }
    if path.join("stdout").exists() && stdout != text("stdout") {
        let _ = writeln!(problems, "standard output differs");
    }
    if !problems.is_empty() {
        let _ = write!(
            problems,
            "-- standard output\n{stdout}-- standard error\n{stderr}"
        );
    }
    Ok(problems)
}

#[test]
fn commands_do_what_their_cases_expect() {
    let filter = std::env::var("CASE").unwrap_or_default();
    let mut paths = folders();
    paths.retain(|path| path.join(RUN).exists() && name(path).contains(&filter));
    let failures: Vec<String> = paths
        .par_iter()
        .filter_map(|path| {
            let problems = problems(path).unwrap_or_else(|problem| problem + "\n");
            (!problems.is_empty()).then(|| format!("== {}\n{problems}", path.display()))
        })
        .collect();
    assert!(
        !paths.is_empty() || !filter.is_empty(),
        "no case has arguments to run"
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
