//! C programs from a few source files.

use std::path::PathBuf;
use std::process::Command;

use brawn_link::cc::Language;

use super::{Programs, Workshop};
use crate::Error;
use crate::flavour::{Base, Flavour};

/// A C program that one call of the compiler makes.
pub struct CProgram<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is written in: all of its sources are compiled as this.
    pub language: Language,
    /// The sources: absolute paths, compiled together.
    pub sources: &'a [PathBuf],
    /// Flags beside `-O2`.
    pub flags: &'a [String],
    /// Libraries, after the sources: `-lm`.
    pub libraries: &'a [String],
}

impl Workshop {
    /// The program for each variant: the host's compiler for glibc, the one that `brawn cc` or `brawn c++` finds for
    /// musl.
    ///
    /// # Errors
    /// [`Error::Absent`] without a compiler, [`Error::Build`].
    pub fn c_program(&self, program: &CProgram<'_>, flavours: &[Flavour]) -> Result<Programs, Error> {
        let mut inputs = vec!["c".to_owned(), program.flags.join(" "), program.libraries.join(" ")];
        inputs.extend(self.versions().remove("cc"));
        for source in program.sources {
            inputs.push(source.file_name().unwrap_or_default().to_string_lossy().into_owned());
            inputs.push(brawn_libc::sha256_hex(&brawn_base::file::read(source, brawn_base::file::TEXT)?));
        }
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let slot = self.slot(program.name, &inputs)?;
        self.variants(program.name, &slot, flavours, true, &|base, to| {
            let mut command = Command::new(self.compiler(base, program.language)?);
            self.prepare(&mut command);
            command.arg("-O2").args((base == Base::GlibcStatic).then_some("-static"));
            command.args(program.flags).arg("-o").arg(to).args(program.sources).args(program.libraries);
            self.step(&format!("compiling {}", program.name), slot.path(), &mut command)
        })
    }
}
