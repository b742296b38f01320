//! Reads scalars, aliases, and the starts and ends of collections.

use yaml_rust2::parser::Tag;
use yaml_rust2::scanner::TScalarStyle;

use super::super::comments::span;
use super::super::error::{ParseError, TEMPLATE_HELP, looks_like_template};
use super::super::scalar::{keeps_line_breaks, type_of_tagged};
use super::super::stream::byte_order_mark;
use super::super::tree::{NodeId, NodeKind, ScalarStyle, ScalarType, Span};
use super::{
    DEPTH_LIMIT, EventReader, Extent, Frame, REPETITION_LIMIT, Result, Shape, full_tag, too_deep,
};

impl EventReader<'_> {
    pub(super) fn scalar(
        &mut self,
        content: String,
        style: TScalarStyle,
        anchor: usize,
        tag: Option<Tag>,
    ) -> Result<()> {
        let is_empty = style == TScalarStyle::Plain && content.is_empty();
        self.read_indicators(is_empty && anchor == 0 && tag.is_none())?;
        let properties = self.properties(anchor, tag.as_ref())?;
        let span = if is_empty {
            span(self.last_end, self.last_end)
        } else {
            self.skip_trivia();
            self.scalar_span(&content, style)?
        };
        let (style, quotes) = match style {
            TScalarStyle::Plain => (ScalarStyle::Plain, 0),
            TScalarStyle::SingleQuoted => (ScalarStyle::SingleQuoted, 1),
            TScalarStyle::DoubleQuoted => (ScalarStyle::DoubleQuoted, 1),
            TScalarStyle::Literal => (ScalarStyle::Literal, 0),
            TScalarStyle::Folded => (ScalarStyle::Folded, 0),
        };
        let source = &self.cursor.text[span.start as usize + quotes..span.end as usize - quotes];
        let is_block = style.is_block();
        let is_in_text = !is_block && source == content;
        let content = match is_block {
            true => content_of_block(&content, source),
            false => &content,
        };
        let tag = tag.map(full_tag);
        let scalar_type = type_of_tagged(content, style, tag.as_deref());
        let tree = &mut self.builder.tree;
        let resolved = (!is_in_text).then_some(tree.resolved.len());
        if !is_in_text {
            tree.resolved.push_str(content);
        }
        let id = tree.push_scalar(span, style, scalar_type, resolved);
        tree.set_properties(id, properties);
        if scalar_type == ScalarType::Custom {
            tree.custom_tags.extend(tag.map(|tag| (id, tag)));
        }
        let extent = Extent {
            height: 0,
            nodes: 1,
        };
        self.record_anchor(anchor, id, extent);
        self.add_extent(extent);
        self.builder.set_node(id, span.end);
        self.comment_after();
        Ok(())
    }

    /// Finds the span of a scalar with this content.
    pub(super) fn scalar_span(&mut self, content: &str, style: TScalarStyle) -> Result<Span> {
        let start = self.cursor.pos;
        let end = match style {
            TScalarStyle::Plain => {
                if matches!(self.cursor.peek(), Some(b'|' | b'>')) {
                    // the parser reads it as a plain scalar
                    let message =
                        "a text that begins with `|` or `>` cannot stand between brackets";
                    return Err(ParseError::new(start, message)
                        .with_help("quote it, or write what holds it without brackets"));
                }
                if byte_order_mark(content) > 0 {
                    let message = "a byte order mark is only allowed at the start of a file";
                    return Err(ParseError::new(start, message)
                        .with_help("remove it; most editors do not show it"));
                }
                self.cursor.plain_end(content)
            }
            TScalarStyle::SingleQuoted | TScalarStyle::DoubleQuoted => {
                let quote = matches!(self.cursor.peek(), Some(b'\'' | b'"'));
                quote.then(|| self.cursor.quoted_end()).flatten()
            }
            TScalarStyle::Literal | TScalarStyle::Folded => {
                let header = matches!(self.cursor.peek(), Some(b'|' | b'>'));
                header.then(|| {
                    if let Some(comment) = self.cursor.block_scalar(self.block_column()) {
                        self.add_comment(comment);
                    }
                    self.cursor.pos
                })
            }
        };
        let Some(end) = end else {
            return Err(self.mismatch("a value"));
        };
        self.cursor.pos = end;
        self.last_end = end;
        Ok(span(start, end))
    }

    pub(super) fn alias(&mut self, anchor: usize) -> Result<()> {
        self.read_indicators(false)?;
        self.skip_trivia();
        let start = self.cursor.pos;
        if self.cursor.peek() != Some(b'*') {
            return Err(self.mismatch("an alias"));
        }
        let end = self.cursor.anchor_end();
        let Some((target, extent)) = self.anchors.get(anchor).copied().flatten() else {
            return Err(self.mismatch("an alias' anchor"));
        };
        let node = self.builder.tree.node(target);
        if self.builder.is_open(target) {
            return Err(ParseError::new(
                start,
                "an alias inside the node that it refers to",
            ));
        }
        if self.builder.expects_key() && !matches!(node.kind, NodeKind::Scalar(_)) {
            return Err(self.complex_key(start));
        }
        self.cursor.pos = end;
        self.last_end = end;
        self.aliased_nodes = self.aliased_nodes.saturating_add(extent.nodes);
        if self.aliased_nodes > REPETITION_LIMIT {
            let message =
                format!("the aliases up to here stand for more than {REPETITION_LIMIT} values");
            return Err(ParseError::new(start, message).with_help(
                "write out what is used once or twice, and do not nest aliases in aliases",
            ));
        }
        self.add_extent(extent);
        let span = span(start, end);
        let id = self.builder.tree.push_alias(span, target);
        self.builder.set_node(id, span.end);
        self.comment_after();
        Ok(())
    }

    pub(super) fn collection_start(
        &mut self,
        map: bool,
        anchor: usize,
        tag: Option<Tag>,
    ) -> Result<()> {
        self.read_indicators(false)?;
        let properties = self.properties(anchor, tag.as_ref())?;
        self.skip_trivia();
        let start = self.cursor.pos;
        if self.builder.expects_key() {
            return Err(self.complex_key(start));
        }
        if self.frames.len() == DEPTH_LIMIT {
            return Err(too_deep(start));
        }
        let shape = self.shape(map, anchor > 0 || tag.is_some());
        let flow = !matches!(shape, Shape::BlockMap | Shape::BlockList);
        let node = self.builder.begin_collection(start, map, flow);
        self.builder.tree.set_properties(node, properties);
        let core = if map {
            "tag:yaml.org,2002:map"
        } else {
            "tag:yaml.org,2002:seq"
        };
        let tag = tag.map(full_tag);
        let tag = tag.filter(|tag| &**tag != core && &**tag != "!");
        let custom_tags = &mut self.builder.tree.custom_tags;
        custom_tags.extend(tag.map(|tag| (node, tag)));
        self.record_anchor(anchor, node, Extent::default());
        if matches!(shape, Shape::FlowMap | Shape::FlowList) {
            self.indicator();
        }
        self.frames.push(Frame {
            shape,
            node,
            anchor,
            extent: Extent::default(),
        });
        Ok(())
    }

    /// Returns the style of the collection that starts here.
    fn shape(&self, map: bool, has_properties: bool) -> Shape {
        let outer = self.frames.last().map(|frame| frame.shape);
        match (map, self.cursor.peek()) {
            (true, Some(b'{')) => Shape::FlowMap,
            (false, Some(b'[')) => Shape::FlowList,
            (true, _) if outer == Some(Shape::FlowList) && !has_properties => Shape::FlowPair,
            (true, _) => Shape::BlockMap,
            (false, _) => Shape::BlockList,
        }
    }

    /// Returns the error for a key that is a map or a list.
    pub(super) fn complex_key(&self, at: usize) -> ParseError {
        let help = match looks_like_template(self.cursor.text, at) {
            true => TEMPLATE_HELP,
            false => {
                "merge3 merges maps whose keys are scalars; quote the key if it is meant as text"
            }
        };
        ParseError::new(at, "a key that is a map or a list").with_help(help)
    }

    pub(super) fn collection_end(&mut self) -> Result<()> {
        let shape = self.frames.last().map(|frame| frame.shape);
        match shape {
            Some(Shape::FlowMap) => self.closing_bracket(b'}')?,
            Some(Shape::FlowList) => self.closing_bracket(b']')?,
            _ => {}
        }
        let expects_value = self.builder.expects_value();
        let Some(frame) = self.frames.pop().filter(|_| !expects_value) else {
            return Err(self.mismatch("the end of a collection"));
        };
        let bracketed = matches!(frame.shape, Shape::FlowMap | Shape::FlowList);
        self.builder
            .end_collection(bracketed.then_some(self.last_end))?;
        let extent = Extent {
            height: frame.extent.height + 1,
            nodes: frame.extent.nodes.saturating_add(1),
        };
        if extent.height > DEPTH_LIMIT {
            let start = self.builder.tree.node(frame.node).span.start;
            return Err(too_deep(start as usize));
        }
        self.record_anchor(frame.anchor, frame.node, extent);
        self.add_extent(extent);
        if bracketed {
            self.comment_after();
        }
        Ok(())
    }

    /// Reads the closing bracket of a flow collection, and a comma before it.
    pub(super) fn closing_bracket(&mut self, bracket: u8) -> Result<()> {
        self.skip_trivia();
        if self.builder.last_entry().is_some() && self.cursor.peek() == Some(b',') {
            self.comma();
            self.skip_trivia();
        }
        if self.cursor.peek() != Some(bracket) {
            // the parser accepts some texts without it, such as `[a: {]`
            let message = format!("a `{}` is missing before this", char::from(bracket));
            return Err(ParseError::new(self.cursor.pos, message));
        }
        self.indicator();
        Ok(())
    }

    /// Records the node of an anchor.
    pub(super) fn record_anchor(&mut self, anchor: usize, node: NodeId, extent: Extent) {
        if anchor == 0 {
            return;
        }
        if self.anchors.len() <= anchor {
            self.anchors.resize(anchor + 1, None);
        }
        self.anchors[anchor] = Some((node, extent));
    }

    /// Adds the size of a node to the innermost collection.
    pub(super) fn add_extent(&mut self, extent: Extent) {
        if let Some(frame) = self.frames.last_mut() {
            let total = &mut frame.extent;
            total.height = total.height.max(extent.height);
            total.nodes = total.nodes.saturating_add(extent.nodes);
        }
    }

    /// Reads the comment after a value, while its entry is the innermost current one.
    pub(super) fn comment_after(&mut self) {
        if let Some(comment) = self.cursor.comment_on_line() {
            self.add_comment(comment);
        }
    }
}

/// Returns the content of a block scalar. The parser adds a line break if the text ends after the
/// header, and a blank line for spaces at the end of the text.
fn content_of_block<'c>(content: &'c str, source: &str) -> &'c str {
    if !source.contains(['\n', '\r']) {
        ""
    } else if content.ends_with("\n\n") && !keeps_line_breaks(source) {
        &content[..content.trim_end_matches('\n').len() + 1]
    } else {
        content
    }
}
