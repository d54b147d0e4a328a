//! Where things are built, and how commands are run there.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use brawn_measure::{Outcome, Session, Variant, format};

/// The folder that everything is built in, and the tools to build with.
pub struct Workshop {
    /// The repository.
    pub repository: PathBuf,
    /// A folder of our own under cargo's target folder.
    pub folder: PathBuf,
    /// The `brawn` under test.
    pub brawn: PathBuf,
    /// The target triple of the host's glibc.
    pub glibc: String,
    /// The target triple of musl on the same architecture.
    pub musl: String,
}

/// The repository, as this program was built from it.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

impl Workshop {
    /// Makes the folder `name`, and finds out which targets this machine builds for.
    pub fn open(name: &str, brawn: &Path) -> Result<Self> {
        let brawn =
            fs_err::canonicalize(brawn).context("cannot find the brawn to build with; run `make brawn`")?;
        let repository = fs_err::canonicalize(root())?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository.join("target"), PathBuf::from);
        let folder = target.join(name);
        fs_err::create_dir_all(&folder)?;
        let rustc = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
        let text = String::from_utf8(rustc.stdout)?;
        let host =
            text.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
        let Some(architecture) = host.strip_suffix("-unknown-linux-gnu") else {
            bail!("this machine's Rust is for {host}, so there is no glibc here to compare with");
        };
        Ok(Self {
            repository,
            folder: fs_err::canonicalize(folder)?,
            brawn,
            glibc: host.to_owned(),
            musl: format!("{architecture}-unknown-linux-musl"),
        })
    }

    /// `cargo`, as anyone would call it.
    pub fn cargo(&self) -> Command {
        self.cleaned(Command::new("cargo"))
    }

    /// What cargo tells of a package and of all that it depends on on this machine, as JSON.
    pub fn metadata(&self, manifest: &Path) -> Result<Vec<u8>> {
        let mut command = self.cargo();
        command.args(["metadata", "--locked", "--format-version=1", "--filter-platform", &self.glibc]);
        let output = command.arg("--manifest-path").arg(manifest).output();
        let output = output.context("cannot run cargo metadata")?;
        ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        Ok(output.stdout)
    }

    /// `brawn`, with a cache of its own, so that what the user has cached changes nothing.
    pub fn brawn(&self) -> Command {
        let mut command = self.cleaned(Command::new(&self.brawn));
        command.env("XDG_CACHE_HOME", self.folder.join("cache"));
        command
    }

    /// Without what the cargo that started us has put into the environment: it would change what is built.
    fn cleaned(&self, mut command: Command) -> Command {
        for (key, _) in std::env::vars_os() {
            let name = key.to_string_lossy();
            if name.starts_with("CARGO_PKG") || name.starts_with("CARGO_MANIFEST") || name == "RUSTFLAGS" {
                command.env_remove(&key);
            }
        }
        command.current_dir(&self.folder);
        command
    }

    /// Paths that are no one's business, and what stands for them in published results.
    pub fn private_paths(&self) -> Vec<(String, &'static str)> {
        let own =
            [(self.folder.display().to_string(), "BUILD"), (self.repository.display().to_string(), ".")];
        // The toolchain's folder, among others, lies in the user's; last, because it may hold the others.
        let home = std::env::home_dir().map(|home| (home.display().to_string(), "HOME"));
        own.into_iter().chain(home).collect()
    }

    /// A fresh copy of an executable, under a name of its own, before the next build overwrites it.
    pub fn keep(&self, executable: &Path, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join("variants");
        fs_err::create_dir_all(&folder)?;
        let kept = folder.join(name);
        let _ = fs_err::remove_file(&kept);
        fs_err::copy(executable, &kept)?;
        Ok(kept)
    }
}

/// Runs a command that must succeed. Its own output goes to stderr.
pub fn step(title: &str, command: &mut Command) -> Result<()> {
    say(title);
    let start = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::from(std::io::stderr()))
        .status()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{title}: ended with {status}\n  {command:?}");
    }
    say(&format!("{title}: {}", format::seconds(start.elapsed().as_secs_f64())));
    Ok(())
}

/// Runs a session and tells where it is. `before` runs before each run, outside the clock.
pub fn measure(
    title: &str,
    session: &Session,
    variants: &[Variant],
    mut before: impl FnMut(&Variant),
) -> Result<Outcome> {
    say(&format!(
        "{title}: {} runs, {} of them for warming up, seed {}",
        (session.blocks + session.warmup_blocks) * variants.len(),
        session.warmup_blocks * variants.len(),
        session.seed
    ));
    let outcome = session.run_with(variants, |progress| before(progress.variant))?;
    for warning in &outcome.warnings {
        say(&format!("warning: {warning}"));
    }
    Ok(outcome)
}

/// One line of progress.
pub fn say(text: &str) {
    eprintln!("==> {text}");
}

/// Size of a file, in bytes.
pub fn size(path: &Path) -> Result<f64> {
    Ok(fs_err::metadata(path)?.len() as f64)
}
