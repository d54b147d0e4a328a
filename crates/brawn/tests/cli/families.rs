//! Families of functions: which come from the kit, and how they are left musl's.

use brawn_elf::Arch;
use object::elf::{FileHeader64, SHT_SYMTAB, Sym64};
use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile64, FileHeader as _};
use object::{LittleEndian, Object as _, ObjectSymbol as _};

use crate::common::{Sandbox, fails, note, ok, rust_libc};

const PROGRAM: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
    int main(void) { setenv(\"AB\", \"c\", 1); puts(getenv(\"AB\")); return getenv(\"A\") != 0; }\n";

/// What the note says of `getenv`, and whether the object with it is the kit's.
fn linked(sandbox: &Sandbox, brawn: &[&str], map: &str) -> (bool, bool) {
    let output = ["program.c", "-o", "program"];
    ok(sandbox.brawn(brawn).arg("cc").arg(format!("-Wl,-Map={map}")).args(output));
    assert_eq!(ok(&mut sandbox.command("./program")), "c\n");
    let noted = note(&sandbox.path().join("program")).functions.contains(&"environment".to_owned());
    let map = fs_err::read_to_string(sandbox.path().join(map)).unwrap();
    (noted, map.contains("brawn-environment-getenv.o"))
}

#[test]
fn a_family_can_be_left_to_musl_in_every_place() {
    let sandbox = Sandbox::new();
    sandbox.write("program.c", PROGRAM);
    for brawn in [&[][..], &["--malloc", "stock"], &["--preset", "small"], &["--no-strings"]] {
        assert_eq!(linked(&sandbox, brawn, "map"), (true, true), "{brawn:?}");
    }
    for brawn in [&["--musl", "environment"][..], &["--musl=all"], &["--preset", "stock"]] {
        assert_eq!(linked(&sandbox, brawn, "map"), (false, false), "{brawn:?}");
    }
    let of_variable = |value: &str| {
        ok(sandbox.brawn(&[]).args(["cc", "program.c", "-o", "program"]).env("BRAWN_MUSL", value));
        let note = note(&sandbox.path().join("program"));
        (note.strings, note.functions.contains(&"environment".to_owned()))
    };
    assert_eq!(of_variable("environment"), (true, false));
    assert_eq!(of_variable("strings,environment"), (false, false));
    assert_eq!(of_variable("none"), (true, true));
}

#[test]
fn verify_compares_families_with_the_note() {
    let sandbox = Sandbox::new();
    sandbox.write("program.c", PROGRAM);
    linked(&sandbox, &["--musl", "environment"], "map");
    ok(sandbox.brawn(&["--musl", "environment"]).args(["verify", "program"]));
    let text = fails(sandbox.brawn(&["--musl", "none"]).args(["verify", "program"]), 1);
    assert!(text.contains("families of functions"), "{text}");
    // A preset alone asks for all that fits.
    let said = "warning: program: families of functions that are musl's own: environment";
    let preset = ["--preset", "balanced"];
    linked(&sandbox, &["--preset", "balanced", "--musl", "environment"], "map");
    let output = sandbox.brawn(&preset).args(["verify", "program"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains(said), "{text}");
    let text = fails(sandbox.brawn(&preset).args(["verify", "--strict", "program"]), 1);
    assert!(text.contains("are musl's own: environment"), "{text}");
    linked(&sandbox, &preset, "map");
    ok(sandbox.brawn(&preset).args(["verify", "--strict", "program"]));
    let shown = ok(sandbox.brawn(&[]).args(["inspect", "program"]));
    assert!(shown.lines().any(|line| line.trim_start().starts_with("functions ")), "{shown}");
}

#[test]
fn a_slip_of_the_hand_is_answered_with_the_nearest_family() {
    let sandbox = Sandbox::new();
    let text = fails(sandbox.brawn(&["--musl", "enviroment"]).args(["libc", "--dry-run"]), 2);
    assert!(text.contains("unknown family of functions 'enviroment'"), "{text}");
    assert!(text.contains("did you mean 'environment'?"), "{text}");
}

/// Changes the entry of `name` in the table of symbols of the member that defines `owner`.
fn change(libc_a: &mut [u8], owner: &str, name: &str, change: impl Fn(&mut Sym64<LittleEndian>)) {
    let place = |libc_a: &[u8]| {
        let archive = ArchiveFile::parse(libc_a).unwrap();
        archive.members().find_map(|member| {
            let member = member.unwrap();
            let data = member.data(libc_a).unwrap();
            let file = ElfFile64::<LittleEndian>::parse(data).ok()?;
            file.symbols().find(|symbol| symbol.name() == Ok(owner) && !symbol.is_undefined())?;
            let index = file.symbols().find(|symbol| symbol.name() == Ok(name))?.index();
            let header = FileHeader64::<LittleEndian>::parse(data).unwrap();
            let sections = header.sections(LittleEndian, data).unwrap();
            let table = sections.iter().find(|section| section.sh_type.get(LittleEndian) == SHT_SYMTAB)?;
            let table = member.file_range().0 + table.sh_offset.get(LittleEndian);
            Some(usize::try_from(table).unwrap() + index.0 * size_of::<Sym64<LittleEndian>>())
        })
    };
    let place = place(libc_a).expect("the symbol");
    let (symbol, _) = object::pod::from_bytes_mut(&mut libc_a[place..]).unwrap();
    change(symbol);
}

/// A libc.a with streams of another size, and with a `pthread_join` that unmaps stacks by another call than the one that
/// goes to the kit: what needs these stays musl's, everyone says so, and the program works.
#[test]
fn a_family_that_does_not_fit_stays_musls() {
    let sandbox = Sandbox::new();
    let host = Arch::host().unwrap();
    let mut libc_a = fs_err::read(rust_libc(host)).unwrap();
    change(&mut libc_a, "__stderr_FILE", "__stderr_FILE", |symbol| symbol.st_size.set(LittleEndian, 240));
    // `munmap`, by the end of the same name.
    change(&mut libc_a, "__pthread_join", "__munmap", |symbol| {
        symbol.st_name.set(LittleEndian, symbol.st_name.get(LittleEndian) + 2);
    });
    fs_err::create_dir(sandbox.path().join("changed")).unwrap();
    sandbox.write("changed/libc.a", &libc_a);

    let told = |text: &str| {
        for because in [
            "numbers stays musl's: __stderr_FILE has 240 bytes instead of 232",
            "stdio stays musl's: __stderr_FILE has 240 bytes instead of 232",
            "threads stays musl's: __pthread_join does not call __munmap",
        ] {
            assert!(text.contains(because), "{text}");
        }
    };
    let output = sandbox.brawn(&["-v", "libc", "--from", "changed/libc.a", "-o", "out"]).output().unwrap();
    assert!(output.status.success());
    told(&String::from_utf8_lossy(&output.stderr));

    sandbox.write(
        "program.c",
        "#include <pthread.h>\n#include <stdio.h>\n\
         static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n\
         static void *work(void *argument) {\n\
             pthread_mutex_lock(&mutex);\n\
             pthread_mutex_unlock(&mutex);\n\
             return argument;\n\
         }\n\
         int main(void) {\n\
             pthread_t thread;\n\
             void *answer = 0;\n\
             for (int i = 0; i < 20; i++)\n\
                 if (pthread_create(&thread, 0, work, &thread) || pthread_join(thread, &answer)) return 1;\n\
             printf(\"%.3f %d\\n\", 1.5, answer == &thread);\n\
         }\n",
    );
    ok(sandbox.brawn(&[]).args([
        "cc",
        "-pthread",
        "-Lchanged",
        "program.c",
        "-Wl,-Map=map",
        "-o",
        "program",
    ]));
    assert_eq!(ok(&mut sandbox.command("./program")), "1.500 1\n");
    let map = fs_err::read_to_string(sandbox.path().join("map")).unwrap();
    for family in ["numbers", "stdio", "threads"] {
        assert!(!map.contains(&format!("brawn-{family}-")), "{family}");
    }
    assert!(map.contains("brawn-locks-mutex_lock.o"));
    let noted = note(&sandbox.path().join("program")).functions;
    let shown = ok(sandbox.brawn(&[]).args(["inspect", "program"]));
    let line = shown.lines().find(|line| line.trim_start().starts_with("functions ")).unwrap();
    for family in ["numbers", "stdio", "threads"] {
        assert!(!noted.contains(&family.to_owned()) && !line.contains(family), "{noted:?}: {line}");
    }
    assert!(noted.contains(&"locks".to_owned()) && line.contains("locks"), "{noted:?}: {line}");
    ok(sandbox.brawn(&[]).args(["verify", "--preset", "balanced", "program"]));
    ok(sandbox.brawn(&["--musl", "numbers,stdio,threads"]).args(["verify", "program"]));
    let text = fails(sandbox.brawn(&["--musl", "none"]).args(["verify", "program"]), 1);
    assert!(text.contains("families of functions"), "{text}");
}
