//! Writes a scalar in one of the styles of YAML.

use super::place::Place;
use super::style::{Feature, Style};
use crate::value::load::plain_type;

/// The context in which a scalar is written.
#[derive(Debug, Clone, Copy)]
pub struct Spot {
    pub place: Place,
    pub in_flow: bool,
    /// The indentation of the surrounding collection and of continuation lines, or None if the
    /// scalar must be on one line.
    pub lines: Option<(usize, usize)>,
}

/// A scalar as text: its properties, the text on the line, and the further lines with their
/// indentation.
pub struct Written {
    pub tag: Option<String>,
    pub text: String,
    pub is_block: bool,
    /// Whether blank lines below would be part of the value.
    pub keeps_blanks: bool,
}

impl Written {
    /// Creates the text of a scalar on one line.
    pub fn line(text: String) -> Self {
        Self {
            tag: None,
            text,
            is_block: false,
            keeps_blanks: false,
        }
    }

    fn tagged(mut self, tag: &str) -> Self {
        self.tag = Some(tag.to_owned());
        self
    }
}

/// Writes null.
pub fn null(style: &Style, spot: Spot) -> Written {
    match style.pick(Feature::Nulls, spot.place, 4) {
        1 => Written::line("~".to_owned()),
        2 if !spot.in_flow => Written::line(String::new()),
        3 if style.uses_feature(Feature::Tags) => Written::line("''".to_owned()).tagged("!!null"),
        _ => Written::line("null".to_owned()),
    }
}

/// Writes a scalar of the given type.
pub fn scalar(tag: &str, text: &str, style: &Style, spot: Spot) -> Written {
    let plain = is_plain(text, spot.in_flow);
    let explicit = style.applies(Feature::Tags, spot.place, 6);
    if tag.starts_with('!') {
        let written = match plain {
            true if !style.applies(Feature::Quotes, spot.place, 2) => {
                Written::line(text.to_owned())
            }
            _ => string(text, style, spot, false),
        };
        return written.tagged(tag);
    }
    if tag != "str" {
        let written = Written::line(text.to_owned());
        return if explicit {
            written.tagged(&format!("!!{tag}"))
        } else {
            written
        };
    }
    let written = string(
        text,
        style,
        spot,
        plain && (explicit || plain_type(text) == Some("str")),
    );
    if explicit {
        written.tagged("!!str")
    } else {
        written
    }
}

fn string(text: &str, style: &Style, spot: Spot, plain: bool) -> Written {
    let mut ways = Vec::new();
    if plain {
        ways.push(folded_line(text, style, spot));
    }
    if !text.contains(|c: char| c.is_control()) {
        ways.push(format!(
            "'{}'",
            folded_line(&text.replace('\'', "''"), style, spot)
        ));
    }
    let double = escaped(text, style, spot);
    ways.push(format!("\"{}\"", folded_line(&double, style, spot)));
    if let Some((at, inner)) = spot.lines
        && style.applies(
            Feature::Blocks,
            spot.place,
            if text.contains('\n') { 2 } else { 6 },
        )
        && let Some(written) = block(text, style, spot.place, inner, inner - at)
    {
        return written;
    }
    let way = style.pick(Feature::Quotes, spot.place, ways.len());
    Written::line(ways.swap_remove(way))
}

/// Breaks a line at one of its single spaces, if the style does so.
fn folded_line(text: &str, style: &Style, spot: Spot) -> String {
    let single = text.find(' ').filter(|&at| {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let solid = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric());
        solid(before.chars().next_back()) && solid(after.chars().next())
    });
    match (single, spot.lines) {
        (Some(space), Some((_, inner))) if style.applies(Feature::Folds, spot.place, 3) => {
            format!(
                "{}\n{}{}",
                &text[..space],
                " ".repeat(inner),
                &text[space + 1..]
            )
        }
        _ => text.to_owned(),
    }
}

fn escaped(text: &str, style: &Style, spot: Spot) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if !c.is_ascii() && style.pick(Feature::Quotes, spot.place, 8) > 5 => {
                out.push_str(&format!("\\U{:08X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

/// Whether a text can be written as a plain scalar.
pub fn is_plain(text: &str, in_flow: bool) -> bool {
    let mut chars = text.chars();
    let Some(first) = chars.next() else {
        return false;
    };
    let starts = match first {
        '-' => chars
            .next()
            .is_some_and(|c| c.is_alphanumeric() || c == '.'),
        c => !"?:,[]{}#&*!|>'\"%@` ".contains(c),
    };
    starts
        && !text.contains(|c: char| c.is_control())
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && (!in_flow || !text.contains([',', '[', ']', '{', '}', ':']))
}

/// Writes a text as a block scalar, or returns None if that is not possible. `inner` is the
/// indentation of its lines.
fn block(
    text: &str,
    style: &Style,
    place: Place,
    inner: usize,
    relative: usize,
) -> Option<Written> {
    let body = text.trim_end_matches('\n');
    let first = body.lines().find(|line| !line.is_empty())?;
    let blank = |line: &str| !line.is_empty() && line.trim().is_empty();
    if text.contains(|c: char| c.is_control() && c != '\n') || body.lines().any(blank) {
        return None;
    }
    let way = style.byte(Feature::Blocks, place) / 8;
    let breaks = text.len() - body.len();
    let (chomping, keeps_blanks) = match breaks {
        0 => ("-", false),
        1 if !way.is_multiple_of(5) => ("", false),
        _ => ("+", true),
    };
    let solid = |line: &str| !line.is_empty() && line.trim() == line;
    let foldable = body.split('\n').all(solid);
    let folded = foldable && way % 2 == 1;
    let indicator = match first.starts_with(' ') || body.starts_with('\n') || way % 7 == 6 {
        true => relative.to_string(),
        false => String::new(),
    };
    let header = match way % 3 {
        0 => format!("{chomping}{indicator}"),
        _ => format!("{indicator}{chomping}"),
    };
    let body = match (folded, way % 4) {
        (true, 3) => {
            body.replace('\n', "\n\n")
                .replacen(" ", "\n", usize::from(!body.contains("  ")))
        }
        (true, _) => body.replace('\n', "\n\n"),
        _ => body.to_owned(),
    };
    let mut out = format!("{}{header}", if folded { '>' } else { '|' });
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.push_str(&" ".repeat(inner));
            out.push_str(line);
        }
    }
    out.push_str(&"\n".repeat(breaks.saturating_sub(1)));
    Some(Written {
        tag: None,
        text: out,
        is_block: true,
        keeps_blanks,
    })
}
