//! The linkers that cargo's own configuration names.

use std::path::PathBuf;

use brawn_elf::Arch;
use cargo_config2::Config;

use crate::toolchain::Rust;
use crate::{Error, seam};

/// The linker that cargo's configuration names, with the other flags if it is named among those: there it wins over cargo's
/// own setting, so it has to come out of them.
pub(crate) fn configured_linker(
    triple: &str,
    config: &Config,
) -> Result<(Option<PathBuf>, Option<Vec<String>>), Error> {
    if let Some(flags) = config.rustflags(triple)?
        && let (rest, Some(named)) = without_linker(flags.flags)
    {
        return Ok((Some(named.into()), Some(rest)));
    }
    Ok((config.linker(triple)?, None))
}

/// The linkers that cargo may have called for `arch` here: the one that its configuration names, and the default.
pub(crate) fn linkers(arch: Arch) -> Result<Vec<PathBuf>, Error> {
    let rust = Rust::find()?;
    let config = Config::load_with_cwd(std::env::current_dir()?)?;
    let (named, _) = configured_linker(&rust.triple(arch), &config)?;
    let named = named.map(|path| seam::Seam::from_call(&path).map_or(Ok(path), |seam| seam.linker()));
    Ok(named.transpose()?.into_iter().chain(seam::default_linker(&rust, arch).ok()).collect())
}

/// Takes `-C linker=X` out of a list of rustc flags.
fn without_linker(flags: Vec<String>) -> (Vec<String>, Option<String>) {
    let mut rest = Vec::new();
    let mut linker = None;
    let mut flags = flags.into_iter().peekable();
    while let Some(flag) = flags.next() {
        let is_codegen = flag == "-C" || flag == "--codegen";
        let attached = ["-C", "--codegen="].iter().find_map(|prefix| flag.strip_prefix(prefix));
        let value = if is_codegen { flags.peek().cloned() } else { attached.map(str::to_owned) };
        match value.as_deref().and_then(|value| value.strip_prefix("linker=")) {
            Some(path) => {
                linker = Some(path.to_owned());
                if is_codegen {
                    flags.next();
                }
            }
            None => rest.push(flag),
        }
    }
    (rest, linker)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_linker_among_the_flags_is_found_in_every_spelling() {
        for flags in
            ["-C linker=mold -O", "-Clinker=mold -O", "--codegen linker=mold -O", "--codegen=linker=mold -O"]
        {
            assert_eq!(without_linker(list(flags)), (list("-O"), Some("mold".into())), "{flags}");
        }
        let others = "-C linker-flavor=gcc -C link-arg=-s -Clto";
        assert_eq!(without_linker(list(others)), (list(others), None));
    }
}
