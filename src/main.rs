//! The `merge3` command: see [`merge3::cli`].
#![forbid(unsafe_code)]

use std::process::ExitCode;

use merge3::cli;

fn main() -> ExitCode {
    match cli::parse(std::env::args_os()) {
        Ok(config) => cli::run(&config, &mut std::io::stdout(), &mut std::io::stderr()).into(),
        // help and version go to standard output with status 0, wrong arguments to standard error with status 2
        Err(error) => error.exit(),
    }
}
