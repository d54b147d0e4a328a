//! Linking candidates: the recorded link is done again with another overlay, and nothing is compiled.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use brawn_base::file;
use brawn_libc::{Cache, sha256_hex};
use brawn_link::replay::Recorded;
use brawn_link::settings::Gate;

use crate::Error;
use crate::candidate::Candidate;
use crate::failure::Failure;
use crate::setting::Setting;

/// The recorded link of one executable, and where its variants go.
pub struct Links {
    recorded: Option<(Cache, Recorded)>,
    folder: PathBuf,
    /// The executables keep this name: some programs look at it.
    file_name: OsString,
    /// How many links were done.
    pub made: usize,
    /// How long they took, in seconds.
    pub seconds: f64,
}

impl Links {
    /// The link of the executable at `path` as it was recorded, whose variants go into `folder`.
    ///
    /// # Errors
    /// [`Error::Link`] when an input of it is gone or has changed.
    pub fn of(cache: Cache, recorded: Recorded, path: &Path, folder: PathBuf) -> Result<Self, Error> {
        recorded.check()?;
        let file_name = path.file_name().unwrap_or_default().to_owned();
        Ok(Self { recorded: Some((cache, recorded)), folder, file_name, made: 0, seconds: 0.0 })
    }

    /// For executables that are compared as they are.
    pub fn none() -> Self {
        let (folder, file_name) = (PathBuf::new(), OsString::new());
        Self { recorded: None, folder, file_name, made: 0, seconds: 0.0 }
    }

    /// The folder of the package, whose manifest may be given the answer; none for a program that cargo did not build.
    pub fn package(&self) -> Option<&Path> {
        self.recorded.as_ref()?.1.package()
    }

    /// Whether anything can be linked at all.
    pub fn links(&self) -> bool {
        self.recorded.is_some()
    }

    /// Makes the executable of a candidate.
    ///
    /// # Errors
    /// What is no candidate's fault: inputs that are gone.
    pub fn link(&mut self, candidate: &mut Candidate) -> Result<Result<(), Failure>, Error> {
        let (Some(setting), Some((cache, recorded))) = (&candidate.setting, &self.recorded) else {
            return Ok(Err(Failure::Link("there is no record of its link".into())));
        };
        let choice = setting.choice()?;
        let folder = self.folder.join(folder_name(&candidate.name));
        fs_err::create_dir_all(&folder)?;
        let to = std::path::absolute(folder.join(&self.file_name))?;
        let start = Instant::now();
        let linked = recorded.replay(cache, &choice, Gate::default(), &to);
        self.seconds += start.elapsed().as_secs_f64();
        match linked {
            Ok(_) => {
                self.made += 1;
                candidate.program = Some(to);
                Ok(Ok(()))
            }
            // These are the program's, and the same for every candidate.
            Err(error @ (brawn_link::Error::InputChanged { .. } | brawn_link::Error::Io(_))) => {
                Err(error.into())
            }
            Err(error) => {
                let cause =
                    std::error::Error::source(&error).map_or(String::new(), |cause| format!(": {cause}"));
                Ok(Err(Failure::Link(format!("{error}{cause}"))))
            }
        }
    }
}

/// A candidate's name as that of a folder.
fn folder_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.=".contains(c) { c } else { '_' }).collect()
}

/// What an executable carries, by its note; none where Brawn did not link it.
///
/// # Errors
/// [`Error::Io`].
pub fn carried(path: &Path) -> Result<Option<Setting>, Error> {
    let notes = brawn_elf::read_notes(&file::elf(path)?).ok();
    Ok(notes.and_then(|notes| notes.note).map(|note| {
        let setting = Setting {
            preset: None,
            malloc: note.malloc,
            strings: note.strings,
            musl: Setting::kept(&note.functions),
            cpu: note.cpu,
            knobs: note.knobs,
        };
        setting.by_preset(note.preset.as_deref())
    }))
}

/// A digest of files, in this order.
///
/// # Errors
/// [`Error::Io`].
pub fn digest<'a>(files: impl IntoIterator<Item = &'a Path>) -> Result<String, Error> {
    let mut all = String::new();
    for file in files {
        all.push_str(&sha256_hex(&file::read(file, file::OBJECT)?));
    }
    Ok(sha256_hex(all.as_bytes()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_candidates_are_names_of_folders() {
        assert_eq!(super::folder_name("jemalloc narenas=1"), "jemalloc_narenas=1");
        assert_eq!(super::folder_name("a/b"), "a_b");
    }
}
