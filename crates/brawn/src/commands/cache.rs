//! `brawn cache`: what the cache holds, and how it is kept small.

use std::process::ExitCode;
use std::time::SystemTime;

use brawn_libc::Cache;
use brawn_libc::cache::evict::Removed;
use brawn_libc::cache::usage::{KINDS, Kind, Meter};
use brawn_link::{seam, settings, vars};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::Options;
use crate::exit::Result;
use crate::output::{self, size};

/// What a cache may take on the disk when no one says otherwise, in bytes.
const DEFAULT_LIMIT: u64 = 500_000_000;

#[derive(Args)]
#[command(after_help = kinds())]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Remove what was used longest ago until the rest is within the limit
    Trim(TrimArguments),
    /// Remove everything, or everything of some kinds
    Clear(ClearArguments),
}

#[derive(Args)]
struct TrimArguments {
    /// The limit: 300MB, 1GiB, or none [default: BRAWN_CACHE_LIMIT, cache-limit in the user's file, or 500MB]
    #[arg(long, value_name = "SIZE", value_parser = limit_of)]
    limit: Option<u64>,
}

#[derive(Args)]
struct ClearArguments {
    /// Only these kinds [default: all but drivers]
    #[arg(value_name = "KIND", value_parser = clap::builder::PossibleValuesParser::new(KINDS.iter().map(|kind| kind.name)))]
    kinds: Vec<String>,
}

/// `brawn cache`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let cache = seam::cache()?;
    match arguments.action {
        None => show(&cache, &options)?,
        Some(Action::Trim(trim)) => {
            let limit = trim.limit.map_or_else(configured_limit, Ok)?;
            let removed = cache.trim(limit, SystemTime::now(), options.dry_run);
            report(removed.as_ref(), &options);
            if removed.is_none() && !options.quiet {
                output::say("another process is using the cache: it is trimmed when that ends");
            }
        }
        Some(Action::Clear(clear)) => {
            let chosen = |kind: &&Kind| match clear.kinds.as_slice() {
                [] => kind.cleared,
                named => named.iter().any(|name| name == kind.name),
            };
            let kinds: Vec<&Kind> = KINDS.iter().filter(chosen).collect();
            let wait = || output::say("waiting for the processes that use the cache");
            report(Some(&cache.clear(&kinds, options.dry_run, wait)?), &options);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Trims the cache after a command that added to it. Failing is no fault of that command.
pub fn trim_after(start: SystemTime) {
    if !Cache::was_added_to() {
        return;
    }
    match configured_limit() {
        Ok(limit) => {
            if let Ok(cache) = seam::cache() {
                cache.trim(limit, start, false);
            }
        }
        Err(error) => output::warn(&format!("the cache has no limit now: {error}")),
    }
}

/// The limit in bytes: of the environment, the user's file, or the default.
fn configured_limit() -> Result<u64, brawn_link::Error> {
    match settings::cache_limit()? {
        None => Ok(DEFAULT_LIMIT),
        Some((place, text)) => {
            limit_of(&text).map_err(|what| brawn_link::Error::Variable { variable: place, what })
        }
    }
}

fn limit_of(text: &str) -> Result<u64, String> {
    match text {
        "none" => Ok(u64::MAX),
        "0" => Ok(0),
        text => {
            super::tune::units::size(text).map_err(|_| format!("'{text}' is no size such as 300MB, nor none"))
        }
    }
}

fn show(cache: &Cache, options: &Options) -> Result<()> {
    let limit = configured_limit()?;
    let mut meter = Meter::default();
    let kinds = KINDS.iter().map(|kind| (kind, cache.items(kind, SystemTime::UNIX_EPOCH, &mut meter)));
    let kinds: Vec<_> = kinds.filter(|(_, items)| !items.is_empty()).collect();
    let total: u64 = kinds.iter().flat_map(|(_, items)| items).map(|item| item.size).sum();
    let zig = settings::zig_cache().filter(|path| path.is_dir());
    let zig = zig.map(|path| (Meter::default().size(&path), path));
    if options.json() {
        let seconds =
            |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let kinds: Vec<_> = kinds
            .iter()
            .map(|(kind, items)| {
                json!({
                    "kind": kind.name,
                    "items": items.len(),
                    "size": items.iter().map(|item| item.size).sum::<u64>(),
                    "last-used": items.iter().map(|item| seconds(item.used)).max(),
                    "limited": kind.limited,
                })
            })
            .collect();
        let zig = zig.map(|(size, path)| json!({ "path": path, "size": size }));
        let limit = (limit != u64::MAX).then_some(limit);
        outln!(
            "{}",
            json!({ "path": cache.root(), "size": total, "limit": limit, "kinds": kinds, "zig": zig })
        );
        return Ok(());
    }
    outln!("{}: {}", cache.root().display(), size(total));
    for (kind, items) in &kinds {
        let bytes: u64 = items.iter().map(|item| item.size).sum();
        let used = items.iter().map(|item| item.used).max().unwrap_or(SystemTime::UNIX_EPOCH);
        let free = if kind.limited { "" } else { ", outside the limit" };
        outln!(
            "  {:9} {:>9}  {:5}  used {:12} {}{free}",
            kind.name,
            size(bytes),
            items.len(),
            ago(used),
            kind.summary
        );
    }
    match limit {
        u64::MAX => outln!("no limit"),
        limit => outln!("limit {}: what was used longest ago goes first", size(limit)),
    }
    if let Some((bytes, path)) = zig {
        outln!("{}: {}, zig's own, which it fills for brawn c++", path.display(), size(bytes));
    }
    Ok(())
}

/// `3 minutes ago`
fn ago(time: SystemTime) -> String {
    let seconds = time.elapsed().map_or(0, |elapsed| elapsed.as_secs());
    let (count, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86400 => (seconds / 3600, "hour"),
        _ => (seconds / 86400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

fn report(removed: Option<&Removed>, options: &Options) {
    let (items, bytes) = removed.map_or((&[][..], 0), |removed| (removed.items.as_slice(), removed.size));
    if options.json() {
        let paths: Vec<_> = items.iter().map(|item| &item.path).collect();
        outln!("{}", json!({ "dry-run": options.dry_run, "size": bytes, "removed": paths }));
        return;
    }
    if options.verbose > 0 || options.dry_run {
        for item in items {
            outln!("{}  {}", item.path.display(), size(item.size));
        }
    }
    if !options.quiet {
        let would = if options.dry_run { "would remove" } else { "removed" };
        output::say(&format!("{would} {} things, {}", items.len(), size(bytes)));
    }
}

fn kinds() -> String {
    let mut text = String::from("Kinds:\n");
    for kind in KINDS {
        text.push_str(&format!("  {:10} {}\n", kind.name, kind.summary));
    }
    text.push_str(&format!(
        "\nThe limit is {} or the user's file's cache-limit, and holds at the end of every command that adds something; bench and\n\
         what is a few links only do not count. A record of an executable that exists loses its copies of objects only:\n\
         what it carries stays known, and it can be linked again once it was built again.\n",
        vars::CACHE_LIMIT
    ));
    text
}
