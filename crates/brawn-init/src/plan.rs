//! Changes of a project: found first, and then made all together or not at all.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toml_edit::DocumentMut;

use crate::mark::{self, Found};
use crate::{Error, Kind, Part, Project};

/// The version of the JSON form. It grows when a field changes its meaning or goes away, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

brawn_base::named! {
    /// What becomes of a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Action {
        /// It is new.
        Create = "create",
        /// Lines are added at its end.
        Append = "append",
        /// What an earlier `brawn init` wrote, and nobody changed, is written anew.
        Renew = "renew",
        /// It is as it would be written.
        Keep = "keep",
        /// The lines are taken out.
        Cut = "cut",
        /// It is removed.
        Remove = "remove",
    }
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Change {
    /// What it is about.
    pub part: Part,
    /// The file, from the project's folder on.
    pub path: String,
    /// What becomes of it.
    pub action: Action,
    /// The lines that go.
    pub removed: String,
    /// The lines that come.
    pub added: String,
    /// The file before; none where there is none.
    #[serde(skip)]
    before: Option<String>,
    /// The file after; none where it goes.
    #[serde(skip)]
    after: Option<String>,
}

/// What `brawn init` did, or would do.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// The version of this form: 1.
    pub schema_version: u32,
    /// The project's folder.
    pub folder: String,
    /// Its build system; none for `--undo`, which looks at files alone.
    pub project: Option<Kind>,
    /// False for `--dry-run`, and where there was nothing to do.
    pub written: bool,
    /// What becomes of each file.
    pub changes: Vec<Change>,
}

/// What would be written.
///
/// # Errors
/// [`Error`]: a file of somebody else's stands in the way, or was changed; a part does not suit the project.
pub fn plan(
    project: &Project,
    parts: &[Part],
    settings: &str,
    program: Option<&str>,
) -> Result<Vec<Change>, Error> {
    let program = program.or(project.program.as_deref());
    parts.iter().map(|part| written(project, *part, &part.text(project, settings, program)?)).collect()
}

fn written(project: &Project, part: Part, text: &str) -> Result<Change, Error> {
    let path = project.root.join(part.path());
    let before = read(&path)?;
    let of = |action, removed: &str, added: &str, after: String| Change {
        part,
        path: part.path().display().to_string(),
        action,
        removed: removed.to_owned(),
        added: added.to_owned(),
        before: before.clone(),
        after: Some(after),
    };
    let Some(old) = before.as_deref() else { return Ok(of(Action::Create, "", text, text.to_owned())) };
    match mark::find(old) {
        Found::Whole(start, end) if &old[start..end] == text => Ok(of(Action::Keep, "", "", old.to_owned())),
        Found::Whole(start, end) => {
            Ok(of(Action::Renew, &old[start..end], text, format!("{}{text}{}", &old[..start], &old[end..])))
        }
        Found::Changed => Err(Error::Changed { path }),
        Found::No if part != Part::Settings => Err(Error::Taken { path, part: part.name() }),
        Found::No if has_settings(project) => Ok(of(Action::Keep, "", "", old.to_owned())),
        Found::No => {
            let gap = gap(old);
            let after = format!("{old}{gap}{text}");
            // Where `metadata` is written in another way, the lines would not be read.
            let parsed = after.parse::<DocumentMut>();
            parsed.map_err(|error| Error::NoPlace { path, what: error.message().to_owned() })?;
            Ok(of(Action::Append, "", &format!("{gap}{text}"), after))
        }
    }
}

/// What stands between a file and the lines behind it: an empty line, or where its last line has no end, that end.
/// So [`undo`] knows what to take out.
fn gap(old: &str) -> &'static str {
    if old.is_empty() { "" } else { "\n" }
}

fn has_settings(project: &Project) -> bool {
    let manifest = project.manifest.as_ref().map(|(_, manifest)| manifest);
    ["package", "workspace"].iter().any(|owner| {
        let metadata = manifest.and_then(|manifest| manifest.get(owner)?.get("metadata"));
        metadata.is_some_and(|metadata| metadata.get("brawn").is_some())
    })
}

/// What would be taken out of a folder.
///
/// # Errors
/// [`Error::Changed`], [`Error::NothingToUndo`], [`Error::File`].
pub fn undo(root: &Path) -> Result<Vec<Change>, Error> {
    let mut changes = Vec::new();
    for part in Part::ALL {
        let path = root.join(part.path());
        let Some(old) = read(&path)? else { continue };
        let (start, end) = match mark::find(&old) {
            Found::No => continue,
            Found::Changed => return Err(Error::Changed { path }),
            Found::Whole(start, end) => (start, end),
        };
        let whole = start == 0 && end == old.len() && part != Part::Settings;
        // The gap before it goes as well, if what stands around it is not brought together by that.
        let alone = old[..start].ends_with("\n\n") || end == old.len();
        let start = if start > 0 && alone { start - 1 } else { start };
        let after = (!whole).then(|| format!("{}{}", &old[..start], &old[end..]));
        changes.push(Change {
            part,
            path: part.path().display().to_string(),
            action: if whole { Action::Remove } else { Action::Cut },
            removed: old[start..end].to_owned(),
            added: String::new(),
            before: Some(old),
            after,
        });
    }
    match changes.is_empty() {
        true => Err(Error::NothingToUndo { folder: root.to_owned() }),
        false => Ok(changes),
    }
}

fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs_err::symlink_metadata(path) {
        Ok(data) if data.is_symlink() => Err(Error::Link { path: path.to_owned() }),
        Ok(_) => Ok(Some(brawn_base::file::text(path)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Makes the changes. When one fails, those before it are taken back.
///
/// # Errors
/// [`Error::File`].
pub fn apply(root: &Path, changes: &[Change]) -> Result<(), Error> {
    let mut done: Vec<&Change> = Vec::new();
    for change in changes.iter().filter(|change| change.before != change.after) {
        if let Err(error) = put(root, change, change.after.as_deref()) {
            for made in done.iter().rev() {
                // The first error is the one to tell.
                let _ = put(root, made, made.before.as_deref());
            }
            return Err(error.into());
        }
        done.push(change);
    }
    Ok(())
}

/// Writes a file whole, or removes it, with the folders that are then empty.
fn put(root: &Path, change: &Change, text: Option<&str>) -> io::Result<()> {
    let path: PathBuf = root.join(&change.path);
    let Some(text) = text else {
        fs_err::remove_file(&path)?;
        let folders = path.ancestors().skip(1).take_while(|folder| *folder != root);
        // The first that holds something else ends it.
        let _ = folders.map(std::fs::remove_dir).take_while(Result::is_ok).count();
        return Ok(());
    };
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder)?;
    }
    let mode = fs_err::metadata(&path).map_or(0o644, |data| data.permissions().mode() & 0o7777);
    brawn_base::temporary::write(&path, text.as_bytes(), mode)
        .map_err(|error| io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    //! Keeps `docs/reference/schema/init.schema.json` in step with the types.

    use super::*;

    const RENEW: &str = "BRAWN_RENEW";

    #[test]
    fn the_published_schema_is_that_of_the_types() {
        let mut schema = schemars::schema_for!(Report);
        schema.insert("title".to_owned(), format!("What `brawn init` did, form {SCHEMA_VERSION}").into());
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/schema/init.schema.json");
        if std::env::var_os(RENEW).is_some() {
            fs_err::write(&path, &text).unwrap();
        }
        assert!(
            fs_err::read_to_string(&path).is_ok_and(|published| published == text),
            "docs/reference/schema/init.schema.json is stale; renew it with: {RENEW}=1 cargo test -p brawn-init --lib"
        );
    }
}
