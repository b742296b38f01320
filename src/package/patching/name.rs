//! Resources as people call them.

use std::fmt;
use std::str::FromStr;

use crate::package::resource::ResourceId;

/// A resource as somebody calls it who means one of few: `Deployment/app`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceName {
    /// The kind, in any case.
    pub kind: String,
    /// The name.
    pub name: String,
}

impl FromStr for ResourceName {
    type Err = &'static str;

    /// Reads `KIND/NAME`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('/') {
            Some((kind, name)) if !kind.is_empty() && !name.is_empty() => Ok(Self {
                kind: kind.to_owned(),
                name: name.to_owned(),
            }),
            _ => Err("write it as KIND/NAME, such as Deployment/app"),
        }
    }
}

impl ResourceName {
    /// Whether it means this resource.
    pub(in crate::package) fn is_of(&self, id: &ResourceId) -> bool {
        self.kind.eq_ignore_ascii_case(&id.kind) && self.name == id.name
    }
}

impl fmt::Display for ResourceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.kind, self.name)
    }
}
