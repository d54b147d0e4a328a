//! Results as a file: written in one step, read with an answer to every way in which the file can be wrong.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::results::{Results, SCHEMA};

brawn_base::errors! {
    /// Why a file of results could not be read.
    pub enum DocumentError {
        from {
            /// The file could not be read; the message names it.
            File(io::Error),
        }

        /// The file is something else: no JSON, or JSON of another kind. The source says where it leaves the form.
        #[error("{} holds no results of `brawn bench`", path.display())]
        NotResults { path: PathBuf, source: serde_json::Error } => Input,
            "give the results.json that `brawn bench --out DIR` writes";

        /// Another version of Brawn wrote the file.
        #[error("{} has form {found}, this brawn reads form {SCHEMA}", path.display())]
        Schema { path: PathBuf, found: u32 } => Input, match *found > SCHEMA {
            true => "a newer brawn wrote it: update brawn, or measure again with this one",
            false => "an older brawn wrote it: measure again, or read it with the brawn that it names",
        };
    }
}

/// What every version of the document has.
#[derive(Deserialize)]
struct Head {
    schema: u32,
}

impl Results {
    /// Reads a document.
    ///
    /// # Errors
    /// [`DocumentError`]: the file cannot be read, holds something else, or has another [`SCHEMA`].
    pub fn load(path: &Path) -> Result<Self, DocumentError> {
        Self::parse(path, &brawn_base::file::text(path)?)
    }

    /// Reads a document's text; `path` is its name for messages.
    ///
    /// # Errors
    /// [`DocumentError`]: it is something else, or has another [`SCHEMA`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, DocumentError> {
        let not_results = |source| DocumentError::NotResults { path: path.to_owned(), source };
        let head: Head = serde_json::from_str(text).map_err(not_results)?;
        if head.schema != SCHEMA {
            return Err(DocumentError::Schema { path: path.to_owned(), found: head.schema });
        }
        serde_json::from_str(text).map_err(not_results)
    }

    /// Writes the document in one step: a run that is killed leaves either the old file or the new one.
    ///
    /// # Errors
    /// The system's, for instance when the disk is full; the message names the file.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        write_whole(path, &self.to_json())
    }

    /// The document as JSON with a line break at its end.
    ///
    /// # Panics
    /// Never: results hold only what JSON can say.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("results are plain data") + "\n"
    }
}

/// Writes a whole file in one step, through a neighbour that takes its place.
///
/// # Errors
/// The system's; the message names the file.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    brawn_base::temporary::write(path, text.as_bytes(), 0o644)
        .map_err(|error| io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display())))
}
