use crate::layer::{Entries, Entry};

/// User and group number of `nonroot`, by the convention of images without a distribution.
pub const NONROOT: u32 = 65532;

pub(super) fn add(entries: &mut Entries) {
    let passwd = format!(
        "root:x:0:0:root:/root:/sbin/nologin\n\
         nobody:x:65534:65534:nobody:/:/sbin/nologin\n\
         nonroot:x:{NONROOT}:{NONROOT}:nonroot:/home/nonroot:/sbin/nologin\n"
    );
    let group = format!("root:x:0:\nnobody:x:65534:\nnonroot:x:{NONROOT}:\n");
    entries.insert("etc/passwd".into(), Entry::file(passwd.into_bytes()));
    entries.insert("etc/group".into(), Entry::file(group.into_bytes()));
    entries.insert("home/nonroot".into(), Entry::directory(0o700, NONROOT));
}
