//! Law 2 for the form of a file: upstream changes only the indentation, the blank lines and the
//! white space in front of comments, and local changes only values. The result has both.

use merge3::Options;
use proptest::prelude::*;
use proptest::sample::select;

/// An entry of a file.
#[derive(Debug, Clone)]
enum Value {
    Scalar(u8),
    /// Fields, each with a scalar.
    Map(Vec<Field>),
    /// Elements that are scalars.
    List(Vec<u8>),
}

/// A field with the lines above it.
#[derive(Debug, Clone)]
struct Field {
    value: Value,
    /// A comment line above it, in its column or at the margin.
    above: Option<Column>,
    /// Whether a comment is beside its key or value.
    is_commented: bool,
}

#[derive(Debug, Clone, Copy)]
enum Column {
    OfField,
    Margin,
}

/// How a file is written.
#[derive(Debug, Clone, Copy)]
struct Form {
    indent: usize,
    /// Whether lists are indented under their keys.
    indents_lists: bool,
    /// The number of spaces in front of a comment beside a value.
    gap: usize,
    /// The number of blank lines between the fields at the top.
    blanks: usize,
}

fn field(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Field> {
    let above = prop::option::weighted(0.3, select(&[Column::OfField, Column::Margin][..]));
    (value, above, any::<bool>()).prop_map(|(value, above, is_commented)| Field {
        value,
        above,
        is_commented,
    })
}

fn file() -> impl Strategy<Value = Vec<Field>> {
    let scalar = || (0..9_u8).prop_map(Value::Scalar);
    let fields = prop::collection::vec(field(scalar()), 1..4);
    let value = prop_oneof![
        scalar(),
        fields.prop_map(Value::Map),
        prop::collection::vec(0..9_u8, 1..4).prop_map(Value::List),
    ];
    prop::collection::vec(field(value), 1..5)
}

fn form() -> impl Strategy<Value = Form> {
    let parts = (select(&[2, 4][..]), any::<bool>(), 1..4_usize, 0..3_usize);
    parts.prop_map(|(indent, indents_lists, gap, blanks)| Form {
        indent,
        indents_lists,
        gap,
        blanks,
    })
}

/// Returns the file with another value for some of the scalars.
fn with_changes(file: &[Field], changes: &[bool]) -> Vec<Field> {
    let mut changes = changes.iter().cycle();
    let mut change = |scalar: &mut u8| *scalar += if *changes.next().unwrap() { 10 } else { 0 };
    let mut file = file.to_vec();
    for field in &mut file {
        match &mut field.value {
            Value::Scalar(scalar) => change(scalar),
            Value::List(elements) => elements.iter_mut().for_each(&mut change),
            Value::Map(fields) => {
                for field in fields {
                    if let Value::Scalar(scalar) = &mut field.value {
                        change(scalar);
                    }
                }
            }
        }
    }
    file
}

fn written(file: &[Field], form: Form) -> String {
    let mut text = String::new();
    write(file, form, 0, &mut text);
    text
}

fn write(fields: &[Field], form: Form, column: usize, text: &mut String) {
    for (at, field) in fields.iter().enumerate() {
        let name = format!("{}{at}", ["a", "b"][usize::from(column > 0)]);
        if column == 0 && at > 0 {
            text.push_str(&"\n".repeat(form.blanks));
        }
        if let Some(above) = field.above {
            let width = match above {
                Column::OfField => column,
                Column::Margin => 0,
            };
            text.push_str(&format!("{:width$}# above {name}\n", ""));
        }
        let comment = match field.is_commented {
            true => format!("{:1$}# on {name}", "", form.gap),
            false => String::new(),
        };
        let inner = column + form.indent;
        match &field.value {
            Value::Scalar(it) => text.push_str(&format!("{:column$}{name}: {it}{comment}\n", "")),
            Value::Map(fields) => {
                text.push_str(&format!("{:column$}{name}:{comment}\n", ""));
                write(fields, form, inner, text);
            }
            Value::List(elements) => {
                text.push_str(&format!("{:column$}{name}:{comment}\n", ""));
                let column = if form.indents_lists { inner } else { column };
                for element in elements {
                    text.push_str(&format!("{:column$}- {element}\n", ""));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn law_2_form_and_values(
        file in file(),
        (before, after) in (form(), form()),
        changes in prop::collection::vec(any::<bool>(), 1..6),
    ) {
        let changed = with_changes(&file, &changes);
        let [original, updated] = [before, after].map(|form| written(&file, form));
        let [local, expected] = [before, after].map(|form| written(&changed, form));
        let merged = merge3::merge(&original, &updated, &local, &Options::default());
        let merged = merged.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&merged.text, &expected);
        prop_assert!(merged.conflicts.is_empty(), "{:?}", merged.conflicts);
    }
}
