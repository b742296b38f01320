//! Checks that the spans of a tree and the gaps between them joined are the text, that gaps contain
//! only white space and comments, and that each comment has at most one owner.

use std::collections::BTreeMap;

use merge3::yaml::{Entry, NodeId, NodeKind, ScalarStyle, Span, Tree};
use yaml_rust2::parser::{Event, Parser};

type Check = Result<(), String>;

/// Checks a whole tree. The error says what is wrong, and where.
pub(crate) fn check(tree: &Tree<'_>) -> Check {
    let mut walk = Walk {
        tree,
        checked: 0,
        comments: BTreeMap::new(),
        contents: Vec::new(),
    };
    walk.prologue()?;
    walk.entry(tree.root())?;
    walk.epilogue()?;
    walk.owners()?;
    same_contents(tree.text(), &walk.contents)
}

struct Walk<'a, 's> {
    tree: &'a Tree<'s>,
    /// The end of the text that was checked.
    checked: usize,
    /// Every comment outside scalars: its start, its end, and whether an entry owns it.
    comments: BTreeMap<u32, (u32, bool)>,
    /// The contents of the scalars, in the order of the text.
    contents: Vec<String>,
}

impl Walk<'_, '_> {
    fn text(&self) -> &str {
        self.tree.text()
    }

    fn fail<T>(&self, at: usize, what: &str) -> Result<T, String> {
        let line = self.text().get(..at).unwrap_or("").lines().count();
        let rest: String = self
            .text()
            .get(at..)
            .unwrap_or("")
            .chars()
            .take(40)
            .collect();
        Err(format!("{what} at byte {at} (line {line}): {rest:?}"))
    }

