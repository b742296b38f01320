//! Which configuration is for which live object.

use rustc_hash::FxHashMap;

use super::sides::{Live, Sides};
use crate::error::{Error, Place};
use crate::package::pair::{DocRef, Group, order};
use crate::package::resource::ResourceId;
use crate::triple::{Side, Triple};

/// Which documents are one resource, and which configurations are for items of lists.
pub(super) struct Paired {
    pub(super) groups: Vec<Group>,
    /// By the number of the item.
    pub(super) of_items: FxHashMap<usize, DocRef>,
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
pub(super) fn pair(sides: &Sides<'_, '_>, namespace: Option<&str>) -> Result<Paired, Error> {
    let mut lives: FxHashMap<Key<'_>, Vec<(Live, &ResourceId<'_>)>> = FxHashMap::default();
    for (number, item) in sides.items.iter().enumerate() {
        let live = (Live::Item(number), &item.id);
        lives.entry(key(&item.id)).or_default().push(live);
    }
    let mut alone: FxHashMap<DocRef, Group> = FxHashMap::default();
    for (at, parsed) in sides.documents(Side::Local) {
        alone.insert(at, Triple::new(None, None, Some(at)));
        if let Some(resource) = &parsed.resource {
            lives
                .entry(key(&resource.id))
                .or_default()
                .push((Live::Document(at), &resource.id));
        }
    }
    let mut groups = Vec::new();
    let mut of_items = FxHashMap::default();
    let mut errors = Vec::new();
    for (at, parsed) in sides.documents(Side::Updated) {
        let Some(resource) = &parsed.resource else {
            continue;
        };
        let id = &resource.id;
        let found = of_name(&lives, id, namespace);
        if let [first, second, ..] = found.as_slice() {
            let (first, second) = (sides.start_of_live(*first), sides.start_of_live(*second));
            errors.push(ambiguous(id, &first, second));
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
    Error::if_any(errors)?;
    Ok(Paired { groups, of_items })
}

/// The live objects that a configuration may be for.
fn of_name(
    lives: &FxHashMap<Key<'_>, Vec<(Live, &ResourceId<'_>)>>,
    id: &ResourceId<'_>,
    namespace: Option<&str>,
) -> Vec<Live> {
    let same_name = lives.get(&key(id)).into_iter().flatten();
    let found = same_name.filter(|(_, live)| live.is_in_namespace_of(id, namespace));
    found.map(|(at, _)| *at).collect()
}

fn ambiguous(id: &ResourceId<'_>, first: &Place, second: Place) -> Error {
    Error::unfit(
        second,
        format!("{id} is more than one live object"),
        format!("another one is {}:{}", first.path.display(), first.line),
        "give the configuration a `metadata.namespace`, say -n NAMESPACE, or remove one of the two",
    )
}
