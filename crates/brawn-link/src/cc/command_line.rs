//! Understanding what a compiler is asked to do.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::language::Language;
use crate::Error;

/// What a command line amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Compiling, preprocessing, or a question to the compiler.
    Compile,
    /// A link that is not for Brawn: a shared library, a relocatable object, or one without the C library.
    Foreign,
    /// A link of an executable.
    Link,
}

/// The arguments of a compiler.
#[derive(Clone, Debug)]
pub(crate) struct CommandLine {
    pub args: Vec<String>,
    inputs: Vec<Input>,
    language: Language,
}

/// A file on the line, or standard input.
#[derive(Clone, Debug)]
struct Input {
    index: usize,
    /// What the `-x` before it says that it is.
    language: Option<String>,
}

/// `options.toml`, which tells what each list is.
static OPTIONS: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| {
    toml::from_str(include_str!("options.toml")).expect("a table of this crate, as tests show")
});

impl CommandLine {
    pub(crate) fn parse(
        args: impl IntoIterator<Item = OsString>,
        language: Language,
    ) -> Result<CommandLine, Error> {
        // Response files and odd characters are treated as on a link line.
        let args = crate::line::Line::parse(args)?.args;
        let mut inputs = Vec::new();
        let mut explicit = None;
        let mut index = 0;
        while index < args.len() {
            let arg = args[index].as_str();
            if OPTIONS["with-value"].contains(&arg) {
                index += 1;
            }
            if let Some(attached) = arg.strip_prefix("-x") {
                let named =
                    if attached.is_empty() { args.get(index).map(String::as_str) } else { Some(attached) };
                explicit = named.filter(|name| *name != "none").map(str::to_owned);
            } else if !arg.starts_with('-') || arg == "-" {
                inputs.push(Input { index, language: explicit.clone() });
            }
            index += 1;
        }
        let line = CommandLine { args, inputs, language };
        if line.step() == Step::Link {
            line.refuse_cxx()?;
        }
        Ok(line)
    }

    fn refuse_cxx(&self) -> Result<(), Error> {
        if self.language == Language::Cxx {
            return Ok(());
        }
        let is_cxx = |input: &&Input| match &input.language {
            Some(language) => language.starts_with("c++"),
            None => ends_in(&self.args[input.index], &OPTIONS["cxx-sources"]),
        };
        let cxx = self.inputs.iter().find(is_cxx).map(|input| &self.args[input.index]);
        match cxx {
            Some(input) => Err(Error::Unsupported {
                what: format!("{input} is C++, and brawn cc compiles C"),
                hint: "use brawn c++".into(),
            }),
            None => Ok(()),
        }
    }

    pub(crate) fn step(&self) -> Step {
        let asks = |arg: &String| {
            OPTIONS["no-link"].contains(&arg.as_str())
                || arg.starts_with("-print-")
                || arg.starts_with("--print-")
        };
        if self.inputs.is_empty() || self.args.iter().any(asks) {
            Step::Compile
        } else if self.args.iter().any(|arg| OPTIONS["foreign"].contains(&arg.as_str())) {
            Step::Foreign
        } else {
            Step::Link
        }
    }

    /// Where the shared library goes, if the line links one.
    pub(crate) fn shared_library(&self) -> Option<PathBuf> {
        let shared = |arg: &String| arg == "-shared" || arg == "-dynamiclib";
        let links = self.step() == Step::Foreign && self.args.iter().any(shared);
        links.then(|| crate::line::output_of(&self.args))
    }

    /// Whether the executable shall be position-independent: as the last option on the line says, or else as the
    /// compiler compiles by itself.
    pub(crate) fn is_pie(&self, default: bool) -> bool {
        self.args
            .iter()
            .rev()
            .find_map(|arg| match arg.as_str() {
                "-static-pie" | "-pie" => Some(true),
                "-static" | "-no-pie" | "-nopie" => Some(false),
                _ => None,
            })
            .unwrap_or(default)
    }

    /// The files among the inputs that have to be compiled, by their endings or by what `-x` says.
    pub(crate) fn sources(&self) -> Vec<Source> {
        let is_source = |input: &&Input| input.language.is_some() || self.is_source(&self.args[input.index]);
        self.inputs
            .iter()
            .filter(is_source)
            .map(|input| Source {
                index: input.index,
                path: PathBuf::from(&self.args[input.index]),
                language: input.language.clone(),
            })
            .collect()
    }

    fn is_source(&self, input: &str) -> bool {
        ends_in(input, &OPTIONS["sources"])
            || self.language == Language::Cxx && ends_in(input, &OPTIONS["cxx-sources"])
    }