    /// Checks the byte order mark, comments, directives and `---`.
    fn prologue(&mut self) -> Check {
        if self.text().starts_with('\u{feff}') {
            self.checked = 3;
        }
        let root = self.tree.root().span.start as usize;
        loop {
            let stop = self.gap_end(self.checked);
            self.gap(stop)?;
            if stop >= root {
                return Ok(());
            }
            let rest = &self.text()[stop..];
            if rest.starts_with('%') {
                self.checked = stop + rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else if rest.starts_with("---") || rest.starts_with("...") {
                self.checked = stop + 3;
            } else {
                return self.fail(stop, "neither directive nor marker before the root");
            }
        }
    }

    fn epilogue(&mut self) -> Check {
        loop {
            let stop = self.gap_end(self.checked);
            self.gap(stop)?;
            if stop == self.text().len() {
                return Ok(());
            }
            if !self.text()[stop..].starts_with("...") {
                return self.fail(stop, "neither comment nor marker after the root");
            }
            self.checked = stop + 3;
        }
    }

    /// Returns the end of the white space and comments that start at `at`.
    fn gap_end(&self, mut at: usize) -> usize {
        let text = self.text();
        loop {
            at += text[at..].len() - text[at..].trim_start_matches([' ', '\t', '\n', '\r']).len();
            if !text[at..].starts_with('#') {
                return at;
            }
            at += text[at..].find(['\n', '\r']).unwrap_or(text.len() - at);
        }
    }

    /// Checks that the text up to `to` is white space and comments.
    fn gap(&mut self, to: usize) -> Check {
        if to < self.checked || self.text().get(self.checked..to).is_none() {
            return self.fail(to, "overlapping spans, or not at a character boundary");
        }
        let text = self.tree.text();
        let mut at = self.checked;
        while at < to {
            let rest = &text[at..to];
            if rest.starts_with('#') {
                let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
                let comment = rest[..end].trim_end_matches([' ', '\t']);
                self.comments
                    .insert(at as u32, ((at + comment.len()) as u32, false));
                at += end;
            } else if rest.starts_with([' ', '\t', '\n', '\r']) {
                at += 1;
            } else {
                return self.fail(at, "text other than white space and comments in a gap");
            }
        }
        self.checked = to;
        Ok(())
    }

    fn token(&mut self, at: u32, expected: char) -> Check {
        self.gap(at as usize)?;
        if !self.text()[self.checked..].starts_with(expected) {
            return self.fail(self.checked, &format!("no `{expected}`"));
        }
        self.checked += 1;
        Ok(())
    }

    fn advance_over(&mut self, span: Span) -> Check {
        self.gap(span.start as usize)?;
        if span.end < span.start || self.text().get(span.range()).is_none() {
            return self.fail(span.start as usize, "an invalid span");
        }
        self.checked = span.end as usize;
        Ok(())
    }

    fn entry(&mut self, entry: Entry<'_>) -> Check {
        self.gap(entry.span.start as usize)?;
        if let Some(key) = entry.key {
            if self.starts_at(key) != entry.span.start {
                self.token(entry.span.start, '?')?;
            }
            self.node(key)?;
            if let Some(colon) = entry.colon() {
                self.token(colon, ':')?;
            }
        } else if self.starts_at(entry.value) != entry.span.start {
            self.token(entry.span.start, '-')?;
        }
        self.node(entry.value)?;
        if self.tree.node(entry.value).span.end != entry.span.end {
            return self.fail(
                entry.span.end as usize,
                "an entry does not end with its value",
            );
        }
        if let Some(comma) = entry.comma() {
            self.token(comma, ',')?;
        }
        Ok(())
    }

    fn starts_at(&self, id: NodeId) -> u32 {
        let node = self.tree.node(id);
        let properties = node
            .anchor()
            .into_iter()
            .chain(node.tag())
            .map(|span| span.start);
        properties
            .min()
            .map_or(node.span.start, |start| start.min(node.span.start))
    }

    fn node(&mut self, id: NodeId) -> Check {
        let tree = self.tree;
        let node = tree.node(id);
        let mut properties: Vec<Span> = node.anchor().into_iter().chain(node.tag()).collect();
        properties.sort_by_key(|span| span.start);
        for span in properties {
            self.advance_over(span)?;
        }
        match &node.kind {
            NodeKind::Mapping(collection) | NodeKind::Sequence(collection) => {
                self.gap(node.span.start as usize)?;
                let open = self.text()[self.checked..].chars().next();
                let bracket = match (&node.kind, open) {
                    (NodeKind::Mapping(_), Some('{')) if collection.flow => Some(('{', '}')),
                    (NodeKind::Sequence(_), Some('[')) if collection.flow => Some(('[', ']')),
                    _ => None,
                };
                if let Some((open, _)) = bracket {
                    self.token(node.span.start, open)?;
                }
                for entry in tree.entries(id) {
                    self.entry(tree.entry(entry))?;
                }
                if let Some((_, close)) = bracket {
                    self.token(node.span.end - 1, close)?;
                }
                if self.checked != node.span.end as usize {
                    return self.fail(self.checked, "a collection does not end with its last part");
                }
                Ok(())
            }
            NodeKind::Alias(_) => {
                self.advance_over(node.span)?;
                if tree.slice(node.span).starts_with('*') {
                    Ok(())
                } else {
                    self.fail(node.span.start as usize, "no alias")
                }
            }
            NodeKind::Scalar(scalar) => {
                self.advance_over(node.span)?;
                self.contents.push(scalar.content.to_string());
                self.scalar(node.span, scalar.style, scalar.content)
            }
        }
    }

    /// Checks that the span, read on its own, has the content of the scalar.
    fn scalar(&mut self, span: Span, style: ScalarStyle, content: &str) -> Check {
        let source = self.tree.slice(span);
        let start = span.start as usize;
        if source.trim_matches([' ', '\t', '\n', '\r']) != source && style == ScalarStyle::Plain {
            return self.fail(start, "white space at a plain scalar's edge");
        }
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            let header = source.split(['\n', '\r']).next().unwrap_or("");
            if let Some(at) = header.find('#') {
                let end = header.trim_end_matches([' ', '\t']).len();
                self.comments
                    .insert((start + at) as u32, ((start + end) as u32, false));
            }
            // the parser reads a comment directly behind `|` only in some places
            let is_unusual = header.contains(|c: char| c.is_ascii_digit())
                || header
                    .trim_start_matches(['|', '>', '+', '-'])
                    .starts_with('#');
            if is_unusual {
                return Ok(());
            }
        }
        if content.is_empty() && style == ScalarStyle::Plain {
            return if source.is_empty() {
                Ok(())
            } else {
                self.fail(start, "not empty")
            };
        }
        if source == content && !source.contains(['\n', '\r']) {
            return Ok(());
        }
        // read on its own, the last character would be the colon of a key, or the last line of a
        // key would separate documents
        let last_line = source.rsplit(['\n', '\r']).next().unwrap_or("");
        let is_special = source.ends_with(':') || matches!(last_line, "---" | "...");
        if style == ScalarStyle::Plain && is_special {
            return Ok(());
        }
        // the span does not include a block scalar's last line break; the leading space keeps `---`
        // and a byte order mark from having their special meaning
        let on_its_own = scalar_events(&format!(" {source}\n"));
        let in_brackets = scalar_events(&format!("[ {source}\n ]\n"));
        let same = |reading: &Result<Vec<String>, String>| match reading.as_deref() {
            Ok([only]) => only.trim_end_matches('\n') == content.trim_end_matches('\n'),
            _ => false,
        };
        if same(&on_its_own) || (style == ScalarStyle::Plain && same(&in_brackets)) {
            return Ok(());
        }
        let what = format!(
            "the content on its own is {on_its_own:?}, in brackets {in_brackets:?}, expected {content:?}"
        );
        self.fail(start, &what)
    }

