//! Laws 4, 8 and 9 where upstream moves documents between files: local only changed a value of each
//! document, so the result is upstream's files with local's values, to the byte.

use crate::packages::{Files, merge};
use merge3::triple::Triple;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A document with comments of its own.
#[derive(Debug, Clone)]
struct Document {
    name: usize,
    /// The comments above it, and whether a blank line sets them off.
    above: Vec<String>,
    is_set_off: bool,
    color: &'static str,
    below: bool,
}

#[derive(Debug, Clone)]
struct File {
    name: String,
    head: Head,
    documents: Vec<Document>,
}

/// The lines above the first document of a file.
#[derive(Debug, Clone, Copy)]
struct Head {
    license: &'static str,
    has_marker: bool,
    is_marker_first: bool,
}

/// What upstream does to the files.
#[derive(Debug, Clone)]
enum Edit {
    Move(Index, Index, Head),
    Split(Index),
    Join(Index),
    Rename(Index),
    Color(Index),
    Comment(Index),
    License(Index, Head),
}

fn head() -> impl Strategy<Value = Head> {
    let licenses = select(vec![
        "",
        "# A license.\n",
        "# A license.\n# Its second line.\n",
    ]);
    (licenses, any::<bool>(), any::<bool>()).prop_map(|(license, has_marker, is_marker_first)| {
        Head {
            license,
            has_marker,
            is_marker_first,
        }
    })
}

fn document() -> impl Strategy<Value = Document> {
    (0..3_usize, any::<bool>(), any::<bool>()).prop_map(|(comments, is_set_off, below)| Document {
        name: 0,
        above: (0..comments).map(|line| format!("# line {line}")).collect(),
        is_set_off,
        color: "red",
        below,
    })
}

/// Files whose documents have different names and comments.
fn files() -> impl Strategy<Value = Vec<File>> {
    let file = (head(), prop::collection::vec(document(), 1..4));
    prop::collection::vec(file, 1..4).prop_map(|files| {
        let mut count = 0;
        let files = files.into_iter().enumerate();
        let files = files.map(|(index, (head, mut documents))| {
            for document in &mut documents {
                count += 1;
                document.name = count;
                document
                    .above
                    .iter_mut()
                    .for_each(|line| line.push_str(&format!(" of {count}")));
            }
            File {
                name: format!("f{index}"),
                head,
                documents,
            }
        });
        files.collect()
    })
}

fn edit() -> impl Strategy<Value = Edit> {
    let index = any::<Index>;
    prop_oneof![
        3 => (index(), index(), head()).prop_map(|(from, to, head)| Edit::Move(from, to, head)),
        1 => index().prop_map(Edit::Split),
        1 => index().prop_map(Edit::Join),
        1 => index().prop_map(Edit::Rename),
        1 => index().prop_map(Edit::Color),
        1 => index().prop_map(Edit::Comment),
        1 => (index(), head()).prop_map(|(at, head)| Edit::License(at, head)),
    ]
}

fn apply(files: &mut Vec<File>, edit: &Edit) {
    match edit {
        Edit::Move(from, to, head) => {
            let at = from.index(files.len());
            let document = files[at].documents.remove(0);
            let to = to.index(files.len() + 1);
            match files.get_mut(to).filter(|_| to != at) {
                Some(file) => file.documents.push(document),
                None => files.push(File {
                    name: format!("new-{}", document.name),
                    head: *head,
                    documents: vec![document],
                }),
            }
            files.retain(|file| !file.documents.is_empty());
        }
        Edit::Split(at) => {
            let file = files.remove(at.index(files.len()));
            let parts = file.documents.into_iter().map(|document| File {
                name: format!("{}-{}", file.name, document.name),
                head: file.head,
                documents: vec![document],
            });
            files.extend(parts);
        }
        Edit::Join(at) if files.len() > 1 => {
            let last = files.remove(at.index(files.len()));
            files[0].documents.extend(last.documents);
        }
        Edit::Join(_) => {}
        Edit::Rename(at) => {
            let at = at.index(files.len());
            files[at].name.push_str("-renamed");
        }
        Edit::Color(at) => document_of(files, at).color = "blue",
        Edit::Comment(at) => document_of(files, at)
            .above
            .push("# from upstream".to_owned()),
        Edit::License(at, head) => {
            let at = at.index(files.len());
            files[at].head = *head;
        }
    }
}

fn document_of<'f>(files: &'f mut [File], at: &Index) -> &'f mut Document {
    let at = at.index(files.len());
    &mut files[at].documents[0]
}

/// Writes the files, with the value that local changes.
fn texts(files: &[File], size: u8) -> Files {
    let text = |file: &File| {
        let Head {
            license,
            has_marker,
            is_marker_first,
        } = file.head;
        let head = match (has_marker, is_marker_first) {
            _ if license.is_empty() => (if has_marker { "---\n" } else { "" }).to_owned(),
            (true, true) => format!("---\n{license}\n"),
            (true, false) => format!("{license}---\n"),
            (false, _) => format!("{license}\n"),
        };
        let documents: Vec<String> = file
            .documents
            .iter()
            .map(|it| document_text(it, size))
            .collect();
        head + &documents.join("---\n")
    };
    files
        .iter()
        .map(|file| (format!("{}.yaml", file.name), text(file)))
        .collect()
}

fn document_text(document: &Document, size: u8) -> String {
    let Document {
        name,
        above,
        is_set_off,
        color,
        below,
    } = document;
    let above: String = above.iter().map(|line| format!("{line}\n")).collect();
    let blank = if *is_set_off && !above.is_empty() {
        "\n"
    } else {
        ""
    };
    let below = if *below {
        format!("# below {name}\n")
    } else {
        String::new()
    };
    format!(
        "{above}{blank}kind: Kind\nmetadata:\n  name: n{name}\nsize: {size}\ncolor: {color}\n{below}"
    )
}

/// Returns true if upstream changed the order of documents within a file, which does not merge.
fn changes_order(original: &[File], updated: &[File]) -> bool {
    let names = |file: &File| file.documents.iter().map(|it| it.name).collect::<Vec<_>>();
    original.iter().any(|old| {
        updated.iter().any(|new| {
            let (old, new) = (names(old), names(new));
            let places = new
                .iter()
                .filter_map(|name| old.iter().position(|it| it == name));
            !places.is_sorted()
        })
    })
}

proptest! {
    #![proptest_config(crate::config_of_packages(500))]

    #[test]
    fn law_8_moved_documents(original in files(), edits in prop::collection::vec(edit(), 1..3)) {
        let mut updated = original.clone();
        edits.iter().for_each(|edit| apply(&mut updated, edit));
        if changes_order(&original, &updated) {
            return Ok(());
        }
        let wanted = texts(&updated, 2);
        let sides = Triple::new(texts(&original, 1), texts(&updated, 1), texts(&original, 2));
        let sides = sides.as_ref();
        let (merged, conflicts) = merge(sides)?;
        prop_assert_eq!(conflicts, 0);
        prop_assert_eq!(&merged, &wanted);
        let (again, _) = merge(Triple { local: &merged, ..sides })?;
        prop_assert_eq!(again, merged, "again");
    }
}
