//! What programs said about themselves, remembered until they change: a build runs a compiler thousands of times.

use std::path::Path;
use std::time::SystemTime;

use brawn_base::file;
use brawn_libc::cache::COMPILERS;
use brawn_libc::{atomic, sha256_hex};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::toolchain::on_path;
use crate::{Error, home};

#[derive(Serialize, Deserialize)]
struct Memory<T> {
    /// The program's file.
    size: u64,
    modified: SystemTime,
    said: T,
}

/// The answer of the program that `command` starts with to `question`. It is asked when it is new or has changed, and when what
/// it said does not hold any more. Without a cache to keep it in, each time.
pub(super) fn remembered<T: Serialize + DeserializeOwned>(
    question: &str,
    command: &[String],
    holds: impl Fn(&T) -> bool,
    ask: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let program = on_path(&command[0]);
    let file = program.as_ref().and_then(|path| path.metadata().ok());
    let modified = file.as_ref().and_then(|file| file.modified().ok());
    let (Some(program), Some(file), Some(modified), Ok(cache)) = (program, file, modified, home::cache())
    else {
        return ask();
    };
    let key = format!("{question}\0{}\0{}", program.display(), command[1..].join("\0"));
    let path = cache.part(COMPILERS).join(format!("{}.json", &sha256_hex(key.as_bytes())[..16]));
    let known =
        file::read(&path, file::TEXT).ok().and_then(|text| serde_json::from_slice::<Memory<T>>(&text).ok());
    if let Some(known) = known
        && known.size == file.len()
        && known.modified == modified
        && holds(&known.said)
    {
        return Ok(known.said);
    }
    let fresh = Memory { size: file.len(), modified, said: ask()? };
    // What cannot be kept is asked again.
    let _ = keep(&path, &fresh);
    Ok(fresh.said)
}

/// Other processes may read at any time.
fn keep(path: &Path, memory: &impl Serialize) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs_err::create_dir_all(folder)?;
    let text = serde_json::to_vec(memory).map_err(std::io::Error::from)?;
    Ok(atomic::write(path, &text, 0o600)?)
}
