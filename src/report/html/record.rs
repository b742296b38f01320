//! Writes conflicts, combined values and pinned values: the place, the three values side by side
//! with the differences marked, the rule that decided, and a rule to copy into `.merge3.yaml`.

use std::ops::Range;

use super::Package;
use super::out::Out;
use super::source::LocalFile;
use crate::differences::{AlignedRange, differences, differences_of_lines};
use crate::merge::{ConflictKind, Resolution, Take};
use crate::package::{FileConflict, NewRule};
use crate::report::reason;
use crate::triple::Side;
use crate::visible::cut;

/// A record with its package and its local file.
pub(super) struct ShownRecord<'i> {
    pub(super) package: &'i Package<'i>,
    pub(super) source: Option<&'i LocalFile<'i>>,
    pub(super) record: &'i FileConflict,
}

impl ShownRecord<'_> {
    /// Writes the record, unfolded if `is_open` is set.
    pub(super) fn write(&self, out: &mut Out, is_open: bool) {
        let conflict = &self.record.conflict;
        let file = self.package.path(&self.record.file);
        let kind = match conflict.kind {
            ConflictKind::Combined(_) => "combined",
            kind => kind.as_str(),
        };
        let head = "<details class=\"item\" data-kind=\"{}\" data-file=\"{}\"";
        out.fill(head, [kind, &file]);
        out.raw(if is_open { " open>" } else { ">" });
        let path = match conflict.path() {
            "" => "the whole document or file",
            path => path,
        };
        let name = "<summary><h3><code>{}</code></h3> <span class=\"kind\">{}</span> ";
        out.fill(name, [path, kind]);
        let result = match conflict.resolution.is_open() {
            true => "<span class=\"result left\">{}</span>",
            false => "<span class=\"result\">{}</span>",
        };
        out.fill(result, [self.result()]);
        out.fill("<span class=\"where\">{}", [&file]);
        if let Some(line) = self.record.line {
            out.fill(":{}", [&line.to_string()]);
        }
        if let Some(resource) = &self.record.resource {
            let resource = resource.to_string();
            out.fill(" <span class=\"resource\">{}</span>", [&resource]);
        }
        out.raw("</span></summary>\n");
        write_sides(out, self.record);
        if let Some(source) = self.source {
            source.write_lines(out, self.record);
        }
        out.fill("<p class=\"why\">{}</p>\n", [&reason(conflict)]);
        if let Some(rule) = self.rule() {
            out.raw(
                "<div class=\"rule\"><p>To decide this otherwise at each merge, \
                 under <code>rules:</code> in <code>.merge3.yaml</code>:</p>\n<pre>",
            );
            out.text(&rule.to_yaml()).raw("</pre></div>\n");
        }
        out.raw("</details>\n");
    }

    /// Returns the result in a few words.
    fn result(&self) -> &'static str {
        match (self.record.conflict.kind, self.record.conflict.resolution) {
            (ConflictKind::Combined(_), _) => "both sides",
            (ConflictKind::Pinned, _) => "local, pinned",
            (_, Resolution::Updated) => "updated taken",
            (_, Resolution::Local) => "local stays",
            (_, Resolution::Markers) if !self.package.facts.written => "left to you",
            (_, Resolution::Markers) => "left to you, between conflict markers",
            (_, Resolution::Open) => "left to you, local is kept",
        }
    }

    /// Returns the rule that would decide a conflict for the other side; `None` if a rule decided
    /// it already.
    fn rule(&self) -> Option<NewRule> {
        let conflict = &self.record.conflict;
        let is_conflict = !matches!(
            conflict.kind,
            ConflictKind::Combined(_) | ConflictKind::Pinned
        );
        if !is_conflict || conflict.rule.is_some() {
            return None;
        }
        let take = match conflict.resolution {
            Resolution::Local => Take::Updated,
            _ => Take::Local,
        };
        let source = self.source;
        let path = source.map_or(conflict.path(), |it| it.ruled_path(self.record));
        let resource = self.record.resource.as_deref();
        NewRule::of_place(path, resource, &self.record.file, take)
    }
}

