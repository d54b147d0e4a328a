//! What a program leaves behind is gone when its run has ended. One test, because it counts processes.

mod common;

use std::time::Duration;

use brawn_measure::probe;
use brawn_measure::{Ready, Service, Variant};
use common::program;

/// Processes of this program that are alive.
fn alive(name: &str) -> Vec<String> {
    let processes = fs_err::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    // What has ended and was not waited for has no executable.
    let is = |exe: &std::path::Path| exe.to_string_lossy().contains(name);
    let processes = processes.filter(|path| fs_err::read_link(path.join("exe")).is_ok_and(|exe| is(&exe)));
    processes.map(|path| path.display().to_string()).collect()
}

/// Children of this process that have ended and were not waited for.
fn zombies() -> usize {
    let mark = format!(") Z {} ", std::process::id());
    let stats = fs_err::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path().join("stat"));
    stats.filter(|stat| fs_err::read_to_string(stat).is_ok_and(|text| text.contains(&mark))).count()
}

/// Chains of processes that fork faster than anyone finds them, where a control group ends them. They end by themselves
/// after a minute.
fn forks_without_end(run: &dyn Fn(&Variant, u64) -> Result<probe::Run, brawn_measure::Error>) {
    let storm = program("storm");
    let name = storm.file_name().unwrap().to_str().unwrap().to_owned();
    // Where there is none, those are killed that can be found.
    let pause = brawn_trace::can_group().map_or("20000", |()| "0");
    for stay in [false, true] {
        let begun = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
        let mut variant = Variant::new("storms", &storm).args([&(begun.as_secs() + 60).to_string(), pause]);
        variant = if stay { variant.arg("stay") } else { variant };
        assert_eq!(run(&variant, 1).is_err(), stay);
        let took = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap() - begun;
        assert!((0..50).all(|_| alive(&name).is_empty()), "with pauses of {pause}");
        assert!(took < Duration::from_secs(40), "{took:?} with pauses of {pause}");
    }
}

#[test]
fn detached_children_end_with_the_run() {
    let detach = program("detach");
    let name = detach.file_name().unwrap().to_str().unwrap().to_owned();
    let run = |variant: &Variant, limit| probe::run(variant, Duration::from_secs(limit));

    run(&Variant::new("ends", &detach), 30).unwrap();
    assert_eq!(alive(&name), Vec::<String>::new());

    run(&Variant::new("hangs", &detach).arg("stay"), 1).unwrap_err();
    assert_eq!(alive(&name), Vec::<String>::new());
    forks_without_end(&run);

    // A client that leaves processes does not cost the server those that it has itself.
    let client = Variant::new("client", "/bin/sh")
        .args(["-c", &format!("{0}; sleep 1; pgrep -c -f {0}", detach.display())]);
    let server = Variant::new("serves", &detach).arg("stay");
    let server = Variant { service: Some(Service::new(Ready::Line("ready".into()), client)), ..server };
    let mut served = run(&server, 30).unwrap();
    let mut counted = String::new();
    std::io::Read::read_to_string(&mut served.stdout, &mut counted).unwrap();
    assert!(counted.trim().lines().last().unwrap().parse::<u32>().unwrap() >= 5, "{counted}");
    assert_eq!(alive(&name), Vec::<String>::new());

    // Those that end by themselves are buried while the program runs: their numbers are needed.
    let before = zombies();
    let many = "for round in 1 2 3 4 5 6 7 8; do i=0; while [ $i -lt 50 ]; do (true &); i=$((i+1)); done; sleep 0.3; done";
    let thread = std::thread::spawn(|| {
        probe::run(&Variant::new("many", "/bin/sh").args(["-c", many]), Duration::from_secs(60))
    });
    let mut most = 0;
    while !thread.is_finished() {
        most = most.max(zombies());
        std::thread::sleep(Duration::from_millis(20));
    }
    thread.join().unwrap().unwrap();
    assert!(most < before + 300 && zombies() <= before, "{most} of 400");

    // Commands of this process are not meant, nor what they leave.
    let mut own = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    run(&Variant::new("ends", &detach), 30).unwrap();
    assert!(own.try_wait().unwrap().is_none() && alive(&name).is_empty());
    own.kill().and_then(|()| own.wait()).unwrap();
}
