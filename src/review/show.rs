//! A place, as it is shown in a terminal: the lines around, and the three sides.

use super::files::OpenPlace;
use super::session::Session;
use crate::error::shown;
use crate::git::hunks::{Marked, Stretch, read};
use crate::merge::markers::mark;
use crate::merge::{ConflictKind, ConflictStyle, MarkerStyle};
use crate::report::Paint;
use crate::secret::HIDDEN;
use crate::triple::Triple;
use crate::visible::{visible, visible_lines};

/// How many lines of a side are shown, unless all are asked for. Of more, what
/// differs is shown.
const MOST: usize = 8;
/// How many rows a long line takes.
const ROWS: usize = 3;
/// The width of what is before a line.
const MARGIN: usize = 11;

/// How a terminal is written to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) color: bool,
    pub(super) width: usize,
}

/// The place that a session asks about; all of it, or what there is room for.
pub(super) fn place(session: &Session<'_>, all: bool) -> String {
    let place = &session.places[session.at];
    let file = &session.files[place.file];
    let mut page = Screen {
        text: String::from("\n"),
        look: session.look,
        all,
        indent: indent_of(place),
    };
    let conflict = session.conflict(place);
    let kind = conflict.map_or("conflict", |it| told(it.kind));
    let title = format!("{} of {}: {kind}", session.at + 1, session.places.len());
    page.line(&title, Paint::Name);
    page.line(
        &format!("{}:{}", shown(&file.path), place.line),
        Paint::Plain,
    );
    if let Some(resource) = &place.resource {
        page.line(&visible(&resource.to_string()), Paint::Plain);
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
        Paint::Place,
    );
    page.context(place.above.iter().map(String::as_str));
    page.sides(place);
    page.context(place.below.iter().map(String::as_str));
    if let Some(decision) = &place.decision {
        page.line(&format!("decided: {}", decision.what), Paint::Name);
    }
    page.text
}

/// How far all lines of a place are indented that are shown.
fn indent_of(place: &OpenPlace) -> usize {
    let sides = place.lines.as_ref().into_array().into_iter().flatten();
    let around = place.above.iter().chain(&place.below).map(String::as_str);
    let lines = sides.flat_map(|side| side.lines()).chain(around);
    let filled = lines.filter(|line| !line.trim().is_empty());
    let indents = filled.map(|line| line.len() - line.trim_start_matches(' ').len());
    indents.min().unwrap_or(0)
}

/// What is shown, as it grows.
struct Screen {
    text: String,
    look: Look,
    /// Whether nothing is left out.
    all: bool,
    /// The indentation that all lines have, and that is left out.
    indent: usize,
}

impl Screen {
    /// Adds a line without a margin.
    fn line(&mut self, line: &str, color: Paint) {
        for row in chunks(line, self.look.width) {
            self.text.push_str(&color.apply(&row, self.look.color));
            self.text.push('\n');
        }
    }

