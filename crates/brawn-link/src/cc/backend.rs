//! The compilers that `brawn cc` and `brawn c++` can drive.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_base::Asked;
use brawn_elf::Arch;
use serde::{Deserialize, Serialize};

use super::command_line::CommandLine;
use super::language::{IN_LIBC, Language};
use super::memory::remembered;
use super::probe;
use super::zig::{self, zig};
use crate::toolchain::{display, on_path, query};
use crate::{Error, vars};

/// A C or C++ compiler for musl.
pub struct Backend {
    command: Vec<String>,
    arch: Arch,
    language: Language,
    kind: Kind,
}

enum Kind {
    /// GCC or clang, whose own link line shows the facts, and the `libc.a` that was seen to be musl's.
    Driver { libc: Option<PathBuf> },
    /// zig, which brings its own musl, and the program that it is.
    Zig { program: PathBuf },
}

/// What asking a command has brought to light.
#[derive(Serialize, Deserialize)]
struct Known {
    /// The command, with the target that it has to be told.
    command: Vec<String>,
    zig: Option<PathBuf>,
    libc: Option<PathBuf>,
}

impl Known {
    /// Without this file the answer does not hold any more.
    fn program(&self) -> &Path {
        self.zig.as_deref().or(self.libc.as_deref()).unwrap_or(Path::new(""))
    }
}

/// A link in a linker's words.
pub(super) struct LinkLine {
    pub linker: Vec<String>,
    pub args: Vec<String>,
    pub libc: PathBuf,
}

/// What a compiler driver would link with.
#[derive(Serialize, Deserialize)]
struct DriverFacts {
    libc: PathBuf,
    start: PathBuf,
    begin: Option<PathBuf>,
    end: Option<PathBuf>,
    /// The libraries (`-lgcc`, `-lc`, …) that it would add by itself.
    libraries: Vec<String>,
    default_pie: bool,
}

impl DriverFacts {
    /// Whether the files are still there: a driver may be a script that stays as it is when its compiler changes.
    fn hold(&self) -> bool {
        let named = [&self.begin, &self.end].into_iter().flatten();
        let libraries = self.libraries.iter().filter(|word| word.starts_with('/')).map(Path::new);
        let mut files = named.map(PathBuf::as_path).chain(libraries).chain([self.libc.as_path()]);
        files.all(Path::is_file)
    }
}

