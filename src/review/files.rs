//! The places that are open: what is between conflict markers in the files of a plan.

use std::ops::Range;
use std::path::PathBuf;

use super::decide::Decision;
use crate::git::hunks::{Marked, Stretch, conflicts, count_in, read};
use crate::merge::{Conflict, entries_at};
use crate::package::{FileConflict, Plan, ResourceId, is_yaml_name};
use crate::report::shown_lines;
use crate::triple::{Side, Triple};
use crate::yaml::stream::split;
use crate::yaml::{EntryId, ParseError, Tree};

/// How many lines around a place are shown.
const CONTEXT: usize = 3;

/// A file with conflict markers.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: PathBuf,
    /// Which of the plan's files it is.
    pub(super) change: usize,
    /// With the markers.
    pub(super) text: String,
    pub(super) size: usize,
    /// Whether either side of it is YAML.
    pub(super) is_yaml: bool,
}

/// A place that is open.
#[derive(Debug)]
pub(super) struct OpenPlace {
    pub(super) file: usize,
    /// Which of the file's places it is.
    pub(super) index: usize,
    /// The lines of each side; there is no original where the markers do not show it.
    pub(super) lines: Triple<Option<String>>,
    /// The line that it begins at where the local side is taken everywhere, from 1.
    pub(super) line: usize,
    pub(super) above: Vec<String>,
    pub(super) below: Vec<String>,
    /// What is there, by its paths; nothing of what is no YAML, one that is empty of a whole
    /// document.
    pub(super) paths: Vec<String>,
    pub(super) resource: Option<ResourceId<'static>>,
    /// Whether it may show what a Secret keeps.
    pub(super) is_secret: bool,
    pub(super) decision: Option<Decision>,
}

impl OpenPlace {
    /// The lines of a side.
    pub(super) fn side(&self, side: Side) -> &str {
        self.lines[side].as_deref().unwrap_or_default()
    }
}

/// A side of a file: its text where that side is taken everywhere, and where in it each place is.
pub(super) struct Taken {
    pub(super) text: String,
    pub(super) places: Vec<Range<usize>>,
}

/// A side of a file and the trees of its documents.
pub(super) struct Parsed<'t> {
    pub(super) taken: &'t Taken,
    /// Where each document begins, and its tree where it has one.
    trees: Vec<(usize, Result<Option<Tree<'t>>, ParseError>)>,
    /// Where each line begins.
    lines: Vec<usize>,
}

/// Whether a text has conflict markers, each where it belongs.
pub(crate) fn has_open(bytes: &[u8], size: usize) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| count_in(text, size).is_some_and(|count| count > 0))
}

impl File {
    /// The files of a plan in which something is open, and what is.
    pub(super) fn all(plan: &Plan, size: usize) -> (Vec<Self>, Vec<OpenPlace>) {
        let (mut files, mut places) = (Vec::new(), Vec::new());
        for (change, file) in plan.files.iter().enumerate() {
            let Some(text) = file.new.as_deref().filter(|new| has_open(new, size)) else {
                continue;
            };
            let mut file = Self {
                path: file.path.clone(),
                change,
                text: String::from_utf8_lossy(text).into_owned(),
                size,
                is_yaml: false,
            };
            let sides = [Side::Local, Side::Updated].map(|side| file.taken(side));
            let sides = sides.each_ref().map(Taken::parsed);
            let is_yaml = |side: &Parsed<'_>| side.why_broken().is_none();
            file.is_yaml = is_yaml_name(&file.path) && sides.iter().any(is_yaml);
            places.extend(file.places(files.len(), &sides, plan));
            files.push(file);
        }
        (files, places)
    }

