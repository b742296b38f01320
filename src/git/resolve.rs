//! Merges one file for git: by structure if possible, else by lines. No side wins.
//!
//! 1. If the structural merge has no conflict, it is the result. If the line merge has no conflict
//!    either, gives the same values and changes the right lines, the line merge is the result,
//!    because it has the formatting, blank lines and comments of both sides.
//! 2. If the structural merge has a conflict and the line merge has none, the line merge is the
//!    result if it is YAML and has every change of both sides.
//! 3. If there is no structure to merge (a side is not YAML, or has conflict markers), the result
//!    is git's line merge.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::available_parallelism;

use super::frame::{Frame, unframe};
use super::hunks as markers;
use super::settings::SettingsCall;
use super::{kept_changes, lines};
use crate::merge::text::{Hunk, merge_clean_lines};
use crate::merge::{ConflictStyle, Images, MarkerStyle, Nulls, OnConflict, Options, Sides};
use crate::package::{Bytes, FileInMemory, in_memory};
use crate::parallel::{are_many, both, thread_pool};
use crate::triple::{Change, Triple};
use crate::white_space::is_white_space;
use crate::yaml::nesting_at_most;

pub use super::lines::{Diff, Request, Resolved};

/// The most threads that merge a file.
const MAX_THREADS: usize = 4;
/// The nesting up to which no thread is needed. It takes less than a quarter of 1 MiB, the smallest
/// stack of a main thread.
const MAX_NESTING_WITHOUT_THREAD: usize = 128;

/// How many hunks with conflicting lines are examined, and how many lines of each.
const EXAMINED: usize = 4;

/// Merges one file. `None` if a side is binary.
///
/// ```
/// use merge3::git::resolve::{Diff, Request, resolve};
/// use merge3::merge::MarkerStyle;
/// use merge3::triple::Triple;
///
/// let request = Request {
///     path: "a.yaml".as_ref(),
///     sides: Triple::new("a: 1\nb: 1\n", "a: 1\nb: 2\n", "a: 9\nb: 1\n").map(|it| it.to_owned().into()),
///     style: MarkerStyle::default(),
///     favor: None,
///     diff: Diff::Histogram,
/// };
/// let merged = resolve(&request).unwrap();
/// assert_eq!(merged.bytes, b"a: 9\nb: 2\n");
/// assert_eq!(merged.conflicts, 0);
/// ```
pub fn resolve(request: &Request<'_>) -> Option<Resolved> {
    let sides = request.bytes();
    match sides.change() {
        Change::BothDiffer => {
            with_stack(sides, || by_structure(request)).or_else(|| by_lines(request))
        }
        _ => Some(Resolved::by_lines(sides.merged().to_vec(), 0)),
    }
}

/// Merges lines with the requested diff algorithm. If that leaves a conflict and Myers' algorithm
/// leaves none, returns the result of the latter.
fn by_lines(request: &Request<'_>) -> Option<Resolved> {
    let merged = lines::merge(request)?;
    if merged.conflicts == 0 || request.diff == Diff::Myers || is_certain_conflict(request) {
        return Some(merged);
    }
    let clean = lines::merge(&Request {
        diff: Diff::Myers,
        ..request.clone()
    });
    let clean = clean.filter(|merged| merged.conflicts == 0);
    Some(clean.unwrap_or(merged))
}

/// Whether the lines of a request conflict with any diff algorithm.
fn is_certain_conflict(request: &Request<'_>) -> bool {
    let texts = request.bytes().try_map(std::str::from_utf8);
    texts.is_ok_and(|texts| {
        let merged = merge_clean_lines(texts, EXAMINED, || ()).merged;
        merged.is_err_and(|hunks| has_certain_conflict(&hunks, &texts))
    })
}

/// Returns the texts of the sides; `None` if one is not UTF-8 or has conflict markers, or if
/// upstream or local is blank.
fn texts_of<'r>(request: &'r Request<'_>) -> Option<Triple<&'r str>> {
    let texts = request.bytes().try_map(std::str::from_utf8).ok()?;
    let has_markers = |text: &str| markers::has_markers(text, request.style.size);
    // a side that emptied the file conflicts as a whole, not by fields
    let is_emptied = is_white_space(texts.updated) || is_white_space(texts.local);
    (!is_emptied && !texts.into_array().into_iter().any(has_markers)).then_some(texts)
}

