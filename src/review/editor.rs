//! Runs the user's editor (`$VISUAL` or `$EDITOR`) on a text.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use crate::line_breaks::missing_lf;

/// A function that waits for a child process that uses the terminal.
pub(crate) type Wait<'w> = &'w dyn Fn(&mut Child) -> io::Result<ExitStatus>;

/// Opens a text in the user's editor and returns the edited text. The temporary file has the
/// extension of `file`, so that the editor can choose its mode.
///
/// # Errors
/// The editor cannot be started or failed, or the temporary file cannot be written or read.
pub(super) fn edit(text: &str, file: &Path, wait: Wait<'_>) -> Result<String, String> {
    let extension = file.extension().and_then(|it| it.to_str()).unwrap_or("txt");
    // only the user can read a file that tempfile makes
    let copy = tempfile::Builder::new()
        .prefix("merge3-review-")
        .suffix(&format!(".{extension}"))
        .tempfile()
        .and_then(|mut copy| copy.write_all(text.as_bytes()).map(|()| copy))
        .map_err(|error| format!("there is no file to edit: {error}"))?
        .into_temp_path();
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let editor = editor.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
    let status = command(&editor, &copy).spawn();
    let status = status.and_then(|mut child| wait(&mut child));
    let status =
        status.map_err(|error| format!("the editor `{editor}` cannot be started: {error}"))?;
    if !status.success() {
        return Err(format!(
            "the editor `{editor}` failed ({status}): nothing is taken from it"
        ));
    }
    let mut text = fs::read_to_string(&copy)
        .map_err(|error| format!("what was edited cannot be read: {error}"))?;
    text.push_str(missing_lf(&text));
    Ok(text)
}

/// Returns the command that runs the editor. As in git, `$EDITOR` may contain arguments, so a shell
/// runs it. The shell ignores Ctrl-C, so that Ctrl-C in the editor does not end it.
#[cfg(unix)]
fn command(editor: &str, file: &Path) -> Command {
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!("trap : INT\n{editor} \"$@\""))
        .arg(editor)
        .arg(file);
    command
}

#[cfg(not(unix))]
fn command(editor: &str, file: &Path) -> Command {
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("notepad"));
    command.args(words).arg(file);
    command
}
