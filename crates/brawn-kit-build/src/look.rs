//! Functions that hold code for a newer CPU behind a look at which CPU it is.

use anyhow::{Context as _, Result, ensure};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

/// The byte that the mathematical functions look at.
const LEVEL: &str = "__brawn_math_level";

/// How many functions of this object begin with their look at the level. Fails where one of x86_64 does not, though the object looks: the compiler, which may use what the CPU
/// lacks anywhere in it, would have put something before.
pub fn comes_first(object: &[u8]) -> Result<usize> {
    let file = object::File::parse(object)?;
    if file.architecture() != object::Architecture::X86_64
        || !file.symbols().any(|symbol| symbol.is_undefined() && symbol.name() == Ok(LEVEL))
    {
        return Ok(0);
    }
    let mut looks = 0;
    for symbol in file.symbols().filter(|symbol| symbol.is_global() && symbol.is_definition()) {
        let name = symbol.name()?;
        let section = symbol.section_index().context("a function outside of sections")?;
        let code = file.section_by_index(section)?.data()?;
        let code = code.get(symbol.address() as usize..).unwrap_or_default();
        // cmpb $…, LEVEL(%rip)
        ensure!(code.starts_with(&[0x80, 0x3d]), "{name} does not begin with its look at {LEVEL}");
        looks += 1;
    }
    Ok(looks)
}
