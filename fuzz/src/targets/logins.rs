//! What `docker login` and `podman login` leave.

use brawn_image::fuzz;

pub fn seeds() -> Vec<Vec<u8>> {
    let auths = r#"{"auths":{"https://index.docker.io/v1/":{"auth":"bWU6c2VjcmV0"},"registry.example.com:5000":{"auth":"bWU6","identitytoken":"abc"}}}"#;
    let helpers = r#"{"credsStore":"a/b","credHelpers":{"registry.example.com:5000":"ecr-login"},"HttpHeaders":{"a":"b"}}"#;
    [auths, helpers].map(|text| text.as_bytes().to_vec()).into()
}

pub fn read(data: &[u8]) {
    fuzz::logins(data);
}
