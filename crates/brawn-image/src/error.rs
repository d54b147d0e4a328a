use std::path::{Path, PathBuf};
use std::time::Duration;

brawn_base::errors! {
    /// Why an image cannot be made, read or pushed.
    ///
    /// Every message names the file, registry or setting at fault; [`brawn_base::Diagnostic::hint`] says what to do about it.
    pub enum Error {
        from {
            /// Reading failed; the message names the path.
            Io(std::io::Error),
        }

        #[error("cannot write {}", path.display())]
        Unwritable { path: PathBuf, source: std::io::Error } => source.code(),
            format!("{}; nothing was left half-written", brawn_base::hint_of_writing(source));

        #[error("{} is there already, and it is not an OCI layout", path.display())]
        NotALayout { path: PathBuf } => Io, "name a folder that does not exist yet, or remove this one";

        #[error("{} cannot be the program of an image", path.display())]
        NotAnExecutable { path: PathBuf, source: brawn_elf::Error } => Input, source.hint();

        /// The executable needs files that an image from scratch does not hold.
        #[error("{} is not static: it needs {}", path.display(), needed.join(", "))]
        Dynamic { path: PathBuf, needed: Vec<String> } => Input,
            "link it statically (`brawn build`, `brawn cc`), or name an image that holds these files with --base";

        #[error("{} is for {arch}, which is no platform that brawn knows", path.display())]
        Architecture { path: PathBuf, arch: String } => Input,
            "there are: x86_64 (linux/amd64) and aarch64 (linux/arm64)";

        #[error("{} and {} are both for {platform}", first.display(), second.display())]
        SamePlatform { platform: String, first: PathBuf, second: PathBuf } => Usage,
            "an index holds one image for each platform: name one of them";

        #[error("{place} is damaged, or not an OCI image: {what}")]
        Damaged { place: String, what: String } => Input, "make it again, or fetch it again";

        #[error("{place}: {what} should have the digest {expected}, and has {found}")]
        Digest { place: String, what: String, expected: String, found: String } => Input,
            "it was damaged or changed: fetch it again from where it came";

        #[error("{base} has no image for {platform}, only for {}", there.join(", "))]
        NoPlatform { base: String, platform: String, there: Vec<String> } => Input,
            "leave that platform away, or choose another base";

        /// A setting cannot be used.
        #[error("{what}")]
        Setting { what: String, hint: Option<String> } => Usage, hint;

        #[error("'{given}' is not a reference to an image: {what}")]
        Reference { given: String, what: &'static str } => Usage, "the form is HOST[:PORT]/NAME[:TAG][@sha256:DIGEST]";

        /// A base image is named by something that may mean another image tomorrow.
        #[error("the base image {reference} is not named by its digest")]
        Unpinned { reference: String, now: Option<String> } => Usage,
            match now {
                Some(digest) => format!("now it is {reference}@{digest}: say --base {reference}@{digest}"),
                None => format!("say --base {reference}@sha256:…"),
            };

        #[error("{registry} is not on this machine, and --insecure is only for registries that are")]
        Insecure { registry: String } => Usage, "leave --insecure away: registries elsewhere are spoken to with TLS";

        #[error("{registry} leads to {address}, where nothing is encrypted")]
        ClearText { registry: String, address: String } => Registry,
            "brawn does not go there; a registry behind a proxy must be told its public address (X-Forwarded-Proto)";

        /// A registry wants the login to be sent to a host that has nothing to do with it.
        #[error("{registry} asks for the login to be sent to {host}")]
        TokenHost { registry: String, host: String } => Registry,
            format!("if {host} may know your password for {registry}, say --token-host {host}");

        #[error("{registry} makes no progress for {} s: {request}", limit.as_secs_f32())]
        Stalled { registry: String, request: String, limit: Duration } => Registry,
            "check the network, and try again: what was sent is not sent twice";

        #[error("{registry} takes longer than the limit of {} s", limit.as_secs_f32())]
        OutOfTime { registry: String, limit: Duration } => Registry,
            format!("if it only needs longer, say --timeout {}m", (limit.as_secs() / 60).max(1) * 4);

        #[error("{registry} is busy, and asks to wait for {} s", wait.as_secs())]
        Busy { registry: String, wait: Duration, longest: Duration } => Registry,
            format!("try again after that time; brawn itself waits for {} s at most", longest.as_secs());

        /// A document, layer or list is larger than any that is believed.
        #[error("{place}: {what} has {}", too_many(*found, *limit, unit))]
        TooLarge { place: String, what: String, found: Option<u64>, limit: u64, unit: &'static str } => Input,
            "if this is a real image, use another base; nothing of it was kept";

        #[error("{} has no room for {needed} bytes: {free} are free", folder.display())]
        NoRoom { folder: PathBuf, needed: u64, free: u64 } => Io, "make room there, or name another folder with TMPDIR";

        #[error("{registry} does not answer as it should: {request}")]
        Transport { registry: String, request: String, source: Box<dyn std::error::Error + Send + Sync> } => Registry,
            format!("check the name and the network; a registry on this machine without TLS ({registry}) needs --insecure");

        #[error("{registry} refuses {request}: {status}{}", said(message))]
        Refused { registry: String, request: String, status: u16, message: String } => Registry,
            match status {
                401 | 403 => Some(format!(
                    "log in with `docker login {registry}` or `podman login {registry}`, or check what you may push"
                )),
                404 => Some("check the name of the repository".to_owned()),
                _ => None,
            };

        #[error("{registry} answers {request} with what no registry should: {what}")]
        Protocol { registry: String, request: String, what: String } => Registry;

        #[error("the credentials for {registry} cannot be had from {}", file.display())]
        Credentials { registry: String, file: PathBuf, source: docker_credential::CredentialRetrievalError } => Registry,
            format!("log in again, or look into {}: a helper that it names must be on PATH", file.display());

        #[error("the credential helper that {} names for {registry} gave no answer within {limit:?}", file.display())]
        SilentHelper { registry: String, file: PathBuf, limit: Duration } => Registry,
            "run it by hand (`docker-credential-NAME get`): does it ask for something, or wait for another program?";

        #[error("cargo cannot describe the package")]
        Cargo { source: cargo_metadata::Error } => Input,
            "run this in the folder of a package, or name an executable";

        /// There is no package to make an image of, or more than one executable.
        #[error("{what}")]
        Package { what: String, hint: String } => Usage, hint;
    }
}

fn too_many(found: Option<u64>, limit: u64, unit: &str) -> String {
    match found {
        Some(found) => format!("{found} {unit}, and the limit is {limit}"),
        None => format!("more than {limit} {unit}, which is the limit"),
    }
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(" ({message})") }
}

impl Error {
    pub(crate) fn unwritable(path: &Path, source: std::io::Error) -> Error {
        Error::Unwritable { path: path.to_owned(), source }
    }

    pub(crate) fn damaged(place: impl Into<String>, what: impl Into<String>) -> Error {
        Error::Damaged { place: place.into(), what: what.into() }
    }

    /// `what` has `found` bytes, or more than anyone counted.
    pub(crate) fn too_large(place: impl Into<String>, what: &str, found: Option<u64>, limit: u64) -> Error {
        Error::TooLarge { place: place.into(), what: what.to_owned(), found, limit, unit: "bytes" }
    }

    /// `what` has `found` of something that it may have `limit` of.
    pub(crate) fn too_many(
        place: impl Into<String>,
        what: &str,
        found: usize,
        limit: usize,
        unit: &'static str,
    ) -> Error {
        let (found, limit) = (Some(found as u64), limit as u64);
        Error::TooLarge { place: place.into(), what: what.to_owned(), found, limit, unit }
    }

    pub(crate) fn setting(what: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::Setting { what: what.into(), hint: Some(hint.into()) }
    }
}
