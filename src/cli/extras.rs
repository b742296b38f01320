//! The subcommands `completions` and `man`, made by clap's generators.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;

use super::args::throughout;

/// What is generated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extra {
    /// Completions for a shell.
    Completions(Shell),
    /// The manual page of a command: of the program where none is named.
    Man(Vec<String>),
    /// All manual pages, as files in a folder.
    AllMan(PathBuf),
}

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
    pub(super) fn extra(self) -> Extra {
        match self.all {
            Some(folder) => Extra::AllMan(folder),
            None => Extra::Man(self.command),
        }
    }
}

impl Extra {
    /// Writes it.
    ///
    /// # Errors
    /// Where that fails, or there is no such command.
    pub(super) fn write(&self, mut command: Command, output: &mut impl Write) -> io::Result<()> {
        let mut text = Vec::new();
        match self {
            Self::Completions(shell) => {
                clap_complete::generate(*shell, &mut command, "merge3", &mut text);
            }
            Self::Man(names) => {
                let mut all = documented(command);
                all.build();
                let page = names.iter().try_fold(&mut all, |command, name| {
                    let none = || io::Error::other(format!("there is no command {name}"));
                    command.find_subcommand_mut(name).ok_or_else(none)
                })?;
                clap_mangen::Man::new(page.clone()).render(&mut text)?;
            }
            Self::AllMan(folder) => clap_mangen::generate_to(documented(command), folder)?,
        }
        match output.write_all(&text).and_then(|()| output.flush()) {
            // whoever reads it has seen enough
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}

/// A command that says what each value of an option means. There are no pages about `help`.
fn documented(command: Command) -> Command {
    throughout(command, |command| {
        command
            .disable_help_subcommand(true)
            .mut_args(|argument| argument.hide_possible_values(false))
    })
}
