//! musl's functions in an executable: what `brawn-identify` found, for an inspection.

use std::path::PathBuf;

use brawn_base::text::shown;
use brawn_elf::EvidenceKind;
use brawn_elf::inspection::{AmbiguousFunction, FoundFunction, Functions};
use brawn_identify::{Evidence, Identification, Signatures};

use crate::exit::{Context as _, Result};
use crate::output::{Line, STRONG};

/// The signatures of a user's own archives.
pub fn signatures(archives: &[PathBuf]) -> Result<Vec<Signatures>> {
    let read = |path: &PathBuf| {
        let data = brawn_base::file::archive(path)?;
        let label = path.display().to_string();
        brawn_identify::extract(&data, &label).context(|| format!("cannot read {}", shown(path)))
    };
    archives.iter().map(read).collect()
}

/// How many there are, and of which musl.
pub fn summary(found: &Identification) -> Functions {
    let versions = found.versions.clone();
    Functions { count: found.functions.len(), versions, found: None, ambiguous: None }
}

/// All of it.
pub fn all(found: Identification) -> Functions {
    let summary = summary(&found);
    let functions = found.functions.into_iter().map(|function| FoundFunction {
        names: function.names,
        address: function.address,
        size: function.size,
        evidence: match function.evidence {
            Evidence::Symbol => EvidenceKind::Symbols,
            Evidence::Signature => EvidenceKind::Code,
        },
        confirmations: function.confirmations,
    });
    let ambiguous = found.ambiguous.into_iter();
    let ambiguous =
        ambiguous.map(|one| AmbiguousFunction { names: one.names, reason: one.reason.to_owned() });
    Functions { found: Some(functions.collect()), ambiguous: Some(ambiguous.collect()), ..summary }
}

/// In a few words: `347 of musl 1.2.5`.
pub fn words(functions: &Functions) -> String {
    let versions = match &functions.versions[..] {
        [] => String::new(),
        [only] => format!(" {only}"),
        [first, .., last] => format!(" {first} to {last}"),
    };
    format!("{} of musl{versions}", functions.count)
}

/// Prints a table.
pub fn print(path: &str, functions: &Functions) {
    Line::new().styled(STRONG, path).plain(format!(": {}", words(functions))).print();
    outln!("  {:>12} {:>6}  {:8} {:>9}  names", "address", "bytes", "by", "confirmed");
    for function in functions.found.iter().flatten() {
        let FoundFunction { names, address, size, evidence, confirmations } = function;
        let by = evidence.name();
        outln!(
            "  {:>12} {size:>6}  {by:8} {confirmations:>9}  {}",
            format!("{address:#x}"),
            names.join(", ")
        );
    }
    for AmbiguousFunction { names, reason } in functions.ambiguous.iter().flatten() {
        outln!("  not certain: {}: {reason}", names.join(", "));
    }
}
