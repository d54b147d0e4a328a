//! Programs on the machine's JVM, which is not ours to link again: each allocator is preloaded into it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use brawn_libc::Malloc;
use brawn_link::toolchain::on_path;
use brawn_measure::Variant;
use brawn_measure::results::{Better, Kind};
use brawn_preload::{Library, Program};

use crate::flavour::Libc;
use crate::workshop::{Origin, Source};
use crate::{Case, Context, Error, Figure, Flavour, Prepared, RowSpec, Suite, Workshop, published};

/// The files of the Maven repository that the programs stand on, pinned.
const JARS: &str = include_str!("../../workloads/jvm/jars.txt");

/// The file of that name in [`JARS`].
fn jar(name: &str) -> Source {
    let mut rows = JARS.lines().map(|line| line.split(' ').collect::<Vec<&'static str>>());
    let row = rows.find(|row| row[0] == name).unwrap_or_else(|| panic!("no file {name} in the list"));
    Source { file: row[1], sha256: row[3], origin: Origin::Maven(row[2]) }
}

/// What draws.
const DRAWING: &[&str] = &["batik", "graphics", "xml-apis-ext", "commons-io", "commons-logging"];
/// What sets pages.
const FOP: &[&str] = &[
    "fop-core",
    "fop-util",
    "fop-events",
    "fontbox",
    "batik",
    "graphics",
    "xml-apis-ext",
    "commons-io",
    "commons-logging",
];
/// What looks for flaws in sources, and the classes of those sources, whose types it follows.
const PMD: &[&str] = &[
    "pmd-core",
    "pmd-java",
    "asm",
    "slf4j",
    "commons-lang",
    "pcollections",
    "antlr",
    "xml-messages",
    "commons-io",
];

/// A program and what it does.
struct Work {
    /// The case, which is also the row's name in the published table if it stands there.
    case: &'static str,
    /// The class with `main`.
    class: &'static str,
    /// Its arguments behind the number of iterations.
    args: &'static [&'static str],
    jars: &'static [&'static str],
    /// Files that it works on; their paths are its last arguments.
    inputs: &'static [&'static str],
}

const WORKS: &[Work] = &[
    Work { case: "h2", class: "H2", args: &[], jars: &["h2"], inputs: &[] },
    Work { case: "fop", class: "FopReport", args: &[], jars: FOP, inputs: &[] },
    Work { case: "pmd", class: "Pmd", args: &[], jars: PMD, inputs: &["commons-io-sources"] },
    Work { case: "xalan", class: "Xalan", args: &[], jars: &["xalan", "serializer"], inputs: &[] },
    Work { case: "jython", class: "Jython", args: &[], jars: &["jython"], inputs: &[] },
    Work { case: "luindex", class: "Lucene", args: &["index"], jars: &["lucene"], inputs: &[] },
    Work { case: "lusearch", class: "Lucene", args: &["search"], jars: &["lucene"], inputs: &[] },
    Work { case: "batik", class: "Batik", args: &[], jars: DRAWING, inputs: &[] },
];

/// The programs' sources; `Run` is what they share.
const SOURCES: &[(&str, &str)] = &[
    ("Run", include_str!("../../workloads/jvm/Run.java")),
    ("H2", include_str!("../../workloads/jvm/H2.java")),
    ("FopReport", include_str!("../../workloads/jvm/FopReport.java")),
    ("Pmd", include_str!("../../workloads/jvm/Pmd.java")),
    ("Xalan", include_str!("../../workloads/jvm/Xalan.java")),
    ("Jython", include_str!("../../workloads/jvm/Jython.java")),
    ("Lucene", include_str!("../../workloads/jvm/Lucene.java")),
    ("Batik", include_str!("../../workloads/jvm/Batik.java")),
];

/// How often a program does its work in one run: the last time counts, when the JVM has compiled what is hot.
const ITERATIONS: &str = "5";

/// The same heap and collector whatever the machine's size, or the JVM would choose another on two cores than on four.
const JAVA: &[&str] = &["-Xmx512m", "-XX:+UseG1GC", "-Djava.awt.headless=true"];

/// `jvm`
pub const SUITE: Suite = Suite {
    name: "jvm",
    title: "Programs on the JVM",
    about: "A database, two writers of documents, a checker of sources, stylesheets, Python, an index and its search, each on \
         a library that DaCapo runs as well, on this machine's own JVM. Nothing is linked again: the variants of musl \
         stand for their allocator, preloaded into the same `java`, and the first variant for no library. The time is that \
         of the fifth iteration in a process. The works are our own, so only ratios stand beside the published ones.",
    needs: "a JDK, and Maven for the libraries; `--variants glibc,NAME,…` preloads the allocators of these names",
    check: |_| {
        tool("java")?;
        tool("javac")?;
        Ok(())
    },
    prepare,
    ..Suite::PLAIN
};

