use serde::Serialize;

use crate::allocator::HEAP;
use crate::digest::digest;
use crate::kit::Kit;
use crate::plan::{Known, Plan};
use crate::program::Program;

/// What is grafted onto a file, and what is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// SHA-256 of the original, in hexadecimal.
    pub original: String,
    /// Its architecture.
    pub arch: String,
    /// Every function of the file for which the kit has another, by family and name.
    pub functions: Vec<Row>,
}

/// A function of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The family that it belongs to.
    pub family: String,
    /// Its names, sorted.
    pub names: Vec<String>,
    /// Where it is, as the file is linked.
    pub address: u64,
    /// Why it stays as it is; none where it is replaced.
    pub refused: Option<String>,
}

impl Report {
    /// The rows of what is replaced.
    pub fn grafted(&self) -> impl Iterator<Item = &Row> {
        self.functions.iter().filter(|row| row.refused.is_none())
    }

    /// The families of what is replaced, sorted.
    pub fn families(&self) -> Vec<String> {
        let mut families: Vec<String> = self.grafted().map(|row| row.family.clone()).collect();
        families.sort();
        families.dedup();
        families
    }
}

pub(crate) fn report(program: &Program<'_>, kit: &Kit<'_>, known: &Known, plan: &Plan) -> Report {
    let replaced = plan.entries.keys().map(|address| (address, None));
    let refused = plan.refused.iter().map(|(address, reason)| (address, Some(reason.clone())));
    let row = |(address, refused): (&u64, Option<String>)| {
        let named = known.names.iter().filter(|(_, at)| *at == address).map(|(name, _)| name.clone());
        let (of_kit, others): (Vec<String>, Vec<String>) =
            named.partition(|name| kit.owners.contains_key(name));
        let owner = of_kit.first().and_then(|name| kit.owners.get(name));
        // What the kit has no other for is `fork`, which is led to the heap.
        let family = owner.map_or(HEAP, |owner| kit.members[*owner].family).to_owned();
        let names = if of_kit.is_empty() { others } else { of_kit };
        Row { family, names, address: *address, refused }
    };
    let mut functions: Vec<Row> = replaced.chain(refused).map(row).collect();
    functions.sort_by(|one, other| (&one.family, &one.names).cmp(&(&other.family, &other.names)));
    Report { original: digest(program.data), arch: program.arch.to_string(), functions }
}
