//! Random packages: files of documents that descend from one original.

use super::edit::{Edit, edit};
use super::render::render;
use super::style::Style;
use super::{styles, values};
use crate::value::Value;
use merge3::triple::Triple;
use proptest::prelude::*;
use std::collections::BTreeMap;

const FILES: [&str; 3] = ["a.yaml", "b.yaml", "sub/c.yaml"];

/// A document of a package: a resource by the name it has, or what the file has beside resources.
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
    /// What the document says.
    pub fn value(&self) -> Value {
        let Some(name) = &self.name else {
            return self.body.clone();
        };
        let name = Value::Map(vec![("name".to_owned(), Value::text(name))]);
        let mut fields = vec![
            ("apiVersion".to_owned(), Value::text("v1")),
            ("kind".to_owned(), Value::text("Kind")),
            ("metadata".to_owned(), name),
        ];
        fields.extend(self.body.clone().into_fields());
        values::map(fields)
    }
}

/// The resources of a package by name.
pub fn resources(package: &Package) -> BTreeMap<String, Value> {
    let documents = package.values().flatten();
    documents
        .filter_map(|doc| Some((doc.name.clone()?, doc.value())))
        .collect()
}

#[derive(Debug, Clone)]
enum Change {
    Edit(u8, Edit),
    Remove(u8),
    Add(u8, bool, Value),
    Move(u8, u8),
}

/// Packages whose sides change documents, and where `moves` also their files.
pub fn packages(moves: bool) -> impl Strategy<Value = Packages> {
    let body =
        || prop::collection::vec((values::key(), values::small()), 0..3).prop_map(values::map);
    let documents = prop::collection::vec((0..3_usize, prop::bool::weighted(0.85), body()), 1..5);
    let script = move || {
        let change = prop_oneof![
            6 => (any::<u8>(), edit()).prop_map(|(at, edit)| Change::Edit(at, edit)),
            1 => any::<u8>().prop_map(Change::Remove),
            2 => (any::<u8>(), any::<bool>(), body()).prop_map(|(file, shared, body)| Change::Add(file, shared, body)),
            1 => any::<[u8; 2]>().prop_map(move |[at, file]| match moves {
                true => Change::Move(at, file),
                false => Change::Remove(at),
            }),
        ];
        prop::collection::vec(change, 0..4)
    };
    (documents, script(), script(), styles()).prop_map(|(documents, up, own, styles)| {
        let mut original = Package::new();
        for (index, (file, is_resource, body)) in documents.into_iter().enumerate() {
            let file: &mut Vec<Doc> = original.entry(FILES[file]).or_default();
            // One document of a file at most is none: they pair by their number.
            let named = is_resource || file.iter().any(|doc| doc.name.is_none());
            let name = named.then(|| format!("r{index}"));
            file.push(Doc { name, body });
        }
        let updated = changed(&original, &up, "u");
        let local = changed(&original, &own, "d");
        let documents = Triple::new(original, updated, local);
        let texts = documents
            .as_ref()
            .zip(styles)
            .map(|(package, style)| texts(package, &style));
        Packages { documents, texts }
    })
}

fn changed(original: &Package, script: &[Change], own: &str) -> Package {
    let mut package = original.clone();
    for (number, change) in script.iter().enumerate() {
        let places: Vec<_> = package
            .iter()
            .flat_map(|(file, docs)| (0..docs.len()).map(|index| (*file, index)))
            .collect();
        let place = |at: &u8| places.get(*at as usize % places.len().max(1)).copied();
        match change {
            Change::Add(file, shared, body) => {
                let name = format!("{}{number}", if *shared { "s" } else { own });
                let name = Some(name);
                let body = body.clone();
                package
                    .entry(FILES[*file as usize % 3])
                    .or_default()
                    .push(Doc { name, body });
            }
            Change::Edit(at, edit) => {
                if let Some((file, index)) = place(at)
                    && let Some(docs) = package.get_mut(file)
                {
                    edit.apply(&mut docs[index].body);
                }
            }
            Change::Remove(at) | Change::Move(at, _) => {
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
                if let Change::Move(_, to) = change {
                    package
                        .entry(FILES[*to as usize % 3])
                        .or_default()
                        .push(doc);
                }
            }
        }
    }
    package
}

fn texts(package: &Package, style: &Style) -> BTreeMap<&'static str, String> {
    let text = |docs: &Vec<Doc>| {
        let mut text = String::new();
        for (index, doc) in docs.iter().enumerate() {
            let mut style = style.clone();
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
        .map(|(file, docs)| (*file, text(docs)))
        .collect()
}
