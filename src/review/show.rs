//! A place, as it is shown in a terminal: the lines around, and the three sides.

use console::{Style, truncate_str};

use super::files::{File, Place};
use crate::error::shown;
use crate::merge::{Conflict, ConflictKind};
use crate::secret::HIDDEN;
use crate::visible::{visible, visible_lines};

/// How many lines of a side are shown, unless all are asked for.
const MOST: usize = 12;

/// How a terminal is written to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) color: bool,
    pub(super) width: usize,
}

/// What is told of a place beside itself.
pub(super) struct About<'a> {
    /// The place's number, and how many there are.
    pub(super) number: usize,
    pub(super) count: usize,
    /// The conflict of the merge that is open here, where that is known.
    pub(super) conflict: Option<&'a Conflict>,
    /// What was decided.
    pub(super) decided: Option<&'a str>,
    /// Whether everything is shown.
    pub(super) all: bool,
}

/// A place.
pub(super) fn place(file: &File, place: &Place, about: &About<'_>, look: Look) -> String {
    let mut text = String::from("\n");
    let mut line = |line: &str| {
        text.push_str(&truncate_str(line, look.width, "..."));
        text.push('\n');
    };
    let name = paint(
        &format!("{}:{}", shown(&file.path), place.line),
        "bold",
        look,
    );
    let kind = about
        .conflict
        .map_or(String::new(), |it| format!(", {}", told(it.kind)));
    line(&format!(
        "{name} ({} of {}){kind}",
        about.number, about.count
    ));
    if let Some(resource) = &place.resource {
        line(&visible(&resource.to_string()));
    }
    let mut what: Vec<String> = place.paths.iter().map(|it| visible(it)).collect();
    what.retain(|path| !path.is_empty());
    let path = match what.is_empty() {
        true if file.is_yaml => "the whole document".to_owned(),
        true => "lines".to_owned(),
        false => what.join(", "),
    };
    line(&paint(&path, "cyan", look));
    for around in &place.above {
        line(&format!("         | {}", visible_lines(around)));
    }
    let sides = [
        (
            "original",
            &place.lines.original,
            "",
            "(not in the markers)",
        ),
        ("updated", &place.lines.updated, "green", "(absent)"),
        ("local", &place.lines.local, "yellow", "(absent)"),
    ];
    for (name, lines, color, none) in sides {
        let lines: Vec<String> = match lines.as_deref() {
            None => vec![none.to_owned()],
            Some("") => vec!["(absent)".to_owned()],
            Some(_) if place.is_secret => vec![HIDDEN.to_owned()],
            Some(lines) => lines.lines().map(visible_lines).collect(),
        };
        let most = if about.all { lines.len() } else { MOST };
        for (index, one) in lines.iter().take(most).enumerate() {
            let name = if index == 0 { name } else { "" };
            line(&paint(&format!("{name:>8} | {one}"), color, look));
        }
        if lines.len() > most {
            line(&format!(
                "         | ... {} more lines, v shows them",
                lines.len() - most
            ));
        }
    }
    for around in &place.below {
        line(&format!("         | {}", visible_lines(around)));
    }
    if let Some(decided) = about.decided {
        line(&format!("decided: {decided}"));
    }
    text
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

/// A text in a colour, where there are colours.
pub(super) fn paint(text: &str, color: &str, look: Look) -> String {
    if look.color && !color.is_empty() {
        let style = Style::from_dotted_str(color).force_styling(true);
        return style.apply_to(text).to_string();
    }
    text.to_owned()
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

/// Lines set off from the margin.
pub(super) fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("  {}\n", visible_lines(line)))
        .collect()
}
