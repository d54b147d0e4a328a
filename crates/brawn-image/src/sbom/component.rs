use crate::Epoch;

/// Something inside an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Its version, if that is known.
    pub version: Option<String>,
    /// Its package URL, if it can be had somewhere.
    pub purl: Option<String>,
    /// Its licence, as an SPDX expression or as Cargo has it.
    pub license: Option<String>,
    /// What it needs, by position in the list that it is in.
    pub depends: Vec<usize>,
}

/// What a [`Component`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The program.
    Application,
    /// Linked into it.
    Library,
    /// Files beside it.
    Data,
}

/// The crates in an executable; the first is its own package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crates {
    /// The crates.
    pub components: Vec<Component>,
    /// How they are known.
    pub source: &'static str,
}

/// All that is inside an image. The first component is the program.
#[derive(Clone, Debug)]
pub(super) struct Inventory {
    pub components: Vec<Component>,
    /// SHA-256 of the executable, in hexadecimal.
    pub sha256: String,
    pub epoch: Epoch,
    /// How the crates are known.
    pub source: &'static str,
}

impl Component {
    /// A library without dependencies.
    pub(super) fn library(name: &str, version: Option<&str>) -> Component {
        Component {
            kind: Kind::Library,
            name: name.to_owned(),
            version: version.map(str::to_owned),
            purl: Some(format!(
                "pkg:generic/{name}{}",
                version.map(|version| format!("@{}", escape(version))).unwrap_or_default()
            )),
            license: None,
            depends: Vec::new(),
        }
    }

    /// A crate. `public` says whether it is crates.io's.
    pub(crate) fn of_crate(name: &str, version: &str, public: bool) -> Component {
        let purl = public.then(|| format!("pkg:cargo/{name}@{}", escape(version)));
        Component { purl, ..Component::library(name, Some(version)) }
    }
}

/// A version in a package URL: `+` begins build metadata, and would be read as a blank.
fn escape(version: &str) -> String {
    version.replace('%', "%25").replace('+', "%2B").replace(' ', "%20")
}

impl Inventory {
    /// A licence as an SPDX expression, if it can be one: Cargo once allowed `MIT/Apache-2.0`.
    pub fn expression(component: &Component) -> Option<String> {
        let text = component.license.as_ref()?.replace('/', " OR ");
        let sound = text
            .split([' ', '(', ')'])
            .all(|word| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+:".contains(&byte)));
        (sound && !text.trim().is_empty()).then_some(text)
    }
}
