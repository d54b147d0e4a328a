//! Makes the executables, with every compiler for musl at hand.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One executable with its symbols.
pub struct Made {
    /// Compiler and target.
    pub maker: String,
    /// How the labels of its libc's archives begin.
    pub libc: &'static str,
    /// What was compiled, and how.
    pub what: String,
    /// Names of libc that the program defines itself.
    pub own: &'static [&'static str],
    pub file: PathBuf,
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.maker, self.what)
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

const LEVELS: [&str; 4] = ["-O1", "-O2", "-O3", "-Os"];

/// A compiler for C, with what goes before the arguments.
struct Compiler {
    name: &'static str,
    libc: &'static str,
    command: Vec<String>,
    cxx: Option<Vec<String>>,
}

fn compilers(long: bool) -> Vec<Compiler> {
    let mut compilers = Vec::new();
    if Command::new("musl-gcc").arg("--version").output().is_ok_and(|output| output.status.success()) {
        compilers.push(Compiler {
            name: "musl-gcc",
            libc: "debian-",
            command: vec!["musl-gcc".into()],
            cxx: None,
        });
    }
    let zig = repository().join(".tools/zig/ziglang/zig");
    if long && zig.is_file() {
        for (name, target) in [("zig x86_64", "x86_64-linux-musl"), ("zig aarch64", "aarch64-linux-musl")] {
            let with =
                |what: &str| [zig.to_str().unwrap(), what, "-target", target].map(str::to_owned).to_vec();
            compilers.push(Compiler { name, libc: "zig-", command: with("cc"), cxx: Some(with("c++")) });
        }
    }
    compilers
}

/// The ways in which one program is linked; every second one drops what nobody refers to.
const LINKS: [&[&str]; 4] = [
    &["-static"],
    &["-static-pie", "-fPIE"],
    &["-static", "-ffunction-sections", "-Wl,--gc-sections"],
    &["-static-pie", "-fPIE", "-ffunction-sections", "-Wl,--gc-sections"],
];

