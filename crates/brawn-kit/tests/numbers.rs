//! Numbers are read as the C library reads them, to the bit, the end and `errno`: `libc/numbers/test/answers.c` with the
//! host's compiler and glibc, under its sanitizers, and with the kit's compiler and musl for aarch64. And they
//! are printed as musl prints them: `libc/numbers/test/printing.c`.
//!
//! With `BRAWN_TEST_LONG=1` every float is printed and read back, and a hundred million texts are tried.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;

mod common;
use common::{count, kit_compiler, ok};

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/numbers")
}

/// The test with the kit's functions under other names, compiled by this compiler.
fn build(compiler: &[String], flags: &[&str], folder: &Path) -> PathBuf {
    let command = || {
        let mut command = Command::new(&compiler[0]);
        command.args(&compiler[1..]).args(["-O2", "-frounding-math"]).args(flags);
        command
    };
    let mut objects = Vec::new();
    // Long doubles are the kit's on x86_64 alone.
    let x86_64 = compiler.iter().any(|word| word.contains("x86_64"))
        || compiler == ["gcc"] && cfg!(target_arch = "x86_64");
    let long = x86_64.then_some("strtold");
    for file in ["strtod", "strtof", "exact", "powers"].into_iter().chain(long) {
        let object = folder.join(file).with_extension("o");
        let source = sources().join(file).with_extension("c");
        ok(command().arg("-c").arg(format!("-D{file}=kit_{file}")).arg(source).arg("-o").arg(&object));
        objects.push(object);
    }
    let program = folder.join("answers");
    ok(command().arg(sources().join("test/answers.c")).args(objects).args(["-lm", "-o"]).arg(&program));
    program
}

#[test]
fn the_answers_of_glibc() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = build(&["gcc".to_owned()], &[], folder.path());
    let text = ok(Command::new(&program).arg(count("1000000", "100000000")));
    assert!(text.contains(" results by the function behind"), "{text}");
    ok(Command::new(&program).args(["floats", count("2000", "1")]));
}

#[test]
fn no_byte_behind_the_text_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];
    let program = build(&["gcc".to_owned()], &flags, folder.path());
    ok(Command::new(&program).arg("100000"));
}

#[test]
fn the_answers_of_musl_on_aarch64() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = build(&kit_compiler("aarch64"), &["-static"], folder.path());
    let mut command = Command::new("qemu-aarch64-static");
    if cfg!(target_arch = "aarch64") {
        command = Command::new(&program);
    } else {
        command.arg(&program);
    }
    // With the long doubles of software, musl's own rounds to the nearest in every mode.
    ok(command.args(["50000", "nearest"]));
}

/// The test of printing beside the musl that this compiler links.
fn build_printing(compiler: &[String], folder: &Path) -> PathBuf {
    let command = || {
        let mut command = Command::new(&compiler[0]);
        command.args(&compiler[1..]).args(["-O2", "-frounding-math", "-fno-builtin"]);
        command
    };
    let mut objects = Vec::new();
    for file in ["powers", "format", "vsnprintf", "vasprintf", "vfprintf", "vswprintf"] {
        let object = folder.join(file).with_extension("o");
        let source = sources().join(file).with_extension("c");
        let names =
            ["vsnprintf", "vasprintf", "vfprintf", "vswprintf"].map(|name| format!("-D{name}=kit_{name}"));
        ok(command().arg("-c").args(names).arg(source).arg("-o").arg(&object));
        objects.push(object);
    }
    let program = folder.join("printing");
    let test = sources().join("test/printing.c");
    ok(command().args(["-w", "-static"]).arg(test).args(objects).arg("-o").arg(&program));
    program
}

#[test]
fn the_texts_of_musl() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = build_printing(&kit_compiler(std::env::consts::ARCH), folder.path());
    let text = ok(Command::new(&program).args([count("50000", "100000000"), count("3", "1")]));
    assert!(text.contains(" by the function behind"), "{text}");
}

#[test]
fn the_texts_of_musl_on_aarch64() {
    if cfg!(target_arch = "aarch64") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = build_printing(&kit_compiler("aarch64"), folder.path());
    ok(Command::new("qemu-aarch64-static").arg(&program).args(["2000", count("19", "1")]));
}

