//! Are there credentials for a registry?

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use crate::doctor::Finding;

pub(super) fn look() -> Finding {
    let mut names = BTreeSet::new();
    let mut damaged = Vec::new();
    for file in login_files() {
        let Ok(text) = brawn_base::file::text(&file) else { continue };
        match registries(&text) {
            Some(found) => names.extend(found),
            None => damaged.push(file.display().to_string()),
        }
    }
    let cost = "images can be pushed only to registries that ask for no credentials";
    if let Some(file) = damaged.first() {
        let hint = format!("rm {file}, then: docker login REGISTRY");
        return Finding::limited(format!("{file} cannot be read"), cost, hint);
    }
    if names.is_empty() {
        return Finding::limited("none", cost, "docker login REGISTRY, or: skopeo login REGISTRY");
    }
    Finding::good(names.into_iter().collect::<Vec<_>>().join(", "))
}

/// Where podman, skopeo and docker keep credentials: `brawn image` looks there in this order.
pub fn login_files() -> Vec<PathBuf> {
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

/// The registries that such a file has credentials or a helper for; the credentials are not looked at. None when it
/// is not JSON.
fn registries(text: &str) -> Option<Vec<String>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let keys = |name: &str| -> Vec<String> {
        value
            .get(name)
            .and_then(Value::as_object)
            .map(|table| table.keys().cloned().collect())
            .unwrap_or_default()
    };
    let mut names = keys("auths");
    names.extend(keys("credHelpers"));
    if let Some(helper) = value.get("credsStore").and_then(Value::as_str) {
        names.push(format!("whatever docker-credential-{helper} knows"));
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::registries;

    #[test]
    fn names_are_told_and_credentials_are_not() {
        let text = r#"{"auths": {"ghcr.io": {"auth": "c2VjcmV0"}}, "credHelpers": {"gcr.io": "gcloud"}, "credsStore": "pass"}"#;
        let names = registries(text).unwrap();
        assert_eq!(names, ["ghcr.io", "gcr.io", "whatever docker-credential-pass knows"]);
        assert!(!names.concat().contains("c2VjcmV0"));
        assert_eq!(registries("{}").unwrap(), Vec::<String>::new());
        assert_eq!(registries("{"), None);
    }
}
