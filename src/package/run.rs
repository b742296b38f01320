//! Plans the merge of three packages: loads, reads and pairs them, merges each file, and collects
//! the changes. [`merge_triple`] merges one file; `load`, `read`, `pair` and `jobs` come before it.
//! [`documents_in`] stops before the merges, for `merge3 explain`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::definitions::options_of;
use super::documents::{Context, merge_documents};
use super::file_triple::FileTriple;
use super::input::Input;
use super::jobs::{fold_folders, jobs, members};
use super::load::{Loaded, load};
use super::moved_files::MovedFiles;
use super::pair::{Group, look_for_duplicates, pair};
use super::parsed::min_kept_len;
use super::plan::{FileChange, Plan};
use super::read::{ReadFile, read_sides};
use super::renamed::renamed_resources;
use super::renamed_files::join_renamed;
use super::rules::{Rules, load_rules};
use super::secrets::hide_all;
use super::whole_file::merge_whole;
use super::{FileOutcome, Settings};
use crate::error::Error;
use crate::merge::{ConflictKind, Options};
use crate::triple::{Side, Triple};

/// Merges the changes from the original to the updated package into the local one, in memory.
///
/// The sides are three folders or three files. The work runs in the current rayon pool; the result
/// does not depend on its number of threads. Nothing is written: see [`Plan::write`].
///
/// # Errors
/// If the input cannot be merged: see [`Error`]. If this holds for several files, the error names
/// all of them.
///
/// ```
/// use merge3::package::{Settings, plan};
/// use merge3::triple::Triple;
///
/// let folder = tempfile::tempdir()?;
/// let sides = Triple::new("old.yaml", "new.yaml", "local.yaml").map(|name| folder.path().join(name));
/// std::fs::write(&sides.original, "image: app:1\n")?;
/// std::fs::write(&sides.updated, "image: app:2\n")?;
/// std::fs::write(&sides.local, "image: app:1 # ours\n")?;
///
/// let plan = plan(&sides, &Settings::default())?;
/// assert_eq!(plan.counts().changed, 1);
/// plan.write(false)?;
/// assert_eq!(std::fs::read_to_string(&sides.local)?, "image: app:2 # ours\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan(sides: &Triple<PathBuf>, settings: &Settings) -> Result<Plan, Error> {
    let sides = sides.as_ref().map(Input::disk);
    plan_sides(&sides, settings, &Progress::default())
}

/// [`plan`] for sides that may be in memory already. Counts the merged files in `progress`.
///
/// # Errors
/// As for [`plan`].
pub fn plan_sides(
    sides: &Triple<Input>,
    settings: &Settings,
    progress: &Progress,
) -> Result<Plan, Error> {
    let (rules, mut loaded, options) = load_all(sides, settings)?;
    let triples = &loaded.triples;
    let min_kept_len = min_kept_len(triples.iter().map(FileTriple::len).sum());
    progress.expect(triples.len());
    let files = largest_first(triples, |index| match &triples[index] {
        triple if needs_reading(triple) => ReadFile::read(triple, min_kept_len),
        triple => ReadFile::unread(triple),
    });
    let (duplicates, groups) = rayon::join(
        || look_for_duplicates(&files),
        || pair(&files, settings.path_merge_key),
    );
    loaded.warnings.extend(duplicates?);
    let moved = MovedFiles::find(triples, &files, &groups);
    let (files, groups) = joined(files, groups, &moved, settings);
    let jobs = jobs(&files, &groups, &loaded.local_kinds);
    let context = Context {
        files: &files,
        jobs: &jobs,
        options: &options,
        rules: &rules,
        lines: None,
    };
    let outcomes = largest_first(triples, |target| {
        let outcome = merge_triple(&context, target);
        progress.step();
        outcome
    });
    let mut outcomes = Error::all(outcomes)?;
    loaded.warnings.extend(rules.unmatched(&files));
    let renamed = renamed_resources(&groups, &files);
    drop(groups);
    drop(files);
    moved.replace_triples(&mut loaded.triples);
    let triples = &loaded.triples;
    fold_folders(triples, &jobs, &mut outcomes);
    if !settings.show_secrets {
        hide_all(&mut outcomes, triples);
    }
    Ok(Plan {
        renamed,
        show_secrets: settings.show_secrets,
        ..collect(loaded, outcomes)?
    })
}