    /// Checks that every owned comment is a comment, and that no comment has two owners.
    fn owners(&mut self) -> Check {
        let tree = self.tree;
        let mut entries = vec![tree.root()];
        while let Some(entry) = entries.pop() {
            let nodes = entry.key.into_iter().chain([entry.value]);
            entries.extend(
                nodes
                    .flat_map(|id| tree.entries(id))
                    .map(|id| tree.entry(id)),
            );
            let comments = entry.comments();
            for span in [comments.line, comments.tail] {
                if !span.is_empty() {
                    self.mark_owned(span)?;
                }
            }
            self.leading(self.tree.lines_above(entry), entry)?;
        }
        Ok(())
    }

    fn mark_owned(&mut self, span: Span) -> Check {
        match self.comments.get_mut(&span.start) {
            Some((end, owned @ false)) if *end == span.end => {
                *owned = true;
                Ok(())
            }
            _ => self.fail(
                span.start as usize,
                "not a comment, or a comment with two owners",
            ),
        }
    }

    fn leading(&mut self, leading: Span, entry: Entry<'_>) -> Check {
        if leading.is_empty() {
            return Ok(());
        }
        let mut at = leading.start;
        while at < leading.end {
            let line = self.tree.line_end(at);
            let text = &self.text()[at as usize..line as usize];
            let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
            let trimmed = text.trim_end_matches([' ', '\t']).len();
            self.mark_owned(Span::new(at + indent as u32, at + trimmed as u32))?;
            at = self.tree.next_line(line);
        }
        let between = &self.text()[leading.end as usize..entry.span.start as usize];
        if at != leading.end || !between.chars().all(|c| matches!(c, ' ' | '\t')) {
            return self.fail(
                leading.end as usize,
                "leading comments that do not end at the entry",
            );
        }
        if self.tree.line_start(leading.start) != leading.start {
            return self.fail(
                leading.start as usize,
                "leading comments that start inside a line",
            );
        }
        Ok(())
    }
}

/// Returns the contents of the scalars of a text, in order.
fn scalar_events(text: &str) -> Result<Vec<String>, String> {
    let mut parser = Parser::new_from_str(text);
    let mut contents = Vec::new();
    loop {
        match parser.next_token().map_err(|error| error.to_string())?.0 {
            Event::Scalar(content, ..) => contents.push(content),
            Event::StreamEnd => return Ok(contents),
            _ => {}
        }
    }
}

/// Compares the tree's scalars with those that the parser reads from the whole text, if the parser
/// accepts it: the tree is built from some texts with other white space. For a block scalar without
/// lines the parser finds a line break or none, depending on what follows. It reads spaces at the
/// end of the text as a line.
fn same_contents(text: &str, contents: &[String]) -> Check {
    let differs_in_empty_lines = |found: &str, expected: &str| {
        let lines = expected.trim_end_matches('\n');
        let has_one_more = expected.ends_with("\n\n") && text.ends_with([' ', '\t']);
        lines.is_empty() && found.is_empty()
            || has_one_more && found.strip_suffix('\n') == Some(lines)
    };
    let same = |expected: &[String]| {
        contents.len() == expected.len()
            && contents.iter().zip(expected).all(|(found, expected)| {
                found == expected || differs_in_empty_lines(found, expected)
            })
    };
    match scalar_events(text.strip_prefix('\u{feff}').unwrap_or(text)) {
        Ok(expected) if !same(&expected) => {
            Err("the scalars of the tree differ from the parser's".to_owned())
        }
        _ => Ok(()),
    }
}
