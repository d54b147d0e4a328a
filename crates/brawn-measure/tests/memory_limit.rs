//! Programs that are held to an amount of memory: by a control group where one can be made, otherwise by a watchdog.

mod common;

use std::time::Duration;

use brawn_base::Diagnostic as _;
use brawn_measure::probe::{self, Conditions};
use brawn_measure::service::free_port;
use brawn_measure::{Error, Ready, Service, Variant, limits};
use common::{MIB, program};

fn held(mebibytes: u64) -> Conditions {
    Conditions { memory: Some(mebibytes * MIB), ..Conditions::new(Duration::from_secs(30)) }
}

fn touch(mebibytes: u64) -> Variant {
    Variant::new("touch", program("touch")).args([&mebibytes.to_string(), "exit"])
}

#[test]
fn what_wants_more_than_the_limit_is_killed_and_said_to_be() {
    match probe::run_under(&touch(64), &held(24)) {
        Err(error @ Error::OverLimit { .. }) => {
            assert!(
                error.to_string().starts_with("variant `touch` wanted more than the limit of 24.0 MiB"),
                "{error}"
            );
            assert!(error.hint().unwrap().contains("raise the limit"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_stays_below_the_limit_is_measured_like_any_other() {
    let run = probe::run_under(&touch(16), &held(48)).unwrap();
    let peak = run.sample.peak_bytes.expect("ptrace is allowed here");
    assert!((16 * MIB..20 * MIB).contains(&peak), "{peak}");
}

#[test]
fn a_program_that_fails_by_itself_is_not_blamed_on_the_limit() {
    let failing = Variant::new("false", "/bin/false");
    assert_eq!(probe::run_under(&failing, &held(48)).unwrap().exit, brawn_measure::Exit::Status(1));
}

#[test]
fn a_server_is_held_to_it_and_its_client_is_not() {
    let server = |mebibytes: u64| {
        let port = free_port().unwrap().to_string();
        let client = Variant::new("client", program("serve")).args(["client", &port, "2"]);
        let server = Variant::new("server", program("serve")).args([&port, &mebibytes.to_string(), "polite"]);
        Variant { service: Some(Service::new(Ready::port(port.parse().unwrap()), client)), ..server }
    };
    assert!(matches!(probe::run_under(&server(64), &held(24)), Err(Error::OverLimit { .. })));
    probe::run_under(&server(4), &held(24)).unwrap();
}

#[test]
fn the_limit_holds_beside_a_quota() {
    if limits::quota(1.0).is_err() {
        return;
    }
    let conditions = |mebibytes| Conditions { quota: Some(1.0), ..held(mebibytes) };
    assert!(matches!(probe::run_under(&touch(96), &conditions(24)), Err(Error::OverLimit { .. })));
    probe::run_under(&touch(8), &conditions(48)).unwrap();
}
