//! What follows from the look into an executable and from its run.

mod of_run;

use std::collections::BTreeSet;

use brawn_elf::CpuLevel;

use crate::report::{Finding, Grade, Report, SCHEMA_VERSION, Severity};
use crate::{Content, Found, Needs, Provider, Run, Strength};

/// Says what follows. `with` are the parts that the root had, or that an image is to have.
pub fn judge(needs: &Needs, run: Option<Run>, with: &BTreeSet<Content>) -> Report {
    let mut findings = obstacles(needs);
    let mut seen = BTreeSet::new();
    if let Some(run) = &run {
        findings.extend(of_run::findings(run, with, &mut seen));
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
    let inspection = &needs.inspection;
    if !needs.is_static() {
        let message =
            "it is not static: the kernel looks for a loader and libraries that an empty root does not have";
        let interpreter = inspection.interpreter.iter().map(|path| format!("its interpreter is {path}"));
        let needed = inspection.needed.iter().map(|library| format!("it needs {library}"));
        findings.push(Finding {
            evidence: interpreter.chain(needed).collect(),
            hint: Some("build it with `brawn build` or `brawn cc`".to_owned()),
            ..Finding::new("dynamic-executable", Severity::Error, message)
        });
    }
    let machine = std::env::consts::ARCH;
    if inspection.format.arch != machine {
        let message = format!("it is for {}, and this machine is {machine}", inspection.format.arch);
        let hint = "an image of it must say so: run it on a machine of its own, or under qemu-user";
        findings.push(Finding {
            hint: Some(hint.to_owned()),
            ..Finding::new("wrong-architecture", Severity::Error, message)
        });
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
    let severity = if too_old { Severity::Error } else { Severity::Warning };
    Some(Finding {
        evidence: here.iter().map(|here| format!("this machine's is of level {}", here.name())).collect(),
        hint: told.hint.clone(),
        ..Finding::new(code, severity, &told.message)
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
            format!("it may use {need}, which a container runtime provides and a bare chroot does not")
        }
        Provider::Image(_) | Provider::None => format!("it may use {need}"),
    };
    let message = if ran { format!("{message}; it did not in this run") } else { message };
    Some(Finding {
        grade: Some(grade),
        evidence: found.evidence.iter().map(|evidence| evidence.detail.clone()).collect(),
        content: need.content(),
        hint: need.hint().map(str::to_owned),
        ..Finding::new(need.name(), severity, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
