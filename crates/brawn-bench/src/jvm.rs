//! Programs on the machine's JVM, which is not ours to link again: each allocator is preloaded into it.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_libc::Malloc;
use brawn_link::toolchain::on_path;
use brawn_measure::Variant;
use brawn_preload::{Library, Program};
use serde::Deserialize;

use crate::workshop::{Origin, Source};
use crate::{Context, Error, Flavour, Prepared, Workshop, workloads};

/// The file of that name in the list of those of the Maven repository that the programs stand on, pinned.
pub fn jar(name: &str) -> Source {
    let mut rows = workloads::text("jvm/jars.txt").lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let row = rows.find(|row| row[0] == name).unwrap_or_else(|| panic!("no file {name} in the list"));
    Source { file: row[1].into(), sha256: row[3].into(), origin: Origin::Maven(row[2].into()) }
}

/// A program, whose class lies in `workloads/jvm`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// The class with `main`.
    class: String,
    /// What it stands on.
    jars: Vec<String>,
}

/// The class that the programs share.
const SHARED: &str = "Run";

/// The same heap and collector whatever the machine's size, or the JVM would choose another on two cores than on four.
const JAVA: &[&str] = &["-Xmx512m", "-XX:+UseG1GC", "-Djava.awt.headless=true"];

impl Work {
    /// The same command for each variant, with the library that it preloads.
    pub fn variants(
        &self,
        name: &str,
        context: &Context<'_>,
        prepared: &mut Prepared,
    ) -> Result<Vec<Variant>, Error> {
        let java = tool("java")?;
        let preloads = preloads(context, &java, prepared)?;
        let jars: Vec<Source> = self.jars.iter().map(|name| jar(name)).collect();
        let class_path = self.class_path(name, &jars, context.workshop)?;
        for jar in &jars {
            if let Origin::Maven(coordinates) = &jar.origin
                && let Some((name, version)) = coordinates.rsplit_once(':')
            {
                prepared.versions.insert(name.to_owned(), version.to_owned());
            }
        }
        let variant = |(name, library): (String, Option<PathBuf>)| {
            let variant = Variant::new(name, &java).args(JAVA).args(["-cp", &class_path, &self.class]);
            match library {
                Some(library) => variant.env("LD_PRELOAD", library),
                None => variant,
            }
        };
        Ok(preloads.into_iter().map(variant).collect())
    }

    /// The libraries of a program, and the folder with our own classes, compiled now if they were not.
    fn class_path(&self, name: &str, jars: &[Source], workshop: &Workshop) -> Result<String, Error> {
        let mut parts = Vec::new();
        for jar in jars {
            parts.push(workshop.source(jar)?.display().to_string());
        }
        let javac = tool("javac")?;
        let own = [SHARED, &self.class].map(|class| (class, source(class)));
        let mut inputs: Vec<&str> = own.iter().map(|(_, text)| *text).collect();
        inputs.extend(jars.iter().map(|jar| jar.sha256.as_str()));
        let javac_name = javac.display().to_string();
        inputs.push(&javac_name);
        let slot = workshop.slot(&format!("jvm-{name}"), &inputs)?;
        let classes = slot.once("classes", "", |to| {
            let mut command = Command::new(&javac);
            command.arg("-d").arg(to).arg("-cp").arg(parts.join(":"));
            for (class, text) in &own {
                let file = slot.path().join(format!("{class}.java"));
                fs_err::write(&file, text)?;
                command.arg(file);
            }
            workshop.step(&format!("compiling {name}"), slot.path(), &mut command)
        })?;
        parts.push(classes.display().to_string());
        Ok(parts.join(":"))
    }
}

fn source(class: &str) -> &'static str {
    workloads::text(&format!("jvm/{class}.java"))
}

/// Whether there is a JDK.
pub fn check() -> Result<(), Error> {
    tool("java")?;
    tool("javac")?;
    Ok(())
}

/// A program of the JDK. The JVM itself behind links, because a loader looks at that.
fn tool(name: &str) -> Result<PathBuf, Error> {
    let absent =
        || Error::absent(format!("{name} is not on PATH"), "install a JDK, such as openjdk-17-jdk-headless");
    Ok(fs_err::canonicalize(on_path(name).ok_or_else(absent)?)?)
}

