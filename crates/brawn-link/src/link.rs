//! One link with an overlay: find the libc, lay the overlay over it, link, verify, record.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_base::file;
use brawn_elf::{HeapFacts, LinkId, Problem, link_note_object};
use brawn_libc::{Cache, Choice, Overlay, sha256_hex};

pub use crate::job::{Job, Keep};
use crate::line::join_response;
use crate::record::{Input, OUTPUT, OVERLAY, RECORD, Record, Store};
use crate::serve::Served;
use crate::settings::Gate;
use crate::{Error, identity, libraries, unfit};

/// The default size of thread stacks in bytes, when the user sets none: glibc's usual 8 MiB, which is also the most
/// that musl takes from an executable. Its own default is 128 KiB.
const STACK_SIZE: u64 = 8 << 20;

/// Argument lists longer than this go through a response file; the kernel's limit is 128 KiB for one argument and
/// 2 MiB for all, of which the environment takes its share.
const LONG: usize = 100_000;

const ENVIRONMENT: &[&str] =
    &["PATH", "COMPILER_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH"];

/// Does a link without touching it.
pub fn pass_through(linker: &[String], args: &[String]) -> Result<(), Error> {
    run(command(linker), args)
}

/// What came of a link.
#[derive(Clone, Debug)]
pub struct Linked {
    /// What was laid over the libc.
    pub overlay: Overlay,
    /// What works and is worth changing.
    pub warnings: Vec<Problem>,
    /// The heaps that are linked in, as [`brawn_elf::Report::heaps_in_words`]; empty where nothing was written.
    pub heaps: String,
}

/// Does `job` with the overlay for `choice`, and hands over what passes `gate`.
pub fn perform(job: &Job, cache: &Cache, choice: &Choice, gate: Gate) -> Result<Linked, Error> {
    let named = job.line.libc().or_else(|| job.libc.clone()).ok_or(Error::NoLibc)?;
    let base = brawn_libc::patch::base_of(&named)?;
    let overlay = crate::base::overlay(cache, &base, job.arch, choice).map_err(|error| match error {
        Error::Libc(brawn_libc::Error::Glibc { path }) => {
            unfit::glibcs_folder(job, &path).unwrap_or_else(|| brawn_libc::Error::Glibc { path }.into())
        }
        other => other,
    })?;
    libraries::refuse_foreign_cxx(&job.line, &job.linker)?;
    let store = Store::new(cache.root());
    let folder = store.begin()?;

    let cwd = std::env::current_dir()?;
    let output = absolute(&cwd, &job.line.output());
    let served = match gate.one_heap {
        true => Served::new(&job.line, job.arch, folder.path())?,
        false => Served::default(),
    };
    let (args, inputs) = template(job, folder.path(), &served)?;
    let id = link_id(&args, folder.path())?;
    let mut facts = HeapFacts {
        serves: served.heaps.iter().map(|heap| (*heap).to_owned()).collect(),
        ..Default::default()
    };
    let note =
        |facts: &HeapFacts| fs_err::write(folder.path().join(NOTE), link_note_object(job.arch, &id, facts));
    note(&facts)?;

    let real = fill(&args, &overlay.dir, folder.path(), &output);
    // Whose a malloc of the program's own is, only symbols tell.
    let unstripped = job.line.stripped_of_strip(&real).filter(|_| job.line.may_bring_malloc());
    // The digests of the inputs are only for the record: they are made while the linker works.
    let (linked, inputs) = std::thread::scope(|scope| {
        let digests = scope.spawn(|| {
            let describe = |path: &PathBuf| {
                let mut input = Input::describe(&absolute(&cwd, path), cache)?;
                if let Ok(inside) = path.strip_prefix(folder.path()) {
                    input.path = inside.to_owned();
                }
                Ok(input)
            };
            inputs.iter().map(describe).collect::<Result<Vec<Input>, Error>>()
        });
        let linked = run(command(&job.linker), unstripped.as_ref().unwrap_or(&real));
        (linked, digests.join().expect("describing a file does not panic"))
    });
    linked.map_err(|error| match error {
        Error::LinkerFailed { status } => {
            let why = served.explain(&job.line).or_else(|| unfit::explain(job, &base));
            why.unwrap_or(Error::LinkerFailed { status })
        }
        other => other,
    })?;
    // `-o /dev/null` only asks whether the link works: there is nothing to look at, to record, or to remove.
    if fs_err::metadata(&output).is_ok_and(|data| !data.is_file()) {
        return Ok(Linked { overlay, warnings: Vec::new(), heaps: String::new() });
    }
    let mut verified = verify(&output, &overlay, gate)?;
    (facts.malloc_owner, facts.libc_heap) = verified.owners.clone();
    if facts.malloc_owner.is_some() || unstripped.is_some() {
        note(&facts)?;
        run(command(&job.linker), &real)?;
        verified = verify(&output, &overlay, gate)?;
    }
    let Verified { warnings, heaps, .. } = verified;
    let record = Record {
        format: crate::record::FORMAT,
        id: id.as_str().to_owned(),
        output,
        arch: job.arch,
        linker: job.linker.clone(),
        flavor: job.line.flavor,
        args,
        cwd,
        env: ENVIRONMENT
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
            .collect(),
        base,
        package: job.package.clone(),
        inputs: inputs?,
        serves: facts.serves,
    };
    store.set_overlay(folder.path(), &overlay.manifest.id)?;
    store.finish(folder, &record)?;
    store.prune();
    Ok(Linked { overlay, warnings, heaps })
}

