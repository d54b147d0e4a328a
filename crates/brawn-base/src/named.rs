/// An enumeration whose values have names: besides the enumeration `ALL`, `name` and `from_name`.
#[macro_export]
macro_rules! named {
    (
        $(#[$attribute:meta])*
        $visible:vis enum $type:ident { $($(#[$about:meta])* $value:ident = $name:literal,)+ }
    ) => {
        $(#[$attribute])*
        $visible enum $type { $($(#[$about])* $value,)+ }

        impl $type {
            /// Every value, in the order in which lists show them.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// Its name, for people and in documents.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            /// The value of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}

/// The same for an enumeration whose values are shown by their names, or by words in their place.
#[macro_export]
macro_rules! worded {
    ($(#[$attribute:meta])* $visible:vis enum $type:ident { $($values:tt)+ }) => {
        $crate::named! { $(#[$attribute])* $visible enum $type { $($values)+ } }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
