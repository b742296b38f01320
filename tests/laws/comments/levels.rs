//! Both sides add the same words: upstream in a map or list, local below it. These are two
//! comments.

use super::merges_to;
use merge3::triple::Triple;
use proptest::prelude::*;
use proptest::sample::Index;

const WORDS: &str = "# optional\n";

#[derive(Debug)]
struct Case {
    texts: Triple<String>,
    expected: String,
}

/// Collections of which both sides change one, as [`case`] builds them.
fn cases() -> impl Strategy<Value = Case> {
    let lengths = prop::collection::vec(2usize..5, 1..4);
    (lengths, any::<[Index; 3]>(), any::<[bool; 3]>())
        .prop_map(|(lengths, places, choices)| case(&lengths, places, choices))
}

/// Upstream adds an entry with a comment to one of the collections, not at its end. Local rewrites
/// the comment of one of its entries, and adds the same comment below the collection: above the
/// next field, or above a field of its own.
fn case(lengths: &[usize], [which, gap, own]: [Index; 3], choices: [bool; 3]) -> Case {
    let [is_list, has_own_field, is_set_off] = choices;
    let which = which.index(lengths.len());
    let gap = gap.index(lengths[which]);
    let own = own.index(lengths[which]);
    let text = |is_local: bool, is_updated: bool| {
        let mut text = String::new();
        for (number, length) in lengths.iter().enumerate() {
            let is_edited = number == which;
            text += &format!("m{number}:\n");
            for at in 0..*length {
                if is_updated && is_edited && at == gap {
                    text += &entry(WORDS, "new", is_list);
                }
                let author = match is_local && is_edited && at == own {
                    true => "our",
                    false => "the",
                };
                text += &entry(&format!("# {author} {at}\n"), &format!("f{at}"), is_list);
            }
            if is_local && is_edited {
                text += if is_set_off { "\n" } else { "" };
                text += WORDS;
                text += if has_own_field { "ours: 1\n" } else { "" };
            }
            text += &format!("next{number}: 1\n");
        }
        text
    };
    Case {
        texts: Triple::new(text(false, false), text(false, true), text(true, false)),
        expected: text(true, true),
    }
}

/// Returns the lines of an entry with the comment above it.
fn entry(comment: &str, name: &str, is_list: bool) -> String {
    match is_list {
        true => format!("  {comment}  - {name}\n"),
        false => format!("  {comment}  {name}: 1\n"),
    }
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn the_same_words_at_two_levels_are_two_comments(case in cases()) {
        merges_to(&case.texts, &case.expected)?;
    }
}
