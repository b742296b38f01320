//! Generates random packages: a realistic original, two scripts of edits, and a style for each
//! side.

pub mod commented;
pub mod edit;
mod flow;
pub mod package;
pub mod place;
pub mod render;
pub mod scalars;
pub mod style;
pub mod values;

use crate::value::Value;
use merge3::triple::Triple;
use proptest::prelude::*;
use style::Style;

/// Three values, two of them derived from the first, and a text for each.
#[derive(Clone)]
pub struct Case {
    pub values: Triple<Value>,
    pub texts: Triple<String>,
}

impl std::fmt::Debug for Case {
    /// Prints the three texts as they are, so that they can be copied into a case.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = ["original", "updated", "local"];
        for (name, text) in names.into_iter().zip(self.texts.as_ref().into_array()) {
            write!(f, "\n======== {name}\n{}", text.replace('\r', "␍"))?;
            if !text.ends_with('\n') {
                f.write_str("⏎ (no line break at the end)")?;
            }
        }
        f.write_str("\n========")
    }
}

/// A case of three values. The styles of the sides are similar to different degrees.
pub fn case() -> impl Strategy<Value = Case> {
    (triple(), styles()).prop_map(|(values, styles)| Case {
        texts: values
            .as_ref()
            .zip(styles)
            .map(|(value, style)| render::render(value, &style)),
        values,
    })
}

/// An original and the results of two scripts. Some edits are in both scripts.
pub fn triple() -> impl Strategy<Value = Triple<Value>> {
    let script = || prop::collection::vec(edit::edit(), 0..4);
    let shared = prop::collection::vec(edit::edit(), 0..2);
    (values::document(), shared, script(), script()).prop_map(
        |(original, shared, upstream, local)| {
            let run = |script: &[edit::Edit]| {
                let mut value = original.clone();
                for edit in shared.iter().chain(script) {
                    edit.apply(&mut value);
                }
                value
            };
            Triple::new(original.clone(), run(&upstream), run(&local))
        },
    )
}

/// Three styles. Each side's style is the original's, the original's with some changes, or another
/// one.
pub fn styles() -> impl Strategy<Value = Triple<Style>> {
    let derived = || {
        prop_oneof![
            2 => Just(None),
            2 => style::variation().prop_map(Some),
        ]
    };
    let other = || prop::option::weighted(0.25, style::style());
    (style::style(), (derived(), other()), (derived(), other())).prop_map(
        |(base, upstream, local)| {
            let derive = |(variation, other): (Option<style::Variation>, Option<Style>)| {
                let style = other.unwrap_or_else(|| base.clone());
                match variation {
                    Some(variation) => variation.apply(style),
                    None => style,
                }
            };
            let (updated, local) = (derive(upstream), derive(local));
            Triple::new(base.clone(), updated, local)
        },
    )
}
