//! Conflicts and the like: the three values side by side, the place, the rule that decided, and a
//! rule to copy.

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::Package;
use super::out::Out;
use super::source::{Line, Source, Sources};
use super::tokens;
use crate::merge::{ConflictKind, Resolution, Take};
use crate::package::{FileConflict, Written};
use crate::report::{portable, reason};
use crate::triple::Triple;

/// How many lines of a value are shown, and how many bytes.
const LINES: usize = 60;
const BYTES: usize = 6_000;

/// A record and what is shown beside it.
pub(super) struct Item<'i> {
    file: String,
    source: Option<&'i Source<'i>>,
    record: &'i FileConflict,
    written: bool,
}

impl<'i> Item<'i> {
    pub(super) fn new(
        package: &Package<'i>,
        sources: &'i Sources<'i>,
        record: &'i FileConflict,
    ) -> Self {
        Self {
            file: package.path(&record.file),
            source: sources.get(record),
            record,
            written: package.facts.written,
        }
    }

    /// Writes it, open to see or folded.
    pub(super) fn write(&self, out: &mut Out, is_open: bool) {
        let conflict = &self.record.conflict;
        let kind = match conflict.kind {
            ConflictKind::Combined(_) => "combined",
            kind => kind.as_str(),
        };
        out.within(
            "<details class=\"item\" data-kind=\"",
            kind,
            "\" data-file=\"",
        );
        out.text(&self.file).raw("\"");
        out.raw(if is_open { " open>" } else { ">" });
        out.raw("<summary><h3><code>");
        out.text(match conflict.path.as_str() {
            "" => "the whole document or file",
            path => path,
        });
        out.within("</code></h3> <span class=\"kind\">", kind, "</span> ");
        let is_left = conflict.resolution.is_open();
        out.raw(if is_left {
            "<span class=\"result left\">"
        } else {
            "<span class=\"result\">"
        });
        out.within("", self.result(), "</span><span class=\"where\">");
        out.text(&self.file);
        if let Some(line) = self.record.line {
            out.raw(":").number(line);
        }
        if let Some(resource) = &self.record.resource {
            out.within(
                " <span class=\"resource\">",
                &resource.to_string(),
                "</span>",
            );
        }
        out.raw("</span></summary>\n");
        sides(out, self.record);
        let around = self.source.map(|it| it.around(self.record));
        lines(out, &around.unwrap_or_default());
        out.within("<p class=\"why\">", &reason(conflict), "</p>\n");
        if let Some(rule) = self.rule() {
            out.raw("<div class=\"rule\"><p>To decide this otherwise at each merge, under <code>rules:</code> in <code>.merge3.yaml</code>:</p>\n<pre>");
            out.text(&rule.to_yaml()).raw("</pre></div>\n");
        }
        out.raw("</details>\n");
    }

    /// What became of it, in a few words.
    fn result(&self) -> &'static str {
        match (self.record.conflict.kind, self.record.conflict.resolution) {
            (ConflictKind::Combined(_), _) => "both sides",
            (ConflictKind::Pinned, _) => "local, pinned",
            (_, Resolution::Updated) => "updated taken",
            (_, Resolution::Local) => "local stays",
            (_, Resolution::Markers) if !self.written => "left to you",
            (_, Resolution::Markers) => "left to you, between conflict markers",
            (_, Resolution::Open) => "left to you, local stands",
        }
    }

    /// The rule that would decide it otherwise, where none does.
    fn rule(&self) -> Option<Written> {
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
        let path = match self.source {
            Some(source) => source.ruled_path(self.record),
            None => &conflict.path,
        };
        let rule = Written::of_place(path, take)?;
        Some(Written {
            kind: self.record.resource.as_ref().map(|it| it.kind.clone()),
            file: Some(portable(&self.record.file)),
            ..rule
        })
    }
}

/// Writes records under a title, if there are any.
pub(super) fn section(out: &mut Out, title: &'static str, items: &[Item<'_>], is_open: bool) {
    if items.is_empty() {
        return;
    }
    out.within("<section><h2>", title, " <small>");
    out.number(items.len()).raw("</small></h2>\n");
    for item in items {
        item.write(out, is_open);
    }
    out.raw("</section>\n");
}

