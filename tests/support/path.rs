//! Sets up the search path on which git finds the merge driver by its name.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Removes the user's git settings from the environment of a command, and puts `program` on its
/// search path.
pub(crate) fn isolate<'c>(
    command: &'c mut Command,
    home: &Path,
    program: &Path,
) -> &'c mut Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    if !command.get_envs().any(|(name, _)| name == "PATH") {
        command.env("PATH", path_with(program));
    }
    command
        .env("HOME", home)
        .env_remove("XDG_CONFIG_HOME")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        // tests need no sample hooks, and copying these takes long
        .env("GIT_TEMPLATE_DIR", "")
        .env("LC_ALL", "C")
        .env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@example.org")
        .env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@example.org")
}

/// Returns a search path: the folder of `program` and the usual folders, without those that have
/// another merge3.
pub(crate) fn path_with(program: &Path) -> OsString {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("merge3{}", std::env::consts::EXE_SUFFIX);
    let others = std::env::split_paths(&usual).filter(|folder| !folder.join(&name).exists());
    let program_folder = program.parent().map(Path::to_owned).into_iter();
    std::env::join_paths(program_folder.chain(others)).unwrap()
}
