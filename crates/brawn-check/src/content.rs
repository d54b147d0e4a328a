use serde::{Deserialize, Serialize};

brawn_base::worded! {
    /// A part of an image that can be left out: the names that `--with` and `--without` take.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Content {
        /// Certificate authorities, at `/etc/ssl/certs/ca-certificates.crt`.
        Certificates = "certificates",
        /// Time zones, in `/usr/share/zoneinfo`.
        Zones = "zones",
        /// `/etc/passwd` and `/etc/group`.
        Users = "users",
        /// An empty `/tmp` that everyone may write to.
        Tmp = "tmp",
        /// `/etc/nsswitch.conf`, which says that names are looked up in files and by DNS.
        Nsswitch = "nsswitch",
        /// `/etc/resolv.conf`, for a root that no container runtime puts one into.
        Resolv = "resolv",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_json_form() {
        for content in Content::ALL {
            assert_eq!(Content::from_name(content.name()), Some(content));
            assert_eq!(serde_json::to_value(content).unwrap(), content.name());
        }
        assert_eq!(Content::from_name("certs"), None);
    }
}
