//! Files that never end, or end too late: refused at once, and in little memory.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::assert_all_have_rows;
use super::names::fill;
use crate::common::{Sandbox, ok};

/// What a refusal may take: a second of the processor's time, whatever else the machine does, and some waiting.
const CPU: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(20);

/// Most memory at any time: the executable itself with what it carries, and little more.
const MEMORY: u64 = 256 << 20;

/// Every way in which a command reads a file that it is given. PROGRAM is a good executable.
const ROWS: &[(&str, &[&str])] = &[
    // Cargo reads the manifest; the setting that Brawn reads is that of the user, below.
    ("build", &[]),
    ("cargo", &[]),
    ("cc", &["@{}"]),
    ("c++", &["@{}"]),
    ("env", &[]),
    ("init", &[]),
    ("libc", &["--from {} -o out", "--from {} --dry-run"]),
    ("patch", &["{}", "--dry-run {}"]),
    ("restore", &["{}"]),
    ("relink", &["{}"]),
    ("graft", &["{} -o out", "{} --dry-run", "PROGRAM --malloc brawn --from {} -o out"]),
    ("preload", &[]),
    ("run", &["-- {}"]),
    ("verify", &["{}"]),
    ("inspect", &["{}"]),
    ("check", &["{}", "--static {}", "--static --manifest-path {} PROGRAM"]),
    ("doctor", &[]),
    ("image", &["{} -o out", "PROGRAM --base {} -o out", "PROGRAM --certificate {} -o out"]),
    ("bench", &["compare {} {}", "report {}"]),
    ("tune", &["--exe {} -- a", "--exe PROGRAM --exe {} -- a", "--resume {}"]),
    (
        "fleet",
        &[
            "plan --file {}",
            "run --file {}",
            "status {}",
            "delete {}",
            "block --task {} --index 0",
            "collect {} --from PROGRAM",
            "collect fleet.json --from {}",
            "report {}",
            "report fleet.json --prices {}",
            "canary --response m={},{}",
            "canary {} --prometheus http://127.0.0.1:1 --replicasets a,b",
        ],
    ),
    ("cache", &[]),
    ("completions", &[]),
    ("man", &[]),
];

/// A named pipe, a folder, a device without end, and files of 20 GB without content: without any first bytes, and
/// with those of an ELF file, an archive, JSON and a script.
fn endless(folder: &Path) -> Vec<PathBuf> {
    let path = |name: &str| folder.join(name);
    ok(Command::new("mkfifo").args(["-m", "755"]).arg(path("pipe")));
    fs_err::create_dir(path("folder")).unwrap();
    let mut all = vec![path("pipe"), path("folder"), "/dev/zero".into()];
    let own = fs_err::read(std::env::current_exe().unwrap()).unwrap();
    let heads: [(&str, &[u8]); 5] =
        [("zeros", b""), ("elf", &own[..64]), ("archive", b"!<arch>\n"), ("json", b"{"), ("script", b"#!")];
    for (name, head) in heads {
        fs_err::write(path(name), head).unwrap();
        let file = fs_err::OpenOptions::new().write(true).open(path(name)).unwrap();
        file.set_len(20_000_000_000).unwrap();
        ok(Command::new("chmod").arg("755").arg(path(name)));
        all.push(path(name));
    }
    all
}

/// A good executable, linked by Brawn.
fn program(sandbox: &Sandbox) -> &'static str {
    sandbox.write("program.c", "int main(void) { return 0; }\n");
    ok(sandbox.brawn(&["cc", "program.c", "-o", "program"]).current_dir(sandbox.path()));
    "program"
}

