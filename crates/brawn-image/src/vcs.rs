use std::path::Path;
use std::process::{Command, Stdio};

/// The commit that a folder's files are of, with `-dirty` if tracked files differ from it. Nothing outside a Git
/// repository, or without `git`.
pub(crate) fn revision(folder: &Path) -> Option<String> {
    let commit = git(folder, &["rev-parse", "HEAD"])?;
    let changed = git(folder, &["status", "--porcelain", "--untracked-files=no", "--", "."])?;
    Some(if changed.is_empty() { commit } else { format!("{commit}-dirty") })
}

fn git(folder: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
