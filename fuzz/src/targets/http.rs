//! What a registry answers: headers that ask for a login, lead elsewhere or ask to wait, and the answer to a login.

use brawn_image::fuzz;

/// Lines `NAME: VALUE`, an empty line, and a body.
pub fn seeds() -> Vec<Vec<u8>> {
    let bearer = r#"www-authenticate: Bearer realm="https://ghcr.io/token",service="ghcr.io",scope="repository:a:pull""#;
    let basic = "www-authenticate: Basic realm=\"a \\\"b\\\" c\"";
    let both =
        "www-authenticate: Negotiate, bearer realm=http://localhost:5000/t?a=b, error=\"x\", Basic realm=x";
    [
        format!("{bearer}\nretry-after: 7\ncontent-length: 12\n\n{{\"token\":\"abc\"}}"),
        format!("{basic}\n{both}\nlocation: /v2/a/blobs/uploads/1?state=a%2Fb#c\n\n{{\"access_token\":\"a.b-c\"}}"),
        format!("{both}\nlocation: https://me:secret@ghcr.io/x\n\n{{\"errors\":[{{\"code\":\"DENIED\",\"message\":\"no\"}}]}}"),
        "location: //[::1]:5000/x\ndocker-content-digest: sha256:00\ncontent-type: a/b; c=d\n\n".to_owned(),
        "location: HTTP://127.0.0.1.evil.net:80\\@localhost/\nretry-after: Fri, 31 Dec 1999 23:59:59 GMT\n\n".to_owned(),
    ]
    .map(String::into_bytes)
    .into()
}

pub fn read(data: &[u8]) {
    fuzz::answer(data);
}
