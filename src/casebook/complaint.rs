//! What is wrong with an expectation.

use std::fmt;

/// Why an expectation cannot be read, or what came instead of it. It is a sentence for people only: a case passes or it
/// fails, and nothing depends on why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Complaint(pub String);

impl Complaint {
    /// What an error says.
    pub fn of(error: impl fmt::Display) -> Complaint {
        Complaint(error.to_string())
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Complaint {}

impl From<String> for Complaint {
    fn from(words: String) -> Complaint {
        Complaint(words)
    }
}

impl From<&str> for Complaint {
    fn from(words: &str) -> Complaint {
        Complaint(words.to_owned())
    }
}

/// A [`Complaint`], written as for `format!`.
macro_rules! complaint {
    ($($arg:tt)*) => {
        crate::casebook::complaint::Complaint(format!($($arg)*))
    };
}
pub(super) use complaint;
