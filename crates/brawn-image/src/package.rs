use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use oci_spec::image;
use serde_json::Value;

use crate::sbom::{Component, Crates};
use crate::{Error, Settings, vcs};

/// The Cargo package that a program is built from.
#[derive(Clone, Debug)]
pub struct Package {
    package: cargo_metadata::Package,
    workspace: Value,
    /// Arguments of `cargo build` that also change what `cargo metadata` says.
    options: Vec<String>,
}

impl Package {
    /// The package in `folder`, or the member `name` of its workspace. `options` are cargo's options that choose features.
    pub fn find(folder: &Path, name: Option<&str>, options: Vec<String>) -> Result<Package, Error> {
        let metadata =
            command(folder, &options).no_deps().exec().map_err(|source| Error::Cargo { source })?;
        let root = metadata.root_package().map(|package| package.id.clone());
        let members = metadata.workspace_packages();
        let package = match name {
            Some(name) => members.iter().find(|package| package.name.as_str() == name).copied(),
            None => match members.as_slice() {
                [only] => Some(*only),
                all => {
                    let manifest = folder.join("Cargo.toml").canonicalize().ok();
                    let here = all
                        .iter()
                        .find(|package| Some(package.manifest_path.as_std_path()) == manifest.as_deref());
                    here.or_else(|| all.iter().find(|package| Some(&package.id) == root.as_ref())).copied()
                }
            },
        };
        let package = package.ok_or_else(|| Error::Package {
            what: match name {
                Some(name) => format!("there is no package '{name}' in this workspace"),
                None => "this workspace has several packages".to_owned(),
            },
            hint: format!(
                "name one with -p: {}",
                members.iter().map(|package| package.name.as_str()).collect::<Vec<_>>().join(", ")
            ),
        })?;
        Ok(Package { package: package.clone(), workspace: metadata.workspace_metadata.clone(), options })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.package.name.as_str()
    }

    /// The name of its `Cargo.toml`.
    pub fn manifest(&self) -> &Path {
        self.package.manifest_path.as_std_path()
    }

    /// Its folder.
    pub fn folder(&self) -> PathBuf {
        self.manifest().parent().unwrap_or(Path::new(".")).to_owned()
    }

    /// Which of its executables is meant: the one named, the default one, or the only one.
    pub fn binary(&self, named: Option<&str>) -> Result<String, Error> {
        let names: Vec<&str> = self
            .package
            .targets
            .iter()
            .filter(|target| target.is_bin())
            .map(|target| target.name.as_str())
            .collect();
        let chosen = named.or(self.package.default_run.as_deref());
        let hint = || match names.is_empty() {
            true => "an image needs something to run: add a src/main.rs".to_owned(),
            false => format!("name one with --bin: {}", names.join(", ")),
        };
        match (chosen, names.as_slice()) {
            (Some(name), names) if names.contains(&name) => Ok(name.to_owned()),
            (Some(name), _) => Err(Error::Package {
                what: format!("the package {} has no executable '{name}'", self.name()),
                hint: hint(),
            }),
            (None, [only]) => Ok((*only).to_owned()),
            (None, names) => Err(Error::Package {
                what: format!("the package {} has {} executables", self.name(), names.len()),
                hint: hint(),
            }),
        }
    }

    /// The settings in its `Cargo.toml`, over its workspace's.
    pub fn settings(&self) -> Result<Settings, Error> {
        let place = self.manifest().display().to_string();
        let mut own = Settings::from_metadata(&self.package.metadata, &place)?;
        for path in &mut own.certificates {
            *path = self.folder().join(&path).display().to_string();
        }
        let workspace = Settings::from_metadata(&self.workspace, "the workspace's Cargo.toml")?;
        Ok(own.over(workspace))
    }

    /// What its `Cargo.toml` and version control say, under OCI's keys.
    pub(crate) fn metadata(&self) -> Vec<(&'static str, Option<String>)> {
        let package = &self.package;
        let description = package.description.as_ref().map(|text| text.trim().to_owned());
        vec![
            (image::ANNOTATION_TITLE, Some(self.name().to_owned())),
            (image::ANNOTATION_VERSION, Some(package.version.to_string())),
            (image::ANNOTATION_DESCRIPTION, description),
            (image::ANNOTATION_LICENSES, package.license.clone()),
            (image::ANNOTATION_AUTHORS, Some(package.authors.join(", "))),
            (image::ANNOTATION_URL, package.homepage.clone()),
            (image::ANNOTATION_SOURCE, package.repository.clone()),
            (image::ANNOTATION_DOCUMENTATION, package.documentation.clone()),
            (image::ANNOTATION_REVISION, vcs::revision(&self.folder())),
        ]
    }

    /// The crates that go into an executable for a target: what its package needs at run time, proc macros and build
    /// scripts left out.
    pub(crate) fn crates(&self, triple: &str) -> Result<Crates, Error> {
        let mut command = command(&self.folder(), &self.options);
        let mut options = self.options.clone();
        options.extend(["--filter-platform".to_owned(), triple.to_owned()]);
        // Everything was there when it was built a moment ago, so the network is asked only if need be.
        let offline = [options.clone(), vec!["--offline".to_owned()]].concat();
        let metadata = command.other_options(offline).exec();
        let metadata = metadata
            .or_else(|_| command.other_options(options).exec())
            .map_err(|source| Error::Cargo { source })?;
        Ok(reachable(&metadata, &self.package.id))
    }
}

fn command(folder: &Path, options: &[String]) -> MetadataCommand {
    let mut command = MetadataCommand::new();
    command.current_dir(folder).other_options(options.to_vec());
    command
}

/// The packages that a root reaches through normal dependencies on libraries.
fn reachable(metadata: &Metadata, root: &cargo_metadata::PackageId) -> Crates {
    let nodes = metadata.resolve.as_ref().map(|resolve| resolve.nodes.as_slice()).unwrap_or_default();
    let mut ids = vec![root.clone()];
    let mut edges: Vec<Vec<usize>> = Vec::new();
    while edges.len() < ids.len() {
        let id = ids[edges.len()].clone();
        let mut depends = Vec::new();
        let node = nodes.iter().find(|node| node.id == id);
        for dependency in node.iter().flat_map(|node| &node.deps) {
            let normal = dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal);
            let is_macro = metadata[&dependency.pkg].targets.iter().any(|target| target.is_proc_macro());
            if !normal || is_macro {
                continue;
            }
            let index = ids.iter().position(|id| *id == dependency.pkg).unwrap_or_else(|| {
                ids.push(dependency.pkg.clone());
                ids.len() - 1
            });
            depends.push(index);
        }
        edges.push(depends);
    }
    let components = ids.iter().zip(edges).map(|(id, depends)| {
        let package = &metadata[id];
        let public = package.source.as_ref().is_some_and(|source| source.is_crates_io());
        Component {
            depends,
            license: package.license.clone(),
            ..Component::of_crate(&package.name, &package.version.to_string(), public)
        }
    });
    Crates { components: components.collect(), source: "cargo metadata" }
}
