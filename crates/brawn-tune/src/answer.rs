//! The answer as a whole: for people, for a pull request, and as JSON.

use std::fmt::Write as _;

use brawn_measure::{Figure, Summary, Table, format};
use serde::{Deserialize, Serialize};

use crate::explain::{FIGURES, Profile};
use crate::front::{self, Point};
use crate::goal::{self, Goal};
use crate::race::{Lane, Role, Round, Standing, ratio};
use crate::setting::Setting;
use crate::state::State;
use crate::trace::Trace;
use crate::verdict::{Advice, Decision};

/// What came of a search.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// What was asked for.
    pub goal: Goal,
    /// What to do.
    pub advice: Advice,
    /// What is used now.
    pub now: String,
    /// What to use.
    pub pick: String,
    /// What that is; none for an executable that was brought along.
    pub setting: Option<Setting>,
    /// Its cost by the goal over that of what is used now, where something shall change.
    pub gain: Option<Summary>,
    /// The smallest relative difference that this machine told from noise.
    pub resolution: f64,
    /// The pick beside what is used now, stock musl and glibc.
    pub against: Vec<Against>,
    /// Every candidate beside what is used now.
    pub points: Vec<Point>,
    /// Who failed, and how.
    pub failed: Vec<Failed>,
    /// What the runs of the pick and of what is used now did.
    pub profiles: Vec<Profile>,
    /// What the program allocates, counted in a run of its own; none where that run failed.
    pub trace: Option<Trace>,
    /// Why, in sentences.
    pub words: Vec<String>,
    /// The options that ask for the pick.
    pub flags: Option<String>,
    /// The lines of a manifest that ask for it, where a package was tuned.
    pub manifest: Option<String>,
    /// What the reader must know.
    pub notes: Vec<String>,
    /// The seed of every random order.
    pub seed: u64,
    /// Seconds that were spent on measuring.
    pub seconds: f64,
    /// Share of them in which neither a candidate ran nor anything was linked: setup, checks, and the runner itself.
    pub overhead: f64,
    /// Links that were done, each in the place of a compilation.
    pub links: usize,
    /// Seconds that they took.
    pub link_seconds: f64,
}

/// The pick beside another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// The other's name.
    pub name: String,
    /// Time of the pick over that of the other.
    pub time: Option<Summary>,
    /// The same for memory.
    pub memory: Option<Summary>,
    /// What happened to the other, if it failed.
    pub failure: Option<String>,
}

/// A candidate that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    /// Its name.
    pub name: String,
    /// What happened.
    pub reason: String,
}

impl Answer {
    /// The answer to what a state holds. What is not in there comes with its defaults, to be filled in.
    pub fn of(state: &State, goal: Goal, decision: &Decision) -> Self {
        let now = state.now().map_or(String::new(), |now| now.name.clone());
        let names = state.candidates.iter().map(|candidate| candidate.name.clone());
        let failed = names.filter_map(|name| Some(Failed { reason: failure_of(state, &name)?, name }));
        let setting = state.candidate(&decision.pick).and_then(|candidate| candidate.setting.clone());
        Self {
            goal,
            advice: decision.advice,
            pick: decision.pick.clone(),
            gain: decision.gain,
            resolution: decision.resolution,
            against: against(state, &decision.pick),
            points: front::points(&state.rounds),
            failed: failed.collect(),
            flags: setting.as_ref().map(Setting::flags),
            seed: state.seed,
            seconds: state.seconds,
            now,
            setting,
            ..Self::default()
        }
    }

    /// Takes the trace, and says what it shows.
    pub fn with_trace(mut self, trace: Option<Trace>) -> Self {
        let pick = self.profiles.iter().find(|profile| profile.name == self.pick);
        let figure = |name: &str| pick.and_then(|pick| pick.figures.get(name).copied());
        if let Some(trace) = &trace {
            self.words.push(trace.words(figure("time").unwrap_or_default(), figure("peak memory")));
        }
        self.trace = trace;
        self
    }

