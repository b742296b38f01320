//! Generates random packages: files of documents that are derived from one original.

use super::edit::{Edit, edit};
use super::render::render;
use super::style::Style;
use super::{styles, values};
use crate::value::Value;
use merge3::triple::Triple;
use proptest::prelude::*;
use std::collections::BTreeMap;

const FILES: [&str; 3] = ["a.yaml", "b.yaml", "sub/c.yaml"];

/// The text above the first document of a file.
const HEADS: [&str; 7] = [
    "",
    "# A license.\n\n",
    "# A license,\n# of another year.\n\n",
    "# A license.\n---\n",
    "---\n# A license.\n\n",
    "# A license.\n\n# Of the file.\n\n",
    "---\n",
];

/// For each file, the index of its head.
type Heads = [u8; 3];

/// A document of a package: a resource with its name (`NAMESPACE/NAME` if it has a namespace), or
/// the other document that a file may have.
#[derive(Debug, Clone, PartialEq)]
pub struct Doc {
    pub name: Option<String>,
    body: Value,
}

/// The files of a package with their documents.
pub type Package = BTreeMap<&'static str, Vec<Doc>>;

/// Three packages, as documents and as text.
#[derive(Clone)]
pub struct Packages {
    pub documents: Triple<Package>,
    pub texts: Triple<BTreeMap<&'static str, String>>,
}

impl std::fmt::Debug for Packages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = ["original", "updated", "local"];
        for (side, files) in names.into_iter().zip(self.texts.as_ref().into_array()) {
            for (name, text) in files {
                write!(f, "\n======== {side}/{name}\n{}", text.replace('\r', "␍"))?;
            }
        }
        f.write_str("\n========")
    }
}

impl Doc {
    /// Returns the value of the document.
    pub fn value(&self) -> Value {
        let Some(name) = &self.name else {
            return self.body.clone();
        };
        let (namespace, name) = match name.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, name.as_str()),
        };
        let namespace = namespace.map(|it| ("namespace".to_owned(), Value::text(it)));
        let name = ("name".to_owned(), Value::text(name));
        let name = Value::Map([name].into_iter().chain(namespace).collect());
        let mut fields = vec![
            ("apiVersion".to_owned(), Value::text("v1")),
            ("kind".to_owned(), Value::text("Kind")),
            ("metadata".to_owned(), name),
        ];
        fields.extend(self.body.clone().into_fields());
        values::map(fields)
    }
}

#[derive(Debug, Clone)]
enum Change {
    Edit(u8, Edit),
    Remove(u8),
    Add(u8, bool, bool, Value),
    Move(u8, u8, bool),
    /// The resource gets another name or namespace.
    Rename(u8, bool, bool),
}

/// Packages whose sides change documents and, with `moves`, the files of documents.
pub fn packages(moves: bool) -> impl Strategy<Value = Packages> {
    let body =
        || prop::collection::vec((values::key(), values::small()), 0..3).prop_map(values::map);
    let documents = prop::collection::vec((0..3_usize, prop::bool::weighted(0.85), body()), 1..5);
    let script = move || {
        let change = prop_oneof![
            6 => (any::<u8>(), edit()).prop_map(|(at, edit)| Change::Edit(at, edit)),
            1 => any::<u8>().prop_map(Change::Remove),
            2 => (any::<u8>(), any::<[bool; 2]>(), body())
                .prop_map(|(file, [shared, first], body)| Change::Add(file, shared, first, body)),
            1 => any::<(u8, bool, bool)>().prop_map(|(at, shared, namespace)| Change::Rename(at, shared, namespace)),
            1 => (any::<[u8; 2]>(), any::<bool>()).prop_map(move |([at, file], first)| match moves {
                true => Change::Move(at, file, first),
                false => Change::Remove(at),
            }),
        ];
        prop::collection::vec(change, 0..4)
    };
    let scripts = (script(), script());
    (documents, scripts, heads(), styles()).prop_map(
        |(documents, (upstream, local), heads, styles)| {
            let mut original = Package::new();
            for (index, (file, is_resource, body)) in documents.into_iter().enumerate() {
                let file: &mut Vec<Doc> = original.entry(FILES[file]).or_default();
                // A file has at most one document that is no resource: they pair by their index.
                let named = is_resource || file.iter().any(|doc| doc.name.is_none());
                let name = named.then(|| format!("r{index}"));
                file.push(Doc { name, body });
            }
            let updated = changed(&original, &upstream, "u");
            let local = changed(&original, &local, "d");
            let documents = Triple::new(original, updated, local);
            let texts = documents
                .as_ref()
                .zip(heads.zip(styles))
                .map(|(package, (heads, style))| texts(package, heads, &style));
            Packages { documents, texts }
        },
    )
}

