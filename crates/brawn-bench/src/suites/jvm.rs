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

/// `jvm`
pub struct Jvm;

/// A file of the Maven repository, `group:artifact:version`.
const fn jar(file: &'static str, coordinates: &'static str, sha256: &'static str) -> Source {
    Source { file, sha256, origin: Origin::Maven(coordinates) }
}

const H2: Source = jar(
    "h2-2.2.224.jar",
    "com.h2database:h2:2.2.224",
    "b9d8f19358ada82a4f6eb5b174c6cfe320a375b5a9cb5a4fe456d623e6e55497",
);
const XALAN: Source = jar(
    "xalan-2.7.3.jar",
    "xalan:xalan:2.7.3",
    "febd48bb133a96c447282213951a6b74ea7fb45c0d896121296c014316bda6b0",
);
const SERIALIZER: Source = jar(
    "serializer-2.7.3.jar",
    "xalan:serializer:2.7.3",
    "5f6804bacdfdb3ccc52d2538536fab8986696d61559b081054a420c653806667",
);
const LUCENE: Source = jar(
    "lucene-core-9.12.1.jar",
    "org.apache.lucene:lucene-core:9.12.1",
    "8d812e9fa6dbd816808205e6cb4d7ab43a747e379c8cb31a0d6dc91050b3f97a",
);
const JYTHON: Source = jar(
    "jython-standalone-2.7.4.jar",
    "org.python:jython-standalone:2.7.4",
    "1fba1769effcc8b19f5e10436bc8274a158ce988559f257927c24c73bb137f3c",
);
const BATIK: Source = jar(
    "batik-all-1.18.jar",
    "org.apache.xmlgraphics:batik-all:1.18",
    "e6b99c9ce6559b0ac057173f11e01572bd0898aa388b6596376ae871bc3fc84f",
);
const XML_APIS_EXT: Source = jar(
    "xml-apis-ext-1.3.04.jar",
    "xml-apis:xml-apis-ext:1.3.04",
    "d0b4887dc34d57de49074a58affad439a013d0baffa1a8034f8ef2a5ea191646",
);
const FOP_CORE: Source = jar(
    "fop-core-2.10.jar",
    "org.apache.xmlgraphics:fop-core:2.10",
    "631f0fda234adf445331d446ddf07897f7ce4d3d666790af40a8017de66a178c",
);
const FOP_UTIL: Source = jar(
    "fop-util-2.10.jar",
    "org.apache.xmlgraphics:fop-util:2.10",
    "d218fa8b77cf56484183fec27e8a441d1d2520d771085441dbc159f07578fe9e",
);
const FOP_EVENTS: Source = jar(
    "fop-events-2.10.jar",
    "org.apache.xmlgraphics:fop-events:2.10",
    "a8639022c421b40aec991cb5bf359f9282ecb17f48e30bb98e4f4b372b29a1ef",
);
const GRAPHICS: Source = jar(
    "xmlgraphics-commons-2.10.jar",
    "org.apache.xmlgraphics:xmlgraphics-commons:2.10",
    "857af2d06d002ce217532504244ea8ee831aeb094feb0a47b2697f19496711ea",
);
const COMMONS_IO: Source = jar(
    "commons-io-2.17.0.jar",
    "commons-io:commons-io:2.17.0",
    "4aa4ca48f3dfd30b78220b7881d8cb93eac4093ec94361b6befa9487998a550b",
);
/// The sources of [`COMMONS_IO`].
const COMMONS_IO_SOURCES: Source = jar(
    "commons-io-2.17.0-sources.jar",
    "commons-io:commons-io:2.17.0:jar:sources",
    "7063020faaa2b0841cf4d197fc5041c388f7bd539eed2ee182f78b595cb463eb",
);
const COMMONS_LOGGING: Source = jar(
    "commons-logging-1.3.0.jar",
    "commons-logging:commons-logging:1.3.0",
    "66d3c980470b99b0c511dad3dfc0ae7b265ec1fb144e96bc0253a8a175fd34d9",
);
const FONTBOX: Source = jar(
    "fontbox-3.0.3.jar",
    "org.apache.pdfbox:fontbox:3.0.3",
    "65690c3f39b04a14d12c17f4998c15186ce877d3e2ec222c708577e3cc028030",
);
const PMD_CORE: Source = jar(
    "pmd-core-7.7.0.jar",
    "net.sourceforge.pmd:pmd-core:7.7.0",
    "154a77eb6f32b00270c65f9796318252b0f25e5f394b1935b456fb8dc0de3563",
);
const PMD_JAVA: Source = jar(
    "pmd-java-7.7.0.jar",
    "net.sourceforge.pmd:pmd-java:7.7.0",
    "95160f77a5ec3da2a3b5f4fe8968d0bfed8155c4ab583e530c49b7c9944eb968",
);
const ASM: Source = jar(
    "asm-9.7.jar",
    "org.ow2.asm:asm:9.7",
    "adf46d5e34940bdf148ecdd26a9ee8eea94496a72034ff7141066b3eea5c4e9d",
);
const SLF4J: Source = jar(
    "slf4j-api-1.7.36.jar",
    "org.slf4j:slf4j-api:1.7.36",
    "d3ef575e3e4979678dc01bf1dcce51021493b4d11fb7f1be8ad982877c16a1c0",
);
const COMMONS_LANG: Source = jar(
    "commons-lang3-3.14.0.jar",
    "org.apache.commons:commons-lang3:3.14.0",
    "7b96bf3ee68949abb5bc465559ac270e0551596fa34523fddf890ec418dde13c",
);
const PCOLLECTIONS: Source = jar(
    "pcollections-4.0.2.jar",
    "org.pcollections:pcollections:4.0.2",
    "2bbeef5797a241300c4f7513cd546239629ed7deda4fc0c31df90bb95f5f13ef",
);
const ANTLR: Source = jar(
    "antlr4-runtime-4.9.3.jar",
    "org.antlr:antlr4-runtime:4.9.3",
    "131a6594969bc4f321d652ea2a33bc0e378ca312685ef87791b2c60b29d01ea5",
);
const XML_MESSAGES: Source = jar(
    "nice-xml-messages-3.1.jar",
    "com.github.oowekyala.ooxml:nice-xml-messages:3.1",
    "0b4ceb5b8362d43c9c6c49b1bd57f1c5da54d3c5c7c305fa39c0a04462bb4799",
);

