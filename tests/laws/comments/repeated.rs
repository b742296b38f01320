//! A new comment with the text of another comment near it: both are in the result (rules: Text).

use crate::drive::{Setup, run};
use merge3::merge::Options;
use merge3::triple::Triple;

/// The comment that occurs more than once.
const COMMENT: &str = "# optional";

/// What follows the map to which upstream adds a field.
const BELOW: [&str; 6] = [
    "",
    "# optional\nz: 1\n",
    "\n# optional\nz: 1\n",
    "# optional\n",
    "# optional\n# optional\nz: 1\n",
    "z: 1\n# optional\ny: 1\n",
];

/// The places at which a map of two fields can be: the lines above it, and its indentation.
const PLACES: [(&str, usize); 4] = [
    ("p:\n", 2),
    ("p:\n  q:\n", 4),
    ("p:\n- n: 1\n", 2),
    ("# optional\np:\n", 2),
];

/// Upstream adds a commented field to a map, and local changed the field above or below that place,
/// so that git's line merge has a conflict.
#[test]
fn a_new_comment_comes_beside_the_same_one() {
    let setup = Setup {
        resource: false,
        options: Options::default(),
    };
    for (above, indent) in PLACES {
        let indent = " ".repeat(indent);
        for below in BELOW {
            for new_at in 0..3 {
                for changed in 0..2 {
                    let text = |has_new: bool, value: usize| {
                        let mut fields = [0, 1].map(|at| {
                            let value = if at == changed { value } else { 0 };
                            format!("{indent}f{at}: {value}\n")
                        });
                        let new = format!("{indent}{COMMENT}\n{indent}new: 1\n");
                        if has_new {
                            match new_at {
                                0 => fields[0].insert_str(0, &new),
                                at => fields[at - 1].push_str(&new),
                            }
                        }
                        format!("{above}{}{below}", fields.concat())
                    };
                    let texts = [text(false, 0), text(true, 0), text(false, 7)];
                    let [original, updated, local] = &texts;
                    let merged = run(Triple::new(&**original, updated, local), &setup).unwrap();
                    assert_eq!(merged.text, text(true, 7), "{texts:#?}");
                }
            }
        }
    }
}
