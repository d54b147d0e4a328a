//! What follows from the look into an executable and from its run.

use std::collections::{BTreeMap, BTreeSet};

use brawn_elf::CpuLevel;
use nix::errno::Errno;
use serde::{Deserialize, Serialize};

use crate::{Access, Content, End, Found, Need, Needs, Operation, Provider, Run, Strength};

/// The version of the JSON form. It grows when a field changes its meaning or goes away, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that is known about whether a program runs in an empty root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// The version of this form: 1.
    pub schema_version: u32,
    /// Whether no finding is an error.
    pub ok: bool,
    /// Parts of an image that the root had.
    pub with: BTreeSet<Content>,
    /// Parts that it should have besides.
    pub missing: BTreeSet<Content>,
    /// What follows, the most important first.
    pub findings: Vec<Finding>,
    /// What the executable shows without running.
    pub shows: Vec<Found>,
    /// The run; none when it was not run.
    pub run: Option<Run>,
}

/// Something worth saying.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// A stable name: that of a need, or `dynamic-executable`, `wrong-architecture`, `new-processor`, `illegal-instruction`,
    /// `failed`, `missing-file`, `cannot-write`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// How much the program needs what this is about; none when it is about no need.
    #[serde(default)]
    pub grade: Option<Grade>,
    /// Whether the run showed it; false when only the file does, or it was not run.
    #[serde(default)]
    pub in_run: bool,
    /// What is so.
    pub message: String,
    /// How it is known.
    pub evidence: Vec<String>,
    /// The part of an image that provides it.
    pub content: Option<Content>,
    /// What else to do about it.
    pub hint: Option<String>,
}

/// How much a program needs something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// It looked for this, found none, and failed.
    Required,
    /// It looked for this, found none, and went on; or it was not run, and the code that would use it is there.
    Probable,
    /// It found this, does without, or may use it another time.
    Optional,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It does not run, it failed, or it failed without something that an image can hold.
    Error,
    /// It looked for something that is not there, or may want it.
    Warning,
    /// Good to know.
    Info,
}

impl Finding {
    /// The need that it is about, if any.
    pub fn need(&self) -> Option<Need> {
        self.grade.and_then(|_| Need::ALL.into_iter().find(|need| need.name() == self.code))
    }
}

/// Pieces of evidence shown for one finding.
const MOST_EVIDENCE: usize = 6;

/// Says what follows. `with` are the parts that the root had, or that an image is to have.
pub fn judge(needs: &Needs, run: Option<Run>, with: &BTreeSet<Content>) -> Report {
    let mut findings = obstacles(needs);
    let mut seen = BTreeSet::new();
    if let Some(run) = &run {
        findings.extend(of_run(run, with, &mut seen));
    }
    for found in needs.found.iter().filter(|found| !seen.contains(&found.need)) {
        findings.extend(of_found(found, run.is_some(), with));
    }
    findings.sort_by_key(|finding| finding.severity);
    let wanted = |finding: &&Finding| finding.severity <= Severity::Warning;
    let missing = findings.iter().filter(wanted).filter_map(|finding| finding.content).collect();
    Report {
        schema_version: SCHEMA_VERSION,
        ok: findings.iter().all(|finding| finding.severity != Severity::Error),
        with: with.clone(),
        missing,
        findings,
        shows: needs.found.clone(),
        run,
    }
}

/// What keeps it from running at all.
pub(crate) fn obstacles(needs: &Needs) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut say = |code: &str, severity, message: String, evidence: Vec<String>, hint: &str| {
        let hint = (!hint.is_empty()).then(|| hint.to_owned());
        findings.push(Finding {
            code: code.to_owned(),
            severity,
            grade: None,
            in_run: false,
            message,
            evidence,
            content: None,
            hint,
        });
    };
    let inspection = &needs.inspection;
    if !needs.is_static() {
        let interpreter = inspection.interpreter.iter().map(|path| format!("its interpreter is {path}"));
        let needed = inspection.needed.iter().map(|library| format!("it needs {library}"));
        say(
            "dynamic-executable",
            Severity::Error,
            "it is not static: the kernel looks for a loader and libraries that an empty root does not have"
                .to_owned(),
            interpreter.chain(needed).collect(),
            "build it with `brawn build` or `brawn cc`",
        );
    }
    let machine = std::env::consts::ARCH;
    if inspection.format.arch != machine {
        say(
            "wrong-architecture",
            Severity::Error,
            format!("it is for {}, and this machine is {machine}", inspection.format.arch),
            Vec::new(),
            "an image of it must say so: run it on a machine of its own, or under qemu-user",
        );
    }
    findings.extend(processor(needs, CpuLevel::host()));
    findings
}

