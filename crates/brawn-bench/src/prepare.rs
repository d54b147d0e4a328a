//! Makes cases of a suite: builds what it names, and fills the numbers, ports and paths of this run into its texts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use brawn_link::cc::Language;
use brawn_link::toolchain::on_path;
use brawn_measure::service::free_port;
use brawn_measure::{Output, Ready, Service, Session, Variant};

use crate::flavour::Base;
use crate::suite::{Compiler, Suite, Template, Tool};
use crate::words::Words;
use crate::{Case, Context, Error, Figure, Flavour, Options, Prepared, Workshop, jvm, workloads};

impl Suite {
    /// What the own tests of the program of this name print.
    ///
    /// # Errors
    /// [`Error::Absent`] when it is a program of our own, and those of the workshop.
    pub fn own_tests(
        &self,
        name: &str,
        workshop: &Workshop,
        flavour: &Flavour,
        folder: &Path,
        tests: &[Vec<String>],
    ) -> Result<String, Error> {
        self.programs[name].own_tests(name, workshop, flavour, folder, tests)
    }

    /// Whether what it needs is here. Builds and fetches nothing.
    ///
    /// # Errors
    /// [`Error::Absent`] where not.
    pub fn check(&self, workshop: &Workshop) -> Result<(), Error> {
        for tool in &self.tools {
            tool.found(on_path(&tool.name))?;
        }
        match self.compiler {
            Compiler::Rust => {
                workshop.musl_triple()?;
                workshop.musl_linker()?;
            }
            Compiler::C => {
                workshop.compiler(Base::Musl, Language::C)?;
                if workshop.glibc_triple().is_ok() {
                    workshop.compiler(Base::Glibc, Language::C)?;
                }
            }
            Compiler::Jdk => jvm::check()?,
        }
        Ok(())
    }

    /// Builds its programs, and says what to run.
    ///
    /// # Errors
    /// [`Error::Absent`] skips the suite with that line; anything else ends the run.
    pub fn prepare(&self, context: &Context<'_>) -> Result<Prepared, Error> {
        let mut prepared = Prepared { notes: self.notes.clone(), ..Prepared::default() };
        let mut wanted = Vec::new();
        for template in &self.cases {
            let mut words = Words::new(&template.vars);
            words.set_path("root", context.workshop.root());
            words.set("case", &template.name);
            let name = words.fill(&template.program);
            let program = &self.programs[&name];
            let mut counts = template.counts(context.options);
            if !program.is_own() {
                counts.retain(|&count| {
                    let case = template.named(&words, count);
                    let wanted = context.options.wants(&case);
                    if !wanted {
                        prepared.unwanted.push(case);
                    }
                    wanted
                });
            }
            let left_out = program.optional.is_some() && context.options.own_only;
            if counts.is_empty() || left_out {
                continue;
            }
            // Fetched before the long builds: what is missing shall be known early.
            if let Some(input) = &template.input {
                words.set_path("input", &input.make(context.workshop)?);
            }
            wanted.push((template, name, words, counts));
        }
        let mut built = BTreeMap::new();
        for (template, name, words, counts) in wanted {
            let cases = self.cases(template, &name, words, &counts, context, &mut prepared, &mut built);
            match (cases, &self.programs[&name].optional) {
                (Ok(cases), _) => prepared.cases.extend(cases),
                (Err(Error::Absent { reason, hint }), Some(called)) => {
                    let note = format!("{called} is left out: {reason} ({hint})");
                    context.workshop.say(&note);
                    prepared.notes.push(note);
                }
                (Err(error), _) => return Err(error),
            }
        }
        Ok(prepared)
    }

