//! What works with glibc and may not elsewhere: small programs in C, built each way and run.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use brawn_measure::Table;

use super::ways::{Tools, Way};
use crate::report::Section;
use crate::workshop::{root, step};

/// A program, and what works where it ends with 0.
struct Probe {
    name: &'static str,
    source: &'static str,
    works: &'static str,
    /// How it is run, in sh, with the folder as `$0`, the executable as `$1`.
    script: &'static str,
}

const PROBES: &[Probe] = &[
    Probe {
        name: "NSS",
        source: "xtask/cases/breaks/names.c",
        works: "a name that only a module of NSS knows is found (LDAP, mDNS, `myhostname` are such)",
        script: "LD_LIBRARY_PATH=$0 exec unshare -r -n -m sh -c 'mount --bind \"$0/nsswitch.conf\" /etc/nsswitch.conf && \
                 exec \"$1\"' \"$0\" \"$1\"",
    },
    Probe {
        name: "dlopen",
        source: "xtask/cases/breaks/dlopen.c",
        works: "a shared library is loaded while the program runs",
        script: "exec \"$1\" \"$0/module.so\"",
    },
    Probe {
        name: "locale",
        source: "xtask/cases/breaks/locale.c",
        works: "`printf` writes `1,5` under `LC_ALL=de_DE.UTF-8`",
        script: "LOCPATH=$0 LC_ALL=de_DE.UTF-8 exec \"$1\"",
    },
    Probe {
        name: "stack",
        source: "xtask/cases/breaks/stack.c",
        works: "a thread of C with the default stack uses 1 MiB of it",
        script: "exec \"$1\"",
    },
    Probe {
        name: "fork",
        source: "tests/libc/fork_threads.c",
        works: "children forked from a program with busy threads allocate, a hundred times",
        script: "exec \"$1\" 1",
    },
];

pub fn section(tools: &Tools<'_>) -> Result<Section> {
    let folder = tools.workshop.folder.join("breaks");
    prepare(&folder)?;
    let mut table = Table::new(
        ["what works"].into_iter().map(str::to_owned).chain(Way::ALL.map(|way| way.name().into())),
    );
    let mut figures = BTreeMap::new();
    for probe in PROBES {
        let mut cells = vec![format!("{}: {}", probe.name, probe.works)];
        for way in Way::ALL {
            let executable = compile(probe, way, tools, &folder)?;
            let answer = run(probe, &executable, &folder)?;
            figures
                .insert(format!("{} with {}", probe.name, way.name()), f64::from(u8::from(answer.is_none())));
            cells.push(answer.unwrap_or_else(|| "yes".into()));
        }
        table.row(cells);
    }
    Ok(Section {
        title: "What breaks".into(),
        note: "Programs in C (xtask/cases/breaks/, tests/libc/fork_threads.c), compiled and linked each way and run on this \
               machine; `no` with what the program said or died of."
            .into(),
        table,
        outcomes: Vec::new(),
        figures,
    })
}

/// What the programs look for: modules for this machine's glibc, a locale, and where names are looked up.
fn prepare(folder: &Path) -> Result<()> {
    fs_err::create_dir_all(folder)?;
    for (source, library) in [("nss_module.c", "libnss_probe.so.2"), ("module.c", "module.so")] {
        let mut command = Command::new("cc");
        command.args(["-shared", "-fPIC", "-O2", "-o"]).arg(folder.join(library));
        step(library, command.arg(root().join("xtask/cases/breaks").join(source)))?;
    }
    fs_err::write(folder.join("nsswitch.conf"), "passwd: files\nhosts: files probe\n")?;
    let locale = folder.join("de_DE.UTF-8");
    if !locale.exists() {
        step("localedef", Command::new("localedef").args(["-i", "de_DE", "-f", "UTF-8"]).arg(&locale))?;
    }
    Ok(())
}

fn compile(probe: &Probe, way: Way, tools: &Tools<'_>, folder: &Path) -> Result<PathBuf> {
    let executable = folder.join(format!("{}-{}", probe.name, way.slug()));
    let (cc, libraries) = tools.cc(way);
    let mut words = cc.split_whitespace();
    let mut command = Command::new(words.next().context("no compiler")?);
    command.args(words).args(["-O2", "-pthread", "-o"]).arg(&executable).arg(root().join(probe.source));
    command.args(libraries.split_whitespace());
    // In glibc before 2.34 a library of its own.
    command.args((way == Way::OldGlibc).then_some("-ldl"));
    command.env("BRAWN_CACHE_DIR", tools.workshop.folder.join("cache"));
    step(&format!("{} with {}", probe.name, way.name()), &mut command)?;
    Ok(executable)
}

/// Nothing if it works, or what is shown instead.
fn run(probe: &Probe, executable: &Path, folder: &Path) -> Result<Option<String>> {
    let mut command = Command::new("timeout");
    command.args(["60", "sh", "-c", probe.script]).arg(folder).arg(executable);
    let output = command.output().context("cannot run sh")?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let said = said.lines().next().unwrap_or_default().trim();
    ensure!(!said.contains("unshare"), "{}: {said}", probe.name);
    Ok(match (output.status.code(), output.status.signal()) {
        (Some(0), _) => None,
        (Some(124), _) => Some("no: hangs".into()),
        (None, Some(11)) | (Some(139), _) => Some("no: SIGSEGV".into()),
        _ if said.is_empty() => Some(format!("no: {}", output.status)),
        _ => Some(format!("no: {said}")),
    })
}
