//! The merge of one file between equals: by structure where that can be, by lines where not.
//!
//! 1. Structure first. Where it merges without a conflict, that is the result; but if the lines
//!    merge without one too and say the same, theirs is, because it has the formatting, the blank
//!    lines and the comments of both sides.
//! 2. Where structure leaves a conflict that the lines do not have, the lines' result is taken if
//!    it is YAML and has every change of both sides in it.
//! 3. Where there is no structure (no YAML, broken, conflict markers in it already), the text merge
//!    is the result, as git does it.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread::{Builder, JoinHandle};

use super::call::Settings;
use super::frame::{Frame, unframe};
use super::hunks::{self as markers, Favor};
use super::lines;
use super::{call, kept_changes};
use crate::merge::text::{CleanLines, Hunk, merge_clean_lines};
use crate::merge::{ConflictStyle, Images, MarkerStyle, Nulls, OnConflict, Options, Sides};
use crate::package::{Bytes, FileInMemory, in_memory};
use crate::triple::Triple;
use crate::yaml::nesting_at_most;

pub use super::lines::{Diff, MARKER_SIZE, Resolved, Style};

/// The parser and the walk recurse: deep documents need more than a thread's usual stack.
const STACK: usize = 64 << 20;
/// So many levels need less than a quarter of the smallest stack that a program starts with, 1 MiB.
const FLAT: usize = 128;

/// So many of the places where lines conflict are looked at, and so many lines of each.
const LOOKED_AT: usize = 4;

/// One file to merge.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// What the file is called.
    pub path: &'a Path,
    /// Its content on each side; nothing where a side has not got it.
    pub sides: Triple<Bytes>,
    /// How conflicts are written.
    pub style: Style,
    /// Who wins them, if anybody.
    pub favor: Option<Favor>,
    /// How the text merge compares lines.
    pub diff: Diff,
}

impl Request<'_> {
    fn bytes(&self) -> Triple<&[u8]> {
        self.sides.as_ref().map(|bytes| &**bytes)
    }
}

/// Merges one file. `None` if that cannot be: where a side is binary.
///
/// ```
/// use merge3::git::resolve::{Diff, Request, Style, resolve};
/// use merge3::triple::Triple;
///
/// let request = Request {
///     path: "a.yaml".as_ref(),
///     sides: Triple::new("a: 1\nb: 1\n", "a: 1\nb: 2\n", "a: 9\nb: 1\n").map(|it| it.to_owned().into()),
///     style: Style::default(),
///     favor: None,
///     diff: Diff::Histogram,
/// };
/// let merged = resolve(&request).unwrap();
/// assert_eq!(merged.bytes, b"a: 9\nb: 2\n");
/// assert_eq!(merged.conflicts, 0);
/// ```
pub fn resolve(request: &Request<'_>) -> Option<Resolved> {
    let sides = request.bytes();
    let only = |bytes: &[u8]| Resolved::by_lines(bytes.to_vec(), 0);
    if sides.original == sides.updated || sides.updated == sides.local {
        return Some(only(sides.local));
    }
    if sides.original == sides.local {
        return Some(only(sides.updated));
    }
    with_stack(sides, || by_structure(request)).or_else(|| by_lines(request, request.favor))
}

/// The text merge. Where lines compared as `git merge` does it leave a conflict and as
/// `git merge-file` does it leave none, the latter's.
fn by_lines(request: &Request<'_>, favor: Option<Favor>) -> Option<Resolved> {
    let merge = |diff| lines::merge(&request.bytes(), &request.style, favor, diff);
    let merged = merge(request.diff)?;
    if merged.conflicts == 0 || request.diff == Diff::Myers {
        return Some(merged);
    }
    let other = merge(Diff::Myers).filter(|other| other.conflicts == 0);
    Some(other.unwrap_or(merged))
}

