//! Displays an open place in a terminal: its name, the lines around it, and its three sides.

use anstyle::Style;

use super::files::OpenPlace;
use super::session::Session;
use crate::error::shown;
use crate::git::hunks::{Segment, read};
use crate::merge::markers::mark;
use crate::merge::{ConflictKind, ConflictStyle, MarkerStyle};
use crate::report::paint::{self, painted};
use crate::secret::HIDDEN;
use crate::triple::{Side, Triple};
use crate::visible::{visible, visible_lines};

/// The number of lines of a side that are shown by default. Of longer sides, only the lines that
/// differ are shown.
const MAX_LINES: usize = 8;
/// The number of terminal rows that a line takes by default.
const MAX_ROWS: usize = 3;
/// The width of the margin before a line, in columns.
const MARGIN_WIDTH: usize = 11;

/// Returns the text that shows the current place of a session, with all lines or shortened.
pub(super) fn place(session: &Session<'_>, show_all: bool) -> String {
    let place = &session.places[session.current];
    let file = &session.files[place.file];
    let mut page = Screen {
        text: String::from("\n"),
        color: session.color,
        width: session.width,
        show_all,
        indent: common_indent(place),
    };
    let kind = place.kind.map_or("conflict", kind_in_words);
    let (number, count) = (session.current + 1, session.places.len());
    let title = format!("{number} of {count}: {kind}");
    page.line(&title, paint::NAME);
    page.line(
        &format!("{}:{}", shown(&file.path), place.line),
        paint::PLAIN,
    );
    if let Some(resource) = &place.resource {
        page.line(&visible(&resource.to_string()), paint::PLAIN);
    }
    let paths = place.paths.iter().filter(|path| !path.is_empty());
    let paths: Vec<String> = paths.map(|path| visible(path)).collect();
    page.line(
        &match (paths.is_empty(), file.is_yaml) {
            (true, true) => "the whole document".to_owned(),
            (true, false) => "lines".to_owned(),
            _ if paths.len() > 3 => {
                format!("{}, {} and {} more", paths[0], paths[1], paths.len() - 2)
            }
            _ => paths.join(", "),
        },
        paint::PLACE,
    );
    page.lines("", paint::PLAIN, place.above.iter().map(String::as_str));
    page.sides(place);
    page.lines("", paint::PLAIN, place.below.iter().map(String::as_str));
    if let Some(decision) = &place.decision {
        page.line(&format!("decided: {}", decision.label), paint::NAME);
    }
    page.text
}

/// Returns the indentation that all lines of a place and its context have in common.
fn common_indent(place: &OpenPlace) -> usize {
    let sides = place.lines.as_ref().into_array().into_iter().flatten();
    let around = place.above.iter().chain(&place.below).map(String::as_str);
    let lines = sides.flat_map(|side| side.lines()).chain(around);
    let filled = lines.filter(|line| !line.trim().is_empty());
    let indents = filled.map(|line| line.len() - line.trim_start_matches(' ').len());
    indents.min().unwrap_or(0)
}

/// The text to show, built line by line.
struct Screen {
    text: String,
    color: bool,
    /// The width of the terminal, in columns.
    width: usize,
    /// Whether lines are shown without shortening.
    show_all: bool,
    /// The common indentation, which is cut off each line.
    indent: usize,
}

impl Screen {
    /// Adds a line without a margin.
    fn line(&mut self, line: &str, color: Style) {
        for row in chunks(line, self.width) {
            self.text.push_str(&painted(color, &row, self.color));
            self.text.push('\n');
        }
    }

