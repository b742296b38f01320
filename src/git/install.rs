//! `install`, `uninstall` and `status`: writes the driver to git's configuration and attributes,
//! removes it, and shows where it is set up and whether it works.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use regex::{Captures, Regex};

use super::files::{git, print, stdout_text, user_folder, write};
use crate::error::shown;
use crate::git_process::on_path;
use crate::line_breaks::line_break_of;
use crate::package::{YAML_NAMES as PATTERNS, if_there};

/// The key of the driver's name in git's configuration.
const NAME_KEY: &str = "merge.merge3.name";
/// The key of the driver's command in git's configuration.
const DRIVER_KEY: &str = "merge.merge3.driver";
const NAME: &str = "merge3: YAML and JSON by structure";
/// The driver, a shell command. It runs merge3, unless `MERGE3=0` is set. If merge3 is missing, or
/// ends without leaving conflict markers, as for a binary file, it runs `git merge-file` instead:
/// git would take the exit status for a number of conflicts, and the file for one with markers.
///
/// Versions of git before 2.44 do not replace `%S %X %Y`.
const DRIVER: &str = concat!(
    r#"if test "$MERGE3" != 0; then if command -v merge3 >/dev/null; then "#,
    "merge3 git driver %O %A %B --path %P --marker-size %L --labels %S %X %Y; s=$?; ",
    r"test $s = 0 && exit; test $s -lt 128 && grep -q '^<\{%L\}' %A && exit $s; fi; ",
    "echo merge3 is missing, or cannot merge %P: git merges it as text >&2; fi; ",
    r#"set -- %X %S %Y; test "$1" = %%X && set -- ours base theirs; "#,
    r#"git merge-file -q --marker-size=%L -L "$1" -L "$2" -L "$3" %A %O %B; "#,
    // 255 means a binary file, which is one conflict; the local version stays
    "s=$?; test $s = 255 && exit 1; exit $s"
);
/// The command for `git mergetool`, which restores `$BACKUP` if the tool fails. To keep the
/// conflicts that were solved, the command copies its result there.
const MERGETOOL: &str = r#"merge3 solve -- "$MERGED" || { cp -- "$MERGED" "$BACKUP"; false; }"#;
const MERGETOOL_SETTINGS: [(&str, &str); 2] = [
    ("mergetool.merge3.cmd", MERGETOOL),
    ("mergetool.merge3.trustExitCode", "true"),
];

/// Where the driver is set up: in this repository, or for all repositories of the user.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Scope {
    /// For all of your repositories
    #[arg(long)]
    global: bool,
}

impl Scope {
    /// Returns the option of `git config`.
    const fn flag(self) -> &'static str {
        if self.global { "--global" } else { "--local" }
    }
}

/// Writes the driver to git's configuration and the patterns to the attributes file, and prints
/// what was written.
///
/// # Errors
/// Outside of a repository, without git, or if a file cannot be written.
pub(crate) fn install(scope: Scope, output: &mut impl Write) -> Result<u8, String> {
    let attributes = attributes_file(scope)?;
    let mut report = configure(scope, &[(NAME_KEY, NAME), (DRIVER_KEY, DRIVER)])?;
    let before = read_or_empty(&attributes)?;
    let missing = missing_lines(&before);
    if missing.is_empty() {
        report += &format!("{} has the patterns already\n", shown(&attributes));
    } else {
        if let Some(folder) = attributes.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| format!("cannot create {}: {error}", shown(folder)))?;
        }
        write(&attributes, with_lines(&before).as_bytes())?;
        report += &format!("{}, added:\n", shown(&attributes));
        for line in missing {
            report += &format!("    {line}\n");
        }
    }
    if on_path("merge3").is_none() {
        report += "\nmerge3 is not on the PATH: until it is, git merges these files line by line\n";
    }
    if on_path("jj").is_some() {
        report += JJ_ADVICE;
    }
    report += "\nTo merge once without it: MERGE3=0 git merge ...\n";
    print(output, report.as_bytes()).map(|()| 0)
}

/// Configures `git mergetool --tool=merge3` to run `merge3 solve`, and prints what was written.
///
/// # Errors
/// Outside of a repository, or without git.
pub(crate) fn install_mergetool(scope: Scope, output: &mut impl Write) -> Result<u8, String> {
    attributes_file(scope)?;
    let mut report = configure(scope, &MERGETOOL_SETTINGS)?;
    report += "\nWhere a merge left conflicts: git mergetool --tool=merge3\n";
    print(output, report.as_bytes()).map(|()| 0)
}

/// Writes the settings that are not set yet, and returns a report of them.
fn configure(scope: Scope, settings: &[(&str, &str)]) -> Result<String, String> {
    let mut report = String::new();
    for (key, value) in settings {
        if stdout_text(["config", scope.flag(), "--get", key]).as_deref() == Some(value) {
            report += &format!("git config {key} was set already\n");
            continue;
        }
        config(&[scope.flag(), "--replace-all", key, value])?;
        report += &format!("git config {} {key}\n    {value}\n", scope.flag());
    }
    Ok(report)
}

