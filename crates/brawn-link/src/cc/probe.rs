//! What a compiler compiles for, by its own answers: no name says it, for there are wrappers, links and `ccache`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use brawn_base::Asked;
use brawn_elf::Arch;

use crate::Error;
use crate::toolchain::display;

/// A source whose preprocessed form says for which system it is compiled. A C library that names itself does so in a
/// macro, and musl is the one that does not; `limits.h`, which every C library has, draws its macros in.
const SOURCE: &str = "#include <limits.h>\n\
    brawn_target is_linux=__linux__ is_glibc=__GLIBC__ is_uclibc=__UCLIBC__ is_bionic=__BIONIC__ \
    is_x86_64=__x86_64__ is_aarch64=__aarch64__\n";

/// What a compiler made of [`SOURCE`].
pub(super) struct Answer {
    /// The question, and the answer in words.
    pub asked: Asked,
    /// The program behind all wrappers that preprocesses, if the compiler shows its steps.
    pub frontend: Option<PathBuf>,
    linux: bool,
    libc: Option<&'static str>,
    arch: Option<Arch>,
}

/// Asks a compiler. An answer that is no answer is one as well: it is not for musl.
pub(super) fn ask(command: &[String]) -> Result<Answer, Error> {
    // Not from standard input: older zigs do not know it.
    let source = tempfile::Builder::new().prefix("brawn-").suffix(".c").tempfile()?;
    fs_err::write(source.path(), SOURCE)?;
    let mut preprocess = Command::new(&command[0]);
    preprocess.args(&command[1..]).args(["-v", "-E"]).arg(source.path()).env("LC_ALL", "C");
    let output =
        preprocess.output().map_err(|source| Error::Spawn { program: command[0].clone(), source })?;
    let [said, steps] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    let question = display(&preprocess);
    // A macro of a system header may stand on a line of its own, between lines that name files.
    let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with('#')).collect();
    let text = lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ").replace("= ", "=");
    let Some((_, words)) = text.split_once("brawn_target ") else {
        let last = steps.lines().rfind(|line| line.contains("error")).or(steps.lines().last());
        let answer = format!("{}: {}", output.status, last.unwrap_or("nothing").trim());
        let asked = Asked { question, answer };
        return Ok(Answer { asked, frontend: None, linux: false, libc: None, arch: None });
    };
    // Where a macro is defined, its value stands in the place of its name.
    let is = |name: &str| {
        let value = words
            .split_whitespace()
            .find_map(|word| word.strip_prefix("is_")?.strip_prefix(name)?.strip_prefix('='));
        value.is_some_and(|value| !value.starts_with("__"))
    };
    let libc = ["glibc", "uclibc", "bionic"].into_iter().find(|name| is(name));
    let arch = Arch::ALL.into_iter().find(|arch| is(arch.name()));
    let mut answer = Answer {
        asked: Asked { question, answer: String::new() },
        frontend: steps.lines().find_map(frontend),
        linux: is("linux"),
        libc,
        arch,
    };
    answer.asked.answer = answer.words();
    if let Some(path) = &answer.frontend {
        let _ = write!(answer.asked.answer, " (by {})", path.display());
    }
    Ok(answer)
}

/// The program in a line such as ` "/opt/zig/zig" -cc1 -triple …`.
fn frontend(line: &str) -> Option<PathBuf> {
    let (program, _) = line.split_once(" -cc1 ")?;
    Some(program.trim().trim_matches('"').into())
}

impl Answer {
    /// Whether this is Linux on `arch` with a C library that may be musl.
    pub fn fits(&self, arch: Arch) -> bool {
        self.linux && self.libc.is_none() && self.arch == Some(arch)
    }

    /// zig, if that is what compiles.
    pub fn zig(&self) -> Option<PathBuf> {
        let is_zig = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("zig")) && path.is_file()
        };
        self.frontend.clone().filter(is_zig)
    }

    /// `Linux, x86_64, glibc`.
    fn words(&self) -> String {
        let system = if self.linux { "Linux" } else { "another system than Linux" };
        let arch = self.arch.map_or("another architecture", Arch::name);
        format!("{system}, {arch}, {}", self.libc.unwrap_or("a C library that may be musl"))
    }

    /// What it compiles for, where that is not what is needed.
    pub fn instead(&self, arch: Arch) -> String {
        match (self.linux, self.arch, self.libc) {
            (true, Some(found), None) if found != arch => format!("compiles for {found}, not for {arch}"),
            (true, _, Some(libc)) => format!("compiles for {libc}, not for musl"),
            _ => "does not compile for musl".to_owned(),
        }
    }
}
