use std::collections::BTreeMap;

use brawn_base::Diagnostic as _;
use brawn_image::{Compression, Settings, contents};
use clap::Args;

use crate::cli::pair;

/// What an image is to be, as flags; the same words stand in `[package.metadata.brawn.image]`.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "What is in it")]
pub struct Flags {
    /// The image underneath: scratch, an OCI layout or archive, or HOST/NAME@sha256:… [default: scratch]
    #[arg(long, value_name = "BASE")]
    base: Option<String>,
    /// Add certificates, zones, users, tmp, nsswitch or resolv (repeatable, or with commas)
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = part)]
    with: Vec<String>,
    /// Leave these out, or all, whatever the executable shows it uses
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = part_or_all)]
    without: Vec<String>,
    /// Trust the certificate authorities in this file as well, in PEM form (repeatable)
    #[arg(long = "certificate", value_name = "FILE")]
    certificates: Vec<String>,
    /// How layers are compressed: gzip, zstd or none [default: gzip]
    #[arg(long, value_name = "HOW", value_parser = clap::builder::PossibleValuesParser::new(Compression::ALL.map(Compression::name)), hide_possible_values = true)]
    compress: Option<String>,
    /// Do not say what is inside (SPDX and CycloneDX)
    #[arg(long)]
    no_sbom: bool,
    /// The program and its first arguments, each with its own flag [default: the executable]
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    entrypoint: Vec<String>,
    /// An argument that anyone who starts the container may replace (repeatable)
    #[arg(long = "arg", value_name = "WORD", allow_hyphen_values = true)]
    args: Vec<String>,
    /// An environment variable (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair("this is KEY=VALUE"))]
    env: Vec<(String, String)>,
    /// The folder in which the program starts [default: /]
    #[arg(long, value_name = "FOLDER")]
    workdir: Option<String>,
    /// A port that it listens on: 8080, 53/udp (repeatable)
    #[arg(long = "port", value_name = "PORT")]
    ports: Vec<String>,
    /// A folder that should be a volume (repeatable)
    #[arg(long = "volume", value_name = "FOLDER")]
    volumes: Vec<String>,
    /// Who runs it [default: 65532:65532, which is nonroot]
    #[arg(long, value_name = "USER[:GROUP]")]
    user: Option<String>,
    /// The signal that asks it to stop
    #[arg(long, value_name = "SIGNAL")]
    stop_signal: Option<String>,
    /// A label (repeatable)
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = pair("this is KEY=VALUE"))]
    labels: Vec<(String, String)>,
    /// An annotation of the manifest (repeatable)
    #[arg(long = "annotation", value_name = "KEY=VALUE", value_parser = pair("this is KEY=VALUE"))]
    annotations: Vec<(String, String)>,
}

impl Flags {
    /// The settings among the arguments.
    pub fn settings(&self) -> Settings {
        let some = |words: &[String]| (!words.is_empty()).then(|| words.to_vec());
        let table = |pairs: &[(String, String)]| pairs.iter().cloned().collect::<BTreeMap<_, _>>();
        Settings {
            base: self.base.clone(),
            with: self.with.clone(),
            without: self.without.clone(),
            certificates: self.certificates.clone(),
            entrypoint: some(&self.entrypoint),
            args: some(&self.args),
            env: table(&self.env),
            workdir: self.workdir.clone(),
            ports: self.ports.clone(),
            volumes: self.volumes.clone(),
            user: self.user.clone(),
            stop_signal: self.stop_signal.clone(),
            labels: table(&self.labels),
            annotations: table(&self.annotations),
            compress: self.compress.clone(),
            sbom: self.no_sbom.then_some(false),
            platforms: Vec::new(),
        }
    }

    /// The flags that a second call inside a Dockerfile needs: what chooses files. The rest are instructions there.
    pub fn again(&self, cargo: &[String]) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        words.extend(self.with.iter().map(|part| format!("--with={part}")));
        words.extend(self.without.iter().map(|part| format!("--without={part}")));
        words.extend(self.certificates.iter().map(|file| format!("--certificate={file}")));
        if !cargo.is_empty() {
            words.push("--".to_owned());
            words.extend(cargo.iter().cloned());
        }
        words
    }
}

fn part(name: &str) -> Result<String, String> {
    match contents::part(name) {
        Ok(_) => Ok(name.to_owned()),
        Err(error) => Err(error.hint().unwrap_or_else(|| error.to_string())),
    }
}

fn part_or_all(name: &str) -> Result<String, String> {
    if name == "all" { Ok(name.to_owned()) } else { part(name) }
}
