//! Decodes the input of a merge from a fuzzer's bytes.
//!
//! The first three bytes choose the options. The parts after them are separated by 0xFF, which
//! UTF-8 text never contains.

use merge3::merge::{ConflictStyle, Lists, MarkerStyle, Nulls, OnConflict, Options, Sides, Texts};

/// The separator between parts.
const SEPARATOR: u8 = 0xFF;

/// Returns the options, whether the document is a resource, and the parts.
pub(super) fn read(bytes: &[u8]) -> Option<(Options, bool, Vec<&[u8]>)> {
    let ([first, second, third], rest) = bytes.split_first_chunk::<3>()?;
    let options = Options {
        on_conflict: match first & 3 {
            0 => OnConflict::Updated,
            1 => OnConflict::Local,
            2 => OnConflict::Fail,
            _ => OnConflict::Markers,
        },
        lists: match first >> 2 & 3 {
            1 => Lists::Set,
            2 => Lists::Merge,
            _ => Lists::Replace,
        },
        nulls: match first >> 4 & 3 {
            1 => Some(Nulls::Clear),
            2 => Some(Nulls::Keep),
            _ => None,
        },
        keys: match second & 1 {
            0 => Vec::new(),
            _ => vec!["a".to_owned(), "image".to_owned()],
        },
        sides: match second >> 1 & 1 {
            0 => Sides::Upstream,
            _ => Sides::Equal,
        },
        texts: match second >> 3 & 1 {
            0 => Texts::Replace,
            _ => Texts::Lines,
        },
        markers: MarkerStyle {
            conflict_style: Some(match third & 3 {
                0 | 1 => ConflictStyle::Merge,
                2 => ConflictStyle::Diff3,
                _ => ConflictStyle::Zdiff3,
            }),
            ..MarkerStyle::default()
        },
        ..Options::default()
    };
    let parts = rest.split(|byte| *byte == SEPARATOR).collect();
    Some((options, third >> 2 & 1 == 1, parts))
}
