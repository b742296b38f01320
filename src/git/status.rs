//! `status`: shows where the driver is set up, and whether it works.

use std::fs;
use std::io::Write;
use std::path::Path;

use regex::{Captures, Regex};

use super::call;
use super::files::print;
use super::install::{
    DRIVER, DRIVER_KEY, PATTERNS, Scope, attributes_file, missing_lines, read_or_empty,
};
use crate::error::shown;
use crate::git_process::on_path;

/// Prints where the driver is set up, and whether git uses it here. Returns the exit status: 0 if
/// git uses it here, else 1.
///
/// # Errors
/// If git cannot be run, or an attributes file cannot be read.
pub(crate) fn status(output: &mut impl Write) -> Result<u8, String> {
    let mut report = String::new();
    for (name, global) in [("this repository", false), ("global", true)] {
        let scope = Scope { global };
        let Ok(file) = attributes_file(scope) else {
            report += &format!("{name}: none\n");
            continue;
        };
        let driver = call::stdout_text(["config", scope.flag(), "--get", DRIVER_KEY]);
        let missing = missing_lines(&read_or_empty(&file)?).len();
        report += &format!(
            "{name}:\n  driver: {}\n",
            match driver.as_deref() {
                None => "not set",
                Some(DRIVER) => "set",
                Some(other) => other,
            }
        );
        let patterns = match missing {
            0 => "all".to_owned(),
            missing if missing == PATTERNS.len() => "none".to_owned(),
            missing => format!("{missing} of {} missing", PATTERNS.len()),
        };
        report += &format!("  patterns in {}: {patterns}\n", shown(&file));
    }
    let driver = call::stdout_text(["config", "--get", DRIVER_KEY]);
    let attribute = call::stdout_text(["check-attr", "merge", "--", "a.yaml"]);
    let is_chosen = attribute.is_some_and(|line| line.ends_with(": merge3"));
    let driver = driver.filter(|_| is_chosen);
    let is_used = driver.as_deref().is_some_and(merges_by_structure);
    report += match driver {
        None => "here, git does not merge *.yaml with merge3; `merge3 git install` sets it up\n",
        Some(_) if is_used => "here, git merges *.yaml with merge3\n",
        Some(_) => "the driver is set up, but does not run: git merges *.yaml line by line\n",
    };
    if driver.is_some() && !is_used {
        report += match on_path("merge3") {
            None => "put merge3 on the PATH\n",
            Some(_) => "`merge3 git install` sets it up anew\n",
        };
    }
    print(output, report.as_bytes()).map(|()| u8::from(!is_used))
}

/// Whether a driver, run as git runs it, merges files that only a structural merge can merge
/// without a conflict.
fn merges_by_structure(driver: &str) -> bool {
    let run = || -> std::io::Result<Vec<u8>> {
        let folder = tempfile::tempdir()?;
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).map(|()| path)
        };
        let original = file("original", "a: 1\nb: 1\n")?;
        let local = file("local", "a: 2\nb: 1\n")?;
        let updated = file("updated", "a: 1\nb: 2\n")?;
        let command = expanded(driver, [&original, &local, &updated]);
        // git runs an alias with the same shell as a driver
        let alias = format!("alias.merge3-driver=!{command}");
        call::git(["-c", &alias, "merge3-driver"]);
        fs::read(local)
    };
    run().is_ok_and(|text| text == b"a: 2\nb: 2\n")
}

/// Returns a driver's command line with its placeholders replaced, as git does it.
fn expanded(driver: &str, [original, local, updated]: [&Path; 3]) -> String {
    let quoted = |path: &Path| format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"));
    let value = |placeholder: &Captures<'_>| match &placeholder[0] {
        "%O" => quoted(original),
        "%A" => quoted(local),
        "%B" => quoted(updated),
        "%P" => "a.yaml".to_owned(),
        "%L" => "7".to_owned(),
        "%%" => "%".to_owned(),
        _ => "side".to_owned(),
    };
    match Regex::new("%[OABPLSXY%]") {
        Ok(placeholders) => placeholders.replace_all(driver, value).into_owned(),
        Err(_) => driver.to_owned(),
    }
}