const NOTE: &str = "note.o";

/// The arguments with placeholders for everything that a replay changes, and the files among them. Object files
/// that will not outlive the link are copied into `folder` first.
fn template(job: &Job, folder: &Path, served: &Served) -> Result<(Vec<String>, Vec<PathBuf>), Error> {
    let line = &job.line;
    let (libc_argument, written) = (line.libc_argument(), line.written());
    let mut args = Vec::with_capacity(line.args.len() + 4);
    let mut inputs = Vec::new();
    let mut after_output_flag = false;
    let mut saved = 0;
    // Files that will not be there any more: each gets a name in the record's folder.
    let mut save = |path: &Path, inputs: &mut Vec<PathBuf>| -> Result<String, Error> {
        let name = format!("{saved:04}-{}", path.file_name().unwrap_or_default().to_string_lossy());
        saved += 1;
        keep(path, &folder.join(&name))?;
        inputs.push(folder.join(&name));
        Ok(format!("{RECORD}/{name}"))
    };
    for (index, arg) in line.args.iter().enumerate() {
        if index == line.front() {
            args.push(format!("-L{OVERLAY}"));
            if served.by_name {
                args.push(format!("-L{RECORD}"));
            }
            for object in &served.objects {
                inputs.push(folder.join(object));
                args.push(format!("{RECORD}/{object}"));
            }
        }
        if std::mem::take(&mut after_output_flag) {
            args.push(OUTPUT.to_owned());
        } else if arg == "-o" || arg == "--output" {
            args.push(arg.clone());
            after_output_flag = true;
        } else if let Some(flag) = output_flag(arg) {
            args.push(format!("{flag}{OUTPUT}"));
        } else if libc_argument == Some(index) {
            args.push(format!("{OVERLAY}/libc.a"));
        } else {
            let path = Path::new(arg);
            let is_file = !arg.starts_with('-') && path.is_file() && !written.contains(&path);
            if let Some(copy) = served.copies.get(path) {
                inputs.push(folder.join(copy));
                args.push(format!("{RECORD}/{copy}"));
            } else if is_file && job.keep.applies(path) {
                args.push(save(path, &mut inputs)?);
            } else if is_file {
                inputs.push(path.to_owned());
                args.push(arg.clone());
            } else if let Some((option, file)) =
                option_file(arg).filter(|(_, file)| job.keep.applies(file) && !written.contains(file))
            {
                args.push(format!("{option}{}", save(file, &mut inputs)?));
            } else {
                args.push(arg.clone());
            }
        }
    }
    args.push(format!("{RECORD}/{NOTE}"));
    if !line.sets_stack_size() {
        args.extend(line.linker_option(&["-z", &format!("stack-size={STACK_SIZE}")]));
    }
    Ok((args, inputs))
}

fn output_flag(arg: &str) -> Option<&'static str> {
    if arg.starts_with("--output=") {
        Some("--output=")
    } else if arg.starts_with("-o") && !arg.starts_with("-omagic") {
        Some("-o")
    } else {
        None
    }
}

/// A version script or the like in an option: `-Wl,--version-script=` and the file.
fn option_file(arg: &str) -> Option<(&str, &Path)> {
    let (option, file) = arg.split_at(arg.rfind(['=', ','])? + 1);
    let file = Path::new(file);
    (arg.starts_with('-') && file.is_absolute() && file.is_file()).then_some((option, file))
}

/// A second name for a file, or a copy where a second name is not possible.
fn keep(from: &Path, to: &Path) -> Result<(), Error> {
    if fs_err::hard_link(from, to).is_err() {
        fs_err::copy(from, to)?;
    }
    Ok(())
}

/// An id that depends on what is linked and not on where: the names of files without folders, and what those add that were
/// copied because they are the program's own.
fn link_id(args: &[String], folder: &Path) -> Result<LinkId, Error> {
    let mut text = String::from("brawn link 1\n");
    for arg in args {
        if let Some(name) = arg.strip_prefix(RECORD).and_then(|rest| rest.strip_prefix('/'))
            && name != NOTE
        {
            text.push_str(&identity::digest(&file::read(folder.join(name), file::OBJECT)?));
        } else if !arg.starts_with("-L") {
            text.push_str(arg.rsplit('/').next().unwrap_or(arg));
        }
        text.push('\n');
    }
    Ok(LinkId::new(&sha256_hex(text.as_bytes())[..32]).expect("the id is hexadecimal"))
}

