//! Error types that state message, exit code and hint of a variant in one place.

/// Declares an error type, and how the program ends because of each variant.
///
/// ```
/// brawn_base::errors! {
///     /// Why nothing came of it.
///     pub enum Error {
///         from {
///             /// Reading failed. What the inner error says goes for this one: message, code, hint.
///             Io(std::io::Error),
///         }
///
///         // The message is that of `thiserror`; behind the arrow stands a `Code`, and behind it a hint if there is one. What
///         // the message does not say stands in the docs.
///         #[error("{name} is missing")]
///         Missing { name: String } => Missing, format!("install {name}");
///
///         /// Without a hint.
///         #[error("interrupted")]
///         Interrupted => Interrupted;
///     }
/// }
/// ```
///
/// Code and hint are expressions over the fields, which are references there. A variant without a code does not compile. What
/// was [asked](crate::Asked) to find out follows the hint behind a second arrow.
#[macro_export]
macro_rules! errors {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            from { $($(#[$inner_about:meta])* $inner:ident($inner_type:ty),)* }
            $(
                $(#[$variant_about:meta])*
                $variant:ident $({ $($(#[$attribute:meta])* $field:ident: $type:ty),* $(,)? })?
                => $code:expr $(, $hint:expr $(=> $asked:expr)?)?;
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, ::thiserror::Error)]
        pub enum $name {
            $($(#[$inner_about])* #[error(transparent)] $inner(#[from] $inner_type),)*
            $(
                #[allow(missing_docs)]
                $(#[$variant_about])*
                $variant $({ $($(#[$attribute])* #[allow(missing_docs)] $field: $type),* })?,
            )*
        }

        #[allow(unused_imports, unused_variables)]
        impl $crate::Diagnostic for $name {
            fn code(&self) -> $crate::Code {
                use $crate::Code::*;
                match self {
                    $($name::$inner(inner) => $crate::Diagnostic::code(inner),)*
                    $($name::$variant $({ $($field),* })? => $code,)*
                }
            }

            fn hint(&self) -> Option<String> {
                match self {
                    $($name::$inner(inner) => $crate::Diagnostic::hint(inner),)*
                    $($name::$variant $({ $($field),* })? => $crate::Hint::text(($($hint)?)),)*
                }
            }

            fn asked(&self) -> &[$crate::Asked] {
                match self {
                    $($name::$inner(inner) => $crate::Diagnostic::asked(inner),)*
                    $($name::$variant $({ $($field),* })? => {
                        let asked: &[$crate::Asked] = &[];
                        $($(let asked = $asked;)?)?
                        asked
                    })*
                }
            }
        }
    };
}

/// What [`errors!`] takes for a hint.
pub trait Hint {
    /// The sentence, if there is one.
    fn text(self) -> Option<String>;
}

macro_rules! hints {
    ($($type:ty: $hint:ident => $text:expr;)+) => {$(
        impl Hint for $type {
            fn text(self) -> Option<String> {
                let $hint = self;
                $text
            }
        }
    )+};
}

hints! {
    (): _none => None;
    &str: text => Some(text.to_owned());
    &&str: text => Some((*text).to_owned());
    String: text => Some(text);
    &String: text => Some(text.clone());
    Option<String>: text => text;
    Option<&str>: text => text.map(str::to_owned);
    &Option<String>: text => text.clone();
}
