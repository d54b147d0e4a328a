//! Runs a program in an empty folder, under a time limit, and judges what came of it.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use brawn_elf::Arch;

use crate::emulator;
use crate::libc::Libc;
use crate::table::Test;

/// A line of stderr with this start is a measurement for the record; anything else there is a failure.
const REPORT: &str = "report: ";

/// The environment variable with a command that this machine's own executables run under: valgrind with its options.
const UNDER: &str = "BRAWN_TEST_UNDER";

/// The command of [`UNDER`].
pub fn under() -> Option<Vec<String>> {
    let words = std::env::var(UNDER).ok()?;
    Some(words.split_whitespace().map(str::to_owned).collect())
        .filter(|words: &Vec<String>| !words.is_empty())
}

/// The user-mode emulator for an architecture, if one is installed.
pub fn emulator(arch: Arch) -> Option<Vec<String>> {
    let path = std::env::var_os("PATH")?;
    let names = [format!("qemu-{arch}-static"), format!("qemu-{arch}")];
    std::env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)).collect::<Vec<_>>())
        .find(|candidate| candidate.is_file())
        .map(|path| vec![path.display().to_string()])
}

/// What came of a program that could be run.
pub enum Outcome {
    /// It kept its promise, and reports these measurements.
    Passed(Vec<String>),
    /// It did not, for this reason.
    Failed(String),
}

/// Runs `executable`.
pub fn run(
    test: &Test,
    libc: &Libc,
    arguments: &[String],
    limit: Duration,
    executable: &Path,
) -> Result<Outcome, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let work = folder.path().join("work");
    let (stdout, stderr) = (folder.path().join("stdout"), folder.path().join("stderr"));
    fs_err::create_dir(&work).map_err(|error| error.to_string())?;
    let command = || {
        let mut command = match &libc.emulator {
            None => Command::new(executable),
            Some(emulator) => {
                let mut command = Command::new(&emulator[0]);
                command.args(&emulator[1..]).arg(executable);
                command
            }
        };
        let create = |path: &Path| fs_err::File::create(path).map(fs_err::File::into_file);
        command.args(arguments).current_dir(&work).stdin(Stdio::null());
        command.envs(test.page.map(|bytes| ("QEMU_PAGESIZE", bytes.to_string())));
        command.stdout(create(&stdout)?).stderr(create(&stderr)?);
        Ok(command)
    };
    let status = emulator::run(command, limit, libc.emulated())
        .map_err(|error| format!("{}: {error}", arguments.join(" ")))?;
    let read = |path: &Path| fs_err::read_to_string(path).map_err(|error| error.to_string());
    Ok(judge(test, arguments, status, &read(&stdout)?, &read(&stderr)?))
}

fn judge(
    test: &Test,
    arguments: &[String],
    status: Option<ExitStatus>,
    stdout: &str,
    stderr: &str,
) -> Outcome {
    let (reports, complaints): (Vec<_>, Vec<_>) = stderr.lines().partition(|line| line.starts_with(REPORT));
    let ended = match status {
        None => "did not end in time".to_owned(),
        Some(status) => match (status.code(), status.signal()) {
            (Some(0), _) if stdout == "ok\n" && complaints.is_empty() => {
                let reports = reports.into_iter().map(|line| line[REPORT.len()..].to_owned());
                return Outcome::Passed(reports.collect());
            }
            (Some(code), _) => format!("exited with {code}"),
            (None, signal) => format!("died of signal {}", signal.unwrap_or_default()),
        },
    };
    Outcome::Failed(format!(
        "`{} {}` {ended}\nit proves: {}\nstdout: {stdout}\nstderr: {}",
        test.file.trim_end_matches(".c"),
        arguments.join(" "),
        test.proves,
        complaints.join("\n"),
    ))
}
