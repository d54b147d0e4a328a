//! Understanding the arguments of a link, whether they are written for a compiler driver or for a linker.

use std::path::{Path, PathBuf};

use brawn_base::file;
use object::read::archive::ArchiveFile;

use crate::{Error, objects};

/// Who the arguments are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flavor {
    /// A compiler driver: linker options stand behind `-Wl,` or `-Xlinker`.
    Compiler,
    /// A linker.
    Linker,
}

/// The arguments of one link.
#[derive(Clone, Debug)]
pub struct Line {
    /// Who they are written for.
    pub flavor: Flavor,
    /// The arguments, response files expanded.
    pub args: Vec<String>,
}

impl Line {
    /// Reads arguments, expanding response files (`@file`).
    pub fn parse(args: impl IntoIterator<Item = std::ffi::OsString>) -> Result<Line, Error> {
        let mut expanded = Vec::new();
        for arg in args {
            let arg = arg.into_string().map_err(|arg| Error::Unsupported {
                what: format!("the argument {arg:?} is not valid UTF-8"),
                hint: "use paths in UTF-8".into(),
            })?;
            match arg.strip_prefix('@').map(Path::new).filter(|path| path.exists()) {
                Some(path) => expanded.extend(split_response(&brawn_base::file::text(path)?)),
                None => expanded.push(arg),
            }
        }
        Ok(Line::of(expanded))
    }

    /// The line with these arguments, none of which is taken for a response file.
    pub fn of(args: Vec<String>) -> Line {
        // rustc and every build system pass some linker option through a compiler driver, and none to a linker.
        let compiler = args.iter().any(|arg| {
            arg.starts_with("-Wl,") || arg == "-Xlinker" || arg == "-nostartfiles" || arg == "-nodefaultlibs"
        });
        let linker = args.first().is_some_and(|arg| arg == "-flavor");
        let flavor = if compiler && !linker { Flavor::Compiler } else { Flavor::Linker };
        Line { flavor, args }
    }

