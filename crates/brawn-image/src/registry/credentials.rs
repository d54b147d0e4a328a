use std::error::Error as _;
use std::path::PathBuf;

use docker_credential::{CredentialRetrievalError, DockerCredential, get_credential_from_reader};

use super::Reference;
use crate::Error;

/// What `docker login` and `podman login` left, if anything: podman's files first, then Docker's.
pub(super) fn find(reference: &Reference) -> Result<Option<DockerCredential>, Error> {
    for file in files() {
        let opened = match brawn_base::file::open(&file) {
            Ok(opened) => opened,
            // What cannot be read holds no login; what is no file would hold the command up.
            Err(error) if error.source().is_some() => return Err(error.into()),
            Err(_) => continue,
        };
        use CredentialRetrievalError::{HelperFailure, NoCredentialConfigured};
        match get_credential_from_reader(std::io::BufReader::new(opened), reference.credentials_key()) {
            Ok(credential) => return Ok(Some(credential)),
            Err(NoCredentialConfigured) => {}
            // What every helper says for a registry that it does not know.
            Err(HelperFailure { ref stdout, ref stderr, .. })
                if [stdout, stderr].iter().any(|text| text.contains("credentials not found")) => {}
            Err(source) => {
                return Err(Error::Credentials { registry: reference.registry.clone(), file, source });
            }
        }
    }
    Ok(None)
}

fn files() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = variable("HOME");
    let podman = variable("REGISTRY_AUTH_FILE")
        .or_else(|| variable("XDG_RUNTIME_DIR").map(|dir| dir.join("containers/auth.json")));
    let config = variable("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
    let docker = variable("DOCKER_CONFIG").or_else(|| home.map(|home| home.join(".docker")));
    [podman, config.map(|dir| dir.join("containers/auth.json")), docker.map(|dir| dir.join("config.json"))]
        .into_iter()
        .flatten()
        .collect()
}