/// The texts of the sides; `None` if they cannot have a structure that merges.
fn texts_of<'r>(request: &'r Request<'_>) -> Option<Triple<&'r str>> {
    let texts = request.bytes().try_map(std::str::from_utf8).ok()?;
    let has_markers = |text: &str| markers::has_markers(text, request.style.size);
    // a file that one side emptied is a matter of the file
    let is_emptied = texts.updated.trim().is_empty() || texts.local.trim().is_empty();
    (!is_emptied && !texts.into_array().into_iter().any(has_markers)).then_some(texts)
}

/// The merge by structure; `None` if the sides have none that can be merged.
fn by_structure(request: &Request<'_>) -> Option<Resolved> {
    let texts = texts_of(request)?;
    let (bare, frame) = unframe(&texts);
    let triple = in_memory(request.path, shared(&bare, &request.sides));
    let bare = bare.as_ref().map(AsRef::as_ref);
    let (lines, asked) = merged_lines(request, bare);
    let file = FileInMemory::read(&triple, bare)?;
    let merge = |conflict_style, images| {
        let options = options(request, conflict_style, images);
        // what comes out wrong is no result: lines are merged then
        file.merge(Some(&lines), &options).ok()
    };
    let settings = LazyCell::new(|| {
        let asked = asked.and_then(|thread| thread.join().ok());
        asked.unwrap_or_else(call::settings)
    });
    let mut images = Images::Whole;
    let style = known_style(request).unwrap_or_default();
    let mut merged = merge(style, images)?;
    let is_image = |path: &str| path.ends_with("image") || path.ends_with("Image");
    let mut paths = merged.conflicts.iter().map(|it| &it.conflict.path);
    if paths.any(|path| is_image(path)) {
        images = settings.images;
    }
    if images == Images::Parts {
        merged = merge(style, images)?;
    }
    let size = request.style.size;
    let resolved = |text: &str, is_clean: bool| {
        // a value that has lone CRs can come out as lines, and one of them look like a marker
        let conflicts = markers::count_in(text, size).filter(|told| !is_clean || *told == 0)?;
        Some(structural(frame.around(text, size).into_bytes(), conflicts))
    };
    if merged.conflicts.is_empty() {
        let same = |lines: &&String| {
            **lines == merged.text || kept_changes::same_values(lines, &merged.text)
        };
        let clean = lines.as_ref().ok().filter(same);
        return resolved(clean.unwrap_or(&merged.text), true);
    }
    let is_certain = |hunks: &Vec<Hunk>| has_certain(hunks, &bare);
    if !lines.as_ref().is_err_and(is_certain)
        && let Some(bytes) = accepted_lines(request, lines.as_ref().ok(), &bare, frame)
    {
        return Some(structural(bytes, 0));
    }
    let wanted = known_style(request).unwrap_or_else(|| settings.conflict_style);
    if wanted != style {
        merged = merge(wanted, images)?;
    }
    // a conflict may have no lines to show
    if !markers::has_markers(&merged.text, size) {
        return None;
    }
    match request.favor {
        Some(favor) => resolved(&markers::choose(&merged.text, size, favor)?, true),
        None => resolved(&merged.text, false),
    }
}

/// Texts out of their frames as bytes: those of the sides, where they are the same.
fn shared(bare: &Triple<Cow<'_, str>>, sides: &Triple<Bytes>) -> Triple<Bytes> {
    let both = bare.as_ref().zip(sides.as_ref());
    both.map(|(bare, side)| match bare {
        Cow::Borrowed(bare) if bare.len() == side.len() => side.clone(),
        bare => bare.to_string().into(),
    })
}

/// What a merge of the lines makes of the texts; and git's settings, which are asked for at once
/// where values will conflict.
fn merged_lines(
    request: &Request<'_>,
    texts: Triple<&str>,
) -> (CleanLines, Option<JoinHandle<Settings>>) {
    let lines = merge_clean_lines(texts, LOOKED_AT);
    let conflicts = lines.as_ref().is_err_and(|hunks| is_in_a_line(hunks));
    let is_asked = conflicts && known_style(request).is_none();
    let ask = || Builder::new().spawn(call::settings).ok();
    (lines, is_asked.then(ask).flatten())
}

