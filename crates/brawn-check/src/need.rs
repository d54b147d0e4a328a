use serde::{Deserialize, Serialize};

use crate::Content;

brawn_base::named! {
    /// Something that a program may look for outside itself.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Need {
        /// Certificate authorities, for TLS.
        Certificates = "certificates",
        /// Time zone files.
        Zones = "zones",
        /// `/etc/passwd` and `/etc/group`.
        Users = "users",
        /// A folder for temporary files.
        Temporary = "temporary",
        /// `/etc/nsswitch.conf`.
        Nsswitch = "nsswitch",
        /// `/etc/resolv.conf` and `/etc/hosts`: names of other machines.
        Resolver = "resolver",
        /// The `/proc` file system.
        Proc = "proc",
        /// The `/sys` file system.
        Sys = "sys",
        /// Device files in `/dev`.
        Devices = "devices",
        /// Shared libraries loaded while it runs.
        DynamicLoading = "dynamic-loading",
        /// Locales and message catalogues.
        Locale = "locale",
        /// Other programs.
        Programs = "programs",
        /// The terminal database.
        Terminals = "terminals",
        /// `/etc/services` and `/etc/protocols`.
        Services = "services",
        /// The sockets of other programs: the system log, a name service.
        Sockets = "sockets",
    }
}

/// Who puts what a program needs into its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// The image, by `--with`.
    Image(Content),
    /// Every container runtime; no one in a bare `chroot`. The image can carry it where a content is named.
    Runtime(Option<Content>),
    /// No one.
    None,
}

impl Need {
    /// What it is in words, who provides it, and what to do where no one does.
    const fn row(self) -> (&'static str, Provider, Option<&'static str>) {
        use Provider::{Image, None as NoOne, Runtime};
        match self {
            Need::Certificates => ("certificate authorities", Image(Content::Certificates), None),
            Need::Zones => ("time zone files", Image(Content::Zones), None),
            Need::Users => ("names of users and groups", Image(Content::Users), None),
            Need::Temporary => ("a folder for temporary files", Image(Content::Tmp), None),
            Need::Nsswitch => ("nsswitch.conf", Image(Content::Nsswitch), None),
            Need::Resolver => ("name servers and names of machines", Runtime(Some(Content::Resolv)), None),
            Need::Proc => ("/proc", Runtime(None), None),
            Need::Sys => ("/sys", Runtime(None), None),
            Need::Devices => ("device files", Runtime(None), None),
            Need::DynamicLoading => (
                "shared libraries loaded at run time",
                NoOne,
                Some(
                    "a static program cannot load libraries: link what it would load, or turn the feature off",
                ),
            ),
            Need::Locale => (
                "locales or message catalogues",
                NoOne,
                Some("only the C locale is there; set LC_ALL=C.UTF-8 and expect untranslated messages"),
            ),
            Need::Programs => (
                "other programs",
                NoOne,
                Some("bring the programs along, static as well, or start from a base that has them"),
            ),
            Need::Terminals => (
                "the terminal database",
                NoOne,
                Some("bring the terminal database along (the folder terminfo), or set TERM=dumb"),
            ),
            Need::Services => ("names of ports and protocols", NoOne, Some("name ports by number")),
            Need::Sockets => (
                "sockets of other programs",
                NoOne,
                Some("mount the socket into the container, or log to standard error"),
            ),
        }
    }

    /// What it is, in words. No path in full: a program with this text would be told to look for it.
    pub const fn describe(self) -> &'static str {
        self.row().0
    }

    /// Who provides it.
    pub const fn provider(self) -> Provider {
        self.row().1
    }

    /// The part of an image that answers it.
    pub const fn content(self) -> Option<Content> {
        match self.provider() {
            Provider::Image(content) => Some(content),
            Provider::Runtime(content) => content,
            Provider::None => None,
        }
    }

    /// What to do where the image cannot help.
    pub const fn hint(self) -> Option<&'static str> {
        self.row().2
    }
}

impl std::fmt::Display for Need {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.describe())
    }
}

/// How much the evidence for a need says. Whether the code runs at all cannot be told from the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// The code that would use it is there.
    Likely,
    /// Libraries bring the code along unasked, or do well without what it looks for.
    Possible,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_json_form() {
        for need in Need::ALL {
            assert_eq!(serde_json::to_value(need).unwrap(), need.name());
        }
    }
}
