//! What a run showed.

use std::collections::{BTreeMap, BTreeSet};

use nix::errno::Errno;

use crate::report::{Finding, Grade, Severity};
use crate::{Access, Content, End, Need, Operation, Provider, Run};

#[cfg(test)]
mod tests;

/// Pieces of evidence shown for one finding.
const MOST_EVIDENCE: usize = 6;

/// What the run showed.
pub(super) fn findings(run: &Run, with: &BTreeSet<Content>, seen: &mut BTreeSet<Need>) -> Vec<Finding> {
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
    let code = if illegal { "illegal-instruction" } else { "failed" };
    Finding {
        in_run: true,
        hint: Some(hint.to_owned()),
        ..Finding::new(code, Severity::Error, format!("it {}", run.end))
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
            format!("it uses {need}, which a container runtime provides and a bare chroot does not")
        }
        (true, _) => format!("it uses {need}, and finds what it looks for"),
        (false, _) if only_default => format!("it looks for {need}, and does without"),
        (false, _) if has => {
            format!("it looked for {need}, but not for what an image's part holds")
        }
        (false, _) => {
            let then = if run.end.is_ok() { "went on" } else { "failed" };
            format!("it looked for {need}, found none, and {then}")
        }
    };
    // First what decided.
    let mut sorted = accesses.to_vec();
    sorted.sort_by_key(|access| access.error.is_none() != found);
    Finding {
        grade: Some(grade),
        in_run: true,
        evidence: sorted.into_iter().take(MOST_EVIDENCE).map(tell).collect(),
        content: need.content(),
        hint: if found { None } else { hint(need, run).map(str::to_owned) },
        ..Finding::new(need.name(), severity, message)
    }
}

fn hint(need: Need, run: &Run) -> Option<&'static str> {
    match need.provider() {
        Provider::Runtime(_) if !run.runtime => Some("a container runtime provides it; elsewhere, mount it"),
        _ => need.hint(),
    }
}

/// What was looked for and not found, and belongs to nothing that is known here: the program's own files, mostly.
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
        let finding = Finding::new(code, Severity::Info, message);
        findings.push(Finding { in_run: true, evidence, hint: Some(hint.to_owned()), ..finding });
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
        (operation, _) => operation.name(),
    };
    format!("{verb} {}{result}{times}", access.target)
}
