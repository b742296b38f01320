//! Subcommands that clap's own generators make: completions for a shell, the manual page.

use std::io::{self, Write};

use clap::Command;
use clap_complete::Shell;

/// What is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// Completions for a shell.
    Completions(Shell),
    /// The manual page.
    Man,
}

impl Extra {
    /// Writes it.
    ///
    /// # Errors
    /// Where that fails.
    pub(super) fn write(self, mut command: Command, output: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Completions(shell) => {
                clap_complete::generate(shell, &mut command, "merge3", output);
                Ok(())
            }
            Self::Man => clap_mangen::Man::new(command).render(output),
        }
    }
}
