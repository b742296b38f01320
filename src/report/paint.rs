//! Colour, where it is wanted.

/// The colours that reports use, by what they are for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Paint {
    /// Names of files.
    Name,
    /// Kinds of conflicts, and what goes.
    Removed,
    /// What comes.
    Added,
    /// Where in a file.
    Place,
}

impl Paint {
    /// The text, in this colour if `color` says so.
    pub(super) fn apply(self, text: &str, color: bool) -> String {
        if !color {
            return text.to_owned();
        }
        let code = match self {
            Self::Name => "1",
            Self::Removed => "31",
            Self::Added => "32",
            Self::Place => "36",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}