/// Runs a command that must refuse what it was given, and gives what it said.
#[allow(clippy::zombie_processes)] // It is waited for by its number, for what it used.
fn refused(command: &mut Command, folder: &Path) -> String {
    let said = folder.join("said");
    let to =
        || Stdio::from(fs_err::OpenOptions::new().create(true).append(true).open(&said).unwrap().into_file());
    let _ = fs_err::remove_file(&said);
    command.stdin(Stdio::null()).stdout(to()).stderr(to()).process_group(0);
    let begin = Instant::now();
    let child = command.spawn().unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    // SAFETY: a structure of plain numbers.
    let (mut status, mut usage) = (0, unsafe { std::mem::zeroed::<libc::rusage>() });
    loop {
        // SAFETY: both places are there for the call; the child is not waited for elsewhere.
        match unsafe { libc::wait4(pid, &mut status, libc::WNOHANG, &mut usage) } {
            0 if begin.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
            0 => {
                // SAFETY: the child is the leader of a group of its own, and not waited for yet.
                unsafe { libc::kill(-pid, libc::SIGKILL) };
                panic!("{command:?} hangs");
            }
            _ => break,
        }
    }
    let said = fs_err::read_to_string(said).unwrap();
    assert!(libc::WIFEXITED(status), "{command:?} was ended by a signal: {said}");
    assert!(![0, 101].contains(&libc::WEXITSTATUS(status)), "{command:?} took it:\n{said}");
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec.cast_unsigned()) + Duration::from_micros(time.tv_usec.cast_unsigned())
    };
    let cpu = time(usage.ru_utime) + time(usage.ru_stime);
    assert!(cpu < CPU, "{command:?} took {cpu:?}:\n{said}");
    let memory = usage.ru_maxrss.cast_unsigned() * 1024;
    assert!(memory < MEMORY, "{command:?} took {memory} bytes:\n{said}");
    said
}

#[test]
fn every_command_refuses_files_without_end() {
    assert_all_have_rows(ROWS);
    let sandbox = Sandbox::new();
    let program = program(&sandbox);
    sandbox.write("fleet.json", super::fleet::FILE);
    for path in endless(sandbox.path()) {
        for (command, rows) in ROWS {
            for row in *rows {
                let words = fill(&row.replace("PROGRAM", program), path.as_os_str());
                let said = refused(sandbox.brawn(&[command]).args(words), sandbox.path());
                assert!(said.contains("error:"), "brawn {command} {row} {}:\n{said}", path.display());
            }
        }
    }
}

/// What a measured program reads may be as long as it likes, and is the same each time.
#[test]
fn standard_input_of_a_program_is_a_file() {
    let sandbox = Sandbox::new();
    let program = program(&sandbox);
    for path in &endless(sandbox.path())[..3] {
        let mut tune = sandbox.brawn(&["tune", "--exe", program, "--stdin"]);
        let said = refused(tune.arg(path).arg("--"), sandbox.path());
        assert!(said.contains("not a regular file"), "{said}");
    }
}

#[test]
fn settings_without_end_are_refused() {
    let sandbox = Sandbox::new();
    for path in endless(sandbox.path()) {
        let config = sandbox.path().join("config/brawn");
        let _ = fs_err::remove_dir_all(&config);
        fs_err::create_dir_all(&config).unwrap();
        fs_err::os::unix::fs::symlink(&path, config.join("config.toml")).unwrap();
        for args in [&["env"][..], &["libc", "--dry-run"], &["preload", "--dry-run"], &["run", "--", "true"]]
        {
            refused(&mut sandbox.brawn(args), sandbox.path());
        }
    }
}

#[test]
fn the_message_names_what_it_is_and_the_limit() {
    let sandbox = Sandbox::new();
    endless(sandbox.path());
    let message =
        |name: &str, args: &[&str]| refused(sandbox.brawn(args).arg(OsStr::new(name)), sandbox.path());
    insta::assert_snapshot!(message("pipe", &["verify"]), @r"
    error: pipe is a named pipe, not a regular file
    hint: write what it gives into a file first, and give that
    ");
    insta::assert_snapshot!(message("elf", &["inspect"]), @r"
    error: elf has 19073 MiB or more; the limit is 4096 MiB
    hint: is this the file that was meant?
    ");
    insta::assert_snapshot!(message("archive", &["libc", "-o", "out", "--from"]), @r"
    error: archive has 19073 MiB or more; the limit is 128 MiB
    hint: is this the file that was meant?
    ");
    insta::assert_snapshot!(message("zeros", &["libc", "-o", "out", "--from"]), @r"
    error: zeros is not an archive
    hint: give the path of a musl libc.a, or leave --from away to use the Rust toolchain's
    ");
}
