//! Sets the driver up, and takes that back.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::attributes;
use super::call;
use super::files::{print, write};
use crate::error::shown;
use crate::git_process::on_path;
use crate::package::if_there;

/// The keys of git's configuration that are the driver's.
const NAME_KEY: &str = "merge.merge3.name";
pub(super) const DRIVER_KEY: &str = "merge.merge3.driver";
const NAME: &str = "merge3: YAML and JSON by structure";
/// What git runs, by a shell: merge3, unless `MERGE3=0`. Where it is missing, or fails and leaves
/// no conflict markers, `git merge-file` merges instead: git would take its exit status for
/// conflicts, and the file for one that shows them.
///
/// A git before 2.44 does not know `%S %X %Y` and leaves them as they are.
pub(super) const DRIVER: &str = concat!(
    r#"if test "$MERGE3" != 0; then if command -v merge3 >/dev/null; then "#,
    "merge3 git driver %O %A %B --path %P --marker-size %L --labels %S %X %Y; s=$?; ",
    r"test $s = 0 && exit; test $s -lt 128 && grep -q '^<\{%L\}' %A && exit $s; fi; ",
    r#"echo "merge3 is missing, or failed: git merges the lines of this file" >&2; fi; "#,
    r#"set -- %X %S %Y; test "$1" = %%X && set -- ours base theirs; "#,
    r#"git merge-file -q --marker-size=%L -L "$1" -L "$2" -L "$3" %A %O %B; "#,
    // 255 is a binary file: that is one conflict, and ours stays
    "s=$?; test $s = 255 && exit 1; exit $s"
);
/// What `git mergetool` runs. It puts `$BACKUP` back where the tool fails: what is solved is to
/// stay.
const MERGETOOL: &str = r#"merge3 solve -- "$MERGED" || { cp -- "$MERGED" "$BACKUP"; false; }"#;
const MERGETOOL_SETTINGS: [(&str, &str); 2] = [
    ("mergetool.merge3.cmd", MERGETOOL),
    ("mergetool.merge3.trustExitCode", "true"),
];

/// Where the driver is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
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
pub(crate) fn install(scope: Scope, output: &mut impl Write) -> Result<(), String> {
    let attributes = attributes_file(scope)?;
    let mut told = configure(scope, &[(NAME_KEY, NAME), (DRIVER_KEY, DRIVER)])?;
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
    if on_path("merge3").is_none() {
        told += "\nmerge3 is not on the PATH: until it is, git merges these files line by line\n";
    }
    if on_path("jj").is_some() {
        told += FOR_JJ;
    }
    told += "\nTo merge once without it: MERGE3=0 git merge ...\n";
    print(output, told.as_bytes())
}

/// Sets `git mergetool` up, so that `git mergetool --tool=merge3` runs `merge3 solve`.
///
/// # Errors
/// Outside a repository, or without git.
pub(crate) fn install_mergetool(scope: Scope, output: &mut impl Write) -> Result<(), String> {
    attributes_file(scope)?;
    let mut told = configure(scope, &MERGETOOL_SETTINGS)?;
    told += "\nWhere a merge left conflicts: git mergetool --tool=merge3\n";
    print(output, told.as_bytes())
}

/// Writes settings that are not there yet, and says which.
fn configure(scope: Scope, settings: &[(&str, &str)]) -> Result<String, String> {
    let mut told = String::new();
    for (key, value) in settings {
        if call::ask(["config", scope.flag(), "--get", key]).as_deref() == Some(value) {
            told += &format!("git config {key} was set already\n");
            continue;
        }
        config(&[scope.flag(), "--replace-all", key, value])?;
        told += &format!("git config {} {key}\n    {value}\n", scope.flag());
    }
    Ok(told)
}

/// Takes back what [`install`] and [`install_mergetool`] wrote, and only that; says what.
///
/// # Errors
/// As [`install`].
pub(crate) fn uninstall(scope: Scope, output: &mut impl Write) -> Result<(), String> {
    let attributes = attributes_file(scope)?;
    let mut told = String::new();
    let [(tool, _), (trust, _)] = MERGETOOL_SETTINGS;
    for (section, keys) in [
        ("merge.merge3", [NAME_KEY, DRIVER_KEY]),
        ("mergetool.merge3", [tool, trust]),
    ] {
        let is_set = |key: &&str| call::ask(["config", scope.flag(), "--get-all", key]).is_some();
        for key in keys.into_iter().filter(is_set) {
            config(&[scope.flag(), "--unset-all", key])?;
            told += &format!("git config {} --unset {key}\n", scope.flag());
        }
        // newer versions of git take an empty section away by themselves
        let _ = call::git(["config", scope.flag(), "--remove-section", section]);
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
    print(output, told.as_bytes())
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
        Scope::Repository => call::ask(["rev-parse", "--show-toplevel"])
            .map(|top| Path::new(&top).join(".gitattributes"))
            .ok_or_else(|| "this is not a git repository: go into one, or use --global".to_owned()),
        Scope::Global => call::ask(["config", "--type=path", "--get", "core.attributesFile"])
            .map(PathBuf::from)
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
    let bytes = if_there(fs::read(path));
    let bytes = bytes.map_err(|error| format!("cannot read {}: {error}", shown(path)))?;
    String::from_utf8(bytes.unwrap_or_default())
        .map_err(|_| format!("{} is not UTF-8; add the patterns by hand", shown(path)))
}

const FOR_JJ: &str = r#"
For jj, put this into its configuration (jj config edit --user) and run: jj resolve --tool merge3

    [merge-tools.merge3]
    program = "merge3"
    merge-args = ["git", "driver", "$base", "$left", "$right", "--output", "$output", "--path", "$path", "--marker-size", "$marker_length", "--diff3"]
    merge-conflict-exit-codes = [1]
"#;
