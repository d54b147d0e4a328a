//! What is needed to do a link again: its arguments, its inputs by digest, and copies of the inputs that the build
//! system throws away.
//!
//! Records live in the cache, one folder for each output path, so that building again replaces the record. A record
//! goes when its output is gone. Arguments can say a lot, and a replay runs what they say: only the user may read a record,
//! and one that others could have written is refused.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use brawn_base::{file, temporary};
use brawn_elf::{Arch, LinkId};
use brawn_libc::cache::{LINKS, touch};
use brawn_libc::{Cache, sha256_hex, trust};
use serde::{Deserialize, Serialize, de::Error as _};

use crate::Error;
use crate::line::Flavor;

/// Stands for the overlay's folder in recorded arguments.
pub const OVERLAY: &str = "{brawn:overlay}";
/// Stands for the record's own folder in recorded arguments.
pub const RECORD: &str = "{brawn:record}";
/// Stands for the output in recorded arguments.
pub const OUTPUT: &str = "{brawn:output}";

/// The digests of archives from this size on, in bytes, are remembered.
const LARGE: u64 = 1 << 20;

/// The version of the format that this build writes.
pub const FORMAT: u32 = 1;

/// One link.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Record {
    /// Version of this format.
    pub format: u32,
    /// The id that the executable's note carries.
    pub id: String,
    /// Where the executable was written.
    pub output: PathBuf,
    /// The architecture.
    pub arch: Arch,
    /// Program and fixed arguments.
    pub linker: Vec<String>,
    /// Who the arguments are written for.
    pub flavor: Flavor,
    /// The arguments, with placeholders.
    pub args: Vec<String>,
    /// The folder in which it was done.
    pub cwd: PathBuf,
    /// Environment variables that linkers and compiler drivers look at.
    pub env: Vec<(String, String)>,
    /// The `libc.a` that the link would have used.
    pub base: PathBuf,
    /// The folder of the package that was built, for its settings.
    pub package: Option<PathBuf>,
    /// Every file among the arguments.
    pub inputs: Vec<Input>,
    /// The allocators whose place the heap behind `malloc` takes.
    #[serde(default)]
    pub serves: Vec<String>,
}

impl Record {
    /// Reads the text of the record in `folder`.
    pub fn parse(folder: &Path, text: &[u8]) -> Result<Record, Error> {
        let bad = |source| Error::BadRecord { path: folder.to_owned(), source };
        let record: Record = serde_json::from_slice(text).map_err(bad)?;
        if record.format != FORMAT {
            return Err(bad(serde_json::Error::custom(format!("format {} is not {FORMAT}", record.format))));
        }
        Ok(record)
    }
}

/// A file among the arguments of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Input {
    /// Where it was, or where the copy is, relative to the record's folder.
    pub path: PathBuf,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256.
    pub sha256: String,
    /// Modification time in nanoseconds since 1970: while it and the size are the same, the digest is not computed
    /// again.
    pub modified: u64,
}

impl Input {
    /// Describes the file at `path`. Large archives are those that come with compilers, the same in every link.
    pub fn describe(path: &Path, cache: &Cache) -> Result<Input, Error> {
        let data = fs_err::metadata(path)?;
        let is_archive = path.extension().is_some_and(|ending| ending == "a" || ending == "rlib");
        let sha256 = match is_archive && data.len() >= LARGE {
            true => cache.digest(path)?,
            false => sha256_hex(&file::read(path, file::OBJECT)?),
        };
        Ok(Input { path: path.to_owned(), size: data.len(), sha256, modified: modified(&data) })
    }

    /// Whether the file at `path` (this input's, made absolute) is still the one that was linked.
    pub fn check(&self, path: &Path, output: &Path) -> Result<(), Error> {
        let changed = |what| Error::InputChanged { input: path.to_owned(), what, output: output.to_owned() };
        let data = path.metadata().map_err(|_| changed("is gone"))?;
        if data.len() != self.size {
            return Err(changed("changed"));
        }
        if modified(&data) == self.modified || sha256_hex(&file::read(path, file::OBJECT)?) == self.sha256 {
            return Ok(());
        }
        Err(changed("changed"))
    }
}

