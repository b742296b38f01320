//! Colours for a terminal.

use anstyle::{AnsiColor, Style};

/// The colours of reports, by purpose.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Paint {
    /// For names of files.
    Name,
    /// For removed lines and kinds of conflicts.
    Removed,
    /// For added lines.
    Added,
    /// For places in a file.
    Place,
    /// For local lines.
    Local,
    /// No colour.
    Plain,
}

impl Paint {
    /// Returns the text in this colour if `color` is set, else unchanged.
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
