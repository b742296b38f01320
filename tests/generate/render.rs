//! Renders a value as text in a style. A test checks that the text has exactly that value.

use super::place::Place;
use super::scalars::{self, Spot, Written};
use super::style::{Feature, Style};
use crate::value::Value;

/// Renders a document.
pub fn render(value: &Value, style: &Style) -> String {
    let mut renderer = Renderer {
        root: value,
        style,
        out: String::new(),
        anchors: Vec::new(),
        after_block: false,
        keeps_blanks: false,
    };
    renderer.document();
    renderer.out
}

pub(super) struct Renderer<'v> {
    root: &'v Value,
    pub(super) style: &'v Style,
    pub(super) out: String,
    anchors: Vec<(Value, String)>,
    /// Whether the last line belongs to a block scalar, which would include a following line of the
    /// same indentation.
    after_block: bool,
    /// Whether the block scalar would also include blank lines.
    keeps_blanks: bool,
}

impl Renderer<'_> {
    fn document(&mut self) {
        let style = self.style;
        self.out.push_str(match style.header {
            1 => "---\n",
            2 => "# The header.\n\n",
            3 => "# The header.\n---\n",
            4 => "%YAML 1.2\n---\n",
            5 => "--- # the document's\n",
            6 => "---\n# The first lines.\n# Two of them.\n\n",
            7 => "\n# The header,\n\n# in two parts.\n",
            _ => "",
        });
        let marked = matches!(style.header, 1 | 3 | 4);
        match self.root {
            Value::Map(fields) if !fields.is_empty() && !self.is_flow(self.root, Place::ROOT) => {
                self.map(fields, 0, Place::ROOT, false);
            }
            Value::List(list) if !list.is_empty() && !self.is_flow(self.root, Place::ROOT) => {
                self.list(list, 0, Place::ROOT, false);
            }
            _ => {
                if marked && style.applies(Feature::DashAlone, Place::ROOT, 2) {
                    self.out.pop();
                    self.out.push(' ');
                }
                let text = match self.root {
                    Value::Null => "null".to_owned(),
                    _ => self.flow_node(self.root, Place::ROOT, Some(0)),
                };
                self.out.push_str(&text);
                self.end_line(Place::ROOT, Feature::LineComments);
            }
        }
        self.footer();
    }

    fn footer(&mut self) {
        let keeps = self.keeps_blanks;
        let footer = match self.style.footer {
            1 => "# The end.\n",
            2 if !keeps => "\n# The end.\n",
            3 => "...\n",
            4 if !keeps => "\n\n",
            5 if !keeps => "\n# The end,\n\n# in two parts.\n\n",
            _ => "",
        };
        self.out.push_str(footer);
        // a block scalar includes the line breaks at its end
        let has_words = !footer.trim().is_empty();
        if self.style.unended && (!self.after_block || has_words) {
            let end = self.out.trim_end_matches('\n').len();
            self.out.truncate(end);
        }
        if self.style.crlf {
            self.out = self.out.replace('\n', "\r\n");
        }
        if self.style.bom {
            self.out.insert(0, '\u{feff}');
        }
    }

    /// Writes a block map. If `started`, the first key is on the current line.
    fn map(&mut self, fields: &[(String, Value)], at: usize, place: Place, started: bool) {
        for (index, (key, value)) in fields.iter().enumerate() {
            let place = place.field(key);
            if index > 0 || !started {
                self.above(at, place);
                self.indent(at);
            }
            let spot = Spot {
                place: place.field("?"),
                in_flow: false,
                lines: None,
            };
            let key = scalars::scalar(key_tag(key), key, self.style, spot).text;
            if self.style.applies(Feature::ExplicitKeys, place, 6) {
                self.out.push_str(&format!("? {key}"));
                self.end_line(spot.place, Feature::LineComments);
                self.indent(at);
                self.out.push(':');
                self.value(value, at, place, true);
            } else {
                self.out.push_str(&format!("{key}:"));
                self.value(value, at, place, false);
            }
        }
    }

    /// Writes a block list. If `started`, the first dash is on the current line.
    fn list(&mut self, list: &[Value], at: usize, place: Place, started: bool) {
        for (index, element) in list.iter().enumerate() {
            let place = place.element(element);
            if index > 0 || !started {
                self.above(at, place);
                self.indent(at);
            }
            self.out.push('-');
            self.value(element, at, place, true);
        }
    }

    /// Writes what follows a dash or a colon. After a dash, a block collection may start on the
    /// same line.
    fn value(&mut self, value: &Value, at: usize, place: Place, dash: bool) {
        let inner = at + self.style.indent.max(if dash { 2 } else { 1 });
        if self.alias(value) {
            return self.end_line(place, Feature::LineComments);
        }
        let (properties, has_properties) = self.properties(value, place);
        self.out.push_str(&properties);
        let is_block = match value {
            Value::Map(fields) => !fields.is_empty() && !self.is_flow(value, place),
            Value::List(list) => !list.is_empty() && !self.is_flow(value, place),
            _ => false,
        };
        if !is_block {
            return self.inline(value, at, inner, place, has_properties);
        }
        let compact = dash && !has_properties && !self.style.applies(Feature::DashAlone, place, 3);
        let wide = if self.style.applies(Feature::WideDash, place, 3) {
            self.style.indent
        } else {
            1
        };
        let under_key = matches!(value, Value::List(_)) && !dash && !self.style.indent_lists;
        let start = match (compact, under_key) {
            (true, _) => at + 1 + wide,
            (false, true) => at,
            (false, false) => inner,
        };
        if compact {
            self.out.push_str(&" ".repeat(wide));
        } else {
            self.end_line(place, Feature::LineComments);
        }
        match value {
            Value::Map(fields) => self.map(fields, start, place, compact),
            Value::List(list) => self.list(list, start, place, compact),
            _ => {}
        }
    }

    /// Writes a value on the line of its dash or colon, after its properties.
    fn inline(
        &mut self,
        value: &Value,
        at: usize,
        inner: usize,
        place: Place,
        has_properties: bool,
    ) {
        let spot = Spot {
            place,
            in_flow: false,
            lines: Some((at, inner)),
        };
        let written = match value {
            Value::Null if has_properties => Written::line("null".to_owned()),
            Value::Null => scalars::null(self.style, spot),
            Value::Scalar { tag, text } => scalars::scalar(tag, text, self.style, spot),
            collection => {
                let text = self.flow(collection, place, Some(inner));
                self.out.push_str(&format!(" {text}"));
                return self.end_line(place, Feature::LineComments);
            }
        };
        self.written(written, place);
    }

    fn written(&mut self, written: Written, place: Place) {
        if let Some(tag) = &written.tag {
            self.out.push_str(&format!(" {tag}"));
        }
        if !written.text.is_empty() {
            self.out.push(' ');
        }
        if !written.is_block {
            self.out.push_str(&written.text);
            return self.end_line(place, Feature::LineComments);
        }
        let (header, body) = written.text.split_once('\n').unwrap_or((&written.text, ""));
        self.out.push_str(header);
        self.end_line(place, Feature::LineComments);
        self.out.push_str(body);
        self.out.push('\n');
        (self.after_block, self.keeps_blanks) = (true, written.keeps_blanks);
    }

    /// Writes an alias, if the value was written with an anchor before.
    pub(super) fn alias(&mut self, value: &Value) -> bool {
        match self.alias_of(value) {
            Some(alias) => {
                self.out.push_str(&format!(" {alias}"));
                true
            }
            None => false,
        }
    }

    pub(super) fn alias_of(&self, value: &Value) -> Option<String> {
        let (_, name) = self
            .anchors
            .iter()
            .find(|(anchored, _)| anchored == value)?;
        Some(format!("*{name}"))
    }

    /// Returns the properties of a value: an anchor if the value repeats, and a tag that states its
    /// type.
    pub(super) fn properties(&mut self, value: &Value, place: Place) -> (String, bool) {
        let mut properties = String::new();
        if self.style.uses_feature(Feature::Tags)
            && self.style.applies(Feature::Tags, place.field("!"), 9)
        {
            properties.push_str(match value {
                Value::Map(_) => " !!map",
                Value::List(_) => " !!seq",
                _ => "",
            });
        }
        if self.style.applies(Feature::Anchors, place, 2) && occurrences(self.root, value) > 1 {
            let name = format!("a{}", self.anchors.len());
            properties.push_str(&format!(" &{name}"));
            self.anchors.push((value.clone(), name));
        }
        let some = !properties.is_empty();
        (properties, some)
    }

    pub(super) fn is_flow(&self, value: &Value, place: Place) -> bool {
        let _ = value;
        self.style.applies(Feature::Flow, place, 4)
    }

    /// Writes blank lines and comments above an entry.
    fn above(&mut self, at: usize, place: Place) {
        let style = self.style;
        if style.applies(Feature::Blanks, place, 3) && !self.keeps_blanks && !self.out.is_empty() {
            let spaces = if style.applies(Feature::TrailingSpaces, place, 4) && !self.after_block {
                "  "
            } else {
                ""
            };
            self.out.push_str(&format!("{spaces}\n"));
        }
        if style.applies(Feature::OddComments, place, 5) {
            // a comment after a blank line may be in another column than the entries
            let shift = match style.byte(Feature::OddComments, place) / 5 % 3 {
                0 => 0,
                1 if !self.after_block => at + 2,
                _ => at,
            };
            self.comment_line(
                shift,
                &format!("set off {}", style.byte(Feature::OddComments, place)),
            );
            if !self.keeps_blanks || !self.after_block {
                self.out.push('\n');
            }
        }
        if style.applies(Feature::Comments, place, 4) {
            let number = style.byte(Feature::Comments, place);
            self.comment_line(at, &format!("on this {number}"));
            if number.is_multiple_of(3) {
                self.comment_line(at, "and more 😀");
            }
        }
        (self.after_block, self.keeps_blanks) = (false, false);
    }

    fn comment_line(&mut self, at: usize, text: &str) {
        self.indent(at);
        self.out.push_str(&format!("# {text}\n"));
    }

    /// Writes a comment on the line, trailing white space and the line break.
    pub(super) fn end_line(&mut self, place: Place, feature: Feature) {
        if self.style.applies(feature, place, 5) {
            let gap = if self.style.byte(feature, place) > 128 {
                "  "
            } else {
                " "
            };
            self.out
                .push_str(&format!("{gap}# line {}", self.style.byte(feature, place)));
        }
        if self.style.applies(Feature::TrailingSpaces, place, 5) {
            self.out.push(' ');
        }
        self.out.push('\n');
        (self.after_block, self.keeps_blanks) = (false, false);
    }

    fn indent(&mut self, at: usize) {
        self.out.push_str(&" ".repeat(at));
    }
}

/// Returns the tag of a key. Keys are compared by their text, so a key that looks like a number may
/// get the tag of one.
pub(super) fn key_tag(key: &str) -> &'static str {
    match key {
        "on" | "8080" | "<<" => "plain",
        _ => "str",
    }
}

fn occurrences(within: &Value, value: &Value) -> usize {
    let below = match within {
        Value::Map(fields) => fields
            .iter()
            .map(|(_, field)| occurrences(field, value))
            .sum(),
        Value::List(list) => list.iter().map(|element| occurrences(element, value)).sum(),
        _ => 0,
    };
    below + usize::from(within == value)
}
