//! Files in which no function of musl can be found: each is refused by its own reason.

use std::path::Path;
use std::process::Command;

use brawn_elf::Image;
use brawn_identify::{Error, examine};

fn compile(name: &str, flags: &[&str]) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, file) = (folder.join(format!("{name}.c")), folder.join(name));
    fs_err::write(&source, "#include <stdio.h>\nint main(void) { return puts(\"a\") < 0; }\n").unwrap();
    let output = Command::new("cc").args(flags).arg(&source).arg("-o").arg(&file).output().unwrap();
    output.status.success().then(|| fs_err::read(&file).unwrap())
}

fn refusal(data: &[u8]) -> Error {
    examine(&Image::parse(data).unwrap(), &[]).expect_err("there is no musl in it")
}

#[test]
fn another_libc_is_named() {
    let Some(mut glibc) = compile("glibc-static", &["-static"]) else {
        return eprintln!("skipped: no static glibc");
    };
    assert!(matches!(refusal(&glibc), Error::NotMusl { found } if found.contains("glibc")));
    // Stripped of its section headers.
    glibc[0x28..0x30].fill(0);
    glibc[0x3c..0x40].fill(0);
    assert!(matches!(refusal(&glibc), Error::NotMusl { found } if found.contains("glibc")));
    glibc[0x200..0x204].copy_from_slice(b"UPX!");
    assert!(matches!(refusal(&glibc), Error::Packed { packer: "UPX" }));
}

#[test]
fn what_has_no_libc_inside_is_refused() {
    let mut dynamic = compile("dynamic", &[]).expect("a C compiler");
    assert!(matches!(refusal(&dynamic), Error::Dynamic { .. }));
    let object = compile("object", &["-c"]).unwrap();
    assert!(matches!(refusal(&object), Error::Dynamic { .. }));
    // The machine: RISC-V.
    dynamic[0x12] = 243;
    assert!(matches!(refusal(&dynamic), Error::Architecture { found } if found.contains("243")));
}

#[test]
fn a_program_without_libc_has_nothing() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs_err::write(folder.join("bare.c"), "void _start(void) { for (;;) ; }\n").unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-nostdlib", "-static", "-fno-pie", "-no-pie"]).arg(folder.join("bare.c"));
    assert!(cc.arg("-o").arg(folder.join("bare")).status().unwrap().success());
    assert!(matches!(refusal(&fs_err::read(folder.join("bare")).unwrap()), Error::Nothing));
}
