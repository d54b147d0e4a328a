//! The variants of one program.

use std::path::{Path, PathBuf};

use brawn_libc::Cache;
use brawn_link::replay::{self, Recorded};
use brawn_link::settings::Gate;

use super::{Slot, Workshop};
use crate::Error;
use crate::flavour::{Base, Flavour};

/// A program's executables, one for each variant that could be made.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// Variant and executable, in the order of the variants.
    pub each: Vec<(Flavour, PathBuf)>,
    /// Why others are missing.
    pub notes: Vec<String>,
}

/// Builds a program for a libc into the file that it is given: called when a variant needs it. A builder that answers
/// [`Error::Absent`] leaves its variants out.
pub type Builder<'a> = dyn Fn(Base, &Path) -> Result<(), Error> + 'a;

impl Workshop {
    /// A program that runs beside what is measured, the same for every variant: with glibc where there is one.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn for_this_machine(
        &self,
        make: impl Fn(&[Flavour]) -> Result<Programs, Error>,
    ) -> Result<PathBuf, Error> {
        let programs = match make(&Flavour::list(["glibc"])?) {
            Err(Error::Absent { .. }) => make(&Flavour::list(["stock"])?)?,
            other => other?,
        };
        Ok(programs.each.into_iter().next().expect("a list without a program is an error").1)
    }

    /// Every variant of a program: built where that was not done before, and linked again for each overlay.
    /// `any_static` tells whether it can be linked with a static glibc, too.
    ///
    /// # Errors
    /// [`Error::Absent`] when no variant can be had; whatever a builder says besides. Where the first one cannot be had,
    /// the notes say which one ratios are to.
    pub fn variants(
        &self,
        name: &str,
        slot: &Slot,
        flavours: &[Flavour],
        any_static: bool,
        build: &Builder<'_>,
    ) -> Result<Programs, Error> {
        let mut programs = Programs::default();
        let mut first_absent = None;
        for flavour in flavours {
            match self.variant(name, slot, flavour, any_static, build) {
                Ok(path) => programs.each.push((flavour.clone(), path)),
                Err(Error::Absent { reason, hint }) => {
                    let note = format!("{}: {reason} ({hint})", flavour.name);
                    if !programs.notes.contains(&note) {
                        programs.notes.push(note);
                    }
                    first_absent.get_or_insert(Error::Absent { reason, hint });
                }
                Err(error) => return Err(error),
            }
        }
        if let ([wanted, ..], [(first, _), ..]) = (flavours, programs.each.as_slice())
            && wanted.name != first.name
        {
            let note = format!("ratios are to {}, because {} is missing", first.name, wanted.name);
            programs.notes.push(note);
        }
        match first_absent {
            Some(absent) if programs.each.is_empty() => Err(absent),
            _ => Ok(programs),
        }
    }

    fn variant(
        &self,
        name: &str,
        slot: &Slot,
        flavour: &Flavour,
        any_static: bool,
        build: &Builder<'_>,
    ) -> Result<PathBuf, Error> {
        let base = flavour.base;
        let (file, libc) = match base {
            Base::Glibc => ("glibc", "glibc"),
            Base::GlibcStatic => ("glibc-static", "static glibc"),
            Base::Musl => ("musl", "musl"),
        };
        if base == Base::GlibcStatic && !any_static {
            let reason = format!("{name} is not linked statically with glibc");
            return Err(Error::absent(reason, "leave glibc-static out of --variants"));
        }
        if !slot.has(file, "") {
            self.say(&format!("building {name} for {libc}"));
        }
        let built = slot.once(file, "", |to| build(base, to))?;
        let Some(choice) = &flavour.choice else { return Ok(built) };
        let cache = self.cache();
        let found = replay::find(cache, &built).and_then(|recorded| {
            recorded.check()?;
            recorded.authorise()?;
            Ok(recorded)
        });
        let recorded = match found {
            Err(error) if stale(&error) => rebuilt(cache, &built, build)?,
            found => found?,
        };
        // The overlay comes from the kit of this very program, which need not be the `brawn` that built.
        let own = std::env::current_exe()?;
        let stamp = format!("{} {}", stamp(&own)?, stamp(&built)?);
        slot.once(&flavour.name, &stamp, |to| {
            self.say(&format!("linking {name} for {}", flavour.name));
            recorded.replay(cache, choice, Gate::default(), to)?;
            Ok(())
        })
    }
}

/// Whether a link must be done from the start: its record went with an emptied cache, is another version's, or what was
/// linked has changed with the toolchain.
fn stale(error: &brawn_link::Error) -> bool {
    use brawn_link::Error;
    matches!(
        error,
        Error::NoRecord { .. }
            | Error::BadRecord { .. }
            | Error::ForeignLinker { .. }
            | Error::Trimmed { .. }
            | Error::InputChanged { .. }
    )
}

fn rebuilt(cache: &Cache, base: &Path, build: &Builder<'_>) -> Result<Recorded, Error> {
    build(Base::Musl, base)?;
    let recorded = replay::find(cache, base)?;
    // This process has just chosen its linker.
    recorded.trust();
    Ok(recorded)
}

/// Changes when the file is another one.
fn stamp(path: &Path) -> Result<String, Error> {
    let data = fs_err::metadata(path)?;
    let time = data.modified()?.duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    Ok(format!("{} {time}", data.len()))
}
