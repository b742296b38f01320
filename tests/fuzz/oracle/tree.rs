//! Checks the trees of any bytes.

use merge3::error::Place;
use merge3::yaml::{
    Document, Tree, equal,
    stream::{head, split},
};

use super::{Verdict, ensure, same, values};
use crate::readers;
use crate::spans;
use crate::value::load;

/// Checks that no bytes cause a panic; that the documents joined are the text; that the spans and
/// gaps of a tree joined are its text; that its values are those of the parser; that both readers
/// read the same tree, also beside the tree of another document; that a tree equals itself; and
/// that an error points into the text.
///
/// # Errors
///
/// Names the property that does not hold.
pub fn check(bytes: &[u8]) -> Verdict {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Ok(());
    };
    let documents = split(text);
    let texts = documents.iter().map(|document| document.text);
    let joined: String = [head(text)].into_iter().chain(texts).collect();
    same(
        "the head and the documents joined are not the text",
        joined.as_str(),
        text,
    )?;
    for document in &documents {
        one(text, document)?;
    }
    Ok(())
}

fn one(text: &str, document: &Document<'_>) -> Verdict {
    same(
        "a document's start",
        &text[document.start..][..document.text.len()],
        document.text,
    )?;
    let body = document.text.get(document.body.range());
    ensure(body.is_some(), || {
        format!("a body outside of the document: {:?}", document.body)
    })?;
    let tree = match Tree::parse(document.text) {
        Ok(Some(tree)) => tree,
        Ok(None) => return Ok(()),
        Err(error) => {
            ensure(document.text.is_char_boundary(error.offset), || {
                format!(
                    "an error at byte {}, which is not a character boundary",
                    error.offset
                )
            })?;
            let place = Place::new("a.yaml", text, document.start + error.offset);
            return ensure(place.line > 0 && !error.message.is_empty(), || {
                format!("an error without a message: {error:?}")
            });
        }
    };
    readers::agree(document.text)?;
    spans::check(&tree)?;
    let root = tree.root().value;
    ensure(equal(&tree, root, &tree.clone(), root), || {
        "the tree does not equal itself".to_owned()
    })?;
    match load::document_by_type(document.text) {
        Ok(Some(value)) if values::is_small(document.text) => {
            let found = values::of_tree(&tree, root);
            let normalized =
                |value| values::normalized(value, document.text.ends_with([' ', '\t']));
            same("the values", normalized(found), normalized(value))
        }
        _ => Ok(()),
    }
}