/// How conflicts are written, where that does not depend on git's settings.
fn known_style(request: &Request<'_>) -> Option<ConflictStyle> {
    match request.favor {
        Some(_) => Some(ConflictStyle::Merge),
        None => request.style.conflict_style,
    }
}

const fn structural(bytes: Vec<u8>, conflicts: usize) -> Resolved {
    Resolved {
        bytes,
        conflicts,
        structural: true,
    }
}

/// Whether lines conflict somewhere however they are compared, so that git need not be asked: both
/// sides took a line away, and each put one there that no other text has. Mostly that is so in the
/// first place where they conflict.
fn has_certain(hunks: &[Hunk], texts: &Triple<&str>) -> bool {
    let has_line =
        |text: &str, line: &str| memchr::memmem::find(text.as_bytes(), line.as_bytes()).is_some();
    let has_own = |lines: &str, [one, other]: [&str; 2]| {
        let mut lines = lines.lines().take(LOOKED_AT);
        lines.any(|line| !has_line(one, line) && !has_line(other, line))
    };
    let [original, updated, local] = texts.into_array();
    hunks.iter().any(|Hunk { texts, .. }| {
        has_own(&texts.original, [updated, local])
            && has_own(&texts.updated, [local, original])
            && has_own(&texts.local, [updated, original])
    })
}

/// Whether both sides changed one line somewhere, and not alike.
fn is_in_a_line(hunks: &[Hunk]) -> bool {
    hunks.iter().any(|hunk| {
        let Triple {
            original,
            updated,
            local,
        } = hunk.texts.as_ref().map(|text| text.lines());
        let mut lines = original.zip(updated.zip(local));
        lines.any(|(old, (theirs, ours))| old != theirs && old != ours && theirs != ours)
    })
}

/// The text merge's result, where structure has a conflict and lines have none, if every change of
/// both sides is in it.
fn accepted_lines(
    request: &Request<'_>,
    lines: Option<&String>,
    bare: &Triple<&str>,
    frame: Frame,
) -> Option<Vec<u8>> {
    let has_all = |text: &str| kept_changes::has_all_changes(bare, text);
    if let Some(text) = lines.filter(|text| has_all(text)) {
        return Some(frame.around(text, request.style.size).into_bytes());
    }
    let lines = by_lines(request, None).filter(|lines| lines.conflicts == 0)?;
    let text = std::str::from_utf8(&lines.bytes).ok()?;
    let (text, _) = unframe(&Triple::new(text, text, text));
    has_all(&text.local).then_some(lines.bytes)
}

fn options(request: &Request<'_>, conflict_style: ConflictStyle, images: Images) -> Options {
    Options {
        on_conflict: OnConflict::Markers,
        sides: Sides::Equal,
        images,
        nulls: Some(Nulls::Keep),
        markers: MarkerStyle {
            size: request.style.size,
            labels: request.style.labels.clone(),
            conflict_style,
        },
        ..Options::default()
    }
}

/// Works on a stack of its own, unless the sides are as flat as files mostly are. `None` if that
/// panics: a defect, and git's merge is not to fail by it.
fn with_stack<R: Send>(sides: Triple<&[u8]>, work: impl FnOnce() -> Option<R> + Send) -> Option<R> {
    let is_flat = |side: &[u8]| {
        let nesting = std::str::from_utf8(side).ok().and_then(nesting_at_most);
        nesting.is_some_and(|nesting| nesting <= FLAT)
    };
    if sides.into_array().into_iter().all(is_flat) {
        return catch_unwind(AssertUnwindSafe(work)).ok()?;
    }
    std::thread::scope(|scope| {
        Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, work)
            .ok()?
            .join()
            .ok()?
    })
}
