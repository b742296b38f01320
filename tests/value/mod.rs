//! Plain values: the content of a document without its layout.

pub mod load;

/// A value, with equality as the rules define it (rules: Equality).
#[derive(Clone)]
pub enum Value {
    Null,
    /// The type (`str`, `int`, ... or a custom tag) and the text.
    Scalar {
        tag: String,
        text: String,
    },
    List(Vec<Value>),
    /// The fields, in the order of the text. The order does not affect equality.
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
    /// Creates a string.
    pub fn text(text: &str) -> Self {
        Self::Scalar {
            tag: "str".to_owned(),
            text: text.to_owned(),
        }
    }

    /// Returns the value if it is a scalar other than null.
    pub fn scalar(&self) -> Option<&Self> {
        matches!(self, Self::Scalar { .. }).then_some(self)
    }

    /// Returns the field name for a key: the text of a string, or the type and the text of another
    /// scalar.
    pub fn into_key(self) -> String {
        match self {
            Self::Scalar { tag, text } if tag == "str" => text,
            other => format!("\0{other:?}"),
        }
    }

    /// Returns the value of a field of a map.
    pub fn field(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(fields) => fields.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Returns the keys of a map, or nothing for another value.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        let fields = match self {
            Self::Map(fields) => fields.as_slice(),
            _ => &[],
        };
        fields.iter().map(|(key, _)| key)
    }

    /// Returns the fields of a map, or nothing for another value.
    pub fn into_fields(self) -> Vec<(String, Self)> {
        match self {
            Self::Map(fields) => fields,
            _ => Vec::new(),
        }
    }

    /// Returns an empty map for a map, an empty list for a list, and null for anything else.
    pub fn emptied(&self) -> Self {
        match self {
            Self::Map(_) => Self::Map(Vec::new()),
            Self::List(_) => Self::List(Vec::new()),
            _ => Self::Null,
        }
    }

    /// Returns the elements of a list, or nothing for another value.
    pub fn elements(&self) -> &[Self] {
        match self {
            Self::List(elements) => elements,
            _ => &[],
        }
    }
}

/// Formats the value like JSON, to keep failures readable. A scalar that is not a string has its
/// type.
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

/// Whether no two elements are equal.
pub fn distinct<T: PartialEq>(list: impl AsRef<[T]>) -> bool {
    let list = list.as_ref();
    (1..list.len()).all(|i| !list[..i].contains(&list[i]))
}
