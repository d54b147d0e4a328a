//! What every error says beside its message: the exit code, what to do about it, and what was asked to find out.
//!
//! Every error type of the workspace implements [`Diagnostic`] beside its definition, most by [`errors!`](crate::errors), so
//! that a variant without a code does not compile.

use std::error::Error;
use std::io;
use std::iter::successors;
use std::process::ExitCode;

use crate::file::Refusal;
use crate::room::hint_of_io;

macro_rules! codes {
    ($($name:ident = $number:literal, $meaning:literal;)+) => {
        /// An exit code of a command that fails. With 0 for success, this is the published list.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Code {
            $(#[doc = concat!("It means: ", $meaning, ".")] $name = $number,)+
        }

        impl Code {
            /// All of them.
            pub const ALL: &[Code] = &[$(Code::$name),+];

            /// What it means, for people.
            pub const fn meaning(self) -> &'static str {
                match self { $(Code::$name => $meaning,)+ }
            }
        }
    };
}

codes! {
    Failed = 1, "a link failed, or an executable does not pass verification or a check";
    Usage = 2, "wrong arguments or settings";
    Input = 3, "an input cannot be used, or changed since it was recorded";
    Missing = 4, "a target, linker, compiler, kit or right is missing on this machine";
    Io = 5, "reading or writing failed";
    Gate = 6, "a condition of `bench compare --fail-if` holds, or a canary does worse";
    Registry = 7, "a registry cannot be reached, or refuses";
    NoAnswer = 8, "`tune` or `fleet` has no answer: nothing stays within the limit, or the machine is too noisy";
    Cluster = 9, "a cluster, machine, queue or Prometheus that `fleet` needs cannot be reached, or refuses";
    Interrupted = 130, "interrupted: `bench` and `tune` keep what was measured, `check` and `image` leave nothing";
}

impl From<Code> for u8 {
    fn from(code: Code) -> u8 {
        code as u8
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> ExitCode {
        ExitCode::from(u8::from(code))
    }
}

/// A question to a program, and what it answered: why something was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The command, or the name that was looked for.
    pub question: String,
    /// What came back, in words.
    pub answer: String,
}

impl Asked {
    /// A question with its answer.
    pub fn new(question: impl Into<String>, answer: impl Into<String>) -> Asked {
        Asked { question: question.into(), answer: answer.into() }
    }
}

/// An error that knows how the program ends because of it. One that holds another passes on what the other says.
pub trait Diagnostic: Error + Send + Sync + 'static {
    /// The exit code.
    fn code(&self) -> Code;

    /// What the user can do about it, as one sentence, where there is something to say.
    fn hint(&self) -> Option<String>;

    /// What was asked to find out, for anyone who wants to know more.
    fn asked(&self) -> &[Asked] {
        &[]
    }

    /// The messages of what is behind it, the nearest first.
    fn causes(&self) -> Vec<String> {
        successors(self.source(), |&cause| cause.source()).map(ToString::to_string).collect()
    }
}

impl Diagnostic for Refusal {
    fn code(&self) -> Code {
        Code::Input
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Refusal::NotRegular { kind: "a directory", .. } => "give the path of a file in it",
            Refusal::NotRegular { .. } => "write what it gives into a file first, and give that",
            Refusal::TooLarge { .. } => "is this the file that was meant?",
        };
        Some(hint.to_owned())
    }
}

impl Diagnostic for io::Error {
    fn code(&self) -> Code {
        Refusal::in_io(self).map_or(Code::Io, Diagnostic::code)
    }

    fn hint(&self) -> Option<String> {
        match Refusal::in_io(self) {
            Some(refusal) => refusal.hint(),
            None => hint_of_io(self).map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_found_in_the_error_of_the_system() {
        let error = crate::file::text("/").unwrap_err();
        assert_eq!(error.code(), Code::Input);
        assert_eq!(error.hint().as_deref(), Some("give the path of a file in it"));
        assert!(error.causes().is_empty());
        let error = crate::file::text("/nowhere").unwrap_err();
        assert_eq!((error.code(), error.hint()), (Code::Io, None));
    }
}
