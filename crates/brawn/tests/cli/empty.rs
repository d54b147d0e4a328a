//! What a program pays that does nothing: the pages that it touches with this project's heap and string functions, beside those of
//! musl's own. The library's documents promise 16 KiB more at most.

use std::path::Path;
use std::time::Duration;

use crate::common::{Sandbox, ok};
use brawn_measure::{Variant, probe};

/// Where the stack begins depends on how long the environment is, so either program may touch a page more or less of it; over so many
/// environments, each longer than the last by so much, the median does not.
const ENVIRONMENTS: usize = 41;
const LONGER: usize = 97;

/// The median peak of a program's resident memory, in bytes.
fn peak(program: &Path) -> u64 {
    let mut peaks: Vec<u64> = (0..ENVIRONMENTS)
        .map(|number| {
            let variant = Variant::new("empty", program).env("FILL", "x".repeat(number * LONGER));
            let run = probe::run(&variant, Duration::from_secs(30)).unwrap();
            run.sample.peak_bytes.expect("ptrace is allowed here")
        })
        .collect();
    peaks.sort_unstable();
    peaks[ENVIRONMENTS / 2]
}

#[test]
fn an_empty_program_takes_four_pages_more_than_stock_at_most() {
    let sandbox = Sandbox::new();
    let folder = sandbox.package("bare");
    sandbox.write("bare/src/main.rs", include_str!("../../../brawn-bench/workloads/startup/bare.rs"));
    let built = ok(sandbox
        .brawn(&["-q", "--malloc", "stock", "--no-strings", "build", "--release"])
        .current_dir(folder));
    let stock = Path::new(built.trim());
    let ours = sandbox.path().join("ours");
    ok(sandbox.brawn(&["-q", "--preset", "small", "relink"]).arg(stock).arg("-o").arg(&ours));
    let (least, most) = (peak(stock), peak(&ours));
    assert!(most > least, "{most} bytes are fewer than those of stock, {least}: was the heap linked at all?");
    assert!(most - least <= 16 << 10, "{most} bytes, where stock has {least}");
}
