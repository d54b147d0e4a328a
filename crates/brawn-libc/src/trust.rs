//! Whether a file or folder is this user's own: what is cached is linked into programs, and a recorded link runs a program.
//!
//! The rule is that of ssh for its keys: it belongs to the effective user and no one else may write to it, and every folder
//! on the way, with every symbolic link, belongs to that user, to root, or to the owner of `/`, and is not writable by
//! others unless it is sticky, as `/tmp` is.

use std::fs::Metadata;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::Error;

const WRITABLE_BY_OTHERS: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// Makes the folder at `path` unless it is there, checks it, and gives its real path.
///
/// # Errors
/// [`Error::Untrusted`] when it is not this user's alone; [`Error::Unwritable`] when it cannot be made.
pub fn own_folder(path: &Path) -> Result<PathBuf, Error> {
    let path = std::path::absolute(path)?;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&path);
    made.map_err(|source| Error::unwritable(&path, source))?;
    check_way(&path)?;
    let real = fs_err::canonicalize(&path)?;
    check_way(&real)?;
    // By descriptor: what is judged is what was opened.
    let opened = fs_err::File::open(&real)?;
    check_own(&real, &opened.metadata()?)?;
    Ok(real)
}

/// Checks that what is at `path` is this user's alone, and no symbolic link.
///
/// # Errors
/// [`Error::Untrusted`], and [`Error::Io`] when there is nothing.
pub fn check(path: &Path) -> Result<(), Error> {
    let data = fs_err::symlink_metadata(path)?;
    if data.is_symlink() {
        return Err(untrusted(path, "it is a symbolic link".into(), remove(path)));
    }
    check_own(path, &data)
}

fn check_own(path: &Path, data: &Metadata) -> Result<(), Error> {
    let user = rustix::process::geteuid().as_raw();
    if data.uid() != user {
        return Err(foreign(path, data.uid()));
    }
    check_mode(path, data)
}

fn check_mode(path: &Path, data: &Metadata) -> Result<(), Error> {
    if data.mode() & WRITABLE_BY_OTHERS == 0 {
        return Ok(());
    }
    let what = format!("others may write to {} (mode {:04o})", path.display(), data.mode() & 0o7777);
    let hint = format!(
        "look at what is in it, then `chmod go-w {}`; or set BRAWN_CACHE_DIR to a folder of your own",
        path.display()
    );
    Err(untrusted(path, what, hint))
}

/// Every folder above `path`, and `path` itself if it is a symbolic link.
fn check_way(path: &Path) -> Result<(), Error> {
    let user = rustix::process::geteuid().as_raw();
    // Anyone who owns `/` owns everything; in a user namespace that is no longer called root.
    let root = fs_err::symlink_metadata("/")?.uid();
    for step in path.ancestors() {
        let data = fs_err::symlink_metadata(step)?;
        if step == path && !data.is_symlink() {
            continue;
        }
        if ![user, root, 0].contains(&data.uid()) {
            return Err(foreign(step, data.uid()));
        }
        if !data.is_symlink() && data.mode() & STICKY == 0 {
            check_mode(step, &data)?;
        }
    }
    Ok(())
}

fn name(uid: u32) -> String {
    if uid == 0 { "root".to_owned() } else { format!("user {uid}") }
}

fn foreign(path: &Path, owner: u32) -> Error {
    let user = rustix::process::geteuid().as_raw();
    let what = format!("{} belongs to {}, and this is {}", path.display(), name(owner), name(user));
    let by_sudo = user == 0 && std::env::var_os("SUDO_UID").is_some();
    let hint = if by_sudo {
        "sudo keeps the caller's HOME or BRAWN_CACHE_DIR here: run it without sudo, or with `sudo -H env -u BRAWN_CACHE_DIR`"
            .into()
    } else if owner == 0 {
        format!(
            "if it was made under sudo, `sudo chown -R \"$(id -u)\" {}`; or set BRAWN_CACHE_DIR to a folder of your own",
            path.display()
        )
    } else {
        "set BRAWN_CACHE_DIR to a folder of your own".into()
    };
    untrusted(path, what, hint)
}

fn remove(path: &Path) -> String {
    format!("look at where it leads, then remove {}", path.display())
}

fn untrusted(path: &Path, what: String, hint: String) -> Error {
    Error::Untrusted { path: path.to_owned(), what, hint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn set_mode(path: &Path, mode: u32) {
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn refused(path: &Path) -> String {
        own_folder(path).unwrap_err().to_string()
    }

    #[test]
    fn a_folder_is_made_for_its_owner_alone() {
        let place = tempfile::tempdir().unwrap();
        let path = own_folder(&place.path().join("a/b")).unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o700);
        assert_eq!(own_folder(&path).unwrap(), path);
    }

    #[test]
    fn what_others_may_write_to_is_refused_wherever_it_is_on_the_way() {
        let place = tempfile::tempdir().unwrap();
        let path = own_folder(&place.path().join("a/b")).unwrap();
        for (folder, mode) in [("a/b", 0o770), ("a/b", 0o702), ("a", 0o777)] {
            let folder = place.path().canonicalize().unwrap().join(folder);
            set_mode(&folder, mode);
            assert!(refused(&path).contains(&format!("others may write to {}", folder.display())));
            set_mode(&folder, 0o755);
        }
        set_mode(&place.path().join("a"), 0o1777);
        own_folder(&path).unwrap();
    }

    #[test]
    fn a_link_counts_for_what_it_leads_to() {
        let place = tempfile::tempdir().unwrap();
        let path = own_folder(&place.path().join("real")).unwrap();
        let link = place.path().join("link");
        fs_err::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(own_folder(&link).unwrap(), path);
        set_mode(&path, 0o777);
        assert!(refused(&link).contains("real"));
        assert!(check(&link).unwrap_err().to_string().contains("symbolic link"));
    }
}
