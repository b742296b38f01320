//! The `merge3` command: see [`merge3::cli`].
#![forbid(unsafe_code)]

use std::process::ExitCode;

use merge3::cli;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    cli::run(&arguments, &mut std::io::stdout(), &mut std::io::stderr()).into()
}
