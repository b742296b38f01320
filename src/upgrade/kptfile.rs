//! Upstream's Kptfile in an upgrade: it gets the local name, namespace and record before the merge,
//! so that these never conflict, as in kpt.

use std::path::Path;

use super::edit::{get, map, patched, string};
use super::record::{KPTFILE, Record, SECTIONS};
use crate::error::{Error, Warning};
use crate::package::{Snapshot, SnapshotEntry, if_there, read_named};
use crate::yaml::{NodeId, NodeKind, Tree};

/// Makes upstream's Kptfiles say of name, namespace and record what the local one says, so that
/// they do not merge. Where that cannot be done, however the file is written, they are no part of
/// the merge; nor where the record is in it and upstream's new version has none. What is left out
/// so is reported.
///
/// # Errors
/// Where the local file cannot be read.
pub(super) fn keep_local_identity(
    upstream: (&mut Snapshot, &mut Snapshot),
    record: &Record,
) -> Result<Option<Warning>, Error> {
    let (original, updated) = upstream;
    let package = record.file.parent().unwrap_or(Path::new(""));
    let has_record = record.file.ends_with(KPTFILE);
    let local = text_of(&package.join(KPTFILE))?;
    let rewritten = [&*original, &*updated].map(|side| rewritten(side, &local));
    let is_broken = rewritten.iter().any(|text| text == &Some(None));
    let is_gone = has_record && rewritten[1].is_none();
    for (snapshot, text) in [original, updated].into_iter().zip(rewritten) {
        let text = text.flatten().filter(|_| !is_gone && !is_broken);
        put(snapshot, text);
    }
    Ok(is_broken.then(|| {
        Warning::about(
            Path::new(KPTFILE),
            "upstream's Kptfile is left out: it is not written \
             so that your name and record can be kept in it",
        )
    }))
}

/// Gives upstream's Kptfile another text, or takes it away.
fn put(upstream: &mut Snapshot, text: Option<String>) {
    let kptfile = Path::new(KPTFILE);
    match (text, upstream.entries.get_mut(kptfile)) {
        (Some(text), Some(SnapshotEntry::File { bytes, .. })) => *bytes = text.into_bytes(),
        _ => drop(upstream.entries.remove(kptfile)),
    }
}

/// Makes upstream's Kptfile the local one where the two differ in nothing but what says who and
/// whence the package is.
///
/// # Errors
/// Where the local file cannot be read.
pub(super) fn keep_local_file(upstream: &mut Snapshot, package: &Path) -> Result<(), Error> {
    let local = text_of(&package.join(KPTFILE))?;
    if let Some(Some(theirs)) = rewritten(upstream, &local) {
        let is_same = with_identity_of(&local, &local).is_some_and(|ours| ours == theirs);
        put(upstream, Some(if is_same { local } else { theirs }));
    }
    Ok(())
}

/// The text of a file; none where there is none, or a link, which is not followed.
fn text_of(file: &Path) -> Result<String, Error> {
    if file.symlink_metadata().is_ok_and(|it| it.is_symlink()) {
        return Ok(String::new());
    }
    let bytes = if_there(read_named(file)).map_err(Error::reading(file))?;
    Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
}

/// Upstream's Kptfile, if there is one, with what the local one says; `Some(None)` if it cannot be
/// made to say that.
fn rewritten(upstream: &Snapshot, local: &str) -> Option<Option<String>> {
    let kptfile = Path::new(KPTFILE);
    upstream.entries.get(kptfile)?;
    let bytes = upstream.file(kptfile);
    let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
    Some(text.and_then(|text| with_identity_of(text, local)))
}

/// The text with local's name and namespace and without a record; `None` if it cannot be had: it
/// is no map with one field on a line, or not all of it is said there.
fn with_identity_of(text: &str, local: &str) -> Option<String> {
    let tree = Tree::parse(text).ok()??;
    let root = tree.root().value;
    let is_flow = |node: NodeId| match &tree.node(node).kind {
        NodeKind::Mapping(collection) => Some(collection.flow),
        _ => None,
    };
    let is_block = !is_flow(root)?;
    let sections = SECTIONS
        .into_iter()
        .filter_map(|name| tree.field(root, name));
    let is_shared = sections
        .into_iter()
        .any(|it| tree.node(it).anchor().is_some());
    let metadata = tree.field(root, "metadata")?;
    is_flow(metadata)?;
    let names = ["name", "namespace"].into_iter();
    let names = names.filter_map(|name| Some((name, get(local, &["metadata", name])?)));
    let mut fields = Vec::new();
    for (name, here) in names {
        match tree.field(metadata, name) {
            Some(value) => drop(tree.scalar(value)?),
            None if name == "namespace" => continue,
            None => {}
        }
        fields.push((name, string(&here)));
    }
    let gone = SECTIONS.map(|section| (section, "null".to_owned()));
    let patch = map(gone.into_iter().chain([("metadata", map(fields))]));
    let text = patched(text, &patch)?;
    (is_block && !is_shared && is_plain(&text)).then_some(text)
}

/// Whether a text is a map without a record, and means what it says: nothing is merged into it from
/// elsewhere.
fn is_plain(text: &str) -> bool {
    let Ok(Some(tree)) = Tree::parse(text) else {
        return false;
    };
    let root = tree.root().value;
    let is_map = matches!(&tree.node(root).kind, NodeKind::Mapping(_));
    let names = ["<<"].into_iter().chain(SECTIONS);
    is_map
        && tree.entries(root).all(|entry| {
            let key = tree.entry(entry).key.and_then(|key| tree.scalar(key));
            key.is_some_and(|key| !names.clone().any(|name| key.content == name))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_record_are_locals() {
        let upstream = "kind: Kptfile\nmetadata:\n  name: theirs # who\n  labels: {a: b}\n\
            # whence\nupstream:\n  git: {repo: x}\nupstreamLock:\n  git: {repo: x}\ninfo:\n  site: s\n";
        let local = "kind: Kptfile\nmetadata:\n  name: ours\nupstream:\n  git: {repo: y}\n";
        assert_eq!(
            with_identity_of(upstream, local).unwrap(),
            "kind: Kptfile\nmetadata:\n  name: ours # who\n  labels: {a: b}\ninfo:\n  site: s\n"
        );
    }

    #[test]
    fn a_record_that_cannot_be_taken_out_is_not_kept() {
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
