//! Fetching and building the programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::programs::{Case, LUA, Origin, PROGRAMS, Program};
use crate::workshop::{root, say};

/// Records of the JSON document.
const RECORDS: u32 = 30_000;

/// Writes the inputs, and gives the folder of sources that formatters and counters read: the dependencies of the first
/// program, whose versions its own lock file pins.
pub fn input(work: &Path) -> Result<PathBuf> {
    fs_err::write(work.join("work.lua"), LUA)?;
    let records: Vec<String> = (0..RECORDS)
        .map(|n| {
            let value = u64::from(n) * 2_654_435_761 % 1_000_003;
            format!("{{\"group\":\"g{}\",\"value\":{value},\"name\":\"record {n}\"}}", value % 997)
        })
        .collect();
    fs_err::write(work.join("input.json"), format!("[{}]\n", records.join(",\n")))?;

    let sources = work.join("sources");
    if !sources.exists() {
        let package = fetched(&PROGRAMS[0], work)?;
        say("fetching the sources that serve as input");
        let mut command = Command::new("cargo");
        command
            .args(["vendor", "--locked", "--versioned-dirs"])
            .arg(work.join("vendored"))
            .current_dir(&package);
        step(&mut command)?;
        fs_err::rename(work.join("vendored"), &sources)?;
    }
    Ok(sources)
}

/// The executables of a program.
pub struct Built {
    /// That which Brawn linked, with its record kept.
    pub executable: PathBuf,
    /// The same for glibc, by the machine's own compilers; none on a machine of another libc.
    pub glibc: Option<PathBuf>,
}

/// Builds a program, or makes sure that it is built. It carries the default of this Brawn: cargo and make do not link
/// again because another one would be used.
pub fn built(program: &Program, brawn: &Path, work: &Path) -> Result<Built> {
    say(&format!("{}: building", program.name));
    let built = compiled(program, brawn, work)?;
    step(with_cache(Command::new(brawn), work).arg("relink").arg(&built.executable))?;
    Ok(built)
}

fn compiled(program: &Program, brawn: &Path, work: &Path) -> Result<Built> {
    match &program.origin {
        Origin::Crate(_, name, more) => {
            let package = fetched(program, work)?;
            let mut command = with_cache(Command::new(brawn), work);
            command.args(["build", "--release", "--locked", "--bin", name, "--quiet"]).args(*more);
            command.current_dir(&package);
            command.env("CARGO_TARGET_DIR", work.join("target"));
            let output = command.stderr(Stdio::inherit()).output()?;
            ensure!(output.status.success(), "{}: brawn build ended with {}", program.name, output.status);
            let text = String::from_utf8(output.stdout)?;
            let executable = text.lines().last().context("brawn build named no executable")?.into();
            let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
            let mut command = Command::new("cargo");
            command.args(["build", "--release", "--locked", "--bin", name, "--quiet", "--target", &host]);
            command.args(*more);
            command.env("CARGO_TARGET_DIR", work.join("target")).current_dir(&package);
            let made = IS_GLIBC.then(|| step(&mut command)).transpose()?;
            let glibc = made.map(|()| work.join("target").join(host).join("release").join(name));
            Ok(Built { executable, glibc })
        }
        Origin::Debian(source, make, executables) => {
            let made = |folder: &str, compiler: &str| -> Result<PathBuf> {
                let folder = work.join(folder);
                if !folder.join(executables[0]).exists() {
                    unpack(source, &folder, work)?;
                }
                let mut command = with_cache(Command::new("make"), work);
                let jobs = std::thread::available_parallelism().map_or(1, usize::from);
                command.arg(format!("-j{jobs}")).args(make.iter().map(|arg| arg.replace("{cc}", compiler)));
                step(command.current_dir(&folder))?;
                Ok(folder.join(executables[0]))
            };
            let executable = made(program.name, &format!("{} cc", brawn.display()))?;
            let glibc = IS_GLIBC.then(|| made(&format!("{}-glibc", program.name), "cc")).transpose()?;
            Ok(Built { executable, glibc })
        }
    }
}

/// Builds a case.
pub fn case(case: &Case, brawn: &Path, work: &Path) -> Result<PathBuf> {
    let executable = work.join(case.name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(format!("{}.c", case.name));
    let mut command = with_cache(Command::new(brawn), work);
    command.args(["--malloc", case.malloc, "cc", "-O2", "-pthread", "-o"]).arg(&executable).arg(source);
    step(&mut command)?;
    Ok(executable)
}

/// Whether the machine's own compilers make programs for glibc. This tool is one of theirs.
const IS_GLIBC: bool = cfg!(target_env = "gnu");

/// The package of a crate, unpacked where it may be built.
pub(crate) fn fetched(program: &Program, work: &Path) -> Result<PathBuf> {
    let Origin::Crate(version, ..) = program.origin else { bail!("{} is no crate", program.name) };
    let place = work.join("packages").join(format!("{}-{version}", program.name));
    if place.exists() {
        return Ok(place);
    }
    say(&format!("fetching {} {version}", program.name));
    // Cargo fetches what a package depends on, and all that this depends on in turn; only the one is kept, with its own
    // lock file.
    let fresh = work.join("fetch").join(program.name);
    fs_err::create_dir_all(fresh.join("src"))?;
    fs_err::write(fresh.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n{} = \
         \"={version}\"\n",
        program.name
    );
    fs_err::write(fresh.join("Cargo.toml"), manifest)?;
    let mut command = Command::new("cargo");
    command.args(["vendor", "--versioned-dirs", "crates"]).current_dir(&fresh);
    step(&mut command)?;
    fs_err::create_dir_all(work.join("packages"))?;
    fs_err::rename(fresh.join("crates").join(format!("{}-{version}", program.name)), &place)?;
    // A copy of a crate belongs to no workspace around it.
    let text = fs_err::read_to_string(place.join("Cargo.toml"))?;
    if !text.contains("[workspace]") {
        fs_err::write(place.join("Cargo.toml"), format!("{text}\n[workspace]\n"))?;
    }
    Ok(place)
}

pub(crate) fn unpack(source: &[&str; 3], folder: &Path, work: &Path) -> Result<()> {
    let script = root().join("crates/brawn-bench/debian-source");
    step(Command::new(script).args(source).arg(work))?;
    fs_err::create_dir_all(folder)?;
    step(
        Command::new("tar")
            .arg("-xf")
            .arg(work.join(source[1]))
            .arg("-C")
            .arg(folder)
            .arg("--strip-components=1"),
    )
}

pub fn with_cache(mut command: Command, work: &Path) -> Command {
    command.env("BRAWN_CACHE_DIR", work.join("cache"));
    command
}

/// Runs a command that must succeed; what it says goes to standard error.
fn step(command: &mut Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::from(std::io::stderr())).status();
    let status = status.with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}
