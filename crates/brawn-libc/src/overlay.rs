//! Making overlays, which are known by what went into them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use brawn_base::{file, temporary};
use brawn_elf::Arch;
use brawn_elf::note::{HeapFacts, Note};
use brawn_kit::{Family, Functions};
use serde::{Deserialize, Serialize};

use crate::archive::{Archive, Member};
use crate::cache::Hold;
use crate::choice::{Choice, LEVEL_KNOB};
use crate::musl::Musl;
use crate::plan::{Dropped, Plan, losing};
use crate::{Error, archive, atomic, digest, layout, redirect, sha256_hex};

/// Says what an overlay's `libc.a` is made of; written beside it as `manifest.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Manifest {
    /// Version of this format.
    pub format: u32,
    /// Content id of the overlay: the same inputs give the same id, and the same bytes.
    pub id: String,
    /// Version of the kit.
    pub kit: String,
    /// Architecture of the objects.
    pub arch: Arch,
    /// The preset, if one was asked for.
    pub preset: Option<String>,
    /// The allocator's name for `--malloc`.
    pub malloc: String,
    /// The allocator's own version.
    pub malloc_version: Option<String>,
    /// Whether the kit's string functions took the place of musl's.
    pub strings: bool,
    /// The other families of functions of which the kit's took the place of musl's.
    #[serde(default)]
    pub functions: Vec<String>,
    /// The families that were asked for and stayed musl's, with the reason.
    #[serde(default)]
    pub unfit: BTreeMap<String, String>,
    /// The one kind of processor that they are for, if they do not look for themselves.
    pub cpu: Option<String>,
    /// The settings of the allocator and of the string functions.
    pub knobs: BTreeMap<String, String>,
    /// The libc that it started from, such as `musl 1.2.5`.
    pub libc: String,
    /// SHA-256 of the `libc.a` that it started from.
    pub libc_sha256: String,
    /// SHA-256 of the overlay's `libc.a`.
    pub sha256: String,
    /// Size of the overlay's `libc.a` in bytes.
    pub size: u64,
    /// Number of members that stayed.
    pub kept: usize,
    /// The members that went.
    pub dropped: Vec<Dropped>,
    /// The members that came.
    pub added: Vec<Added>,
}

impl Manifest {
    /// How many functions came that programs call, without the names that the libc's parts have among themselves.
    pub fn functions(&self) -> usize {
        let names = self.added.iter().flat_map(|added| &added.defines);
        names.filter(|name| !name.starts_with("__")).count()
    }
}

/// A member that the kit contributes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// The member's file name.
    pub member: String,
    /// The symbols that it defines.
    pub defines: Vec<String>,
}

/// A `libc.a` in memory, with its description.
pub struct Made {
    /// The archive.
    pub libc_a: Vec<u8>,
    /// What is in it.
    pub manifest: Manifest,
}

/// An overlay on disk.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// The folder that holds `libc.a` and `manifest.json`.
    pub dir: PathBuf,
    /// What is in it.
    pub manifest: Manifest,
    /// Whether it was there before.
    pub cached: bool,
    /// Keeps it there.
    #[allow(dead_code, reason = "it is the lock that counts")]
    pub(crate) hold: Hold,
}

const FORMAT: u32 = 2;
/// The record of the process in the Brawn heap's object, for a libc.a whose own is not known
/// (`crates/brawn-kit/libc/malloc/brawn/names.h`).
const OWN_PROCESS: &str = "__brawn_always_threads";
const LIBC_A: &str = "libc.a";
const MANIFEST: &str = "manifest.json";

/// Makes the overlay of `base` in memory. `path` is where `base` came from, for messages; `wanted` is the
/// architecture that it must be for.
pub fn make(path: &Path, base: &[u8], wanted: Option<Arch>, choice: &Choice) -> Result<Made, Error> {
    make_from(path, base, sha256_hex(base), wanted, choice)
}