#[test]
fn wide_numbers_are_read_as_musl_reads_them() {
    for arch in ["x86_64", "aarch64"] {
        let folder = tempfile::tempdir().expect("a folder");
        let compiler = kit_compiler(arch);
        let command = || {
            let mut command = Command::new(&compiler[0]);
            command.args(&compiler[1..]).args(["-O2", "-fno-builtin", "-w"]);
            command
        };
        let names = ["wcstof", "wcstod", "wcstold"].into_iter().flat_map(|name| {
            [format!("-D{name}=kit_{name}"), format!("-D__brawn_musl_kit_{name}=__brawn_musl_{name}")]
        });
        let object = folder.path().join("wcstod.o");
        ok(command().arg("-c").args(names).arg(sources().join("wcstod.c")).arg("-o").arg(&object));
        let program = folder.path().join("wide");
        ok(command().arg("-static").arg(sources().join("test/wide.c")).arg(object).arg("-o").arg(&program));
        let mut run = Command::new(&program);
        if arch != std::env::consts::ARCH {
            run = Command::new(format!("qemu-{arch}-static"));
            run.arg(&program);
        }
        let text = ok(run.arg(count("20000", "10000000")));
        assert!(text.contains(" by the function behind"), "{text}");
    }
}

/// A program of `test/` with the kit's objects of these files under names of their own, beside musl's, run on both
/// architectures.
fn beside_musl(program: &str, files: &[&str], names: &[&str], musls: &[&str], counts: [&str; 2]) -> String {
    let mut said = String::new();
    for (arch, count) in [Arch::X86_64, Arch::Aarch64].into_iter().zip(counts) {
        let folder = tempfile::tempdir().expect("a folder");
        let compiler = kit_compiler(arch.name());
        let command = || {
            let mut command = Command::new(&compiler[0]);
            command.args(&compiler[1..]).args(["-O2", "-fno-builtin", "-w"]);
            command
        };
        let mut objects = common::musls_own(arch, musls, folder.path());
        for file in files {
            let object = folder.path().join(file).with_extension("o");
            let source = sources().join(file).with_extension("c");
            let names = names.iter().map(|name| format!("-D{name}=kit_{name}"));
            ok(command().arg("-c").args(names).arg(source).arg("-o").arg(&object));
            objects.push(object);
        }
        let executable = folder.path().join(program);
        let test = sources().join("test").join(program).with_extension("c");
        ok(command().arg("-static").arg(test).args(objects).arg("-o").arg(&executable));
        let mut run = Command::new(&executable);
        if arch.name() != std::env::consts::ARCH {
            run = Command::new(format!("qemu-{arch}-static"));
            run.arg(&executable);
        }
        said += &ok(run.arg(count));
    }
    said
}

/// musl's own are linked in the place of zig's, which end within a number that overflows.
#[test]
fn whole_numbers_are_read_as_musl_reads_them() {
    let names = [
        "strtol",
        "strtoll",
        "strtoimax",
        "strtoul",
        "strtoull",
        "strtoumax",
        "wcstol",
        "wcstoll",
        "wcstoimax",
        "wcstoul",
        "wcstoull",
        "wcstoumax",
        "__strtol_internal",
        "__strtoll_internal",
        "__strtoimax_internal",
        "__strtoul_internal",
        "__strtoull_internal",
        "__strtoumax_internal",
    ];
    let files = ["strtol", "strtoul", "wcstol", "wcstoul"];
    let counts = [count("300000", "25000000"), count("30000", "1000000")];
    let text = beside_musl("integers", &files, &names, &["strtol", "wcstol"], counts);
    assert!(text.contains(" compared"), "{text}");
}

#[test]
fn addresses_are_read_as_musl_reads_them() {
    let names = [
        "a64l",
        "l64a",
        "__inet_aton",
        "inet_aton",
        "ether_aton",
        "ether_aton_r",
        "ether_ntoa",
        "ether_ntoa_r",
        "ether_line",
        "ether_ntohost",
        "ether_hostton",
    ];
    let files = ["a64l", "inet_aton", "ether_aton", "ether_ntoa", "ether_line"];
    let counts = [count("200000", "100000000"), count("20000", "1000000")];
    let text = beside_musl("addresses", &files, &names, &["strtol"], counts);
    assert!(text.contains(" are addresses"), "{text}");
}