fn modified(data: &std::fs::Metadata) -> u64 {
    let since = data.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// All records.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// The store in a cache folder.
    pub fn new(cache: &Path) -> Store {
        Store { root: cache.join(LINKS) }
    }

    /// The folder for the record of `output`, which must be an absolute path.
    pub fn folder(&self, output: &Path) -> PathBuf {
        self.root.join(&sha256_hex(output.as_os_str().as_encoded_bytes())[..32])
    }

    /// Makes an empty folder next to the final one, for a record that is being written.
    pub fn begin(&self) -> Result<temporary::Folder, Error> {
        fs_err::create_dir_all(&self.root)?;
        Ok(temporary::folder_in(&self.root)?)
    }

    /// Puts a record in place of the one for the same output.
    pub fn finish(&self, fresh: temporary::Folder, record: &Record) -> Result<(), Error> {
        let json = serde_json::to_vec(record).expect("a record has only string keys");
        write_private(&fresh.path().join("record.json"), &json)?;
        // Small files of their own, so that a search need not read every record.
        write_private(&fresh.path().join("id"), record.id.as_bytes())?;
        write_private(&fresh.path().join("output"), record.output.as_os_str().as_encoded_bytes())?;
        let place = self.folder(&record.output);
        let path = fresh.path().to_owned();
        Cache::note_added();
        for _ in 0..8 {
            match fs_err::rename(&path, &place) {
                Ok(()) => {
                    fresh.keep();
                    return Ok(());
                }
                // The former record of the same output; another process may be removing it as well.
                Err(_) if place.exists() => discard(&place),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Notes which overlay the recorded output carries now.
    pub fn set_overlay(&self, folder: &Path, id: &str) -> Result<(), Error> {
        write_private(&folder.join("overlay"), id.as_bytes())
    }

    /// Which overlay the recorded output carries.
    pub fn overlay(&self, folder: &Path) -> Option<String> {
        file::text(folder.join("overlay")).ok()
    }

    /// Reads the record in `folder`, which must be this user's alone.
    pub fn read(&self, folder: &Path) -> Result<Record, Error> {
        let path = folder.join("record.json");
        trust::check(folder)?;
        trust::check(&path)?;
        let text = file::read(path, file::TEXT)?;
        let record = Record::parse(folder, &text)?;
        touch(folder);
        Ok(record)
    }

    /// Whether there is a record for `path`, an absolute path, that is no older than the file there: a link by others leaves it
    /// as it was.
    pub fn is_current(&self, path: &Path) -> bool {
        let time = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
        let written = time(&self.folder(path).join("record.json"));
        written.is_some_and(|written| time(path).is_some_and(|changed| changed <= written))
    }

    /// The folder of the record for the executable at `path`: by its path, or else by the id in its note.
    pub fn find(&self, path: &Path, id: Option<&LinkId>) -> Result<PathBuf, Error> {
        let direct = self.folder(path);
        let is = |folder: &Path| {
            let text = file::text(folder.join("id")).unwrap_or_default();
            id.is_none_or(|id| id.as_str() == text)
        };
        if direct.join("record.json").exists() && is(&direct) {
            return Ok(direct);
        }
        // Ids do not depend on folders, so a copy of a package elsewhere has the same: the one whose output this is, or
        // that lies nearest to it, is meant. Cargo gives executables a second name, which is the same file.
        let same = self.folders().into_iter().filter(|folder| id.is_some() && is(folder));
        same.max_by_key(|folder| output_of(folder).map_or(0, |output| nearness(&output, path)))
            .ok_or_else(|| Error::NoRecord { path: path.to_owned() })
    }

    /// The records of outputs below `dir`.
    pub fn below(&self, dir: &Path) -> Vec<PathBuf> {
        self.folders()
            .into_iter()
            .filter(|folder| output_of(folder).is_some_and(|o| o.starts_with(dir)))
            .collect()
    }

    /// Removes the records whose output is gone, at most once a day.
    pub fn prune(&self) {
        let stamp = self.root.join("pruned");
        let day = Duration::from_secs(24 * 60 * 60);
        let fresh = stamp
            .metadata()
            .and_then(|data| data.modified())
            .is_ok_and(|time| time.elapsed().is_ok_and(|age| age < day));
        if fresh || !self.root.exists() {
            return;
        }
        for folder in self.folders() {
            if !output_of(&folder).is_some_and(|output| output.exists()) {
                discard(&folder);
            }
        }
        // Without the stamp the next call does the same again, which is no harm.
        let _ = fs_err::write(stamp, "");
    }

    fn folders(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs_err::read_dir(&self.root) else { return Vec::new() };
        entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")))
            .filter(|path| path.join("id").exists())
            .collect()
    }
}

/// How many folders two files share; none when the first is gone, and more than any when they are the same file.
fn nearness(output: &Path, path: &Path) -> usize {
    use std::os::unix::fs::MetadataExt;
    let (Ok(one), Ok(other)) = (output.metadata(), path.metadata()) else { return 0 };
    if (one.dev(), one.ino()) == (other.dev(), other.ino()) {
        return usize::MAX;
    }
    let shared = output.components().zip(path.components()).take_while(|(left, right)| left == right);
    1 + shared.count()
}

fn output_of(folder: &Path) -> Option<PathBuf> {
    file::text(folder.join("output")).ok().map(PathBuf::from)
}

/// Writes a file that only its owner may read.
fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    use fs_err::os::unix::fs::OpenOptionsExt as _;
    use std::io::Write as _;
    let mut options = fs_err::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    Ok(options.open(path)?.write_all(bytes)?)
}

/// Removes a folder that no one needs; if it stays, it is only in the way of nothing.
fn discard(folder: &Path) {
    let _ = fs_err::remove_dir_all(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_records_with_one_id_the_one_of_the_same_file_is_found() {
        let place = tempfile::tempdir().unwrap();
        let store = Store::new(&place.path().join("cache"));
        let id = LinkId::new("0123456789abcdef0123456789abcdef").unwrap();
        let record = |folder: &str| {
            let output = place.path().join(folder).join("deps/program");
            fs_err::create_dir_all(output.parent().unwrap()).unwrap();
            fs_err::write(&output, "program").unwrap();
            let record = Record {
                format: FORMAT,
                id: id.as_str().to_owned(),
                output,
                arch: Arch::X86_64,
                linker: vec!["cc".into()],
                flavor: Flavor::Compiler,
                args: Vec::new(),
                cwd: place.path().join(folder),
                env: Vec::new(),
                base: "libc.a".into(),
                package: None,
                inputs: Vec::new(),
                serves: Vec::new(),
            };
            store.finish(store.begin().unwrap(), &record).unwrap();
            record
        };
        let records = ["one", "two", "three"].map(record);
        fs_err::remove_file(&records[2].output).unwrap();
        for record in &records[..2] {
            let second_name = record.cwd.join("program");
            fs_err::hard_link(&record.output, &second_name).unwrap();
            let found = store.find(&second_name, Some(&id)).unwrap();
            assert_eq!(store.read(&found).unwrap().cwd, record.cwd);
            // A copy is no longer the same file, and nearer to its own record all the same.
            let copy = record.cwd.join("copy");
            fs_err::copy(&record.output, &copy).unwrap();
            let found = store.find(&copy, Some(&id)).unwrap();
            assert_eq!(store.read(&found).unwrap().cwd, record.cwd);
        }
    }
}
