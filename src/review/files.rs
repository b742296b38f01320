//! Finds the open places of a plan: the conflicts between markers in its files.
//!
//! [`MarkedFile::all`] returns the files and their [`OpenPlace`]s. A [`ResolvedFile`] is a marked
//! file with a text in the place of each conflict; a [`ParsedFile`] has the trees of its documents.

use std::ops::Range;
use std::path::PathBuf;

use super::decide::Decision;
use crate::error::{Place, Warning};
use crate::git::hunks::{
    ConflictHunk, Segment, UNMATCHED, conflicts, count_in, first_marker, read,
};
use crate::merge::{ConflictKind, entries_at};
use crate::package::{FileConflict, Plan, ResourceId, Source, is_yaml_name};
use crate::report::shown_lines;
use crate::secret::is_at_or_below;
use crate::triple::{Side, Triple};
use crate::yaml::stream::split;
use crate::yaml::{EntryId, ParseError, Tree};

/// The number of context lines that are shown above and below a place.
const CONTEXT: usize = 3;

/// A file with conflict markers.
#[derive(Debug)]
pub(super) struct MarkedFile {
    pub(super) path: PathBuf,
    /// The file's index in [`Plan::files`].
    pub(super) plan_index: usize,
    /// The content, with the conflict markers.
    pub(super) text: String,
    /// The length of a conflict marker.
    pub(super) marker_size: usize,
    /// Whether the file has a YAML name and at least one of its sides parses.
    pub(super) is_yaml: bool,
}

/// A conflict between markers, and the user's decision about it.
#[derive(Debug)]
pub(super) struct OpenPlace {
    /// The index of its file in [`Session::files`](super::session::Session::files).
    pub(super) file: usize,
    /// The place's index in its file.
    pub(super) index: usize,
    /// The lines of each side; the original is `None` if the markers do not show it.
    pub(super) lines: Triple<Option<String>>,
    /// The line at which the place starts in the local side of the file, from 1.
    pub(super) line: usize,
    pub(super) above: Vec<String>,
    pub(super) below: Vec<String>,
    /// The paths of the entries in the place. None if the file is not YAML; one empty path for a
    /// whole document.
    pub(super) paths: Vec<String>,
    pub(super) resource: Option<ResourceId<'static>>,
    /// The kind of the conflict, if the plan records it.
    pub(super) kind: Option<ConflictKind>,
    /// Whether the lines may contain values of a Secret.
    pub(super) is_secret: bool,
    pub(super) decision: Option<Decision>,
}

impl OpenPlace {
    /// Returns the lines of a side, empty if the side is absent.
    pub(super) fn side(&self, side: Side) -> &str {
        self.lines[side].as_deref().unwrap_or_default()
    }
}

/// A file with a text in the place of each conflict.
pub(super) struct ResolvedFile {
    pub(super) text: String,
    /// The byte range of each place in `text`.
    pub(super) places: Vec<Range<usize>>,
}

/// A resolved file and the trees of its documents.
pub(super) struct ParsedFile<'t> {
    pub(super) resolved: &'t ResolvedFile,
    /// The offset at which each document starts, and its tree if it has one.
    trees: Vec<(usize, Result<Option<Tree<'t>>, ParseError>)>,
    /// The offset at which each line starts.
    line_starts: Vec<usize>,
}

/// The tree of a document, the offset at which the document starts in its file, and entries with
/// their paths.
type EntriesAt<'p, 't> = (&'p Tree<'t>, usize, Vec<(String, EntryId)>);

/// Returns true if a file has conflicts between markers.
///
/// # Errors
/// A warning if the markers do not match up.
pub(crate) fn has_open_places(file: &Source, marker_size: usize) -> Result<bool, Box<Warning>> {
    let text = std::str::from_utf8(&file.bytes).unwrap_or_default();
    match (count_in(text, marker_size), first_marker(text, marker_size)) {
        (None, Some(first)) => {
            let place = Place::new(&file.path, text, first);
            Err(Warning::at(place, UNMATCHED).into())
        }
        (count, _) => Ok(count.is_some_and(|count| count > 0)),
    }
}