/// A processor that not everyone has: an error where this machine's is too old.
fn processor(needs: &Needs, here: Option<CpuLevel>) -> Option<Finding> {
    let code = "new-processor";
    let told = needs.inspection.verdict.iter().find(|finding| finding.code == code)?;
    let required = needs.inspection.cpu.as_ref()?.required?;
    let too_old = here.is_some_and(|here| here < required);
    Some(Finding {
        code: code.to_owned(),
        severity: if too_old { Severity::Error } else { Severity::Warning },
        grade: None,
        in_run: false,
        message: told.message.clone(),
        evidence: here
            .map(|here| format!("this machine's is of level {}", here.name()))
            .into_iter()
            .collect(),
        content: None,
        hint: told.hint.clone(),
    })
}

/// A need that the file shows, and that the run did not.
fn of_found(found: &Found, ran: bool, with: &BTreeSet<Content>) -> Option<Finding> {
    let need = found.need;
    let there = need.content().is_some_and(|content| with.contains(&content));
    let (severity, grade) = match (found.strength, need.provider()) {
        _ if there => return None,
        (_, Provider::Runtime(_)) | (Strength::Possible, _) => (Severity::Info, Grade::Optional),
        // What was not looked for may be needed another time.
        (Strength::Likely, _) if ran => (Severity::Info, Grade::Optional),
        (Strength::Likely, _) => (Severity::Warning, Grade::Probable),
    };
    let message = match need.provider() {
        Provider::Runtime(_) => {
            format!(
                "it may use {}, which a container runtime provides and a bare chroot does not",
                need.describe()
            )
        }
        Provider::Image(_) | Provider::None => format!("it may use {}", need.describe()),
    };
    let message = if ran { format!("{message}; it did not in this run") } else { message };
    Some(Finding {
        code: need.name().to_owned(),
        severity,
        grade: Some(grade),
        in_run: false,
        message,
        evidence: found.evidence.iter().map(|evidence| evidence.detail.clone()).collect(),
        content: need.content(),
        hint: need.hint().map(str::to_owned),
    })
}

/// What the run showed.
fn of_run(run: &Run, with: &BTreeSet<Content>, seen: &mut BTreeSet<Need>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut by_need: BTreeMap<Need, Vec<&Access>> = BTreeMap::new();
    let mut others = Vec::new();
    for access in &run.accesses {
        match need_of(access) {
            Some(need) => by_need.entry(need).or_default().push(access),
            None => others.push(access),
        }
    }
    for (need, accesses) in by_need {
        seen.insert(need);
        findings.push(looked_for(need, &accesses, run, with));
    }
    findings.extend(missing_files(&others));
    if !run.end.is_ok() {
        findings.insert(0, failure(run, &findings));
    }
    findings
}

fn need_of(access: &Access) -> Option<Need> {
    match access.operation {
        Operation::Execute => Some(Need::Programs),
        Operation::Connect if access.target.starts_with('/') => Some(Need::Sockets),
        Operation::Connect => access.target.ends_with(":53").then_some(Need::Resolver),
        // A file that lies where sockets do, such as the token that Kubernetes gives to a pod.
        _ => Need::of_path(&access.target).filter(|need| *need != Need::Sockets),
    }
}

fn failure(run: &Run, others: &[Finding]) -> Finding {
    let illegal = run.end == End::Killed { signal: "SIGILL".to_owned() };
    let hint = if illegal {
        "it was compiled for a newer processor than this one: build it without target-cpu or -march, or with a lower one"
    } else if others.iter().any(|finding| finding.grade == Some(Grade::Required)) {
        "what it wrote to standard error stands above; what it did not find may be the reason"
    } else if others.iter().any(|finding| finding.grade.is_none()) {
        "what it wrote to standard error stands above; a file of its own may be the reason, see below"
    } else {
        "what it wrote to standard error stands above; nothing that it looked for was missing"
    };
    Finding {
        code: if illegal { "illegal-instruction" } else { "failed" }.to_owned(),
        severity: Severity::Error,
        grade: None,
        in_run: true,
        message: format!("it {}", run.end),
        evidence: Vec::new(),
        content: None,
        hint: Some(hint.to_owned()),
    }
}

/// A need that showed in the run: it was there, or it was missing.
fn looked_for(need: Need, accesses: &[&Access], run: &Run, with: &BTreeSet<Content>) -> Finding {
    // A look at what is there is no use of it, except of a folder for what is to be made.
    let found = accesses.iter().any(|access| access.error.is_none());
    let has = need.content().is_some_and(|content| with.contains(&content));
    // To go by UTC, and by what libc has built in, is right unless somebody asked for something else.
    let only_default = match need {
        Need::Zones => accesses.iter().all(|access| Need::is_default_zone(&access.target)),
        Need::Nsswitch | Need::Locale => true,
        _ => false,
    };
    let (severity, grade) = match need.provider() {
        _ if found || has || only_default => (Severity::Info, Grade::Optional),
        _ if run.end.is_ok() => (Severity::Warning, Grade::Probable),
        Provider::Image(_) => (Severity::Error, Grade::Required),
        Provider::Runtime(_) | Provider::None => (Severity::Warning, Grade::Required),
    };
    let message = match (found, need.provider()) {
        (true, Provider::Runtime(_)) => {
            format!(
                "it uses {}, which a container runtime provides and a bare chroot does not",
                need.describe()
            )
        }
        (true, _) => format!("it uses {}, and finds what it looks for", need.describe()),
        (false, _) if only_default => format!("it looks for {}, and does without", need.describe()),
        (false, _) if has => {
            format!("it looked for {}, but not for what an image's part holds", need.describe())
        }
        (false, _) => {
            let then = if run.end.is_ok() { "went on" } else { "failed" };
            format!("it looked for {}, found none, and {then}", need.describe())
        }
    };
    // First what decided.
    let mut sorted = accesses.to_vec();
    sorted.sort_by_key(|access| access.error.is_none() != found);
    Finding {
        code: need.name().to_owned(),
        severity,
        grade: Some(grade),
        in_run: true,
        message,
        evidence: sorted.into_iter().take(MOST_EVIDENCE).map(tell).collect(),
        content: need.content(),
        hint: if found { None } else { hint(need, run).map(str::to_owned) },
    }
}

