//! What was measured, in the form of `bench`: the same document, the same page, the same tables.

use brawn_measure::results::{Better, Finding, Kind, Noise, Results, Settings, SuiteResult, VariantInfo};
use brawn_measure::{Figure, Measured, Outcome, RowSpec, Session, Stop, Variant};

use crate::answer::Answer;
use crate::candidate::Candidate;
use crate::goal::{LATENCY, RATE};
use crate::job::Job;
use crate::race::{Role, Round, ratio};
use crate::state::State;
use crate::tune::{Plan, TWIN};

/// The document of a run: a suite for each round, a case for each workload.
pub fn results(state: &State, plan: &Plan, job: &Job, command: &str, answer: Option<&Answer>) -> Results {
    let settings = Settings {
        budget_seconds: plan.budget.as_secs_f64(),
        precision: plan.precision,
        min_blocks: 3,
        max_blocks: 40,
        cores: job.conditions.cores.clone(),
        quota: job.conditions.quota,
    };
    Results {
        noise: noise(state, plan),
        variants: variants(state),
        suites: state.rounds.iter().map(|round| suite(state, round, job, command, answer)).collect(),
        complete: answer.is_some(),
        finding: answer.map(|answer| Finding { headline: answer.headline(), words: answer.words.join(" ") }),
        ..Results::new(command, state.seed, settings)
    }
}

fn variants(state: &State) -> Vec<VariantInfo> {
    let title = |candidate: &Candidate| {
        let what = match (&candidate.setting, candidate.role) {
            (Some(setting), Role::Now) => format!("{}, used now", setting.flags()),
            (Some(setting), _) => setting.flags(),
            (None, Role::Reference) => "built without Brawn".to_owned(),
            (None, _) => "as it was brought along".to_owned(),
        };
        VariantInfo::new(&candidate.name, what)
    };
    let twin = VariantInfo::new(TWIN, "what is used now, a second time");
    state.candidates.iter().map(title).chain([twin]).collect()
}

fn suite(state: &State, round: &Round, job: &Job, command: &str, answer: Option<&Answer>) -> SuiteResult {
    let about = match round.name.as_str() {
        "allocators" => {
            "Every allocator, with its defaults. Who is certainly worse than the leader leaves early."
        }
        "knobs" => "The best allocator with one knob changed at a time.",
        _ => {
            "The best of the other rounds, what is used now (twice, to see the noise), stock musl and glibc: measured \
             anew, so that no one is judged by the luck that brought it here."
        }
    };
    let mut notes: Vec<String> =
        round.lanes.iter().filter_map(|lane| Some(format!("`{}`: {}", lane.name, lane.failure()?))).collect();
    if let Some(answer) = answer.filter(|_| round.name == "final") {
        notes.insert(0, answer.headline());
    }
    SuiteResult {
        name: format!("tune-{}", round.name),
        title: format!("Tune: {}", round.name),
        about: about.to_owned(),
        notes,
        cases: (0..job.workloads.len())
            .map(|workload| {
                let name = &job.workloads[workload].name;
                let name = if name.is_empty() { "all" } else { name };
                outcome(state, round, job, workload).case(name, command, &rows(job))
            })
            .collect(),
        ..SuiteResult::default()
    }
}

fn outcome(state: &State, round: &Round, job: &Job, workload: usize) -> Outcome {
    let measured = round.lanes.iter().map(|lane| {
        // Where the executables were is no one's business, and they are gone.
        let variant = Variant::new(&lane.name, &lane.name).args(&job.workloads[workload].args);
        Measured { samples: lane.samples[workload].clone(), ..Measured::new(variant) }
    });
    let stop = if round.done { Stop::Precise } else { Stop::Interrupted };
    let mut session = Session { seed: state.seed, ..Session::new(round.blocks.max(1)) };
    if job.ready.is_some() {
        session = session.watch([Figure::metric(RATE)]);
    }
    let seconds = state.seconds;
    Outcome::of(session, measured.collect(), stop, seconds)
}

fn rows(job: &Job) -> Vec<RowSpec> {
    let mut rows = Vec::new();
    if job.ready.is_some() {
        let seconds =
            |metric: &str, name: &str| RowSpec::metric(metric, Kind::Other, "s", Better::Lower).named(name);
        rows.extend([
            RowSpec::rate(RATE),
            seconds("latency_p50_seconds", "latency, median"),
            seconds(LATENCY, "latency, 99 %"),
            seconds("latency_p999_seconds", "latency, 99.9 %"),
            seconds("ready_seconds", "until ready"),
            RowSpec::new(Figure::Peak),
            RowSpec::memory("idle_bytes", "memory after the load"),
        ]);
    } else {
        rows.extend([Figure::Wall, Figure::Peak].map(RowSpec::new));
    }
    let others = [
        Figure::User,
        Figure::System,
        Figure::Final,
        Figure::MinorFaults,
        Figure::VoluntarySwitches,
        Figure::InvoluntarySwitches,
    ];
    rows.extend(others.map(|figure| {
        let mut spec = RowSpec::new(figure.clone());
        // Parts of the time and of the memory: they shall not count twice in the means.
        spec.row.kind = Kind::Other;
        spec
    }));
    rows
}

/// What is used now beside itself.
fn noise(state: &State, plan: &Plan) -> Option<Noise> {
    let round = state.rounds.iter().find(|round| round.name == "final")?.at_one_pace();
    let ratio = ratio(round.of(Role::Twin)?, round.of(Role::Now)?, |sample| plan.goal.cost(sample))?;
    Some(Noise { ratio, resolution: crate::verdict::resolution(&round, plan.goal) })
}