/// The same, for a base whose digest is known.
pub(crate) fn make_from(
    path: &Path,
    base: &[u8],
    libc_sha256: String,
    wanted: Option<Arch>,
    choice: &Choice,
) -> Result<Made, Error> {
    let mut archive = Archive::parse(path, base)?;
    let musl = Musl::recognise(path, &archive, wanted)?;
    choice.fits(musl.arch)?;
    let (families, unfit) = fit(&archive, &musl, choice);
    let note = Note {
        kit: brawn_kit::VERSION.to_owned(),
        preset: choice.preset.map(|preset| preset.name.to_owned()),
        malloc: choice.malloc.name().to_owned(),
        malloc_version: choice.malloc.version().map(str::to_owned),
        knobs: choice.knobs.clone(),
        libc: musl.title(),
        libc_sha256: libc_sha256.clone(),
        strings: choice.strings,
        functions: families.iter().map(|family| family.name.to_owned()).collect(),
        cpu: choice.cpu.map(|cpu| cpu.name().to_owned()),
        overlay: id(&libc_sha256, musl.arch, choice),
        heaps: HeapFacts::default(),
    };
    let functions = family_members(path, musl.arch, &families)?;
    let moved = move_behind(path, &archive, &families, &functions)?;
    for (index, bytes) in &moved {
        let name = archive.members[*index].name.clone();
        archive.members[*index] = Member::parse(path, name, bytes)?;
    }
    let heap = heap_object(path, &archive, &musl, choice)?;
    let mut kit = kit_members(path, &archive, musl.arch, choice, heap.as_deref())?;
    kit.extend(functions);
    // What a version of musl has under more names than the kit knows stays musl's.
    let losing = losing(&archive, &kit);
    kit.retain(|member| Functions::family_of(&member.name).is_none() || !losing.contains(&member.name));
    layout::check(path, &archive, &musl, &kit)?;
    let plan = Plan::new(path, &archive, &kit)?;
    kit.extend(start_member(path, musl.arch, choice)?);
    let libc_a = write(path, &archive, &plan, &kit, &note)?;
    let manifest = Manifest {
        format: FORMAT,
        id: note.overlay,
        kit: note.kit,
        arch: musl.arch,
        preset: note.preset,
        malloc: note.malloc,
        malloc_version: note.malloc_version,
        strings: note.strings,
        functions: note.functions,
        unfit,
        cpu: note.cpu,
        knobs: note.knobs,
        libc: note.libc,
        libc_sha256,
        sha256: sha256_hex(&libc_a),
        size: libc_a.len() as u64,
        kept: plan.keep.len(),
        dropped: plan.drop,
        added: kit
            .iter()
            .map(|member| Added {
                member: member.name.clone(),
                defines: member.defined.iter().map(|definition| definition.name.to_owned()).collect(),
            })
            .collect(),
    };
    Ok(Made { libc_a, manifest })
}

/// The id of the overlay that `choice` makes of the libc.a with this digest.
pub(crate) fn id(libc_sha256: &str, arch: Arch, choice: &Choice) -> String {
    let object = choice.malloc.kit().and_then(|allocator| allocator.object(arch));
    let object = object.map_or("", |object| object.file.sha256());
    let mut text = format!(
        "brawn overlay {FORMAT}\nkit {}\nlibc {libc_sha256}\narch {arch}\npreset {}\nmalloc {} {object}\n",
        brawn_kit::VERSION,
        choice.preset.map_or("", |preset| preset.name),
        choice.malloc.name(),
    );
    if choice.strings {
        let cpu = choice.cpu.map_or("any", brawn_kit::Cpu::name);
        let digest =
            brawn_kit::strings(arch, choice.cpu).map_or(String::new(), |set| set.archive.sha256().to_owned());
        text.push_str(&format!("strings {cpu} {digest}\n"));
    }
    let functions = brawn_kit::functions(arch).map_or("", |set| set.archive.sha256());
    let families: Vec<_> = choice.families().map(|family| family.name).collect();
    if !families.is_empty() {
        text.push_str(&format!("functions {} {functions}\n", families.join(" ")));
    }
    for (key, value) in &choice.knobs {
        text.push_str(&format!("knob {key}={value}\n"));
    }
    sha256_hex(text.as_bytes())[..32].to_owned()
}

