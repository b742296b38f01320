//! The configuration that was applied last to a live object: its annotation says it, or a file.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::error::{Error, Place, shown};
use crate::package::Settings;
use crate::package::readable::all;
use crate::package::resource::ResourceId;
use crate::package::single_package::load_package;
use crate::patch::LAST_APPLIED;
use crate::yaml::{NodeId, NodeKind, Tree};

/// What was applied last, as files of the user's say it.
#[derive(Debug, Default)]
pub(crate) struct LastApplied {
    /// Group, kind, namespace and name to the document's text.
    documents: FxHashMap<[String; 4], String>,
    /// What was given; `None` if nothing was.
    path: Option<PathBuf>,
}

/// What was applied last to one live object.
#[derive(Default)]
pub(super) struct Last {
    /// None where that is not known.
    pub(super) text: Option<String>,
    /// Where in the live document it is said.
    pub(super) offset: usize,
}

impl LastApplied {
    /// Reads a file or a folder.
    pub(super) fn read(path: &Path, settings: &Settings) -> Result<Self, Error> {
        let package = load_package(path, "--last-applied", &settings.matches)?;
        let mut documents = FxHashMap::default();
        for read in all(path, &package, "what was applied last cannot be read")? {
            documents.extend(read.file.documents.iter().filter_map(|parsed| {
                let id = parsed.resource.as_ref()?.id.of_any_version();
                Some((id.map(str::to_owned), parsed.document.text.to_owned()))
            }));
        }
        Ok(Self {
            documents,
            path: Some(path.to_owned()),
        })
    }

    /// What was applied last to a live object: where files were given, what they say, else what its
    /// annotation says.
    ///
    /// # Errors
    /// Where the files do not say it, or the annotation is no JSON, or no map.
    pub(super) fn of(
        &self,
        live: &Tree<'_>,
        id: &ResourceId<'_>,
        place: impl Fn(usize) -> Place,
    ) -> Result<Last, Error> {
        let [group, kind, namespace, name] = id.of_any_version();
        let mut given = [namespace, ""].into_iter().filter_map(|namespace| {
            let key = [group, kind, namespace, name].map(str::to_owned);
            self.documents.get(&key)
        });
        if let Some(text) = given.next() {
            return Ok(Last {
                text: Some(text.clone()),
                ..Last::default()
            });
        }
        if let Some(path) = &self.path {
            return Err(Error::unfit(
                place(live.root().span.start as usize),
                format!("{} has nothing that was applied to this", shown(path)),
                format!("it needs {id}"),
                "add it there, or leave --last-applied out: then the annotations say it",
            ));
        }
        let Some(annotation) = annotation(live) else {
            return Ok(Last::default());
        };
        let offset = live.node(annotation).span.start as usize;
        let wrong = |message: String| {
            Error::unfit(
                place(offset),
                format!("the annotation {LAST_APPLIED} cannot be used"),
                message,
                "restore it, give --last-applied FILE, or delete it: then nothing is removed",
            )
        };
        let text: &str = live.scalar(annotation).map_or("", |scalar| scalar.content);
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
            return Err(wrong(format!("this is no JSON: {error}")));
        }
        let is_map =
            |tree: &Tree<'_>| matches!(tree.node(tree.root().value).kind, NodeKind::Mapping(_));
        match Tree::parse(text) {
            Ok(Some(last)) if is_map(&last) => Ok(Last {
                text: Some(text.to_owned()),
                offset,
            }),
            Ok(_) => Err(wrong("this is no resource".to_owned())),
            Err(error) => Err(wrong(error.message)),
        }
    }
}

/// The annotation of an object that says what was applied to it.
pub(super) fn annotation(live: &Tree<'_>) -> Option<NodeId> {
    live.at(&["metadata", "annotations", LAST_APPLIED])
}
