//! Fields of the members of a kind.

use super::{Text, Ty, Value, VarId};

/// A field of a kind.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Name for people; empty: `name`.
    pub label: Text,
    /// What is printed on members for which nothing is written; `None` if each must have its own.
    pub default: Option<Value>,
    /// Its type.
    pub ty: Ty,
    /// Where its value is.
    pub store: FieldStore,
}

/// Where the value of a field is.
#[derive(Clone, Debug)]
pub enum FieldStore {
    /// Printed: one value a member.
    Printed(Vec<Value>),
    /// In the position, indexed by the member.
    Var(VarId),
}
