//! Why one candidate is better than another: what their runs did, in figures and in words.

use std::collections::BTreeMap;

use brawn_measure::probe::SystemCalls;
use brawn_measure::{Figure, Sample, format, statistics};
use serde::{Deserialize, Serialize};

use crate::race::Lane;

/// What the runs of one candidate did: medians over all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The candidate's name.
    pub name: String,
    /// Figures by name, in seconds, bytes or counts.
    pub figures: BTreeMap<String, f64>,
    /// System calls by kind, counted in a run of its own; none where they could not be counted.
    pub calls: Option<BTreeMap<String, u64>>,
}

/// The figures of a profile.
pub const FIGURES: [Figure; 10] = [
    Figure::Wall,
    Figure::User,
    Figure::System,
    Figure::Peak,
    Figure::Final,
    Figure::Offered,
    Figure::MinorFaults,
    Figure::MajorFaults,
    Figure::VoluntarySwitches,
    Figure::InvoluntarySwitches,
];

/// System calls by what an allocator uses them for.
const KINDS: [(&str, &[libc::c_long]); 6] = [
    ("map memory", &[libc::SYS_mmap, libc::SYS_brk, libc::SYS_mremap]),
    ("give memory back", &[libc::SYS_munmap, libc::SYS_madvise]),
    ("protect memory", &[libc::SYS_mprotect]),
    ("wait for or wake a thread", &[libc::SYS_futex, libc::SYS_sched_yield]),
    (
        "read and write",
        &[
            libc::SYS_read,
            libc::SYS_write,
            libc::SYS_readv,
            libc::SYS_writev,
            libc::SYS_pread64,
            libc::SYS_pwrite64,
            libc::SYS_lseek,
        ],
    ),
    ("start threads and processes", &[libc::SYS_clone, libc::SYS_clone3, libc::SYS_execve, libc::SYS_wait4]),
];

/// System calls that are of no kind above.
const OTHER: &str = "other";

impl Profile {
    /// The profile of a lane, over all blocks and workloads.
    pub fn of(lane: &Lane, calls: Option<&SystemCalls>) -> Self {
        let samples: Vec<&Sample> = lane.samples.iter().flatten().collect();
        let median = |figure: &Figure| {
            let values: Option<Vec<f64>> = samples.iter().map(|sample| figure.of(sample)).collect();
            values.and_then(|values| statistics::median(&values))
        };
        let named = |figure: &Figure| Some((figure.usual().0.to_owned(), median(figure)?));
        let figures = FIGURES.iter().filter_map(named).collect();
        Self { name: lane.name.clone(), figures, calls: calls.map(by_kind) }
    }

    fn figure(&self, name: &str) -> f64 {
        self.figures.get(name).copied().unwrap_or(0.0)
    }

    fn calls(&self, kind: &str) -> Option<f64> {
        Some(self.calls.as_ref()?.get(kind).copied().unwrap_or(0) as f64)
    }
}

fn by_kind(calls: &SystemCalls) -> BTreeMap<String, u64> {
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for (number, count) in calls {
        let kind = KINDS.iter().find(|(_, numbers)| numbers.contains(number)).map_or(OTHER, |(kind, _)| kind);
        *kinds.entry(kind.to_owned()).or_default() += count;
    }
    kinds
}

/// Two sentences: where the time went, and where the memory.
pub fn words(pick: &Profile, now: &Profile) -> [String; 2] {
    [time_words(pick, now), memory_words(pick, now)]
}

fn time_words(pick: &Profile, now: &Profile) -> String {
    let (mine, theirs) = (pick.figure("time"), now.figure("time"));
    if theirs <= 0.0 || (mine / theirs - 1.0).abs() < 0.01 {
        return format!(
            "`{}` and `{}` take the same time: {} and {} of it in the kernel, so the allocator is not where this \
             program spends it.",
            pick.name,
            now.name,
            format::seconds(pick.figure("system time")),
            format::seconds(now.figure("system time"))
        );
    }
    let gains = |figure: &str| now.figure(figure) - pick.figure(figure);
    let faster = mine < theirs;
    let signed = |gain: f64| if faster { gain } else { -gain };
    let (user, system) = (signed(gains("user time")), signed(gains("system time")));
    let how = if faster { "less" } else { "more" };
    let place = if system > user && system > 0.0 {
        format!("mostly in the kernel ({})", change("system time", pick, now))
    } else if user > 0.0 {
        format!(
            "mostly in the program itself, where malloc, free and the string functions are ({})",
            change("user time", pick, now)
        )
    } else {
        "and not on the processor: its threads wait otherwise".to_owned()
    };
    let share = (mine / theirs - 1.0).abs() * 100.0;
    let reasons = reasons(pick, now, faster);
    let reasons =
        if reasons.is_empty() { String::new() } else { format!(", with {}", reasons.join(" and ")) };
    format!("`{}` takes {share:.0} % {how} time than `{}`, {place}{reasons}.", pick.name, now.name)
}

/// A figure of both, from what is used now to the other.
fn change(figure: &str, pick: &Profile, now: &Profile) -> String {
    let unit =
        FIGURES.iter().map(Figure::usual).find(|(name, ..)| *name == figure).map_or("", |(.., unit)| unit);
    let show = |profile: &Profile| format::figure(profile.figure(figure), unit);
    format!("{figure} {} instead of {}", show(pick), show(now))
}

