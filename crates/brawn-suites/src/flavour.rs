//! The variants that can be compared: a libc, how it is linked, and what is laid over it.

use brawn_libc::{Choice, Malloc, PRESETS};

use crate::Error;

/// One variant, before a program is built for it.
#[derive(Clone, Debug)]
pub struct Flavour {
    /// The name for `--variants`.
    pub name: String,
    /// What is behind it.
    pub libc: Libc,
}

/// A libc, and how programs are linked with it.
#[derive(Clone, Debug)]
pub enum Libc {
    /// The host's glibc, shared, as compilers here do unasked.
    Glibc,
    /// The host's glibc, linked statically.
    GlibcStatic,
    /// musl, static, with this overlay over it.
    Musl(Choice),
}

/// The name of the baseline.
pub const GLIBC: &str = "glibc";
const GLIBC_STATIC: &str = "glibc-static";

impl Flavour {
    /// The variant with this name.
    ///
    /// # Errors
    /// [`Error::UnknownName`], with all names.
    pub fn from_name(name: &str) -> Result<Flavour, Error> {
        let libc = if name == GLIBC {
            Libc::Glibc
        } else if name == GLIBC_STATIC {
            Libc::GlibcStatic
        } else if PRESETS.iter().any(|preset| preset.name == name) {
            Libc::Musl(Choice::preset(name)?)
        } else if Malloc::names().contains(&name) {
            Libc::Musl(Choice::malloc(name)?)
        } else {
            return Err(Error::UnknownName { kind: "variant", given: name.to_owned(), known: names() });
        };
        Ok(Flavour { name: name.to_owned(), libc })
    }

    /// The variants of a list such as `glibc,stock,balanced`, in this order; the first is the baseline.
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::NamedTwice`].
    pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<Flavour>, Error> {
        let mut flavours: Vec<Flavour> = Vec::new();
        for name in names {
            if flavours.iter().any(|flavour| flavour.name == name) {
                return Err(Error::NamedTwice { kind: "variant", given: name.to_owned() });
            }
            flavours.push(Flavour::from_name(name)?);
        }
        Ok(flavours)
    }

    /// What is compared when nobody says otherwise: glibc, stock musl, and Brawn's presets.
    pub fn defaults() -> Vec<Flavour> {
        let presets = PRESETS.iter().map(|preset| preset.name).filter(|name| *name != "stock");
        Flavour::list([GLIBC, "stock"].into_iter().chain(presets)).expect("the table names what exists")
    }

    /// The overlay, of a musl variant.
    pub fn choice(&self) -> Option<&Choice> {
        match &self.libc {
            Libc::Musl(choice) => Some(choice),
            Libc::Glibc | Libc::GlibcStatic => None,
        }
    }

    /// For people: `musl 1.2.5 with mimalloc 3.6.0`. The versions are those that this machine has.
    pub fn title(&self, glibc: Option<&str>, musl: Option<&str>) -> String {
        let versioned = |name: &str, version: Option<&str>| match version {
            Some(version) => format!("{name} {version}"),
            None => name.to_owned(),
        };
        match &self.libc {
            Libc::Glibc => format!("{}, dynamic", versioned("glibc", glibc)),
            Libc::GlibcStatic => format!("{}, static", versioned("glibc", glibc)),
            Libc::Musl(Choice { malloc: Malloc::Stock, .. }) => {
                format!("{}, untouched", versioned("musl", musl))
            }
            Libc::Musl(Choice { malloc, .. }) => {
                format!("{} with {}", versioned("musl", musl), versioned(malloc.name(), malloc.version()))
            }
        }
    }
}

/// Every name for `--variants`: the two of glibc, the presets, and the allocators that are not also a preset's name.
pub fn names() -> Vec<String> {
    let presets = PRESETS.iter().map(|preset| preset.name);
    let allocators =
        Malloc::names().into_iter().filter(|name| !PRESETS.iter().any(|preset| preset.name == *name));
    [GLIBC, GLIBC_STATIC].into_iter().chain(presets).chain(allocators).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_variant() {
        for name in names() {
            assert_eq!(Flavour::from_name(&name).unwrap().name, name);
        }
    }

    #[test]
    fn the_default_has_both_libcs_and_every_preset_once() {
        let names: Vec<String> = Flavour::defaults().into_iter().map(|flavour| flavour.name).collect();
        assert_eq!(names[..3], ["glibc", "stock", PRESETS[0].name]);
        assert_eq!(names.len(), PRESETS.len() + 1);
    }

    #[test]
    fn unknown_names_are_answered_with_the_nearest() {
        let error = Flavour::list(["glibc", "balancd"]).unwrap_err();
        assert_eq!(error.to_string(), "unknown variant 'balancd'");
        assert!(error.hint().unwrap().starts_with("did you mean 'balanced'? There are: glibc, "));
        let error = Flavour::list(["glibc", "stock", "glibc"]).unwrap_err();
        assert_eq!(error.to_string(), "variant 'glibc' was given twice");
    }
}
