//! What several tests of the kit share.
#![allow(dead_code)]

use brawn_elf::Arch;
use brawn_kit::Packed;
use brawn_kit_build::{arches, compiler};
use object::read::archive::ArchiveFile;
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, elf};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says why a test did not look; in CI, where everything must be there, that is a failure.
pub fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
}

/// What a command that must succeed writes.
pub fn ok(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The compiler that makes the kit for an architecture. Without `-fPIC` zig would compile its musl once more for it, half a
/// minute of a processor.
pub fn kit_compiler(name: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository");
    let row = arches::ARCHES.iter().find(|row| row.name == name).expect("an architecture");
    let found = compiler::find(root, row, std::env::consts::ARCH).expect("the kit's compiler");
    found.argv.into_iter().chain(["-fPIC".to_owned()]).collect()
}

/// An argument of a test program, and the one of long runs.
pub fn count(short: &'static str, long: &'static str) -> &'static str {
    if std::env::var_os("BRAWN_TEST_LONG").is_some() { long } else { short }
}

/// The libc.a that comes with the Rust target, if it is installed.
pub fn rustup_libc(arch: Arch) -> Option<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "sysroot"]).output().ok()?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let path = Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(arch.musl_triple())
        .join("lib/self-contained/libc.a");
    path.exists().then_some(path)
}

/// The members of musl's own that define these names, from the Rust target's libc.a, written to this folder: zig's libc.a
/// has other functions in the place of some.
pub fn musls_own(arch: Arch, names: &[&str], folder: &Path) -> Vec<PathBuf> {
    let data =
        fs_err::read(rustup_libc(arch).expect("the musl target (`make setup` installs it)")).expect("libc.a");
    let archive = ArchiveFile::parse(data.as_slice()).expect("an archive");
    let mut paths = Vec::new();
    for member in archive.members() {
        let bytes = member.expect("a member").data(data.as_slice()).expect("data").to_vec();
        let Ok(file) = ElfFile64::<object::Endianness>::parse(bytes.as_slice()) else { continue };
        let mut defined = file.symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
        if let Some(name) = defined.find_map(|symbol| names.iter().find(|name| symbol.name() == Ok(name))) {
            let path = folder.join(format!("musl-{name}.o"));
            fs_err::write(&path, &bytes).expect("written");
            paths.push(path);
        }
    }
    assert_eq!(paths.len(), names.len(), "{names:?} in libc.a");
    paths
}

/// The symbols in the index of an archive.
pub fn defined_in(archive: &Path) -> BTreeSet<String> {
    let data = fs_err::read(archive).expect("the archive");
    let file = ArchiveFile::parse(&*data).expect("an archive");
    let symbols = file.symbols().expect("an index").expect("an index");
    symbols.map(|symbol| String::from_utf8_lossy(symbol.expect("a symbol").name()).into_owned()).collect()
}

/// The members of a static library of the kit by name.
pub fn members(packed: &'static Packed) -> BTreeMap<String, ElfFile64<'static>> {
    let archive = ArchiveFile::parse(packed.bytes()).expect("an archive");
    let member = |member: object::read::Result<object::read::archive::ArchiveMember<'static>>| {
        let member = member.expect("a member");
        let file = ElfFile64::parse(member.data(packed.bytes()).expect("its data")).expect("an ELF object");
        (String::from_utf8(member.name().to_vec()).expect("a name"), file)
    };
    archive.members().map(member).collect()
}

/// The names that a file defines for others: visible ones, and ones for the kit alone.
pub fn defined(file: &ElfFile64<'static>) -> (BTreeSet<(String, bool)>, BTreeSet<String>) {
    let (mut visible, mut hidden) = (BTreeSet::new(), BTreeSet::new());
    for symbol in file.symbols().filter(|symbol| symbol.is_definition() && !symbol.is_local()) {
        let name = symbol.name().expect("a name").to_owned();
        if symbol.elf_symbol().st_other.visibility() == elf::STV_HIDDEN {
            hidden.insert(name);
        } else {
            visible.insert((name, symbol.is_weak()));
        }
    }
    (visible, hidden)
}

/// What the libc.a that comes with the Rust target defines, and whether only weakly: `__stdin_used` is weak in what takes it
/// for missing, and strong in the object of `stdin`.
pub fn defined_by_musl(arch: Arch) -> BTreeMap<String, bool> {
    let path = rustup_libc(arch).expect("the musl target (`make setup` installs it)");
    let data = fs_err::read(path).expect("libc.a");
    let archive = ArchiveFile::parse(data.as_slice()).expect("an archive");
    let mut stock = BTreeMap::new();
    for member in archive.members() {
        let bytes = member.expect("a member").data(data.as_slice()).expect("data").to_vec();
        let Ok(file) = ElfFile64::<object::Endianness>::parse(bytes.as_slice()) else { continue };
        for symbol in file.symbols().filter(|symbol| symbol.is_definition() && symbol.is_global()) {
            let weak = stock.entry(symbol.name().expect("a name").to_owned()).or_insert(true);
            *weak &= symbol.is_weak();
        }
    }
    stock
}

/// The names that the members of a static library define, hidden ones among them: libgcc_eh.a hides all of its.
pub fn defined_by_member(archive: &Path) -> Vec<(String, BTreeSet<String>)> {
    let data = fs_err::read(archive).expect("the archive");
    let file = ArchiveFile::parse(data.as_slice()).expect("an archive");
    let mut all = Vec::new();
    for member in file.members() {
        let member = member.expect("a member");
        let bytes = member.data(data.as_slice()).expect("data").to_vec();
        let Ok(object) = ElfFile64::<object::Endianness>::parse(bytes.as_slice()) else { continue };
        let symbols = object.symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
        let names = symbols.map(|symbol| symbol.name().expect("a name").to_owned()).collect();
        all.push((String::from_utf8_lossy(member.name()).into_owned(), names));
    }
    all
}

/// A file among GCC's own, for this machine's architecture.
pub fn of_gcc(arch: Arch, file: &str) -> Option<PathBuf> {
    if Arch::host() != Some(arch) {
        return None;
    }
    let output = Command::new("gcc").arg(format!("-print-file-name={file}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute().then_some(path)
}

/// Everything that these objects define for programs, musl defines with the same binding.
pub fn musl_defines_the_same(arch: Arch, packed: &'static Packed, of: impl Fn(&str) -> bool) {
    let stock = defined_by_musl(arch);
    for (member, file) in members(packed).into_iter().filter(|(member, _)| of(member)) {
        for (name, weak) in defined(&file).0 {
            assert_eq!(stock.get(&name), Some(&weak), "{name} of {member} on {arch}");
        }
    }
}

/// No constructor and no thread-local data; and no data that would have to be relocated before the first call, of functions
/// that a program calls before it has relocated itself.
pub fn needs_no_help_to_start(packed: &'static Packed, before_relocation: bool) {
    for (member, file) in members(packed) {
        for symbol in file.elf_symbol_table().symbols() {
            assert_ne!(symbol.st_info.st_type(), elf::STT_GNU_IFUNC, "{member}");
        }
        for section in file.sections() {
            let name = section.name().expect("a name");
            assert!(!name.starts_with(".debug"), "{member}: {name}");
            assert!(!name.contains("init_array") && !name.starts_with(".tdata"), "{member}: {name}");
            let data = before_relocation && (name.starts_with(".data") || name.starts_with(".rodata"));
            assert!(!data || section.relocations().next().is_none(), "{member}: {name} has relocations");
        }
    }
}