/// The three values.
fn sides(out: &mut Out, record: &FileConflict) {
    let values = record.conflict.values.as_ref();
    let values = values.map(|value| value.as_deref().map(cut));
    let Triple {
        original,
        updated,
        local,
    } = values;
    // with nothing before, what tells the two apart is marked
    let before = |other| {
        original
            .or(other)
            .filter(|_| !record.hidden)
            .map(|it: Cut<'_>| it.text)
    };
    let is_taken = |side| match (record.conflict.kind, record.conflict.resolution) {
        (ConflictKind::Combined(_), _) => false,
        (_, resolution) => resolution == side,
    };
    out.raw("<dl class=\"sides\">\n");
    side(out, "original", original, None, false);
    side(
        out,
        "updated",
        updated,
        before(local),
        is_taken(Resolution::Updated),
    );
    side(
        out,
        "local",
        local,
        before(updated),
        is_taken(Resolution::Local),
    );
    out.raw("</dl>\n");
}

/// A value, or its beginning.
#[derive(Clone, Copy)]
struct Cut<'v> {
    text: &'v str,
    /// How many lines are left out.
    rest: usize,
    is_cut: bool,
}

fn cut(value: &str) -> Cut<'_> {
    let value = value.trim_end_matches('\n');
    let lines = value.split_inclusive('\n').take(LINES);
    let mut end = lines.map(str::len).sum::<usize>().min(BYTES);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    Cut {
        text: &value[..end],
        rest: value[end..].lines().count(),
        is_cut: end < value.len(),
    }
}

fn side(
    out: &mut Out,
    name: &'static str,
    value: Option<Cut<'_>>,
    before: Option<&str>,
    is_taken: bool,
) {
    out.raw(if is_taken {
        "<div class=\"taken\"><dt>"
    } else {
        "<div><dt>"
    });
    out.raw(name);
    out.raw(if is_taken {
        " <small>taken</small></dt>"
    } else {
        "</dt>"
    });
    let Some(value) = value else {
        out.raw("<dd class=\"none\">absent</dd></div>\n");
        return;
    };
    if value.text.is_empty() {
        out.raw("<dd class=\"none\">empty</dd></div>\n");
        return;
    }
    out.raw("<dd><pre>");
    match before {
        Some(before) => marked(out, before, value.text),
        None => drop(out.text(value.text)),
    }
    if value.is_cut {
        out.raw("\n<i>and ")
            .number(value.rest.max(1))
            .raw(" more lines</i>");
    }
    out.raw("</pre></dd></div>\n");
}

/// A text with what is not in the one before it marked.
fn marked(out: &mut Out, before: &str, text: &str) {
    let (old, new) = (words(before), words(text));
    for change in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let piece = new[change.new_range()].concat();
        match change.tag() {
            DiffTag::Equal => drop(out.text(&piece)),
            _ if piece.is_empty() => {}
            _ => drop(out.within("<mark>", &piece, "</mark>")),
        }
    }
}

/// A text cut into words, space, and single other characters.
fn words(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        ' ' => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        let class = class(c);
        if at > start && (last != Some(class) || class == 2) {
            words.push(&text[start..at]);
            start = at;
        }
        last = Some(class);
    }
    words.extend(Some(&text[start..]).filter(|rest| !rest.is_empty()));
    words
}

/// Lines of the local file, as it was.
fn lines(out: &mut Out, lines: &[Line<'_>]) {
    if lines.is_empty() {
        return;
    }
    out.raw("<figure><figcaption>local file, before the merge</figcaption><ol class=\"lines\">\n");
    for line in lines {
        out.raw(if line.here {
            "<li class=\"here\" value=\""
        } else {
            "<li value=\""
        });
        out.number(line.number).raw("\"><code>");
        tokens::write(out, line.text);
        out.raw("</code></li>\n");
    }
    out.raw("</ol></figure>\n");
}