/// Removes what [`install`] and [`install_mergetool`] wrote, and prints what was removed.
///
/// # Errors
/// As [`install`].
pub(crate) fn uninstall(scope: Scope, output: &mut impl Write) -> Result<u8, String> {
    let attributes = attributes_file(scope)?;
    let mut report = String::new();
    let [(tool, _), (trust, _)] = MERGETOOL_SETTINGS;
    for (section, keys) in [
        ("merge.merge3", [NAME_KEY, DRIVER_KEY]),
        ("mergetool.merge3", [tool, trust]),
    ] {
        let is_set = |key: &&str| stdout_text(["config", scope.flag(), "--get-all", key]).is_some();
        for key in keys.into_iter().filter(is_set) {
            config(&[scope.flag(), "--unset-all", key])?;
            report += &format!("git config {} --unset {key}\n", scope.flag());
        }
        // older versions of git keep an empty section
        let _ = git(["config", scope.flag(), "--remove-section", section]);
    }
    let before = read_or_empty(&attributes)?;
    let after = without_lines(&before);
    if after.is_empty() && !before.is_empty() {
        fs::remove_file(&attributes)
            .map_err(|error| format!("cannot delete {}: {error}", shown(&attributes)))?;
        report += &format!("{}: deleted, nothing else was in it\n", shown(&attributes));
    } else if after != before {
        write(&attributes, after.as_bytes())?;
        report += &format!("{}: removed the patterns\n", shown(&attributes));
    }
    if report.is_empty() {
        report += "nothing was set up\n";
    }
    print(output, report.as_bytes()).map(|()| 0)
}

/// Runs `git config`.
fn config(arguments: &[&str]) -> Result<(), String> {
    let arguments = std::iter::once("config").chain(arguments.iter().copied());
    let output = git(arguments).ok_or("git cannot be run; is it on the PATH?")?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(format!("git config failed: {}", message.trim()))
}

/// Returns the attributes file of a scope: the one at the top of the work tree, or the user's.
fn attributes_file(scope: Scope) -> Result<PathBuf, String> {
    if git(["--version"]).is_none() {
        return Err("git cannot be run; is it on the PATH?".to_owned());
    }
    if scope.global {
        let file = stdout_text(["config", "--type=path", "--get", "core.attributesFile"]);
        // the file that git reads if the setting is missing
        let default = || Some(user_folder()?.join("attributes"));
        let file = file.map(PathBuf::from).or_else(default);
        return file.ok_or_else(|| "neither XDG_CONFIG_HOME nor HOME is set".to_owned());
    }
    let top = stdout_text(["rev-parse", "--show-toplevel"]);
    top.map(|top| Path::new(&top).join(".gitattributes"))
        .ok_or_else(|| "this is not a git repository: go into one, or use --global".to_owned())
}

/// Reads a text file; an absent file is an empty text.
fn read_or_empty(path: &Path) -> Result<String, String> {
    let bytes = if_there(fs::read(path));
    let bytes = bytes.map_err(|error| format!("cannot read {}: {error}", shown(path)))?;
    String::from_utf8(bytes.unwrap_or_default())
        .map_err(|_| format!("{} is not UTF-8; add the patterns by hand", shown(path)))
}

/// The advice for users of jj.
const JJ_ADVICE: &str = r#"
For jj, put this into its configuration (jj config edit --user) and run: jj resolve --tool merge3

    [merge-tools.merge3]
    program = "merge3"
    merge-args = ["git", "driver", "$base", "$left", "$right", "--output", "$output", "--path", "$path", "--marker-size", "$marker_length", "--diff3"]
    merge-conflict-exit-codes = [1]
"#;

/// Returns the line that assigns a pattern to the driver.
fn line_for(pattern: &str) -> String {
    format!("{pattern} merge=merge3")
}

/// Whether a line assigns a pattern to the driver and sets no other attribute.
fn is_line_for(line: &str, pattern: &str) -> bool {
    line_for(pattern).split(' ').eq(line.split_whitespace())
}

/// Returns the lines that are missing in a text.
fn missing_lines(text: &str) -> Vec<String> {
    let has = |pattern: &str| text.lines().any(|line| is_line_for(line, pattern));
    let missing = PATTERNS.into_iter().filter(|pattern| !has(pattern));
    missing.map(line_for).collect()
}

/// Returns the text with the missing lines at its end.
fn with_lines(text: &str) -> String {
    let line_break = line_break_of(text);
    let missing = missing_lines(text).into_iter();
    let missing: String = missing.map(|line| line + line_break).collect();
    match missing.is_empty() || text.is_empty() || text.ends_with('\n') {
        true => format!("{text}{missing}"),
        false => format!("{text}{line_break}{missing}"),
    }
}

/// Returns the text without the lines that assign a pattern to the driver.
fn without_lines(text: &str) -> String {
    text.split_inclusive('\n')
        .filter(|line| !PATTERNS.iter().any(|pattern| is_line_for(line, pattern)))
        .collect()
}

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
        let driver = stdout_text(["config", scope.flag(), "--get", DRIVER_KEY]);
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
    let driver = stdout_text(["config", "--get", DRIVER_KEY]);
    let attribute = stdout_text(["check-attr", "merge", "--", "a.yaml"]);
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
        git(["-c", &alias, "merge3-driver"]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_lines_once_and_removes_only_these() {
        let before = "*.png binary\n*.yaml text eol=lf\n";
        let after = with_lines(before);
        assert_eq!(
            after,
            format!(
                "{before}*.yaml merge=merge3\n*.yml merge=merge3\n*.json merge=merge3\n\
                 Kptfile merge=merge3\n"
            )
        );
        assert_eq!(with_lines(&after), after);
        assert_eq!(without_lines(&after), before);
        assert_eq!(
            without_lines("*.yaml merge=merge3 text\n"),
            "*.yaml merge=merge3 text\n"
        );
    }

    #[test]
    fn ends_the_last_line_before_adding_lines() {
        assert!(with_lines("a b").starts_with("a b\n*.yaml"));
        assert!(with_lines("a b\r\n").ends_with("Kptfile merge=merge3\r\n"));
    }
}
