//! Where git agrees: local copies a map beside itself, so that a merge by lines may take the copy
//! for the original. Each map has its own comments and values all the same.

use super::merges_to;
use merge3::triple::Triple;
use proptest::prelude::*;
use proptest::sample::Index;

/// A field of a map: its name, its value, and the comment above it.
type Field = (usize, u8, Option<u8>);

/// A number that no field has before the edits.
const NEW: u8 = 9;

#[derive(Debug)]
struct Case {
    texts: Triple<String>,
    expected: String,
}

/// Maps of which local copies one, as [`case`] builds them.
fn cases() -> impl Strategy<Value = Case> {
    let field = (0u8..3, proptest::option::weighted(0.3, 0u8..3));
    let map = prop::collection::vec(field, 2..7);
    let maps = prop::collection::vec(map, 1..4);
    let places = any::<[Index; 3]>();
    let choices = any::<[bool; 3]>();
    (maps, places, choices).prop_map(|(maps, places, choices)| {
        let names = |map: Vec<(u8, Option<u8>)>| -> Vec<Field> {
            let fields = map.into_iter().enumerate();
            fields
                .map(|(at, (value, comment))| (at, value, comment))
                .collect()
        };
        case(maps.into_iter().map(names).collect(), places, choices)
    })
}

/// Local copies a map, above or below itself, and removes or changes one field of the first.
/// Upstream changes another field of it, or the comment above.
fn case(maps: Vec<Vec<Field>>, [map, own, other]: [Index; 3], choices: [bool; 3]) -> Case {
    let [copies_above, removes, comments] = choices;
    let map = map.index(maps.len());
    let own = own.index(maps[map].len());
    // another field
    let other = (own + 1 + other.index(maps[map].len() - 1)) % maps[map].len();
    let text = |is_local: bool, is_updated: bool| {
        let mut edited = maps.clone();
        if is_updated {
            let (_, value, comment) = &mut edited[map][other];
            match comments {
                true => *comment = Some(NEW),
                false => *value = NEW,
            }
        }
        if is_local {
            match removes {
                true => drop(edited[map].remove(own)),
                false => edited[map][own].1 = NEW + 1,
            }
        }
        let named = edited.into_iter().enumerate();
        let mut named: Vec<_> = named.map(|(at, map)| (format!("m{at}"), map)).collect();
        if is_local {
            let at = map + usize::from(!copies_above);
            named.insert(at, ("copy".to_owned(), maps[map].clone()));
        }
        named.iter().map(|(name, map)| lines(name, map)).collect()
    };
    Case {
        texts: Triple::new(text(false, false), text(false, true), text(true, false)),
        expected: text(true, true),
    }
}

fn lines(name: &str, map: &[Field]) -> String {
    let field = |(name, value, comment): &Field| {
        let comment = comment.map(|it| format!("  # {it}\n")).unwrap_or_default();
        format!("{comment}  f{name}: {value}\n")
    };
    format!("{name}:\n{}", map.iter().map(field).collect::<String>())
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn a_copy_does_not_take_the_changes(case in cases()) {
        merges_to(&case.texts, &case.expected)?;
    }
}
