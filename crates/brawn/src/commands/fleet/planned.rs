//! What several commands of `brawn fleet` begin with.

use std::path::{Path, PathBuf};

use brawn_fleet::Error;
use brawn_fleet::fleet::Fleet;
use brawn_fleet::kubectl::Kubectl;
use brawn_fleet::nodes::{self, Node};
use brawn_fleet::record::Record;
use brawn_fleet::spec::{Kubernetes, Spec};
use brawn_image::Bundle;
use brawn_image::registry::{Access, Limits};
use clap::Args;

use crate::exit::Result;

/// The file that says what is compared, for commands that begin with it.
#[derive(Args)]
pub struct File {
    /// The file that says what is compared, and where
    #[arg(long, value_name = "FILE", default_value = brawn_fleet::spec::FILE)]
    pub file: PathBuf,
    /// Do not run the reference here first, to see whether it can and how long it takes
    #[arg(long)]
    pub no_rehearsal: bool,
}

/// A fleet that runs, or ran.
#[derive(Args)]
pub struct Folder {
    /// The folder in which `brawn fleet run` keeps the fleet
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Plans what a file says, with the nodes that there are.
pub fn planned(spec: Spec, file: &Path) -> Result<Fleet> {
    let nodes = nodes(&spec)?;
    let folder = brawn_base::temporary::folder_of(file);
    Ok(Fleet::plan(spec, folder, &crate::commands::executable()?, nodes.as_deref())?)
}

/// The nodes of the cluster. None without one, and where the user may not list them: then pools by selectors still can be
/// planned.
fn nodes(spec: &Spec) -> Result<Option<Vec<Node>>> {
    let Some(kubernetes) = &spec.kubernetes else { return Ok(None) };
    match nodes::list(&Kubectl::new(kubernetes)) {
        Ok(nodes) => Ok(Some(nodes)),
        Err(Error::Forbidden { rule }) if spec.by.is_none() => {
            crate::output::warn(&format!("how many nodes there are is not known: {rule}"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// How the fleet's registry is spoken to.
pub fn access(settings: &Kubernetes) -> Access {
    let mut access = Access::new(Limits::default());
    access.insecure = settings.insecure;
    access
}

/// The image of a fleet, upon its base.
pub fn image(fleet: &Fleet, settings: &Kubernetes) -> Result<Bundle> {
    let base =
        settings.base.as_deref().map_or(Ok(None), |base| brawn_image::Base::open(base, &access(settings)))?;
    Ok(fleet.pack.image(base.as_ref())?)
}

/// The file with the plan and the blocks, where it or the folder of a fleet is named.
pub fn kept(fleet: &Path) -> PathBuf {
    if fleet.is_dir() { Record::file(fleet) } else { fleet.to_owned() }
}