/// What draws.
const DRAWING: &[Source] = &[BATIK, GRAPHICS, XML_APIS_EXT, COMMONS_IO, COMMONS_LOGGING];
/// What sets pages.
const FOP: &[Source] =
    &[FOP_CORE, FOP_UTIL, FOP_EVENTS, FONTBOX, BATIK, GRAPHICS, XML_APIS_EXT, COMMONS_IO, COMMONS_LOGGING];
/// What looks for flaws in sources, and the classes of those sources, whose types it follows.
const PMD: &[Source] =
    &[PMD_CORE, PMD_JAVA, ASM, SLF4J, COMMONS_LANG, PCOLLECTIONS, ANTLR, XML_MESSAGES, COMMONS_IO];

/// A program and what it does.
struct Work {
    /// The case, which is also the row's name in the published table if it stands there.
    case: &'static str,
    /// The class with `main`.
    class: &'static str,
    /// Its arguments behind the number of iterations.
    args: &'static [&'static str],
    jars: &'static [Source],
    /// Files that it works on; their paths are its last arguments.
    inputs: &'static [Source],
}

const WORKS: &[Work] = &[
    Work { case: "h2", class: "H2", args: &[], jars: &[H2], inputs: &[] },
    Work { case: "fop", class: "FopReport", args: &[], jars: FOP, inputs: &[] },
    Work { case: "pmd", class: "Pmd", args: &[], jars: PMD, inputs: &[COMMONS_IO_SOURCES] },
    Work { case: "xalan", class: "Xalan", args: &[], jars: &[XALAN, SERIALIZER], inputs: &[] },
    Work { case: "jython", class: "Jython", args: &[], jars: &[JYTHON], inputs: &[] },
    Work { case: "luindex", class: "Lucene", args: &["index"], jars: &[LUCENE], inputs: &[] },
    Work { case: "lusearch", class: "Lucene", args: &["search"], jars: &[LUCENE], inputs: &[] },
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

impl Suite for Jvm {
    fn name(&self) -> &'static str {
        "jvm"
    }

    fn title(&self) -> &'static str {
        "Programs on the JVM"
    }

    fn about(&self) -> &'static str {
        "A database, two writers of documents, a checker of sources, stylesheets, Python, an index and its search, each on \
         a library that DaCapo runs as well, on this machine's own JVM. Nothing is linked again: the variants of musl \
         stand for their allocator, preloaded into the same `java`, and the first variant for no library. The time is that \
         of the fifth iteration in a process. The works are our own, so only ratios stand beside the published ones."
    }

    fn needs(&self) -> &'static str {
        "a JDK, and Maven for the libraries; `--variants glibc,NAME,…` preloads the allocators of these names"
    }

    fn check(&self, _: &Workshop) -> Result<(), Error> {
        tool("java")?;
        tool("javac")?;
        Ok(())
    }

    fn prepare(&self, context: &Context<'_>) -> Result<Prepared, Error> {
        let mut prepared = Prepared::default();
        if context.options.quick {
            return Ok(prepared);
        }
        let java = tool("java")?;
        let preloads = preloads(context, &java, &mut prepared)?;
        for work in WORKS {
            if context.options.case.as_ref().is_some_and(|text| !work.case.contains(text.as_str())) {
                continue;
            }
            let class_path = class_path(context.workshop, work)?;
            let inputs: Vec<_> =
                work.inputs.iter().map(|input| context.workshop.source(input)).collect::<Result<_, _>>()?;
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
        for jar in WORKS.iter().flat_map(|work| work.jars) {
            if let Origin::Maven(coordinates) = jar.origin
                && let Some((name, version)) = coordinates.rsplit_once(':')
            {
                prepared.versions.insert(name.to_owned(), version.to_owned());
            }
        }
        Ok(prepared)
    }
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
    let mut parts = Vec::new();
    for jar in work.jars {
        parts.push(workshop.source(jar)?.display().to_string());
    }
    let javac = tool("javac")?;
    let own: Vec<_> = SOURCES.iter().filter(|(name, _)| [work.class, "Run"].contains(name)).collect();
    let mut inputs: Vec<&str> = own.iter().map(|(_, text)| *text).collect();
    inputs.extend(work.jars.iter().map(|jar| jar.sha256));
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
        for source in WORKS.iter().flat_map(|work| work.jars.iter().chain(work.inputs)) {
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
