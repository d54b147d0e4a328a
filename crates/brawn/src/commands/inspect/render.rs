//! An inspection in words.

use brawn_elf::inspection::{Hardening, Severity, Sizes, ThreadStack};
use brawn_elf::{Cpu, CpuEvidence, Crate, Evidence, Heap, Inspection};

use crate::output::{self, Line, STRONG, size};

/// Prints what is known about the file at `path`.
pub fn print(path: &str, inspection: &Inspection) {
    Line::new().styled(STRONG, path).print();
    for (name, value) in rows(inspection) {
        outln!("  {name:14} {value}");
    }
    for finding in &inspection.verdict {
        let text = &finding.message;
        match finding.severity {
            Severity::Error => Line::labelled("  ", output::ERROR, "error:", text).print(),
            Severity::Warning => Line::labelled("  ", output::WARNING, "warning:", text).print(),
            Severity::Info => outln!("  note: {text}"),
        }
        if let Some(hint) = &finding.hint {
            Line::labelled("  ", output::HINT, "hint:", hint).print();
        }
    }
}

fn rows(inspection: &Inspection) -> Vec<(&'static str, String)> {
    let format = &inspection.format;
    let mut rows = vec![("linkage", format!("{}, {}", inspection.kind, format.arch))];
    let mut add = |name, value: Option<String>| rows.extend(value.map(|value| (name, value)));
    add("interpreter", inspection.interpreter.clone());
    add("needs", list(&inspection.needed));
    add("search path", list(&inspection.rpath));
    let libc = &inspection.libc;
    add("libc", Some(format!("{libc}{}", how(&libc.evidence))));
    for heap in &inspection.allocators {
        add("heap", Some(describe(heap)));
    }
    if inspection.allocators.is_empty() {
        add("heap", Some("none found".into()));
    }
    let strings = &inspection.strings;
    add("strings", Some(format!("{}{}", strings.owner, how(&strings.evidence))));
    add("libc functions", inspection.functions.as_ref().map(super::functions::words));
    if let Some(note) = &inspection.note {
        let functions = list(&note.functions);
        add("functions", Some(functions.map_or("musl's".into(), |names| format!("Brawn's for {names}"))));
        let preset = note.preset.as_ref().map_or(String::new(), |preset| format!(", preset {preset}"));
        let knobs: String = note.knobs.iter().map(|(key, value)| format!(", {key}={value}")).collect();
        add("made by Brawn", Some(format!("kit {}{preset}, malloc {}{knobs}", note.kit, note.malloc)));
        add("libc.a", Some(format!("{}, sha256 {}", note.libc, note.libc_sha256)));
        let owner = note.heaps.malloc_owner.as_deref().map(|owner| match owner {
            brawn_elf::PROGRAM => "the program itself",
            owner => owner,
        });
        add("owner of malloc", owner.map(str::to_owned));
        add("serves as well", list(&note.heaps.serves).map(|names| format!("callers of {names}")));
    }
    if let Some(graft) = &inspection.graft {
        let families = list(&graft.families).unwrap_or_default();
        add("grafted", Some(format!("kit {}, {} functions: {families}", graft.kit, graft.functions.len())));
        add("onto", Some(format!("sha256 {}", graft.original)));
    }
    let rust = inspection.rust.as_ref().map(|rust| match (&rust.version, &rust.commit) {
        (Some(version), _) => version.clone(),
        (None, Some(commit)) => format!("commit {commit}"),
        (None, None) => "version unknown".into(),
    });
    add("Rust", rust);
    add("crates", inspection.crates.as_deref().map(crates));
    add("Go", inspection.go.clone());
    add("compilers", list(&inspection.compilers));
    add("hardening", Some(hardening(&inspection.hardening)));
    add("processor", inspection.cpu.as_ref().map(cpu));
    add("thread stack", Some(thread_stack(&inspection.thread_stack)));
    add("size", Some(sizes(&inspection.sizes)));
    let symbols = if inspection.stripped { "stripped" } else { "symbol table" };
    let debug = if inspection.debug_info { ", debug information" } else { "" };
    add("symbols", Some(format!("{symbols}{debug}")));
    add("build id", inspection.build_id.clone());
    rows
}

fn list(items: &[String]) -> Option<String> {
    (!items.is_empty()).then(|| items.join(", "))
}

fn describe(heap: &Heap) -> String {
    let version = heap.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    format!("{}{version}, {}{}", heap.name, heap.role, how(&heap.evidence))
}

/// How something is known, in brackets.
fn how(evidence: &[Evidence]) -> String {
    let mut words: Vec<&str> = evidence.iter().map(|evidence| evidence.kind.name()).collect();
    words.dedup();
    if words.is_empty() { String::new() } else { format!(" [by {}]", words.join(", ")) }
}

fn hardening(hardening: &Hardening) -> String {
    let mut words = vec![if hardening.pie { "PIE" } else { "no PIE" }, hardening.relro.name()];
    words.push(if hardening.nx_stack { "NX stack" } else { "EXECUTABLE STACK" });
    if hardening.writable_code {
        words.push("WRITABLE CODE");
    }
    words
        .extend(hardening.stack_canary.map(|canary| if canary { "stack canary" } else { "no stack canary" }));
    words.push(match (hardening.branch_targets, hardening.return_addresses) {
        (true, true) => "branch targets and return addresses protected",
        (true, false) => "branch targets protected",
        (false, true) => "return addresses protected",
        (false, false) => "no CET or BTI",
    });
    words.join(", ")
}

/// How many crates, and the first that a reader would look for: the program itself.
fn crates(crates: &[Crate]) -> String {
    let built_in = crates.iter().filter(|of| !of.build_only).count();
    let root = crates.iter().find(|of| of.root).map(|root| format!(" of {root}")).unwrap_or_default();
    format!("{built_in}{root}, recorded by cargo auditable (--json lists them)")
}

fn cpu(cpu: &Cpu) -> String {
    let required = cpu.required.map_or("unknown", |level| level.name());
    let above = format!("{} of {} functions", cpu.above_baseline, cpu.functions);
    let why = match cpu.how {
        CpuEvidence::Baseline => "no instruction needs more".to_owned(),
        CpuEvidence::Property => "by the linker's note".to_owned(),
        CpuEvidence::Recorded => "as the compiler recorded".to_owned(),
        CpuEvidence::NoChoice => format!("{above} have such code, and the program never asks the processor"),
        CpuEvidence::Throughout => format!("{above} have such code"),
        CpuEvidence::Chosen => {
            format!(
                "{above} have code up to {}, which the program seems to choose by itself",
                cpu.highest.name()
            )
        }
        CpuEvidence::Unknown => {
            "newer instructions stand where no function is known: code or data".to_owned()
        }
    };
    let extensions = match cpu.extensions.is_empty() {
        true => String::new(),
        false => format!("; also {}", cpu.extensions.join(", ")),
    };
    format!("{required}: {why}{extensions}")
}

fn thread_stack(stack: &ThreadStack) -> String {
    let source = stack.source;
    stack.bytes.map_or_else(|| source.to_string(), |bytes| format!("{}, {source}", size(bytes)))
}

fn sizes(sizes: &Sizes) -> String {
    let mut text = format!(
        "{}: code {}, constants {}, data {}, zeroed {}",
        size(sizes.file),
        size(sizes.text),
        size(sizes.read_only),
        size(sizes.data),
        size(sizes.bss)
    );
    for (name, bytes) in [("debug", sizes.debug), ("symbols", sizes.symbols)] {
        if bytes > 0 {
            text.push_str(&format!(", {name} {}", size(bytes)));
        }
    }
    text
}