    /// The cases of one template, whose program is called `name`.
    #[expect(clippy::too_many_arguments)]
    fn cases(
        &self,
        template: &Template,
        name: &str,
        mut words: Words,
        counts: &[Option<usize>],
        context: &Context<'_>,
        prepared: &mut Prepared,
        built: &mut BTreeMap<String, Vec<Variant>>,
    ) -> Result<Vec<Case>, Error> {
        let workshop = context.workshop;
        for tool in &self.tools {
            words.set_path(&tool.name, &tool.found(on_path(&tool.name))?);
        }
        let client = template.service.as_ref().map(|_| client(workshop)).transpose()?;
        if !built.contains_key(name) {
            let variants = self.programs[name].make(name, context.flavours, context, prepared)?;
            built.insert(name.to_owned(), variants);
        }
        let mut variants = built[name].clone();
        if let Some(helper) = &template.helper {
            // The same for every variant, so that only what it is used with differs.
            let first = Flavour::list([variants[0].name.as_str()])?;
            let made = self.programs[helper].make(helper, &first, context, prepared)?;
            words.set_path("helper", &made[0].program);
            if template.launched {
                let launched =
                    |variant: Variant| Variant::new(variant.name, &made[0].program).arg(variant.program);
                variants = variants.into_iter().map(launched).collect();
            }
        }
        let port = if client.is_some() { free_port()? } else { 0 };
        words.set("port", &port.to_string());
        template.write_files(&words, workshop.root())?;
        let quick_args = template.quick_args.iter().filter(|_| context.options.quick);
        let args: Vec<&String> = template.args.iter().chain(quick_args).collect();
        let listed = match template.listed {
            true => listed(&variants[0], args.iter().map(|text| words.fill(text)))?,
            false => Vec::new(),
        };
        let case = |count: &Option<usize>| {
            let case = template.named(&words, *count);
            let mut words = words.counting(&template.axis, *count);
            words.set("case", &case);
            let service = template.service.as_ref().zip(client.as_ref()).map(|(service, client)| {
                let client =
                    Variant::new("client", client).args(service.client.iter().map(|text| words.fill(text)));
                let mut made = Service::new(Ready::port(port), client);
                made.idle = Some(Duration::from_secs(1));
                if let Some(signal) = &service.stop {
                    made.stop = signal.parse().expect("a signal's name");
                }
                made
            });
            let path = |text: &Option<String>| text.as_ref().map(|text| PathBuf::from(words.fill(text)));
            let variant = |variant: &Variant| Variant {
                service: service.clone(),
                reader: template.input.as_ref().and_then(|input| input.reader()),
                arg0: template.arg0.as_ref().map(|text| words.fill(text).into()),
                env: template.env.iter().map(|(key, text)| (key.into(), words.fill(text).into())).collect(),
                stdin: path(&template.stdin),
                current_dir: path(&template.dir),
                ..variant.clone().args(args.iter().map(|text| words.fill(text)))
            };
            let place = count.map(|count| (count as f64, template.axis.as_str()));
            let mut made = Case::new(case, variants.iter().map(variant).collect());
            made.rows = template.rows.iter().flat_map(|row| row.rows(&words, place)).collect();
            made.share = template.share.unwrap_or(made.share);
            made.session = template.session(made.session);
            if !template.watch.is_empty() {
                let watched = template.watch.iter().map(|name| Figure::from_key(&words.fill(name)));
                made.session = made.session.watch(watched);
            }
            if let Some(first) = listed.first() {
                let rows = listed.iter().flat_map(|figure| {
                    let row = figure.rsplit('/').next().unwrap_or(figure);
                    let words = words.with("row", row);
                    template.rows.iter().flat_map(move |template| template.rows(&words, place))
                });
                made.rows = rows.collect();
                made.session = made.session.watch([Figure::from_key(first)]);
            }
            made
        };
        Ok(counts.iter().map(case).collect())
    }
}

impl Tool {
    /// Where it is, if it is found.
    fn found(&self, path: Option<PathBuf>) -> Result<PathBuf, Error> {
        path.ok_or_else(|| Error::absent(&self.absent, &self.hint))
    }
}

/// The lines of a program's list.
fn listed(program: &Variant, args: impl Iterator<Item = String>) -> Result<Vec<String>, Error> {
    let name = || program.program.display().to_string();
    let mut command = Command::new(&program.program);
    let output = command.arg("list").args(args).output();
    let output = output.map_err(|source| Error::Spawn { program: name(), source })?;
    let lines: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    match output.status.success() && !lines.is_empty() {
        true => Ok(lines),
        false => Err(Error::NoRows { program: name(), status: output.status.to_string() }),
    }
}

/// The program that uses servers and checks their answers, the same for every variant.
fn client(workshop: &Workshop) -> Result<PathBuf, Error> {
    let source = workloads::text("client/client.rs");
    workshop.for_this_machine(|flavours| workshop.rust_program("client", source, flavours))
}

