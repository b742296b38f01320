//! A comment that one side rewrote as a whole, and of which the other side changed some lines: the
//! result has the whole text of the side that the policy prefers (rules: Text).

use crate::drive::{Setup, run_files};
use crate::shown::part;
use merge3::merge::{OnConflict, Options};
use merge3::triple::Triple;

/// What a side does to a line of the comment.
#[derive(Clone, Copy, PartialEq)]
enum Edit {
    Keep,
    Rewrite,
    Remove,
}

const EDITS: [Edit; 3] = [Edit::Keep, Edit::Rewrite, Edit::Remove];
const LINES: usize = 3;

/// Returns all edits of a comment that rewrite a line and keep one.
fn partial_edits() -> impl Iterator<Item = [Edit; LINES]> {
    let count = EDITS.len();
    let all = (0..count.pow(LINES as u32)).map(move |number| {
        let digits = [number, number / count, number / count / count];
        digits.map(|digit| EDITS[digit % count])
    });
    all.filter(|edits| edits.contains(&Edit::Keep) && edits.contains(&Edit::Rewrite))
}

fn edited(edits: [Edit; LINES]) -> String {
    let lines = edits.iter().enumerate().map(|(at, edit)| match edit {
        Edit::Keep => format!("# line {at}\n"),
        Edit::Rewrite => format!("# changed {at}\n"),
        Edit::Remove => String::new(),
    });
    lines.collect()
}

#[test]
fn the_whole_text_of_one_side_is_in_the_result() {
    let places: [fn(&str) -> String; 4] = [
        |comment| format!("a: 1\n{comment}b: 1\n"),
        |comment| format!("a: 1\n\n{comment}\nb: 1\n"),
        |comment| format!("a: 1\nb: 1\n\n{comment}"),
        |comment| format!("a:\n- name: x\n{comment}- name: y\n"),
    ];
    for (place, text_with) in places.into_iter().enumerate() {
        let original = text_with(&edited([Edit::Keep; LINES]));
        for edits in partial_edits() {
            for count in 1..=LINES + 1 {
                let partial = text_with(&edited(edits));
                let whole: String = (0..count).map(|at| format!("# other {at}\n")).collect();
                let whole = text_with(&whole);
                for [updated, local] in [[&partial, &whole], [&whole, &partial]] {
                    let texts = Triple::new(&*original, &**updated, &**local);
                    for (on_conflict, expected) in
                        [(OnConflict::Updated, updated), (OnConflict::Local, local)]
                    {
                        let name = format!("place {place}, {on_conflict:?}");
                        is_whole(texts, on_conflict, expected, &name);
                    }
                }
            }
        }
    }
}

fn is_whole(texts: Triple<&str>, on_conflict: OnConflict, expected: &str, name: &str) {
    let setup = Setup {
        resource: false,
        options: Options {
            on_conflict,
            ..Options::default()
        },
    };
    let merged = run_files(texts, &setup).unwrap();
    let names = Triple::new("original", "updated", "local");
    let shown: String = names
        .zip(texts)
        .into_array()
        .map(|(name, text)| part(name, text))
        .concat();
    let shown = format!("{name}\n{shown}{}", part("merged", &merged.text));
    assert_eq!(merged.text, expected, "{shown}");
    assert_eq!(merged.conflicts.len(), 1, "{shown}");
}
