//! Extracts git's error message from its standard error, and hides passwords in addresses.

use std::process::Output;

/// Starts of lines that do not tell why git failed.
const NOISE: [&str; 5] = [
    "hint:",
    "warning:",
    "Please make sure you have the correct access rights",
    "and the repository exists.",
    "fatal: Could not read from remote repository.",
];

/// Returns git's error message: the last three lines of standard error that matter, joined, without
/// passwords.
pub(crate) fn reason(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let is_noise = |line: &str| line.is_empty() || NOISE.iter().any(|it| line.starts_with(it));
    let lines = text.lines().map(str::trim).filter(|line| !is_noise(line));
    let lines = lines.map(|line| line.strip_prefix("fatal: ").unwrap_or(line));
    let lines: Vec<&str> = lines.collect();
    match &lines[lines.len().saturating_sub(3)..] {
        [] => "git gave no reason".to_owned(),
        last => without_password(&last.join("; ")),
    }
}

/// Returns the text with the credentials in its addresses replaced by `***`. That is everything
/// before the host, because a user name alone may be a token; an ssh user without a password stays.
pub(crate) fn without_password(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        result.push_str(before);
        let is_ssh = result.ends_with("ssh://");
        // the authority does not end at a quote or a space: they may be part of a password
        let end = after.find(['/', '\n', '\r']).unwrap_or(after.len());
        let next = after.find("://").map_or(end, |next| next.min(end));
        let authority = &after[..next];
        match authority.rsplit_once('@') {
            Some((user, _)) if is_ssh && !user.contains(':') => result.push_str(authority),
            Some((_, host)) => result.push_str(&format!("***@{host}")),
            None => result.push_str(authority),
        }
        rest = &after[next..];
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_not_shown() {
        for (text, shown) in [
            (
                "unable to access 'https://bot:s3cret@example.org/a.git/': no",
                "unable to access 'https://***@example.org/a.git/': no",
            ),
            (
                "https://ghp_token@example.org/a",
                "https://***@example.org/a",
            ),
            (
                "https://bot:it's@example.org/a",
                "https://***@example.org/a",
            ),
            (
                "https://bot:a\" b@example.org/a",
                "https://***@example.org/a",
            ),
            ("https://bot:a@b@example.org", "https://***@example.org"),
            ("ssh://git:pass@host/a", "ssh://***@host/a"),
            ("ssh://git@host/a", "ssh://git@host/a"),
            ("git@host:a", "git@host:a"),
            ("file:///a@b", "file:///a@b"),
            (
                "https://a.org https://x@b.org",
                "https://a.org https://***@b.org",
            ),
            (
                "https://a.org ssh://git@b.org/c",
                "https://a.org ssh://git@b.org/c",
            ),
        ] {
            assert_eq!(without_password(text), shown, "{text}");
        }
    }
}
