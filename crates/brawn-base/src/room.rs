//! What to do about an error of the system when something is written.

use std::io::{Error, ErrorKind};

/// What the user can do about an error that can only come from writing: no room, no quota, a file system without writing.
pub(crate) fn hint_of_io(error: &Error) -> Option<&'static str> {
    Some(match error.kind() {
        ErrorKind::StorageFull => "make room on that file system, or choose a place on another",
        ErrorKind::QuotaExceeded => {
            "your quota on that file system is used up: remove something, or choose a place on another"
        }
        ErrorKind::ReadOnlyFilesystem => {
            "that file system is mounted read-only: choose another place, or mount it for writing"
        }
        ErrorKind::FileTooLarge => "a limit on the size of files holds here (`ulimit -f`): raise it",
        _ => return None,
    })
}

/// What the user can do about a place that cannot be written.
pub fn hint_of_writing(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::PermissionDenied => "choose another place, or run the command as the owner of this one",
        _ => hint_of_io(error).unwrap_or("choose another place"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_true_for_what_the_system_says() {
        use rustix::io::Errno;
        for (errno, word) in [
            (Errno::NOSPC, "room"),
            (Errno::DQUOT, "quota"),
            (Errno::ROFS, "read-only"),
            (Errno::FBIG, "ulimit -f"),
            (Errno::ACCESS, "owner"),
            (Errno::PERM, "owner"),
            (Errno::NOTDIR, "another place"),
        ] {
            let hint = hint_of_writing(&errno.into());
            assert!(hint.contains(word), "{errno}: {hint}");
            assert_eq!(hint.contains("owner"), word == "owner", "{errno}: {hint}");
        }
    }
}
