//! Berkeley's logic minimiser, one of the oldest programs that allocators are compared by.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use brawn_measure::results::Published;

use super::truth::Table;
use crate::workshop::{CProgram, Origin, Source};
use crate::{Case, Context, Error, Figure, Prepared, RowSpec, published};

/// It is published with a library for Rust; only its own C sources are used here.
const VERSION: &str = "5.6.4";
const SOURCE: Source = Source {
    file: "espresso-logic-5.6.4",
    sha256: "3009708f23a7cc1456cbd0310b9128f39fa5c4cb14b0e600e9c2ae912a305675",
    origin: Origin::Crate("espresso-logic", VERSION),
};

/// Inputs, outputs and terms of the function to minimise: less than a second.
const SIZE: (usize, usize, usize) = (12, 12, 1_000);
const SEED: u64 = 0xE59;

pub fn cases(context: &Context<'_>, prepared: &mut Prepared) -> Result<Vec<Case>, Error> {
    let workshop = context.workshop;
    let folder = workshop.source(&SOURCE)?.join("espresso-src");
    let mut sources: Vec<PathBuf> =
        fs_err::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    sources.sort();
    let program =
        CProgram { name: "espresso", sources: &sources, flags: &["-w", "-std=gnu11"], libraries: &["-lm"] };
    let programs = workshop.c_program(&program, context.flavours)?;
    prepared.note_missing(&programs);
    prepared.versions.insert("espresso-logic".into(), VERSION.into());
    let input = workshop.root().join("espresso.pla");
    fs_err::write(&input, table().to_string())?;
    let variants = programs.variants(|variant| variant.arg(&input).read_metrics(same_function));
    Ok(vec![
        Case::new("espresso", variants)
            .row(RowSpec::new(Figure::Wall).published(theirs()))
            .row(RowSpec::new(Figure::Peak))
            .row(RowSpec::new(Figure::Final)),
    ])
}

/// The published figures are rates, and ours is a time.
fn theirs() -> Vec<Published> {
    let time = |rate: Published| Published {
        value: 1.0 / rate.value,
        ratio: rate.ratio.map(|ratio| 1.0 / ratio),
        ..rate
    };
    published::MALLOC.row("espresso").into_iter().map(time).collect()
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| Table::generate(SIZE.0, SIZE.1, SIZE.2, SEED))
}

/// What is left must be the same function of its inputs, in fewer terms.
fn same_function(stdout: &str, _: &str) -> Result<BTreeMap<String, f64>, String> {
    let found = Table::parse(stdout)?;
    if found.values() != table().values() {
        return Err("what espresso printed is another function than the one it was given".into());
    }
    if found.terms() >= table().terms() {
        return Err(format!("{} terms are no fewer than {}", found.terms(), table().terms()));
    }
    Ok(BTreeMap::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_slower_than_glibc_took_longer() {
        let theirs = theirs();
        let musl = theirs.iter().find(|row| row.label == "alpaquita-22-musl-def").unwrap();
        assert!((musl.ratio.unwrap() - 0.19 / 0.13).abs() < 1e-9);
    }

    #[test]
    fn another_function_or_no_smaller_one_is_refused() {
        let unchanged = same_function(&table().to_string(), "").unwrap_err();
        assert!(unchanged.contains("no fewer"), "{unchanged}");
        let text = table().to_string();
        let less: Vec<&str> = text.lines().filter(|line| !line.starts_with(['0', '1', '-'])).collect();
        assert!(same_function(&less.join("\n"), "").unwrap_err().contains("another function"));
        assert!(same_function("", "").is_err());
    }
}
