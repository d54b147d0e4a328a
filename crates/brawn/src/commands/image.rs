//! `brawn image`

mod package;
mod progress;
mod settings;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use brawn_base::Code;
use brawn_base::text::shown;
use brawn_image::registry::{Access, Limits, Reference, Repository};
use brawn_image::{Base, Bundle, Epoch, Executable, Package, Parts, Platform, Request, sink};
use clap::Args;
use serde_json::json;

use crate::cli::{Options, existing};
use crate::commands::tune::units::time;
use crate::exit::{Context as _, Result};
use crate::{output, uses};

#[derive(Args)]
pub struct Arguments {
    /// Static executables, one for each platform [default: build the package in this folder]
    #[arg(value_name = "FILE", value_parser = existing)]
    files: Vec<PathBuf>,
    /// Write an OCI layout into this folder, or, if the name ends in .tar, an archive for docker, podman and skopeo
    #[arg(short, long, value_name = "PATH", group = "sink")]
    output: Option<PathBuf>,
    /// Push to a registry: HOST/NAME[:TAG]
    #[arg(long, value_name = "REFERENCE", group = "sink")]
    push: Option<Reference>,
    /// Write the image's files into this folder, for chroot and crun
    #[arg(long, value_name = "FOLDER", group = "sink")]
    rootfs: Option<PathBuf>,
    /// Print a Dockerfile that builds the same with Brawn
    #[arg(long, group = "sink", conflicts_with = "files")]
    dockerfile: bool,
    /// The image's name where it is written to a file: NAME[:TAG] [default: the program's]
    #[arg(long, value_name = "NAME", conflicts_with = "push")]
    tag: Option<Reference>,
    /// Build for these platforms: linux/amd64, linux/arm64 (repeatable, or with commas)
    #[arg(long, value_name = "PLATFORM", value_delimiter = ',', conflicts_with = "files")]
    platform: Vec<String>,
    /// The package of the workspace to build
    #[arg(short, long, value_name = "NAME", conflicts_with = "files")]
    package: Option<String>,
    /// The executable of the package
    #[arg(long, value_name = "NAME", conflicts_with = "files")]
    bin: Option<String>,
    /// The program's name in the image [default: the file's]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    settings: settings::Flags,
    /// Speak to the registry without TLS; only with one on this machine
    #[arg(long)]
    insecure: bool,
    /// Time for everything that is asked of registries: 90s, 30m, 2h; 30 s without progress end it anyway
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = time)]
    timeout: Duration,
    /// Send the login to this host as well, if the registry asks for it there (repeatable)
    #[arg(long, value_name = "HOST")]
    token_host: Vec<String>,
    /// Take blobs over from this repository of the same registry, if they are there (repeatable)
    #[arg(long, value_name = "REPOSITORY", requires = "push")]
    mount_from: Vec<String>,
    /// Arguments for cargo build; without --profile it is --release
    #[arg(last = true, value_name = "CARGO ARGUMENTS")]
    cargo: Vec<String>,
}

/// `brawn image`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    if !arguments.files.is_empty() {
        let reason = "FILE is taken as it is, and nothing is built";
        uses::refuse_here("image", &options, uses::LINKING, reason);
    }
    leave_nothing_on_signals()?;
    let sinks = [arguments.output.is_some(), arguments.push.is_some(), arguments.rootfs.is_some()];
    if !arguments.dockerfile && !sinks.contains(&true) && !options.dry_run {
        crate::cli::usage("say where the image goes: --output PATH, --push REFERENCE or --rootfs FOLDER");
    }
    let package = match arguments.files.is_empty() {
        true => Some(package::find(&arguments)?),
        false => None,
    };
    let mut settings = arguments.settings.settings();
    if let Some(package) = &package {
        settings = settings.over(package.settings()?);
    }
    settings.check()?;
    if arguments.dockerfile {
        let package = package.expect("there are no files with --dockerfile");
        let binary = package.binary(arguments.bin.as_deref())?;
        let inner = arguments.settings.again(&arguments.cargo);
        output::document(&brawn_image::dockerfile::dockerfile(&package, &binary, &settings, &inner)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut access = Access::new(Limits { total: arguments.timeout, ..Limits::default() });
    access.insecure = arguments.insecure;
    access.token_hosts.clone_from(&arguments.token_host);
    access.reporter = progress::reporter(options.quiet);
    // What can fail early does, before anything is compiled.
    let write = place(&arguments, &access)?;
    let base = settings.base.as_deref().map_or(Ok(None), |base| Base::open(base, &access))?;
    let executables = match &package {
        Some(package) => match package::build(package, &arguments, &settings, &options)? {
            Ok(executables) => executables,
            Err(code) => return Ok(code),
        },
        None => read(&arguments)?,
    };
    let epoch = Epoch::from_variable(std::env::var("SOURCE_DATE_EPOCH").ok().as_deref())?;
    let request = Request {
        executables: &executables,
        settings: &settings,
        base: base.as_ref(),
        beside: &[],
        package: package.as_ref(),
        epoch,
    };
    let bundle = brawn_image::build(&request)?;
    if !options.quiet {
        explain(&request, &bundle)?;
    }
    let place = match (options.dry_run, write) {
        (true, _) | (_, None) => bundle.digest().to_owned(),
        (false, Some(write)) => write(&bundle, &name(&arguments, package.as_ref(), &executables)?)?,
    };
    if options.json() {
        output::json_text(&message(&place, &bundle));
    } else {
        outln!("{place}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Lets a signal end the program without the files that it has begun. A push is safe anyway: the tag comes last.
fn leave_nothing_on_signals() -> Result<()> {
    let mut signals = signal_hook::iterator::Signals::new(super::ending_signals())
        .context(|| "cannot listen for signals")?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            sink::discard();
            std::process::exit(Code::Interrupted as i32);
        }
    });
    Ok(())
}

fn read(arguments: &Arguments) -> Result<Vec<Executable>> {
    let read = |file: &PathBuf| Executable::read(file, arguments.name.as_deref());
    Ok(arguments.files.iter().map(read).collect::<Result<_, _>>()?)
}

type Write<'a> = Box<dyn FnOnce(&Bundle, &Reference) -> Result<String, brawn_image::Error> + 'a>;

/// The place that was asked for, made ready as far as it can be before the image is there.
fn place<'a>(arguments: &'a Arguments, access: &Access) -> Result<Option<Write<'a>>> {
    if let Some(reference) = &arguments.push {
        if reference.digest.is_some() {
            crate::cli::usage("an image is pushed to a tag: its digest follows from what is in it");
        }
        let repository = Repository::open(reference, access)?;
        let from = &arguments.mount_from;
        return Ok(Some(Box::new(move |bundle, _| sink::push(bundle, &repository, reference, from))));
    }
    if let Some(path) = &arguments.rootfs {
        return Ok(Some(Box::new(move |bundle, _| sink::rootfs(bundle, path))));
    }
    Ok(arguments.output.as_ref().map(|path| -> Write<'a> {
        Box::new(move |bundle, name| match path.extension().is_some_and(|extension| extension == "tar") {
            true => sink::archive(bundle, path, name),
            false => sink::layout(bundle, path, name),
        })
    }))
}

