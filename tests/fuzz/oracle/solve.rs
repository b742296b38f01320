//! Checks `solve` on a file with conflict markers.

use std::path::Path;

use merge3::git::{NotSolved, Solved, solve_text};
use merge3::yaml::{Tree, stream::split};

use super::{Verdict, ensure, same};

/// The length of git's markers.
const SIZE: usize = 7;

/// Checks that no file causes a panic; that no marker is left if no conflict is reported; that,
/// without a remaining conflict, the result is YAML if every choice of sides was; and that the rest
/// can be solved again.
///
/// # Errors
///
/// Names the property that does not hold.
pub fn check(bytes: &[u8]) -> Verdict {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Ok(());
    };
    let Solved {
        text: solved,
        before,
        left,
        structural,
    } = match solve(text) {
        Ok(solved) => solved,
        Err(NotSolved::NoMarkers | NotSolved::Unmatched | NotSolved::NoOriginal { .. }) => {
            return Ok(());
        }
    };
    ensure(before > 0, || {
        "a file without conflicts counts as solved".to_owned()
    })?;
    if left > 0 {
        let again = solve(&solved)
            .map_err(|error| format!("the rest cannot be solved again: {error:?} in {solved:?}"))?;
        return same("conflicts that are left", again.before, left);
    }
    same(
        "with nothing left",
        solve(&solved).err(),
        Some(NotSolved::NoMarkers),
    )?;
    if structural {
        ensure(is_yaml(&solved), || {
            format!("the result is not YAML: {solved:?}")
        })?;
    }
    Ok(())
}

fn solve(text: &str) -> Result<Solved, NotSolved> {
    solve_text(Path::new("a.yaml"), text, SIZE)
}

fn is_yaml(text: &str) -> bool {
    split(text)
        .iter()
        .all(|document| Tree::parse(document.text).is_ok())
}
