//! Setting the driver up, and taking that back.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::attributes;
use super::call;
use super::commands::write;
use crate::error::shown;

/// The keys of git's configuration that are the driver's.
pub(super) const NAME_KEY: &str = "merge.merge3.name";
pub(super) const DRIVER_KEY: &str = "merge.merge3.driver";
const NAME: &str = "merge3: YAML and JSON by structure";

/// Where the driver is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In this repository.
    Repository,
    /// For all of a user's repositories.
    Global,
}

impl Scope {
    const fn flag(self) -> &'static str {
        match self {
            Self::Repository => "--local",
            Self::Global => "--global",
        }
    }
}

/// Writes the driver to git's configuration and the patterns to the attributes file; shows what was
/// written.
///
/// # Errors
/// Outside a repository, without git, or where a file cannot be written.
pub(super) fn install(scope: Scope, output: &mut impl Write) -> Result<(), String> {
    let attributes = attributes_file(scope)?;
    let program = std::env::current_exe()
        .map_err(|error| format!("cannot tell where this program is: {error}"))?;
    let mut told = String::new();
    for (key, value) in [
        (NAME_KEY, NAME.to_owned()),
        (DRIVER_KEY, driver_command(&program)?),
    ] {
        if call::ask(["config", scope.flag(), "--get", key]).as_deref() == Some(&value) {
            told += &format!("git config {key} was set already\n");
            continue;
        }
        config(&[scope.flag(), "--replace-all", key, &value])?;
        told += &format!("git config {} {key} \"{value}\"\n", scope.flag());
    }
    let before = read_if_there(&attributes)?;
    let missing = attributes::missing(&before);
    if missing.is_empty() {
        told += &format!("{} has the patterns already\n", shown(&attributes));
    } else {
        if let Some(folder) = attributes.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| format!("cannot create {}: {error}", shown(folder)))?;
        }
        write(&attributes, attributes::with_lines(&before).as_bytes())?;
        told += &format!("{}, added:\n", shown(&attributes));
        for line in missing {
            told += &format!("    {line}\n");
        }
    }
    say(output, &told)?;
    say(output, &other_ways(&program))
}

/// Takes back what [`install`] wrote, and only that; says what.
///
/// # Errors
/// As [`install`].
pub(super) fn uninstall(scope: Scope, output: &mut impl Write) -> Result<(), String> {
    let attributes = attributes_file(scope)?;
    let mut told = String::new();
    let is_set = |key| call::ask(["config", scope.flag(), "--get-all", key]).is_some();
    if is_set(NAME_KEY) || is_set(DRIVER_KEY) {
        for key in [NAME_KEY, DRIVER_KEY].into_iter().filter(|key| is_set(key)) {
            config(&[scope.flag(), "--unset-all", key])?;
            told += &format!("git config {} --unset {key}\n", scope.flag());
        }
        // newer versions of git take an empty section away by themselves
        let _ = call::git(["config", scope.flag(), "--remove-section", "merge.merge3"]);
    }
    let before = read_if_there(&attributes)?;
    let after = attributes::without_lines(&before);
    if after.is_empty() && !before.is_empty() {
        fs::remove_file(&attributes)
            .map_err(|error| format!("cannot delete {}: {error}", shown(&attributes)))?;
        told += &format!("{}: deleted, nothing else was in it\n", shown(&attributes));
    } else if after != before {
        write(&attributes, after.as_bytes())?;
        told += &format!("{}: the patterns are out\n", shown(&attributes));
    }
    if told.is_empty() {
        told += "nothing was set up\n";
    }
    say(output, &told)
}

fn say(output: &mut impl Write, text: &str) -> Result<(), String> {
    super::commands::print(output, text.as_bytes())
}

fn config(arguments: &[&str]) -> Result<(), String> {
    let arguments = std::iter::once("config").chain(arguments.iter().copied());
    let output = call::git(arguments).ok_or("git cannot be run; is it on the PATH?")?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(format!("git config failed: {}", message.trim()))
}

/// The attributes file of a scope: the one at the worktree's top, or the user's.
pub(super) fn attributes_file(scope: Scope) -> Result<PathBuf, String> {
    if call::git(["--version"]).is_none() {
        return Err("git cannot be run; is it on the PATH?".to_owned());
    }
    match scope {
        Scope::Repository => call::ask_path(["rev-parse", "--show-toplevel"])
            .map(|top| top.join(".gitattributes"))
            .ok_or_else(|| {
                "this is no worktree of a git repository; go into one, or use --global".to_owned()
            }),
        Scope::Global => call::ask_path(["config", "--type=path", "--get", "core.attributesFile"])
            .or_else(default_attributes)
            .ok_or_else(|| "neither XDG_CONFIG_HOME nor HOME is set".to_owned()),
    }
}

/// Where git looks unless `core.attributesFile` says otherwise.
fn default_attributes() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let config = set("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(set("HOME")?).join(".config")))?;
    Some(config.join("git/attributes"))
}

pub(super) fn read_if_there(path: &Path) -> Result<String, String> {
    match fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes)
            .map_err(|_| format!("{} is not UTF-8; add the patterns by hand", shown(path))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(format!("cannot read {}: {error}", shown(path))),
    }
}

/// The command that git runs, by a shell.
fn driver_command(program: &Path) -> Result<String, String> {
    let program = program.to_str().ok_or_else(|| {
        format!(
            "git's configuration cannot hold the path {}",
            program.display()
        )
    })?;
    // git expands a percent sign before the shell sees it
    let program = quoted(program).replace('%', "%%");
    Ok(format!(
        "{program} git driver %O %A %B --path %P --marker-size %L --labels %S %X %Y"
    ))
}

/// A word for the shell.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
    if word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn other_ways(program: &Path) -> String {
    let path = program.to_string_lossy();
    let toml = path.replace('\\', r"\\").replace('"', "\\\"");
    format!(
        "
For jj, put this into its configuration (jj config edit --user) and run: jj resolve --tool merge3

    [merge-tools.merge3]
    program = \"{toml}\"
    merge-args = [\"git\", \"driver\", \"$base\", \"$left\", \"$right\", \"--output\", \"$output\", \"--path\", \"$path\", \"--marker-size\", \"$marker_length\", \"--diff3\"]
    merge-conflict-exit-codes = [1]

By hand: {} merge-file LOCAL BASE OTHER
",
        quoted(&path)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_a_word_for_the_shell_and_for_git() {
        let command = |path| driver_command(Path::new(path)).unwrap();
        assert!(command("/usr/bin/merge3").starts_with("/usr/bin/merge3 git driver %O"));
        assert!(command("/a b/it's 5%").starts_with(r"'/a b/it'\''s 5%%' git driver %O"));
    }
}
