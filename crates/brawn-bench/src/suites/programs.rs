//! Programs of others that live by their allocator: the real part of the suite `malloc`.
//!
//! Each needs a source that must be fetched. Where it cannot be had the suite says so and goes on without it.

mod espresso;
mod lua;
mod redis;
mod truth;

use crate::{Case, Context, Error, Prepared};

/// A program's name, which begins its cases' names, and how they are made.
type Program = (&'static str, fn(&Context<'_>, &mut Prepared) -> Result<Vec<Case>, Error>);

const PROGRAMS: &[Program] = &[("lua", lua::cases), ("redis", redis::cases), ("espresso", espresso::cases)];

/// What the suite needs for its real programs.
pub const NEEDS: &str = "nothing; for lua, redis and espresso: make, a C compiler for glibc and one for musl, Debian's sources of \
                         lua5.4 and redis, and the crate espresso-logic";

/// Adds the cases of every program that can be had, and a note for each other one.
///
/// # Errors
/// Whatever is no matter of something that is missing.
pub fn add(context: &Context<'_>, prepared: &mut Prepared) -> Result<(), Error> {
    add_all(PROGRAMS, context, prepared)
}

fn add_all(programs: &[Program], context: &Context<'_>, prepared: &mut Prepared) -> Result<(), Error> {
    if context.options.quick || context.options.own_only {
        return Ok(());
    }
    // Building them takes minutes, so only what is asked for is built.
    for (name, cases) in programs.iter().filter(|(name, _)| context.options.wants(name)) {
        context.add(prepared, name, cases)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flavour, Options, Workshop};

    fn absent(_: &Context<'_>, _: &mut Prepared) -> Result<Vec<Case>, Error> {
        Err(Error::absent("no such archive", "put it there"))
    }

    fn present(_: &Context<'_>, _: &mut Prepared) -> Result<Vec<Case>, Error> {
        Ok(vec![Case::new("present", Vec::new())])
    }

    fn broken(_: &Context<'_>, _: &mut Prepared) -> Result<Vec<Case>, Error> {
        Err(Error::Io(std::io::Error::other("the disk is full")))
    }

    fn add_with(programs: &[Program], options: &Options) -> Result<Prepared, Error> {
        let folder = tempfile::tempdir().unwrap();
        let brawn = folder.path().join("brawn");
        fs_err::write(&brawn, "").unwrap();
        let workshop = Workshop::open(&folder.path().join("work"), &brawn).unwrap();
        let flavours = Flavour::list(["stock"]).unwrap();
        let context = Context { workshop: &workshop, flavours: &flavours, options };
        let mut prepared = Prepared::default();
        add_all(programs, &context, &mut prepared).map(|()| prepared)
    }

    #[test]
    fn what_is_missing_is_noted_and_the_rest_runs() {
        let prepared = add_with(&[("absent", absent), ("present", present)], &Options::default()).unwrap();
        assert_eq!(prepared.notes, ["absent is left out: no such archive (put it there)"]);
        assert_eq!(prepared.cases.len(), 1);
        assert!(add_with(&[("broken", broken), ("present", present)], &Options::default()).is_err());
    }

    #[test]
    fn only_what_is_asked_for_is_built() {
        let programs: &[Program] = &[("broken", broken), ("present", present)];
        let case = Options { case: Some("pres".into()), ..Options::default() };
        assert_eq!(add_with(programs, &case).unwrap().cases.len(), 1);
        for nothing in
            [Options { quick: true, ..Options::default() }, Options { own_only: true, ..Options::default() }]
        {
            assert!(add_with(programs, &nothing).unwrap().cases.is_empty());
        }
    }
}
