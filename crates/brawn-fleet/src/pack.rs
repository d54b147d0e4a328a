//! Everything that goes to where blocks run: Brawn itself, the candidates' executables, the files that they need.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use brawn_base::{file, temporary};
use brawn_elf::Arch;
use brawn_image::layer::{Entries, Entry, Kind, Layer};
use brawn_image::{Base, Bundle, Compression, Epoch, Executable, Request, Settings};

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
    /// The candidates, by their places.
    pub programs: Vec<Program>,
    /// What the executables run on.
    pub arch: Arch,
    /// Brawn.
    brawn: Executable,
    /// Each candidate's executable, with its shared libraries if it needs some.
    executables: Vec<Executable>,
    /// The files of the programs' folder.
    work: Entries,
}

impl Pack {
    /// Reads all that a fleet names; `folder` is that of its file, and `brawn` the running executable.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Image`]: what cannot be read. [`Error::Architectures`].
    pub fn read(spec: &Spec, folder: &Path, brawn: &Path) -> Result<Pack, Error> {
        let brawn = spec.brawn.as_ref().map_or(brawn.to_owned(), |path| folder.join(path));
        let brawn = Executable::read(&brawn, Some(BRAWN))?;
        let (mut programs, mut executables) = (Vec::new(), Vec::new());
        for (index, candidate) in spec.candidates.iter().enumerate() {
            let executable = Executable::read(&folder.join(&candidate.executable), None)?;
            if executable.platform != brawn.platform {
                return Err(Error::Architectures {
                    path: executable.path,
                    arch: executable.platform.arch.to_string(),
                    beside: brawn.path,
                    other: brawn.platform.arch.to_string(),
                });
            }
            programs.push(Program {
                name: candidate.name.clone(),
                // The file keeps its name: some programs look at it.
                path: format!("candidates/{index}/{}", executable.name),
                digest: brawn_libc::sha256_hex(&executable.bytes),
                knobs: candidate.knobs.clone(),
            });
            executables.push(executable);
        }
        let mut work = Entries::from([(WORK.to_owned(), Entry::directory(0o755, 0))]);
        for path in &spec.files {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            add(&folder.join(path), format!("{WORK}/{name}"), &mut work)?;
        }
        Ok(Pack { programs, arch: brawn.platform.arch, brawn, executables, work })
    }

    /// An image of it all, upon a base if there is one.
    ///
    /// # Errors
    /// [`Error::BrawnDynamic`], [`Error::Image`].
    pub fn image(&self, base: Option<&Base>) -> Result<Bundle, Error> {
        let layer = |words: String, entries: Entries| {
            let root = ROOT.trim_start_matches('/');
            let below = |(path, entry)| (format!("{root}/{path}"), entry);
            (words, entries.into_iter().map(below).collect::<Entries>())
        };
        if base.is_none() {
            if !self.brawn.needed().is_empty() {
                return Err(Error::BrawnDynamic { path: self.brawn.path.clone() });
            }
            for executable in &self.executables {
                let needed = executable.needed();
                if !needed.is_empty() {
                    return Err(brawn_image::Error::Dynamic { path: executable.path.clone(), needed }.into());
                }
            }
        }
        let candidates = self.programs.iter().zip(&self.executables).map(|(program, executable)| {
            let entries = Entries::from([(program.path.clone(), Entry::program(executable.bytes.clone()))]);
            layer(format!("candidate {}", program.name), entries)
        });
        let beside: Vec<_> =
            std::iter::once(layer("files".to_owned(), self.work.clone())).chain(candidates).collect();
        let settings = Settings { sbom: Some(false), ..Settings::default() };
        Ok(brawn_image::build(&Request {
            executables: std::slice::from_ref(&self.brawn),
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

    fn entries(&self, more: Entries) -> Entries {
        let mut entries = self.work.clone();
        entries.extend(more);
        entries.insert(BRAWN.to_owned(), Entry::program(self.brawn.bytes.clone()));
        for (program, executable) in self.programs.iter().zip(&self.executables) {
            entries.insert(program.path.clone(), Entry::program(executable.bytes.clone()));
        }
        entries
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
