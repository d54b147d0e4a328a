//! The file that a user named: read once, written beside, and compared while it runs.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Seek as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use brawn_base::temporary::{file_in, folder_of, sweep};
use brawn_base::text::shown;
use tempfile::TempPath;

use crate::Error;

/// An executable, and how it was when it was read.
pub struct Source {
    path: PathBuf,
    bytes: Vec<u8>,
    state: State,
}

/// What changes when a file is written to.
#[derive(PartialEq, Eq)]
struct State {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    mode: u32,
}

/// Files beside an executable that speak of it: signatures, and texts that may hold its digest.
const SIGNATURES: &[&str] = &["sig", "asc", "minisig", "sigstore", "sigstore.json", "p7s"];
const TEXTS: &[&str] =
    &["spdx.json", "spdx", "cdx.json", "cdx.xml", "bom.json", "sbom.json", "sha256", "sha256sums"];
const MOST_TEXT: u64 = 16 << 20;

impl Source {
    /// Reads an executable.
    ///
    /// # Errors
    /// What [`brawn_base::file::elf`] says; [`Error::WrittenTo`].
    pub fn read(path: &Path) -> Result<Source, Error> {
        let state = State::of(path)?;
        let bytes = brawn_base::file::elf(path)?;
        let source = Source { path: path.to_owned(), bytes, state };
        source.unchanged()?;
        Ok(source)
    }

    /// The file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn unchanged(&self) -> Result<(), Error> {
        let same = State::of(&self.path)? == self.state;
        // A file that is not ELF is read in part, which is for its own message.
        let whole = !self.bytes.starts_with(b"\x7fELF") || self.bytes.len() as u64 == self.state.size;
        if same && whole { Ok(()) } else { Err(Error::WrittenTo) }
    }

    /// Writes a file beside the one that it shall become, with the mode of this one.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write_beside(&self, bytes: &[u8], to: &Path) -> Result<TempPath, Error> {
        let folder = folder_of(to);
        sweep(folder);
        let written = file_in(folder, self.state.mode & 0o7777).and_then(|mut file| {
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            Ok(file.into_temp_path())
        });
        written.map_err(|source| Error::Write { path: to.to_owned(), source })
    }

    /// Puts a file that [`Source::write_beside`] wrote in its place, unless this one was written to meanwhile.
    ///
    /// # Errors
    /// [`Error::WrittenTo`], [`Error::Write`].
    pub fn put(&self, new: TempPath, to: &Path) -> Result<(), Error> {
        self.unchanged()?;
        new.persist(to).map_err(|refused| Error::Write { path: to.to_owned(), source: refused.error })
    }

    /// Runs this program and the new one with the same arguments and the same input, which is what comes on standard input
    /// unless that is a terminal.
    ///
    /// # Errors
    /// [`Error::Differs`], [`Error::Unsteady`], [`Error::Run`].
    pub fn compare(&self, new: &Path, args: &[OsString]) -> Result<(), Error> {
        let mut input = file_in(&std::env::temp_dir(), 0o600)?.into_file();
        if !io::stdin().is_terminal() {
            io::copy(&mut io::stdin().lock(), &mut input)?;
        }
        let run = |program: &Path| {
            let failed = |source| Error::Run { path: program.to_owned(), source };
            let mut input = input.try_clone().map_err(failed)?;
            input.rewind().map_err(failed)?;
            Command::new(program)
                .arg0(&self.path)
                .args(args)
                .stdin(Stdio::from(input))
                .output()
                .map_err(failed)
        };
        let (old, changed) = (run(&self.path)?, run(new)?);
        match difference(&old, &changed) {
            None => Ok(()),
            Some(what) => match difference(&old, &run(&self.path)?) {
                None => Err(Error::Differs { what }),
                Some(what) => Err(Error::Unsteady { what }),
            },
        }
    }

    /// What the user should know: what speaks of the file as it was, and no longer holds.
    pub fn warnings(&self, digest: &str) -> Vec<String> {
        let mut warnings = Vec::new();
        let folder = folder_of(&self.path);
        let Some(name) = self.path.file_name().and_then(|name| name.to_str()) else { return warnings };
        let signed = SIGNATURES.iter().map(|ending| folder.join(format!("{name}.{ending}")));
        for signature in signed.filter(|path| path.is_file()) {
            warnings.push(format!(
                "the signature {} is not one of the grafted file: sign that anew",
                shown(&signature)
            ));
        }
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let other = entry.file_name().to_string_lossy().to_lowercase();
            let speaks =
                TEXTS.iter().any(|ending| other == *ending || other.ends_with(&format!(".{ending}")));
            if speaks
                && let Ok(text) = brawn_base::file::read(entry.path(), MOST_TEXT)
                && memchr::memmem::find(&text, digest.as_bytes()).is_some()
            {
                let path = entry.path();
                warnings.push(format!("{} has the digest of the file as it was: make it anew", shown(&path)));
            }
        }
        warnings
    }
}

impl State {
    fn of(path: &Path) -> io::Result<State> {
        let data = fs_err::metadata(path)?;
        Ok(State {
            file: (data.dev(), data.ino()),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            mode: data.permissions().mode(),
        })
    }
}

/// In what two runs differ.
fn difference(one: &Output, other: &Output) -> Option<String> {
    if one.status != other.status {
        return Some(format!("one ended with {}, one with {}", one.status, other.status));
    }
    let streams =
        [("standard output", &one.stdout, &other.stdout), ("standard error", &one.stderr, &other.stderr)];
    let (name, one, other) = streams.into_iter().find(|(_, one, other)| one != other)?;
    let at =
        one.iter().zip(other).position(|(one, other)| one != other).unwrap_or(one.len().min(other.len()));
    Some(format!("{name} differs from byte {at} on ({} and {} bytes)", one.len(), other.len()))
}