impl MarkedFile {
    /// Returns the files of a plan that have conflict markers, and their open places.
    pub(super) fn all(plan: &Plan, marker_size: usize) -> (Vec<Self>, Vec<OpenPlace>) {
        let (mut files, mut places) = (Vec::new(), Vec::new());
        for (plan_index, file) in plan.files.iter().enumerate() {
            let text = file.new.as_deref().map(std::str::from_utf8);
            let has_places = |text: &&str| count_in(text, marker_size).is_some_and(|it| it > 0);
            let Some(text) = text.and_then(Result::ok).filter(has_places) else {
                continue;
            };
            let mut file = Self {
                path: file.path.clone(),
                plan_index,
                text: text.to_owned(),
                marker_size,
                is_yaml: false,
            };
            let sides = [Side::Local, Side::Updated].map(|side| file.resolved(side));
            let sides = sides.each_ref().map(ResolvedFile::parsed);
            let parses = |side: &ParsedFile<'_>| side.syntax_error().is_none();
            file.is_yaml = is_yaml_name(&file.path) && sides.iter().any(parses);
            places.extend(file.places(files.len(), &sides, plan));
            files.push(file);
        }
        (files, places)
    }

    /// Splits the file into common lines and conflicts.
    pub(super) fn segments(&self) -> Vec<Segment<'_>> {
        read(&self.text, self.marker_size).unwrap_or_default()
    }

    /// Returns the file with `replacement` in the place of each conflict. Its arguments are the
    /// index of the place and the conflict.
    pub(super) fn resolved_with<'f>(
        &'f self,
        replacement: impl Fn(usize, &ConflictHunk<'f>) -> &'f str,
    ) -> ResolvedFile {
        let mut resolved = ResolvedFile {
            text: String::with_capacity(self.text.len()),
            places: Vec::new(),
        };
        for segment in self.segments() {
            let start = resolved.text.len();
            match segment {
                Segment::Common(lines) => resolved.text.push_str(lines),
                Segment::Conflict(conflict) => {
                    let index = resolved.places.len();
                    resolved.text.push_str(replacement(index, &conflict));
                    resolved.places.push(start..resolved.text.len());
                }
            }
        }
        resolved
    }

    /// Returns the text of a place with its conflict markers.
    pub(super) fn marked(&self, index: usize) -> String {
        let segments = self.segments();
        let conflict = conflicts(&segments).nth(index);
        conflict.map(|it| it.text.to_owned()).unwrap_or_default()
    }

    /// Returns the file with one side's lines in the place of each conflict.
    pub(super) fn resolved(&self, side: Side) -> ResolvedFile {
        self.resolved_with(|_, conflict| conflict.side(side))
    }

    /// Returns the open places of the file. `file` is its index in the session, `sides` has the
    /// file with the local and with upstream's lines everywhere.
    fn places(&self, file: usize, sides: &[ParsedFile<'_>; 2], plan: &Plan) -> Vec<OpenPlace> {
        let open = plan.conflicts.iter().filter(|it| *it.file == *self.path);
        let open: Vec<&FileConflict> = open.filter(|it| it.conflict.resolution.is_open()).collect();
        let texts = sides.each_ref().map(|side| &side.resolved.text);
        let shown = texts.map(|text| shown_lines(text, plan.show_secrets));
        let segments = self.segments();
        let lines = conflicts(&segments).map(|it| it.lines.map(|side| side.map(str::to_owned)));
        let place = |(index, lines): (usize, Triple<Option<String>>)| {
            let numbers = sides.each_ref().map(|side| side.line_numbers(index));
            let is_secret = numbers.iter().zip(&shown).any(|(lines, shown)| {
                // a place without lines belongs to the document of the line above it
                let from = lines.start.min(lines.end.saturating_sub(1));
                shown[from.min(shown.len())..lines.end.min(shown.len())].contains(&false)
            });
            let [local, _] = &numbers;
            let context = |range: Range<usize>| {
                let lines = range.filter(|at| shown[0].get(*at) == Some(&true));
                let lines = lines.filter_map(|at| sides[0].line(at));
                lines.map(str::to_owned).collect()
            };
            let found = self.resource_and_paths(sides, index, &open);
            let (resource, paths) = found.unwrap_or_default();
            let conflict = open.iter().find(|it| {
                it.resource.as_deref() == resource.as_ref()
                    && (paths.is_empty()
                        || paths
                            .iter()
                            .any(|path| is_at_or_below(it.conflict.path(), path)))
            });
            OpenPlace {
                file,
                index,
                line: local.start + 1,
                above: context(local.start.saturating_sub(CONTEXT)..local.start),
                below: context(local.end..local.end + CONTEXT),
                kind: conflict.map(|it| it.conflict.kind),
                paths,
                resource,
                lines,
                is_secret,
                decision: None,
            }
        };
        lines.enumerate().map(place).collect()
    }

    /// Returns the resource and the paths of the entries at a place, read from the local side, or
    /// from upstream's side if the local one is empty there. If some of the `open` conflicts are
    /// about the entries, their paths are returned instead of the paths of all entries.
    fn resource_and_paths(
        &self,
        sides: &[ParsedFile<'_>; 2],
        index: usize,
        open: &[&FileConflict],
    ) -> Option<(Option<ResourceId<'static>>, Vec<String>)> {
        if !self.is_yaml {
            return None;
        }
        let is_empty = |side: &&ParsedFile<'_>| side.resolved.places[index].is_empty();
        let is_one_sided = sides.iter().any(|side| is_empty(&side));
        let side = sides.iter().find(|side| !is_empty(side))?;
        let (tree, _, found) = side.entries(index)?;
        let resource = ResourceId::of(tree).map(|id| id.to_static());
        let entry_count = tree.entries(tree.root().value).len();
        let is_top = |(path, _): &(String, EntryId)| !path.contains(['.', '[']);
        let is_whole = is_one_sided && found.len() == entry_count && found.iter().all(is_top);
        if is_whole || entry_count == 0 {
            return Some((resource, vec![String::new()]));
        }
        let mut paths = Vec::new();
        for (path, entry) in &found {
            let is_scalar = tree.scalar(tree.entry(*entry).value).is_some();
            let conflicts = open.iter().filter(|it| {
                it.resource.as_deref() == resource.as_ref()
                    && is_at_or_below(it.conflict.path(), path)
            });
            // a rule cannot name a part of a text: it names the whole text
            let named = conflicts.map(|it| match is_scalar {
                true => path,
                false => it.conflict.path(),
            });
            paths.extend(named.map(|path| path.trim_end_matches(" (comment)").to_owned()));
        }
        if paths.is_empty() {
            paths = found.into_iter().map(|(path, _)| path).collect();
        }
        paths.dedup();
        Some((resource, paths))
    }
}

impl ResolvedFile {
    /// Parses each document of the file.
    pub(super) fn parsed(&self) -> ParsedFile<'_> {
        let documents = split(&self.text).into_iter();
        let trees = documents.map(|it| (it.start, Tree::parse(it.text)));
        let breaks = self.text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = [0].into_iter().chain(breaks);
        ParsedFile {
            resolved: self,
            trees: trees.collect(),
            line_starts: starts.filter(|at| *at < self.text.len()).collect(),
        }
    }
}