    /// The finding in one sentence.
    pub fn headline(&self) -> String {
        let goal = self.goal.name();
        let gain = self.gain.map_or(String::new(), |gain| format!(": {} of the cost", interval(&gain)));
        match self.advice {
            Advice::Change => format!("take `{}` instead of `{}` (goal {goal}){gain}", self.pick, self.now),
            Advice::ChangeForSecond => format!(
                "take `{}` instead of `{}` (goal {goal}): as good, in less {}",
                self.pick,
                self.now,
                if self.goal == Goal::Memory { "time" } else { "memory" }
            ),
            Advice::ChangeForFailure => {
                let failed = self.failed.iter().find(|failed| failed.name == self.now);
                let reason = failed.map_or("fails", |failed| first_line(&failed.reason));
                format!("take `{}` (goal {goal}): `{}` {reason}", self.pick, self.now)
            }
            Advice::Keep | Advice::Unknown => {
                format!("no significant difference (goal {goal}): keep `{}`", self.now)
            }
            Advice::KeepBest => format!("`{}` is the best (goal {goal}): keep it", self.now),
        }
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.headline());
        for against in &self.against {
            let _ = writeln!(text, "  beside {}: {}", against.name, beside(against));
        }
        for words in &self.words {
            let _ = writeln!(text, "  {words}");
        }
        let _ = write!(text, "\n{}", self.table().to_text());
        for failed in &self.failed {
            let _ = writeln!(text, "{}: {}", failed.name, failed.reason);
        }
        text.push_str(&self.paste());
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        let _ = writeln!(text, "{}", self.how());
        text
    }

    /// For a pull request.
    pub fn markdown(&self) -> String {
        let mut text = format!("## brawn tune\n\n**{}**\n\n", self.headline());
        for against in &self.against {
            let _ = writeln!(text, "- beside `{}`: {}", against.name, beside(against));
        }
        if !self.words.is_empty() {
            let _ = writeln!(text, "\n{}", self.words.join(" "));
        }
        let _ = write!(text, "\n{}", self.table().to_markdown());
        text.push_str("\nRatios to what is used now, with 95 % intervals of the median; below 1 is better. A star: nothing beats it in both.\n");
        if !self.failed.is_empty() {
            text.push('\n');
            for failed in &self.failed {
                let _ = writeln!(text, "- `{}`: {}", failed.name, failed.reason.replace('\n', "; "));
            }
        }
        if let Some(manifest) = self.manifest.as_ref().filter(|_| self.advice.is_change()) {
            let _ = write!(text, "\n```toml\n{manifest}```\n");
        } else if let Some(flags) = self.flags.as_ref().filter(|_| self.advice.is_change()) {
            let _ = write!(text, "\n```sh\nbrawn {flags} …\n```\n");
        }
        if !self.profiles.is_empty() {
            let _ = write!(text, "\n{}", self.profile_table().to_markdown());
        }
        for note in &self.notes {
            let _ = writeln!(text, "\nNote: {note}");
        }
        let _ = writeln!(text, "\n{}", self.how());
        text
    }

    /// What to write where.
    fn paste(&self) -> String {
        if !self.advice.is_change() {
            return String::new();
        }
        match (&self.manifest, &self.flags) {
            (Some(manifest), Some(flags)) => {
                format!("\nin Cargo.toml (or --apply):\n\n{manifest}\nor: brawn build {flags}\n")
            }
            (None, Some(flags)) => {
                format!("\nbrawn cc with: brawn {flags} cc …\nas it is: brawn relink {flags} FILE\n")
            }
            _ => String::new(),
        }
    }

    fn how(&self) -> String {
        let links = match self.links {
            0 => String::new(),
            links => format!(", {links} links in {} and no compilation", format::seconds(self.link_seconds)),
        };
        let noise = match self.resolution {
            resolution if resolution > 0.0 => {
                format!(", differences below {} % are noise here", format::digits(resolution * 100.0))
            }
            _ => String::new(),
        };
        let around = format!("{} % of it around the runs", format::digits(self.overhead * 100.0));
        format!("measured for {}, {around}{links}, seed {}{noise}", format::seconds(self.seconds), self.seed)
    }

    /// Every candidate, the fastest first.
    fn table(&self) -> Table {
        let mut table = Table::new(["", "time", "memory", "front"].map(str::to_owned));
        let mut points: Vec<&Point> = self.points.iter().collect();
        points.sort_by(|left, right| left.time.median.total_cmp(&right.time.median));
        for point in points {
            let name = match point.role {
                Role::Now => format!("{} (now)", point.name),
                _ => point.name.clone(),
            };
            let show = |summary: &Summary| match point.role {
                Role::Now => "1".to_owned(),
                _ => interval(summary),
            };
            let star = if point.front { "*" } else { "" };
            table.row([
                name,
                show(&point.time),
                point.memory.as_ref().map_or(String::new(), show),
                star.to_owned(),
            ]);
        }
        table
    }

    fn profile_table(&self) -> Table {
        let names = self.profiles.iter().map(|profile| profile.name.clone());
        let mut table = Table::new(std::iter::once(String::new()).chain(names));
        for (figure, _, unit) in FIGURES.iter().map(Figure::usual) {
            let cell = |profile: &Profile| {
                profile.figures.get(figure).map_or(String::new(), |value| format::figure(*value, unit))
            };
            table.row(std::iter::once(figure.to_owned()).chain(self.profiles.iter().map(cell)));
        }
        let mut kinds: Vec<&String> = self
            .profiles
            .iter()
            .filter_map(|profile| profile.calls.as_ref())
            .flat_map(|calls| calls.keys())
            .collect();
        kinds.sort();
        kinds.dedup();
        for kind in kinds {
            let cell = |profile: &Profile| {
                let calls = profile.calls.as_ref().map(|calls| calls.get(kind).copied().unwrap_or(0));
                calls.map_or(String::new(), |count| count.to_string())
            };
            table.row(std::iter::once(format!("system calls: {kind}")).chain(self.profiles.iter().map(cell)));
        }
        table
    }
}

