//! Generates texts with comments as people write them, for example in Helm values: comments above,
//! beside and below keys, banners, fields that are commented out, and blank lines. Each key and
//! each comment occurs once in a text, so that a test can find it.

pub mod edits;

use proptest::prelude::*;

/// A piece of a collection's text: an entry with its comments, or a standalone comment.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    pub id: u32,
    /// The number of blank lines above the piece.
    pub blanks: u8,
    /// The comment lines above, in the column of the entries.
    pub above: Vec<String>,
    /// The comment after the value, or after the colon of a collection.
    pub line_comment: Option<String>,
    pub content: Content,
    /// The comment lines below, each with its additional indentation.
    pub below: Vec<(usize, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// No entry, only comments: a banner, or with a text a field that is commented out.
    Comment(Option<String>),
    Scalar(String),
    Map(Vec<Piece>),
    /// Texts, or maps with a name.
    List(Vec<Piece>),
}

impl Piece {
    pub fn new(id: u32, content: Content) -> Self {
        Self {
            id,
            blanks: 0,
            above: Vec::new(),
            line_comment: None,
            content,
            below: Vec::new(),
        }
    }

    /// Returns the pieces inside this one.
    pub fn children(&self) -> &[Self] {
        match &self.content {
            Content::Map(row) | Content::List(row) => row,
            _ => &[],
        }
    }

    pub fn is_scalar(&self) -> bool {
        matches!(self.content, Content::Scalar(_))
    }

    pub fn is_comment(&self) -> bool {
        matches!(self.content, Content::Comment(_))
    }
}

/// Returns the key of a piece. An element that is a map has it as its name.
pub fn key(id: u32) -> String {
    const WORDS: [&str; 8] = [
        "image", "port", "limits", "env", "probe", "labels", "hosts", "args",
    ];
    format!("{}{id}", WORDS[id as usize % WORDS.len()])
}

/// Returns the text of a document.
pub fn render(row: &[Piece]) -> String {
    let mut lines = Vec::new();
    write_row(row, 0, false, &mut lines);
    let first = lines.iter().position(|line| !line.is_empty());
    lines.drain(..first.unwrap_or(0));
    lines.join("\n") + "\n"
}

fn write_row(row: &[Piece], column: usize, list: bool, lines: &mut Vec<String>) {
    let indent = " ".repeat(column);
    for piece in row {
        lines.extend((0..piece.blanks).map(|_| String::new()));
        lines.extend(piece.above.iter().map(|line| format!("{indent}{line}")));
        let line_comment = piece.line_comment.as_ref();
        let line_comment =
            line_comment.map_or(String::new(), |line_comment| format!(" {line_comment}"));
        let (name, dash) = (key(piece.id), if list { "- " } else { "" });
        match &piece.content {
            Content::Comment(field) => {
                lines.extend(field.iter().map(|field| format!("{indent}# {field}")));
            }
            Content::Scalar(value) if list => {
                lines.push(format!("{indent}- {value}{line_comment}"))
            }
            Content::Scalar(value) => lines.push(format!("{indent}{name}: {value}{line_comment}")),
            Content::Map(row) if list => {
                lines.push(format!("{indent}- name: {name}{line_comment}"));
                write_row(row, column + 2, false, lines);
            }
            Content::Map(row) | Content::List(row) => {
                let is_list = matches!(piece.content, Content::List(_));
                let has_entries = row.iter().any(|piece| !piece.is_comment());
                let empty = match (has_entries, is_list) {
                    (true, _) => "",
                    (false, true) => " []",
                    (false, false) => " {}",
                };
                lines.push(format!("{indent}{dash}{name}:{empty}{line_comment}"));
                write_row(row, column + 2, is_list, lines);
            }
        }
        let below = piece.below.iter();
        lines.extend(below.map(|(deeper, line)| format!("{indent}{}{line}", " ".repeat(*deeper))));
    }
}

/// Maps a random number of two bytes to one of the choices. A smaller number gives a simpler choice
/// or the same one, so that a failing case shrinks.
fn scaled(number: usize, choices: usize) -> usize {
    (number * choices) >> 16
}

/// A source of random choices from given bytes. It makes the simplest choice when the bytes are
/// used up.
struct Choices<'b> {
    bytes: std::slice::Iter<'b, u8>,
    next_id: u32,
}

