//! Which build system a project has, and which executable it builds.

use std::path::{Path, PathBuf};

use toml_edit::DocumentMut;

use crate::Error;

brawn_base::named! {
    /// A build system.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Kind {
        /// Python packages with Rust inside. Before Cargo, as these have a Cargo.toml as well.
        Maturin = "maturin",
        /// Rust.
        Cargo = "cargo",
        /// Go with C inside.
        Go = "go",
        /// Meson.
        Meson = "meson",
        /// CMake.
        Cmake = "cmake",
        /// configure and make.
        Autotools = "autotools",
    }
}

/// A project as it was found.
#[derive(Clone, Debug)]
pub struct Project {
    /// Its folder.
    pub root: PathBuf,
    /// Its build system.
    pub kind: Kind,
    /// The executable that it builds, where its files tell.
    pub program: Option<String>,
    /// Its Cargo.toml: the text, and what it says.
    pub manifest: Option<(String, DocumentMut)>,
}

impl Project {
    /// Looks at a folder. `wanted` is the build system among several.
    ///
    /// # Errors
    /// [`Error::NoProject`], [`Error::NoCgo`], [`Error::Unreadable`], [`Error::File`].
    pub fn find(root: &Path, wanted: Option<Kind>) -> Result<Project, Error> {
        let root = root.to_owned();
        let found = |kind: &&Kind| wanted.is_none_or(|wanted| wanted == **kind) && is_here(&root, **kind);
        let Some(&kind) = Kind::ALL.iter().find(found) else {
            return Err(match root.join("go.mod").is_file() && wanted.is_none_or(|kind| kind == Kind::Go) {
                true => Error::NoCgo { folder: root },
                false => Error::NoProject { folder: root },
            });
        };
        let path = root.join("Cargo.toml");
        let manifest = match path.is_file() {
            true => {
                let text = brawn_base::file::text(&path)?;
                let parsed = text.parse().map_err(|error: toml_edit::TomlError| Error::Unreadable {
                    path,
                    what: error.message().to_owned(),
                })?;
                Some((text, parsed))
            }
            false => None,
        };
        let program = program(&root, kind, manifest.as_ref().map(|(_, parsed)| parsed));
        Ok(Project { root, kind, program, manifest })
    }

    /// Whether its Cargo.toml is that of a workspace.
    pub fn is_workspace(&self) -> bool {
        self.manifest.as_ref().is_some_and(|(_, manifest)| manifest.contains_key("workspace"))
    }
}

fn is_here(root: &Path, kind: Kind) -> bool {
    let has = |name: &str| root.join(name).is_file();
    match kind {
        Kind::Maturin => text(root, "pyproject.toml").contains("maturin") && has("Cargo.toml"),
        Kind::Cargo => has("Cargo.toml"),
        Kind::Go => has("go.mod") && calls_c(root, 3),
        Kind::Meson => has("meson.build"),
        Kind::Cmake => has("CMakeLists.txt"),
        Kind::Autotools => has("configure.ac") || has("configure"),
    }
}

/// A file's text, or none where it cannot be read: then it says nothing.
fn text(root: &Path, name: &str) -> String {
    brawn_base::file::text(root.join(name)).unwrap_or_default()
}

/// Whether a Go file imports C, so many folders deep.
fn calls_c(folder: &Path, depth: usize) -> bool {
    let Ok(entries) = fs_err::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => depth > 0 && calls_c(&path, depth - 1),
            Ok(_) if path.extension().is_some_and(|ending| ending == "go") => brawn_base::file::text(&path)
                .is_ok_and(|text| text.lines().any(|line| line.trim() == "import \"C\"")),
            _ => false,
        }
    })
}

/// The first executable that the project's own file names.
fn program(root: &Path, kind: Kind, manifest: Option<&DocumentMut>) -> Option<String> {
    let name = match kind {
        Kind::Maturin | Kind::Cargo => {
            let manifest = manifest?;
            let bin = manifest.get("bin").and_then(|bins| bins.get(0)).and_then(|bin| bin.get("name"));
            let package = manifest.get("package").and_then(|package| package.get("name"));
            bin.or(package)?.as_str()?.to_owned()
        }
        Kind::Go => {
            let module = text(root, "go.mod");
            let path = module.lines().find_map(|line| line.strip_prefix("module "))?;
            path.trim().rsplit('/').next()?.to_owned()
        }
        Kind::Meson => behind(&text(root, "meson.build"), "executable(", &['\'']),
        Kind::Cmake => behind(&text(root, "CMakeLists.txt"), "add_executable(", &[' ', '\n', ')']),
        Kind::Autotools => behind(&text(root, "Makefile.am"), "bin_PROGRAMS =", &[' ', '\n']),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
    Some(name).filter(|name| !name.is_empty() && name.chars().all(plain))
}

/// The word behind a text.
fn behind(text: &str, start: &str, ends: &[char]) -> String {
    let Some((_, rest)) = text.split_once(start) else { return String::new() };
    let rest = rest.trim_start().trim_start_matches('\'');
    rest.split(ends).next().unwrap_or_default().trim().to_owned()
}
