//! Rules that are made at a place, and the other places that they decide.

use super::files::{File, OpenPlace, Parsed, Taken};
use crate::merge::{Pattern, Take};
use crate::package::Written;
use crate::report::portable;
use crate::triple::Side;

/// The rules for a place: one for each entry that is there. None where no rule can name it.
pub(super) fn rules_for(file: &File, place: &OpenPlace, take: Take) -> Vec<Written> {
    let paths = match place.paths.as_slice() {
        [] => &[String::new()],
        paths => paths,
    };
    let rules = paths.iter().filter_map(|path| {
        Some(Written {
            kind: place.resource.as_ref().map(|it| it.kind.to_string()),
            file: Some(portable(&file.path)),
            ..Written::of_place(path, take)?
        })
    });
    rules.collect()
}

/// Which of a file's places rules decide, all that is there.
pub(super) fn decided(rules: &[Written], file: &File, places: &[&mut OpenPlace]) -> Vec<bool> {
    let of_file = rules.iter().filter(|rule| {
        let wanted = rule.file.as_ref();
        wanted.is_none_or(|wanted| *wanted == portable(&file.path))
    });
    let pattern = |rule: &Written| Some((rule.kind.clone(), Pattern::parse(&rule.path).ok()?));
    let patterns: Vec<(Option<String>, Pattern)> = of_file.filter_map(pattern).collect();
    let sides = [Side::Local, Side::Updated].map(|side| file.taken(side));
    let sides = sides.each_ref().map(Taken::parsed);
    let is_decided = |place: &&mut OpenPlace| {
        let kind = place.resource.as_ref().map(|it| &*it.kind);
        let fitting = patterns
            .iter()
            .filter(|(wanted, _)| wanted.is_none() || wanted.as_deref() == kind);
        let fitting: Vec<&Pattern> = fitting.map(|(_, pattern)| pattern).collect();
        if fitting.iter().any(|it| it.is_whole()) {
            return true;
        }
        let is_here = |side: &&Parsed<'_>| !side.taken.places[place.index].is_empty();
        let decided = sides.iter().find(is_here).and_then(|side| {
            side.entries(place.index, |tree, _, _| {
                let spans = fitting.iter().flat_map(|pattern| pattern.find(tree));
                let spans: Vec<_> = spans.map(|entry| tree.entry(entry).span).collect();
                let is_in = |entry| {
                    let here = tree.entry(entry).span;
                    spans
                        .iter()
                        .any(|span| span.start <= here.start && here.end <= span.end)
                };
                let found = place.paths.iter().map(|path| {
                    let found = Pattern::parse(path).ok().map(|it| it.find(tree));
                    found.unwrap_or_default()
                });
                let mut found = found.peekable();
                found.peek().is_some()
                    && found.all(|found| !found.is_empty() && found.into_iter().all(is_in))
            })
        });
        decided.unwrap_or(false)
    };
    places.iter().map(is_decided).collect()
}
