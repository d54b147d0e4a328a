use std::collections::{BTreeMap, BTreeSet, HashMap};

use brawn_check::{Provider, Strength};
use oci_spec::image::{
    self, Config, HistoryBuilder, ImageConfiguration, ImageConfigurationBuilder, ImageManifestBuilder,
    MediaType, RootFsBuilder,
};

use crate::base::BaseImage;
use crate::contents::{self, NONROOT, Part};
use crate::layer::{Entries, Entry, Layer};
use crate::sbom::Sbom;
use crate::{
    Base, Blob, Bundle, Compression, Epoch, Error, Executable, Image, Package, Platform, Settings, json,
};

/// What an image is to be made of.
#[derive(Debug)]
pub struct Request<'a> {
    /// The program, once for each platform.
    pub executables: &'a [Executable],
    /// Flags and configuration.
    pub settings: &'a Settings,
    /// The image underneath.
    pub base: Option<&'a Base>,
    /// Files beside the program, a layer for each.
    pub beside: &'a [Beside],
    /// The package that the program was built from.
    pub package: Option<&'a Package>,
    /// The time that the image shows.
    pub epoch: Epoch,
}

/// Files beside the program.
#[derive(Clone, Debug)]
pub struct Beside {
    /// A few words for `docker history`.
    pub words: String,
    /// The files.
    pub entries: Entries,
    /// The only platform whose image has them; none for all.
    pub platform: Option<Platform>,
}

/// The parts that an image for an executable holds, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The parts.
    pub parts: BTreeSet<Part>,
    /// One line for each part that the executable shows it uses: `certificates (it names /etc/ssl/certs)`.
    pub reasons: Vec<String>,
}

impl Parts {
    /// Chooses: what the executable shows it uses, with what is asked for, without what is not wanted. Upon a base
    /// image only what is asked for.
    pub fn choose(executable: &Executable, settings: &Settings, on_base: bool) -> Result<Parts, Error> {
        let named = |names: &[String]| {
            names.iter().map(|name| contents::part(name)).collect::<Result<BTreeSet<_>, _>>()
        };
        let mut with = named(&settings.with)?;
        if !settings.certificates.is_empty() {
            with.insert(Part::Certificates);
        }
        let without = match settings.without.iter().any(|name| name == "all") {
            true => BTreeSet::from(Part::ALL),
            false => named(&settings.without)?,
        };
        let mut parts = Parts { parts: with.clone(), reasons: Vec::new() };
        if on_base {
            return Ok(parts);
        }
        for found in &executable.needs.found {
            let Provider::Image(part) = found.need.provider() else { continue };
            if found.strength != Strength::Likely {
                continue;
            }
            let wanted = with.contains(&part) || !without.contains(&part);
            let effect = if wanted { "" } else { ", left out" };
            parts.reasons.push(format!("{part} (it shows {}{effect})", found.evidence[0].detail));
            if wanted {
                parts.parts.insert(part);
            }
        }
        Ok(parts)
    }
}

/// What an executable shows it needs and no image of it can hold: for each a sentence, and what to do.
pub fn warnings(executable: &Executable) -> Vec<(String, Option<&'static str>)> {
    let likely = executable.needs.found.iter().filter(|found| found.strength == Strength::Likely);
    likely
        .filter(|found| found.need.provider() == Provider::None)
        .map(|found| {
            (format!("it may look for {} ({})", found.need, found.evidence[0].detail), found.need.hint())
        })
        .collect()
}

/// Makes an image for each executable, and an index if there are several.
pub fn build(request: &Request<'_>) -> Result<Bundle, Error> {
    let Request { executables, settings, .. } = *request;
    settings.check()?;
    let compression = settings.compress.as_deref().map_or(Ok(Compression::default()), str::parse)?;
    let mut by_platform: HashMap<Platform, &Executable> = HashMap::new();
    for executable in executables {
        let needed = executable.needed();
        if !needed.is_empty() && request.base.is_none() {
            return Err(Error::Dynamic { path: executable.path.clone(), needed });
        }
        if let Some(first) = by_platform.insert(executable.platform, executable) {
            return Err(Error::SamePlatform {
                platform: executable.platform.to_string(),
                first: first.path.clone(),
                second: executable.path.clone(),
            });
        }
    }
    for executable in executables {
        beside(executable, settings)?;
    }
    let extra = contents::read_certificates(&settings.certificates)?;
    let mut stable = HashMap::new();
    let mut images = executables
        .iter()
        .map(|executable| image(request, executable, compression, &extra, &mut stable))
        .collect::<Result<Vec<_>, _>>()?;
    // The order of the arguments is no part of what was asked for.
    images.sort_by_key(|image| image.platform.architecture());
    let index = (images.len() > 1).then(|| index(request, &images));
    Ok(Bundle { images, index })
}