fn sources(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs_err::read_dir(repository().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

/// All executables of the corpus: a few, or every program with every compiler.
pub fn make(long: bool) -> Vec<Made> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(if long { "corpus" } else { "corpus-quick" });
    fs_err::create_dir_all(&folder).unwrap();
    // Tests have a process each, and share what they make.
    let lock = fs_err::File::create(folder.with_extension("lock")).unwrap();
    lock.file().lock().unwrap();
    let mut made = rust(long, &folder);
    if long {
        made.extend(go(&folder));
    }
    for compiler in compilers(long) {
        let mut programs = sources("tests/libc", "c");
        programs.push(repository().join("tests/strings/text.c"));
        programs.push(repository().join("tests/cxx/runtime.cc"));
        programs.push(repository().join("tests/cxx/unwinding.cc"));
        if !long {
            programs.retain(|path| {
                ["model.c", "containers.c", "locale.c"].iter().any(|name| path.ends_with(name))
            });
        }
        for (at, program) in programs.iter().enumerate() {
            let ways = if long { 2 } else { 1 };
            for way in 0..ways {
                made.extend(compile(&compiler, program, at + way * 5 + at / 4, &folder));
            }
        }
    }
    made
}

/// Compiles one program in the way with this number; nothing where this libc has not all that it needs.
fn compile(compiler: &Compiler, program: &Path, way: usize, folder: &Path) -> Option<Made> {
    let (level, link) = (LEVELS[way % LEVELS.len()], LINKS[way / 2 % LINKS.len()]);
    let cxx = program.extension().is_some_and(|extension| extension == "cc");
    let base = if cxx { compiler.cxx.as_ref()? } else { &compiler.command };
    let name = program.file_name().unwrap().to_str().unwrap();
    let what = format!("{name} {level} {}", link.join(" "));
    let file = folder.join(format!("{}-{what}", compiler.name).replace([' ', '/', ','], "_"));
    if !file.is_file() {
        let mut command = Command::new(&base[0]);
        command.args(&base[1..]).args([level, "-w", "-D_GNU_SOURCE", "-pthread"]).args(link);
        if compiler.libc == "zig-" {
            // Or it drops the symbols with -Os.
            command.arg("-g");
        }
        if !cxx {
            command.args(["-std=gnu11", "-fno-builtin"]);
        }
        if compiler.name == "musl-gcc" && link[0] == "-static-pie" {
            // Its specs know nothing of it.
            command.args(["-static", "-Wl,-pie,--no-dynamic-linker", "-nostartfiles"]);
            command.args(["rcrt1.o", "crti.o", "crtn.o"].map(|file| Path::new(DEBIANS).join(file)));
        }
        let fresh = file.with_extension("fresh");
        let output = command.arg(program).arg("-o").arg(&fresh).arg("-lm").output().unwrap();
        if output.status.success() {
            fs_err::rename(&fresh, &file).unwrap();
        } else {
            eprintln!(
                "left out: {} {what}: {}",
                compiler.name,
                String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default()
            );
            return None;
        }
    }
    let own = if name == "shadow.c" || name == "one_heap.c" { OWN } else { &[] };
    Some(Made { maker: compiler.name.to_owned(), libc: compiler.libc, what, own, file })
}

/// A Go program with C in it, linked by the distribution's compiler for musl.
fn go(folder: &Path) -> Vec<Made> {
    let mut made = Vec::new();
    for level in LEVELS {
        for (link, mode) in [("-static", "exe"), ("-static-pie", "pie")] {
            let what = format!("go-cgo {level} {link}");
            let file = folder.join(format!("musl-gcc-{what}").replace(' ', "_"));
            if !file.is_file() {
                let fresh = file.with_extension("fresh");
                let pie = format!(
                    "-static -Wl,-pie,--no-dynamic-linker -nostartfiles {DEBIANS}/rcrt1.o {DEBIANS}/crti.o {DEBIANS}/crtn.o"
                );
                let external = if mode == "pie" { &pie } else { link };
                let mut build = Command::new("go");
                build.args(["build", "-buildmode", mode, "-ldflags"]);
                build.arg(format!("-linkmode external -extldflags \"{external}\"")).arg("-o").arg(&fresh);
                let set = [
                    ("CGO_ENABLED", "1"),
                    ("CC", "musl-gcc"),
                    ("CGO_CFLAGS", level),
                    ("GOFLAGS", "-mod=mod"),
                ];
                let output = build.envs(set).current_dir(repository().join("examples/go-cgo")).output();
                let Ok(output) = output else { break };
                if !output.status.success() {
                    eprintln!("left out: {what}: {}", String::from_utf8_lossy(&output.stderr));
                    continue;
                }
                fs_err::rename(&fresh, &file).unwrap();
            }
            made.push(Made { maker: "go, musl-gcc".to_owned(), libc: "debian-", what, own: &[], file });
        }
    }
    made
}

const DEBIANS: &str = "/usr/lib/x86_64-linux-musl";

const OWN: &[&str] = &["malloc", "free", "calloc", "realloc"];

/// What Rust programs need of libc differs with what they do.
const RUST: &[(&str, &str)] = &[
    ("hello", "fn main() { println!(\"{:?}\", std::env::args().collect::<Vec<_>>()); }"),
    (
        "threads",
        "use std::sync::mpsc; fn main() { let (to, from) = mpsc::channel(); for i in 0..4 { let to = to.clone(); \
         std::thread::spawn(move || to.send(format!(\"{i}\")).unwrap()); } drop(to); \
         let mut all: Vec<String> = from.iter().collect(); all.sort(); println!(\"{}\", all.join(\" \")); }",
    ),
    (
        "system",
        "use std::{collections::BTreeMap, fs, io::Write, net::ToSocketAddrs, process::Command}; fn main() { \
         let mut m = BTreeMap::new(); for e in fs::read_dir(\"/\").unwrap() { let e = e.unwrap(); \
         m.insert(e.file_name(), e.metadata().map(|m| m.len()).ok()); } println!(\"{m:?}\"); \
         println!(\"{:?}\", Command::new(\"true\").status()); println!(\"{:?}\", \"localhost:80\".to_socket_addrs().map(Vec::from_iter)); \
         let mut f = fs::File::create(\"/dev/null\").unwrap(); writeln!(f, \"{:?}\", std::time::SystemTime::now()).unwrap(); \
         println!(\"{:?} {:?}\", fs::canonicalize(\".\"), std::env::current_dir()); }",
    ),
    (
        "aligned",
        "#[repr(align(256))] struct Wide([u8; 256]); fn main() { let all: Vec<Box<Wide>> = \
         (0..std::env::args().count() as u8).map(|i| Box::new(Wide([i; 256]))).collect(); \
         let zeros = vec![0u64; all.len() * 1000]; let mut text = String::new(); \
         for one in &all { text.push_str(&one.0[0].to_string()); } println!(\"{text} {}\", zeros.len()); }",
    ),
];

const RUST_WAYS: [&[&str]; 5] = [
    &["-Copt-level=3"],
    &["-Copt-level=1", "-Crelocation-model=static"],
    &["-Copt-level=s", "-Clto=fat"],
    &["-Copt-level=2", "-Cpanic=abort", "-Clto=fat", "-Ccodegen-units=1"],
    &["-Copt-level=z", "-Crelocation-model=static"],
];

/// Rust programs of every toolchain that is installed, for every musl target that it has.
fn rust(long: bool, folder: &Path) -> Vec<Made> {
    let home = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")));
    let Some(toolchains) = home.and_then(|home| fs_err::read_dir(home.join("toolchains")).ok()) else {
        return Vec::new();
    };
    let mut toolchains: Vec<PathBuf> = toolchains.map(|entry| entry.unwrap().path()).collect();
    toolchains.sort();
    let mut made = Vec::new();
    for toolchain in toolchains {
        for arch in ["x86_64", "aarch64"] {
            let target = format!("{arch}-unknown-linux-musl");
            if !toolchain.join("lib/rustlib").join(&target).is_dir() {
                continue;
            }
            let version =
                toolchain.file_name().unwrap().to_str().unwrap().split('-').next().unwrap().to_owned();
            let programs = if long { RUST } else { &RUST[3..] };
            for (at, (name, source)) in programs.iter().enumerate() {
                for way in 0..if long { 2 } else { 1 } {
                    let flags = RUST_WAYS[(at + way * 2) % RUST_WAYS.len()];
                    let what = format!("{name}.rs {}", flags.join(" "));
                    let file =
                        folder.join(format!("rust-{version}-{arch}-{what}").replace([' ', '/', ','], "_"));
                    if !file.is_file() {
                        let (input, fresh) =
                            (folder.join(format!("{name}.rs")), file.with_extension("fresh"));
                        fs_err::write(&input, source).unwrap();
                        let mut rustc = Command::new(toolchain.join("bin/rustc"));
                        rustc.args(["--edition=2021", "--target", &target, "-Cstrip=none"]).args(flags);
                        if arch != std::env::consts::ARCH {
                            rustc.arg("-Clinker=rust-lld");
                        }
                        let output = rustc.arg(&input).arg("-o").arg(&fresh).output().unwrap();
                        assert!(
                            output.status.success(),
                            "{what}: {}",
                            String::from_utf8_lossy(&output.stderr)
                        );
                        fs_err::rename(&fresh, &file).unwrap();
                    }
                    made.push(Made {
                        maker: format!("rust {version} {arch}"),
                        libc: "rust-",
                        what,
                        own: &[],
                        file,
                    });
                }
            }
            if !long {
                break;
            }
        }
    }
    made
}
