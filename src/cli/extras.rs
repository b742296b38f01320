//! The subcommands `completions` and `man`, which use clap's generators.

use std::path::{Path, PathBuf};

use clap::Command;
use clap_complete::Shell;

use crate::error::Error;

/// The arguments of `man`.
#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// The command that it is about, such as `git install`; else merge3 itself
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write all manual pages to this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    all: Option<PathBuf>,
}

impl ManArgs {
    /// Returns the manual page to print. With `--all`, writes all pages to a folder and returns an
    /// empty text.
    ///
    /// # Errors
    /// There is no such command, or the folder cannot be written.
    pub(super) fn page(&self, command: Command) -> Result<String, Error> {
        let mut all = documented(command);
        if let Some(folder) = &self.all {
            let written = clap_mangen::generate_to(all, folder);
            return written
                .map_err(Error::writing(folder))
                .map(|()| String::new());
        }
        all.build();
        let page = self.command.iter().try_fold(&mut all, |command, name| {
            let none = || Error::refused(format!("there is no command {name}"), "see: merge3 help");
            command.find_subcommand_mut(name).ok_or_else(none)
        })?;
        let mut text = Vec::new();
        let rendered = clap_mangen::Man::new(page.clone()).render(&mut text);
        rendered.map_err(Error::writing(Path::new("-")))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Returns the completion script for a shell.
pub(super) fn completions(shell: Shell, mut command: Command) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "merge3", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Applies a change to a command and to all of its subcommands.
pub(super) fn map_commands(
    command: clap::Command,
    change: fn(clap::Command) -> clap::Command,
) -> clap::Command {
    change(command).mut_subcommands(|it| map_commands(it, change))
}

/// Returns the command as manual pages need it: options list their values with a description, and
/// there is no `help` subcommand.
fn documented(command: Command) -> Command {
    map_commands(command, |command| {
        command
            .disable_help_subcommand(true)
            .mut_args(|argument| argument.hide_possible_values(false))
    })
}