/// The heads of the files of three packages. Half of the cases have none; in the others each side
/// may change the head of one file.
fn heads() -> impl Strategy<Value = Triple<Heads>> {
    let change = || prop::option::of((0..3_usize, any::<u8>()));
    let heads = (any::<Heads>(), change(), change()).prop_map(|(heads, upstream, local)| {
        let changed = |change: Option<(usize, u8)>| {
            let mut heads = heads;
            if let Some((file, head)) = change {
                heads[file] = head;
            }
            heads
        };
        Triple::new(heads, changed(upstream), changed(local))
    });
    prop_oneof![Just(Triple::default()), heads]
}

fn changed(original: &Package, script: &[Change], prefix: &str) -> Package {
    let mut package = original.clone();
    for (number, change) in script.iter().enumerate() {
        let places: Vec<_> = package
            .iter()
            .flat_map(|(file, docs)| (0..docs.len()).map(|index| (*file, index)))
            .collect();
        let place = |at: &u8| places.get(*at as usize % places.len().max(1)).copied();
        match change {
            Change::Add(file, shared, first, body) => {
                let name = format!("{}{number}", if *shared { "s" } else { prefix });
                let name = Some(name);
                let body = body.clone();
                put(&mut package, *file, *first, Doc { name, body });
            }
            Change::Rename(at, shared, namespace) => {
                let new = format!("{}{number}", if *shared { "s" } else { prefix });
                let doc = place(at).and_then(|(file, index)| package.get_mut(file)?.get_mut(index));
                if let Some(Some(name)) = doc.map(|doc| &mut doc.name) {
                    *name = match (namespace, name.split_once('/')) {
                        (true, Some((_, name))) => format!("{new}/{name}"),
                        (true, None) => format!("{new}/{name}"),
                        (false, Some((namespace, _))) => format!("{namespace}/{new}"),
                        (false, None) => new,
                    };
                }
            }
            Change::Edit(at, edit) => {
                if let Some((file, index)) = place(at)
                    && let Some(docs) = package.get_mut(file)
                {
                    edit.apply(&mut docs[index].body);
                }
            }
            Change::Remove(at) | Change::Move(at, ..) => {
                let Some((file, index)) = place(at) else {
                    continue;
                };
                let Some(docs) = package.get_mut(file) else {
                    continue;
                };
                if docs[index].name.is_none() {
                    continue;
                }
                let doc = docs.remove(index);
                if docs.is_empty() {
                    package.remove(file);
                }
                if let Change::Move(_, to, first) = change {
                    put(&mut package, *to, *first, doc);
                }
            }
        }
    }
    package
}

fn put(package: &mut Package, file: u8, first: bool, doc: Doc) {
    let docs = package.entry(FILES[file as usize % 3]).or_default();
    docs.insert(if first { 0 } else { docs.len() }, doc);
}

fn texts(package: &Package, heads: Heads, style: &Style) -> BTreeMap<&'static str, String> {
    let text = |head: &str, docs: &Vec<Doc>| {
        let mut text = String::new();
        if !head.is_empty() {
            text.push_str(if style.bom { "\u{feff}" } else { "" });
            text.push_str(&head.replace('\n', if style.crlf { "\r\n" } else { "\n" }));
        }
        for (index, doc) in docs.iter().enumerate() {
            let mut style = style.clone();
            style.bom &= head.is_empty();
            // the head already has a `---`
            if index == 0 && head.contains("---") {
                style.header = 0;
            }
            if index > 0 {
                style.bom = false;
                style.header = [1, 3, 5, 6][style.header as usize % 4];
            }
            style.unended &= index + 1 == docs.len();
            text.push_str(&render(&doc.value(), &style));
        }
        text
    };
    package
        .iter()
        .map(|(file, docs)| {
            let number = FILES.iter().position(|it| it == file);
            let head = number.map_or(0, |number| heads[number] as usize);
            (*file, text(HEADS[head % HEADS.len()], docs))
        })
        .collect()
}
