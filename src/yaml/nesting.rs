//! How deep a text may be nested.

use super::stream::byte_order_mark;

/// How deep the collections of a text are nested at the most, without reading it: by its
/// indentation and its brackets. `None` if aliases may be in it, which stand for something deeper.
///
/// ```
/// use merge3::yaml::nesting_at_most;
///
/// assert!(nesting_at_most("a:\n  - b: {c: [d]}\n").is_some_and(|depth| (5..16).contains(&depth)));
/// assert_eq!(nesting_at_most("a: &b c\nd: *b\n"), None);
/// ```
pub fn nesting_at_most(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let has = |byte| memchr::memchr(byte, bytes).is_some();
    if has(b'&') && has(b'*') {
        return None;
    }
    let brackets = memchr::memchr2_iter(b'[', b'{', bytes).count();
    // a block collection begins behind spaces and indicators, and two can in one column: a list in
    // that of its key
    let indentation = |line: usize| {
        let rest = bytes[line..].iter();
        rest.take_while(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'?' | b':'))
            .count()
    };
    let lines = memchr::memchr2_iter(b'\n', b'\r', bytes).map(|end| indentation(end + 1));
    let deepest = lines.fold(indentation(byte_order_mark(text)), usize::max);
    Some(2 * (deepest + 1) + brackets)
}
