use crate::Error;

/// The longest name that file systems take, in bytes.
const LONGEST: usize = 255;

/// Folders at the root of an image: those that Brawn adds, those of base images, and those that runtimes lay their own over.
const TAKEN: &[&str] = &[
    "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt", "proc",
    "root", "run", "sbin", "srv", "sys", "tmp", "usr", "var",
];

/// Refuses names under which a program would break its image.
pub(crate) fn check(name: &str) -> Result<(), Error> {
    let reason = if name.is_empty() {
        "it is empty"
    } else if name == "." || name == ".." || name.contains('/') {
        "it is a path, and the program is at the root"
    } else if name.chars().any(char::is_control) {
        "it holds a control character"
    } else if name.len() > LONGEST {
        "it is longer than 255 bytes"
    } else if name.starts_with(".wh.") {
        "in a layer that removes a file of the layers below"
    } else if TAKEN.contains(&name) {
        "that is a folder of every system"
    } else if [".dockerenv", ".containerenv"].contains(&name) {
        "container runtimes put a file of their own there"
    } else {
        return Ok(());
    };
    Err(Error::setting(
        format!("'{}' cannot be the name of the program in the image: {reason}", name.escape_debug()),
        "give it another one with --name",
    ))
}

#[cfg(test)]
mod tests {
    use brawn_base::Diagnostic as _;

    use super::*;

    #[test]
    fn a_name_that_breaks_the_image_is_refused_with_the_reason() {
        for (name, reason) in [
            ("", "empty"),
            (".", "a path"),
            ("..", "a path"),
            ("a/b", "a path"),
            ("/", "a path"),
            ("a\nb", "control"),
            ("a\0", "control"),
            ("\u{1b}[31m", "control"),
            ("a\u{85}", "control"),
            (&"n".repeat(256), "longer"),
            (".wh.foo", "removes"),
            (".wh..wh..opq", "removes"),
            (".wh.", "removes"),
            ("etc", "folder"),
            ("tmp", "folder"),
            ("usr", "folder"),
            ("home", "folder"),
            ("proc", "folder"),
            ("dev", "folder"),
            ("lib64", "folder"),
            (".dockerenv", "runtimes"),
        ] {
            let error = check(name).unwrap_err();
            let (text, hint) = (error.to_string(), error.hint().unwrap());
            assert!(text.contains(reason) && !text.contains(char::is_control), "{name}: {text}");
            assert!(hint.contains("--name"), "{hint}");
        }
        for name in ["app", "-", ".app", "wh.foo", ".whale", "etcd", "a b", "dev2", "größe", &"n".repeat(255)]
        {
            check(name).unwrap();
        }
    }

    #[test]
    fn what_brawn_adds_is_in_the_list() {
        let entries = crate::contents::entries(&crate::Part::ALL.into(), "");
        for path in entries.keys() {
            let top = path.split('/').next().unwrap();
            assert!(TAKEN.contains(&top), "{path}");
        }
    }
}
