//! Finds two resources with the same identity in one file (rules: Documents).

use rayon::prelude::*;

use super::pair::{DocRef, buckets};
use super::parsed::ParsedFile;
use super::read::ReadFile;
use super::resource::ResourceId;
use super::similarity::Leaves;
use crate::error::{Error, Place, Warning, shown};
use crate::triple::{Side, Triple};
use crate::visible::visible;

/// The resources of one side of a file, with their identities.
pub(super) type Named<'r> = Vec<(DocRef, &'r ResourceId<'r>)>;

/// Looks for files that upstream changed and in which two resources have the same identity. Returns
/// a warning for each file that has them in the original, unless it is an error.
///
/// # Errors
/// One for each file that needs merging and has two such resources in updated or local: it is
/// unclear which of the two a change is for.
pub(super) fn look_for_duplicates(files: &[ReadFile<'_>]) -> Result<Vec<Warning>, Error> {
    let results = files.par_iter().map(|file| {
        let bytes = file.triple.bytes();
        if bytes.original == bytes.updated {
            return Ok(None);
        }
        let is_merged = bytes.local != bytes.original && bytes.local != bytes.updated;
        let sides = file.yaml().zip(file.triple.sides.as_ref());
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
    let leaves = |side: Side, document: DocRef| {
        let parsed = files[side].and_then(|file| file.documents.get(document.document()));
        parsed.map(Leaves::of).unwrap_or_default()
    };
    let mut original = Vec::with_capacity(named.original.len());
    for same in buckets(named.original, |(_, id)| *id) {
        let id = same[0].1;
        let of_id = |resources: &Named<'_>| -> Vec<DocRef> {
            let same = resources.iter().filter(|(_, other)| *other == id);
            same.map(|(document, _)| *document).collect()
        };
        if same.len() == 1 || of_id(&named.updated).len() > 1 || of_id(&named.local).len() > 1 {
            original.extend(same);
            continue;
        }
        let others = [(Side::Local, &named.local), (Side::Updated, &named.updated)];
        let others = others.map(|(side, resources)| {
            let document = of_id(resources).pop();
            document.map(|document| leaves(side, document))
        });
        let rank = |(document, _): &(DocRef, &ResourceId<'_>)| {
            let leaves = leaves(Side::Original, *document);
            let others = others.each_ref().map(Option::as_ref);
            let distance = others.map(|other| other.map_or(0, |it| leaves.distance(it)));
            (distance, *document)
        };
        original.extend(same.into_iter().min_by_key(rank));
    }
    original.sort_unstable_by_key(|(document, _)| *document);
    Triple { original, ..named }
}