impl<'t> ParsedFile<'t> {
    /// Returns the first syntax error, with its line; `None` if all documents parse.
    pub(super) fn syntax_error(&self) -> Option<String> {
        let (start, error) = self
            .trees
            .iter()
            .find_map(|(start, tree)| Some((start, tree.as_ref().err()?)))?;
        let text = self.resolved.text.as_bytes();
        let above = &text[..text.len().min(start + error.offset)];
        let line = 1 + memchr::memchr_iter(b'\n', above).count();
        Some(format!("line {line}: {}", error.message))
    }

    /// Returns the range of a place's lines, from 0.
    fn line_numbers(&self, index: usize) -> Range<usize> {
        let place = &self.resolved.places[index];
        let number = |at: usize| self.line_starts.partition_point(|start| *start < at);
        number(place.start)..number(place.end)
    }

    fn line(&self, number: usize) -> Option<&str> {
        let start = *self.line_starts.get(number)?;
        self.resolved.text[start..].lines().next()
    }

    /// Returns the tree of a place's document, the offset at which that document starts in the
    /// file, and each entry at the place with its path. Returns `None` if the document does not
    /// parse or is empty.
    pub(super) fn entries(&self, index: usize) -> Option<EntriesAt<'_, 't>> {
        let place = self.resolved.places.get(index)?;
        let mut trees = self.trees.iter();
        let (start, tree) = trees.rfind(|(start, _)| *start <= place.start)?;
        let tree = tree.as_ref().ok()?.as_ref()?;
        let within = |at: usize| u32::try_from(at - start).unwrap_or(u32::MAX);
        let found = entries_at(tree, &(within(place.start)..within(place.end)));
        Some((tree, *start, found))
    }
}