/// Variants by name, with the library that each preloads. The baseline has none.
fn preloads(
    context: &Context<'_>,
    java: &Path,
    prepared: &mut Prepared,
) -> Result<Vec<(String, Option<PathBuf>)>, Error> {
    let program = Program::look(java)?;
    let mut preloads = Vec::new();
    for flavour in context.flavours {
        match library(flavour, &program) {
            Ok(None) => preloads.push((flavour.name.clone(), None)),
            Ok(Some(library)) => {
                let library = library.placed(&context.workshop.root().join("preload"))?;
                preloads.push((flavour.name.clone(), Some(library)));
            }
            Err(why) => prepared.note(format!("{}: {why}", flavour.name)),
        }
        if preloads.is_empty() {
            return Err(Error::absent(
                format!(
                    "the first variant, {}, cannot be had: the JVM here is {}'s",
                    flavour.name, program.libc
                ),
                format!("begin --variants with {}", plain(&program)),
            ));
        }
    }
    if preloads.len() == 1 {
        return Err(Error::absent(
            "none of the variants can be preloaded",
            format!(
                "say --variants {},{}",
                plain(&program),
                brawn_kit::library_names().collect::<Vec<_>>().join(",")
            ),
        ));
    }
    Ok(preloads)
}

/// The variant that stands for no library.
fn plain(program: &Program) -> &'static str {
    match program.libc {
        brawn_preload::Libc::Glibc => crate::flavour::GLIBC,
        brawn_preload::Libc::Musl => "stock",
    }
}

/// What a variant preloads; none for the heap that the JVM has anyhow; or why it cannot.
fn library(flavour: &Flavour, program: &Program) -> Result<Option<Library>, String> {
    match &flavour.choice {
        _ if flavour.name == plain(program) => Ok(None),
        None => Err(format!("the JVM here is {}'s, and dynamic", program.libc)),
        Some(choice) if matches!(choice.malloc, Malloc::Stock) => {
            Err(format!("the JVM here is {}'s", program.libc))
        }
        Some(choice) => {
            Library::new(choice, program.libc, program.arch).map(Some).map_err(|error| error.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::Input;
    use crate::programs::Build;
    use crate::published;
    use brawn_elf::Arch;

    /// The works by their cases' names.
    fn works() -> impl Iterator<Item = (&'static str, &'static Work)> {
        let suite = crate::registry::suite("jvm");
        suite.programs.iter().map(|(name, program)| match &program.build {
            Build::Jvm(work) => (name.as_str(), work),
            other => panic!("{name}: {other:?}"),
        })
    }

    fn of(libc: brawn_preload::Libc) -> Program {
        Program { executable: "java".into(), libc, arch: Arch::X86_64 }
    }

    #[test]
    fn the_jvms_own_heap_is_the_baseline_and_allocators_are_preloaded() {
        use brawn_preload::Libc::{Glibc, Musl};
        let found = |name: &str, libc| library(&Flavour::from_name(name).unwrap(), &of(libc));
        assert!(found("glibc", Glibc).unwrap().is_none());
        assert!(found("stock", Musl).unwrap().is_none());
        for name in brawn_kit::library_names() {
            assert_eq!(found(name, Glibc).unwrap().unwrap().file_name, format!("libbrawn-{name}.so"));
            assert!(found(name, Musl).unwrap().unwrap().strings);
        }
        assert_eq!(found("stock", Glibc).unwrap_err(), "the JVM here is glibc's");
        assert!(found("glibc", Musl).is_err() && found("glibc-static", Glibc).is_err());
        assert!(
            found("brawn-hardened", Glibc).unwrap_err().starts_with("brawn-hardened cannot be preloaded")
        );
    }

    #[test]
    fn every_file_is_named_as_its_coordinates_say_and_pinned_once() {
        let mut pinned = std::collections::BTreeMap::new();
        let suite = crate::registry::suite("jvm");
        let inputs = suite.cases.iter().filter_map(|case| match &case.input {
            Some(Input::Jar(name)) => Some(name),
            _ => None,
        });
        for name in works().flat_map(|(_, work)| &work.jars).chain(inputs) {
            let source = jar(name);
            let Origin::Maven(coordinates) = source.origin else { panic!("{} is not of Maven", source.file) };
            let parts: Vec<_> = coordinates.split(':').collect();
            let name = match parts[..] {
                [_, artifact, version] => format!("{artifact}-{version}.jar"),
                [_, artifact, version, kind, classifier] => {
                    format!("{artifact}-{version}-{classifier}.{kind}")
                }
                _ => panic!("{coordinates}"),
            };
            assert_eq!(source.file, name);
            assert!(
                source.sha256.len() == 64 && source.sha256.bytes().all(|digit| digit.is_ascii_hexdigit())
            );
            let before = pinned.insert(source.sha256, source.file.clone());
            assert!(
                before.as_ref().is_none_or(|before| *before == source.file),
                "{before:?} and {}",
                source.file
            );
        }
    }

    #[test]
    fn every_work_has_a_source_and_most_stand_in_the_published_table() {
        for (name, work) in works() {
            assert!(source(&work.class).contains(" main("), "{name}");
        }
        let published =
            works().filter(|(name, _)| !published::table("alpaquita_dacapo_ms").row(name).is_empty());
        assert_eq!(published.count(), works().count() - 1, "all but batik");
    }
}