/// Puts real paths in the place of the placeholders, and the overlay's `libc.a` before every unwinder: the kit's is in there,
/// and the first that the linker finds is taken. What it lacks is still the toolchain's.
pub(crate) fn fill(args: &[String], overlay: &Path, record: &Path, output: &Path) -> Vec<String> {
    // By name, as build systems take paths that they see here for libraries of the language.
    let is_searched = args.iter().any(|arg| arg.strip_prefix("-L").is_some_and(|folder| folder == OVERLAY));
    let libc = match is_searched {
        true => "-l:libc.a".to_owned(),
        false => overlay.join("libc.a").to_string_lossy().into_owned(),
    };
    let [overlay, record, output] = [overlay, record, output].map(|path| path.to_string_lossy());
    let before = |arg: &String| libraries::names_unwinder(arg).then(|| libc.clone());
    let real =
        |arg: &String| arg.replace(OVERLAY, &overlay).replace(RECORD, &record).replace(OUTPUT, &output);
    args.iter().flat_map(|arg| before(arg).into_iter().chain([real(arg)])).collect()
}

/// What is found in an executable that passes.
pub(crate) struct Verified {
    /// What works and is worth changing.
    pub warnings: Vec<Problem>,
    /// The heaps, as [`brawn_elf::Report::heaps_in_words`].
    pub heaps: String,
    /// [`brawn_elf::Report::malloc_owner`] and [`brawn_elf::Report::libc_heap`].
    pub owners: (Option<String>, Option<String>),
}

/// Refuses an executable that does not keep what its overlay promises; it is removed, so that no one ships it.
pub(crate) fn verify(output: &Path, overlay: &Overlay, gate: Gate) -> Result<Verified, Error> {
    let expectation = brawn_elf::Expectation {
        arch: Some(overlay.manifest.arch),
        malloc: Some(overlay.manifest.malloc.clone()),
        overlay: Some(overlay.manifest.id.clone()),
        second_heap: gate.second_heap(),
        strict: gate.strict,
        ..brawn_elf::Expectation::default()
    };
    let report = brawn_elf::verify(&file::elf(output)?, &expectation);
    if report.is_ok() {
        let (heaps, owners) = (report.heaps_in_words(), (report.malloc_owner(), report.libc_heap()));
        return Ok(Verified { warnings: report.warnings, heaps, owners });
    }
    fs_err::remove_file(output)?;
    Err(Error::unverified(output, report))
}

pub(crate) fn absolute(cwd: &Path, path: &Path) -> PathBuf {
    let path = cwd.join(path);
    // The folder's real name, so that the same output always has the same record.
    match (path.parent().and_then(|folder| folder.canonicalize().ok()), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

fn command(linker: &[String]) -> Command {
    let mut command = Command::new(&linker[0]);
    command.args(&linker[1..]);
    command
}

/// Runs a linker with `args`, through a response file when they are many.
pub(crate) fn run(mut command: Command, args: &[String]) -> Result<(), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut response = None;
    if args.iter().map(|arg| arg.len() + 1).sum::<usize>() > LONG {
        // `-flavor gnu` is read before response files are.
        let front = if args.first().is_some_and(|arg| arg == "-flavor") { 2 } else { 0 };
        let file = tempfile::Builder::new().prefix("brawn-link-").tempfile()?;
        fs_err::write(file.path(), join_response(&args[front..]))?;
        command.args(&args[..front]).arg(format!("@{}", file.path().display()));
        response = Some(file);
    } else {
        command.args(args);
    }
    let status = command.status().map_err(|source| Error::Spawn { program, source })?;
    drop(response);
    if status.success() { Ok(()) } else { Err(Error::LinkerFailed { status }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_depend_on_names_and_not_on_folders() {
        let id = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            link_id(&args, Path::new("/nowhere")).unwrap()
        };
        assert_eq!(id(&["-L/a/b", "/x/liba.rlib", "-lc"]), id(&["-L/c", "/y/z/liba.rlib", "-lc"]));
        assert_ne!(id(&["/x/liba.rlib"]), id(&["/x/libb.rlib"]));
    }

    #[test]
    fn output_options_are_told_from_others() {
        assert_eq!(output_flag("-oprogram"), Some("-o"));
        assert_eq!(output_flag("--output=program"), Some("--output="));
        assert_eq!(output_flag("-omagic"), None);
        assert_eq!(output_flag("-O2"), None);
    }
}
