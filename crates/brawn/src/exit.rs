//! Exit codes: a published list, and the one place where errors are mapped to it.

use std::process::ExitCode;

use brawn_base::file::Refusal;
use brawn_libc::Error as Libc;

/// An exit code and what it means.
pub struct Meaning {
    /// The code.
    pub code: u8,
    /// What it means.
    pub meaning: &'static str,
}

/// What was asked for did not come about: a link failed, an executable is not what it should be.
pub const FAILED: u8 = 1;
/// Wrong arguments or settings.
pub const USAGE: u8 = 2;
/// An input cannot be used, or changed meanwhile.
pub const INPUT: u8 = 3;
/// Something is missing on this machine.
pub const MISSING: u8 = 4;
/// Reading or writing failed.
pub const IO: u8 = 5;

/// A condition of `bench compare --fail-if` holds.
pub const GATE: u8 = 6;
/// A registry cannot be reached, or refuses.
pub const REGISTRY: u8 = 7;
/// `tune` found no answer: no candidate stays within the limit, or the machine is too noisy.
pub const NO_ANSWER: u8 = 8;
/// Interrupted by a signal: `bench` and `tune` keep what was measured, `check` and `image` leave nothing behind.
pub const INTERRUPTED: u8 = 130;

/// The whole list.
pub const ALL: &[Meaning] = &[
    Meaning { code: 0, meaning: "success" },
    Meaning {
        code: FAILED,
        meaning: "a link failed, or an executable does not pass verification or a check",
    },
    Meaning { code: USAGE, meaning: "wrong arguments or settings" },
    Meaning { code: INPUT, meaning: "an input cannot be used, or changed since it was recorded" },
    Meaning { code: MISSING, meaning: "a target, linker, compiler or right is missing on this machine" },
    Meaning { code: IO, meaning: "reading or writing failed" },
    Meaning { code: GATE, meaning: "a condition of `bench compare --fail-if` holds" },
    Meaning { code: REGISTRY, meaning: "a registry cannot be reached, or refuses" },
    Meaning {
        code: NO_ANSWER,
        meaning: "`tune` has no answer: nothing stays within the limit, or the machine is too noisy",
    },
    Meaning {
        code: INTERRUPTED,
        meaning: "interrupted: `bench` and `tune` keep what was measured, `check` and `image` leave nothing",
    },
];

/// The code for an error.
pub fn code_of(error: &anyhow::Error) -> ExitCode {
    // What cannot be read stands behind the errors of the crates, which say only that reading failed.
    if error.chain().any(|cause| cause.is::<Refusal>()) {
        return ExitCode::from(INPUT);
    }
    let code = error
        .chain()
        .find_map(|cause| {
            let driver = cause.downcast_ref::<brawn_link::Error>().map(driver_code);
            let libc = || cause.downcast_ref::<Libc>().map(libc_code);
            let check = || cause.downcast_ref::<brawn_check::Error>().map(check_code);
            let elf = || cause.downcast_ref::<brawn_elf::Error>().map(|_| INPUT);
            let suites = || cause.downcast_ref::<brawn_bench::Error>().map(suites_code);
            let bench = || cause.downcast_ref::<brawn_measure::Error>().map(bench_code);
            let tune = || cause.downcast_ref::<brawn_tune::Error>().map(tune_code);
            let compared = || compared_code(cause);
            let image = || cause.downcast_ref::<brawn_image::Error>().map(image_code);
            let preload = || cause.downcast_ref::<brawn_preload::Error>().map(preload_code);
            let io = || cause.downcast_ref::<std::io::Error>().map(|_| IO);
            driver
                .or_else(libc)
                .or_else(check)
                .or_else(elf)
                .or_else(suites)
                .or_else(bench)
                .or_else(tune)
                .or_else(compared)
                .or_else(image)
                .or_else(preload)
                .or_else(io)
        })
        .unwrap_or(FAILED);
    ExitCode::from(code)
}

fn driver_code(error: &brawn_link::Error) -> u8 {
    use brawn_link::Error;
    match error {
        Error::Libc(error) => libc_code(error),
        Error::Io(_) => IO,
        Error::Config { .. }
        | Error::CargoConfig(_)
        | Error::Contradiction { .. }
        | Error::Variable { .. }
        | Error::Target(_)
        | Error::NotForMusl { .. }
        | Error::Unsupported { .. } => USAGE,
        Error::Spawn { .. }
        | Error::Query { .. }
        | Error::NoRustTarget { .. }
        | Error::NoLibc
        | Error::NoLinker { .. }
        | Error::NoCompiler { .. } => MISSING,
        Error::NoRecord(_)
        | Error::BadRecord { .. }
        | Error::ForeignLinker { .. }
        | Error::Trimmed(_)
        | Error::InputChanged { .. } => INPUT,
        _ => FAILED,
    }
}

