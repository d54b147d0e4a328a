//! Where the system hands out huge pages unasked, jemalloc refuses them for each mapping in which one could lie; elsewhere
//! it makes no such call. The emulator shows the program, which has one thread, another setting than this machine's, and
//! tells its system calls.

use std::process::Command;
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};

use crate::compile::{Objects, Source};
use crate::libc::Libc;

const SETTING: &str = "sys/kernel/mm/transparent_hugepage/enabled";

/// The trial on a musl whose executables an emulator runs.
pub fn trial(libc: &Arc<Libc>, objects: &Arc<Objects>) -> Trial {
    let (libc, objects) = (libc.clone(), objects.clone());
    Trial::test(format!("{}/jemalloc/huge-pages", libc.name), move || {
        run(&libc, &objects).map_err(Failed::from)
    })
}

fn run(libc: &Libc, objects: &Objects) -> Result<(), String> {
    let object = objects.get(&Source::plain(libc.arch, "large.c"))?;
    let executable = libc.link(Some("jemalloc"), &[&object], &[])?;
    let emulator = libc.emulator.as_ref().expect("an emulator");
    for (setting, refuses) in [("[always] madvise never\n", true), ("always [madvise] never\n", false)] {
        let root = tempfile::tempdir().map_err(|error| error.to_string())?;
        let file = root.path().join(SETTING);
        fs_err::create_dir_all(file.parent().expect("a folder")).map_err(|error| error.to_string())?;
        fs_err::write(&file, setting).map_err(|error| error.to_string())?;
        let mut command = Command::new(&emulator[0]);
        command.args(&emulator[1..]).arg("-strace").arg("-L").arg(root.path()).arg(&executable).arg("1");
        let output = command.output().map_err(|error| error.to_string())?;
        let calls = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = calls.lines().collect();
        let mut mapped = 0;
        for (at, line) in lines.iter().enumerate() {
            let Some((address, bytes)) = mapping(line) else { continue };
            mapped += usize::from(bytes >= 2 << 20);
            let next = lines.get(at + 1).copied().unwrap_or_default();
            let refused = next.contains("MADV_NOHUGEPAGE") && next.contains(address);
            if refused != (refuses && bytes >= 2 << 20) {
                return Err(format!("with {setting}{line}\n{next}"));
            }
        }
        if !output.status.success() || mapped == 0 {
            return Err(format!("{}, {mapped} mappings of 2 MiB:\n{calls}", output.status));
        }
    }
    Ok(())
}

/// The address and the bytes of a mapping that a line tells of.
fn mapping(line: &str) -> Option<(&str, u64)> {
    let (_, rest) = line.split_once(" mmap(NULL,")?;
    let bytes = rest.split(',').next()?.parse().ok()?;
    Some((line.rsplit_once("= ")?.1, bytes))
}
