//! Are there credentials for a registry?

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use crate::doctor::Finding;

pub(super) fn look() -> Finding {
    let mut names = BTreeSet::new();
    let mut damaged = Vec::new();
    for file in files() {
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

/// Where docker, podman and skopeo keep credentials.
fn files() -> Vec<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = std::env::home_dir();
    let docker = folder("DOCKER_CONFIG").or_else(|| Some(home.as_ref()?.join(".docker")));
    let candidates = [
        folder("REGISTRY_AUTH_FILE"),
        folder("XDG_RUNTIME_DIR").map(|folder| folder.join("containers/auth.json")),
        home.as_ref().map(|home| home.join(".config/containers/auth.json")),
        docker.map(|folder| folder.join("config.json")),
    ];
    candidates.into_iter().flatten().collect()
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
