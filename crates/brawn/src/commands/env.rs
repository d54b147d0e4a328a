use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::ExitCode;

use brawn_base::Code;
use brawn_base::text::{exact, is_hidden, shown};
use brawn_elf::Arch;
use brawn_link::cargo::Invocation;
use brawn_link::cc::{self, Language};
use brawn_link::toolchain::on_path;
use brawn_link::vars;
use clap::Args;

use super::executable;
use crate::cli::Options;
use crate::exit::{Failure, Result};
use crate::output;

#[derive(Args)]
pub struct Arguments {
    /// Also CC, CXX and pkg-config's search, for make, autotools and their like
    #[arg(long, display_order = 100)]
    make: bool,
    /// Print a CMake toolchain file instead (for -DCMAKE_TOOLCHAIN_FILE=…)
    #[arg(long, display_order = 101, conflicts_with_all = ["message_format", "make"])]
    cmake: bool,
}

/// `brawn env`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let executable = executable()?;
    let mut args = Vec::new();
    if let Some(triple) = &options.target {
        args.push(format!("--target={triple}"));
    }
    let invocation = Invocation::new("build", args, options.layer(), &executable)?;
    let mut variables: Vec<(String, OsString)> = invocation.environment().to_vec();
    let triple = invocation.triple().to_owned();
    if !variables.iter().any(|(name, _)| name == "CARGO_BUILD_TARGET") {
        variables.push(("CARGO_BUILD_TARGET".into(), triple.clone().into()));
    }
    let cache = brawn_link::seam::cache()?;
    let c = cc::install(&cache, Language::C, &triple, &executable)?;
    let cxx = cc::install(&cache, Language::Cxx, &triple, &executable)?;
    let folders = pkg_config_folders(invocation.arch());
    if arguments.cmake {
        output::document(&cmake(&triple, plain(&c)?, plain(&cxx)?, folders.as_deref()));
        return Ok(ExitCode::SUCCESS);
    }
    let underscored = triple.replace('-', "_");
    // `CC` itself would reach build scripts that compile for this machine, and so does what stands here for them.
    for (name, path, own) in [("CC", c, "cc"), ("CXX", cxx, "c++")] {
        let scoped = format!("{name}_{underscored}");
        if !variables.iter().any(|(name, _)| *name == scoped) && vars::get(&scoped).is_none() {
            variables.push((scoped, path.clone().into()));
        }
        let host = format!("HOST_{name}");
        if vars::get(&host).is_none() && on_path(own).is_some() {
            variables.push((host, own.into()));
        }
        if arguments.make {
            variables.push((name.to_owned(), path.into()));
        }
    }
    if let Some(folders) = folders {
        variables.push((format!("PKG_CONFIG_LIBDIR_{underscored}"), folders.clone().into()));
        if arguments.make {
            variables.push(("PKG_CONFIG_LIBDIR".into(), folders.into()));
        }
    }
    variables.sort();
    if options.json() {
        let map: serde_json::Map<_, _> =
            variables.into_iter().map(|(name, value)| (name, exact(&value).into())).collect();
        output::json(&map)?;
    } else {
        for (name, value) in variables {
            outln!("export {name}={}", quote(&value));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Where pkg-config looks for packages that were made for musl, unless the user has said it: its own folders hold those of
/// this machine's libc. Where that is musl there is nothing to say.
fn pkg_config_folders(arch: Arch) -> Option<String> {
    if vars::get("PKG_CONFIG_LIBDIR").is_some() || cc::is_this_machines(arch) {
        return None;
    }
    let folders = ["/usr/local/lib", "/usr/lib"].map(|lib| format!("{lib}/{arch}-linux-musl/pkgconfig"));
    Some(folders.join(":"))
}

/// What CMake must be told to compile for another system. Programs of the build come from this machine, and
/// libraries, headers and packages do not, because this machine's are made for its own libc.
fn cmake(triple: &str, c: &str, cxx: &str, packages: Option<&str>) -> String {
    let processor = triple.split('-').next().unwrap_or_default();
    let packages = packages
        .map(|folders| format!("set(ENV{{PKG_CONFIG_LIBDIR}} [==[{folders}]==])\n"))
        .unwrap_or_default();
    format!(
        "set(CMAKE_SYSTEM_NAME Linux)\n\
         set(CMAKE_SYSTEM_PROCESSOR {processor})\n\
         set(CMAKE_C_COMPILER [==[{c}]==])\n\
         set(CMAKE_CXX_COMPILER [==[{cxx}]==])\n\
         set(CMAKE_POSITION_INDEPENDENT_CODE ON)\n\
         set(BUILD_SHARED_LIBS OFF CACHE BOOL \"the executable is static\")\n\
         set(CMAKE_FIND_LIBRARY_SUFFIXES .a)\n\
         set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)\n\
         set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)\n\
         set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)\n\
         set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)\n\
         {packages}"
    )
}

/// A path that CMake can be told: it has no escapes for what a terminal must not be shown.
fn plain(path: &Path) -> Result<&str> {
    let plain = path.to_str().filter(|text| !text.contains(is_hidden));
    plain.ok_or_else(|| {
        let message = format!("CMake cannot be told of {}: choose another BRAWN_CACHE_DIR", shown(path));
        Failure::new(Code::Failed, message)
    })
}

/// A word as a POSIX shell reads it back, to the byte; no value ends in a line break. What a terminal must not be shown is
/// written in octal.
fn quote(text: &OsStr) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    match text.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Some(text) if !text.contains(is_hidden) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            let octal = |byte: &u8| match *byte {
                byte if byte.is_ascii_alphanumeric() || b"/._+=:,@".contains(&byte) => {
                    char::from(byte).to_string()
                }
                byte => format!(r"\{byte:03o}"),
            };
            format!(r#""$(printf '{}')""#, text.as_bytes().iter().map(octal).collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::process::Command;

    #[test]
    fn values_survive_the_shell() {
        let quote = |text: &str| super::quote(OsStr::new(text));
        assert_eq!(quote("/a/b-c.d"), "/a/b-c.d");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("-C\u{1f}x"), r#""$(printf '\055C\037x')""#);
    }

    #[test]
    fn a_shell_reads_back_every_byte() {
        let all: Vec<u8> = (1..=255).collect();
        for bytes in
            [&all[..], b"-Clink-arg=-s\x1f-Ctarget-cpu=x", b"100% it's\x1b", "\u{202e}x\ny".as_bytes()]
        {
            let word = super::quote(OsStr::from_bytes(bytes));
            assert!(!word.contains(brawn_base::text::is_hidden), "{word}");
            let script = format!("printf %s {word}");
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(output.stdout, bytes, "{word}");
        }
    }
}