    /// Adds a line behind a margin, in as many rows as it needs.
    fn rows(&mut self, name: &str, line: &str, color: Paint) {
        let mut rows = chunks(line, self.look.width.saturating_sub(MARGIN).max(20));
        if rows.len() > ROWS && !self.all {
            rows.truncate(ROWS);
            if let Some(last) = rows.last_mut() {
                let end = last.char_indices().rev().nth(2).map_or(0, |(at, _)| at);
                last.replace_range(end.., "...");
            }
        }
        for (index, row) in rows.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            self.line(format!("{name:>8} | {row}").trim_end(), color);
        }
    }

    /// Adds a line behind an empty margin.
    fn note(&mut self, line: &str) {
        self.rows("", line, Paint::Plain);
    }

    /// Adds lines that the sides have in common.
    fn context<'l>(&mut self, lines: impl Iterator<Item = &'l str>) {
        self.lines("", Paint::Plain, lines);
    }

    /// Adds lines of a file, the first behind a name.
    fn lines<'l>(&mut self, name: &str, color: Paint, lines: impl Iterator<Item = &'l str>) {
        for (index, line) in lines.enumerate() {
            let name = if index == 0 { name } else { "" };
            let line = visible_lines(line.get(self.indent..).unwrap_or_default());
            self.rows(name, &line, color);
        }
    }

    /// Adds the three sides.
    fn sides(&mut self, place: &OpenPlace) {
        let original = place.lines.original.as_deref();
        let (updated, local) = (&place.lines.updated, &place.lines.local);
        let sides = Triple::new(original, updated.as_deref(), local.as_deref());
        let sides = sides.map(Option::unwrap_or_default);
        if !self.all && !place.is_secret && self.hunks(sides) {
            return;
        }
        let original = original.unwrap_or("(not in the markers)");
        let shown = [original, sides.updated, sides.local];
        for ((name, lines), color) in NAMES.into_iter().zip(shown).zip(COLORS) {
            match lines {
                "" => self.rows(name, "(absent)", color),
                _ if place.is_secret => self.rows(name, HIDDEN, color),
                _ => self.beginning(name, color, lines),
            }
        }
    }

    /// Adds a side, or its first lines.
    fn beginning(&mut self, name: &str, color: Paint, lines: &str) {
        let most = if self.all { usize::MAX } else { MOST };
        self.lines(name, color, lines.lines().take(most));
        let more = lines.lines().count().saturating_sub(most);
        if more > 0 {
            self.note(&format!("... {more} more lines, v shows them"));
        }
    }

    /// Adds what of three sides with many lines is not the same. Whether that can be told.
    fn hunks(&mut self, sides: Triple<&str>) -> bool {
        let [original, updated, local] = sides.into_array();
        let count = updated.lines().count().max(local.lines().count());
        if count <= MOST || original.is_empty() {
            return false;
        }
        let style = MarkerStyle {
            size: 100,
            conflict_style: ConflictStyle::Diff3,
            ..MarkerStyle::default()
        };
        // of a side that is not there the changes to the other one count
        let text = match (updated, local) {
            ("", other) | (other, "") => mark(Triple::new(original, other, original), &style),
            _ => mark(sides, &style),
        };
        let gone = [updated, local].iter().position(|side| side.is_empty());
        let Some(stretches) = read(&text, style.size) else {
            return false;
        };
        self.note(&format!("{count} lines, v shows all; these differ:"));
        let end = self.text.len() + 3 * MOST * self.look.width;
        for (index, stretch) in stretches.iter().enumerate() {
            if self.text.len() > end {
                self.note("... and more");
                break;
            }
            match stretch {
                Stretch::Common(lines) => {
                    self.common(lines, index == 0, index + 1 == stretches.len())
                }
                Stretch::Conflict(Marked { lines, .. }) => {
                    let lines = lines.map(Option::unwrap_or_default).into_array();
                    for ((name, lines), color) in NAMES.iter().zip(lines).zip(COLORS) {
                        match lines {
                            "" => self.rows(name, "(absent)", color),
                            lines => self.beginning(name, color, lines),
                        }
                    }
                }
            }
        }
        if let Some(gone) = gone {
            self.rows(NAMES[gone + 1], "(absent)", COLORS[gone + 1]);
        }
        true
    }

    /// Adds what is nearest of the lines between two that differ.
    fn common(&mut self, lines: &str, is_first: bool, is_last: bool) {
        let lines: Vec<&str> = lines.lines().collect();
        if lines.len() <= 3 {
            return self.context(lines.into_iter());
        }
        if let (Some(first), false) = (lines.first(), is_first) {
            self.context([*first].into_iter());
        }
        self.note("...");
        if let (Some(last), false) = (lines.last(), is_last) {
            self.context([*last].into_iter());
        }
    }
}

/// The sides, in the order in which they are shown, and their colours.
const NAMES: [&str; 3] = ["original", "updated", "local"];
const COLORS: [Paint; 3] = [Paint::Plain, Paint::Added, Paint::Local];

/// A line in pieces of a width.
fn chunks(line: &str, width: usize) -> Vec<String> {
    let chars: Vec<char> = line.trim_end().chars().collect();
    if chars.is_empty() {
        return vec![String::new()];
    }
    chars
        .chunks(width)
        .map(|chunk| chunk.iter().collect())
        .collect()
}

/// What a kind of conflict means, for people.
const fn told(kind: ConflictKind) -> &'static str {
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

/// Lines set off from the margin.
pub(super) fn indented(text: &str) -> String {
    let lines = text.lines();
    lines
        .map(|line| format!("  {}\n", visible_lines(line)))
        .collect()
}

/// What the keys do.
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
