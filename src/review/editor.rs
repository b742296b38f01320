//! The editor of the user.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

/// Waits for a program that has the terminal.
pub(crate) type Wait<'w> = &'w dyn Fn(&mut Child) -> io::Result<ExitStatus>;

/// Has a text edited, and gives back what became of it.
///
/// # Errors
/// Why there is none: the editor cannot be started, or failed.
pub(super) fn edit(text: &str, file: &Path, wait: Wait<'_>) -> Result<String, String> {
    let extension = file.extension().and_then(|it| it.to_str()).unwrap_or("txt");
    // nobody else may read it
    let mut copy = tempfile::Builder::new()
        .prefix("merge3-review-")
        .suffix(&format!(".{extension}"))
        .tempfile()
        .map_err(|error| format!("there is no file to edit: {error}"))?;
    copy.write_all(text.as_bytes())
        .map_err(|error| format!("there is no file to edit: {error}"))?;
    let copy = copy.into_temp_path();
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
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The editor may have arguments, as git allows: a shell reads it, and outlasts what is typed to
/// interrupt the editor.
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
