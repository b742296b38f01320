//! The settings in git's configuration that affect how conflicts are found and shown.
//!
//! Starting git takes as long as merging a small file. It is started only if a configuration file
//! may have a setting.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::files::user_folder;
use crate::git_process::{Git, RunningGit, on_path, top_of};
use crate::merge::{ConflictStyle, Images};

/// The settings in git's configuration that affect how conflicts are found and shown.
pub(super) struct Settings {
    /// `merge.conflictStyle`
    pub(super) conflict_style: ConflictStyle,
    /// `merge3.images`: whether an image reference merges as one value, the default, or by parts.
    pub(super) images: Images,
    /// The call, which may still be ending: when it is dropped later, nobody has to wait for it.
    _call: SettingsCall,
}

/// Parses the value of a setting; an unknown one gives the default.
fn parse_or<T: ValueEnum>(value: &str, default: T) -> T {
    T::from_str(value, false).unwrap_or(default)
}

/// A call of git that reads both settings. It runs beside the merge.
pub(super) struct SettingsCall(Option<RunningGit>);

impl SettingsCall {
    /// Starts the call, unless no configuration file has a setting.
    pub(super) fn start() -> Self {
        if config_files().is_some_and(|files| !files.iter().any(|file| may_have_settings(file))) {
            return Self(None);
        }
        let names = r"^(merge\.conflictstyle|merge3\.images)$";
        let call = Git::here().args(["config", "--get-regexp", names]);
        Self(call.start().ok())
    }

    /// Waits for the settings. They are the defaults if git was not started, cannot be run, or
    /// fails: then it prints nothing.
    pub(super) fn settings(mut self) -> Settings {
        let (mut conflict_style, mut images) = (ConflictStyle::Merge, Images::Whole);
        let found = self.0.as_mut().and_then(|call| call.stdout().ok());
        let found = found.unwrap_or_default();
        let found = String::from_utf8_lossy(&found);
        // the last value of a setting counts
        for (name, value) in found.lines().filter_map(|line| line.split_once(' ')) {
            match name {
                "merge3.images" => images = parse_or(value, Images::Whole),
                _ => conflict_style = parse_or(value, ConflictStyle::Merge),
            }
        }
        Settings {
            conflict_style,
            images,
            _call: self,
        }
    }
}

/// Returns the configuration files that git reads in the current folder, without those that they
/// include; they need not exist. `None` where only git itself can find them.
fn config_files() -> Option<Vec<PathBuf>> {
    // the file of the system counts here even if GIT_CONFIG_NOSYSTEM excludes it
    let is_overridden = env::vars_os().any(|(name, _)| {
        let is_setting = name.as_encoded_bytes().starts_with(b"GIT_CONFIG");
        is_setting && name != "GIT_CONFIG_NOSYSTEM" || name == "GIT_COMMON_DIR"
    });
    if is_overridden || !cfg!(target_os = "linux") {
        return None;
    }
    let common = [
        PathBuf::from("/etc/gitconfig"),
        installation_prefix()?.join("etc/gitconfig"),
        PathBuf::from(env::var_os("HOME")?).join(".gitconfig"),
        user_folder()?.join("config"),
    ];
    Some([&common[..], &repository_files()?].concat())
}

/// Returns the folder that git is installed in. `None` if `git` is a script, which may run another
/// installation, or the name of another program.
fn installation_prefix() -> Option<PathBuf> {
    let git = on_path("git")?.canonicalize().ok()?;
    let mut magic = [0; 4];
    io::Read::read_exact(&mut fs::File::open(&git).ok()?, &mut magic).ok()?;
    let is_git = git.file_name()? == "git" && magic == *b"\x7fELF";
    let prefix = git.parent()?.parent()?.to_owned();
    is_git.then_some(prefix)
}

/// Returns the configuration files of the repository around the current folder, if there is one.
/// `None` if it shares those of another repository, as a linked work tree does.
fn repository_files() -> Option<Vec<PathBuf>> {
    let folder = match env::var_os("GIT_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => match top_of(&env::current_dir().ok()?) {
            Some(top) => top.join(".git"),
            None => return Some(Vec::new()),
        },
    };
    let is_main = folder.join("HEAD").exists() && !folder.join("commondir").exists();
    let files = ["config", "config.worktree"].map(|name| folder.join(name));
    is_main.then(|| files.into())
}

/// Whether a configuration file contains the name of a setting or includes another file, or cannot
/// be read. Git ignores the case of names.
fn may_have_settings(file: &Path) -> bool {
    match fs::read(file) {
        Ok(text) => {
            let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
            let names = ["conflictstyle", "images", "include"];
            names.into_iter().any(|name| text.contains(name))
        }
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}
