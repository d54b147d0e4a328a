use std::path::PathBuf;
use std::process::ExitCode;

use brawn_base::text::shown;
use brawn_elf::Arch;
use brawn_libc::overlay::{Manifest, copy_to, make};
use brawn_libc::patch::base_of;
use brawn_link::cc::{Backend, Language};
use brawn_link::toolchain::{Rust, arch_of, musl_arch};
use clap::Args;

use super::choice;
use crate::cli::Options;
use crate::exit::Result;
use crate::output;

#[derive(Args)]
#[command(after_help = allocators())]
pub struct Arguments {
    /// Folder for libc.a and manifest.json; without it, the overlay goes into the cache
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// What to start from: a libc.a, `rustup` (the Rust toolchain's) or `system` (the C compiler's)
    #[arg(long, value_name = "PATH|rustup|system", default_value = "rustup")]
    from: String,
    /// Print the manifest as JSON
    #[arg(long)]
    json: bool,
}

/// `brawn libc`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let choice = choice(&options)?;
    let (base, wanted) = base(&arguments.from, options.target.as_deref())?;
    let (manifest, place) = if options.dry_run {
        (make(&base, &brawn_base::file::archive(&base)?, wanted, &choice)?.manifest, None)
    } else {
        let overlay = brawn_link::seam::cache()?.overlay(&base, wanted, &choice)?;
        let place = match &arguments.output {
            Some(dir) => {
                copy_to(dir, &overlay)?;
                dir.clone()
            }
            None => overlay.dir,
        };
        (overlay.manifest, Some(place))
    };
    if arguments.json || options.json() {
        output::json(&manifest)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(place) = place {
        outln!("{}", shown(&place));
    }
    if !options.quiet {
        output::say(&format!("{} from {}", summary(&manifest), shown(&base)));
    }
    if options.verbose > 0 {
        for dropped in &manifest.dropped {
            output::say(&format!("out: {} ({})", dropped.member, dropped.defines.join(" ")));
        }
        for added in &manifest.added {
            output::say(&format!("in: {} ({})", added.member, added.defines.join(" ")));
        }
        for (family, because) in &manifest.unfit {
            output::say(&format!("{family} stays musl's: {because}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The archive to start from, and the architecture that it must be for.
pub(super) fn base(from: &str, target: Option<&str>) -> Result<(PathBuf, Option<Arch>)> {
    let arch = match from {
        "rustup" | "system" => Some(arch_of(target)?),
        _ => target.map(musl_arch).transpose()?,
    };
    let path = match (from, arch) {
        ("rustup", Some(arch)) => Rust::find()?.self_contained(arch)?.join("libc.a"),
        ("system", Some(arch)) => Backend::find(arch, Language::C)?.system_libc()?,
        (path, _) => PathBuf::from(path),
    };
    Ok((base_of(&path)?, arch))
}

/// `mimalloc 3.6.0 (preset balanced) for musl 1.2.5 on x86_64: 14 members out, 21 functions in`
pub fn summary(manifest: &Manifest) -> String {
    format!(
        "{} for {} on {}: {} members out, {} functions in",
        heap(manifest),
        manifest.libc,
        manifest.arch,
        manifest.dropped.len(),
        manifest.functions()
    )
}

/// `mimalloc 3.6.0 (preset balanced)`
pub fn heap(manifest: &Manifest) -> String {
    let version = manifest.malloc_version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let preset = manifest.preset.as_ref().map(|preset| format!(" (preset {preset})")).unwrap_or_default();
    format!("{}{version}{preset}", manifest.malloc)
}

fn allocators() -> String {
    let mut text = String::from("Presets:\n");
    for preset in brawn_libc::PRESETS {
        text.push_str(&format!("  {:17} {} ({})\n", preset.name, preset.summary, preset.malloc));
    }
    text.push_str("\nAllocators:\n");
    for allocator in brawn_kit::allocators() {
        text.push_str(&format!("  {:17} {} ({})\n", allocator.name, allocator.summary, allocator.version));
    }
    text.push_str("  stock             musl's own heap, untouched\n");
    text.push_str("\nFamilies of functions, which --musl keeps musl's:\n");
    text.push_str("  strings           memcpy, strlen, strstr, wcslen and the like\n");
    for family in brawn_kit::FAMILIES {
        text.push_str(&format!("  {:17} {}\n", family.name, family.title));
    }
    text
}
