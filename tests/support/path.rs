//! Where git finds the merge driver, which it calls by its name.

use std::ffi::OsString;
use std::path::Path;

/// The folders in which programs are looked for: that of `program`, and the usual ones, unless a
/// merge3 of whoever runs the tests is there.
pub(crate) fn path_with(program: &Path) -> OsString {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("merge3{}", std::env::consts::EXE_SUFFIX);
    let others = std::env::split_paths(&usual).filter(|folder| !folder.join(&name).exists());
    let own = program.parent().map(Path::to_owned).into_iter();
    std::env::join_paths(own.chain(others)).unwrap()
}