fn prepare(context: &Context<'_>) -> Result<Prepared, Error> {
    let mut prepared = Prepared::default();
    if context.options.quick {
        return Ok(prepared);
    }
    let java = tool("java")?;
    let preloads = preloads(context, &java, &mut prepared)?;
    for work in WORKS {
        if !context.options.wants(work.case) {
            continue;
        }
        let class_path = class_path(context.workshop, work)?;
        let inputs: Vec<_> =
            work.inputs.iter().map(|input| context.workshop.source(&jar(input))).collect::<Result<_, _>>()?;
        let variant = |(name, library): &(String, Option<PathBuf>)| {
            let variant = Variant::new(name, &java)
                .args(JAVA)
                .arg("-cp")
                .arg(&class_path)
                .args([work.class, ITERATIONS])
                .args(work.args)
                .args(&inputs);
            match library {
                Some(library) => variant.env("LD_PRELOAD", library),
                None => variant,
            }
        };
        let time = RowSpec::metric("last_iteration_seconds", Kind::Time, "s", Better::Lower)
            .named("the fifth iteration")
            .published(published::DACAPO.row(work.case));
        prepared.cases.push(
            Case::new(work.case, preloads.iter().map(variant).collect())
                .watch([Figure::metric("last_iteration_seconds")])
                .share(4.0)
                .session(|session| {
                    // A run takes seconds, and warms itself up.
                    let mut session = session.blocks_between(3, 20);
                    session.warmup_blocks = 0;
                    session.limit = Duration::from_secs(10 * 60);
                    session
                })
                .row(time)
                .row(RowSpec::new(Figure::Wall))
                .row(RowSpec::new(Figure::Cpu))
                .row(RowSpec::new(Figure::Peak)),
        );
    }
    for name in WORKS.iter().flat_map(|work| work.jars) {
        if let Origin::Maven(coordinates) = jar(name).origin
            && let Some((name, version)) = coordinates.rsplit_once(':')
        {
            prepared.versions.insert(name.to_owned(), version.to_owned());
        }
    }
    Ok(prepared)
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
            Err(why) => prepared.notes.push(format!("{}: {why}", flavour.name)),
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
    match &flavour.libc {
        _ if flavour.name == plain(program) => Ok(None),
        Libc::Glibc | Libc::GlibcStatic => Err(format!("the JVM here is {}'s, and dynamic", program.libc)),
        Libc::Musl(choice) if matches!(choice.malloc, Malloc::Stock) => {
            Err(format!("the JVM here is {}'s", program.libc))
        }
        Libc::Musl(choice) => {
            Library::new(choice, program.libc, program.arch).map(Some).map_err(|error| error.to_string())
        }
    }
}

/// The libraries of a program, and the folder with our own classes, compiled now if they were not.
fn class_path(workshop: &Workshop, work: &Work) -> Result<String, Error> {
    let jars: Vec<Source> = work.jars.iter().map(|name| jar(name)).collect();
    let mut parts = Vec::new();
    for jar in &jars {
        parts.push(workshop.source(jar)?.display().to_string());
    }
    let javac = tool("javac")?;
    let own: Vec<_> = SOURCES.iter().filter(|(name, _)| [work.class, "Run"].contains(name)).collect();
    let mut inputs: Vec<&str> = own.iter().map(|(_, text)| *text).collect();
    inputs.extend(jars.iter().map(|jar| jar.sha256));
    let javac_name = javac.display().to_string();
    inputs.push(&javac_name);
    let slot = workshop.slot(&format!("jvm-{}", work.case), &inputs)?;
    let classes = slot.once("classes", "", |to| {
        let mut command = Command::new(&javac);
        command.arg("-d").arg(to).arg("-cp").arg(parts.join(":"));
        for (name, text) in &own {
            let file = slot.path().join(format!("{name}.java"));
            fs_err::write(&file, text)?;
            command.arg(file);
        }
        workshop.step(&format!("compiling {}", work.case), slot.path(), &mut command)
    })?;
    parts.push(classes.display().to_string());
    Ok(parts.join(":"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brawn_elf::Arch;

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
        assert!(found("brawn", Glibc).unwrap_err().starts_with("brawn cannot be preloaded"));
    }

    #[test]
    fn every_file_is_named_as_its_coordinates_say_and_pinned_once() {
        let mut pinned = std::collections::BTreeMap::new();
        for name in WORKS.iter().flat_map(|work| work.jars.iter().chain(work.inputs)) {
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
            let before = pinned.insert(source.sha256, source.file);
            assert!(before.is_none_or(|before| before == source.file), "{before:?} and {}", source.file);
        }
    }

    #[test]
    fn every_work_has_a_source_and_most_stand_in_the_published_table() {
        for work in WORKS {
            assert!(
                SOURCES.iter().any(|(name, text)| *name == work.class && text.contains(" main(")),
                "{}",
                work.case
            );
        }
        let published = WORKS.iter().filter(|work| !published::DACAPO.row(work.case).is_empty());
        assert_eq!(published.count(), WORKS.len() - 1, "all but batik");
    }
}