    /// The arguments that compile one source to `object`, with every option that concerns compiling.
    pub(crate) fn compile_args(&self, source: &Source, object: &Path) -> Vec<String> {
        let mut args = Vec::new();
        let mut index = 0;
        while index < self.args.len() {
            let arg = &self.args[index];
            let next =
                OPTIONS["with-value"].contains(&arg.as_str()).then(|| self.args.get(index + 1)).flatten();
            index += 1 + usize::from(next.is_some());
            let linking =
                matches!(arg.as_str(), "-o" | "-L" | "-l" | "-Xlinker" | "-T" | "-u" | "-z" | "-e" | "-s")
                    || ["-Wl,", "-L", "-l", "-o", "-x"].iter().any(|prefix| arg.starts_with(prefix))
                    || OPTIONS["modes"].contains(&arg.as_str());
            if linking || self.inputs.iter().any(|input| input.index == index - 1) {
                continue;
            }
            args.push(arg.clone());
            args.extend(next.cloned());
        }
        if self.args.iter().any(|arg| arg == "-static-pie") {
            args.push("-fPIE".into());
        }
        args.extend(["-c", "-o"].map(str::to_owned));
        args.push(object.display().to_string());
        if let Some(language) = &source.language {
            args.extend(["-x".to_owned(), language.clone()]);
        }
        args.push(source.path.display().to_string());
        args
    }

    pub(crate) fn replace(&mut self, index: usize, path: &Path) {
        self.args[index] = path.display().to_string();
    }

    /// The arguments for a link, without the mode, which the link line sets itself, without `-x`, which would
    /// make sources of everything that the link line puts behind it, and without what is for the preprocessor: links are
    /// recorded, and definitions may hold secrets.
    pub(crate) fn link_args(&self) -> impl Iterator<Item = &String> {
        let mut value = false;
        self.args.iter().filter(move |arg| {
            let skip = std::mem::replace(&mut value, OPTIONS["preprocessor"].contains(&arg.as_str()));
            let attached = ["-x", "-D", "-U", "-I", "-Wp,"].iter().any(|prefix| arg.starts_with(prefix));
            !skip && !value && !attached && !OPTIONS["modes"].contains(&arg.as_str())
        })
    }
}

fn ends_in(path: &str, endings: &[&str]) -> bool {
    Path::new(path).extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
}

/// A source file on a link line.
pub(crate) struct Source {
    pub(super) index: usize,
    pub(super) path: PathBuf,
    /// The language that the line names for it; otherwise its ending tells.
    language: Option<String>,
}

impl Source {
    pub(super) fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> CommandLine {
        CommandLine::parse(text.split_whitespace().map(Into::into), Language::C).unwrap()
    }

    #[test]
    fn steps_are_told_apart() {
        for (text, step) in [
            ("-O2 -c a.c", Step::Compile),
            ("--version", Step::Compile),
            ("-print-file-name=libc.a", Step::Compile),
            ("-o out", Step::Compile),
            ("-shared -o x.so a.o", Step::Foreign),
            ("-nostdlib a.o", Step::Foreign),
            ("a.o -o a", Step::Link),
            ("-O2 a.c b.c -lm", Step::Link),
        ] {
            assert_eq!(line(text).step(), step, "{text}");
        }
    }

    #[test]
    fn the_last_mode_counts() {
        assert!(line("-static -static-pie a.o").is_pie(false));
        assert!(!line("-pie -no-pie a.o").is_pie(true));
        assert!(line("a.o").is_pie(true));
        assert!(!line("-static a.o").is_pie(true));
    }

    #[test]
    fn sources_on_a_link_line_are_compiled_with_the_compilers_options_only() {
        let line = line("-O2 -I inc -DX=1 -Wl,-O1 a.c b.o -L lib -lm -s -o out -static-pie");
        let sources = line.sources();
        assert_eq!(sources.len(), 1);
        let args = line.compile_args(&sources[0], Path::new("/t/a.o")).join(" ");
        assert_eq!(args, "-O2 -I inc -DX=1 -fPIE -c -o /t/a.o a.c");
    }

    #[test]
    fn a_language_that_is_named_counts_for_what_follows_and_for_nothing_else() {
        let line = line("-O2 -x c - -xassembler part -x none whole.o -o out");
        let sources = line.sources();
        assert_eq!(sources.len(), 2);
        assert_eq!(line.compile_args(&sources[0], Path::new("/t/0.o")).join(" "), "-O2 -c -o /t/0.o -x c -");
        let second = line.compile_args(&sources[1], Path::new("/t/1.o")).join(" ");
        assert_eq!(second, "-O2 -c -o /t/1.o -x assembler part");
        let link: Vec<_> = line.link_args().map(String::as_str).collect();
        assert_eq!(link.join(" "), "-O2 - part whole.o -o out");
    }

    #[test]
    fn a_link_is_not_told_what_is_for_the_preprocessor() {
        let line = line("-DTOKEN=secret -D KEY=secret -Wp,-DX=secret -isystem inc -O2 a.c -L lib -o out");
        let link: Vec<_> = line.link_args().map(String::as_str).collect();
        assert_eq!(link.join(" "), "-O2 a.c -L lib -o out");
    }

    #[test]
    fn cxx_is_refused_with_a_reason() {
        let args = || ["a.cpp", "b.c", "-o", "a"].map(Into::into);
        let error = CommandLine::parse(args(), Language::C).unwrap_err();
        assert_eq!(error.to_string(), "a.cpp is C++, and brawn cc compiles C");
        assert_eq!(CommandLine::parse(args(), Language::Cxx).unwrap().sources().len(), 2);
    }
}
