//! Prepares upstream's Kptfiles for an upgrade: they get the local name and namespace and lose
//! their record before the merge, so that these never conflict, as in kpt.

use std::path::Path;

use super::edit::{get, map, string};
use super::record::{KPTFILE, Record, SECTIONS, bytes_of};
use crate::error::{Error, Warning};
use crate::package::{Snapshot, SnapshotEntry};
use crate::patch::patched;
use crate::yaml::{NodeId, NodeKind, Tree};

/// Gives upstream's Kptfiles the local name and namespace and removes their record, so that the
/// merge leaves these alone. If one of them cannot be edited so, both are removed from the merge,
/// and a warning is returned. They are also removed if the local Kptfile has the record and
/// upstream's new version has no Kptfile.
///
/// # Errors
/// If the local file cannot be read.
pub(super) fn keep_local_identity(
    upstream: (&mut Snapshot, &mut Snapshot),
    record: &Record,
) -> Result<Option<Warning>, Error> {
    let (original, updated) = upstream;
    let package = record.file.parent().unwrap_or(Path::new(""));
    let has_record = record.file.ends_with(KPTFILE);
    let local = local_text(package)?;
    let texts = [&*original, &*updated].map(|side| with_local_identity(side, &local));
    let is_uneditable = texts.iter().any(|text| text == &Some(None));
    let is_deleted = has_record && texts[1].is_none();
    for (snapshot, text) in [original, updated].into_iter().zip(texts) {
        let text = text.flatten().filter(|_| !is_deleted && !is_uneditable);
        set_kptfile(snapshot, text);
    }
    Ok(is_uneditable.then(|| {
        Warning::about(
            Path::new(KPTFILE),
            "upstream's Kptfile is left out: it is not written \
             so that your name and record can be kept in it",
        )
    }))
}

/// Replaces the text of upstream's Kptfile, or removes the file.
fn set_kptfile(upstream: &mut Snapshot, text: Option<String>) {
    let kptfile = Path::new(KPTFILE);
    match (text, upstream.entries.get_mut(kptfile)) {
        (Some(text), Some(SnapshotEntry::File { bytes, .. })) => *bytes = text.into_bytes(),
        _ => drop(upstream.entries.remove(kptfile)),
    }
}

/// Replaces upstream's Kptfile with the local one if they differ only in name, namespace and
/// record; else gives it the local name and namespace and removes its record.
///
/// # Errors
/// If the local file cannot be read.
pub(super) fn keep_local_file(upstream: &mut Snapshot, package: &Path) -> Result<(), Error> {
    let local = local_text(package)?;
    if let Some(Some(theirs)) = with_local_identity(upstream, &local) {
        let is_same = with_identity_of(&local, &local).is_some_and(|ours| ours == theirs);
        set_kptfile(upstream, Some(if is_same { local } else { theirs }));
    }
    Ok(())
}

/// Returns the text of a package's Kptfile; empty if it is missing or a symbolic link.
fn local_text(package: &Path) -> Result<String, Error> {
    let bytes = bytes_of(&package.join(KPTFILE))?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns upstream's Kptfile with the local name and namespace and without a record; `None` if
/// there is no Kptfile, `Some(None)` if it cannot be edited so.
fn with_local_identity(upstream: &Snapshot, local: &str) -> Option<Option<String>> {
    let kptfile = Path::new(KPTFILE);
    upstream.entries.get(kptfile)?;
    let bytes = upstream.file(kptfile);
    let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
    Some(text.and_then(|text| with_identity_of(text, local)))
}

/// Returns the text with local's name and namespace and without a record; `None` if that is not
/// possible by an edit: the text is no block map with `metadata`, an alias may refer to the record,
/// or a merge key may bring one in.
fn with_identity_of(text: &str, local: &str) -> Option<String> {
    let tree = Tree::parse(text).ok()??;
    let root = tree.root().value;
    let has_anchor = |name| {
        let section = tree.field(root, name);
        section.is_some_and(|section| tree.node(section).anchor().is_some())
    };
    let is_shared = SECTIONS.into_iter().any(has_anchor);
    let metadata = tree.field(root, "metadata")?;
    let is_editable = tree.is_block_collection(root) && is_map(&tree, metadata) && !is_shared;
    let mut fields = Vec::new();
    for name in ["name", "namespace"] {
        let theirs = tree.field(metadata, name);
        let Some(ours) = get(local, &["metadata", name]) else {
            continue;
        };
        if let Some(theirs) = theirs {
            tree.scalar(theirs)?;
        }
        // upstream's file without a namespace gets none
        if name == "name" || theirs.is_some() {
            fields.push((name, string(&ours)));
        }
    }
    let deletions = SECTIONS.map(|section| (section, "null".to_owned()));
    let patch = map(deletions.into_iter().chain([("metadata", map(fields))]));
    let text = patched(text, &patch).ok()?;
    (is_editable && has_no_record(&text)).then_some(text)
}

fn is_map(tree: &Tree<'_>, node: NodeId) -> bool {
    matches!(tree.node(node).kind, NodeKind::Mapping(_))
}

/// Whether a text is a map without a record and without a merge key (`<<`), which could bring one
/// in.
fn has_no_record(text: &str) -> bool {
    let Ok(Some(tree)) = Tree::parse(text) else {
        return false;
    };
    let root = tree.root().value;
    let has_record = tree.entries(root).any(|entry| {
        let key = tree.key_text(entry);
        key.is_none_or(|key| key == "<<" || SECTIONS.contains(&key))
    });
    is_map(&tree, root) && !has_record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_local_name_and_removes_the_record() {
        let upstream = "kind: Kptfile\nmetadata:\n  name: theirs # who\n  labels: {a: b}\n\
            # whence\nupstream:\n  git: {repo: x}\nupstreamLock:\n  git: {repo: x}\ninfo:\n  site: s\n";
        let local = "kind: Kptfile\nmetadata:\n  name: ours\nupstream:\n  git: {repo: y}\n";
        assert_eq!(
            with_identity_of(upstream, local).unwrap(),
            "kind: Kptfile\nmetadata:\n  name: ours # who\n  labels: {a: b}\ninfo:\n  site: s\n"
        );
    }

    #[test]
    fn refuses_a_text_whose_record_cannot_be_removed() {
        let local = "metadata:\n  name: ours\n";
        for upstream in [
            "{kind: Kptfile, metadata: {name: a}, upstream: {git: {repo: x}}}\n",
            "metadata:\n  name: {a: b}\n",
            "metadata: name\n",
            "kind: Kptfile\n",
            "metadata:\n  name: a\n---\nupstream:\n  git: {repo: x}\n",
            "metadata:\n  name: a\n<<: {upstream: {git: {repo: x}}}\n",
            "metadata:\n  name: a\nupstream: &x\n  git: {repo: x}\ninfo: *x\n",
            "- a\n",
            "",
        ] {
            assert_eq!(with_identity_of(upstream, local), None, "{upstream}");
        }
    }
}