/// Loads three packages, with the rules of the local one and the options that these give.
fn load_all(sides: &Triple<Input>, settings: &Settings) -> Result<(Rules, Loaded, Options), Error> {
    let rules = match settings.no_rules {
        true => Rules::default(),
        false => load_rules(settings.config.as_ref(), sides.local.name())?,
    };
    let mut loaded = load(sides, settings)?;
    join_renamed(&mut loaded.triples);
    let options = options_of(settings, &rules, &mut loaded)?;
    Ok((rules, loaded, options))
}

/// A document on all sides that have it.
#[derive(Debug)]
pub struct Paired {
    /// Its text on each side.
    pub texts: Triple<Option<String>>,
    /// Whether it is a resource.
    pub resource: bool,
    /// Whether upstream added it to a file or folder that local deleted as a whole.
    pub stays_out: bool,
    /// The options it merges with: those of the run and the rules that match it.
    pub options: Options,
}

/// Returns the documents that are in `file` on any side, also if that side renamed it.
///
/// # Errors
/// As for [`plan`], and if a side of the file is not YAML.
pub fn documents_in(
    sides: &Triple<PathBuf>,
    settings: &Settings,
    file: &Path,
) -> Result<Vec<Paired>, Error> {
    let (rules, loaded, options) = load_all(&sides.as_ref().map(Input::disk), settings)?;
    let files = loaded.triples.par_iter().map(|triple| match triple.yaml {
        true => ReadFile {
            readings: read_sides(triple, usize::MAX),
            by_documents: true,
            triple,
        },
        false => ReadFile::unread(triple),
    });
    let files: Vec<ReadFile<'_>> = files.collect();
    let groups = pair(&files, settings.path_merge_key);
    let moved = MovedFiles::find(&loaded.triples, &files, &groups);
    let (files, groups) = joined(files, groups, &moved, settings);
    // if the sides are files instead of folders, there is one triple
    let is_requested = |triple: usize| {
        let triple = files[triple].triple;
        let mut paths = Side::ALL.into_iter().map(|side| triple.path_on(side));
        files.len() == 1 || paths.any(|path| path == file)
    };
    let requested = files.iter().enumerate().filter(|(at, _)| is_requested(*at));
    let mut sides = requested.flat_map(|(_, file)| file.readings.as_ref().into_array());
    if let Some(broken) = sides.find_map(|side| side.as_ref()?.as_ref().err()) {
        let problem = " is not valid YAML, so its values cannot be explained";
        return Err(broken.to_error(problem, "repair the file"));
    }
    let mut documents = Vec::new();
    let jobs = jobs(&files, &groups, &loaded.local_kinds);
    for group in groups {
        let refs = group.into_array();
        if !refs.iter().flatten().any(|it| is_requested(it.triple())) {
            continue;
        }
        let parsed = members(&files, &group);
        let document = parsed.local.or(parsed.updated).or(parsed.original);
        let Some(triple) = group.local.or(group.updated).or(group.original) else {
            continue;
        };
        let triple = triple.triple();
        documents.push(Paired {
            texts: parsed.map(|it| it.map(|it| it.document.text.to_owned())),
            stays_out: group.original.or(group.local).is_none()
                && jobs[triple].deleted_whole.is_some(),
            resource: document.is_some_and(|it| it.resource.is_some()),
            options: rules
                .options(&options, files[triple].triple, document)
                .into_owned(),
        });
    }
    Ok(documents)
}

