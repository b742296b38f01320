//! Finds two resources with the same identity in one file (rules: Documents).

use rayon::prelude::*;

use super::file_triple::FileTriple;
use super::pair::DocRef;
use super::parsed::ParsedFile;
use super::read::ReadFile;
use super::resource::ResourceId;
use super::similarity::Leaves;
use crate::error::{Error, Place, Warning, shown};
use crate::triple::Triple;
use crate::visible::visible;

/// The resources of one side of a file, with their identities.
pub(super) type Named<'r> = Vec<(DocRef, &'r ResourceId<'r>)>;

/// Looks for files that upstream changed and in which two resources have the same identity. Returns
/// a warning for each file that has them in the original, unless it is an error.
///
/// # Errors
/// One for each file that needs merging and has two such resources in updated or local: it is
/// unclear which of the two a change is for.
pub(super) fn look_for_duplicates(
    triples: &[FileTriple],
    files: &[ReadFile<'_>],
) -> Result<Vec<Warning>, Error> {
    let results = triples.par_iter().zip(files).map(|(triple, file)| {
        let bytes = triple.bytes();
        if bytes.original == bytes.updated {
            return Ok(None);
        }
        let is_merged = bytes.local != bytes.original && bytes.local != bytes.updated;
        let sides = file.yaml().zip(triple.sides.as_ref());
        let duplicates = sides.map(|(file, source)| file?.duplicate(&source.as_ref()?.path));
        match (duplicates.updated.or(duplicates.local), duplicates.original) {
            (Some(found), _) if is_merged => Err(found.into_error()),
            (_, Some(found)) => Ok(Some(found.into_warning())),
            _ => Ok(None),
        }
    });
    let results: Vec<Result<Option<Warning>, Error>> = results.collect();
    Ok(Error::all(results)?.into_iter().flatten().collect())
}

/// Two resources with the same identity in one file.
pub(super) struct Duplicate {
    /// The identity, as it is displayed.
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
            title: format!("{resource} occurs twice in {path}: {lines}"),
            places: vec![
                (second, "the second".to_owned()),
                (first, "the first".to_owned()),
            ],
            help: "delete or rename one of the two, or move it to a file of its own".to_owned(),
        }
    }

    fn into_warning(self) -> Warning {
        let message = format!(
            "{} occurs twice in the original, in lines {} and \
             {}: it was merged with the one that is most like it",
            self.resource, self.first.line, self.second.line
        );
        Warning::at(self.second, message)
    }
}

/// Drops repeated resources from the original: of several with the same identity in a file, which
/// updated and local have at most once, the one that is most similar to local's stays, or on a tie
/// to updated's. The others would pair with nothing and count as deleted.
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
        if let Some((most_similar, id)) = versions.min_by_key(|(document, _)| rank(document)) {
            original.push((*most_similar, *id));
        }
    }
    Triple { original, ..named }
}

/// Returns true if an identity occurs more than once.
fn has_repeated(side: &Named<'_>) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    side.iter().any(|(_, id)| !seen.insert(*id))
}