    /// The options as the linker will see them: `-Wl,a,b` and `-Xlinker a` taken apart.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.args
            .iter()
            .flat_map(|arg| match arg.strip_prefix("-Wl,") {
                Some(list) => list.split(',').collect(),
                None => vec![arg.as_str()],
            })
            .filter(|word| *word != "-Xlinker")
    }

    fn has(&self, options: &[&str]) -> bool {
        self.words().any(|word| options.contains(&word))
    }

    /// Whether the result is a shared library.
    pub fn is_shared_library(&self) -> bool {
        self.has(&["-shared", "--shared", "-Bshareable"])
    }

    /// Whether the result is an executable (not a shared library, not another object) without a loader.
    pub fn is_static_executable(&self) -> bool {
        if self.is_shared_library() || self.has(&["-r", "--relocatable", "-i"]) {
            return false;
        }
        self.has(&["-static-pie", "--static-pie"])
            || self.has(&["-static", "--static"])
            || self.has(&["--no-dynamic-linker", "-no-dynamic-linker"])
    }

    /// Whether the C library takes part: freestanding links are no one's business.
    pub fn wants_libc(&self) -> bool {
        self.has(&["-lc", "--library=c"])
            || self.libc_argument().is_some()
            || (self.flavor == Flavor::Compiler && !self.has(&["-nostdlib", "-nodefaultlibs", "-nolibc"]))
    }

    /// The index of an argument that names a `libc.a` by its path.
    pub fn libc_argument(&self) -> Option<usize> {
        self.args.iter().position(|arg| {
            !arg.starts_with('-') && Path::new(arg).file_name().is_some_and(|name| name == "libc.a")
        })
    }

    /// Where the result goes.
    pub fn output(&self) -> PathBuf {
        output_of(&self.args)
    }

    /// The folders in which libraries are looked for, in order.
    pub fn search_dirs(&self) -> Vec<PathBuf> {
        self.values("-L", "--library-path").map(PathBuf::from).collect()
    }

    /// The values of an option, which follow its name or are a part of the word.
    fn values(&self, short: &str, long: &str) -> impl Iterator<Item = &str> {
        let mut words = self.words();
        std::iter::from_fn(move || {
            loop {
                let word = words.next()?;
                if word == short || word == long {
                    return words.next();
                }
                let attached = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
                if let Some(value) = attached.or(word.strip_prefix(short)) {
                    return Some(value);
                }
            }
        })
    }

    /// The files that the linker writes beside the result. Where a former link left them, they are no inputs.
    pub fn written(&self) -> Vec<&Path> {
        let options = [("-Map", "--Map"), ("-dependency-file", "--dependency-file")];
        let files = options.into_iter().flat_map(|(short, long)| self.values(short, long));
        files.map(|file| Path::new(file.trim_start_matches('='))).collect()
    }

    /// The file of this name, in the first of these folders that has one.
    pub(crate) fn find(&self, file: &str) -> Option<PathBuf> {
        self.search_dirs().into_iter().map(|folder| folder.join(file)).find(|path| path.is_file())
    }

    /// The libraries that are asked for by name (`-lssl`: `ssl`), in order.
    pub fn libraries(&self) -> Vec<String> {
        self.values("-l", "--library").map(str::to_owned).collect()
    }

    /// The objects, archives and Rust libraries, given by path or found by name in the folders of this line.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let named = self.libraries().into_iter().filter_map(|name| self.find(&format!("lib{name}.a")));
        let is_input = |path: &PathBuf| {
            path.extension().is_some_and(|ending| ending == "o" || ending == "a" || ending == "rlib")
                && path.is_file()
        };
        let given = self.args.iter().filter(|arg| !arg.starts_with('-')).map(PathBuf::from).filter(is_input);
        given.chain(named).collect()
    }

    /// The `libc.a` that this link names or would find in its own search path.
    pub fn libc(&self) -> Option<PathBuf> {
        if let Some(index) = self.libc_argument() {
            return Some(self.args[index].clone().into());
        }
        self.find("libc.a")
    }

    /// Whether the user has chosen the size of thread stacks.
    pub fn sets_stack_size(&self) -> bool {
        self.words().any(|word| word.starts_with("stack-size=") || word.starts_with("-zstack-size="))
    }

    /// These arguments, which are this line's as they are run, without the options that strip all symbols; none where there
    /// are no such options.
    pub fn stripped_of_strip(&self, args: &[String]) -> Option<Vec<String>> {
        const STRIP: &[&str] = &["-s", "--strip-all", "-strip-all"];
        if !self.has(STRIP) {
            return None;
        }
        let mut kept: Vec<String> = Vec::new();
        for arg in args {
            let list = arg.strip_prefix("-Wl,").map(|list| {
                let words: Vec<&str> = list.split(',').filter(|word| !STRIP.contains(word)).collect();
                words.join(",")
            });
            match list {
                Some(list) if list.is_empty() => {}
                Some(list) => kept.push(format!("-Wl,{list}")),
                None if STRIP.contains(&arg.as_str()) => {
                    kept.pop_if(|last| last == "-Xlinker");
                }
                None => kept.push(arg.clone()),
            }
        }
        Some(kept)
    }

    /// Whether any input but a libc.a defines `malloc`.
    pub fn may_bring_malloc(&self) -> bool {
        let inputs = self.inputs().into_iter().filter(|path| !path.ends_with("libc.a"));
        inputs.filter_map(|path| file::read(path, file::OBJECT).ok()).any(|bytes| {
            // An archive's index says it without a look at the members.
            if let Ok(archive) = ArchiveFile::parse(&*bytes)
                && let Ok(Some(mut index)) = archive.symbols()
            {
                return index.any(|entry| entry.is_ok_and(|entry| entry.name() == b"malloc"));
            }
            objects::of(&bytes).into_iter().any(|object| objects::defined(object).contains("malloc"))
        })
    }

    /// A linker option as this line must spell it.
    pub fn linker_option(&self, words: &[&str]) -> Vec<String> {
        match self.flavor {
            Flavor::Compiler => vec![format!("-Wl,{}", words.join(","))],
            Flavor::Linker => words.iter().map(|word| (*word).to_owned()).collect(),
        }
    }

    /// The place for options that must come first.
    pub fn front(&self) -> usize {
        // `-flavor gnu` tells rust-lld which linker to be, and must stay in front.
        if self.args.first().is_some_and(|arg| arg == "-flavor") { 2 } else { 0 }
    }
}

