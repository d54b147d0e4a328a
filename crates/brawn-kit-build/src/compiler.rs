//! Finds a C compiler that makes objects for musl.

use crate::arches::Arch;
use anyhow::{Result, anyhow};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A C compiler and how to start it.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The program and its leading arguments.
    pub argv: Vec<String>,
    /// What it says about itself: name and version, without any path.
    pub identity: String,
    /// Whether it is clang, by itself or inside zig.
    pub is_clang: bool,
    /// Flags that only this kind of compiler takes.
    pub flags: Vec<&'static str>,
}

impl Compiler {
    /// The command that links objects to a shared library with nothing but these, up to the linker's own options, and
    /// whether those must be marked as such.
    ///
    /// zig's `cc` knows few of a linker's options; the linker inside it knows them all.
    pub fn linker(&self) -> (Vec<String>, bool) {
        match self.argv.iter().position(|word| word == "cc") {
            Some(at) if self.identity.starts_with("zig ") => {
                let zig = self.argv[..at].iter().cloned();
                (zig.chain(["ld.lld".to_owned(), "-shared".to_owned()]).collect(), false)
            }
            _ => {
                let driver = self.argv.iter().cloned();
                (driver.chain(["-shared".to_owned(), "-nostdlib".to_owned()]).collect(), true)
            }
        }
    }
}

/// The environment variables that choose the compiler for this architecture, the most specific first.
pub fn variables(arch: &Arch) -> [String; 2] {
    [format!("BRAWN_KIT_CC_{}", arch.name), "BRAWN_KIT_CC".to_owned()]
}

/// Finds a compiler for this architecture.
///
/// A variable of the user decides. Otherwise zig comes first, because one zig makes the objects of every
/// architecture, and the same bytes on every machine; then what the distribution has.
pub fn find(root: &Path, arch: &Arch, host_arch: &str) -> Result<Compiler> {
    for variable in variables(arch) {
        if let Ok(command) = env::var(&variable)
            && !command.trim().is_empty()
        {
            return named(&command, arch)
                .map_err(|reason| anyhow!("{variable} names `{command}`, which does not work: {reason}"));
        }
    }
    let mut tried = Vec::new();
    for (argv, zig) in candidates(root, arch, host_arch) {
        match probe(argv.clone(), zig, arch) {
            Ok(compiler) => return Ok(compiler),
            Err(_) => tried.push(format!("`{}`", argv.join(" "))),
        }
    }
    let (arch, tried) = (arch.name, tried.join(", "));
    Err(anyhow!(
        "no C compiler for {arch}-linux-musl was found\n\
         hint: `make setup` installs one; or set BRAWN_KIT_CC_{arch} (or BRAWN_KIT_CC) to a command that compiles C \
         for musl, such as `zig cc -target {arch}-linux-musl`\n\
         note: looked for {tried}"
    ))
}

/// The compiler that a command starts.
pub(crate) fn named(command: &str, arch: &Arch) -> Result<Compiler, String> {
    let argv: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let zig = is_zig(&argv);
    probe(argv, zig, arch)
}

/// The zig executable of the `ziglang` package, in the private folder into which `make setup` installs it.
pub fn private_zig(root: &Path) -> PathBuf {
    root.join(".tools/zig/ziglang/zig")
}

fn candidates(root: &Path, arch: &Arch, host_arch: &str) -> Vec<(Vec<String>, bool)> {
    let triple = format!("{}-linux-musl", arch.name);
    let zig = |start: &[&str]| {
        let mut argv: Vec<String> = start.iter().map(|word| (*word).to_owned()).collect();
        argv.extend(["cc".to_owned(), "-target".to_owned(), triple.clone()]);
        (argv, true)
    };
    let plain = |words: &[&str]| (words.iter().map(|word| (*word).to_owned()).collect(), false);
    let mut list =
        vec![zig(&[&private_zig(root).to_string_lossy()]), zig(&["zig"]), zig(&["python3", "-m", "ziglang"])];
    if arch.name == host_arch {
        list.push(plain(&["musl-gcc"]));
    }
    list.push(plain(&[&format!("{triple}-gcc")]));
    list.push(plain(&["clang", &format!("--target={triple}")]));
    list
}

fn is_zig(argv: &[String]) -> bool {
    argv.iter().any(|word| word == "ziglang" || Path::new(word).file_name().is_some_and(|name| name == "zig"))
}

/// Asks the compiler what it is, and whether it really has musl's headers.
fn probe(argv: Vec<String>, zig: bool, arch: &Arch) -> Result<Compiler, String> {
    let ask = |arguments: &[&str]| -> Result<(String, String), String> {
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]).args(arguments).stdin(std::process::Stdio::null());
        let output = command.output().map_err(|error| error.to_string())?;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok((stdout, stderr)) } else { Err(stderr.trim().to_owned()) }
    };
    let (version, _) = ask(&["--version"])?;
    let first = version.lines().next().unwrap_or_default();
    let clang = first.contains("clang");
    let identity = if zig {
        let mut command = Command::new(&argv[0]);
        command.args(argv[1..].iter().take_while(|word| *word != "cc")).arg("version");
        let output = command.output().map_err(|error| error.to_string())?;
        let zig_version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        // clang's own line names the folder of its sources; its version is enough.
        let clang_version = first.split_whitespace().nth(2).unwrap_or_default();
        format!("zig {zig_version} (clang {clang_version})")
    } else {
        first.to_owned()
    };
    let mut flags = Vec::new();
    if zig {
        // zig has names of its own for processors, and turns a sanitizer on unless told otherwise.
        flags.extend(["-mcpu=baseline", "-fno-sanitize=undefined"]);
    } else {
        flags.push(arch.baseline);
    }
    if clang {
        // Sections of this type cannot be rewritten, and only help linkers to fold identical functions.
        flags.push("-fno-addrsig");
        // Where code that several functions share is called, the return address waits in a register that no table names.
        flags.push("-mno-outline");
    }
    Ok(Compiler { argv, identity, is_clang: clang, flags })
}
