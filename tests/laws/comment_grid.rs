//! Tests a comment change of upstream's at every place where a comment can stand beside a key.
//! Local changes one unrelated value, so the expected result is upstream's text with local's value;
//! the test makes both edits on the lines. Two more changes without conflict are tested in the same
//! way: a line deleted from an entry that the other side renamed, and an alias.

use crate::drive::{Setup, run};
use crate::shown::shown;
use merge3::merge::Options;
use merge3::triple::Triple;

/// A change of the comment: its lines before and after, and whether a blank line separates them
/// from the entry below.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    Text,
    Add,
    Remove,
    Extend,
    Shrink,
    SetOff,
    Join,
}

/// The indentation of the comment.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Column {
    OfTheKey,
    OneIn,
    Deeper,
    Shallower,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Above,
    Below,
    Beside,
    /// Between the key and its value, which is on a line of its own then.
    Between,
}

/// The line that follows the key.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Next {
    Key,
    Dedent,
    BlankLine,
    EndOfFile,
    Element,
}

/// The change that local makes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum LocalChange {
    /// An unrelated value far away: a line merge has no conflict.
    Far,
    /// The value of the key beside the comment.
    Near,
    /// No value, but every other line with a key gets a trailing space, so that a line merge
    /// conflicts.
    Spaces,
}

#[derive(Debug, Clone, Copy)]
struct Point {
    change: Change,
    column: Column,
    place: Place,
    next: Next,
    local: LocalChange,
    /// Whether the value of the key is an empty list, which the comment may be an example for, or a
    /// number.
    empty: bool,
}

impl Change {
    /// Returns the comment lines and whether a blank line follows them, before and after the
    /// change.
    fn lines(self) -> [(&'static [&'static str], bool); 2] {
        const ONE: &[&str] = &["# one"];
        const TWO: &[&str] = &["# one", "# two"];
        match self {
            Self::Text => [(ONE, false), (&["# another"], false)],
            Self::Add => [(&[], false), (ONE, false)],
            Self::Remove => [(ONE, false), (&[], false)],
            Self::Extend => [(ONE, false), (TWO, false)],
            Self::Shrink => [(TWO, false), (ONE, false)],
            Self::SetOff => [(ONE, false), (ONE, true)],
            Self::Join => [(ONE, true), (ONE, false)],
        }
    }
}

impl Point {
    fn all() -> Vec<Self> {
        let mut points = Vec::new();
        for place in [Place::Above, Place::Below, Place::Beside, Place::Between] {
            let columns: &[Column] = match place {
                Place::Beside => &[Column::OfTheKey],
                _ => &[
                    Column::OfTheKey,
                    Column::OneIn,
                    Column::Deeper,
                    Column::Shallower,
                ],
            };
            let changes: &[Change] = match place {
                Place::Beside => &[Change::Text, Change::Add, Change::Remove],
                _ => &[
                    Change::Text,
                    Change::Add,
                    Change::Remove,
                    Change::Extend,
                    Change::Shrink,
                    Change::SetOff,
                    Change::Join,
                ],
            };
            for &change in changes {
                for &column in columns {
                    for next in [
                        Next::Key,
                        Next::Dedent,
                        Next::BlankLine,
                        Next::EndOfFile,
                        Next::Element,
                    ] {
                        for local in [LocalChange::Far, LocalChange::Near, LocalChange::Spaces] {
                            for empty in [false, true] {
                                points.push(Self {
                                    change,
                                    column,
                                    place,
                                    next,
                                    local,
                                    empty,
                                });
                            }
                        }
                    }
                }
            }
        }
        points
    }

    /// Returns the text before or after upstream's change, with or without local's change.
    fn text(self, after: bool, local: bool) -> String {
        let (comment, set_off) = self.change.lines()[usize::from(after)];
        let spaces = local && self.local == LocalChange::Spaces;
        let in_element = self.next == Next::Element;
        let column = if in_element { 4 } else { 2 };
        let mut lines: Vec<String> = Vec::new();
        let key = |lines: &mut Vec<String>, text: &str| {
            lines.push(format!("{text}{}", if spaces { " " } else { "" }));
        };
        let far = local && self.local == LocalChange::Far;
        key(&mut lines, if far { "first: 2" } else { "first: 1" });
        key(&mut lines, "middle: 1");
        key(&mut lines, "box:");
        key(
            &mut lines,
            if in_element {
                "  - alpha: 1"
            } else {
                "  alpha: 1"
            },
        );
        let width = match self.column {
            Column::OfTheKey => column,
            Column::OneIn => column + 2,
            Column::Deeper => column + 5,
            Column::Shallower => column - 2,
        };
        let comments = |lines: &mut Vec<String>| {
            lines.extend(
                comment
                    .iter()
                    .map(|line| format!("{}{line}", " ".repeat(width))),
            );
            lines.extend(set_off.then(String::new));
        };
        if self.place == Place::Above {
            comments(&mut lines);
        }
        let value = match (self.empty, local && self.local == LocalChange::Near) {
            (false, near) => {
                if near {
                    "6"
                } else {
                    "5"
                }
            }
            (true, near) => {
                if near {
                    "[own]"
                } else {
                    "[]"
                }
            }
        };
        let line_comment = match (self.place, comment) {
            (Place::Beside, [line_comment, ..]) => format!(" {line_comment}"),
            _ => String::new(),
        };
        let indent = " ".repeat(column);
        if self.place == Place::Between && !comment.is_empty() {
            let target = format!("{indent}target:");
            match self.change {
                // the other version has the value on this line
                Change::Add | Change::Remove => lines.push(target),
                _ => key(&mut lines, &target),
            }
            comments(&mut lines);
            lines.push(format!("{indent}  {value}"));
        } else {
            lines.push(format!("{indent}target: {value}{line_comment}"));
        }
        if self.place == Place::Below {
            comments(&mut lines);
        }
        match self.next {
            Next::Key => key(&mut lines, "  omega: 1"),
            Next::BlankLine => {
                lines.push(String::new());
                key(&mut lines, "  omega: 1");
            }
            Next::Element => {
                key(&mut lines, "  - alpha: 2");
                key(&mut lines, "    beta: 1");
            }
            Next::Dedent | Next::EndOfFile => {}
        }
        if self.next != Next::EndOfFile {
            key(&mut lines, "last: 1");
        }
        lines.join("\n") + "\n"
    }
}