    pub(super) fn stretches(&self) -> Vec<Stretch<'_>> {
        read(&self.text, self.size).unwrap_or_default()
    }

    /// The file with something in the place of each conflict.
    pub(super) fn with<'f>(&'f self, each: impl Fn(usize, &Marked<'f>) -> &'f str) -> Taken {
        let mut taken = Taken {
            text: String::with_capacity(self.text.len()),
            places: Vec::new(),
        };
        for stretch in self.stretches() {
            let start = taken.text.len();
            match stretch {
                Stretch::Common(lines) => taken.text.push_str(lines),
                Stretch::Conflict(conflict) => {
                    taken.text.push_str(each(taken.places.len(), &conflict));
                    taken.places.push(start..taken.text.len());
                }
            }
        }
        taken
    }

    /// A place as the file has it, with its markers.
    pub(super) fn marked(&self, index: usize) -> String {
        let stretches = self.stretches();
        let conflict = conflicts(&stretches).nth(index);
        conflict.map(|it| it.text.to_owned()).unwrap_or_default()
    }

    /// The file with one side in the place of each conflict.
    pub(super) fn taken(&self, side: Side) -> Taken {
        self.with(|_, conflict| conflict.side(side))
    }

    fn places(&self, file: usize, sides: &[Parsed<'_>; 2], plan: &Plan) -> Vec<OpenPlace> {
        let open = plan.conflicts.iter().filter(|it| *it.file == *self.path);
        let open: Vec<&FileConflict> = open.filter(|it| it.conflict.resolution.is_open()).collect();
        let texts = sides.each_ref().map(|side| &side.taken.text);
        let shown = texts.map(|text| shown_lines(text, plan.show_secrets));
        let stretches = self.stretches();
        let lines = conflicts(&stretches).map(|it| it.lines.map(|side| side.map(str::to_owned)));
        let place = |(index, lines): (usize, Triple<Option<String>>)| {
            let numbers = sides.each_ref().map(|side| side.line_numbers(index));
            let is_secret = numbers.iter().zip(&shown).any(|(lines, shown)| {
                // a place without lines is in the document of the line above
                let from = lines.start.min(lines.end.saturating_sub(1));
                !shown[from.min(shown.len())..lines.end.min(shown.len())]
                    .iter()
                    .all(|it| *it)
            });
            let [local, _] = &numbers;
            let around = |range: Range<usize>| {
                let lines = range.filter(|at| shown[0].get(*at) == Some(&true));
                lines
                    .filter_map(|at| sides[0].line(at))
                    .map(str::to_owned)
                    .collect()
            };
            let found = self.found(sides, index, &open);
            OpenPlace {
                file,
                index,
                line: local.start + 1,
                above: around(local.start.saturating_sub(CONTEXT)..local.start),
                below: around(local.end..local.end + CONTEXT),
                paths: found.as_ref().map(|it| it.1.clone()).unwrap_or_default(),
                resource: found.and_then(|it| it.0),
                lines,
                is_secret,
                decision: None,
            }
        };
        lines.enumerate().map(place).collect()
    }

    /// What is at a place, in the local side, or where that has nothing there, in upstream's:
    /// of all entries there those that `open` conflicts are about, where that is known.
    fn found(
        &self,
        sides: &[Parsed<'_>; 2],
        index: usize,
        open: &[&FileConflict],
    ) -> Option<(Option<ResourceId<'static>>, Vec<String>)> {
        if !self.is_yaml {
            return None;
        }
        let is_empty = |side: &&Parsed<'_>| side.taken.places[index].is_empty();
        let is_one_sided = sides.iter().any(|side| is_empty(&side));
        let side = sides.iter().find(|side| !is_empty(side))?;
        side.entries(index, |tree, _, found| {
            let resource = ResourceId::of(tree).map(|id| id.to_static());
            let all = tree.entries(tree.root().value).len();
            let is_top = |(path, _): &(String, EntryId)| !path.contains(['.', '[']);
            let is_whole = is_one_sided && found.len() == all && found.iter().all(is_top);
            if is_whole || all == 0 {
                return (resource, vec![String::new()]);
            }
            let mut paths = Vec::new();
            for (path, entry) in &found {
                let is_scalar = tree.scalar(tree.entry(*entry).value).is_some();
                let here = open
                    .iter()
                    .filter(|it| it.resource.as_deref() == resource.as_ref());
                let mut below: Vec<_> = here
                    .clone()
                    .filter(|it| is_below(&it.conflict, path))
                    .collect();
                if below.is_empty() {
                    // upstream's elements count in the file and not in the conflict
                    below = here
                        .filter(|it| is_alike(&it.conflict.path, path))
                        .collect();
                    below.truncate(if below.len() == 1 { 1 } else { 0 });
                }
                let below = below.into_iter();
                // a rule for what is in a text is one for the text
                let named = below.map(|it| match is_scalar && is_below(&it.conflict, path) {
                    true => path,
                    false => &*it.conflict.path,
                });
                let named = named.map(|path| path.trim_end_matches(" (comment)").to_owned());
                paths.extend(named);
            }
            if paths.is_empty() {
                paths = found.into_iter().map(|(path, _)| path).collect();
            }
            paths.dedup();
            (resource, paths)
        })
    }
}

/// Whether two paths are the same but for the positions of elements.
fn is_alike(left: &str, right: &str) -> bool {
    let steps = |path: &str| {
        let steps = path
            .split(['[', ']'])
            .map(|step| match step.parse::<usize>() {
                Ok(_) => "*".to_owned(),
                Err(_) => step.to_owned(),
            });
        steps.collect::<Vec<_>>()
    };
    steps(left) == steps(right)
}

/// Whether a conflict is at a path, or below it.
pub(super) fn is_below(conflict: &Conflict, path: &str) -> bool {
    let rest = conflict.path.strip_prefix(path);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', ' ']))
}

impl Taken {
    pub(super) fn parsed(&self) -> Parsed<'_> {
        let documents = split(&self.text).into_iter();
        let trees = documents.map(|it| (it.start, Tree::parse(it.text)));
        let breaks = self.text.match_indices('\n').map(|(at, _)| at + 1);
        Parsed {
            taken: self,
            trees: trees.collect(),
            lines: [0]
                .into_iter()
                .chain(breaks)
                .filter(|at| *at < self.text.len())
                .collect(),
        }
    }
}

