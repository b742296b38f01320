//! What has to be done where: the pairs of documents (rules: Documents), sorted by the file that
//! they end up in.

use super::gone::Gone;
use super::pair::{DocRef, Group};
use super::parsed::{Parsed, ParsedFile, Readings};
use super::slot::Slot;
use crate::triple::{Side, Triple};

/// The work on one file of the result.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Job {
    /// Which slot's local file becomes this one: its own, that of a file that upstream renamed, or
    /// none.
    pub(crate) base: Option<usize>,
    /// The documents of that local file.
    pub(crate) here: Vec<Group>,
    /// Of these, the ones that go to another file.
    pub(crate) leaving: Vec<Group>,
    /// Upstream's documents that come: new ones, and those that move here from another local file.
    pub(crate) coming: Vec<Group>,
    /// Upstream's documents that the local side has deleted.
    pub(crate) deleted: Vec<Group>,
    /// Where local deleted the file as a whole, or a folder that it is in: nothing new comes then.
    pub(crate) gone: Option<Gone>,
}

impl Job {}

/// Sorts the pairs by the file they end up in.
///
/// A document stays in its local file, but where upstream moved it and the local side did not.
/// Where upstream renamed a whole file, the local file moves as one, with what is in it beside
/// documents.
pub(crate) fn jobs(slots: &[Slot], files: &[Option<Readings<'_>>], groups: &[Group]) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::with_capacity(slots.len());
    for (index, file) in files.iter().enumerate() {
        let has_local = file.as_ref().is_some_and(|file| file.local.is_some());
        jobs.push(Job {
            base: has_local.then_some(index),
            ..Job::default()
        });
    }
    let mut home: Vec<usize> = (0..slots.len()).collect();
    let pinned: Vec<bool> = slots.iter().map(Slot::is_pinned).collect();
    for (from, to) in renames(files, groups) {
        if pinned[from] {
            continue;
        }
        jobs[to].base = Some(from);
        jobs[from].base = None;
        home[from] = to;
    }
    for group in groups {
        match (group.local, group.updated) {
            (Some(local), _) => {
                let target = match target(group, local, &home) {
                    // nothing leaves a pinned file, and nothing comes into one
                    target if pinned[target] || pinned[local.slot] => local.slot,
                    target => target,
                };
                if jobs[target].base == Some(local.slot) {
                    jobs[target].here.push(*group);
                } else {
                    jobs[local.slot].leaving.push(*group);
                    jobs[target].coming.push(*group);
                }
            }
            (None, Some(updated)) if group.original.is_some() => {
                jobs[updated.slot].deleted.push(*group);
            }
            (None, Some(updated)) => jobs[updated.slot].coming.push(*group),
            (None, None) => {}
        }
    }
    jobs
}

/// The slot that a local document ends up in: three-way, as everything else. `home` says where
/// whole files go.
fn target(group: &Group, local: DocRef, home: &[usize]) -> usize {
    match (group.original, group.updated) {
        (Some(original), Some(updated)) if original.slot == local.slot => updated.slot,
        _ => home[local.slot],
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
fn renames(files: &[Option<Readings<'_>>], groups: &[Group]) -> Vec<(usize, usize)> {
    let present = |slot: usize| {
        files[slot].as_ref().map_or([false; 3], |file| {
            file.as_ref().map(Option::is_some).into_array()
        })
    };
    let mut targets = vec![Target::Unknown; files.len()];
    let mut sources = vec![Target::Unknown; files.len()];
    for group in groups {
        let (Some(local), from) = (group.local, group.original.map(|it| it.slot)) else {
            continue;
        };
        let moved = from == Some(local.slot);
        match group.updated {
            Some(updated) if moved => {
                note(&mut targets[local.slot], updated.slot);
                note(&mut sources[updated.slot], local.slot);
            }
            Some(updated) => {
                targets[local.slot] = Target::Several;
                sources[updated.slot] = Target::Several;
            }
            // deleted upstream: goes with its file; the local side's own: the file stays for it
            None if moved => {}
            None => targets[local.slot] = Target::Several,
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

fn note(target: &mut Target, slot: usize) {
    *target = match *target {
        Target::Unknown => Target::To(slot),
        Target::To(known) if known == slot => Target::To(slot),
        _ => Target::Several,
    };
}

/// The documents of a group.
pub(crate) fn members<'f, 'a>(
    files: &'f [Option<Readings<'a>>],
    group: &Group,
) -> Triple<Option<&'f Parsed<'a>>> {
    let find = |side: Side| {
        let member = group[side]?;
        file_of(files, member.slot, side)?
            .documents
            .get(member.document)
    };
    Triple::new(find(Side::Original), find(Side::Updated), find(Side::Local))
}

/// One side's good reading of a slot.
pub(crate) fn file_of<'f, 'a>(
    files: &'f [Option<Readings<'a>>],
    slot: usize,
    side: Side,
) -> Option<&'f ParsedFile<'a>> {
    let reading = files.get(slot)?.as_ref()?[side].as_ref()?;
    reading.as_ref().ok().map(AsRef::as_ref)
}
