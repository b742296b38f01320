//! A file with conflict markers.

use std::path::Path;

use merge3::git::{NotSolved, Solved, solve_text};
use merge3::yaml::{Tree, stream::split};

use super::{Verdict, ensure, same};

/// What git's markers have.
const SIZE: usize = 7;

/// Whatever the file: no panic; no marker is left where no conflict is said to be; where no
/// conflict is left and every way to choose was YAML, the result is; what is left can be solved
/// again.
///
/// # Errors
/// Says what of this does not hold.
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
    ensure(before > 0, || "nothing was there to solve".to_owned())?;
    if left > 0 {
        let again = solve(&solved)
            .map_err(|error| format!("what is left is not solvable: {error:?} in {solved:?}"))?;
        return same("conflicts that are left", again.before, left);
    }
    same(
        "with nothing left",
        solve(&solved).err(),
        Some(NotSolved::NoMarkers),
    )?;
    if structural {
        ensure(is_yaml(&solved), || format!("no YAML came out: {solved:?}"))?;
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
