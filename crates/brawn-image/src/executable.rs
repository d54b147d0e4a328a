use std::path::{Path, PathBuf};

use brawn_check::Needs;
use brawn_elf::Inspection;
use brawn_elf::inspection::Kind;

use crate::{Error, Platform, name};

/// The program of an image.
#[derive(Clone, Debug)]
pub struct Executable {
    /// Where it was read from.
    pub path: PathBuf,
    /// Its name in the image.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
    /// What it runs on.
    pub platform: Platform,
    /// What is inside, and what that shows of its needs.
    pub needs: Needs,
}

impl Executable {
    /// Reads an executable. `name` is its name in the image, if it is not to be the file's.
    pub fn read(path: &Path, name: Option<&str>) -> Result<Executable, Error> {
        let bytes = brawn_base::file::elf(path)?;
        let unfit = |source| Error::NotAnExecutable { path: path.to_owned(), source };
        let needs = brawn_check::needs(&bytes).map_err(unfit)?;
        let inspection = &needs.inspection;
        if inspection.kind == Kind::SharedObject {
            return Err(unfit(brawn_elf::Error::WrongKind {
                found: "a shared library",
                wanted: "an executable",
            }));
        }
        let arch = &inspection.format.arch;
        let platform = Platform::from_name(arch)
            .filter(|_| inspection.format.bits == 64)
            .ok_or_else(|| Error::Architecture { path: path.to_owned(), arch: arch.clone() })?;
        let name = match name {
            Some(name) => name,
            None => path.file_name().unwrap_or_default().to_str().ok_or_else(|| {
                Error::setting(
                    format!("the name of {} is not UTF-8, and names in an image are", path.display()),
                    "give it one with --name",
                )
            })?,
        };
        name::check(name)?;
        let name = name.to_owned();
        Ok(Executable { path: path.to_owned(), name, bytes, platform, needs })
    }

    /// What is inside.
    pub fn inspection(&self) -> &Inspection {
        &self.needs.inspection
    }

    /// The loader and the libraries that it needs; none if it is static.
    pub fn needed(&self) -> Vec<String> {
        let inspection = self.inspection();
        if inspection.kind.is_static() {
            return Vec::new();
        }
        inspection.interpreter.iter().chain(&inspection.needed).cloned().collect()
    }
}
