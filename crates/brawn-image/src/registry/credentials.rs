use std::error::Error as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use docker_credential::{CredentialRetrievalError, DockerCredential, get_credential_from_reader};
use serde_json::Value;

use super::Reference;
use crate::{Error, limits};

/// How long a helper may take. It may ask its user for a passphrase.
const HELPER: Duration = Duration::from_secs(60);

/// What `docker login` and `podman login` left, if anything: podman's files first, then Docker's. No helper may take longer
/// than `limit`.
pub(super) fn find(reference: &Reference, limit: Duration) -> Result<Option<DockerCredential>, Error> {
    for file in brawn_check::doctor::login_files() {
        let bytes = match brawn_base::file::read(&file, limits::DOCUMENT) {
            Ok(bytes) => bytes,
            // What cannot be read holds no login; what is no file would hold the command up.
            Err(error) if error.source().is_some() => return Err(error.into()),
            Err(_) => continue,
        };
        if let Some(credential) = in_time(file, bytes, reference, limit.min(HELPER))? {
            return Ok(Some(credential));
        }
    }
    Ok(None)
}

/// [`read`] in a thread of its own, which a helper that never answers keeps.
fn in_time(
    file: PathBuf,
    bytes: Vec<u8>,
    reference: &Reference,
    limit: Duration,
) -> Result<Option<DockerCredential>, Error> {
    let (answer, answered) = channel();
    let (place, asked) = (file.clone(), reference.clone());
    // No one may be left to hear the answer.
    std::thread::spawn(move || drop(answer.send(read(&place, &bytes, &asked))));
    let registry = reference.registry.clone();
    answered.recv_timeout(limit).unwrap_or(Err(Error::SilentHelper { registry, file, limit }))
}

/// The login for a registry in what a file holds, if it is there. A helper that the file names is run.
pub fn read(file: &Path, bytes: &[u8], reference: &Reference) -> Result<Option<DockerCredential>, Error> {
    if let Some(helper) = strange_helper(bytes) {
        return Err(Error::setting(
            format!("{} names the credential helper '{helper}', which is no name", file.display()),
            "a helper's name is the part after docker-credential-, without a path",
        ));
    }
    use CredentialRetrievalError::{HelperFailure, NoCredentialConfigured};
    match get_credential_from_reader(bytes, reference.credentials_key()) {
        Ok(credential) => Ok(Some(credential)),
        Err(NoCredentialConfigured) => Ok(None),
        // What every helper says for a registry that it does not know.
        Err(HelperFailure { ref stdout, ref stderr, .. })
            if [stdout, stderr].iter().any(|text| text.contains("credentials not found")) =>
        {
            Ok(None)
        }
        Err(source) => {
            Err(Error::Credentials { registry: reference.registry.clone(), file: file.to_owned(), source })
        }
    }
}

/// A helper whose name would make another program run than `docker-credential-NAME` on `PATH`.
pub fn strange_helper(config: &[u8]) -> Option<String> {
    let config: Value = serde_json::from_slice(config).ok()?;
    let named = config["credHelpers"].as_object().into_iter().flat_map(|helpers| helpers.values());
    let sound = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let mut names = named.chain([&config["credsStore"]]).filter_map(Value::as_str);
    names.find(|name| !sound(name)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helper_is_a_name_and_no_path() {
        for (config, strange) in [
            (r#"{"credsStore": "secretservice", "credHelpers": {"x.io": "ecr-login"}}"#, None),
            (r#"{"credsStore": "../../tmp/evil"}"#, Some("../../tmp/evil")),
            (r#"{"credHelpers": {"x.io": "a b"}}"#, Some("a b")),
            (r#"{"credHelpers": {"x.io": "a/b", "y.io": "fine"}}"#, Some("a/b")),
            (r#"{"credHelpers": []}"#, None),
            ("", None),
        ] {
            assert_eq!(strange_helper(config.as_bytes()).as_deref(), strange, "{config}");
        }
    }
}
