//! Colours for a terminal, by purpose.

use anstyle::{AnsiColor, Style};

/// For names of files.
pub(crate) const NAME: Style = Style::new().bold();
/// For removed lines and kinds of conflicts.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// For added lines.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
/// For places in a file.
pub(crate) const PLACE: Style = AnsiColor::Cyan.on_default();
/// For local lines.
pub(crate) const LOCAL: Style = AnsiColor::Yellow.on_default();
/// No colour.
pub(crate) const PLAIN: Style = Style::new();

/// Returns the text in a style if `color` is set, else unchanged.
pub(crate) fn painted(style: Style, text: &str, color: bool) -> String {
    let style = if color { style } else { PLAIN };
    format!("{style}{text}{style:#}")
}