/// The program is a file: no folder of the image can be there, or below it.
fn beside(executable: &Executable, settings: &Settings) -> Result<(), Error> {
    let folders = settings.workdir.iter().map(|path| ("working directory", path));
    let folders = folders.chain(settings.volumes.iter().map(|path| ("volume", path)));
    for (what, path) in folders {
        let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
        if parts.next() == Some(&executable.name) {
            return Err(Error::setting(
                format!("the {what} {path} is where the program is: /{}", executable.name),
                "choose another folder, or another name for the program with --name",
            ));
        }
    }
    Ok(())
}

fn image(
    request: &Request<'_>,
    executable: &Executable,
    compression: Compression,
    extra: &str,
    stable: &mut HashMap<BTreeSet<Part>, Layer>,
) -> Result<Image, Error> {
    let base = request.base.map(|base| base.image(executable.platform)).transpose()?;
    let parts = Parts::choose(executable, request.settings, base.is_some())?.parts;
    let mut layers = Vec::new();
    if !parts.is_empty() {
        if !stable.contains_key(&parts) {
            let names: Vec<_> = parts.iter().map(|part| part.name()).collect();
            let made_by = format!("brawn image: {}", names.join(", "));
            stable
                .insert(parts.clone(), Layer::new(&contents::entries(&parts, extra), compression, &made_by)?);
        }
        layers.push(stable[&parts].clone());
    }
    let here = |beside: &&Beside| beside.platform.is_none_or(|platform| platform == executable.platform);
    for Beside { words, entries, .. } in request.beside.iter().filter(here) {
        layers.push(Layer::new(entries, compression, &format!("brawn image: {words}"))?);
    }
    let program = Entries::from([(executable.name.clone(), Entry::program(executable.bytes.clone()))]);
    layers.push(Layer::new(&program, compression, &format!("brawn image: /{}", executable.name))?);

    let metadata = metadata(request, base.as_ref(), &parts);
    let config = configuration(request, executable, base.as_ref(), &layers, &metadata);
    let config = Blob::new(MediaType::ImageConfig, json::canonical(&config));
    let base_layers = base.as_ref().map_or(0, |base| base.layers.len());
    let mut blobs = base.map(|base| base.layers).unwrap_or_default();
    blobs.extend(layers.into_iter().map(|layer| layer.blob));
    let manifest = ImageManifestBuilder::default()
        .schema_version(2u32)
        .media_type(MediaType::ImageManifest)
        .config(config.descriptor.clone())
        .layers(blobs.iter().map(|blob| blob.descriptor.clone()).collect::<Vec<_>>())
        .annotations(annotations(request.settings, &metadata))
        .build()
        .expect("every field that a manifest needs is set");
    let manifest = Blob::new(MediaType::ImageManifest, json::canonical(&manifest));
    let sbom = match request.settings.sbom {
        Some(false) => None,
        _ => Some(Sbom::of(executable, request.package, &parts, request.epoch)?),
    };
    Ok(Image { platform: executable.platform, manifest, config, layers: blobs, base_layers, sbom })
}

/// What is said about the image, under OCI's own keys and one or two of ours.
fn metadata(
    request: &Request<'_>,
    base: Option<&BaseImage>,
    parts: &BTreeSet<Part>,
) -> BTreeMap<String, String> {
    let mut metadata = BTreeMap::new();
    let mut put = |key: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            metadata.insert(key.to_owned(), value);
        }
    };
    put(image::ANNOTATION_CREATED, Some(request.epoch.rfc3339()));
    match request.package {
        Some(package) => package.metadata().into_iter().for_each(|(key, value)| put(key, value)),
        None => put(image::ANNOTATION_TITLE, request.executables.first().map(|first| first.name.clone())),
    }
    if let (Some(base), Some(image)) = (request.base, base) {
        put(image::ANNOTATION_BASE_IMAGE_NAME, base.name.split('@').next().map(str::to_owned));
        put(image::ANNOTATION_BASE_IMAGE_DIGEST, Some(image.digest.clone()));
    }
    if parts.contains(&Part::Certificates) {
        put("brawn.certificates", Some(format!("Mozilla, {}", contents::CERTIFICATES_DATE)));
    }
    if parts.contains(&Part::Zones) {
        put("brawn.zones", Some(format!("tzdata {}", contents::zones_version())));
    }
    metadata
}