fn hint(need: Need, run: &Run) -> Option<&'static str> {
    match need.provider() {
        Provider::Runtime(_) if !run.runtime => Some("a container runtime provides it; elsewhere, mount it"),
        _ => need.hint(),
    }
}

/// What was looked for in vain and belongs to nothing that is known here: the program's own files, mostly.
fn missing_files(accesses: &[&Access]) -> Vec<Finding> {
    let of = |wanted: &dyn Fn(i32) -> bool| -> Vec<&&Access> {
        accesses.iter().filter(|access| access.error.is_some_and(wanted)).collect()
    };
    let mut findings = Vec::new();
    let mut say = |code: &str, message: &str, found: Vec<&&Access>, hint: &str| {
        if found.is_empty() {
            return;
        }
        let mut evidence: Vec<String> = found.iter().take(MOST_EVIDENCE).map(|access| tell(access)).collect();
        if found.len() > MOST_EVIDENCE {
            evidence.push(format!("and {} more", found.len() - MOST_EVIDENCE));
        }
        findings.push(Finding {
            code: code.to_owned(),
            severity: Severity::Info,
            grade: None,
            in_run: true,
            message: message.to_owned(),
            evidence,
            content: None,
            hint: Some(hint.to_owned()),
        });
    };
    say(
        "missing-file",
        "it looks for files of its own that are not there",
        of(&|error| matches!(error, libc::ENOENT | libc::ENOTDIR)),
        "if it needs them, add them to the image or mount a volume",
    );
    say(
        "cannot-write",
        "it may not read or write some files",
        of(&|error| matches!(error, libc::EACCES | libc::EPERM | libc::EROFS)),
        "mount a volume that its user may write to",
    );
    findings
}

/// `opened /etc/passwd: No such file or directory (3 times)`
fn tell(access: &Access) -> String {
    let result = match access.error {
        None => String::new(),
        Some(error) => format!(": {}", Errno::from_raw(error).desc()),
    };
    let times = if access.count > 1 { format!(" ({} times)", access.count) } else { String::new() };
    let verb = match (access.operation, access.error) {
        (Operation::Create, Some(_)) => "tried to make",
        (Operation::Open, Some(_)) => "tried to open",
        (Operation::Execute, Some(_)) => "tried to run",
        (Operation::Connect, Some(_)) => "tried to connect to",
        (operation, _) => operation.describe(),
    };
    format!("{verb} {}{result}{times}", access.target)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let all = of_run(run, &with, &mut BTreeSet::new());
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
            let all = of_run(&run_with(&looks, end), &with, &mut BTreeSet::new());
            let grades = all.iter().filter_map(|finding| Some((finding.grade?, finding.severity)));
            assert!(
                all.iter()
                    .all(|finding| finding.in_run && finding.grade.is_some() == finding.need().is_some())
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
    fn a_processor_that_is_too_old_is_an_error() {
        let own = fs_err::read(std::env::current_exe().unwrap()).unwrap();
        let mut needs = crate::needs(&own).unwrap();
        needs.inspection.verdict.retain(|finding| finding.code != "new-processor");
        assert_eq!(processor(&needs, Some(CpuLevel::V1)), None);
        let Some(cpu) = &mut needs.inspection.cpu else { return };
        cpu.required = Some(CpuLevel::V3);
        needs.inspection.verdict.push(brawn_elf::inspection::Finding {
            code: "new-processor".into(),
            severity: brawn_elf::inspection::Severity::Warning,
            message: "it needs one".into(),
            hint: None,
        });
        let severity = |here| processor(&needs, here).unwrap().severity;
        assert_eq!(severity(Some(CpuLevel::V2)), Severity::Error);
        assert_eq!(severity(Some(CpuLevel::V3)), Severity::Warning);
        assert_eq!(severity(None), Severity::Warning);
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
        let codes: Vec<String> = findings(&run_with(&looks, End::StillRunning), &[])
            .into_iter()
            .map(|finding| finding.0)
            .collect();
        assert_eq!(codes, ["resolver", "programs", "missing-file", "cannot-write"]);
    }
}
