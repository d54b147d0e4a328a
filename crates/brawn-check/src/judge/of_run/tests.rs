use super::{Access, BTreeSet, Content, End, Grade, Operation, Run, Severity};

fn run_with(accesses: &[(&str, Operation, Option<i32>)], end: End) -> Run {
    let access = |(target, operation, error): &(&str, Operation, Option<i32>)| Access {
        target: (*target).to_owned(),
        operation: *operation,
        error: *error,
        count: 1,
    };
    Run { root: "chroot".into(), runtime: false, end, accesses: accesses.iter().map(access).collect() }
}

fn findings(run: &Run, with: &[Content]) -> Vec<(String, Severity, Option<Content>)> {
    let with = with.iter().copied().collect();
    let all = super::findings(run, &with, &mut BTreeSet::new());
    all.into_iter().map(|finding| (finding.code, finding.severity, finding.content)).collect()
}

const NONE: Option<i32> = Some(libc::ENOENT);

#[test]
fn what_is_found_anywhere_is_not_missing() {
    let looks = [
        ("/etc/ssl/certs/ca-certificates.crt", Operation::Look, NONE),
        ("/etc/pki/tls/certs/ca-bundle.crt", Operation::Open, None),
    ];
    let run = run_with(&looks, End::Exited { status: 0 });
    let certificates = Some(Content::Certificates);
    assert_eq!(findings(&run, &[]), [("certificates".to_owned(), Severity::Info, certificates)]);
    let run = run_with(&looks[..1], End::Exited { status: 0 });
    assert_eq!(findings(&run, &[]), [("certificates".to_owned(), Severity::Warning, certificates)]);
}

/// What a program did without cannot be what it needs; what it failed without may be.
#[test]
fn needs_are_graded_by_how_the_run_ended() {
    let looks = [
        ("/etc/ssl/cert.pem", Operation::Open, NONE),
        ("/bin/sh", Operation::Execute, NONE),
        ("/usr/share/locale/de", Operation::Open, NONE),
        ("/proc/self/exe", Operation::Open, None),
    ];
    let graded = |end: End, with: &[Content]| -> Vec<(Grade, Severity)> {
        let with = with.iter().copied().collect();
        let all = super::findings(&run_with(&looks, end), &with, &mut BTreeSet::new());
        let grades = all.iter().filter_map(|finding| Some((finding.grade?, finding.severity)));
        assert!(
            all.iter().all(|finding| finding.in_run && finding.grade.is_some() == finding.need().is_some())
        );
        grades.collect()
    };
    use {Grade::*, Severity::*};
    let optional = (Optional, Info);
    let went_on = [(Probable, Warning), optional, optional, (Probable, Warning)];
    assert_eq!(graded(End::Exited { status: 0 }, &[]), went_on);
    assert_eq!(graded(End::StillRunning, &[]), went_on);
    let failed = [(Required, Error), optional, optional, (Required, Warning)];
    assert_eq!(graded(End::Exited { status: 77 }, &[]), failed);
    assert_eq!(graded(End::Killed { signal: "SIGABRT".into() }, &[]), failed);
    assert_eq!(graded(End::Exited { status: 77 }, &[Content::Certificates])[0], optional);
}

#[test]
fn utc_is_no_fault_and_a_zone_that_is_missing_is() {
    let local = ("/etc/localtime", Operation::Open, NONE);
    let vienna = ("/usr/share/zoneinfo/Europe/Vienna", Operation::Open, NONE);
    let end = End::Exited { status: 0 };
    assert_eq!(findings(&run_with(&[local], end.clone()), &[])[0].1, Severity::Info);
    assert_eq!(findings(&run_with(&[local, vienna], end), &[])[0].1, Severity::Warning);
    let failed = run_with(&[local, vienna], End::Exited { status: 1 });
    assert_eq!(findings(&failed, &[])[1].1, Severity::Error);
}

#[test]
fn a_failure_is_told_with_its_kind() {
    let killed = |signal: &str| run_with(&[], End::Killed { signal: signal.into() });
    assert_eq!(findings(&killed("SIGILL"), &[])[0].0, "illegal-instruction");
    assert_eq!(findings(&killed("SIGSEGV"), &[])[0].0, "failed");
    assert_eq!(findings(&run_with(&[], End::Exited { status: 3 }), &[])[0].0, "failed");
    assert!(findings(&run_with(&[], End::StillRunning), &[]).is_empty());
}

#[test]
fn its_own_files_are_listed_apart() {
    let looks = [
        ("/etc/mine.toml", Operation::Open, NONE),
        ("/state", Operation::Create, Some(libc::EACCES)),
        ("/bin/sh", Operation::Execute, NONE),
        ("127.0.0.53:53", Operation::Connect, None),
        ("192.0.2.1:443", Operation::Connect, None),
        ("/var/run/secrets/token", Operation::Open, NONE),
    ];
    let codes: Vec<String> =
        findings(&run_with(&looks, End::StillRunning), &[]).into_iter().map(|finding| finding.0).collect();
    assert_eq!(codes, ["resolver", "programs", "missing-file", "cannot-write"]);
}