impl Template {
    /// The numbers to run it with; none for a case without one. No number at all when it is not to be run.
    fn counts(&self, options: &Options) -> Vec<Option<usize>> {
        let asked_by = |text: &String| {
            let case = options.case.as_ref();
            case.is_some_and(|case| case.contains(text.as_str()) && self.name.contains(case.as_str()))
        };
        if !self.asked.as_ref().is_none_or(asked_by) {
            return Vec::new();
        }
        if self.counts.is_empty() {
            return if self.quick || !options.quick { vec![None] } else { Vec::new() };
        }
        let own = if options.quick { &self.quick_counts } else { &self.counts };
        // Work of its own for `quick` is for these numbers of threads.
        let fixed =
            self.axis != "threads" || own.is_empty() || (options.quick && !self.quick_args.is_empty());
        let given = !fixed && !options.threads.is_empty();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = |&count: &usize| Some(if count == 0 { cores } else { count });
        let mut counts: Vec<_> = if given { &options.threads } else { own }.iter().map(count).collect();
        counts.dedup();
        counts
    }

    fn named(&self, words: &Words, count: Option<usize>) -> String {
        words.counting(&self.axis, count).fill(&self.name)
    }

    fn write_files(&self, words: &Words, root: &Path) -> Result<(), Error> {
        for file in &self.files {
            let path = root.join(&file[0]);
            match file.get(1) {
                Some(text) => {
                    fs_err::create_dir_all(path.parent().unwrap_or(root))?;
                    fs_err::write(path, words.fill(workloads::text(text)))?;
                }
                None => fs_err::create_dir_all(path)?,
            }
        }
        Ok(())
    }

    fn session(&self, mut session: Session) -> Session {
        if let Some((fewest, most)) = self.blocks {
            session = session.blocks_between(fewest, most);
        }
        if let Some(seconds) = self.limit_seconds {
            session.conditions.limit = Duration::from_secs(seconds);
        }
        session.conditions.timeline = self.timeline_ms.map(Duration::from_millis);
        if self.sorted {
            session.output = Output::SortedLines;
        }
        Session {
            warmup_blocks: self.warmup.unwrap_or(session.warmup_blocks),
            count_system_calls: self.count_system_calls,
            ..session
        }
    }
}

#[cfg(test)]
mod tests {
    use brawn_base::Diagnostic as _;

    use super::*;
    use crate::Figure;
    use crate::registry::{SUITES, suite};

    #[test]
    fn a_program_without_rows_ends_the_run() {
        for program in ["/bin/true", "/bin/false"] {
            let error = listed(&Variant::new("one", program), std::iter::empty()).unwrap_err();
            assert!(error.to_string().starts_with(&format!("{program} lists no rows")), "{error}");
        }
    }

