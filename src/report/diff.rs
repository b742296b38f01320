//! The changes of a plan as a unified diff that `git apply` accepts.

use std::fs::Permissions;
use std::path::Path;

use super::hunks::{Hunks, hunks};
use super::paint::{self, painted};
use crate::error::shown;
use crate::package::{ChangeKind, FileChange, Plan, as_text, is_executable, portable};
use crate::secret::may_contain_secret;
use crate::visible::{replaced, visible_lines};

/// A unified diff.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Diff {
    /// The diff, in the format of `git apply`.
    pub text: String,
    /// A message for each file that is left out of the diff, or of which values of Secrets are.
    pub left_out: Vec<String>,
}

/// Returns the unified diff of all changes of a plan, file by file. Paths start with `folder`, the
/// path of the package, which may be empty, after `a/` and `b/`. Binary files are left out, and so
/// are values of Secrets, unless [`Plan::show_secrets`] is set.
pub fn diff(folder: &Path, plan: &Plan, color: bool) -> Diff {
    let mut diff = Diff::default();
    for change in &plan.files {
        let hunks = hunks_of(change, plan.show_secrets);
        let file = shown(&folder.join(&change.path));
        if hunks.text.is_empty() && !hunks.is_partial && has_other_content(change) {
            // `git apply` refuses a whole diff that only says that a binary file differs
            diff.left_out
                .push(format!("{file} is binary and is left out of the diff"));
            continue;
        }
        if hunks.is_partial {
            if hunks.text.is_empty() {
                let message = "holds a Secret and is left out of the diff; --show-secrets shows it";
                diff.left_out.push(format!("{file} {message}"));
                continue;
            }
            let message =
                "the values of its Secrets are left out of the diff; --show-secrets shows them";
            diff.left_out.push(format!("{file}: {message}"));
        }
        let file_diff = file_diff(folder, change, &hunks.text);
        match color {
            true => diff.text.extend(file_diff.split_inclusive('\n').map(paint)),
            false => diff.text.push_str(&file_diff),
        }
    }
    diff
}

/// Returns the hunks of a file. A binary file has none.
pub(super) fn hunks_of(change: &FileChange, show_secrets: bool) -> Hunks {
    if !has_other_content(change) {
        return Hunks::default();
    }
    let old = change.old.as_deref().unwrap_or_default();
    let new = change.new.as_deref().unwrap_or_default();
    let texts = as_text(old).zip(as_text(new));
    // an added or deleted file cannot be shown in part
    let is_whole = change.old.is_none() || change.new.is_none() || texts.is_none();
    match texts {
        _ if !show_secrets && is_whole && (may_contain_secret(old) || may_contain_secret(new)) => {
            Hunks {
                is_partial: true,
                ..Hunks::default()
            }
        }
        Some((old, new)) => hunks(old, new, show_secrets),
        None => Hunks::default(),
    }
}

/// Colours a line for a terminal, with control characters escaped.
fn paint(line: &str) -> String {
    let line = visible_lines(line);
    let content = line.strip_suffix('\n').unwrap_or(&line);
    let style = match content.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'd', ..] => paint::NAME,
        [b'+', ..] => paint::ADDED,
        [b'-', ..] => paint::REMOVED,
        [b'@', ..] => paint::PLACE,
        _ => return line,
    };
    painted(style, content, true) + &line[content.len()..]
}

/// Returns the diff of a file: git's header lines and the hunks.
fn file_diff(folder: &Path, change: &FileChange, hunks: &str) -> String {
    let from = match &change.kind {
        ChangeKind::Moved { from } => from,
        _ => &change.path,
    };
    let (from, to) = (folder.join(from), folder.join(&change.path));
    let (old_path, new_path) = (quoted("a/", &from), quoted("b/", &to));
    let mode = git_mode(&change.permissions);
    let mut text = format!("diff --git {old_path} {new_path}\n");
    if let Some(old) = &change.old_permissions {
        let old = git_mode(old);
        text.push_str(&format!("old mode {old}\nnew mode {mode}\n"));
    }
    text += &match &change.kind {
        ChangeKind::Added => format!("new file mode {mode}\n"),
        ChangeKind::Deleted => format!("deleted file mode {mode}\n"),
        ChangeKind::Moved { .. } => {
            let (from, to) = (quoted("", &from), quoted("", &to));
            format!("rename from {from}\nrename to {to}\n")
        }
        ChangeKind::Changed => String::new(),
    };
    let [old_name, new_name] = [(&change.old, old_path), (&change.new, new_path)]
        .map(|(content, path)| content.as_ref().map_or("/dev/null".to_owned(), |_| path));
    if !hunks.is_empty() {
        let (old_name, new_name) = (terminated(&old_name), terminated(&new_name));
        text.push_str(&format!("--- {old_name}\n+++ {new_name}\n{hunks}"));
    }
    text
}

fn has_other_content(change: &FileChange) -> bool {
    change.old.as_deref().unwrap_or_default() != change.new.as_deref().unwrap_or_default()
}

/// Returns a name for a `---` or `+++` line. As in git, a name with a space ends with a tab, which
/// marks the end of the name.
fn terminated(name: &str) -> String {
    if name.contains(' ') && !name.starts_with('"') {
        format!("{name}\t")
    } else {
        name.to_owned()
    }
}

/// Returns a path as git writes it: with `/`, and in quotes if it contains special characters.
fn quoted(prefix: &str, path: &Path) -> String {
    let path = format!("{prefix}{}", portable(path));
    if !path.contains(|c: char| c.is_control() || matches!(c, '"' | '\\')) {
        return path;
    }
    let path = replaced(&path, |_, c| match c {
        '"' | '\\' | '\n' | '\t' => Some(c.escape_default().to_string()),
        _ => c.is_control().then(|| format!("\\{:03o}", u32::from(c))),
    });
    format!("\"{path}\"")
}

/// Returns the mode of a file as git stores it.
fn git_mode(permissions: &Permissions) -> &'static str {
    match is_executable(permissions) {
        true => "100755",
        false => "100644",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_as_git_does() {
        assert_eq!(quoted("a/", Path::new("x/y z.yaml")), "a/x/y z.yaml");
        assert_eq!(
            quoted("a/", Path::new("x\"y\t.yaml")),
            "\"a/x\\\"y\\t.yaml\""
        );
        assert_eq!(terminated("a/y z.yaml"), "a/y z.yaml\t");
    }
}
