//! What `docker login` and `podman login` leave.

use std::path::Path;

use brawn_image::registry::{self, Reference};

pub fn seeds() -> Vec<Vec<u8>> {
    let auths = r#"{"auths":{"https://index.docker.io/v1/":{"auth":"bWU6c2VjcmV0"},"registry.example.com:5000":{"auth":"bWU6","identitytoken":"abc"}}}"#;
    let helpers = r#"{"credsStore":"a/b","credHelpers":{"registry.example.com:5000":"ecr-login"},"HttpHeaders":{"a":"b"}}"#;
    [auths, helpers].map(|text| text.as_bytes().to_vec()).into()
}

/// Where it names helpers, nothing but their names is looked at: none is run.
pub fn read(bytes: &[u8]) {
    let names_helper = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    // An escape may spell a name.
    let helper = names_helper(b"credHelpers") || names_helper(b"credsStore") || bytes.contains(&b'\\');
    for name in ["alpine", "registry.example.com:5000/a/b"] {
        let reference: Reference = name.parse().expect("it is one");
        let path = Path::new("config.json");
        let _ = if helper {
            registry::strange_helper(bytes);
            Ok(None)
        } else {
            registry::credentials(path, bytes, &reference)
        };
    }
}
