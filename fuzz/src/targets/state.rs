//! What `brawn tune` has measured, to go on with.

use std::path::Path;

use brawn_measure::Sample;
use brawn_tune::candidate::Candidate;
use brawn_tune::race::{Lane, Role, Round};
use brawn_tune::setting::Setting;
use brawn_tune::state::State;
use brawn_tune::{Goal, front, verdict};

pub fn seeds() -> Vec<Vec<u8>> {
    let mut state = State::new(vec!["--goal".into(), "time".into()], "/".into(), 7);
    "abc".clone_into(&mut state.subject);
    let setting = Setting::allocator("jemalloc");
    state.candidates =
        vec![Candidate::executable("now", Role::Now, "/a"), Candidate::linked(Role::Candidate, setting)];
    let sample = |seconds| Sample { wall_seconds: seconds, peak_bytes: Some(4096), ..Sample::default() };
    let lane = |name: &str, role, seconds| {
        let mut lane = Lane::new(name, role, 1);
        lane.samples[0] = vec![sample(seconds); 3];
        lane
    };
    let lanes = vec![
        lane("now", Role::Now, 1.0),
        lane("jemalloc", Role::Candidate, 0.5),
        lane("twin", Role::Twin, 1.0),
    ];
    state.rounds = vec![Round { blocks: 3, warm: true, ..Round::new("allocators", lanes) }];
    vec![serde_json::to_vec(&state).expect("a state is plain data")]
}

pub fn read(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(state) = State::parse(Path::new("tune"), text) else { return };
    let _ = (state.run_seconds(), state.now(), front::points(&state.rounds));
    for round in &state.rounds {
        let _ = verdict::decide(&round.at_one_pace(), Goal::Balanced, |_| 0);
    }
}
