//! Plain values: what a document says, without how it is written.

pub mod load;

/// A value, as the rules tell values apart (rules: Equality).
#[derive(Clone)]
pub enum Value {
    Null,
    /// The type (`str`, `int`, ... or an application's own tag) and the text.
    Scalar {
        tag: String,
        text: String,
    },
    List(Vec<Value>),
    /// In the order of the text, which plays no part in comparison.
    Map(Vec<(String, Value)>),
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Scalar { tag, text }, Self::Scalar { tag: t, text: x }) => tag == t && text == x,
            (Self::List(left), Self::List(right)) => left == right,
            (Self::Map(left), Self::Map(right)) => {
                left.len() == right.len() && left.iter().all(|(k, v)| other.field(k) == Some(v))
            }
            _ => false,
        }
    }
}

impl Value {
    /// A string.
    pub fn text(text: &str) -> Self {
        Self::Scalar {
            tag: "str".to_owned(),
            text: text.to_owned(),
        }
    }

    /// The scalar itself; none for anything else, null included.
    pub fn scalar(&self) -> Option<&Self> {
        matches!(self, Self::Scalar { .. }).then_some(self)
    }

    /// What a map's field is called of which this is the key: a string as it is, anything else with
    /// its type.
    pub fn into_key(self) -> String {
        match self {
            Self::Scalar { tag, text } if tag == "str" => text,
            other => format!("\0{other:?}"),
        }
    }

    /// A map's field.
    pub fn field(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(fields) => fields.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// A map's keys; none for anything else.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        let fields = match self {
            Self::Map(fields) => fields.as_slice(),
            _ => &[],
        };
        fields.iter().map(|(key, _)| key)
    }

    /// A map's fields; none for anything else.
    pub fn into_fields(self) -> Vec<(String, Self)> {
        match self {
            Self::Map(fields) => fields,
            _ => Vec::new(),
        }
    }

    /// The empty map for a map, the empty list for a list, null for anything else.
    pub fn emptied(&self) -> Self {
        match self {
            Self::Map(_) => Self::Map(Vec::new()),
            Self::List(_) => Self::List(Vec::new()),
            _ => Self::Null,
        }
    }

    /// A list's elements; none for anything else.
    pub fn elements(&self) -> &[Self] {
        match self {
            Self::List(elements) => elements,
            _ => &[],
        }
    }
}

/// JSON-like, so that a failing case can be read; what is no string carries its type.
impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Scalar { tag, text } if tag == "str" => write!(f, "{text:?}"),
            Self::Scalar { tag, text } => write!(f, "{tag}({text})"),
            Self::List(elements) => f.debug_list().entries(elements).finish(),
            Self::Map(fields) => f
                .debug_map()
                .entries(fields.iter().map(|(k, v)| (k, v)))
                .finish(),
        }
    }
}

/// Whether no two of them are equal.
pub fn distinct<T: PartialEq>(list: impl AsRef<[T]>) -> bool {
    let list = list.as_ref();
    (1..list.len()).all(|i| !list[..i].contains(&list[i]))
}
