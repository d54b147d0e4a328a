//! C programs that their own build systems make.

use std::path::Path;
use std::process::Command;

use brawn_link::cc::Language;
use serde::Deserialize;

use super::{Programs, Source, Workshop};
use crate::flavour::{Base, Flavour};
use crate::{Error, workloads};

/// A C program that comes with a build system, or what another program works on.
///
/// In the words of a command, `{cc}` stands for the compiler, `{jobs}` for the number of cores, and `{folder}` for the
/// folder that holds `files`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The archive that it comes in; without one, its folder is empty.
    source: Option<Source>,
    /// What it builds with itself, unpacked into folders of that archive.
    #[serde(default)]
    beside: Vec<Beside>,
    /// What builds it, run one after the other in the unpacked archive.
    pub(super) commands: Vec<Vec<String>>,
    /// Files beside it that the commands need, by name, each with the one of `workloads/`.
    #[serde(default)]
    files: Vec<(String, String)>,
    /// The executable, relative to the unpacked archive; without one, the commands have put what counts elsewhere.
    executable: Option<String>,
}

/// Another archive, and the folder that it is unpacked into.
#[derive(Debug, Deserialize)]
struct Beside {
    folder: String,
    #[serde(flatten)]
    source: Source,
}

impl Workshop {
    /// The program for each variant, its build system being told of the host's compiler or of `brawn cc`.
    ///
    /// # Errors
    /// [`Error::Absent`] without the archive, make or a compiler; [`Error::Build`].
    pub fn made(&self, name: &str, made: &Made, flavours: &[Flavour]) -> Result<Programs, Error> {
        if brawn_link::toolchain::on_path("make").is_none() {
            return Err(Error::absent("no make", "install it: on Debian `apt-get install make`"));
        }
        let commands = made.commands.iter().map(|words| words.join(" ")).collect::<Vec<_>>().join("\n");
        let files = made.files.iter().map(|(name, file)| format!("{name}\n{}", workloads::text(file)));
        let files = files.collect::<String>();
        let compiler = self.versions().remove("cc").unwrap_or_default();
        let source = made.source.as_ref().map_or("", |source| &source.sha256);
        let mut inputs = vec!["made", source, &compiler, &commands, &files];
        inputs.extend(made.beside.iter().flat_map(|beside| [&*beside.folder, &*beside.source.sha256]));
        let slot = self.slot(name, &inputs)?;
        self.variants(name, &slot, flavours, false, &|base, to| {
            let libc = if base == Base::Musl { "musl" } else { "glibc" };
            let tree = slot.path().join(format!("tree-{libc}"));
            let place = Tree { made, folder: slot.path(), tree: &tree, base };
            place.unpack(self)?;
            for words in &made.commands {
                let mut command = place.command(self, words)?;
                self.step(&format!("building {name} for {libc}"), slot.path(), &mut command)?;
            }
            match &made.executable {
                Some(executable) => fs_err::copy(tree.join(executable), to).map(|_| ())?,
                None => fs_err::write(to, "")?,
            }
            // The tree for musl stays: a link that is done again needs its objects.
            if base != Base::Musl {
                fs_err::remove_dir_all(tree)?;
            }
            Ok(())
        })
    }
}

/// Where a program is built for a libc.
pub(super) struct Tree<'a> {
    pub made: &'a Made,
    /// What `{folder}` is.
    pub folder: &'a Path,
    pub tree: &'a Path,
    pub base: Base,
}

impl Tree<'_> {
    /// A tree in which nothing is built yet.
    pub fn unpack(&self, workshop: &Workshop) -> Result<(), Error> {
        workshop.compiler(self.base, Language::C)?;
        for (name, file) in &self.made.files {
            fs_err::write(self.folder.join(name), workloads::text(file))?;
        }
        match &self.made.source {
            Some(source) => workshop.unpack(&workshop.source(source)?, self.tree)?,
            None if self.tree.exists() => {
                fs_err::remove_dir_all(self.tree).and_then(|()| fs_err::create_dir(self.tree))?
            }
            None => fs_err::create_dir(self.tree)?,
        }
        for Beside { folder, source } in &self.made.beside {
            workshop.unpack(&workshop.source(source)?, &self.tree.join(folder))?;
        }
        Ok(())
    }

    /// One of the recipe's commands, to be run in the tree.
    pub fn command(&self, workshop: &Workshop, words: &[String]) -> Result<Command, Error> {
        let compiler = workshop.compiler(self.base, Language::C)?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from).to_string();
        let fill = |word: &String| {
            word.replace("{cc}", &compiler.to_string_lossy())
                .replace("{jobs}", &jobs)
                .replace("{folder}", &self.folder.to_string_lossy())
        };
        let mut command = Command::new(&words[0]);
        workshop.prepare(&mut command);
        command.args(words[1..].iter().map(fill)).current_dir(self.tree);
        Ok(command)
    }
}
