//! The variants that can be compared: a libc, how it is linked, and what is laid over it.

use brawn_libc::{Choice, LEVEL_KNOB, Malloc, PRESETS};

use crate::Error;

/// One variant, before a program is built for it.
#[derive(Clone, Debug)]
pub struct Flavour {
    /// The name for `--variants`.
    pub name: String,
    /// What programs are built for.
    pub base: Base,
    /// The overlay over it, of a musl variant.
    pub choice: Option<Choice>,
}

/// What a program is built for; the musl variants are made of one build by doing its link again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The host's glibc, shared, as compilers here do unasked.
    Glibc,
    /// The host's glibc, linked statically.
    GlibcStatic,
    /// musl, static, by a link that Brawn records.
    Musl,
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
        let (base, choice) = if name == GLIBC {
            (Base::Glibc, None)
        } else if name == GLIBC_STATIC {
            (Base::GlibcStatic, None)
        } else if PRESETS.iter().any(|preset| preset.name == name) {
            (Base::Musl, Some(Choice::preset(name)?))
        } else if Malloc::names().contains(&name) {
            (Base::Musl, Some(Choice::malloc(name)?))
        } else if let Some(choice) = with_knobs(name)? {
            (Base::Musl, Some(choice))
        } else if let Some(choice) = with_other_strings(name)? {
            (Base::Musl, Some(choice))
        } else {
            return Err(Error::UnknownName { kind: "variant", given: name.to_owned(), known: names() });
        };
        Ok(Flavour { name: name.to_owned(), base, choice })
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

    /// What is compared when no one says otherwise: glibc, stock musl, and Brawn's presets.
    pub fn defaults() -> Vec<Flavour> {
        let presets = PRESETS.iter().map(|preset| preset.name).filter(|name| *name != "stock");
        Flavour::list([GLIBC, "stock"].into_iter().chain(presets)).expect("the table names what exists")
    }

    /// For people: `musl 1.2.5 with mimalloc 3.6.0`. The versions are those that this machine has.
    pub fn title(&self, glibc: Option<&str>, musl: Option<&str>) -> String {
        let versioned = |name: &str, version: Option<&str>| match version {
            Some(version) => format!("{name} {version}"),
            None => name.to_owned(),
        };
        let Some(choice) = &self.choice else {
            let linked = if self.base == Base::Glibc { "dynamic" } else { "static" };
            return format!("{}, {linked}", versioned("glibc", glibc));
        };
        let mut parts = Vec::new();
        if let Malloc::Kit(_) = choice.malloc {
            let knobs = choice.knobs.iter().filter(|(key, _)| *key != LEVEL_KNOB);
            let knobs: Vec<_> = knobs.map(|(key, value)| format!("{key}={value}")).collect();
            let of = if knobs.is_empty() { String::new() } else { format!(" ({})", knobs.join(", ")) };
            parts.push(versioned(choice.malloc.name(), choice.malloc.version()) + &of);
        }
        if choice.strings {
            let level = choice.knobs.get(LEVEL_KNOB);
            parts.push(level.map_or("strings".into(), |level| format!("strings held to {level}")));
        }
        let with =
            if parts.is_empty() { ", untouched".into() } else { format!(" with {}", parts.join(" and ")) };
        versioned("musl", musl) + &with
    }
}

/// `jemalloc+narenas=2+dirty_decay_ms=0`: another variant with knobs, whose keys may leave the allocator's prefix away.
fn with_knobs(name: &str) -> Result<Option<Choice>, Error> {
    let Some((base, knobs)) = name.split_once('+') else { return Ok(None) };
    let Some(mut choice) = Flavour::from_name(base)?.choice else { return Ok(None) };
    let prefix = choice.malloc.knobs().map_or("", |knobs| knobs.prefix);
    for knob in knobs.split('+') {
        let Some((key, value)) = knob.split_once('=') else { return Ok(None) };
        let key = if key.contains('.') { key.to_owned() } else { format!("{prefix}.{key}") };
        choice = choice.with_knob(&key, value)?;
    }
    Ok(Some(choice))
}

/// `balanced-no-strings`, `mimalloc-sse2`: a preset or an allocator with musl's string functions, or with the kit's held to
/// a level.
fn with_other_strings(name: &str) -> Result<Option<Choice>, Error> {
    let levels = brawn_kit::level_names().map(|level| (level, Some(level)));
    for (suffix, level) in levels.chain([("no-strings", None)]) {
        let Some(base) = name.strip_suffix(suffix).and_then(|base| base.strip_suffix('-')) else { continue };
        let Some(choice) = Flavour::from_name(base)?.choice else { continue };
        return Ok(Some(match level {
            Some(level) => choice.with_strings(true).with_knob(LEVEL_KNOB, level)?,
            None => choice.with_strings(false),
        }));
    }
    Ok(None)
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
    use brawn_base::Diagnostic as _;

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
    fn string_functions_can_be_left_out_or_held_to_a_level() {
        let choice = |name: &str| Flavour::from_name(name).unwrap().choice.unwrap();
        assert!(choice("balanced").strings && !choice("balanced-no-strings").strings);
        assert_eq!(choice("mimalloc2-avx2").knobs[LEVEL_KNOB], "avx2");
        assert_eq!(choice("mimalloc-secure-sse2").malloc.name(), "mimalloc-secure");
        let title = |name: &str| Flavour::from_name(name).unwrap().title(None, Some("1.2.5"));
        assert_eq!(title("stock"), "musl 1.2.5, untouched");
        assert!(title("balanced").ends_with(" and strings"), "{}", title("balanced"));
        assert!(title("balanced-sse2").ends_with(" and strings held to sse2"));
        assert!(Flavour::from_name("glibc-sse2").is_err());
        assert!(Flavour::from_name("nothing-no-strings").is_err());
    }

    #[test]
    fn knobs_can_be_part_of_a_variant() {
        let flavour = Flavour::from_name("jemalloc+narenas=2+jemalloc.tcache_max=4096").unwrap();
        let knobs = &flavour.choice.as_ref().unwrap().knobs;
        assert_eq!(
            (knobs["jemalloc.narenas"].as_str(), knobs["jemalloc.tcache_max"].as_str()),
            ("2", "4096")
        );
        let title = flavour.title(None, None);
        assert!(title.contains(" (jemalloc.narenas=2, jemalloc.tcache_max=4096) and strings"), "{title}");
        assert_eq!(
            Flavour::from_name("jemalloc+narenas=0").unwrap_err().to_string(),
            "jemalloc.narenas cannot be '0'"
        );
        assert!(Flavour::from_name("glibc+narenas=2").is_err());
        assert!(Flavour::from_name("jemalloc+narenas").is_err());
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
