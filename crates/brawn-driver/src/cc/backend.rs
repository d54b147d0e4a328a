//! The compilers that `brawn cc` and `brawn c++` can drive.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;
use serde::{Deserialize, Serialize};

use super::command_line::CommandLine;
use super::memory::remembered;
use crate::toolchain::{display, on_path, query};
use crate::{Error, vars};

/// What a compiler compiles, and what is linked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C: the C library alone.
    C,
    /// C++: its runtime as well.
    Cxx,
}

impl Language {
    /// The name by which Brawn is called as this compiler: `brawn cc`, `brawn c++`.
    pub fn command(self) -> &'static str {
        match self {
            Language::C => "cc",
            Language::Cxx => "c++",
        }
    }

    fn variable(self) -> &'static str {
        match self {
            Language::C => vars::CC,
            Language::Cxx => vars::CXX,
        }
    }

    /// What GCC's compiler for this language is called, behind a target's triple.
    fn gcc(self) -> &'static str {
        match self {
            Language::C => "gcc",
            Language::Cxx => "g++",
        }
    }
}

/// A C or C++ compiler for musl.
pub struct Backend {
    command: Vec<String>,
    arch: Arch,
    language: Language,
    kind: Kind,
}

enum Kind {
    /// GCC or clang, whose own link line shows the facts.
    Driver,
    /// zig, which brings its own musl.
    Zig,
}

/// A link in a linker's words.
pub(super) struct LinkLine {
    pub linker: Vec<String>,
    pub args: Vec<String>,
    pub libc: PathBuf,
}

/// What a compiler driver would link with.
struct DriverFacts {
    libc: PathBuf,
    start: PathBuf,
    begin: Option<PathBuf>,
    end: Option<PathBuf>,
    /// The libraries (`-lgcc`, `-lc`, …) that it would add by itself.
    libraries: Vec<String>,
    default_pie: bool,
}

/// What zig would link with, in one mode.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ZigFacts {
    start: PathBuf,
    /// What stands before libc.a: C++'s runtime.
    before: Vec<PathBuf>,
    libc: PathBuf,
    /// What stands behind libc.a: zig's own part of the C library, and the compiler's runtime.
    after: Vec<PathBuf>,
    emulation: String,
}

impl Backend {
    /// Finds a compiler: the one that `BRAWN_CC` or `BRAWN_CXX` names, the distribution's, a cross compiler, zig.
    pub fn find(arch: Arch, language: Language) -> Result<Backend, Error> {
        let native = Arch::host() == Some(arch);
        let mut tried = Vec::new();
        if let Some(text) = vars::get(language.variable()) {
            let command: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            return Backend::from_command(command, arch, language);
        }
        let (compiler, gcc) = (language.command(), language.gcc());
        let mut candidates = Vec::new();
        if native && compiles_for_musl(compiler) {
            candidates.push(compiler.to_owned());
        }
        // There is no musl-g++: the wrapper would find glibc's C++ library.
        if native && language == Language::C {
            candidates.push("musl-gcc".to_owned());
        }
        candidates.push(format!("{arch}-linux-musl-{gcc}"));
        candidates.push(format!("{arch}-unknown-linux-musl-{gcc}"));
        for name in candidates {
            if on_path(&name).is_some() {
                return Backend::from_command(vec![name], arch, language);
            }
            tried.push(name);
        }
        if let Some(zig) = zig() {
            let target = format!("{arch}-linux-musl");
            let command = [zig.as_str(), compiler, "-target", &target].map(str::to_owned).to_vec();
            return Ok(Backend { command, arch, language, kind: Kind::Zig });
        }
        tried.push("zig".to_owned());
        Err(Error::NoCompiler { language, triple: arch.musl_triple().to_owned(), tried })
    }