/// What the image is called where it is written to a file.
fn name(
    arguments: &Arguments,
    package: Option<&Package>,
    executables: &[Executable],
) -> Result<Reference, brawn_image::Error> {
    if let Some(tag) = &arguments.tag {
        return Ok(tag.clone());
    }
    let name = package.map_or(executables[0].name.as_str(), Package::name);
    // What the name of a repository may not hold becomes a dash.
    let sound: String = name
        .to_lowercase()
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() || character == '_' { character } else { '-' })
        .collect();
    let sound = sound.trim_matches(['-', '_']);
    if sound.is_empty() { "image" } else { sound }.parse()
}

/// Says what goes into each image, why, and how large it is.
fn explain(request: &Request<'_>, bundle: &Bundle) -> Result<()> {
    for executable in request.executables {
        let chosen = Parts::choose(executable, request.settings, request.base.is_some())?;
        for reason in &chosen.reasons {
            output::say(&format!("{}: {reason}", executable.platform));
        }
        // A base may hold anything.
        if request.base.is_none() {
            for (problem, hint) in brawn_image::warnings(executable) {
                output::warn(&format!("{}: {problem}", shown(&executable.path)));
                if let Some(hint) = hint {
                    output::hint(hint);
                }
            }
        }
    }
    let untold = |image: &brawn_image::Image| image.sbom.as_ref().is_some_and(|sbom| !sbom.crates);
    if request.executables.iter().any(|executable| executable.inspection().rust.is_some())
        && bundle.images.iter().any(untold)
    {
        output::say("the lists of what is inside name no crates, because the executable does not tell them");
        output::hint("let `brawn image` build the package, or build the executable with `cargo auditable`");
    }
    for image in &bundle.images {
        let parts: Vec<String> = image.layers.iter().map(|layer| output::size(layer.size())).collect();
        let sbom =
            image.sbom.as_ref().map(|sbom| format!(", {} components", sbom.components)).unwrap_or_default();
        output::say(&format!(
            "{}: {} in {} layers ({}){sbom}",
            image.platform,
            output::size(image.size()),
            image.layers.len(),
            parts.join(" + ")
        ));
    }
    Ok(())
}

fn message(place: &str, bundle: &Bundle) -> String {
    let images = bundle.images.iter().map(|image| {
        json!({
            "platform": image.platform.to_string(),
            "digest": image.manifest.digest(),
            "size": image.size(),
            "layers": image.layers.iter().map(|layer| json!({ "digest": layer.digest(), "size": layer.size() })).collect::<Vec<_>>(),
        })
    });
    json!({ "reason": "brawn-image", "place": place, "digest": bundle.digest(), "images": images.collect::<Vec<_>>() }).to_string()
}

/// The platforms that are asked for: by flag, by `--target`, or in `Cargo.toml`.
fn platforms(named: &[String], options: &Options) -> Result<Vec<Platform>, brawn_image::Error> {
    let names = match (&options.target, named) {
        (Some(target), []) => std::slice::from_ref(target),
        (_, names) => names,
    };
    names
        .iter()
        .map(|name| {
            Platform::from_name(name).ok_or_else(|| brawn_image::Error::Setting {
                what: format!("'{name}' is no platform that brawn knows"),
                hint: Some("there are: linux/amd64, linux/arm64".to_owned()),
            })
        })
        .collect()
}
