//! A few thousand mutations of every parser's seeds, the same ones each time. `make fuzz` looks much further.

use brawn_fuzz::{LONGEST_INPUT, TARGETS, Target, limits, mutate::mutate};

const EXECUTIONS: usize = 3000;

fn short(name: &str) {
    let target = Target::named(name).unwrap();
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty());
    let mut rng = fastrand::Rng::with_seed(19);
    for seed in &seeds {
        assert!(seed.len() <= LONGEST_INPUT, "{name}: a seed has {} bytes", seed.len());
        target.run(seed);
    }
    for round in 0..EXECUTIONS {
        let input = mutate(&mut rng, &seeds[round % seeds.len()], &seeds);
        let read = std::panic::catch_unwind(|| target.run(&input));
        assert!(read.is_ok(), "{name}: round {round} on {:?}", String::from_utf8_lossy(&input));
    }
    eprintln!("{name}: {EXECUTIONS} executions, at most {} KiB", limits::peak() >> 10);
}

macro_rules! tests {
    ($($name:ident)*) => {
        $(#[test] fn $name() { short(stringify!($name)); })*

        #[test]
        fn every_target_has_a_test() {
            assert_eq!(TARGETS.iter().map(|target| target.name).collect::<Vec<_>>(), [$(stringify!($name)),*]);
        }
    };
}

tests!(elf note archive record manifest registry tar gzip knobs http logins certificates arguments results state functions graft fleetlog fleetspec);

/// The limits are real: a parser that breaks one is found.
#[test]
fn a_parser_that_takes_too_long_is_found() {
    let slow = Target {
        name: "slow",
        seeds: Vec::new,
        read: |_| {
            let begun = std::time::Instant::now();
            while begun.elapsed() < 20 * limits::LONGEST {
                std::hint::black_box(0);
            }
        },
    };
    assert!(std::panic::catch_unwind(|| slow.run(b"")).is_err());
}