    fn from_command(mut command: Vec<String>, arch: Arch, language: Language) -> Result<Backend, Error> {
        let is_zig = |word: &String| {
            Path::new(word).file_name().is_some_and(|name| name == "zig" || name == "ziglang")
        };
        if command.iter().any(is_zig) {
            // zig compiles for everything: without a target in the command, one command serves all architectures.
            if !command.iter().any(|word| word.trim_start_matches('-').starts_with("target")) {
                command.extend(["-target".to_owned(), format!("{arch}-linux-musl")]);
            }
            return Ok(Backend { command, arch, language, kind: Kind::Zig });
        }
        let backend = Backend { command, arch, language, kind: Kind::Driver };
        // Whoever only compiles needs to know no more than that it is for musl.
        let ask = || Ok(backend.driver_facts()?.libc);
        remembered("libc", &backend.command, |libc: &PathBuf| libc.exists(), ask)?;
        Ok(backend)
    }

    fn driver_facts(&self) -> Result<DriverFacts, Error> {
        driver_facts(&self.command)?.ok_or_else(|| Error::Unsupported {
            what: format!("{} does not compile for musl", self.command.join(" ")),
            hint: format!("set {} to a compiler whose C library is musl", self.language.variable()),
        })
    }

    /// Program and fixed arguments.
    pub fn command(&self) -> &[String] {
        &self.command
    }

    /// Options that go before the user's own when compiling.
    pub(super) fn compile_flags(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::Driver => &[],
            // Without -O, zig adds a sanitizer whose runtime it links itself; nobody asked for it here.
            // And for a static target it compiles for a fixed address, where a static-pie is linked by default.
            Kind::Zig => &["-fno-sanitize=undefined", "-fPIE"],
        }
    }

    /// Whether an argument makes sense to this compiler. Build systems that know the target repeat it in their own
    /// spelling, which zig, being told already, does not understand.
    pub(super) fn takes(&self, arg: &str) -> bool {
        match self.kind {
            Kind::Driver => true,
            Kind::Zig => !arg.starts_with("--target="),
        }
    }

    /// The `libc.a` of the distribution that the compiler belongs to.
    pub fn system_libc(&self) -> Result<PathBuf, Error> {
        match &self.kind {
            Kind::Driver => Ok(self.driver_facts()?.libc),
            Kind::Zig => Err(Error::Unsupported {
                what: format!(
                    "no musl of the system for {}: the only C compiler is zig, which makes its own",
                    self.arch
                ),
                hint: "install the distribution's musl, or give the path of a libc.a".into(),
            }),
        }
    }

    /// The linker, its arguments for `line`, and the `libc.a` among them.
    pub(super) fn link_line(&self, line: &CommandLine) -> Result<LinkLine, Error> {
        match &self.kind {
            Kind::Driver => {
                let facts = self.driver_facts()?;
                let args = driver_line(&facts, line, line.is_pie(facts.default_pie));
                Ok(LinkLine { linker: self.command.clone(), args, libc: facts.libc })
            }
            Kind::Zig => {
                let pie = line.is_pie(true);
                let facts = self.zig_facts(pie)?;
                let compiler = |word: &String| word == "cc" || word == "c++";
                let zig = &self.command[..self.command.iter().position(compiler).unwrap_or(1)];
                let linker = zig.iter().cloned().chain(["ld.lld".to_owned()]).collect();
                Ok(LinkLine { linker, args: zig_line(&facts, line, pie)?, libc: facts.libc })
            }
        }
    }

    /// C++'s runtime, if it is zig's, for links that another compiler does: its archives in their order.
    pub(crate) fn cxx_runtime(&self) -> Result<Vec<PathBuf>, Error> {
        match &self.kind {
            Kind::Driver => Ok(Vec::new()),
            Kind::Zig => Ok(self.zig_facts(true)?.before),
        }
    }

    /// Whether the compiler links an unwinder that was made for musl. What `musl-gcc` finds is made for the glibc of the
    /// compiler behind it, and zig links none for C.
    pub(crate) fn brings_unwinder(&self) -> bool {
        match self.kind {
            Kind::Driver => compiles_for_musl(&self.command[0]),
            Kind::Zig => self.language == Language::Cxx,
        }
    }

    /// What zig would link with: it is asked by linking an empty program.
    fn zig_facts(&self, pie: bool) -> Result<ZigFacts, Error> {
        let holds = |facts: &ZigFacts| {
            let archives = facts.before.iter().chain(&facts.after);
            archives.chain([&facts.libc, &facts.start]).all(|path| path.exists())
        };
        let question = if pie { "a static-pie link" } else { "a static link" };
        remembered(question, &self.command, holds, || self.ask_zig(pie))
    }

    fn ask_zig(&self, pie: bool) -> Result<ZigFacts, Error> {
        let scratch = tempfile::Builder::new().prefix("brawn-zig-").tempdir()?;
        let source = if self.language == Language::C { "empty.c" } else { "empty.cc" };
        fs_err::write(scratch.path().join(source), "int main() { return 0; }\n")?;
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).args(["-fno-sanitize=undefined", "-static", "-v"]);
        if pie {
            command.arg("-pie");
        }
        command.args([source, "-o", "empty"]).current_dir(scratch.path());
        let output =
            command.output().map_err(|source| Error::Spawn { program: self.command[0].clone(), source })?;
        let text = String::from_utf8_lossy(&output.stderr);
        let facts = text.lines().rev().find(|line| line.starts_with("ld.lld ") && line.contains("libc.a"));
        facts.and_then(zig_facts_from).ok_or_else(|| Error::Query {
            command: display(&command),
            stderr: text.lines().last().unwrap_or_default().to_owned(),
        })
    }
}