/// What a driver reads of its surroundings when it looks for its files; `musl-gcc` reads the first.
const SURROUNDINGS: [&str; 4] = ["REALGCC", "GCC_EXEC_PREFIX", "COMPILER_PATH", "LIBRARY_PATH"];

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
        // On a musl distribution the compiler by the plain name is the one.
        if native {
            match machine(&[compiler.to_owned()]) {
                Ok(triple) if is_for_musl(&triple) => candidates.push(compiler.to_owned()),
                Ok(triple) => tried.push(Asked::new(compiler, format!("compiles for {triple}"))),
                Err(error) => tried.push(Asked::new(compiler, error.to_string())),
            }
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
            tried.push(Asked::new(name, "not on PATH"));
        }
        if let Some(zig) = zig() {
            return Backend::from_command(vec![zig, compiler.to_owned()], arch, language);
        }
        tried.push(Asked::new("zig", "neither on PATH nor a package of python3"));
        Err(Error::NoCompiler { language, triple: arch.musl_triple().to_owned(), tried })
    }

    fn from_command(command: Vec<String>, arch: Arch, language: Language) -> Result<Backend, Error> {
        let question = format!("a compiler of {} for musl on {arch}", language.command());
        let there = |known: &Known| known.program().exists();
        let Known { command, zig, libc } =
            remembered(&question, &command, there, || known(&command, arch, language))?;
        let kind = zig.map_or(Kind::Driver { libc }, |program| Kind::Zig { program });
        Ok(Backend { command, arch, language, kind })
    }

    fn driver_facts(&self) -> Result<DriverFacts, Error> {
        let musl = match &self.kind {
            Kind::Driver { libc } => libc.as_deref(),
            Kind::Zig { .. } => None,
        };
        let surroundings = SURROUNDINGS.map(|name| std::env::var_os(name).unwrap_or_default());
        let question = format!("a link {surroundings:?}");
        remembered(&question, &self.command, DriverFacts::hold, || {
            driver_facts(&self.command, musl)?.map_err(|asked| {
                not_for_musl(&self.command, self.language, "does not link with musl", vec![asked])
            })
        })
    }

    /// Program and fixed arguments.
    pub fn command(&self) -> &[String] {
        &self.command
    }

    /// Options that go before the user's own when compiling.
    pub(super) fn compile_flags(&self, shared: bool) -> &'static [&'static str] {
        match self.kind {
            Kind::Driver { .. } => &[],
            Kind::Zig { .. } if shared => zig::SHARED,
            Kind::Zig { .. } => zig::COMPILE,
        }
    }

    /// Whether an argument makes sense to this compiler. Build systems that know the target repeat it in their own
    /// spelling, which zig, being told already, does not understand.
    pub(super) fn takes(&self, arg: &str) -> bool {
        match self.kind {
            Kind::Driver { .. } => true,
            Kind::Zig { .. } => !arg.starts_with("--target="),
        }
    }

    /// The `libc.a` of the distribution that the compiler belongs to.
    pub fn system_libc(&self) -> Result<PathBuf, Error> {
        match &self.kind {
            Kind::Driver { .. } => Ok(self.driver_facts()?.libc),
            Kind::Zig { .. } => Err(Error::Unsupported {
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
            Kind::Driver { .. } => {
                let facts = self.driver_facts()?;
                let args = driver_line(&facts, line, line.is_pie(facts.default_pie));
                Ok(LinkLine { linker: self.linker(), args, libc: facts.libc })
            }
            Kind::Zig { .. } => {
                let pie = line.is_pie(true);
                let facts = zig::facts(&self.command, self.language, pie)?;
                Ok(LinkLine { linker: self.linker(), args: zig::line(&facts, line, pie)?, libc: facts.libc })
            }
        }
    }

    /// The linker for what it compiles: itself, or zig's.
    pub(crate) fn linker(&self) -> Vec<String> {
        match &self.kind {
            Kind::Driver { .. } => self.command.clone(),
            Kind::Zig { program } => vec![program.display().to_string(), "ld.lld".to_owned()],
        }
    }

    /// Whether the compiler's own musl has mallocng, on which the hardened Brawn heap stands, as far as that can be told without
    /// compiling it.
    pub fn has_mallocng(&self) -> bool {
        match &self.kind {
            Kind::Driver { .. } => true,
            Kind::Zig { program } => zig::has_mallocng(program),
        }
    }

    /// C++'s runtime, if it is zig's, for links that another compiler does: its archives in their order.
    pub(crate) fn cxx_runtime(&self) -> Result<Vec<PathBuf>, Error> {
        match &self.kind {
            Kind::Driver { .. } => Ok(Vec::new()),
            Kind::Zig { .. } => Ok(zig::facts(&self.command, self.language, true)?.before),
        }
    }

    /// The `libc.a` of the compiler's musl, where it is a file that is there before a link.
    pub(crate) fn libc(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Driver { libc } => libc.as_deref(),
            Kind::Zig { .. } => None,
        }
    }

    /// Whether the compiler links an unwinder that was made for musl. What `musl-gcc` finds is made for the glibc of the
    /// compiler behind it, and zig links none for C.
    pub(crate) fn brings_unwinder(&self) -> bool {
        match self.kind {
            Kind::Driver { .. } => machine(&self.command).is_ok_and(|triple| is_for_musl(&triple)),
            Kind::Zig { .. } => self.language == Language::Cxx,
        }
    }
}

