//! Colours for a terminal.

use anstyle::{AnsiColor, Style};

/// The colours that reports use, by what they are for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Paint {
    /// Names of files.
    Name,
    /// Kinds of conflicts, and what goes.
    Removed,
    /// What comes.
    Added,
    /// Where in a file.
    Place,
    /// What is here already.
    Local,
    /// All else.
    Plain,
}

impl Paint {
    /// The text, in this colour if `color` says so.
    pub(crate) fn apply(self, text: &str, color: bool) -> String {
        let style = match self {
            Self::Plain => Style::new(),
            _ if !color => Style::new(),
            Self::Name => Style::new().bold(),
            Self::Removed => AnsiColor::Red.on_default(),
            Self::Added => AnsiColor::Green.on_default(),
            Self::Place => AnsiColor::Cyan.on_default(),
            Self::Local => AnsiColor::Yellow.on_default(),
        };
        format!("{style}{text}{style:#}")
    }
}
