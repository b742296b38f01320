//! Finds two resources with the same identity in one file (rules: Documents).

use rayon::prelude::*;

use super::file_triple::{FileTriple, Roots};
use super::pair::DocRef;
use super::parsed::ParsedFile;
use super::read::ReadFile;
use super::resource::ResourceId;
use super::similarity::Leaves;
use crate::error::{Error, Place, Warning, shown};
use crate::triple::Triple;
use crate::visible::visible;

/// The resources of one side of a file, with what each is called.
pub(super) type Named<'r> = Vec<(DocRef, &'r ResourceId<'r>)>;

/// Looks for files in which two resources have one identity. What there is to warn of: those in the
/// original alone.
///
/// # Errors
/// One for each file of updated's or local's that upstream changed and
/// local has otherwise than either: which of the two a change is for, nobody can say. Where there
/// is nothing to merge, that does not matter.
pub(super) fn look_for_duplicates(
    triples: &[FileTriple],
    files: &[ReadFile<'_>],
    roots: &Roots,
) -> Result<Vec<Warning>, Error> {
    let found = triples.par_iter().zip(files).map(|(triple, file)| {
        let bytes = triple.bytes();
        if bytes.original == bytes.updated {
            return Ok(None);
        }
        let is_merged = bytes.local != bytes.original && bytes.local != bytes.updated;
        let sides = file.yaml().zip(roots.paths(triple));
        let twice = sides.map(|(file, path)| file?.duplicate(&path));
        match (twice.updated.or(twice.local), twice.original) {
            (Some(found), _) if is_merged => Err(found.into_error()),
            (_, Some(found)) => Ok(Some(found.into_warning())),
            _ => Ok(None),
        }
    });
    let found: Vec<Result<Option<Warning>, Error>> = found.collect();
    Ok(Error::all(found)?.into_iter().flatten().collect())
}

/// Two resources with one identity in one file.
pub(super) struct Duplicate {
    pub(super) resource: String,
    pub(super) first: Place,
    pub(super) second: Place,
}

impl Duplicate {
    fn into_error(self) -> Error {
        let [first, second] = [self.first, self.second];
        let lines = format!("in lines {} and {}", first.line, second.line);
        let (resource, path) = (visible(&self.resource), shown(&first.path));
        Error::Unfit {
            title: format!("{resource} is twice in {path}: {lines}"),
            places: vec![
                (second, "the second".to_owned()),
                (first, "the first".to_owned()),
            ],
            help: "delete or rename one of the two, or move it to a file of its own".to_owned(),
        }
    }

    fn into_warning(self) -> Warning {
        let message = format!(
            "{} is twice in the original, in lines {} and \
             {}: it was merged with the one that is most like it",
            self.resource, self.first.line, self.second.line
        );
        Warning::at(self.second, message)
    }
}

/// Leaves one of each two resources of one identity that only the original has twice in a file: the
/// one that is most like local's; if that does not tell, most like updated's. What nothing pairs
/// with would count as deleted.
pub(super) fn without_repeated<'r>(
    files: &Triple<Option<&ParsedFile<'_>>>,
    named: Triple<Named<'r>>,
) -> Triple<Named<'r>> {
    let count = |side: &Named<'_>, id: &ResourceId<'_>| side.iter().filter(|it| it.1 == id).count();
    let is_repeated = |id: &ResourceId<'_>| {
        count(&named.original, id) > 1
            && count(&named.updated, id) < 2
            && count(&named.local, id) < 2
    };
    if !has_repeated(&named.original) {
        return named;
    }
    let leaves = |side: Option<&ParsedFile<'_>>, document: &DocRef| {
        let parsed = side.and_then(|file| file.documents.get(document.document));
        parsed.map(Leaves::of).unwrap_or_default()
    };
    let mut original: Named<'r> = Vec::with_capacity(named.original.len());
    for (document, id) in &named.original {
        if !is_repeated(id) {
            original.push((*document, *id));
            continue;
        }
        if original.iter().any(|(_, known)| known == id) {
            continue;
        }
        let find = |side: &Named<'_>, file| {
            let found = side.iter().find(|it| it.1 == *id);
            found.map(|(document, _)| leaves(file, document))
        };
        let others = [
            find(&named.local, files.local),
            find(&named.updated, files.updated),
        ];
        let rank = |document: &DocRef| {
            let leaves = leaves(files.original, document);
            let distance = others
                .each_ref()
                .map(|other| other.as_ref().map_or(0, |other| leaves.distance(other)));
            (distance, *document)
        };
        let versions = named.original.iter().filter(|it| it.1 == *id);
        if let Some((likest, id)) = versions.min_by_key(|(document, _)| rank(document)) {
            original.push((*likest, *id));
        }
    }
    Triple { original, ..named }
}

fn has_repeated(side: &Named<'_>) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    side.iter().any(|(_, id)| !seen.insert(*id))
}
