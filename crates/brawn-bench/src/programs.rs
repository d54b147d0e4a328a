//! The programs that a suite names, and how each is made.

use std::path::{Path, PathBuf};

use brawn_link::cc::Language;
use brawn_measure::Variant;
use serde::Deserialize;

use crate::workshop::{CProgram, Install, Made};
use crate::{Context, Error, Flavour, Prepared, Workshop, jvm, workloads};

/// A program, under the name that it has on disk.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// What it is called when it cannot be had, if the suite can do without it.
    pub optional: Option<String>,
    /// The name and the version that the results show.
    pub version: Option<(String, String)>,
    pub build: Build,
}

/// How a program is made.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Build {
    /// A Rust program of our own without dependencies: its main file in `workloads/`.
    Rust(String),
    /// C files of our own.
    Own(Own),
    /// A C program with a build system of its own.
    Make(Made),
    /// A package of the crate registry.
    Install(Install),
    /// A package of our own, named as the program: its files, each with the one of `workloads/`.
    Package(Vec<(String, String)>),
    /// A class for the machine's JVM.
    Jvm(jvm::Work),
}

/// A program of our own in C or C++: its files in one folder of `workloads/`, compiled together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Own {
    files: Vec<String>,
    #[serde(default)]
    cxx: bool,
    flags: Vec<String>,
    libraries: Vec<String>,
}

impl Own {
    /// Writes the files, and gives the paths of those that are compiled. A changed header is another folder, and so
    /// another program.
    fn write(&self, workshop: &Workshop) -> Result<Vec<PathBuf>, Error> {
        let texts: Vec<&str> = self.files.iter().map(|file| workloads::text(file)).collect();
        let digest = brawn_libc::sha256_hex(texts.concat().as_bytes());
        let folder = workshop.root().join("sources").join(format!("own-{}", &digest[..16]));
        fs_err::create_dir_all(&folder)?;
        let mut sources = Vec::new();
        for (file, text) in self.files.iter().zip(texts) {
            let path = folder.join(file.rsplit('/').next().unwrap_or(file));
            // In one step: another run may be compiling it.
            brawn_base::temporary::write(&path, text.as_bytes(), 0o644)?;
            if !file.ends_with(".h") {
                sources.push(path);
            }
        }
        Ok(sources)
    }
}

impl Program {
    /// Makes it for each variant, and says in `prepared` what the reader must know.
    ///
    /// # Errors
    /// [`Error::Absent`] when something is missing, [`Error::Build`].
    pub fn make(
        &self,
        name: &str,
        flavours: &[Flavour],
        context: &Context<'_>,
        prepared: &mut Prepared,
    ) -> Result<Vec<Variant>, Error> {
        let workshop = context.workshop;
        let programs = match &self.build {
            Build::Rust(main) => workshop.rust_program(name, &workloads::program(main), flavours)?,
            Build::Own(own) => {
                let sources = own.write(workshop)?;
                let folder = sources.first().and_then(|source| source.parent()).unwrap_or(workshop.root());
                // Named for its digest, among the flags that the program is known by.
                let flags = &[&own.flags[..], &[format!("-I{}", folder.display())]].concat();
                let language = if own.cxx { Language::Cxx } else { Language::C };
                let (sources, libraries) = (&sources, &own.libraries);
                workshop.c_program(&CProgram { name, language, sources, flags, libraries }, flavours)?
            }
            Build::Make(made) => workshop.made(name, made, flavours)?,
            Build::Install(install) => workshop.cargo_install(name, install, flavours)?,
            Build::Package(files) => {
                let files = files.iter().map(|(path, file)| (path.as_str(), workloads::text(file)));
                workshop.package(name, &files.collect::<Vec<_>>(), flavours)?
            }
            Build::Jvm(work) => return work.variants(name, context, prepared),
        };
        programs.notes.into_iter().for_each(|note| prepared.note(note));
        if let Some((name, version)) = &self.version {
            prepared.versions.insert(name.clone(), version.clone());
        }
        Ok(programs.each.into_iter().map(|(flavour, program)| Variant::new(flavour.name, program)).collect())
    }

    /// What its own tests print.
    ///
    /// # Errors
    /// [`Error::Absent`] when it is a program of our own, and those of [`Workshop::tests_of_made`] and
    /// [`Workshop::tests_of_crate`].
    pub fn own_tests(
        &self,
        name: &str,
        workshop: &Workshop,
        flavour: &Flavour,
        folder: &Path,
        tests: &[Vec<String>],
    ) -> Result<String, Error> {
        match &self.build {
            Build::Make(made) => workshop.tests_of_made(name, made, flavour, folder, tests),
            Build::Install(install) => workshop.tests_of_crate(name, install, flavour, folder, tests),
            _ => Err(Error::absent(format!("{name} is not a program of others"), "leave its tests out")),
        }
    }

    /// Whether it is made of our own sources alone, in seconds.
    pub fn is_own(&self) -> bool {
        matches!(self.build, Build::Rust(_))
    }
}
