//! Why a kit cannot be built. Only people read it, so it is a message, with what is behind it.

use std::error::Error as Cause;
use std::fmt::{self, Display};

/// A message, and what caused it.
#[derive(Debug)]
pub struct Error {
    message: String,
    source: Option<Box<dyn Cause + Send + Sync>>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A message with nothing behind it.
    pub fn new(message: impl Into<String>) -> Error {
        Error { message: message.into(), source: None }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Cause for Error {
    fn source(&self) -> Option<&(dyn Cause + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// The message names the path.
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error { message: "could not read or write a file".to_owned(), source: Some(error.into()) }
    }
}

/// Says what could not be done.
pub trait Context<T> {
    /// In a text that is made only then.
    fn context(self, doing: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<Box<dyn Cause + Send + Sync>>> Context<T> for Result<T, E> {
    fn context(self, doing: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Error { message: doing(), source: Some(error.into()) })
    }
}
