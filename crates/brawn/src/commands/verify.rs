use std::process::ExitCode;

use brawn_base::Code;
use brawn_base::text::{exact, shown};
use brawn_elf::{Report, verify};
use brawn_link::settings::Settings;
use serde_json::json;

use crate::cli::{Files, Options};
use crate::exit::Result;
use crate::output;

/// `brawn verify`
pub fn run(options: Options, arguments: Files) -> Result<ExitCode> {
    let json = arguments.json;
    let expectation = Settings::asked(options.layer())?.requirements()?;
    let mut code = ExitCode::SUCCESS;
    for file in &arguments.files {
        let report = verify(&brawn_base::file::elf(file)?, &expectation);
        if !report.is_ok() {
            code = Code::Failed.into();
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
            outln!("{path}: static, {}, {}", report.heaps_in_words(), note.libc);
        }
        return;
    }
    if let (true, Some(graft)) = (report.is_ok(), &report.graft) {
        if !quiet {
            let (heaps, count) = (report.heaps_in_words(), graft.functions.len());
            outln!("{path}: static, {heaps}, {count} functions of kit {} grafted", graft.kit);
        }
        return;
    }
    for problem in &report.findings {
        output::problem(path, problem);
    }
}
