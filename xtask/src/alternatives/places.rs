//! Where the executables run: here, in an older distribution, beside musl's loader alone, and in an empty root.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use brawn_measure::Table;

use super::ways::{Tools, Way};
use crate::report::Section;
use crate::workshop::{root, step};

/// Debian 11's C library and the library of GCC that Rust's executables for glibc need: package, file, SHA-256.
const OLD: [[&str; 3]; 2] = [
    [
        "libc6",
        "libc6_2.31-13+deb11u11_amd64.deb",
        "05f7264da867b37f4c5ce49266b558ea1e81e05a9464f623152fca70f3550282",
    ],
    [
        "libgcc-s1",
        "libgcc-s1_10.2.1-6_amd64.deb",
        "e478f2709d8474165bb664de42e16950c391f30eaa55bc9b3573281d83a29daf",
    ],
];

pub fn section(tools: &Tools<'_>, programs: &[(&str, Vec<(Way, PathBuf)>)]) -> Result<Section> {
    let folder = tools.workshop.folder.join("places");
    let places = [
        ("this machine", None),
        ("glibc 2.31 (Debian 11)", Some(old(&folder)?)),
        ("musl's loader alone, as on Alpine", Some(alpine(&folder)?)),
        ("an empty root, as in a scratch image", Some(empty(&folder)?)),
    ];
    let mut table = Table::new(["built for"].into_iter().chain(places.iter().map(|(name, _)| *name)));
    let mut figures = BTreeMap::new();
    for way in Way::ALL {
        let mut row = vec![way.name().to_owned()];
        for (place, root) in &places {
            let mut failed = Vec::new();
            for (program, made) in programs {
                let (_, executable) = made.iter().find(|(its, _)| *its == way).context("not built")?;
                failed.extend(fails(program, executable, root.as_deref())?.map(|said| (*program, said)));
            }
            figures.insert(format!("{} in {place}: programs that run", way.name()), {
                (programs.len() - failed.len()) as f64
            });
            row.push(match failed.first() {
                None => "yes".into(),
                Some((_, said)) if failed.len() == programs.len() => format!("no: {said}"),
                Some((program, said)) => format!("not {program}: {said}"),
            });
        }
        table.row(row);
    }
    Ok(Section {
        title: "Where they run".into(),
        note: "Each of the three programs prints its version in that root; `no` with what was said of the first.".into(),
        table,
        outcomes: Vec::new(),
        figures,
    })
}

/// Why a program does not start in a root, if it does not.
fn fails(program: &str, executable: &Path, root: Option<&Path>) -> Result<Option<String>> {
    let version = if program == "lua" { "-v" } else { "--version" };
    let mut command = Command::new("unshare");
    command.arg("-r");
    match root {
        None => command.arg(executable),
        Some(root) => {
            fs_err::copy(executable, root.join("program"))?;
            command.arg("--root").arg(root).arg("/program")
        }
    };
    let output = command.arg(version).output().context("cannot run unshare")?;
    if output.status.success() {
        return Ok(None);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("nothing");
    // What the kernel does not find is the loader that the executable names.
    let said = said.replace("unshare: failed to execute /program: No such file or directory", "no loader");
    Ok(Some(said.replace("/program: ", "").replace(" (required by /program)", "").replace('`', "'")))
}

fn empty(folder: &Path) -> Result<PathBuf> {
    let root = folder.join("empty");
    fs_err::create_dir_all(&root)?;
    Ok(root)
}

/// musl's loader, which is its whole library, from the distribution's package.
fn alpine(folder: &Path) -> Result<PathBuf> {
    let root = folder.join("musl");
    let loader = format!("lib/ld-musl-{}.so.1", std::env::consts::ARCH);
    fs_err::create_dir_all(root.join("lib"))?;
    fs_err::copy(Path::new("/").join(&loader), root.join(&loader))?;
    Ok(root)
}

fn old(folder: &Path) -> Result<PathBuf> {
    let place = folder.join("debian-11");
    fs_err::create_dir_all(&place)?;
    for [package, file, sha256] in OLD {
        let script = root().join("crates/brawn-bench/debian-source");
        step(package, Command::new(script).args([package, file, sha256]).arg(folder).arg("bullseye"))?;
        step(file, Command::new("dpkg-deb").arg("-x").arg(folder.join(file)).arg(&place))?;
    }
    Ok(place)
}
