//! An interpreter whose every string, table and closure is a block of memory.

use crate::workshop::{Made, Origin, Source};
use crate::{Case, Context, Error, Figure, Prepared, RowSpec};

const SOURCE: Source = Source {
    file: "lua5.4_5.4.4.orig.tar.gz",
    sha256: "164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61",
    origin: Origin::Debian("lua5.4"),
};

const MADE: Made<'_> = Made {
    name: "lua",
    source: &SOURCE,
    // `linux` asks for dlopen and readline; a static program has no use for the first.
    commands: &[&["make", "-j{jobs}", "posix", "CC={cc} -std=gnu99"]],
    files: &[],
    executable: "src/lua",
};

const SCRIPT: &str = include_str!("../../../workloads/lua/work.lua");

/// The script's rounds: about a second.
const ROUNDS: &str = "2";

pub fn cases(context: &Context<'_>, prepared: &mut Prepared) -> Result<Vec<Case>, Error> {
    let programs = context.workshop.made(&MADE, context.flavours)?;
    prepared.note_missing(&programs);
    prepared.versions.insert("lua".into(), "5.4.4".into());
    let script = context.workshop.root().join("lua-work.lua");
    fs_err::write(&script, SCRIPT)?;
    let variants = programs.variants(|variant| variant.arg(&script).arg(ROUNDS));
    Ok(vec![
        Case::new("lua", variants)
            .row(RowSpec::new(Figure::Wall))
            .row(RowSpec::new(Figure::Peak))
            .row(RowSpec::new(Figure::Final)),
    ])
}
