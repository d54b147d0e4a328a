//! Compiles each program once per architecture; every libc and allocator links the same object.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use brawn_elf::Arch;

use crate::once::OnceMap;

/// Warnings are errors; no builtin, or the compiler removes pairs of malloc and free; position independent, so
/// that both kinds of static executables can be linked.
const FLAGS: &[&str] =
    &["-std=c11", "-O1", "-D_GNU_SOURCE", "-fno-builtin", "-fPIE", "-pthread", "-Wall", "-Wextra", "-Werror"];

/// What an object is made of.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Source {
    pub arch: Arch,
    /// The C file, seen from `tests/libc`.
    pub file: String,
    /// One more argument for the compiler.
    pub define: Option<String>,
}

impl Source {
    /// A program as it is.
    pub fn plain(arch: Arch, file: &str) -> Source {
        Source { arch, file: file.to_owned(), define: None }
    }
}

/// The objects made so far.
pub struct Objects {
    root: PathBuf,
    scratch: PathBuf,
    made: OnceMap<Source, PathBuf>,
    compilers: OnceMap<Arch, Vec<String>>,
}

impl Objects {
    /// Keeps the objects in a folder of `scratch`.
    pub fn new(root: PathBuf, scratch: PathBuf) -> Objects {
        Objects { root, scratch, made: OnceMap::default(), compilers: OnceMap::default() }
    }

    /// The object of a source, compiled now if this is the first one to ask.
    pub fn get(&self, source: &Source) -> Result<PathBuf, String> {
        self.made.get(source.clone(), || self.compile(source))
    }

    fn compile(&self, Source { arch, file, define }: &Source) -> Result<PathBuf, String> {
        let folder = self.scratch.join("objects").join(arch.name());
        fs_err::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let name = file.replace('/', "-") + define.as_deref().unwrap_or_default();
        let object = folder.join(name + ".o");
        let compiler = self.compilers.get(*arch, || find(&self.root, *arch))?;
        // In the programs' folder, so that a failing check names `model.c:12` and nothing of this machine.
        let output = Command::new(&compiler[0])
            .args(&compiler[1..])
            .args(FLAGS)
            .args(define)
            .args(["-c", file, "-o"])
            .arg(&object)
            .current_dir(self.root.join("tests/libc"))
            .env("ZIG_GLOBAL_CACHE_DIR", self.scratch.join("zig-cache"))
            .env("ZIG_LOCAL_CACHE_DIR", self.scratch.join("zig-cache"))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}", compiler[0]))?;
        if output.status.success() {
            Ok(object)
        } else {
            Err(format!("{file} does not compile:\n{}", String::from_utf8_lossy(&output.stderr)))
        }
    }
}

/// The C compiler for an architecture, looked for where the kit's build script looks.
fn find(root: &Path, arch: Arch) -> Result<Vec<String>, String> {
    let triple = format!("{}-linux-musl", arch.name());
    let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for variable in [format!("BRAWN_KIT_CC_{}", arch.name()), "BRAWN_KIT_CC".to_owned()] {
        if let Ok(command) = std::env::var(&variable)
            && !command.trim().is_empty()
        {
            return Ok(words(command));
        }
    }
    let zig = root.join(".tools/zig/ziglang/zig").display().to_string();
    let zig_options = format!("cc -target {triple} -fno-sanitize=undefined");
    let mut candidates = vec![[vec![zig], words(zig_options.clone())].concat()];
    candidates.push(words(format!("zig {zig_options}")));
    if Arch::host() == Some(arch) {
        candidates.push(words("musl-gcc".to_owned()));
    }
    candidates.push(words(format!("{triple}-gcc")));
    candidates
        .into_iter()
        .find(|command| {
            let mut probe = Command::new(&command[0]);
            probe.args(command[1..].iter().take(1)).arg("--version");
            probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            probe.status().is_ok_and(|status| status.success())
        })
        .ok_or_else(|| format!("no C compiler for {triple}; `make setup` installs one"))
}