/// Asks a command what it compiles for, and makes sure that it is musl on `arch`.
fn known(command: &[String], arch: Arch, language: Language) -> Result<Known, Error> {
    let mut command = command.to_vec();
    let mut answer = probe::ask(&command)?;
    let mut asked = vec![answer.asked.clone()];
    // zig compiles for everything: without a target in the command, one command serves all architectures. It is told one even
    // where its answer fits: without, it takes its headers from the compiler that `CC` names, and CMake names `brawn-cc` there.
    let has_target = |word: &String| word.trim_start_matches('-').starts_with("target");
    if answer.zig().is_some() && !command.iter().any(has_target) {
        command.extend(["-target".to_owned(), format!("{arch}-linux-musl")]);
        answer = probe::ask(&command)?;
        asked.push(answer.asked.clone());
    }
    if !answer.fits(arch) {
        return Err(not_for_musl(&command, language, &answer.instead(arch), asked));
    }
    if let Some(program) = answer.zig() {
        return Ok(Known { command, zig: Some(program), libc: None });
    }
    match driver_facts(&command, None)? {
        Ok(facts) => Ok(Known { command, zig: None, libc: Some(facts.libc) }),
        Err(answer) => {
            asked.push(answer);
            Err(not_for_musl(&command, language, "compiles for musl and does not link with it", asked))
        }
    }
}

fn not_for_musl(command: &[String], language: Language, instead: &str, asked: Vec<Asked>) -> Error {
    let command = command.join(" ");
    Error::NotForMusl { command, instead: instead.to_owned(), variable: language.variable(), asked }
}

/// Whether programs for musl on `arch` are this machine's own, as on Alpine.
pub fn is_this_machines(arch: Arch) -> bool {
    Arch::host() == Some(arch) && machine(&["cc".to_owned()]).is_ok_and(|triple| is_for_musl(&triple))
}

/// What a compiler calls its target.
fn machine(command: &[String]) -> Result<String, Error> {
    let ask = || query(Command::new(&command[0]).args(&command[1..]).arg("-dumpmachine"));
    remembered("target", command, |_| true, ask).map(|triple| triple.trim().to_owned())
}

fn is_for_musl(triple: &str) -> bool {
    triple.ends_with("-musl")
}

/// The `libc.a` that a compiler driver would link by itself.
pub fn default_libc(command: &[String]) -> Result<Option<PathBuf>, Error> {
    Ok(driver_facts(command, None)?.ok().map(|facts| facts.libc))
}

/// Has the driver say what it would do with an empty program; its answer, if there is no musl on its line. `musl` is known to
/// be one.
fn driver_facts(command: &[String], musl: Option<&Path>) -> Result<Result<DriverFacts, Asked>, Error> {
    let mut dry = Command::new(&command[0]);
    dry.args(&command[1..]).args(["-###", "-x", "c", "/dev/null"]).env("LC_ALL", "C");
    let output = dry.output().map_err(|source| Error::Spawn { program: command[0].clone(), source })?;
    let text = String::from_utf8_lossy(&output.stderr);
    let refused = |answer: String| Ok(Err(Asked::new(display(&dry), answer)));
    let Some(line) = text.lines().rev().find(|line| line.contains("crti.o")) else {
        return refused(format!("no link with crti.o; {}", text.lines().last().unwrap_or("nothing").trim()));
    };
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
    if musl != Some(&libc) && !is_musl(&libc) {
        let what = if libc.is_file() { "is no musl's" } else { "is not there" };
        return refused(format!("{} {what}", libc.display()));
    }
    Ok(Ok(DriverFacts {
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
    // Debian's musl lacks some of the empty archives that others have for what is in libc.a.
    let nowhere = |name: &str| IN_LIBC.contains(&name) && !facts.start.join(format!("lib{name}.a")).is_file();
    args.extend(line.link_args().filter(|arg| !arg.strip_prefix("-l").is_some_and(nowhere)).cloned());
    // Before the end file, which ends the tables of the unwinder: nothing may stand behind it.
    args.push(LIBRARIES.into());
    args.extend(facts.libraries.iter().cloned());
    args.push("-Wl,--end-group".into());
    args.extend(file(&facts.end));
    args.push(start("crtn.o"));
    args
}

/// What stands before a driver's own libraries.
pub(crate) const LIBRARIES: &str = "-Wl,--start-group";

#[cfg(test)]
mod tests {
    use super::*;

    fn libraries(line: &str) -> String {
        static_libraries(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).join(" ")
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