fn zig_facts_from(line: &str) -> Option<ZigFacts> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let libc = words.iter().position(|word| word.ends_with("/libc.a"))?;
    let start = words.iter().find(|word| word.ends_with("crt1.o"))?;
    let emulation = words.iter().position(|word| *word == "-m").and_then(|index| words.get(index + 1))?;
    let archives =
        |words: &[&str]| words.iter().filter(|word| word.ends_with(".a")).map(PathBuf::from).collect();
    Some(ZigFacts {
        start: start.into(),
        before: archives(&words[..libc]),
        libc: words[libc].into(),
        after: archives(&words[libc + 1..]),
        emulation: (*emulation).to_owned(),
    })
}

/// zig by the variable, on PATH, or as the Python package that carries it.
pub(crate) fn zig() -> Option<String> {
    if let Some(path) = vars::get(vars::ZIG) {
        return Some(path);
    }
    if let Some(path) = on_path("zig").or_else(|| on_path("python-zig")) {
        return Some(path.display().to_string());
    }
    let question =
        "import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'), end='')";
    let python = ["python3", "-c", question].map(str::to_owned);
    let ask = || query(Command::new(&python[0]).args(&python[1..]));
    remembered("zig", &python, |path| Path::new(path).exists(), ask).ok()
}

fn compiles_for_musl(compiler: &str) -> bool {
    let ask = || query(Command::new(compiler).arg("-dumpmachine"));
    remembered("target", &[compiler.to_owned()], |_| true, ask)
        .is_ok_and(|triple| triple.trim().ends_with("-musl"))
}

/// The `libc.a` that a compiler driver would link by itself.
pub fn default_libc(command: &[String]) -> Result<Option<PathBuf>, Error> {
    Ok(driver_facts(command)?.map(|facts| facts.libc))
}

