//! Estimates how deep a text is nested.

use super::stream::byte_order_mark;

/// Returns an upper bound for the nesting of the collections in a text, from its indentation and
/// brackets, without parsing it. Returns `None` if the text may have aliases, which can refer to
/// deeper nodes.
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
    // a block collection starts after spaces and indicators, and at most two start in one column: a
    // map and a list at the indentation of its key
    let indentation = |line: usize| {
        let rest = bytes[line..].iter();
        rest.take_while(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'?' | b':'))
            .count()
    };
    let lines = memchr::memchr2_iter(b'\n', b'\r', bytes).map(|end| indentation(end + 1));
    let deepest = lines.fold(indentation(byte_order_mark(text)), usize::max);
    Some(2 * (deepest + 1) + brackets)
}