    /// Adds a line after a margin with `name`, wrapped into rows.
    fn rows(&mut self, name: &str, line: &str, color: Style) {
        let width = self.width.saturating_sub(MARGIN_WIDTH).max(20);
        let mut rows = chunks(line, width);
        if rows.len() > MAX_ROWS && !self.show_all {
            let last: String = rows[MAX_ROWS - 1].chars().take(width - 3).collect();
            rows.truncate(MAX_ROWS - 1);
            rows.push(last + "...");
        }
        for (index, row) in rows.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            self.line(format!("{name:>8} | {row}").trim_end(), color);
        }
    }

    /// Adds a line after an empty margin.
    fn note(&mut self, line: &str) {
        self.rows("", line, paint::PLAIN);
    }

    /// Adds lines of a file. The margin of the first one has `name`.
    fn lines<'l>(&mut self, name: &str, color: Style, lines: impl Iterator<Item = &'l str>) {
        for (index, line) in lines.enumerate() {
            let name = if index == 0 { name } else { "" };
            let line = visible_lines(line.get(self.indent..).unwrap_or_default());
            self.rows(name, &line, color);
        }
    }

    /// Adds the three sides, as hunks if they are long.
    fn sides(&mut self, place: &OpenPlace) {
        let sides = Side::ALL.map(|side| place.side(side));
        if !self.show_all && !place.is_secret && self.hunks(sides) {
            return;
        }
        for side in Side::ALL.into_array() {
            match &place.lines[side] {
                None if side == Side::Original => self.value(side, "(not in the markers)"),
                Some(lines) if place.is_secret && !lines.is_empty() => self.value(side, HIDDEN),
                _ => self.side(side, sides[side]),
            }
        }
    }

    /// Adds a note in the place of the lines of a side.
    fn value(&mut self, side: Side, note: &str) {
        self.rows(side.as_str(), note, color_of(side));
    }

    /// Adds the lines of a side: the first ones, or all of them with `show_all`.
    fn side(&mut self, side: Side, lines: &str) {
        if lines.is_empty() {
            return self.value(side, "(absent)");
        }
        let limit = if self.show_all { usize::MAX } else { MAX_LINES };
        self.lines(side.as_str(), color_of(side), lines.lines().take(limit));
        let more = lines.lines().count().saturating_sub(limit);
        if more > 0 {
            self.note(&format!("... {more} more lines, v shows them"));
        }
    }

    /// Adds the lines in which three long sides differ. Returns false, and adds nothing, if the
    /// sides are short, there is no original, or the text with markers cannot be parsed.
    fn hunks(&mut self, sides: Triple<&str>) -> bool {
        let [original, updated, local] = sides.into_array();
        let count = updated.lines().count().max(local.lines().count());
        if count <= MAX_LINES || original.is_empty() {
            return false;
        }
        let style = MarkerStyle {
            size: 100,
            conflict_style: Some(ConflictStyle::Diff3),
            ..MarkerStyle::default()
        };
        // if a side is absent, show how the other one differs from the original
        let text = match (updated, local) {
            ("", other) | (other, "") => mark(Triple::new(original, other, original), &style),
            _ => mark(sides, &style),
        };
        let Some(segments) = read(&text, style.size) else {
            return false;
        };
        self.note(&format!("{count} lines, v shows all; these differ:"));
        let end = self.text.len() + 3 * MAX_LINES * self.width;
        for (index, segment) in segments.iter().enumerate() {
            if self.text.len() > end {
                self.note("... and more");
                break;
            }
            match segment {
                Segment::Common(lines) => {
                    self.common(lines, index == 0, index + 1 == segments.len())
                }
                Segment::Conflict(conflict) => {
                    for side in Side::ALL.into_array() {
                        self.side(side, conflict.side(side));
                    }
                }
            }
        }
        for side in Side::ALL.into_array() {
            if sides[side].is_empty() {
                self.value(side, "(absent)");
            }
        }
        true
    }

    /// Adds the lines between two hunks. Of more than three lines, only those next to a hunk are
    /// shown.
    fn common(&mut self, lines: &str, is_first: bool, is_last: bool) {
        let lines: Vec<&str> = lines.lines().collect();
        let count = lines.len();
        let (first, last) = match count {
            ..=3 => (count, 0),
            _ => (usize::from(!is_first), usize::from(!is_last)),
        };
        self.lines("", paint::PLAIN, lines[..first].iter().copied());
        if count > 3 {
            self.note("...");
        }
        self.lines("", paint::PLAIN, lines[count - last..].iter().copied());
    }
}

/// Returns the colour of a side.
const fn color_of(side: Side) -> Style {
    match side {
        Side::Original => paint::PLAIN,
        Side::Updated => paint::ADDED,
        Side::Local => paint::LOCAL,
    }
}

/// Splits a line into pieces of `width` characters.
fn chunks(line: &str, width: usize) -> Vec<String> {
    let chars: Vec<char> = line.trim_end().chars().collect();
    if chars.is_empty() {
        return vec![String::new()];
    }
    let chunks = chars.chunks(width).map(|chunk| chunk.iter().collect());
    chunks.collect()
}

/// Returns a kind of conflict in words.
const fn kind_in_words(kind: ConflictKind) -> &'static str {
    match kind {
        ConflictKind::BothChanged => "both sides changed it",
        ConflictKind::BothAdded => "both sides added it",
        ConflictKind::DeletedLocally => "you deleted it, upstream changed it",
        ConflictKind::DeletedUpstream => "upstream deleted it, you changed it",
        ConflictKind::KindChanged => "it is of another kind on each side",
        ConflictKind::Order => "both sides moved elements",
        ConflictKind::Text => "both sides changed these lines",
        kind => kind.as_str(),
    }
}

/// Returns a text with each line indented by two spaces.
pub(super) fn indented(text: &str) -> String {
    let lines = text.lines();
    lines
        .map(|line| format!("  {}\n", visible_lines(line)))
        .collect()
}

/// The help text for the keys.
pub(super) const HELP: &str = "\
u  take upstream's lines
l  keep the local ones
b  take both, the local ones first (lists, texts)
e  edit them in $EDITOR; the file is checked before they are taken
p  keep the local ones and pin them with # merge3: keep
r  make a rule in .merge3.yaml, for this place or all like it
s  skip: what is open stays between conflict markers
k  go back to the place before
v  show all lines of the three sides
q  quit, and write what is decided or nothing
?  show this help
";
