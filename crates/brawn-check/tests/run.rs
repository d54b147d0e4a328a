//! Real programs in empty roots, in every way in which the kernel here gives one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use brawn_base::Diagnostic as _;
use brawn_check::{
    Content, End, Entries, Entry, Error, How, NONROOT, Need, Program, Report, Run, Severity, judge, needs,
    run_by,
};

struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    /// A program of this C source, on musl.
    fn new(source: &str) -> Sandbox {
        let sandbox = Sandbox { folder: tempfile::tempdir().unwrap() };
        fs_err::write(sandbox.path("main.c"), source).unwrap();
        let output = Command::new("musl-gcc")
            .args(["-static", "-O1", "main.c", "-o", "program"])
            .current_dir(sandbox.folder.path())
            .output()
            .expect("musl-gcc (`make setup` installs it)");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        sandbox
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self) -> Program {
        Program {
            executable: self.path("program"),
            arguments: Vec::new(),
            environment: Vec::new(),
            entries: Entries::new(),
            user: (NONROOT, NONROOT),
            runtime: true,
            limit: Duration::from_secs(60),
            interrupt: Default::default(),
        }
    }

    fn judge(&self, run: Run, with: &[Content]) -> Report {
        let needs = needs(&fs_err::read(self.path("program")).unwrap()).unwrap();
        judge(&needs, Some(run), &with.iter().copied().collect::<BTreeSet<_>>())
    }
}

/// The ways that can be tried here: a machine for changes must have one, another may have none.
fn ways() -> Vec<How> {
    let sandbox = Sandbox::new("int main(void) { return 0; }");
    let all = [How::Mounts, How::User, How::Chroot];
    let works = |how: &How| match run_by(&sandbox.program(), &[*how]) {
        Ok(run) => {
            assert_eq!(run.end, End::Exited { status: 0 });
            true
        }
        Err(Error::NoRoot { reason }) => {
            eprintln!("left out: {reason}");
            false
        }
        Err(error) => panic!("{how:?}: {error:?}"),
    };
    let ways: Vec<How> = all.into_iter().filter(works).collect();
    assert!(!ways.is_empty() || std::env::var_os("CI").is_none(), "no way to get a root of one's own");
    ways
}

fn severity(report: &Report, code: &str) -> Option<Severity> {
    report.findings.iter().find(|finding| finding.code == code).map(|finding| finding.severity)
}

#[test]
fn a_program_that_needs_nothing_runs() {
    let sandbox = Sandbox::new("#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }");
    for how in ways() {
        let run = run_by(&sandbox.program(), &[how]).unwrap();
        assert_eq!((run.root.as_str(), &run.end), (how.name(), &End::Exited { status: 0 }));
        let report = sandbox.judge(run, &[]);
        assert!(report.ok && report.missing.is_empty(), "{report:#?}");
    }
}

/// Nothing of this machine is there, and the program has no rights.
#[test]
fn the_root_is_empty_and_not_the_programs_own() {
    let sandbox = Sandbox::new(
        "#include <fcntl.h>\n#include <sys/stat.h>\n#include <unistd.h>\n#include <dirent.h>\n#include <string.h>\n\
         int main(int n, char **v) {\n\
         if (getuid() != 65532 || getgid() != 65532 || geteuid() != 65532) return 10;\n\
         if (open(v[1], O_RDONLY) >= 0) return 11;\n\
         if (mkdir(\"/made\", 0700) == 0) return 12;\n\
         if (chdir(\"..\") || open(\"bin\", O_RDONLY) >= 0) return 13;\n\
         DIR *d = opendir(\"/\"); struct dirent *e;\n\
         while ((e = readdir(d))) if (e->d_name[0] != '.' && strcmp(e->d_name, \"program\")) return 14;\n\
         return 0; }",
    );
    for how in ways() {
        let program =
            Program { runtime: false, arguments: vec![sandbox.path("main.c").into()], ..sandbox.program() };
        let run = run_by(&program, &[how]).unwrap();
        assert_eq!(run.end, End::Exited { status: 0 }, "{how:?}");
        let report = sandbox.judge(run, &[]);
        assert_eq!(severity(&report, "cannot-write"), Some(Severity::Info), "{report:#?}");
        assert!(sandbox.path("main.c").exists());
    }
}

