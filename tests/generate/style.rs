//! How a value is written. All zero is the plainest way, which is what a failing case shrinks to.

use super::place::Place;
use proptest::prelude::*;

/// The ways of writing that a style may make use of; each is a bit of [`Style::uses`].
#[derive(Debug, Clone, Copy)]
pub enum Use {
    Quotes,
    Flow,
    MultiLineFlow,
    Blocks,
    Folds,
    Comments,
    LineComments,
    OddComments,
    Blanks,
    TrailingSpaces,
    ExplicitKeys,
    Anchors,
    Tags,
    DashAlone,
    WideDash,
    Nulls,
}

/// A style of writing.
#[derive(Debug, Clone)]
pub struct Style {
    /// How far a level is indented.
    pub indent: usize,
    /// Whether lists are indented under their key.
    pub indent_lists: bool,
    pub crlf: bool,
    pub bom: bool,
    /// Whether the line break at the end is missing.
    pub unended: bool,
    /// What is above the document, and below it.
    pub header: u8,
    pub footer: u8,
    uses: u32,
    choices: Vec<u8>,
}

impl Style {
    /// Whether a way of writing may occur at all.
    pub fn may(&self, way: Use) -> bool {
        self.uses & (1 << way as u32) != 0
    }

    /// One of `n` ways for something at a place; 0 where the style makes no use of it.
    pub fn pick(&self, way: Use, place: Place, n: usize) -> usize {
        if !self.may(way) {
            return 0;
        }
        self.byte(way, place) % n
    }

    /// Whether to do it here, about one time in `n`.
    pub fn does(&self, way: Use, place: Place, n: usize) -> bool {
        self.pick(way, place, n) == n - 1
    }

    /// The number behind the choice.
    pub fn byte(&self, way: Use, place: Place) -> usize {
        let hash = place.about(&format!("{way:?}")) >> 7;
        match self.choices.len() {
            0 => 0,
            len => self.choices[hash as usize % len] as usize,
        }
    }
}

/// Any style; those that use few ways at once are the most frequent.
pub fn style() -> impl Strategy<Value = Style> {
    let uses = prop_oneof![
        2 => any::<[u32; 3]>().prop_map(|[a, b, c]| a & b & c),
        2 => any::<[u32; 2]>().prop_map(|[a, b]| a & b),
        1 => any::<u32>(),
    ];
    let indent = prop_oneof![6 => Just(2_usize), 3 => Just(4), 1 => Just(3), 1 => Just(1)];
    let seldom = || prop::bool::weighted(0.1);
    let ends = (
        prop_oneof![3 => Just(0_u8), 4 => 0_u8..8],
        prop_oneof![3 => Just(0_u8), 2 => 0_u8..6],
    );
    let choices = prop::collection::vec(any::<u8>(), 0..48);
    (
        indent,
        any::<bool>(),
        seldom(),
        seldom(),
        seldom(),
        ends,
        uses,
        choices,
    )
        .prop_map(
            |(indent, indent_lists, crlf, bom, unended, (header, footer), uses, choices)| Style {
                indent,
                indent_lists,
                crlf,
                bom,
                unended,
                header,
                footer,
                uses,
                choices,
            },
        )
}

/// A style with a few choices made otherwise.
#[derive(Debug, Clone)]
pub struct Variation {
    choices: Vec<(u8, u8)>,
    uses: u32,
    crlf: bool,
    ends: Option<(u8, u8)>,
}

/// Any variation.
pub fn variation() -> impl Strategy<Value = Variation> {
    let choices = prop::collection::vec(any::<(u8, u8)>(), 0..12);
    let uses = prop_oneof![2 => Just(0), 1 => any::<[u32; 3]>().prop_map(|[a, b, c]| a & b & c)];
    let ends = prop::option::weighted(0.2, (0_u8..8, 0_u8..6));
    (choices, uses, prop::bool::weighted(0.1), ends).prop_map(|(choices, uses, crlf, ends)| {
        Variation {
            choices,
            uses,
            crlf,
            ends,
        }
    })
}

impl Variation {
    /// Makes the choices.
    pub fn apply(&self, mut style: Style) -> Style {
        for (at, byte) in &self.choices {
            let len = style.choices.len();
            if len > 0 {
                style.choices[*at as usize % len] = *byte;
            }
        }
        style.uses ^= self.uses;
        style.crlf ^= self.crlf;
        if let Some((header, footer)) = self.ends {
            (style.header, style.footer) = (header, footer);
        }
        style
    }
}
