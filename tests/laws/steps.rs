//! Law 6 where one side moves, inserts and deletes elements of a list without a key or documents of
//! a file, and the other side changes some: the result is the list or file of the one side with the
//! changes of the other, to the byte (rules: Lists without a key, Documents).

use merge3::git::resolve::{Diff, Request, resolve};
use merge3::merge::MarkerStyle;
use merge3::{Options, Triple};
use proptest::prelude::*;
use proptest::sample::Index;

const LONGEST: usize = 7;

/// What one side does to the list.
#[derive(Debug, Clone)]
enum Edit {
    Move(Index, Index),
    Insert(Index),
    Delete(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let index = any::<Index>;
    prop_oneof![
        2 => (index(), index()).prop_map(|(from, to)| Edit::Move(from, to)),
        1 => index().prop_map(Edit::Insert),
        1 => index().prop_map(Edit::Delete),
    ]
}

/// Returns the numbers of the steps after the edits. A step that the other side changed stays.
fn edited(count: usize, edits: &[Edit], changed: &[bool]) -> Vec<usize> {
    let mut steps: Vec<usize> = (0..count).collect();
    for (number, edit) in edits.iter().enumerate() {
        match edit {
            Edit::Insert(at) => steps.insert(at.index(steps.len() + 1), LONGEST + number),
            _ if steps.is_empty() => {}
            Edit::Move(from, to) => {
                let step = steps.remove(from.index(steps.len()));
                steps.insert(to.index(steps.len() + 1), step);
            }
            Edit::Delete(at) => {
                let at = at.index(steps.len());
                if !changed.get(steps[at]).is_some_and(|it| *it) {
                    steps.remove(at);
                }
            }
        }
    }
    steps
}

/// How the elements are written, and what a change of one is.
#[derive(Debug, Clone, Copy)]
enum Style {
    /// A map, of which one field changes.
    Map { has_comment: bool },
    /// A scalar, to which a comment is added.
    Scalar,
    /// A document, of which one field changes. All are resources, or none.
    Document {
        has_comment: bool,
        is_resource: bool,
    },
}

fn style() -> impl Strategy<Value = Style> {
    let map = any::<bool>().prop_map(|has_comment| Style::Map { has_comment });
    let document = any::<[bool; 2]>().prop_map(|[has_comment, is_resource]| Style::Document {
        has_comment,
        is_resource,
    });
    prop_oneof![2 => map, 1 => Just(Style::Scalar), 2 => document]
}

fn text(steps: &[usize], is_changed: impl Fn(usize) -> bool, style: Style) -> String {
    let step = |number: &usize| {
        let about = |has_comment: bool| match has_comment {
            true => format!("# about {number}\n"),
            false => String::new(),
        };
        let size = 1 + u8::from(is_changed(*number));
        match style {
            Style::Map { has_comment } => about(has_comment) + &map(*number, size),
            Style::Scalar if size > 1 => format!("- step{number} # changed\n"),
            Style::Scalar => format!("- step{number}\n"),
            Style::Document {
                has_comment,
                is_resource,
            } => about(has_comment) + &document(*number, size, is_resource),
        }
    };
    let steps: Vec<String> = steps.iter().map(step).collect();
    match style {
        Style::Document { .. } => steps.join("---\n"),
        _ if steps.is_empty() => "[]\n".to_owned(),
        _ => steps.concat(),
    }
}

fn map(number: usize, size: u8) -> String {
    match number % 2 {
        0 => format!("- run: step {number}\n  env:\n    SIZE: {size}\n    NAME: n{number}\n"),
        _ => format!("- uses: org/a{number}@v1\n  with:\n    size: {size}\n    n: {number}\n"),
    }
}

fn document(number: usize, size: u8, is_resource: bool) -> String {
    let fields = format!("spec:\n  size: {size}\n  n{number}: 1\n  field{number}: 1\n");
    match is_resource {
        true => format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: n{number}\n") + &fields,
        false => format!("kind: Step{number}\n") + &fields,
    }
}

/// Returns the merge of git's driver, and its number of conflicts.
fn driven(texts: Triple<&str>) -> (String, usize) {
    let merged = resolve(&Request {
        path: "steps.yaml".as_ref(),
        sides: texts.map(|text| text.to_owned().into()),
        style: MarkerStyle::default(),
        favor: None,
        diff: Diff::Histogram,
    });
    let merged = merged.unwrap();
    (String::from_utf8(merged.bytes).unwrap(), merged.conflicts)
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn law_6_steps_that_one_side_moves_and_the_other_changes(
        changed in prop::collection::vec(prop::bool::weighted(0.3), 2..=LONGEST),
        edits in prop::collection::vec(edit(), 1..4),
        style in style(),
        is_fork_moving in any::<bool>(),
    ) {
        let all: Vec<usize> = (0..changed.len()).collect();
        let steps = edited(changed.len(), &edits, &changed);
        prop_assume!(!steps.is_empty() || !matches!(style, Style::Document { .. }));
        let is_changed = |number: usize| changed.get(number).is_some_and(|it| *it);
        let original = text(&all, |_| false, style);
        let moving = text(&steps, |_| false, style);
        let changing = text(&all, is_changed, style);
        let expected = text(&steps, is_changed, style);
        let (updated, local) = match is_fork_moving {
            true => (&changing, &moving),
            false => (&moving, &changing),
        };
        let merged = merge3::merge(&original, updated, local, &Options::default());
        let merged = merged.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&merged.text, &expected);
        prop_assert!(merged.conflicts.is_empty());
        let driven = driven(Triple::new(&original, updated, local));
        prop_assert_eq!(driven, (expected, 0));
    }
}