/// What the executable with musl's `__floatscan` prints and the one with the kit's are one text.
#[test]
fn scanf_reads_what_musl_reads() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let compiler = kit_compiler("x86_64");
    let command = || {
        let mut command = Command::new(&compiler[0]);
        command.args(&compiler[1..]).args(["-O2", "-fno-builtin", "-w"]);
        command
    };
    // The linker gives musl's own the names that begin with __real_, and its callers the kit's.
    let wrapped = ["__floatscan", "__intscan", "strtod", "strtof"];
    let names = wrapped
        .iter()
        .flat_map(|name| [format!("-D{name}=__wrap_{name}"), format!("-D__brawn_musl_{name}=__real_{name}")]);
    let names: Vec<String> = names.collect();
    let mut objects = Vec::new();
    for file in ["floatscan", "intscan", "strtod", "strtof", "exact", "powers"] {
        let object = folder.path().join(file).with_extension("o");
        let source = sources().join(file).with_extension("c");
        ok(command().arg("-c").args(&names).arg(source).arg("-o").arg(&object));
        objects.push(object);
    }
    let run = |name: &str, with: &[PathBuf], flags: &[String]| {
        let program = folder.path().join(name);
        let test = sources().join("test/scanning.c");
        ok(command().arg("-static").arg(test).args(with).args(flags).arg("-o").arg(&program));
        ok(Command::new(&program).arg(count("100000", "100000000")).arg(folder.path()))
    };
    let musls = run("musls", &[], &[]);
    let ours = run("ours", &objects, &wrapped.map(|name| format!("-Wl,--wrap={name}")));
    assert!(musls.lines().count() > 100_000);
    // musl does not say of every number below the normal ones that it is out of range.
    let mut unsaid = 0;
    for (theirs, ours) in musls.lines().zip(ours.lines()) {
        if theirs != ours {
            assert_eq!(theirs, ours.replacen("errno 34", "errno 0", 1));
            unsaid += 1;
        }
    }
    assert_eq!(musls.lines().count(), ours.lines().count());
    assert!(unsaid < musls.lines().count() / 1_000, "{unsaid}");
}

/// The 128 leading bits of 5^(16 k), computed by long multiplication and division.
#[test]
fn the_powers_are_those_of_five() {
    let text = fs_err::read_to_string(sources().join("powers.c")).expect("the table");
    let numbers = text.split("0x").skip(1).map(|rest| &rest[..16]);
    let numbers: Vec<u64> = numbers.map(|hex| u64::from_str_radix(hex, 16).expect("a number")).collect();
    assert_eq!(numbers.len(), 2 * 42);
    for (k, pair) in (-22i32..20).zip(numbers.chunks(2)) {
        let power = (0..16 * k.abs()).fold(vec![1u32], |number, _| times_five(&number));
        let leading = if k < 0 { reciprocal(&power) } else { leading_bits(&power) };
        assert_eq!((u128::from(pair[0]) << 64) | u128::from(pair[1]), leading, "5^{}", 16 * k);
    }
}

/// Numbers are words, the lowest first.
fn times_five(number: &[u32]) -> Vec<u32> {
    let mut carry = 0u64;
    let mut product: Vec<u32> = Vec::new();
    for word in number {
        carry += u64::from(*word) * 5;
        product.push(carry as u32);
        carry >>= 32;
    }
    product.extend((carry > 0).then_some(carry as u32));
    product
}

fn bit(number: &[u32], index: usize) -> u32 {
    number[index / 32] >> (index % 32) & 1
}

fn length(number: &[u32]) -> usize {
    (0..number.len() * 32).rev().find(|index| bit(number, *index) == 1).expect("not zero") + 1
}

fn leading_bits(number: &[u32]) -> u128 {
    let length = length(number);
    let bits = (0..length).rev().chain(std::iter::repeat(usize::MAX)).take(128);
    bits.fold(0, |sum, index| sum << 1 | u128::from(if index < length { bit(number, index) } else { 0 }))
}

/// The 128 leading bits of 1 / number, by division bit for bit.
fn reciprocal(number: &[u32]) -> u128 {
    let mut rest = vec![0u32; number.len() + 1];
    rest[0] = 1;
    let (mut quotient, mut bits) = (0u128, 0);
    while bits < 128 {
        let mut carry = 0;
        for word in &mut rest {
            (*word, carry) = (*word << 1 | carry, *word >> 31);
        }
        let padded = number.iter().copied().chain([0]);
        let fits = rest.iter().rev().copied().ge(padded.clone().collect::<Vec<_>>().into_iter().rev());
        if fits {
            let mut borrow = 0i64;
            for (word, taken) in rest.iter_mut().zip(padded) {
                let difference = i64::from(*word) - i64::from(taken) + borrow;
                *word = difference as u32;
                borrow = difference >> 32;
            }
        }
        quotient = quotient << 1 | u128::from(fits);
        bits += u32::from(bits > 0 || fits);
    }
    quotient
}
