//! Merges image references that both sides changed: the name and the version of an image merge
//! separately (rules: Texts and images).

use super::record::Segment;
use super::texts::text_of;
use super::{Nodes, Walker};
use crate::merge::decision::Outcome;
use crate::merge::index::key_of;
use crate::merge::{CombinedBy, Images, Resolution};
use crate::triple::{Change, Triple};
use crate::yaml::NodeId;

/// An image reference: `[REGISTRY/]REPOSITORY[:TAG][@DIGEST]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Image<'t> {
    /// The registry and the repository.
    name: &'t str,
    /// The tag and the digest, with their `:` and `@`. One part, because a digest belongs to one
    /// tag.
    version: &'t str,
}

impl Walker<'_> {
    /// Merges three image references. Returns `None` if a value is not a reference.
    pub(super) fn merge_image(&mut self, nodes: Nodes) -> Option<Outcome> {
        let by_rule = self.rule_setting(|rule| rule.images);
        let is_whole = by_rule.unwrap_or(self.options.images) == Images::Whole;
        if is_whole || by_rule.is_none() && !self.is_at_image() {
            return None;
        }
        let contents = self.trees.zip(nodes).map(|(tree, node)| {
            let is_one_line = |node: &NodeId| !tree.is_block_scalar(*node);
            text_of(tree, node.filter(is_one_line))
        });
        let contents = contents.transpose()?;
        let images = contents.map(Image::parse).transpose()?;
        let names = merge_part(images.map(|image| image.name));
        let versions = merge_part(images.map(|image| image.version));
        let merged = |resolution: Resolution| {
            let [name, version] = [names, versions].map(|part| match (part, resolution) {
                (Ok(part), _) => part,
                (Err(sides), Resolution::Updated) => sides.updated,
                (Err(sides), _) => sides.local,
            });
            format!("{name}{version}")
        };
        let (updated, local) = (merged(Resolution::Updated), merged(Resolution::Local));
        if updated == contents.updated && local == contents.local {
            // Both parts conflict, so there is nothing to combine.
            return None;
        }
        if names.is_ok() && versions.is_ok() {
            let outcome = self.text_outcome(nodes, updated)?;
            self.record_combined(CombinedBy::Image, nodes);
            return Some(outcome);
        }
        self.conflict_over_texts(nodes, local, updated)
    }

    /// Returns true if the current path is a field that holds an image reference.
    fn is_at_image(&self) -> bool {
        let Some(step) = self.steps.last() else {
            return false;
        };
        let sides = self.trees.zip(step.entries).into_array().into_iter();
        let key = sides.rev().find_map(|(tree, entry)| key_of(tree, entry?));
        matches!(step.segment, Segment::Field)
            && key.is_some_and(|(_, name)| name == "image" || name.ends_with("Image"))
    }
}

impl<'t> Image<'t> {
    /// Parses a reference. Returns `None` for anything else, such as a template.
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let is_word = |word: &str, signs: &str| {
            word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || signs.contains(c))
        };
        let (tagged, digest) = match text.split_once('@') {
            Some((tagged, digest)) => (tagged, Some(digest)),
            None => (text, None),
        };
        // A colon before a slash separates the port of the registry.
        let after_slash = tagged.rfind('/').map_or(0, |slash| slash + 1);
        let colon = tagged[after_slash..].find(':').map(|at| after_slash + at);
        let (name, tag) = match colon {
            Some(colon) => (&tagged[..colon], Some(&tagged[colon + 1..])),
            None => (tagged, None),
        };
        let is_image = name
            .split('/')
            .enumerate()
            .all(|(at, part)| is_word(part, if at == 0 { "._-:" } else { "._-" }))
            && tag.is_none_or(|tag| is_word(tag, "._-"))
            && digest.is_none_or(|digest| {
                let parts = digest.split_once(':');
                parts.is_some_and(|(kind, hash)| is_word(kind, "+._-") && is_word(hash, "="))
            });
        is_image.then(|| Self {
            name,
            version: &text[name.len()..],
        })
    }
}

/// Returns the version in a text: the tag if it is an image reference, otherwise the whole text.
pub(super) fn version_in(text: &str) -> &str {
    let tag = Image::parse(text).and_then(|image| image.version.strip_prefix(':'));
    let tag = tag.map(|tag| tag.split('@').next().unwrap_or(tag));
    tag.unwrap_or(text)
}

/// Merges one part of a value. Returns the parts of all sides if they conflict.
pub(super) fn merge_part<T: PartialEq + Copy>(sides: Triple<T>) -> Result<T, Triple<T>> {
    match sides.change() {
        Change::Neither | Change::Local | Change::BothSame => Ok(sides.local),
        Change::Upstream => Ok(sides.updated),
        Change::BothDiffer => Err(sides),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read() {
        let parts = |text| Image::parse(text).map(|image| (image.name, image.version));
        assert_eq!(parts("nginx"), Some(("nginx", "")));
        assert_eq!(parts("nginx:1.27"), Some(("nginx", ":1.27")));
        assert_eq!(parts("reg:5000/a/b"), Some(("reg:5000/a/b", "")));
        assert_eq!(
            parts("reg:5000/a/b:v1@sha256:0af"),
            Some(("reg:5000/a/b", ":v1@sha256:0af"))
        );
        for text in [
            "",
            "a b",
            "{{ .image }}",
            "a:",
            "a:b:c",
            "a@b",
            "/a",
            "a//b",
            "${R}/a:1",
        ] {
            assert_eq!(parts(text), None, "{text}");
        }
    }
}