    /// Calls `with` with a suite of one optional program, which cannot be fetched, and what it is prepared in.
    fn with_absent<T>(options: &Options, with: impl Fn(&mut Suite, &Context<'_>) -> T) -> T {
        let text = "title = ''\nabout = ''\n\
            [program.gone]\noptional = 'the gone one'\n\
            [program.gone.build.make]\nexecutable = ''\ncommands = []\n\
            source = { file = 'gone.tar', sha256 = 'abc', by-hand = 'the shelf' }\n\
            [[case]]\nname = 'gone'\nprogram = 'gone'\nrows = []\n";
        let folder = tempfile::tempdir().unwrap();
        let brawn = folder.path().join("brawn");
        fs_err::write(&brawn, "").unwrap();
        let workshop = Workshop::open(&folder.path().join("work"), &brawn).unwrap();
        let flavours = Flavour::list(["stock"]).unwrap();
        let context = Context { workshop: &workshop, flavours: &flavours, options };
        with(&mut Suite::read("test", text), &context)
    }

    #[test]
    fn what_is_missing_is_noted_and_the_rest_runs() {
        with_absent(&Options::default(), |suite, context| {
            let prepared = suite.prepare(context).unwrap();
            let [note] = &prepared.notes[..] else { panic!("{:?}", prepared.notes) };
            assert!(note.starts_with("the gone one is left out: gone.tar is not here"), "{note}");
            assert!(note.contains("the shelf"), "{note}");
            suite.programs.get_mut("gone").unwrap().optional = None;
            let error = suite.prepare(context).unwrap_err();
            assert!(matches!(error, Error::Absent { .. }), "what a suite cannot do without ends it: {error}");
        });
    }

    #[test]
    fn a_case_adds_to_the_environment() {
        let text = "title = ''\nabout = ''\n\
            [program.one.build.make]\nexecutable = 'one'\ncommands = [['touch', 'one']]\n\
            [[case]]\nname = 'case'\nprogram = 'one'\nrows = []\nenv = { HOME = '{root}/{case}' }\n";
        let folder = tempfile::tempdir().unwrap();
        let brawn = folder.path().join("brawn");
        fs_err::write(&brawn, "").unwrap();
        let workshop = Workshop::open(&folder.path().join("work"), &brawn).unwrap();
        let flavours = Flavour::list(["glibc"]).unwrap();
        let options = Options::default();
        let context = Context { workshop: &workshop, flavours: &flavours, options: &options };
        let prepared = Suite::read("test", text).prepare(&context).unwrap();
        let home = workshop.root().join("case");
        assert_eq!(prepared.cases[0].variants[0].env, [("HOME".into(), home.into_os_string())]);
    }

    #[test]
    fn only_what_is_asked_for_is_built() {
        let other = Options { case: Some("pres".into()), ..Options::default() };
        with_absent(&other, |suite, context| {
            let prepared = suite.prepare(context).unwrap();
            assert!(prepared.cases.is_empty() && prepared.notes.is_empty());
            assert_eq!(prepared.unwanted, ["gone"]);
        });
        for nothing in
            [Options { quick: true, ..Options::default() }, Options { own_only: true, ..Options::default() }]
        {
            with_absent(&nothing, |suite, context| {
                let prepared = suite.prepare(context).unwrap();
                assert!(prepared.cases.is_empty() && prepared.notes.is_empty());
            });
        }
    }

    #[test]
    fn every_name_in_a_suite_is_that_of_something() {
        for suite in SUITES.iter() {
            for case in &suite.cases {
                let mut words = Words::new(&case.vars);
                words.set("case", &case.name);
                let programs = [Some(words.fill(&case.program)), case.helper.clone()];
                assert!(
                    programs.iter().flatten().all(|name| suite.programs.contains_key(name)),
                    "{}",
                    case.name
                );
                assert!(
                    case.counts.is_empty() != case.name.contains(&format!("{{{}}}", case.axis)),
                    "{}",
                    case.name
                );
                for file in case.files.iter().filter_map(|file| file.get(1)) {
                    workloads::text(file);
                }
                // An unknown table is a panic.
                for row in &case.rows {
                    row.rows(&words.counting(&case.axis, Some(1)), Some((1.0, "")));
                }
                let watched = case.watch.iter().map(|name| Figure::from_key(&words.fill(name)));
                for watched in watched.filter(|figure| matches!(figure, Figure::Metric(_))) {
                    let mut rows = case.rows.iter().flat_map(|row| row.rows(&words, None));
                    assert!(
                        rows.any(|row| format!("{row:?}").contains(&format!("{watched:?}"))),
                        "{}",
                        case.name
                    );
                }
            }
        }
    }

    #[test]
    fn what_a_user_counts_takes_the_place_of_the_suites_own() {
        let counts = |suite_name: &str, case: &str, options: &Options| {
            let counts = suite(suite_name).template(case).counts(options);
            counts.into_iter().flatten().collect::<Vec<_>>()
        };
        let (usual, quick) = (Options::default(), Options { quick: true, ..Options::default() });
        let given = Options { threads: vec![3], ..Options::default() };
        assert_eq!(counts("threads", "threads={threads}", &usual), [1, 2, 4, 8, 16, 32]);
        assert_eq!(counts("threads", "threads={threads}", &quick), [1, 4]);
        assert_eq!(counts("threads", "threads={threads}", &given), [3]);
        assert_eq!(counts("nginx", "connections={connections}", &given), [1, 20, 100, 200, 500, 1000]);
        assert!(counts("nginx", "connections={connections}", &quick).is_empty());
        assert_eq!(counts("stream", "threads={threads}", &usual)[0], 1);
        let both = Options { quick: true, ..given };
        assert_eq!(counts("footprint", "requests, threads={threads}", &both), [3]);
    }

    #[test]
    fn without_wrk_the_suite_says_how_to_get_it() {
        let error = suite("nginx").tools[0].found(None).unwrap_err();
        assert!(matches!(error, Error::Absent { .. }));
        assert_eq!(error.to_string(), "no wrk");
        assert_eq!(error.hint().unwrap(), "install it: on Debian `apt-get install wrk`");
    }

    #[test]
    fn the_site_has_a_page_of_the_size_and_the_port() {
        let folder = tempfile::tempdir().unwrap();
        let mut words = Words::default();
        words.set("port", "4711");
        suite("nginx").template("connections={connections}").write_files(&words, folder.path()).unwrap();
        let site = folder.path().join("sites/nginx");
        assert_eq!(fs_err::read(site.join("html/page.html")).unwrap().len(), 612);
        assert!(fs_err::read_to_string(site.join("nginx.conf")).unwrap().contains("listen 127.0.0.1:4711 "));
        assert!(site.join("logs").is_dir());
    }
}
