//! Writes conflicts, combined values and pinned values: the place, the three values side by side,
//! the rule that decided, and a rule to copy into `.merge3.yaml`.

use super::Package;
use super::out::Out;
use super::sides;
use super::source::LocalFile;
use crate::merge::{ConflictKind, Resolution, Take};
use crate::package::{FileConflict, NewRule};
use crate::report::reason;

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
        sides::write(out, self.record);
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
        let path = match self.source {
            Some(source) => source.ruled_path(self.record),
            None => conflict.path(),
        };
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