/// Has the driver say what it would do with an empty program. `None` if there is no musl on its line.
fn driver_facts(command: &[String]) -> Result<Option<DriverFacts>, Error> {
    let mut dry = Command::new(&command[0]);
    dry.args(&command[1..]).args(["-###", "-x", "c", "/dev/null"]).env("LC_ALL", "C");
    let output = dry.output().map_err(|source| Error::Spawn { program: command[0].clone(), source })?;
    let text = String::from_utf8_lossy(&output.stderr);
    let Some(line) = text.lines().rev().find(|line| line.contains("crti.o")) else { return Ok(None) };
    let words: Vec<String> = line.split_whitespace().map(|word| word.trim_matches('"').to_owned()).collect();
    let file = |name: &[&str]| {
        words
            .iter()
            .map(PathBuf::from)
            .find(|path| path.file_name().is_some_and(|file| name.iter().any(|name| file == *name)))
    };
    let crti = file(&["crti.o"]).expect("the line was chosen by it");
    let start = crti.parent().unwrap_or(Path::new(".")).to_owned();
    let libc = start.join("libc.a");
    Ok(is_musl(&libc).then(|| DriverFacts {
        libc,
        start,
        begin: file(&["crtbeginS.o", "crtbegin.o", "crtbeginT.o"]),
        end: file(&["crtendS.o", "crtend.o"]),
        libraries: static_libraries(&words),
        default_pie: words.iter().any(|word| word == "-pie"),
    }))
}

/// Whether this is a `libc.a`, and not glibc's.
pub fn is_musl(libc: &Path) -> bool {
    libc.is_file()
        && brawn_base::file::archive(libc).is_ok_and(|bytes| {
            brawn_libc::archive::Archive::parse(libc, &bytes)
                .is_ok_and(|archive| !archive.mentions("gnu_get_libc_version"))
        })
}

/// The libraries on a driver's own line, each once, as a static executable needs them.
fn static_libraries(words: &[String]) -> Vec<String> {
    let mut libraries: Vec<String> = Vec::new();
    // By name, or as musl-gcc's wrapper names GCC's own: by path.
    let is_library = |word: &&String| {
        word.starts_with("-l") && *word != "-lgcc_s" || word.starts_with('/') && word.ends_with(".a")
    };
    for word in words.iter().filter(is_library) {
        if !libraries.contains(word) {
            libraries.push(word.clone());
        }
    }
    // A dynamic executable has the second part of GCC's runtime from a shared library.
    if let Some(index) = libraries.iter().position(|word| word == "-lgcc")
        && !libraries.iter().any(|word| word == "-lgcc_eh")
    {
        libraries.insert(index + 1, "-lgcc_eh".to_owned());
    }
    libraries
}

/// The start files are named here, because a driver that does not know `-static-pie` takes the wrong ones.
fn driver_line(facts: &DriverFacts, line: &CommandLine, pie: bool) -> Vec<String> {
    let start = |name: &str| facts.start.join(name).display().to_string();
    let file = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let mut args: Vec<String> = vec!["-nostartfiles".into(), "-nodefaultlibs".into(), "-static".into()];
    if pie {
        args.push("-Wl,-pie,--no-dynamic-linker,-z,text".into());
        args.push(start("rcrt1.o"));
    } else {
        args.push("-no-pie".into());
        args.push("-Wl,-no-pie".into());
        args.push(start("crt1.o"));
    }
    args.push(start("crti.o"));
    args.extend(file(&facts.begin));
    args.extend(line.link_args().cloned());
    // Before the end file, which ends the tables of whoever unwinds the stack: nothing may stand behind it.
    args.push(LIBRARIES.into());
    args.extend(facts.libraries.iter().cloned());
    args.push("-Wl,--end-group".into());
    args.extend(file(&facts.end));
    args.push(start("crtn.o"));
    args
}

