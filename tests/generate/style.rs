//! The style in which a value is written. A style of zeros is the plainest one, to which a failing
//! case shrinks.

use super::place::Place;
use proptest::prelude::*;

/// Features of YAML that a style may use, as bits of [`Style::features`].
#[derive(Debug, Clone, Copy)]
pub enum Feature {
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
    /// The indentation of a level.
    pub indent: usize,
    /// Whether lists are indented below their key.
    pub indent_lists: bool,
    pub crlf: bool,
    pub bom: bool,
    /// Whether the file lacks a line break at its end.
    pub unended: bool,
    /// The choice of text above and below the document.
    pub header: u8,
    pub footer: u8,
    features: u32,
    choices: Vec<u8>,
}

impl Style {
    /// Whether the style uses a feature.
    pub fn uses_feature(&self, feature: Feature) -> bool {
        self.features & (1 << feature as u32) != 0
    }

    /// Returns one of `n` choices for a feature at a place, 0 if the style does not use it.
    pub fn pick(&self, feature: Feature, place: Place, n: usize) -> usize {
        if !self.uses_feature(feature) {
            return 0;
        }
        self.byte(feature, place) % n
    }

    /// Whether to use the feature at this place, about one time in `n`.
    pub fn applies(&self, feature: Feature, place: Place, n: usize) -> bool {
        self.pick(feature, place, n) == n - 1
    }

    /// Returns the number behind a choice.
    pub fn byte(&self, feature: Feature, place: Place) -> usize {
        let hash = place.about(&format!("{feature:?}")) >> 7;
        match self.choices.len() {
            0 => 0,
            len => self.choices[hash as usize % len] as usize,
        }
    }
}

/// Any style. Styles with few features are the most frequent.
pub fn style() -> impl Strategy<Value = Style> {
    let features = prop_oneof![
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
        features,
        choices,
    )
        .prop_map(
            |(indent, indent_lists, crlf, bom, unended, (header, footer), features, choices)| {
                Style {
                    indent,
                    indent_lists,
                    crlf,
                    bom,
                    unended,
                    header,
                    footer,
                    features,
                    choices,
                }
            },
        )
}

/// A few changes to the choices of a style.
#[derive(Debug, Clone)]
pub struct Variation {
    choices: Vec<(u8, u8)>,
    features: u32,
    crlf: bool,
    ends: Option<(u8, u8)>,
}

/// Any variation.
pub fn variation() -> impl Strategy<Value = Variation> {
    let choices = prop::collection::vec(any::<(u8, u8)>(), 0..12);
    let features =
        prop_oneof![2 => Just(0), 1 => any::<[u32; 3]>().prop_map(|[a, b, c]| a & b & c)];
    let ends = prop::option::weighted(0.2, (0_u8..8, 0_u8..6));
    (choices, features, prop::bool::weighted(0.1), ends).prop_map(
        |(choices, features, crlf, ends)| Variation {
            choices,
            features,
            crlf,
            ends,
        },
    )
}

impl Variation {
    /// Applies the changes.
    pub fn apply(&self, mut style: Style) -> Style {
        for (at, byte) in &self.choices {
            let len = style.choices.len();
            if len > 0 {
                style.choices[*at as usize % len] = *byte;
            }
        }
        style.features ^= self.features;
        style.crlf ^= self.crlf;
        if let Some((header, footer)) = self.ends {
            (style.header, style.footer) = (header, footer);
        }
        style
    }
}
