//! Live objects that are items of lists.

use crate::package::file_triple::FileTriple;
use crate::package::items::{Item, items};
use crate::package::jobs::file_of;
use crate::package::pair::DocRef;
use crate::package::parsed::Readings;
use crate::package::resource::ResourceId;
use crate::triple::Side;

/// A resource that is an item of a list on the live side.
#[derive(Debug)]
pub(crate) struct LiveItem {
    /// The document that is the list.
    pub(super) list: DocRef,
    pub(super) item: Item,
    pub(super) id: ResourceId<'static>,
}

/// All such resources, file by file.
pub(super) fn live_items(triples: &[FileTriple], files: &[Option<Readings<'_>>]) -> Vec<LiveItem> {
    let mut found = Vec::new();
    for (triple, FileTriple { path, .. }) in triples.iter().enumerate() {
        let Some(file) = file_of(files, triple, Side::Local) else {
            continue;
        };
        for (document, parsed) in file.documents.iter().enumerate() {
            for item in items(path, file.text, parsed) {
                found.extend(item.id.clone().map(|id| LiveItem {
                    list: DocRef { triple, document },
                    item,
                    id,
                }));
            }
        }
    }
    found
}
