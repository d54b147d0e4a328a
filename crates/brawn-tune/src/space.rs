//! What there is to choose from: allocators, and for each the knobs that matter.

use brawn_libc::Malloc;

use crate::setting::{STRINGS, Setting};

/// Every preset, and with its defaults each allocator that no preset is made of, what is used now first. (What presets
/// are made of is there already, with knobs that a search has chosen; a twin of it takes runs from all others.) Hardening is a promise to the program's users, which no
/// measurement may take back: a hardened program is offered hardened allocators alone, and no other program is
/// offered them.
pub fn settings(now: &Setting) -> Vec<Setting> {
    let mut settings = vec![now.clone()];
    let presets = Setting::presets();
    let others = Malloc::names().into_iter().map(Setting::allocator);
    let others: Vec<_> = others
        .filter(|other| presets.iter().all(|preset| preset.malloc != other.malloc || !preset.strings))
        .collect();
    for mut setting in presets.into_iter().chain(others) {
        setting.cpu = now.cpu.clone().filter(|_| setting.strings);
        // What was asked to stay musl's stays so with every candidate.
        if setting.malloc != "stock" || setting.strings {
            setting.musl.clone_from(&now.musl);
            let preset = setting.preset.take();
            setting = setting.by_preset(preset.as_deref());
        }
        // Hardened ones cost time; the preset that is stock musl is a reference in any case.
        let stock = setting.malloc == "stock" && !setting.strings;
        let fits = setting.is_hardened() == now.is_hardened() || stock;
        if fits && !settings.iter().any(|other| other.same_as(&setting)) {
            settings.push(setting);
        }
    }
    settings
}

/// The knobs of an allocator that are worth searching, the most promising first: the key for `--knob`, or [`STRINGS`], and the
/// values that are worth trying, the likeliest first.
pub fn knobs(malloc: &str) -> Vec<(String, &'static [&'static str])> {
    let table = Malloc::from_name(malloc).ok().and_then(Malloc::knobs);
    let rows = table.into_iter().flat_map(|table| {
        let searched = table.knobs.iter().filter(|knob| !knob.search.is_empty());
        searched.map(|knob| (format!("{}.{}", table.prefix, knob.name), knob.search))
    });
    // What all allocators have comes before their own: behind a long table there might be no room for it.
    let strings = (malloc != "stock").then(|| (STRINGS.to_owned(), &["no"][..]));
    strings.into_iter().chain(rows).collect()
}

/// Settings that differ from one by a single knob, at most so many: the first value of each knob, then the second ones.
pub fn neighbours(setting: &Setting, most: usize) -> Vec<Setting> {
    let knobs = knobs(&setting.malloc);
    let longest = knobs.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    let mut found: Vec<Setting> = Vec::new();
    for index in 0..longest {
        for (key, values) in &knobs {
            let Some(value) = values.get(index) else { continue };
            let other = setting.with_knob(key, value);
            let known = other.same_as(setting) || found.iter().any(|one| one.same_as(&other));
            // A table may name a knob that another version of the kit has not.
            if !known && other.choice().is_ok() && found.len() < most {
                found.push(other);
            }
        }
    }
    found
}

/// The settings of all neighbours that were better, together; none when fewer than two are.
pub fn combined(setting: &Setting, better: &[Setting]) -> Option<Setting> {
    let mut whole = setting.clone();
    let mut changes = 0;
    // The best first: of two values of one knob the better one stays.
    for other in better.iter().filter(|other| other.malloc == setting.malloc) {
        if other.strings != setting.strings && whole.strings == setting.strings {
            whole = whole.with_knob(STRINGS, if other.strings { "yes" } else { "no" });
            changes += 1;
        }
        for (key, value) in &other.knobs {
            if setting.knobs.get(key) != Some(value) && whole.knobs.get(key) == setting.knobs.get(key) {
                whole = whole.with_knob(key, value);
                changes += 1;
            }
        }
    }
    (changes > 1 && whole.choice().is_ok()).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_allocator_is_offered_once() {
        let now = Setting::presets().remove(0);
        let settings = settings(&now);
        assert_eq!(settings[0], now);
        for name in Malloc::names() {
            let known = settings.iter().any(|setting| setting.malloc == name);
            assert_eq!(known, !Setting::allocator(name).is_hardened(), "{name}");
        }
        for (index, setting) in settings.iter().enumerate() {
            assert!(!settings[..index].iter().any(|other| other.same_as(setting)), "{}", setting.name());
            assert!(
                !settings[..index].iter().any(|other| other.name() == setting.name()),
                "{}",
                setting.name()
            );
        }
    }

    #[test]
    fn hardening_is_kept() {
        let now = Setting::presets().into_iter().find(Setting::is_hardened).unwrap();
        let settings = settings(&now);
        assert!(
            settings.iter().all(|setting| setting.is_hardened() || setting.name() == "stock"),
            "{settings:?}"
        );
    }

    #[test]
    fn a_processor_is_kept() {
        let mut now = Setting::presets().remove(0);
        now.cpu = Some("x86-64-v3".into());
        let settings = settings(&now);
        assert!(settings.iter().all(|setting| setting.cpu.is_some() == setting.strings), "{settings:?}");
    }

    #[test]
    fn every_value_in_the_tables_makes_a_candidate() {
        for name in Malloc::names() {
            let setting = Setting::allocator(name);
            let values: usize = knobs(name).iter().map(|(_, values)| values.len()).sum();
            assert_eq!(neighbours(&setting, usize::MAX).len(), values, "{name}");
        }
        assert!(knobs("jemalloc").iter().any(|(key, _)| key == "jemalloc.narenas"));
    }

    #[test]
    fn neighbours_differ_by_one_knob_and_combine() {
        let now = Setting::presets().remove(0);
        let near = neighbours(&now, 100);
        assert!(near.iter().any(|setting| !setting.strings), "{near:?}");
        assert!(neighbours(&now, 0).is_empty());
        let (one, two) = (now.with_knob(STRINGS, "no"), now.with_knob("strings.level", "sse2"));
        let three = now.with_knob("strings.level", "avx2");
        assert_eq!(combined(&now, std::slice::from_ref(&one)), None);
        let both = combined(&now, &[one, two, three]).unwrap();
        assert_eq!((both.strings, both.knobs["strings.level"].as_str()), (false, "sse2"));
    }
}
