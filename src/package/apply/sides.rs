//! The two sides of an application: configurations and live objects, and where they come from.

use std::path::Path;

use super::ApplyTo;
use crate::error::{Error, Place};
use crate::package::Settings;
use crate::package::file_triple::{FileTriple, Roots};
use crate::package::items::{Item, Origins, items};
use crate::package::jobs::document_at;
use crate::package::load::{Loaded, fingerprint, mixed};
use crate::package::pair::DocRef;
use crate::package::parsed::{Parsed, Reading, Readings};
use crate::package::patching::is_kustomization;
use crate::package::read::ReadFile;
use crate::package::resource::ResourceId;
use crate::package::single_package::load_package;
use crate::triple::{Side, Triple};

/// The configurations as the updated side and the live objects as the local one, by path; a file by
/// the name of the live one. What was made of configurations that are lists comes along.
pub(super) fn both_sides(what: &ApplyTo, settings: &Settings) -> Result<(Loaded, Origins), Error> {
    let mut config = load_package(&what.config, "--config", &settings.matches)?;
    if config.is_folder {
        // they say how resources are made, and are none
        config.files.retain(|(path, _)| !is_kustomization(path));
    }
    let live = load_package(&what.live, "--live", &settings.matches)?;
    if config.is_folder && !live.is_folder {
        return Err(mixed(
            &what.config,
            &what.live,
            "give a folder as --live too: new resources get files of their own in it",
        ));
    }
    let roots = match live.files.as_slice() {
        [(name, _)] if !live.is_folder => {
            let live = live.root.join(name);
            Roots::Files(Triple::new(live.clone(), what.config.clone(), live))
        }
        _ => Roots::Folders(Triple::new(
            live.root.clone(),
            config.root.clone(),
            live.root.clone(),
        )),
    };
    let local = |(path, source)| FileTriple::new(path, true, Triple::new(None, None, Some(source)));
    let mut triples: Vec<FileTriple> = live.files.into_iter().map(local).collect();
    config.take_lists_apart();
    let mut origins = Origins::default();
    for (name, source) in config.files {
        let path = match (live.is_folder, triples.first()) {
            (false, Some(only)) => only.path.clone(),
            _ => name.clone(),
        };
        let origin = config.origins.remove(&name);
        origins.extend(origin.map(|origin| (path.clone(), origin)));
        let at = triples.binary_search_by(|other| other.path.cmp(&path));
        let at = at.unwrap_or_else(|at| {
            triples.insert(at, FileTriple::new(path, true, Triple::default()));
            at
        });
        triples[at].sides.updated = Some(source);
    }
    let mut warnings = live.warnings;
    warnings.extend(config.warnings);
    let merge = fingerprint(&triples);
    let mut loaded = Loaded {
        roots,
        triples,
        local_kinds: live.kinds,
        left: live.left,
        merge,
        warnings,
    };
    loaded.settle(merge)?;
    Ok((loaded, origins))
}

/// The two sides, read.
pub(super) struct Sides<'r, 'a> {
    pub(super) roots: &'r Roots,
    /// Where the configurations come from that were items of lists.
    pub(super) origins: Origins,
    pub(super) triples: &'r [FileTriple],
    pub(super) files: &'r [ReadFile<'a>],
    /// The live objects that are items of lists.
    pub(super) items: Vec<LiveItem>,
}

/// A resource that is an item of a list on the live side.
#[derive(Debug)]
pub(super) struct LiveItem {
    /// The document that is the list.
    pub(super) list: DocRef,
    pub(super) item: Item,
    pub(super) id: ResourceId<'static>,
}

/// All such resources, file by file.
pub(super) fn live_items(triples: &[FileTriple], files: &[ReadFile<'_>]) -> Vec<LiveItem> {
    let mut found = Vec::new();
    for (triple, FileTriple { path, .. }) in triples.iter().enumerate() {
        let Some(file) = files[triple].file(Side::Local) else {
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

/// A live object.
#[derive(Debug, Clone, Copy)]
pub(super) enum Live {
    Document(DocRef),
    /// The number of an item of a list.
    Item(usize),
}

impl<'r, 'a> Sides<'r, 'a> {
    /// The documents with content of one side.
    pub(super) fn documents(
        &self,
        side: Side,
    ) -> impl Iterator<Item = (DocRef, &'r Parsed<'a>)> + use<'r, 'a> {
        let files = self.files.iter().enumerate();
        let files = files.filter_map(move |(triple, file)| Some((triple, file.file(side)?)));
        files.flat_map(|(triple, file)| {
            let documents = file.documents.iter().enumerate();
            documents
                .filter(|(_, parsed)| parsed.has_content)
                .map(move |(document, parsed)| (DocRef { triple, document }, parsed))
        })
    }

    /// A document of one side.
    pub(super) fn document(&self, side: Side, at: DocRef) -> Option<&'r Parsed<'a>> {
        document_at(self.files, side, at)
    }

    /// The file in the package that a live object is in.
    pub(super) fn path(&self, live: Live) -> &'r Path {
        &self.triples[self.list(live).triple].path
    }

    /// The document that a live object is, or is an item of.
    fn list(&self, live: Live) -> DocRef {
        match live {
            Live::Document(at) => at,
            Live::Item(number) => self.items[number].list,
        }
    }

    /// A place in a configuration.
    pub(super) fn place_in_config(&self, config: DocRef, offset: usize) -> Place {
        let triple = &self.triples[config.triple].path;
        let path = self.roots.paths(triple).updated;
        let parsed = self.document(Side::Updated, config);
        let (text, line) = parsed.map_or(("", 0), |it| (it.document.text, it.document.line));
        match self.origins.get(triple) {
            Some(origin) => origin.place(path, text, line, offset),
            None => Place::in_chunk(path, text, line, offset),
        }
    }

    /// A place in a live object.
    pub(super) fn place_in_live(&self, live: Live, offset: usize) -> Place {
        let path = self.roots.paths(self.path(live)).local;
        match live {
            Live::Item(number) => self.items[number].item.place(path, offset),
            Live::Document(at) => {
                let parsed = self.document(Side::Local, at);
                let (text, line) =
                    parsed.map_or(("", 0), |it| (it.document.text, it.document.line));
                Place::in_chunk(path, text, line, offset)
            }
        }
    }

    /// Where the content of a live object begins, or that of the list that it is in.
    pub(super) fn start_of_live(&self, live: Live) -> Place {
        let at = self.list(live);
        let tree = self.document(Side::Local, at).and_then(Parsed::kept);
        let start = tree.map_or(0, |tree| tree.root().span.start as usize);
        self.place_in_live(Live::Document(at), start)
    }
}

/// A file that is no YAML: which resources are in it, nobody knows.
pub(super) fn refuse_broken(files: &[Readings<'_>]) -> Result<(), Error> {
    let broken = |reading: &Reading<'_>| {
        let broken = reading.as_ref().err()?.clone();
        let help = "repair the file, or exclude it in .krmignore";
        Some(broken.into_error("this is no YAML", help))
    };
    let sides = files.iter().flat_map(|sides| sides.as_ref().into_array());
    let errors = sides.flatten().filter_map(broken).collect();
    Error::if_any(errors)
}