/// Where arguments for a linker or a compiler driver say that the result goes.
pub(crate) fn output_of(args: &[String]) -> PathBuf {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "-o" || arg == "--output" {
            return args.next().map_or_else(|| "a.out".into(), PathBuf::from);
        }
        if let Some(path) = arg.strip_prefix("--output=") {
            return path.into();
        }
        if let Some(path) = arg.strip_prefix("-o").filter(|path| !path.is_empty()) {
            return path.into();
        }
    }
    "a.out".into()
}

/// Takes a response file apart: words divided by blanks, with quotes and backslashes.
pub fn split_response(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (_, '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Writes arguments as a response file that GCC, clang and every linker read alike.
pub fn join_response(args: &[String]) -> String {
    let mut text = String::new();
    for arg in args {
        text.push('"');
        for c in arg.chars() {
            if c == '"' || c == '\\' {
                text.push('\\');
            }
            text.push(c);
        }
        text.push_str("\"\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line::parse(text.split_whitespace().map(Into::into)).unwrap()
    }

    #[test]
    fn static_executables_are_told_from_the_rest() {
        assert!(line("-static -Wl,--gc-sections a.o -lc").is_static_executable());
        assert!(line("-static-pie -Wl,-O1 a.o").is_static_executable());
        assert!(line("-flavor gnu -static -pie --no-dynamic-linker a.o -lc").is_static_executable());
        assert!(!line("-Wl,-O1 a.o -lc").is_static_executable());
        assert!(!line("-shared -static -Wl,-O1 a.o").is_static_executable());
        assert!(!line("-Wl,-r -static a.o").is_static_executable());
    }

    #[test]
    fn both_flavors_are_understood() {
        let compiler = line("-Wl,-L,/one -L/two -L /three -Wl,-z,stack-size=1 -o out");
        assert_eq!(compiler.flavor, Flavor::Compiler);
        assert_eq!(compiler.search_dirs(), ["/one", "/two", "/three"].map(PathBuf::from));
        assert!(compiler.sets_stack_size());
        assert_eq!(compiler.linker_option(&["-z", "now"]), ["-Wl,-z,now"]);
        let linker = line("-flavor gnu -L /a --library-path=/b -z relro -oout");
        assert_eq!(linker.flavor, Flavor::Linker);
        assert_eq!(linker.search_dirs(), ["/a", "/b"].map(PathBuf::from));
        assert!(!linker.sets_stack_size());
        assert_eq!(linker.output(), Path::new("out"));
        assert_eq!(linker.front(), 2);
    }

    #[test]
    fn what_a_link_writes_is_told_from_what_it_reads() {
        let line =
            line("-Wl,-Map=/a -Wl,-O1,--Map,/b -Xlinker -Map -Xlinker /c.o d.o -Wl,--version-script=/e");
        assert_eq!(line.written(), ["/a", "/b", "/c.o"].map(Path::new));
    }

    #[test]
    fn a_link_that_strips_is_told_without_it() {
        let without = |text: &str| {
            let line = line(text);
            line.stripped_of_strip(&line.args).map(|args| args.join(" "))
        };
        assert_eq!(without("-s -Wl,-O1 a.o -o s").as_deref(), Some("-Wl,-O1 a.o -o s"));
        assert_eq!(without("-Wl,--strip-all a.o -Wl,-O1,-s").as_deref(), Some("a.o -Wl,-O1"));
        assert_eq!(without("a.o -Xlinker -s -o b").as_deref(), Some("a.o -o b"));
        assert_eq!(without("-Wl,-O1 a.o -Wl,-S"), None);
    }

    #[test]
    fn freestanding_links_are_left_alone() {
        assert!(!line("-static -nostdlib -Wl,-e,start a.o").wants_libc());
        assert!(line("-static -nodefaultlibs -Wl,-O1 a.o -lc").wants_libc());
        assert!(line("-static -Wl,-O1 a.o").wants_libc());
        assert!(!line("-flavor gnu -static a.o").wants_libc());
    }

    #[test]
    fn response_files_come_back_as_they_were_written() {
        let args = ["-o", "a b", "c\\d", "e\"f", "g'h", ""].map(str::to_owned).to_vec();
        assert_eq!(split_response(&join_response(&args)), args);
        assert_eq!(split_response("a\\ b 'c d'\n\"e\"f"), ["a b", "c d", "ef"]);
    }
}