impl Choices<'_> {
    fn pick(&mut self, sides: u8) -> u8 {
        let byte = self.bytes.next().copied().unwrap_or(0);
        scaled(usize::from(byte) << 8, usize::from(sides)) as u8
    }

    fn row(&mut self, depth: u8, list: bool) -> Vec<Piece> {
        let count = match depth {
            0 => 2 + self.pick(6),
            _ => 1 + self.pick(3),
        };
        let of_maps = list && self.pick(2) == 1;
        let mut row: Vec<Piece> = Vec::new();
        for _ in 0..count {
            if !list && depth < 2 && self.pick(9) == 8 {
                row.push(self.banner());
            }
            let mut piece = self.piece(depth, list, of_maps);
            let set_off = row.last().is_some_and(Piece::is_comment);
            piece.blanks = piece.blanks.max(u8::from(set_off));
            row.push(piece);
        }
        row
    }

    fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    fn banner(&mut self) -> Piece {
        let id = self.id();
        let mut piece = Piece::new(id, Content::Comment(None));
        piece.blanks = 1;
        piece.above = banner(id);
        if self.pick(3) == 2 {
            piece.above = vec![format!("# Part {id}, see the manual.")];
        }
        piece
    }

    fn piece(&mut self, depth: u8, list: bool, of_maps: bool) -> Piece {
        let id = self.id();
        let content = match self.pick(8) {
            _ if list && of_maps => Content::Map(vec![self.piece(3, false, false)]),
            _ if list || depth > 2 => Content::Scalar(format!("value{id}")),
            4 | 5 if depth < 2 => Content::Map(self.row(depth + 1, false)),
            6 if depth < 2 => Content::List(self.row(depth + 1, true)),
            7 => match self.pick(2) {
                0 => Content::List(Vec::new()),
                _ => Content::Map(Vec::new()),
            },
            _ => Content::Scalar(format!("value{id}")),
        };
        let commented = !list && depth < 2 && self.pick(12) == 11;
        let content = match commented {
            true => Content::Comment(Some(format!("{}: off{id}", key(id)))),
            false => content,
        };
        let mut piece = Piece::new(id, content);
        piece.blanks = [0, 0, 0, 1, 1, 2][usize::from(self.pick(6))];
        let above = [0, 0, 0, 1, 1, 2][usize::from(self.pick(6))];
        piece.above = (0..above)
            .map(|line| format!("# About {id}, {line}."))
            .collect();
        if commented {
            return piece;
        }
        if self.pick(6) == 5 {
            piece.line_comment = Some(format!("# beside {id}"));
        }
        let has_row = !piece.children().is_empty();
        if self.pick(4) == 3 && !(list && of_maps) {
            let lines = 1 + self.pick(2);
            // the comment is an example of the value, or of another entry inside it
            let deeper = if has_row {
                2
            } else {
                [2, 4][usize::from(self.pick(2))]
            };
            piece.below = (0..lines)
                .map(|line| (deeper, format!("# example{line}: {id}")))
                .collect();
        }
        piece
    }
}

/// Returns a banner. All banners share their frame lines.
pub fn banner(id: u32) -> Vec<String> {
    let frame = "#".repeat(20);
    vec![frame.clone(), format!("# Section {id}"), frame]
}

/// Returns the pieces of the text that these bytes choose.
pub fn decode(bytes: &[u8]) -> Vec<Piece> {
    let mut choices = Choices {
        bytes: bytes.iter(),
        next_id: 0,
    };
    let mut row = choices.row(0, false);
    if row.iter().all(Piece::is_comment) {
        // a text of comments alone is not a document
        row.push(Piece::new(choices.id(), Content::Scalar("only".to_owned())));
    }
    row
}

/// A text, and the edits of each side.
#[derive(Clone)]
pub struct History {
    pub original: Vec<Piece>,
    pub upstream: Vec<edits::Edit>,
    pub local: Vec<edits::Edit>,
}

impl std::fmt::Debug for History {
    /// Prints the three texts as they are, so that they can be copied into a case.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "\n==== upstream: {:?}\n==== local: {:?}",
            self.upstream, self.local
        )?;
        for (name, text) in ["original", "updated", "local"]
            .into_iter()
            .zip(self.texts().into_array())
        {
            writeln!(f, "======== {name}\n{text}")?;
        }
        f.write_str("========")
    }
}

impl History {
    /// Returns the texts of the three sides.
    pub fn texts(&self) -> merge3::triple::Triple<String> {
        let edited = |edits: &[edits::Edit]| render(&edits::edited(&self.original, edits));
        merge3::triple::Triple::new(
            render(&self.original),
            edited(&self.upstream),
            edited(&self.local),
        )
    }
}

/// A history whose sides make edits chosen from these lists.
pub fn history(
    upstream: &'static [edits::EditKind],
    local: &'static [edits::EditKind],
) -> impl Strategy<Value = History> {
    let bytes = prop::collection::vec(any::<u8>(), 0..160);
    let edits = || prop::collection::vec(any::<[u8; 3]>(), 1..4);
    (bytes, edits(), edits()).prop_map(|(bytes, up, down)| {
        let original = decode(&bytes);
        let upstream = edits::choose(&original, &up, upstream, 1000);
        let local = edits::choose(&original, &down, local, 2000);
        History {
            original,
            upstream,
            local,
        }
    })
}
