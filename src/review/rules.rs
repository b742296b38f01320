//! The rules that the user can make at an open place, and the other places that a rule decides.

use super::files::{MarkedFile, OpenPlace, ParsedFile, ResolvedFile};
use crate::merge::{Pattern, Take};
use crate::package::NewRule;
use crate::report::portable;
use crate::triple::Side;

/// Returns the rules for a place, one for each entry in it. An entry whose path a rule cannot name
/// has none.
pub(super) fn rules_for(file: &MarkedFile, place: &OpenPlace, take: Take) -> Vec<NewRule> {
    let paths = match place.paths.as_slice() {
        [] => &[String::new()],
        paths => paths,
    };
    let resource = place.resource.as_ref();
    let rules = paths.iter();
    let rules = rules.filter_map(|path| NewRule::of_place(path, resource, &file.path, take));
    rules.collect()
}

/// Returns those of a file's places of which the rules decide all entries.
pub(super) fn decided<'p>(
    rules: &[NewRule],
    file: &MarkedFile,
    places: impl Iterator<Item = &'p mut OpenPlace>,
) -> Vec<&'p mut OpenPlace> {
    let path = portable(&file.path);
    let of_file = rules
        .iter()
        .filter(|rule| rule.file.as_ref().is_none_or(|it| *it == path));
    let patterns = of_file.filter_map(|rule| Some((&rule.kind, Pattern::parse(&rule.path).ok()?)));
    let patterns: Vec<(&Option<String>, Pattern)> = patterns.collect();
    let sides = [Side::Local, Side::Updated].map(|side| file.resolved(side));
    let sides = sides.each_ref().map(ResolvedFile::parsed);
    let is_decided = |place: &&mut OpenPlace| {
        let kind = place.resource.as_ref().map(|it| &*it.kind);
        let for_kind = patterns
            .iter()
            .filter(|(rule_kind, _)| rule_kind.is_none() || rule_kind.as_deref() == kind);
        let for_kind: Vec<&Pattern> = for_kind.map(|(_, pattern)| pattern).collect();
        if for_kind.iter().any(|it| it.is_whole()) {
            return true;
        }
        let has_lines = |side: &&ParsedFile<'_>| !side.resolved.places[place.index].is_empty();
        let side = sides.iter().find(has_lines);
        let Some((tree, _, _)) = side.and_then(|side| side.entries(place.index)) else {
            return false;
        };
        let spans = for_kind.iter().flat_map(|pattern| pattern.find(tree));
        let spans: Vec<_> = spans.map(|entry| tree.entry(entry).span).collect();
        let is_matched = |entry| {
            let inner = tree.entry(entry).span;
            let mut spans = spans.iter();
            spans.any(|span| span.start <= inner.start && inner.end <= span.end)
        };
        let is_named = |path: &String| {
            let found = Pattern::parse(path).map(|it| it.find(tree));
            let found = found.unwrap_or_default();
            !found.is_empty() && found.into_iter().all(is_matched)
        };
        !place.paths.is_empty() && place.paths.iter().all(is_named)
    };
    places.filter(is_decided).collect()
}
