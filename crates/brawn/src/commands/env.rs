use std::process::ExitCode;

use brawn_driver::cargo::Invocation;
use brawn_driver::cc::Language;
use clap::Args;

use super::executable;
use crate::cli::Options;
use crate::output;

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    options: Options,
    /// Print a CMake toolchain file instead (for -DCMAKE_TOOLCHAIN_FILE=…)
    #[arg(long, conflicts_with = "message_format")]
    cmake: bool,
}

/// `brawn env`
pub fn run(before: Options, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let options = arguments.options.over(before);
    let executable = executable()?;
    let mut args = Vec::new();
    if let Some(triple) = &options.target {
        args.push(format!("--target={triple}"));
    }
    let invocation = Invocation::new("build", args, options.layer(), &executable)?;
    let mut variables: Vec<(String, String)> = invocation
        .environment()
        .iter()
        .map(|(name, value)| (name.clone(), value.to_string_lossy().into_owned()))
        .collect();
    let triple = invocation.triple().to_owned();
    if !variables.iter().any(|(name, _)| name == "CARGO_BUILD_TARGET") {
        variables.push(("CARGO_BUILD_TARGET".into(), triple.clone()));
    }
    let c = brawn_driver::cc::install(Language::C, &triple, &executable)?;
    let cxx = brawn_driver::cc::install(Language::Cxx, &triple, &executable)?;
    if arguments.cmake {
        output::document(&cmake(&triple, &c.display().to_string(), &cxx.display().to_string()));
        return Ok(ExitCode::SUCCESS);
    }
    variables.push(("CC".into(), c.display().to_string()));
    variables.push(("CXX".into(), cxx.display().to_string()));
    variables.sort();
    if options.json() {
        let map: serde_json::Map<_, _> =
            variables.into_iter().map(|(name, value)| (name, value.into())).collect();
        output::json(&map)?;
    } else {
        for (name, value) in variables {
            outln!("export {name}={}", quote(&value));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What CMake must be told to compile for another system. Programs of the build come from this machine, and
/// libraries, headers and packages do not, because this machine's are made for its own libc.
fn cmake(triple: &str, c: &str, cxx: &str) -> String {
    let processor = triple.split('-').next().unwrap_or_default();
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
         set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)\n"
    )
}

/// A word as a POSIX shell reads it back.
fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_survive_the_shell() {
        assert_eq!(super::quote("/a/b-c.d"), "/a/b-c.d");
        assert_eq!(super::quote("a b"), "'a b'");
        assert_eq!(super::quote("it's"), r"'it'\''s'");
        assert_eq!(super::quote(""), "''");
    }
}
