//! Options that take one of several words: what each of them means, and what help says of it.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A word, what it stands for, and what help says of it, if anything.
pub(super) type Word<T> = (&'static str, T, &'static str);

/// What reads one of some words.
pub(super) fn one_of<T>(words: &'static [Word<T>]) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let known = words.iter();
    let known = known.map(|(word, _, help)| match help.is_empty() {
        true => PossibleValue::new(*word),
        false => PossibleValue::new(*word).help(*help),
    });
    PossibleValuesParser::new(known).try_map(|given| {
        let found = words.iter().find(|(word, ..)| *word == given);
        found
            .map(|(_, value, _)| value.clone())
            .ok_or("there is no such word")
    })
}
