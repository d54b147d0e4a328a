use std::process::ExitCode;

use brawn_base::text::{exact, shown};
use brawn_elf::{Expectation, Report, verify};
use serde_json::json;

use crate::cli::{Files, Options};
use crate::{exit, output};

/// `brawn verify`
pub fn run(before: Options, arguments: Files) -> anyhow::Result<ExitCode> {
    let json = arguments.json;
    let options = arguments.options.over(before);
    let mut code = ExitCode::SUCCESS;
    for file in &arguments.files {
        let report = verify(&brawn_base::file::elf(file)?, &Expectation::default());
        if !report.is_ok() {
            code = ExitCode::from(exit::FAILED);
        }
        if json || options.json() {
            let value = json!({ "path": exact(file), "ok": report.is_ok(), "report": report });
            output::json_text(&value.to_string());
        } else {
            print(&shown(file).to_string(), &report, options.quiet);
        }
    }
    Ok(code)
}

fn print(path: &str, report: &Report, quiet: bool) {
    for warning in &report.warnings {
        output::warning(path, warning);
    }
    if let (true, Some(note)) = (report.is_ok(), &report.note) {
        if !quiet {
            let version =
                note.malloc_version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            let heap = if report.heap.is_some() { "one heap" } else { "no heap in use" };
            outln!("{path}: static, {heap}, malloc {}{version}, {}", note.malloc, note.libc);
        }
        return;
    }
    for problem in &report.findings {
        output::problem(path, problem);
    }
}
