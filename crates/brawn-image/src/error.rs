use std::path::{Path, PathBuf};
use std::time::Duration;

use brawn_base::{Code, Diagnostic};

/// Why an image cannot be made, read or pushed.
///
/// Every message names the file, registry or setting at fault; [`Diagnostic::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading failed; the message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),

    /// The place for the result cannot be written.
    #[error("cannot write {}", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },

    /// The place for a layout holds something else.
    #[error("{} is there already, and it is not an OCI layout", .0.display())]
    NotALayout(PathBuf),

    /// The file that should run is no ELF executable.
    #[error("{} cannot be the program of an image", path.display())]
    NotAnExecutable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: brawn_elf::Error,
    },

    /// The executable needs files that an image from scratch does not hold.
    #[error("{} is not static: it needs {}", path.display(), needed.join(", "))]
    Dynamic {
        /// The executable.
        path: PathBuf,
        /// Its loader and its libraries.
        needed: Vec<String>,
    },

    /// The executable is for an architecture that OCI has no name for here.
    #[error("{} is for {arch}, which is no platform that brawn knows", path.display())]
    Architecture {
        /// The executable.
        path: PathBuf,
        /// Its architecture.
        arch: String,
    },

    /// Two executables for the same platform.
    #[error("{} and {} are both for {platform}", first.display(), second.display())]
    SamePlatform {
        /// The platform.
        platform: String,
        /// The first executable.
        first: PathBuf,
        /// The second.
        second: PathBuf,
    },

    /// A layout, an archive or a manifest is not as the OCI image specification says.
    #[error("{place} is damaged, or not an OCI image: {what}")]
    Damaged {
        /// The layout, archive or reference.
        place: String,
        /// What is wrong.
        what: String,
    },

    /// Bytes do not have the digest by which they were asked for.
    #[error("{place}: {what} should have the digest {expected}, and has {found}")]
    Digest {
        /// The layout, archive or repository.
        place: String,
        /// What was read.
        what: String,
        /// The digest by which it was asked for.
        expected: String,
        /// The digest of what came.
        found: String,
    },

    /// A base image has nothing for a platform.
    #[error("{base} has no image for {platform}, only for {}", there.join(", "))]
    NoPlatform {
        /// The base image.
        base: String,
        /// The platform of an executable.
        platform: String,
        /// The platforms that are there.
        there: Vec<String>,
    },

    /// A setting cannot be used.
    #[error("{what}")]
    Setting {
        /// Which one, and why.
        what: String,
        /// What to do.
        hint: Option<String>,
    },

    /// A reference to an image is not one.
    #[error("'{given}' is not a reference to an image: {what}")]
    Reference {
        /// What was given.
        given: String,
        /// What is wrong.
        what: &'static str,
    },

    /// A base image is named by something that may mean another image tomorrow.
    #[error("the base image {reference} is not named by its digest")]
    Unpinned {
        /// What was given.
        reference: String,
        /// The digest that it has now, if the registry said.
        now: Option<String>,
    },

    /// Plain HTTP was asked for with a registry elsewhere.
    #[error("{registry} is not on this machine, and --insecure is only for registries that are")]
    Insecure {
        /// Host and port.
        registry: String,
    },

    /// A registry names an address without TLS, where none is allowed.
    #[error("{registry} leads to {address}, where nothing is encrypted")]
    ClearText {
        /// Host and port.
        registry: String,
        /// Scheme, host and port of what it names.
        address: String,
    },

    /// A registry wants the login to be sent to a host that has nothing to do with it.
    #[error("{registry} asks for the login to be sent to {host}")]
    TokenHost {
        /// Host and port.
        registry: String,
        /// The other host.
        host: String,
    },

    /// Nothing, or next to nothing, came or went for too long.
    #[error("{registry} makes no progress for {} s: {request}", limit.as_secs_f32())]
    Stalled {
        /// Host and port.
        registry: String,
        /// Method and path.
        request: String,
        /// How long that may be.
        limit: Duration,
    },

    /// Everything together took too long.
    #[error("{registry} takes longer than the limit of {} s", limit.as_secs_f32())]
    OutOfTime {
        /// Host and port.
        registry: String,
        /// The limit.
        limit: Duration,
    },

    /// A registry asks for a longer wait than anyone would want.
    #[error("{registry} is busy, and asks to wait for {} s", wait.as_secs())]
    Busy {
        /// Host and port.
        registry: String,
        /// What it asks for.
        wait: Duration,
        /// The longest that is granted.
        longest: Duration,
    },

    /// A document, layer or list is larger than any that is believed.
    #[error("{place}: {what} has {}", too_many(*found, *limit, unit))]
    TooLarge {
        /// The layout, archive, file, repository or request.
        place: String,
        /// What is too large.
        what: String,
        /// What it has; nothing if the end was not seen.
        found: Option<u64>,
        /// The most that is believed.
        limit: u64,
        /// Of what: `bytes`.
        unit: &'static str,
    },

    /// What is to be fetched does not fit.
    #[error("{} has no room for {needed} bytes: {free} are free", folder.display())]
    NoRoom {
        /// The folder.
        folder: PathBuf,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are there.
        free: u64,
    },

    /// A registry could not be reached, or cut the connection.
    #[error("{registry} does not answer as it should: {request}")]
    Transport {
        /// Host and port.
        registry: String,
        /// Method and path.
        request: String,
        /// What happened.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// A registry refused a request.
    #[error("{registry} refuses {request}: {status}{}", said(message))]
    Refused {
        /// Host and port.
        registry: String,
        /// Method and path.
        request: String,
        /// The HTTP status.
        status: u16,
        /// What the registry said about it.
        message: String,
    },

    /// A registry's answer makes no sense.
    #[error("{registry} answers {request} with what no registry should: {what}")]
    Protocol {
        /// Host and port.
        registry: String,
        /// Method and path.
        request: String,
        /// What is wrong.
        what: String,
    },

    /// The user's credentials could not be read.
    #[error("the credentials for {registry} cannot be had from {}", file.display())]
    Credentials {
        /// Host and port.
        registry: String,
        /// The file that says where they are.
        file: PathBuf,
        /// What went wrong, the helper's own words included.
        #[source]
        source: docker_credential::CredentialRetrievalError,
    },

    /// A credential helper took too long.
    #[error("the credential helper that {} names for {registry} gave no answer within {limit:?}", file.display())]
    SilentHelper {
        /// Host and port.
        registry: String,
        /// The file that names the helper.
        file: PathBuf,
        /// How long it was waited for.
        limit: Duration,
    },

    /// `cargo metadata` failed.
    #[error("cargo cannot describe the package")]
    Cargo(#[source] cargo_metadata::Error),

    /// There is no package to make an image of, or more than one executable.
    #[error("{what}")]
    Package {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
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

impl Diagnostic for Error {
    fn code(&self) -> Code {
        match self {
            Error::Io(error) | Error::Unwritable { source: error, .. } => error.code(),
            Error::NotALayout(_) | Error::NoRoom { .. } => Code::Io,
            Error::SamePlatform { .. }
            | Error::Setting { .. }
            | Error::Reference { .. }
            | Error::Unpinned { .. }
            | Error::Insecure { .. }
            | Error::Package { .. } => Code::Usage,
            Error::NotAnExecutable { .. }
            | Error::Dynamic { .. }
            | Error::Architecture { .. }
            | Error::Damaged { .. }
            | Error::Digest { .. }
            | Error::NoPlatform { .. }
            | Error::TooLarge { .. }
            | Error::Cargo(_) => Code::Input,
            Error::Transport { .. }
            | Error::ClearText { .. }
            | Error::TokenHost { .. }
            | Error::Stalled { .. }
            | Error::OutOfTime { .. }
            | Error::Busy { .. }
            | Error::Refused { .. }
            | Error::Protocol { .. }
            | Error::Credentials { .. }
            | Error::SilentHelper { .. } => Code::Registry,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Unwritable { source, .. } => {
                format!("{}; nothing was left half-written", brawn_base::hint_of_writing(source))
            }
            Error::NotALayout(_) => "name a folder that does not exist yet, or remove this one".into(),
            Error::NotAnExecutable { source, .. } => return source.hint(),
            Error::Dynamic { .. } => {
                "link it statically (`brawn build`, `brawn cc`), or name an image that holds these files with --base"
                    .into()
            }
            Error::Architecture { .. } => "there are: x86_64 (linux/amd64) and aarch64 (linux/arm64)".into(),
            Error::SamePlatform { .. } => "an index holds one image for each platform: name one of them".into(),
            Error::Damaged { .. } => "make it again, or fetch it again".into(),
            Error::Digest { .. } => "it was damaged or changed: fetch it again from where it came".into(),
            Error::NoPlatform { .. } => "leave that platform away, or choose another base".into(),
            Error::Setting { hint, .. } => return hint.clone(),
            Error::Reference { .. } => "the form is HOST[:PORT]/NAME[:TAG][@sha256:DIGEST]".into(),
            Error::Unpinned { reference, now } => match now {
                Some(digest) => format!("now it is {reference}@{digest}: say --base {reference}@{digest}"),
                None => format!("say --base {reference}@sha256:…"),
            },
            Error::Insecure { .. } => "leave --insecure away: registries elsewhere are spoken to with TLS".into(),
            Error::ClearText { .. } => {
                "brawn does not go there; a registry behind a proxy must be told its public address (X-Forwarded-Proto)"
                    .into()
            }
            Error::TokenHost { registry, host } => {
                format!("if {host} may know your password for {registry}, say --token-host {host}")
            }
            Error::Stalled { .. } => "check the network, and try again: what was sent is not sent twice".into(),
            Error::OutOfTime { limit, .. } => {
                format!("if it only needs longer, say --timeout {}m", (limit.as_secs() / 60).max(1) * 4)
            }
            Error::Busy { longest, .. } => {
                format!("try again after that time; brawn itself waits for {} s at most", longest.as_secs())
            }
            Error::TooLarge { .. } => "if this is a real image, use another base; nothing of it was kept".into(),
            Error::NoRoom { .. } => "make room there, or name another folder with TMPDIR".into(),
            Error::Transport { registry, .. } => {
                format!("check the name and the network; a registry on this machine without TLS ({registry}) needs --insecure")
            }
            Error::Refused { registry, status: 401 | 403, .. } => {
                format!("log in with `docker login {registry}` or `podman login {registry}`, or check what you may push")
            }
            Error::Refused { status: 404, .. } => "check the name of the repository".into(),
            Error::Refused { .. } | Error::Protocol { .. } => return None,
            Error::Credentials { file, .. } => {
                format!("log in again, or look into {}: a helper that it names must be on PATH", file.display())
            }
            Error::SilentHelper { .. } => {
                "run it by hand (`docker-credential-NAME get`): does it ask for something, or wait for another program?".into()
            }
            Error::Cargo(_) => "run this in the folder of a package, or name an executable".into(),
            Error::Package { hint, .. } => hint.clone(),
            Error::Io(error) => return error.hint(),
        })
    }
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