/// The pick beside what is used now, stock musl and glibc, in the last round that both ran in.
fn against(state: &State, pick: &str) -> Vec<Against> {
    let wanted = state.candidates.iter().filter(|candidate| {
        candidate.name != pick && (candidate.role != Role::Candidate || candidate.name == "stock")
    });
    let rounds: Vec<Round> = state.rounds.iter().map(Round::at_one_pace).collect();
    wanted
        .map(|other| {
            let both = |round: &Round| {
                let (mine, theirs) = (round.lane(pick)?.clone(), round.lane(&other.name)?.clone());
                (mine.blocks() > 0 && theirs.blocks() > 0).then_some((mine, theirs))
            };
            let lanes: Option<(Lane, Lane)> = rounds.iter().rev().find_map(both);
            let of = |figure: fn(&brawn_measure::Sample) -> Option<f64>| {
                lanes.as_ref().and_then(|(mine, theirs)| ratio(mine, theirs, figure))
            };
            let failure = failure_of(state, &other.name);
            Against { name: other.name.clone(), time: of(goal::time), memory: of(goal::memory), failure }
        })
        .collect()
}

fn failure_of(state: &State, name: &str) -> Option<String> {
    let lanes = state.rounds.iter().filter_map(|round| round.lane(name));
    lanes.filter_map(Lane::failure).next().map(ToString::to_string)
}

/// How a lane stands, for progress.
pub fn standing(lane: &Lane) -> String {
    match &lane.standing {
        Standing::In => "is in".into(),
        Standing::Out { leader, ratio } => {
            format!("is out: {} of the cost of `{leader}`", format::ratio(*ratio))
        }
        Standing::Failed(failure) => failure.to_string(),
    }
}

fn beside(against: &Against) -> String {
    if let (Some(failure), None) = (&against.failure, &against.time) {
        return format!("that {}", first_line(failure));
    }
    let figures = [("time", &against.time), ("memory", &against.memory)];
    let figures: Vec<String> = figures
        .iter()
        .filter_map(|(name, summary)| summary.as_ref().map(|summary| format!("{name} {}", interval(summary))))
        .collect();
    if figures.is_empty() { "not measured together".into() } else { figures.join(", ") }
}

/// A ratio with its interval, where that is wider than its digits.
pub fn interval(summary: &Summary) -> String {
    let low_and_high = (format::digits(summary.low), format::digits(summary.high));
    if low_and_high.0 == low_and_high.1 {
        return format::ratio(summary.median);
    }
    format!("{} ({} to {})", format::ratio(summary.median), low_and_high.0, low_and_high.1)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or(text)
}
