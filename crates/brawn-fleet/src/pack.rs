//! Everything that goes to where blocks run: Brawn itself, the candidates' executables, the files that they need.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use brawn_base::{file, temporary};
use brawn_elf::Arch;
use brawn_image::layer::{Entries, Entry, Kind, Layer};
use brawn_image::{Base, Beside, Bundle, Compression, Epoch, Executable, Request, Settings};

use crate::Error;
use crate::spec::Spec;
use crate::task::{Program, WORK};

/// The folder of a fleet in its image.
pub const ROOT: &str = "/fleet";
/// Brawn's own name, at the root of the image and of a fleet's folder.
pub const BRAWN: &str = "brawn";

/// What was read from this machine's disk.
#[derive(Debug)]
pub struct Pack {
    /// The executables of each architecture; at least one.
    pub sides: Vec<Side>,
    /// The files of the programs' folder.
    work: Entries,
}

/// What runs on one architecture. Everything has the same place on each.
#[derive(Debug)]
pub struct Side {
    /// The architecture.
    pub arch: Arch,
    /// The candidates, by their places.
    pub programs: Vec<Program>,
    /// Brawn.
    brawn: Executable,
    /// Each candidate's executable, with its shared libraries if it needs some.
    executables: Vec<Executable>,
}

impl Side {
    fn entries(&self) -> Entries {
        let pairs = self.programs.iter().zip(&self.executables);
        pairs.map(|(program, file)| (program.path.clone(), Entry::program(file.bytes.clone()))).collect()
    }
}

impl Pack {
    /// Reads all that a fleet names; `folder` is that of its file, and `brawn` the running executable.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Image`]: what cannot be read. [`Error::Architectures`].
    pub fn read(spec: &Spec, folder: &Path, brawn: &Path) -> Result<Pack, Error> {
        let own = [brawn.to_owned()];
        let brawns = if spec.brawn.is_empty() { &own[..] } else { &spec.brawn };
        let brawns = read(brawns, folder, Some(BRAWN))?;
        let mut candidates = Vec::new();
        for candidate in &spec.candidates {
            candidates.push(read(&candidate.executable, folder, None)?);
        }
        let all = candidates.iter().flatten().map(|executable| executable.platform.arch);
        let mut sides = Vec::new();
        for arch in all.collect::<BTreeSet<_>>() {
            let brawn = one("brawn itself", &brawns, arch)?;
            let (mut programs, mut executables) = (Vec::new(), Vec::new());
            for (index, (candidate, files)) in spec.candidates.iter().zip(&candidates).enumerate() {
                let executable = one(&candidate.name, files, arch)?;
                programs.push(Program {
                    name: candidate.name.clone(),
                    // The file keeps its name, some programs look at it: that of the first, so that it is one for all.
                    path: format!("candidates/{index}/{}", files[0].name),
                    digest: brawn_libc::sha256_hex(&executable.bytes),
                    knobs: candidate.knobs.clone(),
                });
                executables.push(executable);
            }
            sides.push(Side { arch, programs, brawn, executables });
        }
        let mut work = Entries::from([(WORK.to_owned(), Entry::directory(0o755, 0))]);
        for path in &spec.files {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            add(&folder.join(path), format!("{WORK}/{name}"), &mut work)?;
        }
        Ok(Pack { sides, work })
    }

    /// What runs on this architecture; the first where nothing does.
    pub fn side(&self, arch: Arch) -> &Side {
        self.sides.iter().find(|side| side.arch == arch).unwrap_or(&self.sides[0])
    }

    /// The candidates.
    pub fn programs(&self) -> &[Program] {
        &self.sides[0].programs
    }

