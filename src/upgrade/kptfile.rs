//! The package's own Kptfile in a merge: what says who and whence it is, is local's, as in kpt.

use std::path::Path;

use super::record::{KPTFILE, SECTIONS};
use super::splice::{get, set, without};
use crate::package::{Entry, Snapshot};

/// Makes upstream's Kptfile say of name, namespace and record what the local one says, so that they do not merge.
pub(super) fn as_local_has_it(snapshot: &mut Snapshot, local: &str) {
    let Some(Entry::File { bytes, .. }) = snapshot.entries.get_mut(Path::new(KPTFILE)) else {
        return;
    };
    // a Kptfile that is none is merged as what it is
    if let Some(text) = std::str::from_utf8(bytes)
        .ok()
        .and_then(|text| own(text, local))
    {
        *bytes = text.into_bytes();
    }
}

fn own(text: &str, local: &str) -> Option<String> {
    let mut text = text.to_owned();
    for section in SECTIONS {
        text = without(&text, section)?;
    }
    for field in ["name", "namespace"] {
        let path = ["metadata", field];
        if let (Some(here), Some(_)) = (get(local, &path), get(&text, &path)) {
            text = set(&text, &path, &here)?;
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_record_are_locals() {
        let upstream = "kind: Kptfile\nmetadata:\n  name: theirs # who\n  labels: {a: b}\n# whence\nupstream:\n  git: {repo: x}\nupstreamLock:\n  git: {repo: x}\ninfo:\n  site: s\n";
        let local = "kind: Kptfile\nmetadata:\n  name: ours\nupstream:\n  git: {repo: y}\n";
        assert_eq!(
            own(upstream, local).unwrap(),
            "kind: Kptfile\nmetadata:\n  name: ours # who\n  labels: {a: b}\ninfo:\n  site: s\n"
        );
    }
}