/// The allocator's object, where it is not as it stands in the kit: with other knobs than those that it has built in, or
/// for a libc.a whose record of the process is not known. There the Brawn heap has a record of its own, which says that
/// there may always be other threads.
fn heap_object(
    path: &Path,
    archive: &Archive<'_>,
    musl: &Musl,
    choice: &Choice,
) -> Result<Option<Vec<u8>>, Error> {
    let Some(object) = choice.malloc.kit().and_then(|allocator| allocator.object(musl.arch)) else {
        return Ok(None);
    };
    let with_knobs = choice.knob_text().map(|text| object.with_knobs(&text));
    if layout::knows_process(archive, musl) {
        return Ok(with_knobs);
    }
    let bytes = with_knobs.as_deref().unwrap_or_else(|| object.file.bytes());
    let bytes = brawn_elf::define_needed(bytes, layout::PROCESS.0, OWN_PROCESS, "__brawn_process").map_err(
        |source| Error::BadMember {
            path: path.to_owned(),
            member: object.member_name.to_owned(),
            what: format!("cannot do without musl's record of the process: {source}"),
        },
    )?;
    Ok(Some(bytes))
}

fn kit_members<'a>(
    path: &Path,
    archive: &Archive<'_>,
    arch: Arch,
    choice: &Choice,
    heap: Option<&'a [u8]>,
) -> Result<Vec<Member<'a>>, Error> {
    let mut members = Vec::new();
    if let Some(allocator) = choice.malloc.kit() {
        let object = allocator.object(arch).ok_or(Error::NoKit { arch })?;
        let bytes = heap.unwrap_or_else(|| object.file.bytes());
        members.push(Member::parse(path, object.member_name.to_owned(), bytes)?);
    }
    members.extend(string_members(path, arch, choice)?);
    let from_elsewhere = choice.malloc.kit().is_some() && !archive.mentions("malloc");
    if from_elsewhere && !choice.strings {
        members.extend(duplicating_members(path, arch)?);
    }
    Ok(members)
}

/// The functions that copy a string onto the heap. zig keeps them in one object file with its own heap, behind its libc.a,
/// and there they call that heap directly, no matter who owns the name `malloc`: a kit's heap needs its own.
fn duplicating_members(path: &Path, arch: Arch) -> Result<Vec<Member<'static>>, Error> {
    let Some(set) = brawn_kit::strings(arch, None) else { return Ok(Vec::new()) };
    let duplicates = |member: &Member<'_>| {
        member.defined.iter().any(|d| ["strdup", "strndup", "wcsdup"].contains(&d.name))
    };
    Ok(Archive::parse(path, set.archive.bytes())?.members.into_iter().filter(duplicates).collect())
}

/// The kit's string functions, held to the level that was asked for.
pub(crate) fn string_members(
    path: &Path,
    arch: Arch,
    choice: &Choice,
) -> Result<Vec<Member<'static>>, Error> {
    let level = choice.knobs.get(LEVEL_KNOB);
    if !choice.strings {
        let setting = level
            .map(|level| format!("{LEVEL_KNOB}={level}"))
            .or_else(|| choice.cpu.map(|cpu| format!("the processor '{}'", cpu.name())));
        return setting.map_or(Ok(Vec::new()), |what| Err(Error::WithoutStrings { what }));
    }
    let set = brawn_kit::strings(arch, choice.cpu).ok_or_else(|| Error::NotForArchitecture {
        what: format!("the processor '{}'", choice.cpu.map_or("", brawn_kit::Cpu::name)),
        arch,
        known: brawn_kit::Cpu::of(arch).map(|cpu| cpu.name().to_owned()).collect(),
    })?;
    let mut members = Archive::parse(path, set.archive.bytes())?.members;
    // It defines what musl's member defines as well, until that has another name: see `write`.
    members.retain(|member| member.name != brawn_kit::START_MEMBER);
    if let Some(level) = level {
        let known = || set.levels.iter().map(|level| level.name.to_owned()).collect();
        let what = || format!("{LEVEL_KNOB}={level}");
        let object = set
            .levels
            .iter()
            .find(|known| known.name == level)
            .ok_or_else(|| Error::NotForArchitecture { what: what(), arch, known: known() })?;
        members.retain(|member| member.name != brawn_kit::LEVEL_MEMBER);
        members.push(Member::parse(path, brawn_kit::LEVEL_MEMBER.to_owned(), object.file.bytes())?);
    }
    Ok(members)
}

