use std::fmt;

use brawn_elf::Arch;
use oci_spec::image;

/// What an image runs on: Linux, and one architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Platform {
    /// The architecture.
    pub arch: Arch,
}

impl Platform {
    /// Go's name for the architecture, which is OCI's.
    pub fn architecture(self) -> &'static str {
        match self.arch {
            Arch::X86_64 => "amd64",
            Arch::Aarch64 => "arm64",
        }
    }

    /// The platform with this name: `linux/amd64`, `amd64`, `x86_64`, a target triple.
    pub fn from_name(name: &str) -> Option<Platform> {
        let name = name.strip_prefix("linux/").unwrap_or(name);
        let arch = match name {
            "amd64" => Some(Arch::X86_64),
            // The variant is the only one that there is for 64 bits.
            "arm64" | "arm64/v8" => Some(Arch::Aarch64),
            other => Arch::from_name(other).or_else(|| Arch::from_triple(other)),
        }?;
        Some(Platform { arch })
    }

    pub(crate) fn oci_architecture(self) -> image::Arch {
        match self.arch {
            Arch::X86_64 => image::Arch::Amd64,
            Arch::Aarch64 => image::Arch::ARM64,
        }
    }

    pub(crate) fn oci(self) -> image::Platform {
        image::PlatformBuilder::default()
            .architecture(self.oci_architecture())
            .os(image::Os::Linux)
            .build()
            .expect("both fields are set")
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "linux/{}", self.architecture())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_have_several_names() {
        for (name, shown) in [
            ("linux/amd64", "linux/amd64"),
            ("x86_64-unknown-linux-musl", "linux/amd64"),
            ("arm64", "linux/arm64"),
            ("linux/arm64/v8", "linux/arm64"),
            ("aarch64", "linux/arm64"),
        ] {
            assert_eq!(Platform::from_name(name).unwrap().to_string(), shown);
        }
        assert_eq!(Platform::from_name("windows/amd64"), None);
        assert_eq!(Platform::from_name("linux/s390x"), None);
    }
}
