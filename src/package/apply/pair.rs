//! Which configuration is for which live object.

use rustc_hash::FxHashMap;

use super::Sources;
use super::live::LiveItem;
use crate::error::{Error, Place};
use crate::package::pair::{DocRef, Group, order};
use crate::package::parsed::{Parsed, ParsedFile, Reading, Readings};
use crate::package::resource::ResourceId;
use crate::package::slot::Slot;
use crate::triple::Triple;

/// Which documents are one resource, and which configurations are for items of lists.
pub(super) struct Paired {
    pub(super) groups: Vec<Group>,
    /// By the number of the item.
    pub(super) of_items: FxHashMap<usize, DocRef>,
}

/// A live object.
#[derive(Debug, Clone, Copy)]
enum Live {
    Document(DocRef),
    /// The number of an item of a list.
    Item(usize),
}

/// What a configuration and a live object share: group, kind and name. The namespace is looked at
/// beside.
type Key<'r> = (&'r str, &'r str, &'r str);

fn key<'r>(id: &'r ResourceId<'_>) -> Key<'r> {
    (id.group(), &id.kind, &id.name)
}

/// Pairs every configuration with the live object of its group, kind, namespace and name; one
/// without a namespace with the only live object there is of the others, in `namespace` where that
/// is given. What only one side has is alone.
///
/// # Errors
/// Where a configuration is for more than one live object.
pub(super) fn pair(
    slots: &[Slot],
    readings: &[Readings<'_>],
    sources: &Sources<'_>,
    items: &[LiveItem],
    namespace: Option<&str>,
) -> Result<Paired, Error> {
    let mut lives: FxHashMap<Key<'_>, Vec<(Live, &str)>> = FxHashMap::default();
    for (number, item) in items.iter().enumerate() {
        let live = (Live::Item(number), &*item.id.namespace);
        let key = (item.id.group(), &*item.id.kind, &*item.id.name);
        lives.entry(key).or_default().push(live);
    }
    let mut alone: FxHashMap<DocRef, Group> = FxHashMap::default();
    for (at, parsed) in documents(readings, |sides| &sides.local) {
        alone.insert(at, Triple::new(None, None, Some(at)));
        if let Some(resource) = &parsed.resource {
            lives
                .entry(key(&resource.id))
                .or_default()
                .push((Live::Document(at), &resource.id.namespace));
        }
    }
    let mut groups = Vec::new();
    let mut of_items = FxHashMap::default();
    let mut errors = Vec::new();
    for (at, parsed) in documents(readings, |sides| &sides.updated) {
        let Some(resource) = &parsed.resource else {
            continue;
        };
        let id = &resource.id;
        let found = of_name(&lives, id, namespace);
        if let [first, second, ..] = found.as_slice() {
            let place = |live: &Live| {
                let at = match live {
                    Live::Document(at) => *at,
                    Live::Item(number) => items[*number].list,
                };
                place_of(slots, readings, sources, at)
            };
            errors.extend(ambiguous(id, place(first), place(second)));
            continue;
        }
        match found.first() {
            Some(Live::Document(live)) => {
                alone.remove(live);
                groups.push(Triple::new(None, Some(at), Some(*live)));
            }
            Some(Live::Item(number)) => {
                of_items.insert(*number, at);
            }
            None => groups.push(Triple::new(None, Some(at), None)),
        }
    }
    groups.extend(alone.into_values());
    groups.sort_unstable_by_key(order);
    Error::from_many(errors).map_or(Ok(Paired { groups, of_items }), Err)
}

/// The live objects that a configuration may be for.
fn of_name(
    lives: &FxHashMap<Key<'_>, Vec<(Live, &str)>>,
    id: &ResourceId<'_>,
    namespace: Option<&str>,
) -> Vec<Live> {
    let same_name = lives.get(&key(id)).into_iter().flatten();
    let found = same_name.filter(|(_, live)| match (&*id.namespace, namespace) {
        ("", None) => true,
        ("", Some(namespace)) => live.is_empty() || *live == namespace,
        (own, _) => *live == own,
    });
    found.map(|(at, _)| *at).collect()
}

/// The documents of one side.
fn documents<'r, 'a: 'r>(
    readings: &'r [Readings<'a>],
    side: impl Fn(&'r Readings<'a>) -> &'r Option<Reading<'a>>,
) -> impl Iterator<Item = (DocRef, &'r Parsed<'a>)> {
    let files = readings
        .iter()
        .enumerate()
        .filter_map(move |(slot, sides)| {
            let file: &ParsedFile<'a> = side(sides).as_ref()?.as_ref().ok()?;
            Some((slot, file))
        });
    files.flat_map(|(slot, file)| {
        let documents = file.documents.iter().enumerate();
        documents
            .filter(|(_, parsed)| parsed.has_content)
            .map(move |(document, parsed)| (DocRef { slot, document }, parsed))
    })
}

/// Where a live document is.
fn place_of(
    slots: &[Slot],
    readings: &[Readings<'_>],
    sources: &Sources<'_>,
    at: DocRef,
) -> Option<Place> {
    let file = readings.get(at.slot)?.local.as_ref()?.as_ref().ok()?;
    let parsed = file.documents.get(at.document)?;
    let start = parsed.kept()?.root().span.start as usize;
    let path = &slots.get(at.slot)?.path;
    Some(sources.live(path, &parsed.document, start))
}

fn ambiguous(id: &ResourceId<'_>, first: Option<Place>, second: Option<Place>) -> Option<Error> {
    let (first, second) = (first?, second?);
    Some(Error::unfit(
        second,
        format!("{id} is more than one live object"),
        format!("another one is {}:{}", first.path.display(), first.line),
        "give the configuration a `metadata.namespace`, say -n NAMESPACE, or remove one of the two",
    ))
}
