//! zig as a compiler for musl: it makes its own libc, and says by a link what is in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::command_line::CommandLine;
use super::language::{IN_LIBC, Language};
use super::memory::remembered;
use crate::toolchain::{display, on_path, query};
use crate::{Error, progress, vars};

/// Options that go before the user's own when compiling. Without -O, zig adds a sanitizer whose runtime it links itself;
/// no one asked for it here. And for a static target it compiles for a fixed address, where a static-pie is linked by
/// default.
pub(super) const COMPILE: &[&str] = &["-fno-sanitize=undefined", "-fPIE"];

/// The same for a shared library, which zig would link a libc into.
pub(super) const SHARED: &[&str] = &["-fno-sanitize=undefined", "-dynamic"];

/// What zig would link with, in one mode.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Facts {
    start: PathBuf,
    /// What stands before libc.a: C++'s runtime.
    pub before: Vec<PathBuf>,
    pub libc: PathBuf,
    /// What stands behind libc.a: zig's own part of the C library, and the compiler's runtime.
    after: Vec<PathBuf>,
    emulation: String,
}

/// What `command`, behind which there is zig, would link with: it is asked by linking an empty program.
pub(super) fn facts(command: &[String], language: Language, pie: bool) -> Result<Facts, Error> {
    let holds = |facts: &Facts| {
        let archives = facts.before.iter().chain(&facts.after);
        archives.chain([&facts.libc, &facts.start]).all(|path| path.exists())
    };
    let question = match (language, pie) {
        (Language::C, true) => "a static-pie link",
        (Language::C, false) => "a static link",
        (Language::Cxx, true) => "a static-pie link of C++",
        (Language::Cxx, false) => "a static link of C++",
    };
    remembered(question, command, holds, || ask(command, language, pie))
}

fn ask(words: &[String], language: Language, pie: bool) -> Result<Facts, Error> {
    let scratch = tempfile::Builder::new().prefix("brawn-zig-").tempdir()?;
    let source = if language == Language::C { "empty.c" } else { "empty.cc" };
    fs_err::write(scratch.path().join(source), "int main() { return 0; }\n")?;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(["-fno-sanitize=undefined", "-static", "-v"]);
    // For an executable at a fixed address zig would compile all libraries once more, without -fPIC.
    command.arg(if pie { "-pie" } else { "-fPIC" });
    command.args([source, "-o", "empty"]).current_dir(scratch.path());
    let library = if language == Language::C { "C" } else { "C++" };
    let what = format!("zig compiles its {library} library, once on this machine: a minute or so");
    let output = progress::during(&what, || command.output())
        .map_err(|source| Error::Spawn { program: words[0].clone(), source })?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().rev().find(|line| line.starts_with("ld.lld ") && line.contains("libc.a"));
    line.and_then(facts_from).ok_or_else(|| Error::Query {
        command: display(&command),
        stderr: text.lines().last().unwrap_or_default().to_owned(),
    })
}

fn facts_from(line: &str) -> Option<Facts> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let libc = words.iter().position(|word| word.ends_with("/libc.a"))?;
    let start = words.iter().find(|word| word.ends_with("crt1.o"))?;
    let emulation = words.iter().position(|word| *word == "-m").and_then(|index| words.get(index + 1))?;
    let archives =
        |words: &[&str]| words.iter().filter(|word| word.ends_with(".a")).map(PathBuf::from).collect();
    Some(Facts {
        start: start.into(),
        before: archives(&words[..libc]),
        libc: words[libc].into(),
        after: archives(&words[libc + 1..]),
        emulation: (*emulation).to_owned(),
    })
}

/// Whether zig compiles mallocng: its sources tell.
pub(super) fn has_mallocng(program: &Path) -> bool {
    let library = query(Command::new(program).arg("env")).ok().and_then(|text| {
        let (_, rest) = text.split_once("lib_dir")?;
        // `"lib_dir": "PATH"` of former releases, and `.lib_dir = "PATH"`.
        let (_, value) = rest.split_once(['=', ':'])?;
        value.split('"').nth(1).map(PathBuf::from)
    });
    library.is_some_and(|library| library.join("libc/musl/src/malloc/mallocng/malloc.c").is_file())
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

/// A compiler's link line in a linker's words.
pub(super) fn line(facts: &Facts, line: &CommandLine, pie: bool) -> Result<Vec<String>, Error> {
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

/// Libraries in whose place zig's C++ runtime stands, whatever a build system calls it.
pub(crate) const IN_CXX: &[&str] = &["stdc++", "supc++", "c++", "c++abi", "unwind", "gcc", "gcc_eh", "gcc_s"];

#[cfg(test)]
mod tests {
    use super::*;

    /// Each library takes zig most of a minute.
    #[test]
    fn one_libc_is_compiled_for_both_kinds_of_executables() {
        let zig = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/zig/ziglang/zig");
        let words = [&*zig.to_string_lossy(), "cc", "-target", "x86_64-linux-musl"].map(str::to_owned);
        let [free, fixed] = [true, false].map(|pie| ask(&words, Language::C, pie).unwrap());
        assert_eq!((&free.libc, &free.after), (&fixed.libc, &fixed.after));
        assert!(free.start.ends_with("rcrt1.o") && fixed.start.ends_with("crt1.o"), "{free:?}, {fixed:?}");
    }
}
