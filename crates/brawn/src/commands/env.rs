use std::process::ExitCode;

use brawn_driver::cargo::Invocation;
use clap::Args;

use super::executable;
use crate::cli::Options;

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    options: Options,
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
    let compiler = brawn_driver::cc::install(&triple, &executable)?;
    variables.push(("CC".into(), compiler.display().to_string()));
    variables.sort();
    if options.json() {
        let map: serde_json::Map<_, _> =
            variables.into_iter().map(|(name, value)| (name, value.into())).collect();
        anstream::println!("{}", serde_json::to_string_pretty(&map)?);
    } else {
        for (name, value) in variables {
            anstream::println!("export {name}={}", quote(&value));
        }
    }
    Ok(ExitCode::SUCCESS)
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