/// Writes a section with a title and records, if there are any.
pub(super) fn section(
    out: &mut Out,
    title: &'static str,
    items: &[ShownRecord<'_>],
    is_open: bool,
) {
    if items.is_empty() {
        return;
    }
    let head = "<section><h2>{} <small>{}</small></h2>\n";
    out.fill(head, [title, &items.len().to_string()]);
    for item in items {
        item.write(out, is_open);
    }
    out.raw("</section>\n");
}

/// The maximum number of lines of a value that is written as a whole. Of a longer value, only the
/// lines that differ and their context are written.
const MAX_LINES: usize = 40;
/// The number of context lines above and below a difference.
const CONTEXT: usize = 2;
/// The maximum number of bytes that are written of a value.
const MAX_BYTES: usize = 6_000;
/// The maximum number of lines of values that are compared.
const MAX_COMPARED_LINES: usize = 20_000;

/// Writes the three values.
fn write_sides(out: &mut Out, record: &FileConflict) {
    let values = record.conflict.values();
    let values = values.map(|value| value.map(|it| it.trim_end_matches('\n')));
    let is_combined = matches!(record.conflict.kind, ConflictKind::Combined(_));
    let taken = match record.conflict.resolution {
        Resolution::Updated if !is_combined => Some(Side::Updated),
        Resolution::Local if !is_combined => Some(Side::Local),
        _ => None,
    };
    out.raw("<dl class=\"sides\">\n");
    for side in Side::ALL.into_array() {
        let is_taken = taken == Some(side);
        out.raw(match is_taken {
            true => "<div class=\"taken\"><dt>",
            false => "<div><dt>",
        });
        out.raw(side.as_str());
        if is_taken {
            out.raw(" <small>taken</small>");
        }
        out.raw("</dt>");
        match values[side] {
            None => drop(out.raw("<dd class=\"none\">absent")),
            Some("") => drop(out.raw("<dd class=\"none\">empty")),
            Some(value) => {
                // compared with the first other side that has a value: the original, if possible
                let others = Side::ALL.into_array().into_iter().filter(|it| *it != side);
                let base = others.filter_map(|other| values[other]).next();
                let base = base.filter(|_| !record.hidden);
                out.raw("<dd><pre>");
                write_value(out, value, base, side != Side::Original);
                out.raw("</pre>");
            }
        }
        out.raw("</dd></div>\n");
    }
    out.raw("</dl>\n");
}

/// Writes a value. With `marks_changes`, marks the words that are not in `base`.
fn write_value(out: &mut Out, value: &str, base: Option<&str>, marks_changes: bool) {
    let count = value.lines().count();
    let mut remaining = MAX_BYTES;
    let base = base.filter(|base| count.max(base.lines().count()) <= MAX_COMPARED_LINES);
    let mut write_piece = |out: &mut Out, old: Option<&str>, new: &str| {
        let new = cut(new, remaining);
        remaining -= new.len();
        match old.filter(|_| marks_changes) {
            Some(old) => write_marked(out, cut(old, MAX_BYTES), new),
            None => drop(out.text(new)),
        }
    };
    match base {
        Some(base) if count > MAX_LINES && base != value => {
            let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
            let (old, new) = (lines(base), lines(value));
            let changed: Vec<AlignedRange> = differences_of_lines(&old, &new).changed().collect();
            let is_near = |above: &AlignedRange, below: &AlignedRange| {
                below.old.start - above.old.end <= 2 * CONTEXT
            };
            for group in changed.chunk_by(is_near) {
                let [first, last] = [&group[0], &group[group.len() - 1]];
                let from = with_context(first.old.start..last.old.end, old.len());
                let to = with_context(first.new.start..last.new.end, new.len());
                if to.start > 0 {
                    out.raw("<i>...</i>\n");
                }
                write_piece(out, Some(&old[from].concat()), &new[to].concat());
            }
        }
        _ => {
            let first_lines = value.split_inclusive('\n').take(MAX_LINES);
            let end = first_lines.map(str::len).sum();
            write_piece(out, base, &value[..end]);
        }
    }
    if count > MAX_LINES {
        out.fill("\n<i>of {} lines</i>", [&count.to_string()]);
    } else if value.len() > MAX_BYTES {
        out.raw("\n<i>and more</i>");
    }
}

/// Returns a range of lines with its context, in a text of `count` lines.
fn with_context(lines: Range<usize>, count: usize) -> Range<usize> {
    lines.start.saturating_sub(CONTEXT)..(lines.end + CONTEXT).min(count)
}

/// Writes a text, with the words marked that are not in `base`.
fn write_marked(out: &mut Out, base: &str, text: &str) {
    let (old, new) = (words(base), words(text));
    for part in differences(&old, &new).ranges() {
        let piece = new[part.new].concat();
        match part.is_same {
            true => drop(out.text(&piece)),
            false if piece.is_empty() => {}
            false => drop(out.raw("<mark>").text(&piece).raw("</mark>")),
        }
    }
}

/// Splits a text into words, runs of spaces, and single other characters.
fn words(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let belong_together = |(_, left): &(usize, char), (_, right): &(usize, char)| {
        is_word(*left) && is_word(*right) || *left == ' ' && *right == ' '
    };
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let words = chars.chunk_by(belong_together).map(|word| {
        let (start, (last, c)) = (word[0].0, word[word.len() - 1]);
        &text[start..last + c.len_utf8()]
    });
    words.collect()
}
