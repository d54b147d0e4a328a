//! The table of allocators, the docs and the licences agree; `docs/reference/knobs.md` is made from the tables of knobs.

use std::path::{Path, PathBuf};

use brawn_libc::{Malloc, PRESETS};

fn doc(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

fn read(name: &str) -> String {
    fs_err::read_to_string(doc(name)).unwrap_or_default()
}

/// The names in the first column of the table that follows this header row.
fn first_column(text: &str, header: &str) -> Vec<String> {
    let rows = text.lines().skip_while(|line| !line.starts_with(header)).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.split('|').nth(1).unwrap_or_default().trim().trim_matches('`').to_owned()).collect()
}

#[test]
fn the_docs_list_every_allocator_of_the_kit() {
    let kit = read("reference/kit.md");
    let names: Vec<_> = brawn_kit::allocators().iter().map(|allocator| allocator.name).collect();
    assert_eq!(first_column(&kit, "| name | what | sources |"), names, "the table in docs/reference/kit.md");
    for allocator in brawn_kit::allocators() {
        let row = kit.lines().find(|line| line.starts_with(&format!("| `{}` |", allocator.name)));
        let row = row.expect("just found");
        // A secure build says `the same` of the version and the crate that the row above it names.
        if !row.contains("the same") && allocator.source_crate != "brawn-kit" {
            assert!(
                row.contains(allocator.version),
                "docs/reference/kit.md: {} is {}",
                allocator.name,
                allocator.version
            );
            let pinned = allocator.source_crate_version.split('+').next().unwrap_or_default();
            let source = format!("`{}` {pinned}", allocator.source_crate);
            assert!(row.contains(&source), "docs/reference/kit.md: {} comes from {source}", allocator.name);
        }
    }
    assert!(Malloc::names().contains(&"stock") && kit.contains("`stock`"));
}

#[test]
fn the_docs_say_what_each_preset_is() {
    let presets = read("explain/presets.md");
    let rows: Vec<Vec<String>> = presets
        .lines()
        .skip_while(|line| !line.starts_with("| preset | allocator | knobs | aim |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|row| row.split('|').map(|cell| cell.trim().replace('`', "")).skip(1).take(4).collect())
        .collect();
    assert_eq!(rows.len(), PRESETS.len(), "the table in docs/explain/presets.md: {rows:?}");
    for (row, preset) in rows.iter().zip(PRESETS) {
        let knobs: Vec<_> = preset.knobs.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(row[..3], [preset.name, preset.malloc, &knobs.join(" ")], "docs/explain/presets.md");
        assert!(
            row[3].starts_with(preset.summary),
            "docs/explain/presets.md: {} aims at: {}",
            preset.name,
            preset.summary
        );
    }
}

/// `docs/reference/knobs.md`
fn reference() -> String {
    let mut text = String::from(
        "# Knobs

Made from the tables in `crates/brawn-kit/libc/malloc/`:
`BRAWN_RENEW=1 cargo test -p brawn-libc --test allocators` writes this page again.

`--knob KEY=VALUE`, `BRAWN_KNOBS=\"KEY=VALUE …\"` or `knobs = { \"KEY\" = \"VALUE\" }` in the metadata
sets one. Knobs are written into the executable when it is linked: nothing is compiled, and nothing
is read from the environment of anyone who runs it. The executable's note lists them, and
`brawn inspect` shows them. An unknown key, a key of another allocator and a value that does not fit
are refused, with the nearest right one.

| key | values | in the kit | meaning |
|---|---|---|---|
",
    );
    let levels: Vec<_> = brawn_kit::level_names().collect();
    text.push_str(&format!(
        "| `{}` | {} | the processor's | holds the string functions to a level, see [strings.md](../explain/strings.md) |\n",
        brawn_libc::LEVEL_KNOB,
        levels.join(", ")
    ));
    let mut shown = Vec::new();
    for knobs in brawn_kit::allocators().iter().filter_map(|allocator| allocator.knobs.as_ref()) {
        if shown.contains(&knobs.prefix) {
            continue;
        }
        shown.push(knobs.prefix);
        let key = format!("{}.environment", knobs.prefix);
        let owners = Malloc::owners(&key);
        let owners = if owners.is_empty() { vec![knobs.prefix] } else { owners };
        text.push_str(&format!("\n## {}\n\n", owners.join(", ")));
        text.push_str("| key | values | its own default | in the kit | meaning | documented in |\n|---|---|---|---|---|---|\n");
        for knob in knobs.knobs {
            let kit = if knob.default == knob.upstream { "the same" } else { knob.default };
            text.push_str(&format!(
                "| `{}.{}` | {} | {} | {kit} | {} | {} |\n",
                knobs.prefix,
                knob.name,
                knob.values(),
                knob.upstream,
                knob.meaning,
                knob.source
            ));
        }
    }
    text
}

#[test]
fn the_list_of_knobs_is_up_to_date() {
    let reference = reference();
    if std::env::var_os("BRAWN_RENEW").is_some() {
        fs_err::write(doc("reference/knobs.md"), &reference).expect("docs can be written");
    }
    assert!(
        read("reference/knobs.md") == reference,
        "docs/reference/knobs.md is stale: renew it with `BRAWN_RENEW=1 cargo test -p brawn-libc --test allocators`"
    );
}