fn annotations(settings: &Settings, metadata: &BTreeMap<String, String>) -> HashMap<String, String> {
    metadata.iter().chain(&settings.annotations).map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn configuration(
    request: &Request<'_>,
    executable: &Executable,
    base: Option<&BaseImage>,
    layers: &[Layer],
    metadata: &BTreeMap<String, String>,
) -> ImageConfiguration {
    let created = request.epoch.rfc3339();
    let below = base.map(|base| base.config.clone());
    let mut history = below.as_ref().and_then(|below| below.history().clone()).unwrap_or_default();
    history.extend(layers.iter().map(|layer| {
        HistoryBuilder::default()
            .created(created.clone())
            .created_by(layer.made_by.clone())
            .build()
            .expect("a history entry needs nothing")
    }));
    let mut diff_ids = below.as_ref().map(|below| below.rootfs().diff_ids().clone()).unwrap_or_default();
    diff_ids.extend(layers.iter().map(|layer| layer.diff_id.clone()));
    let inherited = below.and_then(|below| below.config().clone()).unwrap_or_default();
    ImageConfigurationBuilder::default()
        .created(created)
        .architecture(executable.platform.oci_architecture())
        .os("linux")
        .config(run_configuration(request.settings, executable, inherited, metadata))
        .rootfs(RootFsBuilder::default().diff_ids(diff_ids).build().expect("a root needs its layers only"))
        .history(history)
        .build()
        .expect("every field that a configuration needs is set")
}

/// How the container runs: what the base says, with what was asked for over it.
fn run_configuration(
    settings: &Settings,
    executable: &Executable,
    mut config: Config,
    metadata: &BTreeMap<String, String>,
) -> Config {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let entrypoint = settings.entrypoint.clone().unwrap_or_else(|| vec![format!("/{}", executable.name)]);
    // The base's arguments are its own program's.
    config.set_entrypoint(Some(entrypoint)).set_cmd(settings.args.clone());
    let mut env: Vec<String> = config.env().clone().unwrap_or_default();
    env.retain(|line| !settings.env.contains_key(line.split('=').next().unwrap_or_default()));
    env.extend(settings.env.iter().map(|(name, value)| format!("{name}={value}")));
    config.set_env((!env.is_empty()).then_some(env));
    let user = settings.user.clone().or_else(|| given(config.user()));
    config.set_user(user.or_else(|| Some(format!("{NONROOT}:{NONROOT}"))));
    let workdir = settings.workdir.clone().or_else(|| given(config.working_dir()));
    config.set_working_dir(workdir.or_else(|| Some("/".to_owned())));
    let signal = settings.stop_signal.clone().or_else(|| config.stop_signal().clone());
    config.set_stop_signal(signal);
    let union = |below: &Option<Vec<String>>, own: Vec<String>| {
        let all: BTreeSet<String> = below.iter().flatten().cloned().chain(own).collect();
        (!all.is_empty()).then(|| all.into_iter().collect::<Vec<_>>())
    };
    let ports = settings.ports.iter().map(|port| match port.contains('/') {
        true => port.clone(),
        false => format!("{port}/tcp"),
    });
    let ports = union(config.exposed_ports(), ports.collect());
    let volumes = union(config.volumes(), settings.volumes.clone());
    let mut labels: HashMap<String, String> = config.labels().clone().unwrap_or_default();
    labels.extend(metadata.iter().chain(&settings.labels).map(|(key, value)| (key.clone(), value.clone())));
    config.set_exposed_ports(ports).set_volumes(volumes).set_labels(Some(labels));
    config
}

fn index(request: &Request<'_>, images: &[Image]) -> Blob {
    let manifests: Vec<_> = images
        .iter()
        .map(|image| {
            let mut descriptor = image.manifest.descriptor.clone();
            descriptor.set_platform(Some(image.platform.oci()));
            descriptor
        })
        .collect();
    let mut index = json::index(manifests);
    let metadata = metadata(request, None, &BTreeSet::new());
    index.set_annotations(Some(annotations(request.settings, &metadata)));
    Blob::new(MediaType::ImageIndex, json::canonical(&index))
}
