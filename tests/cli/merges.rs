//! Runs docs/merges.md: writes the files that it shows and compares the output of its commands.

use std::fs;
use std::process::Command;

use pretty_assertions::assert_eq;

/// Returns the fenced blocks of a text: the text after the opening fence, and the content.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = text.split("```").collect();
    let inside = parts.iter().skip(1).step_by(2);
    inside.filter_map(|block| block.split_once('\n')).collect()
}

#[test]
fn the_page_does_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_merge3"));
    let path = format!(
        "{}:{}",
        binary.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let mut commands = 0;
    for (name, text) in blocks(include_str!("../../docs/merges.md")) {
        if let Some(file) = name.strip_prefix("yaml ") {
            fs::write(folder.path().join(file), text).unwrap();
            continue;
        }
        assert_eq!(name, "console");
        for one in text.strip_prefix("$ ").unwrap().split("\n$ ") {
            let (command, expected) = one.split_once('\n').unwrap_or((one, ""));
            let output = Command::new("sh")
                .args(["-c", command])
                .current_dir(folder.path())
                .env("PATH", &path)
                .output()
                .unwrap();
            assert_eq!(
                String::from_utf8(output.stdout).unwrap().trim_end(),
                expected.trim_end(),
                "{command}"
            );
            commands += 1;
        }
    }
    assert_eq!(commands, 9);
}