/// Merges by structure; `None` if a side has no structure that can be merged.
fn by_structure(request: &Request<'_>) -> Option<Resolved> {
    let texts = texts_of(request)?;
    let (bare, frame) = unframe(&texts);
    let triple = in_memory(request.path, shared(&bare, &request.sides));
    let bare = bare.as_ref().map(AsRef::as_ref);
    let known_style = match request.favor {
        Some(_) => Some(ConflictStyle::Merge),
        None => request.style.conflict_style,
    };
    let merge_lines = || {
        let mut settings_call = None;
        // starting git takes as long as the merge: it runs meanwhile, if a conflict is likely
        let on_hunks = || settings_call = known_style.is_none().then(SettingsCall::start);
        let lines = merge_clean_lines(bare, EXAMINED, on_hunks);
        (lines, settings_call)
    };
    let read = || FileInMemory::read(&triple, bare);
    let ((lines, settings_call), file) = both(triple.len(), merge_lines, read);
    let file = file?;
    let merge = |conflict_style, images| {
        let options = options(request, conflict_style, images);
        // if the check of the result fails, lines are merged instead
        file.merge(Some(&lines), &options).ok()
    };
    let settings = LazyCell::new(|| settings_call.unwrap_or_else(SettingsCall::start).settings());
    let (style, mut images) = (known_style.unwrap_or_default(), Images::Whole);
    let mut merged = merge(style, images)?;
    let is_image = |path: &str| path.ends_with("image") || path.ends_with("Image");
    let mut paths = merged.conflicts.iter().map(|it| it.conflict.path());
    if paths.any(is_image) && settings.images == Images::Parts {
        images = Images::Parts;
        merged = merge(style, images)?;
    }
    let size = request.style.size;
    let resolved = |text: String, is_clean: bool| {
        // a value with lone CRs can become several lines, and one of them can look like a marker
        let conflicts = markers::count_in(&text, size).filter(|count| !is_clean || *count == 0)?;
        Some(Resolved::by_structure(frame.around(text, size), conflicts))
    };
    if merged.conflicts.is_empty() {
        let is_same = |lines: &String| kept_changes::is_same_merge(&bare, [lines, &merged.text]);
        let clean = lines.merged.ok().filter(is_same);
        return resolved(clean.unwrap_or(merged.text), true);
    }
    let is_certain = |hunks: &Vec<Hunk>| has_certain_conflict(hunks, &bare);
    if !lines.merged.as_ref().is_err_and(is_certain)
        && let Some(text) = accepted_lines(request, lines.merged.as_ref().ok(), &bare, frame)
    {
        return Some(Resolved::by_structure(text, 0));
    }
    let wanted = known_style.unwrap_or_else(|| settings.conflict_style);
    if wanted != style {
        merged = merge(wanted, images)?;
    }
    // a conflict may have no lines that markers could show
    if !markers::has_markers(&merged.text, size) {
        return None;
    }
    match request.favor {
        Some(favor) => resolved(markers::choose(&merged.text, size, favor)?, true),
        None => resolved(merged.text, false),
    }
}

/// Returns the unframed texts as bytes, sharing the memory of sides whose text did not change.
fn shared(bare: &Triple<Cow<'_, str>>, sides: &Triple<Bytes>) -> Triple<Bytes> {
    let pairs = bare.as_ref().zip(sides.as_ref());
    pairs.map(|(bare, side)| match bare {
        Cow::Borrowed(bare) if bare.len() == side.len() => side.clone(),
        bare => bare.to_string().into(),
    })
}

/// Whether a hunk is a conflict with any diff algorithm, so that git's line merge need not run:
/// both sides removed a line of the original, and each inserted a line that no other text has.
fn has_certain_conflict(hunks: &[Hunk], texts: &Triple<&str>) -> bool {
    let has_line =
        |text: &str, line: &str| memchr::memmem::find(text.as_bytes(), line.as_bytes()).is_some();
    let has_unique_line = |lines: &str, [one, other]: [&str; 2]| {
        let mut lines = lines.lines().take(EXAMINED);
        lines.any(|line| !has_line(one, line) && !has_line(other, line))
    };
    let [original, updated, local] = texts.into_array();
    hunks.iter().any(|Hunk { texts, .. }| {
        has_unique_line(&texts.original, [updated, local])
            && has_unique_line(&texts.updated, [local, original])
            && has_unique_line(&texts.local, [updated, original])
    })
}

/// Returns the result of a line merge without conflicts if it has every change of both sides. It
/// is used where the structural merge has a conflict.
fn accepted_lines(
    request: &Request<'_>,
    lines: Option<&String>,
    bare: &Triple<&str>,
    frame: Frame,
) -> Option<String> {
    let has_all = |text: &str| kept_changes::has_all_changes(bare, text);
    if let Some(text) = lines.filter(|text| has_all(text)) {
        return Some(frame.around(text, request.style.size));
    }
    let lines = by_lines(&Request {
        favor: None,
        ..request.clone()
    });
    let lines = lines.filter(|lines| lines.conflicts == 0)?;
    let text = String::from_utf8(lines.bytes).ok()?;
    let (bare_text, _) = unframe(&Triple::new(&*text, &*text, &*text));
    has_all(&bare_text.local).then_some(text)
}

fn options(request: &Request<'_>, conflict_style: ConflictStyle, images: Images) -> Options {
    Options {
        on_conflict: OnConflict::Markers,
        sides: Sides::Equal,
        images,
        nulls: Some(Nulls::Keep),
        markers: MarkerStyle {
            conflict_style: Some(conflict_style),
            ..request.style.clone()
        },
        ..Options::default()
    }
}

/// Runs `work`, in threads with large stacks if a side is nested deeply or is long. `None` if it
/// panics: a defect of merge3 must not make git's merge fail.
fn with_stack<R: Send>(sides: Triple<&[u8]>, work: impl FnOnce() -> Option<R> + Send) -> Option<R> {
    let is_flat = |side: &[u8]| {
        let nesting = std::str::from_utf8(side).ok().and_then(nesting_at_most);
        nesting.is_some_and(|nesting| nesting <= MAX_NESTING_WITHOUT_THREAD)
    };
    let sides = sides.into_array();
    let are_flat = || sides.into_iter().all(is_flat);
    let threads = match are_many(sides.map(<[u8]>::len).iter().sum()) {
        true => available_parallelism().map_or(1, |cores| cores.get().min(MAX_THREADS)),
        false => 1,
    };
    let pool = (threads > 1 || !are_flat()).then(|| thread_pool(threads).build());
    let result = catch_unwind(AssertUnwindSafe(|| match pool {
        Some(Ok(pool)) => pool.install(work),
        Some(Err(_)) if !are_flat() => None,
        _ => work(),
    }));
    result.ok()?
}
