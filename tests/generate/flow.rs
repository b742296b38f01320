//! Writes collections in flow style.

use super::place::Place;
use super::render::{Renderer, key_tag};
use super::scalars::{self, Spot};
use super::style::Feature;
use crate::value::Value;

impl Renderer<'_> {
    /// Writes a node inside brackets, or the root of the document: an alias, or properties and a
    /// value. `lines` is the indentation of continuation lines, or None if everything must be on
    /// one line.
    pub(super) fn flow_node(
        &mut self,
        value: &Value,
        place: Place,
        lines: Option<usize>,
    ) -> String {
        if let Some(alias) = self.alias_of(value) {
            return alias;
        }
        let (properties, some) = self.properties(value, place);
        let text = match value {
            Value::Null if some => "null".to_owned(),
            Value::Null | Value::Scalar { .. } => self.flow_scalar(value, place),
            collection => self.flow(collection, place, lines),
        };
        format!("{properties} {text}").trim_start().to_owned()
    }

    fn flow_scalar(&self, value: &Value, place: Place) -> String {
        let spot = Spot {
            place,
            in_flow: true,
            lines: None,
        };
        let written = match value {
            Value::Scalar { tag, text } => scalars::scalar(tag, text, self.style, spot),
            _ => scalars::null(self.style, spot),
        };
        match written.tag {
            Some(tag) => format!("{tag} {}", written.text),
            None => written.text,
        }
    }

    /// Writes a map or list in brackets.
    pub(super) fn flow(&mut self, value: &Value, place: Place, lines: Option<usize>) -> String {
        let multi = self.style.applies(Feature::MultiLineFlow, place, 2);
        let inner = lines.filter(|_| multi).map(|at| at + self.style.indent);
        let (brackets, entries) = match value {
            Value::Map(fields) => ("{}", self.flow_fields(fields, place, inner)),
            Value::List(list) => {
                let mut entries = Vec::new();
                for element in list {
                    let place = place.element(element);
                    entries.push((self.flow_node(element, place, inner), place));
                }
                ("[]", entries)
            }
            _ => return String::new(),
        };
        let (open, close) = brackets.split_at(1);
        let space = if self.style.byte(Feature::Flow, place) % 3 == 1 {
            " "
        } else {
            ""
        };
        if entries.is_empty() {
            return format!("{open}{space}{close}");
        }
        let Some((inner, outer)) = inner.zip(lines) else {
            let entries: Vec<_> = entries.into_iter().map(|(text, _)| text).collect();
            return format!("{open}{space}{}{space}{close}", entries.join(", "));
        };
        let mut out = format!("{open}\n");
        let last = entries.len() - 1;
        let trailing_comma = self.style.byte(Feature::MultiLineFlow, place) > 200;
        for (index, (text, place)) in entries.into_iter().enumerate() {
            if self.style.applies(Feature::Comments, place, 6) {
                let number = self.style.byte(Feature::Comments, place);
                out.push_str(&format!("{}# in brackets {number}\n", " ".repeat(inner)));
            }
            let comma = if index < last || trailing_comma {
                ","
            } else {
                ""
            };
            let comment = match self.style.applies(Feature::LineComments, place, 6) {
                true => format!(" # after {}", self.style.byte(Feature::LineComments, place)),
                false => String::new(),
            };
            out.push_str(&format!("{}{text}{comma}{comment}\n", " ".repeat(inner)));
        }
        format!("{out}{}{close}", " ".repeat(outer))
    }

    fn flow_fields(
        &mut self,
        fields: &[(String, Value)],
        place: Place,
        inner: Option<usize>,
    ) -> Vec<(String, Place)> {
        let mut entries = Vec::new();
        for (key, value) in fields {
            let place = place.field(key);
            let spot = Spot {
                place: place.field("?"),
                in_flow: true,
                lines: None,
            };
            let key = scalars::scalar(key_tag(key), key, self.style, spot).text;
            let value = self.flow_node(value, place, inner);
            entries.push((format!("{key}: {value}"), place));
        }
        entries
    }
}
