//! The work on each file of the result: the pairs of documents (rules: Documents), sorted by the
//! file that they end up in.

use super::file_triple::FileTriple;
use super::gone::Gone;
use super::pair::{DocRef, Group};
use super::parsed::Parsed;
use super::read::ReadFile;
use crate::triple::{Side, Triple};

/// The work on one file of the result.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Job {
    /// Which triple has the file on each side, for what is merged of it beside its documents. The
    /// local file becomes this one: it is the triple's own, one that upstream renamed, or none.
    pub(crate) file: Triple<Option<usize>>,
    /// The documents of that local file that stay in it, or go with upstream.
    pub(crate) here: Vec<Group>,
    /// The documents of that local file that go to another file.
    pub(crate) leaving: Vec<Group>,
    /// Upstream's documents that come: new ones, and those that move here from another local file.
    pub(crate) coming: Vec<Group>,
    /// Upstream's documents that the local side has deleted.
    pub(crate) deleted: Vec<Group>,
    /// Where local deleted the file as a whole, or a folder that it is in: nothing new comes then.
    pub(crate) gone: Option<Gone>,
}

/// Sorts the pairs by the file they end up in.
///
/// A document stays in its local file, but where upstream moved it and the local side did not.
/// Where upstream renamed a whole file, the local file moves as one, with what is in it beside
/// documents.
pub(crate) fn jobs(triples: &[FileTriple], files: &[ReadFile<'_>], groups: &[Group]) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::with_capacity(triples.len());
    for (index, file) in files.iter().enumerate() {
        let has_local = file.file(Side::Local).is_some();
        jobs.push(Job {
            file: Triple::new(None, None, has_local.then_some(index)),
            ..Job::default()
        });
    }
    let mut home: Vec<usize> = (0..triples.len()).collect();
    let pinned: Vec<bool> = triples.iter().map(FileTriple::is_pinned).collect();
    for (from, to) in renames(files, groups) {
        if pinned[from] {
            continue;
        }
        jobs[to].file.local = Some(from);
        jobs[from].file.local = None;
        home[from] = to;
    }
    for group in groups {
        match (group.local, group.updated) {
            (Some(local), _) => {
                let target = match target(group, local, &home) {
                    // nothing leaves a pinned file, and nothing comes into one
                    target if pinned[target] || pinned[local.triple] => local.triple,
                    target => target,
                };
                if jobs[target].file.local == Some(local.triple) {
                    jobs[target].here.push(*group);
                } else {
                    jobs[local.triple].leaving.push(*group);
                    jobs[target].coming.push(*group);
                }
            }
            (None, Some(updated)) if group.original.is_some() => {
                jobs[updated.triple].deleted.push(*group);
            }
            (None, Some(updated)) => jobs[updated.triple].coming.push(*group),
            (None, None) => {}
        }
    }
    for target in 0..jobs.len() {
        jobs[target].file = sides(files, &jobs, target);
    }
    jobs
}

/// Which triple has a file of the result on each side. The original may have it at another path:
/// one side renamed it, or both did.
///
/// The answer is the same for the merged package (law 4): what the merge moves does not change it.
fn sides(files: &[ReadFile<'_>], jobs: &[Job], target: usize) -> Triple<Option<usize>> {
    let has = |triple: usize, side: Side| files[triple].file(side).is_some();
    let at = |triple: usize, side: Side| has(triple, side).then_some(triple);
    let Some(base) = jobs[target].file.local else {
        return Triple::new(at(target, Side::Original), at(target, Side::Updated), None);
    };
    let sides = Triple::new(
        at(base, Side::Original),
        at(target, Side::Updated),
        Some(base),
    );
    let Some(former) = former_triple(&jobs[target]).filter(|_| sides.original.is_none()) else {
        return sides;
    };
    let is_renamed = match sides.updated {
        // upstream renamed it; a file that local had there before is another one
        Some(_) => !has(former, Side::Updated) && !has_own(&jobs[target]),
        None => !stays(&jobs[former], former),
    };
    match is_renamed {
        true => Triple {
            original: Some(former),
            updated: sides.updated.or_else(|| at(former, Side::Updated)),
            ..sides
        },
        false => sides,
    }
}

/// Where the original has all documents of a file of the result that it has.
fn former_triple(job: &Job) -> Option<usize> {
    let groups = || job.here.iter().chain(&job.coming);
    let mut triples = groups().filter_map(|group| group.original.map(|it| it.triple));
    let triple = triples.next()?;
    let is_one = triples.all(|other| other == triple);
    // a file of which upstream deleted all is not the one that upstream has at the new path
    let is_kept = |group: &Group| group.original.is_some() && group.updated.is_some();
    (is_one && groups().any(is_kept)).then_some(triple)
}

/// Whether the local side has documents in a file that are its own.
fn has_own(job: &Job) -> bool {
    let is_own = |group: &Group| group.original.is_none() && group.updated.is_none();
    job.here.iter().any(is_own)
}

/// Whether the local side has a document that upstream has too in its file at this triple, or gets
/// one.
fn stays(job: &Job, triple: usize) -> bool {
    let mut groups = job.here.iter().chain(&job.coming);
    groups.any(|group| group.updated.is_some_and(|it| it.triple == triple))
}

/// The triple that a local document ends up in: three-way, as everything else. `home` says where
/// whole files go.
fn target(group: &Group, local: DocRef, home: &[usize]) -> usize {
    match (group.original, group.updated) {
        (Some(original), Some(updated)) if original.triple == local.triple => updated.triple,
        _ => home[local.triple],
    }
}

/// What is known of a file that upstream may have renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Unknown,
    To(usize),
    Several,
}

/// The files that upstream renamed as a whole: gone there, all of their documents in one new file
/// now that has nothing but these and new ones, and none of them anywhere else on the local side.
fn renames(files: &[ReadFile<'_>], groups: &[Group]) -> Vec<(usize, usize)> {
    let present = |triple: usize| {
        let is_there = |side: Side| files[triple].file(side).is_some();
        Side::ALL.map(is_there).into_array()
    };
    let mut targets = vec![Target::Unknown; files.len()];
    let mut sources = vec![Target::Unknown; files.len()];
    for group in groups {
        let (Some(local), from) = (group.local, group.original.map(|it| it.triple)) else {
            continue;
        };
        let moved = from == Some(local.triple);
        match group.updated {
            Some(updated) if moved => {
                note(&mut targets[local.triple], updated.triple);
                note(&mut sources[updated.triple], local.triple);
            }
            Some(updated) => {
                targets[local.triple] = Target::Several;
                sources[updated.triple] = Target::Several;
            }
            // deleted upstream: goes with its file; the local side's own: the file stays for it
            None if moved => {}
            None => targets[local.triple] = Target::Several,
        }
    }
    let renamed = |from: usize| match targets[from] {
        Target::To(to)
            if present(from) == [true, false, true]
                && present(to) == [false, true, false]
                && sources[to] == Target::To(from) =>
        {
            Some((from, to))
        }
        _ => None,
    };
    (0..files.len()).filter_map(renamed).collect()
}

fn note(target: &mut Target, triple: usize) {
    *target = match *target {
        Target::Unknown => Target::To(triple),
        Target::To(known) if known == triple => Target::To(triple),
        _ => Target::Several,
    };
}

/// The documents of a group.
pub(crate) fn members<'f, 'a>(
    files: &'f [ReadFile<'a>],
    group: &Group,
) -> Triple<Option<&'f Parsed<'a>>> {
    Side::ALL.map(|side| document_at(files, side, group[side]?))
}

/// A document of one side.
pub(crate) fn document_at<'f, 'a>(
    files: &'f [ReadFile<'a>],
    side: Side,
    at: DocRef,
) -> Option<&'f Parsed<'a>> {
    files[at.triple].file(side)?.documents.get(at.document)
}
