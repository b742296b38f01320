//! The two sides of an application: configurations and live objects, and where they come from.

use std::path::Path;

use super::ApplyTo;
use crate::error::{Error, Place};
use crate::package::Settings;
use crate::package::items::Origins;
use crate::package::load::{Loaded, fingerprint};
use crate::package::parsed::{Reading, Readings};
use crate::package::patching::is_kustomization;
use crate::package::single_package::load_package;
use crate::package::slot::{Roots, Slot};
use crate::triple::Triple;
use crate::yaml::Document;

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
        return Err(Error::Mixed {
            folder: what.config.clone(),
            file: what.live.clone(),
            help: "give a folder as --live too: new resources get files of their own in it",
        });
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
    let local = |(path, source)| Slot::new(path, true, Triple::new(None, None, Some(source)));
    let mut slots: Vec<Slot> = live.files.into_iter().map(local).collect();
    config.take_lists_apart();
    let mut origins = Origins::default();
    for (name, source) in config.files {
        let path = match (live.is_folder, slots.first()) {
            (false, Some(only)) => only.path.clone(),
            _ => name.clone(),
        };
        let origin = config.origins.remove(&name);
        origins.extend(origin.map(|origin| (path.clone(), origin)));
        let at = slots.binary_search_by(|other| other.path.cmp(&path));
        let at = at.unwrap_or_else(|at| {
            slots.insert(at, Slot::new(path, true, Triple::default()));
            at
        });
        slots[at].sides.updated = Some(source);
    }
    let mut warnings = live.warnings;
    warnings.extend(config.warnings);
    let merge = fingerprint(&slots);
    let mut loaded = Loaded {
        roots,
        slots,
        local_kinds: live.kinds,
        left: live.left,
        merge,
        warnings,
    };
    loaded.settle(merge)?;
    Ok((loaded, origins))
}

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
        let broken = reading.as_ref().err()?.clone();
        let help = "repair the file, or exclude it in .krmignore";
        Some(broken.into_error("this is no YAML", help))
    };
    let sides = readings
        .iter()
        .flat_map(|sides| sides.as_ref().into_array());
    let errors = sides.flatten().filter_map(broken).collect();
    Error::from_many(errors).map_or(Ok(()), Err)
}