    /// An image of it all, upon a base if there is one.
    ///
    /// # Errors
    /// [`Error::BrawnDynamic`], [`Error::Image`].
    pub fn image(&self, base: Option<&Base>) -> Result<Bundle, Error> {
        let below = |entries: Entries| -> Entries {
            let root = ROOT.trim_start_matches('/');
            entries.into_iter().map(|(path, entry)| (format!("{root}/{path}"), entry)).collect()
        };
        let mut beside =
            vec![Beside { words: "files".to_owned(), entries: below(self.work.clone()), platform: None }];
        for side in &self.sides {
            if base.is_none() && !side.brawn.needed().is_empty() {
                return Err(Error::BrawnDynamic { path: side.brawn.path.clone() });
            }
            for (program, executable) in side.programs.iter().zip(&side.executables) {
                let needed = executable.needed();
                if base.is_none() && !needed.is_empty() {
                    return Err(brawn_image::Error::Dynamic { path: executable.path.clone(), needed }.into());
                }
                let entry = (program.path.clone(), Entry::program(executable.bytes.clone()));
                beside.push(Beside {
                    words: format!("candidate {}", program.name),
                    entries: below(Entries::from([entry])),
                    platform: Some(executable.platform),
                });
            }
        }
        let settings = Settings { sbom: Some(false), ..Settings::default() };
        let brawns: Vec<Executable> = self.sides.iter().map(|side| side.brawn.clone()).collect();
        Ok(brawn_image::build(&Request {
            executables: &brawns,
            settings: &settings,
            base,
            beside: &beside,
            package: None,
            epoch: Epoch::default(),
        })?)
    }

    /// An archive of it all and these files besides, for `tar -x`.
    ///
    /// # Errors
    /// [`Error::Image`].
    pub fn archive(&self, more: Entries) -> Result<Vec<u8>, Error> {
        let layer = Layer::new(&self.entries(more), Compression::None, "")?;
        Ok(layer.blob.read()?.to_vec())
    }

    /// Writes it all and these files besides into a new folder.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn unpack(&self, more: Entries, folder: &Path) -> Result<(), Error> {
        for (path, entry) in self.entries(more) {
            let path: PathBuf = folder.join(path);
            match &entry.kind {
                Kind::File(bytes) => {
                    fs_err::create_dir_all(temporary::folder_of(&path))?;
                    temporary::write(&path, bytes, entry.mode)?;
                }
                _ => fs_err::create_dir_all(&path)?,
            }
        }
        Ok(())
    }

    /// Of the architecture of this machine, if there are several.
    fn entries(&self, more: Entries) -> Entries {
        let side = Arch::host().map_or(&self.sides[0], |arch| self.side(arch));
        let mut entries = self.work.clone();
        entries.extend(more);
        entries.insert(BRAWN.to_owned(), Entry::program(side.brawn.bytes.clone()));
        entries.extend(side.entries());
        entries
    }
}

/// The executables of one program, the first by its path.
fn read(paths: &[PathBuf], folder: &Path, called: Option<&str>) -> Result<Vec<Executable>, Error> {
    let read = |path: &PathBuf| Ok(Executable::read(&folder.join(path), called)?);
    paths.iter().map(read).collect()
}

/// The one of them that is for this architecture.
fn one(name: &str, files: &[Executable], arch: Arch) -> Result<Executable, Error> {
    let mut fit = files.iter().filter(|file| file.platform.arch == arch);
    match (fit.next(), fit.count()) {
        (Some(file), 0) => Ok(file.clone()),
        (first, more) => Err(Error::Architectures {
            name: name.to_owned(),
            arch: arch.to_string(),
            count: usize::from(first.is_some()) + more,
        }),
    }
}

/// Adds a file, or a folder with all that is in it, under this name. A link to a file is that file.
fn add(path: &Path, name: String, entries: &mut Entries) -> Result<(), Error> {
    if fs_err::symlink_metadata(path)?.is_dir() {
        for entry in fs_err::read_dir(path)? {
            let entry = entry?;
            add(&entry.path(), format!("{name}/{}", entry.file_name().to_string_lossy()), entries)?;
        }
        entries.insert(name, Entry::directory(0o755, 0));
        return Ok(());
    }
    let bytes = file::read(path, file::OBJECT)?;
    let mode = 0o644 | (fs_err::metadata(path)?.permissions().mode() & 0o111);
    entries.insert(name, Entry { kind: Kind::File(bytes.into()), mode, owner: 0 });
    Ok(())
}
