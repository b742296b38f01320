//! Reads and writes the files and the standard output of the commands.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::error::shown;
use crate::package::{Access, is_open_already, lock, read_named, replace};

pub(super) fn print(output: &mut impl Write, bytes: &[u8]) -> Result<(), String> {
    let printed = output.write_all(bytes).and_then(|()| output.flush());
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}"))
        }
        _ => Ok(()),
    }
}

pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let read = if is_open_already(path) {
        fs::read(path)
    } else {
        read_named(path)
    };
    read.map_err(|error| format!("cannot read {}: {error}", shown(path)))
}

/// Writes a file that is there, by a temporary one beside it, so that it is whole at any moment;
/// links and permissions stay.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let _lock = lock(path, Access::Write, || ()).map_err(|error| error.to_string())?;
    replace(path, bytes).map_err(|error| format!("cannot write {}: {error}", shown(path)))
}
