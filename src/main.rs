//! The `merge3` command: see [`merge3::cli`].
#![forbid(unsafe_code)]

use std::process::ExitCode;

use merge3::cli;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    match cli::parse(arguments.iter().cloned()) {
        Ok(command) => cli::run(&command, &mut std::io::stdout(), &mut std::io::stderr()).into(),
        // help and version go to standard output, wrong arguments to standard error
        Err(error) => {
            let status = cli::ExitCode::for_wrong_arguments(&error, &arguments);
            // there is nobody left to tell where that fails
            let _ = error.print();
            status.into()
        }
    }
}