impl Parsed<'_> {
    /// What keeps it from being YAML.
    pub(super) fn why_broken(&self) -> Option<String> {
        let (start, error) = self
            .trees
            .iter()
            .find_map(|(start, tree)| Some((start, tree.as_ref().err()?)))?;
        let text = self.taken.text.as_bytes();
        let above = &text[..text.len().min(start + error.offset)];
        let line = 1 + memchr::memchr_iter(b'\n', above).count();
        Some(format!("line {line}: {}", error.message))
    }

    /// The lines that a place has, from 0.
    fn line_numbers(&self, index: usize) -> Range<usize> {
        let place = &self.taken.places[index];
        let number = |at: usize| self.lines.partition_point(|start| *start < at);
        number(place.start)..number(place.end)
    }

    fn line(&self, number: usize) -> Option<&str> {
        let start = *self.lines.get(number)?;
        self.taken.text[start..].lines().next()
    }

    /// What is at a place: looks at it in the tree of its document, which begins where it is
    /// told.
    pub(super) fn entries<R>(
        &self,
        index: usize,
        look: impl FnOnce(&Tree<'_>, usize, Vec<(String, EntryId)>) -> R,
    ) -> Option<R> {
        let place = self.taken.places.get(index)?;
        let (start, tree) = self
            .trees
            .iter()
            .rfind(|(start, _)| *start <= place.start)?;
        let tree = tree.as_ref().ok()?.as_ref()?;
        let within = |at: usize| u32::try_from(at - start).unwrap_or(u32::MAX);
        let found = entries_at(tree, &(within(place.start)..within(place.end)));
        Some(look(tree, *start, found))
    }
}