#[test]
fn what_is_looked_for_in_vain_is_told_with_the_part_that_mends_it() {
    let sandbox = Sandbox::new(
        "#include <stdio.h>\n#include <pwd.h>\n#include <time.h>\n#include <stdlib.h>\n\
         int main(void) { int missing = 0; time_t t = 0;\n\
         missing += !fopen(\"/etc/ssl/certs/ca-certificates.crt\", \"r\");\n\
         missing += !getpwnam(\"root\"); missing += !tmpfile();\n\
         setenv(\"TZ\", \"Europe/Vienna\", 1); localtime(&t); return missing; }",
    );
    let wanted = [Content::Certificates, Content::Zones, Content::Users, Content::Tmp];
    for how in ways() {
        let run = run_by(&sandbox.program(), &[how]).unwrap();
        assert_eq!(run.end, End::Exited { status: 3 });
        let report = sandbox.judge(run, &[]);
        assert!(!report.ok);
        assert_eq!(report.missing.iter().copied().collect::<Vec<_>>(), wanted, "{report:#?}");

        let file = |path: &str, text: &'static str| (path.to_owned(), Entry::file(text.as_bytes()));
        let entries = Entries::from([
            file("etc/ssl/certs/ca-certificates.crt", "none"),
            file("etc/passwd", "root:x:0:0:::\n"),
            ("tmp".to_owned(), Entry::directory(0o1777, 0)),
            file("usr/share/zoneinfo/Europe/Vienna", "none"),
        ]);
        let run = run_by(&Program { entries, ..sandbox.program() }, &[how]).unwrap();
        assert_eq!(run.end, End::Exited { status: 0 });
        let report = sandbox.judge(run, &wanted);
        assert!(report.ok && report.missing.is_empty(), "{report:#?}");
    }
}

#[test]
fn what_a_runtime_provides_is_there_unless_a_bare_root_is_asked_for() {
    let sandbox = Sandbox::new(
        "#include <stdio.h>\nint main(void) { return !fopen(\"/proc/self/status\", \"r\") + !fopen(\"/dev/null\", \"r\"); }",
    );
    for how in ways() {
        let bare = run_by(&Program { runtime: false, ..sandbox.program() }, &[how]).unwrap();
        assert_eq!(bare.end, End::Exited { status: 2 });
        assert_eq!(severity(&sandbox.judge(bare, &[]), "proc"), Some(Severity::Warning));
        let run = run_by(&sandbox.program(), &[how]).unwrap();
        // Nothing can be mounted by chroot alone, and the answer says so.
        assert_eq!(run.runtime, how != How::Chroot);
        if run.runtime {
            assert_eq!(run.end, End::Exited { status: 0 }, "{how:?}");
            assert_eq!(severity(&sandbox.judge(run, &[]), "proc"), Some(Severity::Info));
        }
    }
}

/// Threads, forked children and programs that these start are watched as well.
#[test]
fn children_and_threads_are_watched() {
    let sandbox = Sandbox::new(
        "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <sys/wait.h>\n\
         static void *look(void *path) { fopen(path, \"r\"); return 0; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, look, \"/etc/hosts\"); pthread_join(t, 0);\n\
         if (!fork()) { look(\"/etc/group\"); system(\"true\"); _exit(0); }\n wait(0); return 0; }",
    );
    for how in ways() {
        let run = run_by(&sandbox.program(), &[how]).unwrap();
        assert_eq!(run.end, End::Exited { status: 0 });
        let seen = |target: &str| run.accesses.iter().any(|access| access.target == target);
        assert!(seen("/etc/hosts") && seen("/etc/group") && seen("/bin/sh"), "{:#?}", run.accesses);
        let report = sandbox.judge(run, &[]);
        assert_eq!(severity(&report, Need::Programs.name()), Some(Severity::Warning));
    }
}

#[test]
fn a_server_is_stopped_and_an_illegal_instruction_is_told() {
    let server = Sandbox::new("#include <unistd.h>\nint main(void) { for (;;) pause(); }");
    let broken = Sandbox::new("int main(void) { __builtin_trap(); }");
    for how in ways() {
        let program = Program { limit: Duration::from_millis(500), ..server.program() };
        let run = run_by(&program, &[how]).unwrap();
        assert_eq!(run.end, End::StillRunning);
        assert!(server.judge(run, &[]).ok);
        let run = run_by(&broken.program(), &[how]).unwrap();
        assert_eq!(run.end, End::Killed { signal: "SIGILL".into() });
        assert_eq!(severity(&broken.judge(run, &[]), "illegal-instruction"), Some(Severity::Error));
    }
}

#[test]
fn relative_paths_are_those_of_the_program() {
    let sandbox = Sandbox::new(
        "#include <fcntl.h>\n#include <unistd.h>\nint main(void) { int d = open(\"/etc\", O_DIRECTORY);\n\
         openat(d, \"passwd\", 0); chdir(\"/etc\"); open(\"../etc/group\", 0); return 0; }",
    );
    for how in ways() {
        let entries = Entries::from([("etc".to_owned(), Entry::directory(0o755, 0))]);
        let run = run_by(&Program { entries, ..sandbox.program() }, &[how]).unwrap();
        let targets: Vec<&str> = run.accesses.iter().map(|access| access.target.as_str()).collect();
        assert!(targets.contains(&"/etc/passwd") && targets.contains(&"/etc/group"), "{how:?} {targets:?}");
    }
}

#[test]
fn where_nothing_is_allowed_it_says_so() {
    let sandbox = Sandbox::new("int main(void) { return 0; }");
    let error = run_by(&sandbox.program(), &[]).unwrap_err();
    assert!(matches!(error, Error::NoRoot { .. }) && error.hint().unwrap().contains("--static"), "{error}");
    let missing = Program { executable: Path::new("/nonexistent/program").into(), ..sandbox.program() };
    for how in ways() {
        assert!(run_by(&missing, &[how]).unwrap_err().to_string().contains("/nonexistent/program"));
    }
}
