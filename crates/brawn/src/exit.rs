//! How a command ends: with an exit code, or with a failure that says which.

use std::fmt;
use std::process::{ExitCode, ExitStatus};

use brawn_base::{Asked, Code, Diagnostic};

/// What a command gives.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a command came to nothing: an error, and what was being done.
#[derive(Debug)]
pub struct Failure {
    error: Box<dyn Diagnostic>,
    /// What was being done, the innermost first.
    contexts: Vec<String>,
}

impl Failure {
    /// A message of the executable's own.
    pub fn new(code: Code, message: impl fmt::Display) -> Failure {
        Own::Message { ends_with: code, message: message.to_string() }.into()
    }

    /// The exit code.
    pub fn code(&self) -> Code {
        self.error.code()
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        self.error.hint()
    }

    /// What was asked to find out.
    pub fn asked(&self) -> &[Asked] {
        self.error.asked()
    }

    /// The message, and those of the causes behind it.
    pub fn messages(&self) -> Vec<String> {
        let mut messages: Vec<String> = self.contexts.iter().rev().cloned().collect();
        messages.push(self.error.to_string());
        messages.extend(self.error.causes());
        // A transparent error says what its source says.
        messages.dedup();
        messages
    }
}

impl<E: Diagnostic> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure { error: Box::new(error), contexts: Vec::new() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.contexts.last() {
            Some(context) => context.fmt(f),
            None => self.error.fmt(f),
        }
    }
}

/// Says what was being done when something failed.
pub trait Context<T> {
    /// In a text that is made only then.
    fn context<C: fmt::Display>(self, doing: impl FnOnce() -> C) -> Result<T>;
}

impl<T, E: Into<Failure>> Context<T> for Result<T, E> {
    fn context<C: fmt::Display>(self, doing: impl FnOnce() -> C) -> Result<T> {
        self.map_err(|error| {
            let mut failure = error.into();
            failure.contexts.push(doing().to_string());
            failure
        })
    }
}

brawn_base::errors! {
    /// An error of the executable's own.
    pub enum Own {
        from {}

        #[error("{message}")]
        Message { ends_with: Code, message: String } => *ends_with;
    }
}

/// The code that another program ended with, or the one that a shell gives for a signal.
pub fn code_of_status(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(u8::try_from(code).unwrap_or(Code::Failed.into()))
}