/// The families that the choice takes from the kit and that fit this archive, and why the others do not.
fn fit(
    archive: &Archive<'_>,
    musl: &Musl,
    choice: &Choice,
) -> (Vec<&'static Family>, BTreeMap<String, String>) {
    let mut unfit = BTreeMap::new();
    let mut families: Vec<_> = choice.families().collect();
    families.retain(|family| match layout::unfit(archive, musl, family) {
        None => true,
        Some(what) => {
            unfit.insert(family.name.to_owned(), what);
            false
        }
    });
    (families, unfit)
}

/// The members of musl's whose definitions stay behind these functions of the kit, with those under other names, and those
/// whose calls go to the kit. What stays behind a function of another architecture keeps its name.
fn move_behind(
    path: &Path,
    archive: &Archive<'_>,
    families: &[&'static Family],
    functions: &[Member<'_>],
) -> Result<Vec<(usize, Vec<u8>)>, Error> {
    let names: Vec<(&str, String)> = families
        .iter()
        .flat_map(|family| family.behind)
        .filter(|name| functions.iter().any(|member| member.defines(name)))
        .map(|name| (*name, brawn_kit::behind(name)))
        .collect();
    let mut moved = Vec::new();
    for (index, member) in archive.members.iter().enumerate() {
        let own = |name: &str| member.defined.iter().any(|definition| definition.name == name);
        let calls = families.iter().flat_map(|family| family.instead);
        let calls: Vec<_> =
            calls.filter(|(owner, ..)| member.defines(owner)).map(|(_, call, ours)| (*call, *ours)).collect();
        let pairs: Vec<(&str, &str)> =
            names.iter().filter(|(old, _)| own(old)).map(|(old, new)| (*old, new.as_str())).collect();
        if !pairs.is_empty() || !calls.is_empty() {
            let bytes = brawn_elf::rename_definitions(member.data, &pairs)
                .and_then(|bytes| brawn_elf::redirect_calls(&bytes, &calls))
                .map_err(|source| Error::BadMember {
                    path: path.to_owned(),
                    member: member.name.clone(),
                    what: format!("cannot stay behind the kit's functions: {source}"),
                })?;
            moved.push((index, bytes));
        }
    }
    Ok(moved)
}

/// The functions of these families.
pub(crate) fn family_members(
    path: &Path,
    arch: Arch,
    families: &[&'static Family],
) -> Result<Vec<Member<'static>>, Error> {
    if families.is_empty() {
        return Ok(Vec::new());
    }
    let set = brawn_kit::functions(arch).ok_or(Error::NoKit { arch })?;
    let mut members = Archive::parse(path, set.archive.bytes())?.members;
    members.retain(|member| Functions::family_of(&member.name).is_some_and(|it| families.contains(&it)));
    Ok(members)
}

/// What a program begins with where the string functions are for one kind of processor.
fn start_member(path: &Path, arch: Arch, choice: &Choice) -> Result<Option<Member<'static>>, Error> {
    let Some(cpu) = choice.cpu.filter(|_| choice.strings) else { return Ok(None) };
    let Some(set) = brawn_kit::strings(arch, Some(cpu)) else { return Ok(None) };
    let members = Archive::parse(path, set.archive.bytes())?.members;
    Ok(members.into_iter().find(|member| member.name == brawn_kit::START_MEMBER))
}

/// Writes the archive: kit members first, then what stayed, in file order, without dates or owners.
fn write(
    path: &Path,
    archive: &Archive<'_>,
    plan: &Plan,
    kit: &[Member<'_>],
    note: &Note,
) -> Result<Vec<u8>, Error> {
    let entry = &archive.members[plan.entry];
    let failed =
        |source| Error::Note { path: path.to_owned(), member: entry.name.clone(), source: Box::new(source) };
    let mut entry_with_note = brawn_elf::note::add_note_section(entry.data, note).map_err(failed)?;
    if kit.iter().any(|member| member.name == brawn_kit::START_MEMBER) {
        entry_with_note =
            brawn_elf::rename_definitions(&entry_with_note, &[(brawn_kit::START, brawn_kit::START_OF_MUSL)])
                .map_err(failed)?;
    }
    let redirected = redirect::members(path, archive, &plan.keep, kit)?;
    let kept = plan.keep.iter().map(|&index| {
        let member = &archive.members[index];
        let data = match redirected.get(&index) {
            Some(bytes) => bytes.as_slice(),
            None if index == plan.entry => entry_with_note.as_slice(),
            None => member.data,
        };
        // zig names its members by path; the folder is no part of the content.
        let name = member.name.rsplit('/').next().unwrap_or(&member.name);
        (name.to_owned(), data)
    });
    archive::write(kit.iter().map(|member| (member.name.clone(), member.data)).chain(kept))
}

/// Copies a cached overlay's files into `dir`, under the same conditions as [`write_to`].
pub fn copy_to(dir: &Path, overlay: &Overlay) -> Result<(), Error> {
    let libc_a = file::archive(overlay.dir.join(LIBC_A))?;
    write_to(dir, &Made { libc_a, manifest: overlay.manifest.clone() })
}

/// Writes `libc.a` and `manifest.json` into `dir`, which is made if need be. An existing `libc.a` there is only
/// replaced if it is an overlay.
pub fn write_to(dir: &Path, made: &Made) -> Result<(), Error> {
    fs_err::create_dir_all(dir).map_err(|source| Error::unwritable(dir, source))?;
    temporary::sweep(dir);
    let libc_a = dir.join(LIBC_A);
    if libc_a.exists() && read_manifest(dir).is_none() {
        return Err(Error::NotAnOverlay { path: libc_a });
    }
    write_files(dir, made)
}

/// Both files are written before either has its name: a full disk leaves what was there. The manifest comes first, as an
/// archive without one is no overlay that could be replaced.
pub(crate) fn write_files(dir: &Path, made: &Made) -> Result<(), Error> {
    let mut json = serde_json::to_vec_pretty(&made.manifest).expect("a manifest has only string keys");
    json.push(b'\n');
    let libc_a = atomic::stage(&dir.join(LIBC_A), &made.libc_a, 0o644)?;
    atomic::write(&dir.join(MANIFEST), &json, 0o644)?;
    libc_a.place()
}

fn read_manifest(dir: &Path) -> Option<Manifest> {
    let manifest: Manifest =
        serde_json::from_slice(&file::read(dir.join(MANIFEST), file::TEXT).ok()?).ok()?;
    (manifest.format == FORMAT).then_some(manifest)
}

/// The overlay in `dir`, if it is there and sound.
pub(crate) fn existing(memory: &Path, dir: &Path, hold: &Hold) -> Option<Overlay> {
    let manifest = read_manifest(dir)?;
    let path = dir.join(LIBC_A);
    let (sha256, size) = digest::of_archive(memory, &path, |path| file::archive(path)).ok()?;
    (size == manifest.size && sha256 == manifest.sha256).then(|| Overlay {
        dir: dir.to_owned(),
        manifest,
        cached: true,
        hold: hold.clone(),
    })
}
