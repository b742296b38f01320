//! Mutates texts. Most results are broken, some are other valid YAML.

use std::path::Path;

/// Text that is inserted: syntax of YAML.
const PIECES: [&str; 48] = [
    ":", ": ", " :", "-", "- ", "? ", "#", " #", " # c", "\"", "'", "''", "\\", "\\n", "\\x4", "|",
    "|\n", ">-\n", "|2", "|+\n", "[", "]", "{", "}", "[]", "{}", ", ", "a", "a: b", "\n", "\n\n",
    "\n  ", "\n    ", " ", "  ", "\t", "\r", "\r\n", "&a ", "*a", "!t ", "---\n", "...\n", "%",
    "é", "\u{feff}", "null", "<<: ",
];

/// Returns a generator of random numbers seeded by the path of a file in the repository. The
/// numbers of a file depend neither on other files nor on the folder of the repository.
pub(crate) fn numbers_for(file: &Path) -> impl FnMut() -> usize + use<> {
    let name = file
        .strip_prefix(env!("CARGO_MANIFEST_DIR"))
        .unwrap_or(file);
    let name = name.to_string_lossy();
    let seed = name.bytes().fold(0xcbf2_9ce4_u32, |seed, byte| {
        (seed ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    numbers(seed as usize)
}

/// Returns a generator of random numbers for a seed.
pub(crate) fn numbers(seed: usize) -> impl FnMut() -> usize {
    let mut state = seed as u64 | 1 << 40;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap_or(0)
    }
}

/// Applies random changes to a text.
pub(crate) fn mutate(text: &str, steps: usize, random: &mut impl FnMut() -> usize) -> String {
    let mut text = text.to_owned();
    for _ in 0..steps {
        text = step(&text, random);
    }
    text
}

fn step(text: &str, random: &mut impl FnMut() -> usize) -> String {
    let (kind, piece) = (random() % 8, PIECES[random() % PIECES.len()]);
    let mut place = |longest: usize| {
        let start = random() % (text.len() + 1);
        let end = (start + random() % (longest + 1)).min(text.len());
        boundary(text, start)..boundary(text, end)
    };
    match kind {
        0 => without(text, place(3)),
        1 => without(text, place(40)),
        2 => {
            let from = place(30);
            with(text, from.end, &text[from])
        }
        3 => {
            let from = place(30);
            with(text, place(0).start, &text[from])
        }
        4 => {
            // adds or removes a space at the start of a line
            let at = place(0).start;
            let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
            if at % 2 == 0 && text[line..].starts_with(' ') {
                without(text, line..line + 1)
            } else {
                with(text, line, " ")
            }
        }
        5 => {
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            let count = lines.len();
            if count > 1 {
                lines.swap(place(0).start % count, place(0).start % count);
            }
            lines.concat()
        }
        _ => with(text, place(0).start, piece),
    }
}

fn with(text: &str, at: usize, piece: &str) -> String {
    format!("{}{piece}{}", &text[..at], &text[at..])
}

fn without(text: &str, range: std::ops::Range<usize>) -> String {
    format!("{}{}", &text[..range.start], &text[range.end..])
}

/// Returns the last character boundary that is not after `at`.
pub(crate) fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
