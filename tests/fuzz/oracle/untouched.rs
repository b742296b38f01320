//! Law 5: a field that upstream did not change keeps every byte.

use merge3::triple::{Change, Triple};
use merge3::yaml::{EntryId, NodeId, NodeKind, ScalarType, Span, Tree};

use super::{Verdict, ensure};

/// Compares the maps of a merged document with those of the local one, at all levels at which every
/// side has a map.
pub(super) fn check(trees: Triple<&Tree<'_>>, merged: &Tree<'_>) -> Verdict {
    let aliases = trees.into_array().iter().any(|tree| tree.has_aliases());
    if aliases || trees.local.anchor_names().next().is_some() {
        return Ok(());
    }
    let roots = trees.map(|tree| tree.root().value);
    maps(trees, roots, merged, merged.root().value)
}

fn maps(
    trees: Triple<&Tree<'_>>,
    nodes: Triple<NodeId>,
    merged: &Tree<'_>,
    node: NodeId,
) -> Verdict {
    let sides = trees.zip(nodes);
    let is_map = |tree: &Tree<'_>, node| matches!(tree.node(node).kind, NodeKind::Mapping(_));
    let all = sides
        .into_array()
        .into_iter()
        .all(|(tree, node)| is_map(tree, node));
    if !all || !is_map(merged, node) {
        return Ok(());
    }
    for id in trees.local.entries(nodes.local) {
        let Some(key) = key(trees.local, id) else {
            continue;
        };
        let entry = trees.local.entry(id);
        let of = |tree: &Tree<'_>, node| tree.find(node, &key).map(|id| tree.entry(id).value);
        let text = trees.local.slice(entry.span);
        let (original, updated) = (
            of(trees.original, nodes.original),
            of(trees.updated, nodes.updated),
        );
        let found = merged.find(node, &key);
        let slice = |tree: &Tree<'_>, node: Option<NodeId>| {
            node.map(|node| tree.slice(tree.node(node).span).to_owned())
        };
        // an entry with a new key may be an entry of the original that local renamed
        let is_new = original.is_none() && updated.is_none();
        let is_renamed = is_new && lacks_a_field(trees, nodes);
        let is_unchanged_upstream = !is_renamed
            && slice(trees.original, original) == slice(trees.updated, updated)
            && tag(trees.original, original) == tag(trees.updated, updated)
            && written(trees.original, nodes.original, &key)
                == written(trees.updated, nodes.updated, &key)
            && comments(trees.original, nodes.original, &key)
                == comments(trees.updated, nodes.updated, &key);
        if is_unchanged_upstream {
            let now = found.map(|id| merged.slice(merged.entry(id).span));
            ensure(now == Some(text), || {
                format!("law 5: `{key}` was {text:?} and is {now:?}")
            })?;
        } else if let (Some(original), Some(updated), Some(found)) = (original, updated, found) {
            let nodes = Triple::new(original, updated, entry.value);
            let tags = trees.zip(nodes).map(|(tree, node)| tag(tree, Some(node)));
            // with a tag that both sides changed, a map merges as one value (rules: Tags)
            if tags.change() != Change::BothDiffer {
                maps(trees, nodes, merged, merged.entry(found).value)?;
            }
        }
    }
    Ok(())
}

/// Whether local lacks a field of the original.
fn lacks_a_field(trees: Triple<&Tree<'_>>, nodes: Triple<NodeId>) -> bool {
    let mut fields = trees.original.entries(nodes.original);
    fields.any(|id| {
        key(trees.original, id).is_some_and(|key| trees.local.find(nodes.local, &key).is_none())
    })
}

/// Returns a key if it is a string, which [`Tree::find`] can find.
fn key(tree: &Tree<'_>, id: EntryId) -> Option<String> {
    let scalar = tree.scalar(tree.entry(id).key?)?;
    (scalar.scalar_type == ScalarType::Str).then(|| scalar.content.to_string())
}

/// Returns a field as it is written in a map, with the quotes of its key and the space behind it.
fn written<'t>(tree: &'t Tree<'_>, map: NodeId, key: &str) -> Option<&'t str> {
    Some(tree.slice(tree.entry(tree.find(map, key)?).span))
}

fn tag(tree: &Tree<'_>, node: Option<NodeId>) -> Option<String> {
    tree.node(node?)
        .tag()
        .map(|span| tree.slice(span).to_owned())
}

/// Returns the comments of a field and those above the first entry of its value and below its last
/// one, which are not part of the value's text.
fn comments(tree: &Tree<'_>, map: NodeId, key: &str) -> Option<[String; 4]> {
    let entry = tree.entry(tree.find(map, key)?);
    let comments = entry.comments();
    let above = tree.entries(entry.value).next().map(|first| {
        let value = tree.entry(first).span.start;
        tree.slice(Span::new(entry.span.start, value))
    });
    let above = above.unwrap_or_default().lines().map(str::trim);
    let above = above.filter(|line| line.starts_with('#'));
    let below = tree.text()[entry.span.end as usize..].lines().skip(1);
    let below = below.map(str::trim);
    let below = below.take_while(|line| line.is_empty() || line.starts_with('#'));
    let [line, tail] = [comments.line, comments.tail].map(|span| tree.slice(span).to_owned());
    let [above, below] = [above.collect::<Vec<_>>(), below.collect()].map(|it| it.join("\n"));
    Some([line, tail, above, below])
}