/// Calls `work` for the index of each triple, in parallel, and returns the results in the order of
/// the triples. Large files come first, so that no thread is left with a large file at the end.
fn largest_first<R: Send>(triples: &[FileTriple], work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let mut order: Vec<usize> = (0..triples.len()).collect();
    order.sort_by_cached_key(|index| std::cmp::Reverse(triples[*index].len()));
    let results = order.par_iter().with_max_len(1);
    let mut results: Vec<(usize, R)> = results.map(|index| (*index, work(*index))).collect();
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Joins the files that moved, and pairs the documents of all files again.
fn joined<'a>(
    files: Vec<ReadFile<'a>>,
    groups: Vec<Group>,
    moved: &'a MovedFiles,
    settings: &Settings,
) -> (Vec<ReadFile<'a>>, Vec<Group>) {
    if moved.is_empty() {
        return (files, groups);
    }
    let files = moved.join(files);
    let groups = pair(&files, settings.path_merge_key);
    (files, groups)
}

/// Returns true if the documents of a file are needed: it is YAML and not the same on all sides.
fn needs_reading(triple: &FileTriple) -> bool {
    let bytes = triple.bytes();
    triple.yaml && (bytes.original != bytes.updated || bytes.original != bytes.local)
}

pub(super) fn merge_triple(context: &Context<'_, '_>, target: usize) -> Result<FileOutcome, Error> {
    let file = &context.files[target];
    if file.by_documents {
        return merge_documents(context, target);
    }
    let options = context.rules.options(context.options, file.triple, None);
    let is_gone = context.jobs[target].deleted_whole.is_some();
    let mut outcome = merge_whole(file, &options, is_gone)?;
    if let (_, Some(rule)) = options.whole() {
        for record in &mut outcome.conflicts {
            record.conflict.rule = Some(rule.origin.clone());
        }
    }
    Ok(outcome)
}

/// Collects the outcomes of all files.
///
/// # Errors
/// If a file or folder is in the way of a new file.
fn collect(loaded: Loaded, outcomes: Vec<FileOutcome>) -> Result<Plan, Error> {
    let mut plan = Plan::new(loaded.root, loaded.merge);
    plan.warnings = loaded.warnings;
    let records = outcomes
        .iter()
        .flat_map(|it| it.conflicts.iter().chain(&it.notes));
    let files_with_records: FxHashSet<Arc<Path>> = records.map(|it| it.file.clone()).collect();
    let triples = &loaded.triples;
    for (triple, outcome) in triples.iter().zip(outcomes) {
        let sides = triple.sides.as_ref().into_array();
        plan.read += sides.iter().filter(|it| it.is_some()).count();
        if let Some(local) = &triple.sides.local
            && files_with_records.contains(triple.path.as_path())
        {
            plan.sources
                .insert(triple.path.clone(), local.bytes.clone());
        }
        plan.conflicts.extend(outcome.conflicts);
        let notes = outcome.notes.into_iter();
        let (pinned, combined): (Vec<_>, Vec<_>) =
            notes.partition(|record| record.conflict.kind == ConflictKind::Pinned);
        plan.pinned.extend(pinned);
        plan.combined.extend(combined);
        plan.warnings.extend(outcome.warnings);
        plan.files
            .extend(FileChange::merged(triple, outcome.content));
    }
    plan.clear_obstacles(&loaded.local_kinds)?;
    plan.sort();
    Ok(plan)
}

/// The progress of a run. It can be read from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Returns the number of merged files and the total, which is 0 until the files have been read.
    pub fn now(&self) -> (u64, u64) {
        let done = self.done.load(Ordering::Relaxed);
        (done, self.total.load(Ordering::Relaxed))
    }

    pub(super) fn expect(&self, files: usize) {
        let files = u64::try_from(files).unwrap_or(u64::MAX);
        self.total.store(files, Ordering::Relaxed);
    }

    pub(super) fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}