/// At most two counts that changed the most in the same direction as the time, each by a fifth at least.
fn reasons(pick: &Profile, now: &Profile, faster: bool) -> Vec<String> {
    let mut counts: Vec<(String, f64, f64)> = ["page faults", "voluntary switches"]
        .iter()
        .map(|name| ((*name).to_owned(), pick.figure(name), now.figure(name)))
        .collect();
    for (kind, _) in &KINDS[..4] {
        if let (Some(mine), Some(theirs)) = (pick.calls(kind), now.calls(kind)) {
            counts.push((format!("system calls to {kind}"), mine, theirs));
        }
    }
    let mut found: Vec<(f64, String)> = counts
        .into_iter()
        // A few more or less decide nothing.
        .filter(|(_, mine, theirs)| mine.max(*theirs) >= 100.0)
        .filter_map(|(name, mine, theirs)| {
            let ratio = if faster { theirs / mine.max(1.0) } else { mine / theirs.max(1.0) };
            let text = format!("{} {name} instead of {}", format::digits(mine), format::digits(theirs));
            (ratio >= 1.25).then_some((ratio, text))
        })
        .collect();
    found.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    found.into_iter().take(2).map(|(_, text)| text).collect()
}

fn memory_words(pick: &Profile, now: &Profile) -> String {
    let (mine, theirs) = (pick.figure("peak memory"), now.figure("peak memory"));
    if mine <= 0.0 || theirs <= 0.0 {
        return "Nothing is known of their memory.".into();
    }
    let ratio = mine / theirs;
    let at = |profile: &Profile| format::bytes(profile.figure("peak memory"));
    let how = match ratio {
        ratio if (ratio - 1.0).abs() < 0.02 => format!("as `{}` does", now.name),
        ratio if ratio < 1.0 => {
            format!("{:.0} % less than `{}` with {}", (1.0 - ratio) * 100.0, now.name, at(now))
        }
        ratio if ratio < 2.0 => {
            format!("{:.0} % more than `{}` with {}", (ratio - 1.0) * 100.0, now.name, at(now))
        }
        ratio => format!("{} times the {} of `{}`", format::digits(ratio), at(now), now.name),
    };
    let end = pick.figure("memory at the end");
    let kept =
        if end > 0.0 { format!("; at its end it holds {}", format::bytes(end)) } else { String::new() };
    let offered = match pick.figure("offered back at the end") {
        offered if offered > 0.0 => format!(" and has offered {} more back", format::bytes(offered)),
        _ => String::new(),
    };
    format!("It peaks at {}, {how}{kept}{offered}.", at(pick))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(name: &str, figures: &[(&str, f64)], calls: &[(&str, u64)]) -> Profile {
        Profile {
            name: name.to_owned(),
            figures: figures.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            calls: Some(calls.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()),
        }
    }

    #[test]
    fn the_kernels_part_is_named_with_what_caused_it() {
        let now = profile(
            "stock",
            &[
                ("time", 2.0),
                ("user time", 1.0),
                ("system time", 1.0),
                ("page faults", 50_000.0),
                ("peak memory", 4e6),
            ],
            &[("give memory back", 40_000), ("map memory", 40_000)],
        );
        let pick = profile(
            "mimalloc",
            &[
                ("time", 1.0),
                ("user time", 0.9),
                ("system time", 0.1),
                ("page faults", 900.0),
                ("peak memory", 4e7),
            ],
            &[("give memory back", 20), ("map memory", 40)],
        );
        let [time, memory] = words(&pick, &now);
        assert!(
            time.starts_with("`mimalloc` takes 50 % less time than `stock`, mostly in the kernel"),
            "{time}"
        );
        assert!(
            time.contains("system calls to give memory back") && time.contains("instead of 40000"),
            "{time}"
        );
        assert!(memory.contains("10.0 times the 3.81 MiB of `stock`"), "{memory}");
        let [time, memory] = words(&now, &pick);
        assert!(
            time.starts_with("`stock` takes 100 % more time than `mimalloc`, mostly in the kernel"),
            "{time}"
        );
        assert!(memory.contains("90 % less than `mimalloc`"), "{memory}");
    }

    #[test]
    fn what_was_offered_back_is_told() {
        let peak = [("peak memory", 1e6), ("memory at the end", 5e5), ("offered back at the end", 2e5)];
        let words = memory_words(&profile("a", &peak, &[]), &profile("b", &peak[..1], &[]));
        assert!(words.ends_with("at its end it holds 488 KiB and has offered 195 KiB more back."), "{words}");
    }

    #[test]
    fn no_difference_has_no_reason() {
        let same = profile("a", &[("time", 1.0), ("system time", 0.1), ("peak memory", 1e6)], &[]);
        let [time, memory] = words(&same, &profile("b", &[("time", 1.001), ("peak memory", 1e6)], &[]));
        assert!(time.contains("take the same time"), "{time}");
        assert!(memory.contains("as `b` does"), "{memory}");
    }

    #[test]
    fn a_few_calls_are_no_reason() {
        let now = profile("now", &[("time", 2.0), ("user time", 2.0)], &[("map memory", 40)]);
        let pick = profile("pick", &[("time", 1.0), ("user time", 1.0)], &[("map memory", 2)]);
        assert!(!words(&pick, &now)[0].contains(", with "));
    }

    #[test]
    fn calls_are_sorted_by_kind() {
        let calls =
            [(libc::SYS_mmap, 3), (libc::SYS_brk, 2), (libc::SYS_munmap, 4), (libc::SYS_getpid, 1)].into();
        let kinds = by_kind(&calls);
        assert_eq!((kinds["map memory"], kinds["give memory back"], kinds["other"]), (5, 4, 1));
    }
}
