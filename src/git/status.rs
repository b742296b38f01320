//! What is set up.

use std::io::Write;

use super::attributes::{self, PATTERNS};
use super::call;
use super::commands::print;
use super::install::{DRIVER_KEY, Scope, attributes_file, read_if_there};
use crate::error::shown;

/// Tells what is set up where. The status is 0 where git uses the driver here, else 1.
///
/// # Errors
/// Where git cannot be run, or an attributes file not be read.
pub(super) fn status(output: &mut impl Write) -> Result<u8, String> {
    let mut told = String::new();
    for (name, flag, scope) in [
        ("this repository", "--local", Scope::Repository),
        ("global", "--global", Scope::Global),
    ] {
        let Ok(file) = attributes_file(scope) else {
            told += &format!("{name}: none\n");
            continue;
        };
        let driver = call::ask(["config", flag, "--get", DRIVER_KEY]);
        let missing = attributes::missing(&read_if_there(&file)?).len();
        told += &format!(
            "{name}:\n  driver: {}\n",
            driver.as_deref().unwrap_or("not set")
        );
        let patterns = match missing {
            0 => "all".to_owned(),
            missing if missing == PATTERNS.len() => "none".to_owned(),
            missing => format!("{missing} of {} missing", PATTERNS.len()),
        };
        told += &format!("  patterns in {}: {patterns}\n", shown(&file));
    }
    let driver = call::ask(["config", "--get", DRIVER_KEY]).is_some();
    let attribute = call::ask(["check-attr", "merge", "--", "a.yaml"]);
    let used = driver && attribute.is_some_and(|line| line.ends_with(": merge3"));
    told += match used {
        true => "here, git merges *.yaml with merge3\n",
        false => "here, git does not merge *.yaml with merge3; `merge3 git install` sets it up\n",
    };
    print(output, told.as_bytes())?;
    Ok(u8::from(!used))
}