/// A compiler's link line in a linker's words.
fn zig_line(facts: &ZigFacts, line: &CommandLine, pie: bool) -> Result<Vec<String>, Error> {
    let mut args: Vec<String> =
        ["--entry", "_start", "--eh-frame-hdr", "-z", "now", "-z", "relro", "-m"].map(str::to_owned).to_vec();
    args.push(facts.emulation.clone());
    args.push("-static".into());
    if pie {
        args.extend(["-pie", "--no-dynamic-linker", "-z", "text"].map(str::to_owned));
    }
    args.push(facts.start.display().to_string());
    let cxx = !facts.before.is_empty();
    let provided = |library: &str| IN_LIBC.contains(&library) || cxx && IN_CXX.contains(&library);
    let mut rest = line.link_args();
    let mut output = false;
    while let Some(arg) = rest.next() {
        let mut next = || rest.next().cloned().unwrap_or_default();
        if let Some(words) = arg.strip_prefix("-Wl,") {
            args.extend(words.split(',').map(str::to_owned));
        } else if arg == "-Xlinker" {
            args.push(next());
        } else if ["-L", "-l", "-T", "-u", "-z", "-e", "-o"].contains(&arg.as_str()) {
            output |= arg == "-o";
            let value = next();
            if arg != "-l" || !provided(&value) {
                args.extend([arg.clone(), value]);
            }
        } else if let Some(library) = arg.strip_prefix("-l") {
            if !provided(library) {
                args.push(arg.clone());
            }
        } else if arg == "-s" || arg == "-rdynamic" || arg.starts_with("-L") || arg.starts_with("-o") {
            output |= arg.starts_with("-o");
            args.push(if arg == "-rdynamic" { "--export-dynamic".into() } else { arg.clone() });
        } else if !arg.starts_with('-') {
            args.push(arg.clone());
        }
        // Every other option concerns compiling.
    }
    if !output {
        args.extend(["-o", "a.out"].map(str::to_owned));
    }
    args.extend(facts.before.iter().map(|path| path.display().to_string()));
    args.push(facts.libc.display().to_string());
    args.extend(facts.after.iter().map(|path| path.display().to_string()));
    Ok(args)
}

/// What stands before a driver's own libraries.
pub(crate) const LIBRARIES: &str = "-Wl,--start-group";

/// Libraries that other systems have and that musl keeps in `libc.a`.
const IN_LIBC: &[&str] = &["c", "m", "pthread", "rt", "dl", "util", "resolv", "crypt", "xnet"];

/// Libraries in whose place zig's C++ runtime stands, whatever a build system calls it.
const IN_CXX: &[&str] = &["stdc++", "supc++", "c++", "c++abi", "unwind", "gcc", "gcc_eh", "gcc_s"];

#[cfg(test)]
mod tests {
    use super::*;

    fn libraries(line: &str) -> String {
        static_libraries(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).join(" ")
    }

    #[test]
    fn zig_is_told_the_target_unless_its_command_has_one() {
        let command = |text: &str| {
            let words = text.split_whitespace().map(str::to_owned).collect();
            Backend::from_command(words, Arch::Aarch64, Language::C).unwrap().command().join(" ")
        };
        assert_eq!(command("/opt/zig cc"), "/opt/zig cc -target aarch64-linux-musl");
        assert_eq!(command("python3 -m ziglang cc"), "python3 -m ziglang cc -target aarch64-linux-musl");
        for own in ["zig cc -target aarch64-linux-musl -O1", "zig cc --target=aarch64-linux-musl.1.2.4"] {
            assert_eq!(command(own), own);
        }
    }

    #[test]
    fn a_drivers_own_libraries_are_kept_as_a_static_executable_needs_them() {
        let alpine = "-pie Scrt1.o x.o -lssp_nonshared -lstdc++ -lm -lgcc --push-state -lgcc_s -lc -lgcc -lgcc_s crtn.o";
        assert_eq!(libraries(alpine), "-lssp_nonshared -lstdc++ -lm -lgcc -lgcc_eh -lc");
        let wrapper =
            "-plugin-opt=-pass-through=/g/libgcc.a x.o /g/libgcc.a /g/libgcc_eh.a -lc /g/libgcc.a crtn.o";
        assert_eq!(libraries(wrapper), "/g/libgcc.a /g/libgcc_eh.a -lc");
    }
}