#[test]
fn a_comment_that_upstream_alone_changed_comes_whatever_its_place() {
    let setup = Setup {
        resource: false,
        options: Options::default(),
    };
    let points = Point::all();
    let mut wrong = Vec::new();
    for point in &points {
        let [original, updated, local] = [(false, false), (true, false), (false, true)]
            .map(|(after, own)| point.text(after, own));
        let expected = point.text(true, true);
        let merged = match run(Triple::new(&*original, &*updated, &*local), &setup) {
            Ok(result) => result.text,
            Err(error) => error.to_string(),
        };
        if merged != expected {
            wrong.push((
                format!("{point:?}"),
                [original, updated, local, expected, merged],
            ));
        }
    }
    let shown = shown(&wrong, 3);
    assert!(
        wrong.is_empty(),
        "{} of {} places are wrong\n{shown}",
        wrong.len(),
        points.len()
    );
}

/// One side deletes a line in an entry that the other side renamed: the line is deleted under the
/// new key (rules: Maps, Renamed keys).
#[test]
fn a_line_deleted_in_what_the_other_side_renamed_goes() {
    let setup = Setup {
        resource: false,
        options: Options::default(),
    };
    let text = |element: bool, fields: usize, name: &str, without: Option<usize>| {
        let mut lines = vec!["first: 1".to_owned(), "box:".to_owned()];
        lines.push(if element {
            format!("  - name: {name}")
        } else {
            format!("  {name}:")
        });
        let field = |at: &usize| Some(*at) != without;
        lines.extend(
            (0..fields)
                .filter(field)
                .map(|at| format!("    field{at}: value{at}")),
        );
        lines.push(
            if element {
                "  - name: other"
            } else {
                "  other:"
            }
            .to_owned(),
        );
        lines.push("    field0: another".to_owned());
        lines.join("\n") + "\n"
    };
    let mut wrong = Vec::new();
    for element in [false, true] {
        for fields in 3..7 {
            for without in 0..fields {
                for upstream_renames in [false, true] {
                    let renamed = text(element, fields, "new", None);
                    let shorter = text(element, fields, "old", Some(without));
                    let (updated, local) = match upstream_renames {
                        true => (renamed, shorter),
                        false => (shorter, renamed),
                    };
                    let original = text(element, fields, "old", None);
                    let expected = text(element, fields, "new", Some(without));
                    let merged = match run(Triple::new(&*original, &*updated, &*local), &setup) {
                        Ok(result) => result.text,
                        Err(error) => error.to_string(),
                    };
                    if merged != expected {
                        let name =
                            format!("element: {element}, upstream renames: {upstream_renames}");
                        wrong.push((name, [original, updated, local, expected, merged]));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} renames are wrong\n{}",
        wrong.len(),
        shown(&wrong, 2)
    );
}

/// Upstream changes a value of one service in a compose file; local replaced the alias to that
/// service by its value in another service. The third service, which no side changed, keeps its
/// alias.
#[test]
fn an_alias_that_nobody_touched_stays() {
    let setup = Setup {
        resource: false,
        options: Options::default(),
    };
    let text = |labels: &str, worker: &str| {
        format!(
            "services:\n  web: &web\n    image: shop:1\n    labels:\n      x: 1\n{labels}  worker:\n{worker}    command: work\n  cron:\n    <<: *web\n    command: cron\n"
        )
    };
    let (alias, out) = (
        "    <<: *web\n",
        "    image: shop:1\n    labels:\n      x: 1\n",
    );
    let original = text("", alias);
    let updated = text("      y: 2\n", alias);
    let local = text("", out);
    let cron = "  cron:\n    <<: *web\n    command: cron\n";
    for sides in [[&updated, &local], [&local, &updated]] {
        let [updated, local] = sides;
        let merged = run(Triple::new(&*original, &**updated, &**local), &setup).unwrap();
        assert!(merged.text.ends_with(cron), "{}", merged.text);
        assert!(
            merged
                .text
                .contains("    labels:\n      x: 1\n      y: 2\n"),
            "{}",
            merged.text
        );
    }
}
