//! Which linkers the current settings would choose. A record names a program, and a replay runs it: only if it is one of
//! these, or if the user says so.

use std::collections::HashMap;
use std::path::PathBuf;

use brawn_elf::Arch;

use crate::cc::{Backend, Language};
use crate::record::Record;
use crate::toolchain::{on_path, on_path_of};
use crate::{Error, configured};

/// The choices for each architecture, found out when they are first asked for.
#[derive(Default)]
pub(crate) struct Linkers {
    known: HashMap<Arch, Vec<Vec<String>>>,
}

impl Linkers {
    /// Makes sure that the linker of `record` is one of them.
    pub(crate) fn check(&mut self, record: &Record) -> Result<(), Error> {
        let chosen = self.known.entry(record.arch).or_insert_with(|| chosen(record.arch));
        if chosen.iter().any(|linker| is_same(linker, record)) {
            return Ok(());
        }
        Err(Error::ForeignLinker { output: record.output.clone(), linker: record.linker.join(" ") })
    }
}

/// Program and fixed arguments of every linker for `arch`: those of `brawn cc` and `brawn c++`, and cargo's. What this
/// machine has not is not among them.
fn chosen(arch: Arch) -> Vec<Vec<String>> {
    let compilers = [Language::C, Language::Cxx].into_iter();
    let compilers = compilers.filter_map(|language| Some(Backend::find(arch, language).ok()?.linker()));
    let cargos = configured::linkers(arch).unwrap_or_default().into_iter();
    compilers.chain(cargos.map(|path| vec![path.to_string_lossy().into_owned()])).collect()
}

/// Whether the record, in its own environment, would run the program that `linker` names here.
fn is_same(linker: &[String], record: &Record) -> bool {
    let Some(((program, fixed), (recorded, recorded_fixed))) =
        linker.split_first().zip(record.linker.split_first())
    else {
        return false;
    };
    let path = record.env.iter().find(|(name, _)| name == "PATH");
    let theirs: Option<PathBuf> = match path {
        Some((_, path)) => on_path_of(recorded, path.as_ref()),
        None => on_path(recorded),
    };
    fixed == recorded_fixed && theirs.is_some() && theirs == on_path(program)
}
