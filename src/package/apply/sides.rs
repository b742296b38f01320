//! The two sides of an application: configurations and live objects, and where they come from.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::ApplyTo;
use crate::error::{Error, Place};
use crate::package::Settings;
use crate::package::items::{Origin, without_lists};
use crate::package::load::{Loaded, fingerprint, load_unsettled, root_kind};
use crate::package::parsed::{Reading, Readings};
use crate::package::side::Side;
use crate::package::slot::{Roots, Slot};
use crate::triple::Triple;
use crate::yaml::Document;

/// The configurations as the updated side and the live objects as the local one, by path; a file by
/// the name of the live one. What was made of configurations that are lists comes along.
pub(super) fn both_sides(what: &ApplyTo, settings: &Settings) -> Result<(Loaded, Origins), Error> {
    let settings = Settings {
        yaml_only: true,
        ..settings.clone()
    };
    let is_folder = (
        root_kind(&what.config, "--config")?,
        root_kind(&what.live, "--live")?,
    );
    if is_folder == (true, false) {
        return Err(Error::Mixed {
            folder: what.config.clone(),
            file: what.live.clone(),
            help: "give a folder as --live too: new resources get files of their own in it",
        });
    }
    let alone =
        |path: &Path| load_unsettled(&Triple::new(path, path, path).map(Side::disk), &settings);
    let (config, mut live) = (alone(&what.config)?, alone(&what.live)?);
    for slot in &mut live.slots {
        slot.sides.original = None;
        slot.sides.updated = None;
    }
    let mut origins = Origins::default();
    for mut slot in config.slots {
        let path = match is_folder {
            (false, false) => live.slots.first().map(|slot| slot.path.clone()),
            _ => None,
        }
        .unwrap_or(slot.path);
        let at = live.slots.binary_search_by(|other| other.path.cmp(&path));
        let at = at.unwrap_or_else(|at| {
            live.slots
                .insert(at, Slot::new(path, true, Triple::default()));
            at
        });
        if let Some(source) = &mut slot.sides.local
            && let Ok(text) = std::str::from_utf8(&source.bytes)
            && let Some((made, origin)) = without_lists(&live.slots[at].path, text)
        {
            source.bytes = made.into_bytes().into();
            origins.insert(live.slots[at].path.clone(), origin);
        }
        live.slots[at].sides.updated = slot.sides.local;
    }
    live.slots.retain(|slot| slot.yaml);
    let merge = fingerprint(&live.slots);
    live.settle(merge)?;
    live.warnings.extend(config.warnings);
    live.roots = match (live.roots, config.roots) {
        (Roots::Files(live), Roots::Files(config)) => Roots::Files(Triple {
            updated: config.local,
            ..live
        }),
        (live, config) => Roots::Folders(Triple::new(live.local(), config.local(), live.local())),
    };
    Ok((live, origins))
}

/// Where the texts of configurations come from that were made of lists, by path.
pub(super) type Origins = FxHashMap<PathBuf, Origin>;

/// Where the two sides are.
pub(super) struct Sources<'r> {
    pub(super) roots: &'r Roots,
    pub(super) origins: Origins,
}

impl Sources<'_> {
    /// A place in a configuration of a file with that text.
    pub(super) fn config(
        &self,
        file: &Path,
        text: &str,
        document: &Document<'_>,
        offset: usize,
    ) -> Place {
        let path = self.roots.paths(file).updated;
        match self.origins.get(file) {
            Some(origin) => origin.place(path, text, document.start + offset),
            None => Place::in_chunk(path, document.text, document.line, offset),
        }
    }

    /// A place in a live object.
    pub(super) fn live(&self, file: &Path, document: &Document<'_>, offset: usize) -> Place {
        Place::in_chunk(
            self.roots.paths(file).local,
            document.text,
            document.line,
            offset,
        )
    }
}

/// A file that is no YAML: which resources are in it, nobody knows.
pub(super) fn refuse_broken(readings: &[Readings<'_>]) -> Result<(), Error> {
    let broken = |reading: &Reading<'_>| {
        let broken = reading.as_ref().err()?;
        Some(match broken.utf8 {
            false => Error::NotUtf8 {
                place: Box::new(broken.place.clone()),
            },
            true => Error::Unfit {
                place: Box::new(broken.place.clone()),
                problem: "this is no YAML".to_owned(),
                message: broken.message.clone(),
                help: broken
                    .help
                    .clone()
                    .unwrap_or_else(|| "repair the file, or exclude it in .krmignore".to_owned()),
            },
        })
    };
    let sides = readings
        .iter()
        .flat_map(|sides| sides.as_ref().into_array());
    let errors = sides.flatten().filter_map(broken).collect();
    Error::from_many(errors).map_or(Ok(()), Err)
}
