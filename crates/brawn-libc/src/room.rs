//! What to do about an error of the system when something is written.

use std::io::{Error, ErrorKind};

/// What the user can do where the system's answer says it.
pub fn hint_of_io(error: &Error) -> Option<&'static str> {
    Some(match error.kind() {
        ErrorKind::StorageFull => "make room on that file system, or choose a place on another",
        ErrorKind::QuotaExceeded => {
            "your quota on that file system is used up: remove something, or choose another place"
        }
        ErrorKind::ReadOnlyFilesystem => {
            "that file system is mounted read-only: choose another place, or mount it for writing"
        }
        ErrorKind::FileTooLarge => "a limit on the size of files holds here (`ulimit -f`): raise it",
        ErrorKind::PermissionDenied => "choose another place, or run the command as the owner of this one",
        _ => return None,
    })
}