fn check_code(error: &brawn_check::Error) -> u8 {
    use brawn_check::Error;
    match error {
        Error::Elf(_) | Error::Manifest { .. } => INPUT,
        Error::NoRoot { .. } | Error::TraceRefused => MISSING,
        Error::File(_) | Error::System { .. } => IO,
        Error::Interrupted => INTERRUPTED,
        _ => FAILED,
    }
}

fn suites_code(error: &brawn_bench::Error) -> u8 {
    use brawn_bench::Error;
    match error {
        Error::UnknownName { .. } | Error::NamedTwice { .. } => USAGE,
        Error::Absent { .. } | Error::Spawn { .. } => MISSING,
        Error::Checksum { .. } => INPUT,
        Error::Io(_) => IO,
        Error::Driver(error) => driver_code(error),
        Error::Libc(error) => libc_code(error),
        Error::Preload(error) => preload_code(error),
        Error::Bench(error) => bench_code(error),
        _ => FAILED,
    }
}

fn bench_code(error: &brawn_measure::Error) -> u8 {
    use brawn_measure::Error;
    match error {
        Error::System { .. } | Error::File(_) => IO,
        _ => FAILED,
    }
}

fn tune_code(error: &brawn_tune::Error) -> u8 {
    use brawn_tune::Error;
    match error {
        Error::Driver(error) => driver_code(error),
        Error::Libc(error) => libc_code(error),
        Error::Bench(error) => bench_code(error),
        Error::Io(_) => IO,
        Error::NoExecutable
        | Error::ManyExecutables { .. }
        | Error::NoFigure { .. }
        | Error::Ready { .. } => USAGE,
        Error::State { .. } | Error::Manifest { .. } => INPUT,
        Error::ImpossibleLimit { .. } | Error::TooNoisy { .. } => NO_ANSWER,
        Error::Interrupted => INTERRUPTED,
        _ => FAILED,
    }
}

/// Errors of documents of results and of their comparison.
fn compared_code(cause: &(dyn std::error::Error + 'static)) -> Option<u8> {
    use brawn_measure::DocumentError;
    use brawn_measure::compare::{CompareError, GateError, ParseGateError};
    if let Some(error) = cause.downcast_ref::<DocumentError>() {
        return Some(if matches!(error, DocumentError::File(_)) { IO } else { INPUT });
    }
    let usage = cause.is::<ParseGateError>() || cause.is::<GateError>();
    usage.then_some(USAGE).or_else(|| cause.is::<CompareError>().then_some(INPUT))
}

fn image_code(error: &brawn_image::Error) -> u8 {
    use brawn_image::Error;
    match error {
        Error::Io(_) | Error::Unwritable { .. } | Error::NotALayout(_) | Error::NoRoom { .. } => IO,
        Error::SamePlatform { .. }
        | Error::Setting { .. }
        | Error::Reference { .. }
        | Error::Unpinned { .. }
        | Error::Insecure { .. }
        | Error::Package { .. } => USAGE,
        Error::NotAnExecutable { .. }
        | Error::Dynamic { .. }
        | Error::Architecture { .. }
        | Error::Damaged { .. }
        | Error::Digest { .. }
        | Error::NoPlatform { .. }
        | Error::TooLarge { .. }
        | Error::Cargo(_) => INPUT,
        Error::Transport { .. }
        | Error::ClearText { .. }
        | Error::TokenHost { .. }
        | Error::Stalled { .. }
        | Error::OutOfTime { .. }
        | Error::Busy { .. }
        | Error::Refused { .. }
        | Error::Protocol { .. }
        | Error::Credentials { .. } => REGISTRY,
        _ => FAILED,
    }
}

fn preload_code(error: &brawn_preload::Error) -> u8 {
    use brawn_preload::Error;
    match error {
        Error::NotPreloadable { .. } | Error::OverlayOnly { .. } | Error::UnknownSystem(_) => USAGE,
        Error::NotFound(_) => MISSING,
        Error::Separator(_) | Error::Unwritable { .. } | Error::Io(_) => IO,
        _ => INPUT,
    }
}

fn libc_code(error: &Libc) -> u8 {
    match error {
        Libc::Io(_) | Libc::Unwritable { .. } | Libc::NotAnOverlay(_) => IO,
        Libc::UnknownName { .. }
        | Libc::Untrusted { .. }
        | Libc::UnknownKnob { .. }
        | Libc::KnobOfAnother { .. }
        | Libc::KnobValue { .. }
        | Libc::NotForArchitecture { .. }
        | Libc::WithoutStrings { .. } => USAGE,
        _ => INPUT,
    }
}

/// The code that another program ended with, or the one that a shell gives for a signal.
pub fn code_of_status(status: std::process::ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(u8::try_from(code).unwrap_or(FAILED))
}
