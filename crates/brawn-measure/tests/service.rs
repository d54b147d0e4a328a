//! Servers under load: started, driven by a client, measured, and stopped, or distinguished from those that fail.

mod common;

use brawn_base::Diagnostic as _;
use nix::sys::signal::{SigHandler, Signal, signal};
use std::net::TcpListener;
use std::time::Duration;

use brawn_measure::probe::{self, Conditions, Run};
use brawn_measure::service::free_port;
use brawn_measure::{Error, Exit, Ready, Service, Session, Variant};
use common::{MIB, program};

fn server(port: u16, mebibytes: u64, mode: &str, requests: u32) -> Variant {
    let client =
        Variant::new("client", program("serve")).args(["client", &port.to_string(), &requests.to_string()]);
    let server = Variant::new(mode, program("serve")).args([&port.to_string(), &mebibytes.to_string(), mode]);
    Variant { service: Some(Service::new(Ready::port(port), client)), ..server }
}

fn change(mut variant: Variant, change: impl FnOnce(Service) -> Service) -> Variant {
    variant.service = variant.service.map(change);
    variant
}

fn run(variant: &Variant) -> Result<Run, Error> {
    probe::run(variant, Duration::from_secs(30))
}

#[test]
fn memory_is_the_servers_and_metrics_are_the_clients() {
    let polite = change(server(free_port().unwrap(), 40, "polite", 3), |service| Service {
        idle: Some(Duration::from_millis(50)),
        ..service
    });
    let run = run(&polite).unwrap();
    assert_eq!(run.exit, Exit::Status(0));
    let sample = run.sample;
    assert_eq!(sample.metrics["requests"], 3.0);
    assert!(sample.metrics["ready_seconds"] > 0.0, "{sample:?}");
    let peak = sample.peak_bytes.expect("ptrace is allowed here");
    assert!((40 * MIB..48 * MIB).contains(&peak), "{sample:?}");
    let idle = sample.metrics["idle_bytes"];
    assert!(idle > 0.0 && idle < 8.0 * MIB as f64, "what was given back is not held: {idle}");
    assert!(sample.wall_seconds > 0.0 && sample.minor_faults > 0, "{sample:?}");
}

#[test]
fn a_server_may_die_of_the_signal_that_stops_it() {
    // As a job that a shell put into the background: the server must not inherit that.
    for stop in [Signal::SIGINT, Signal::SIGQUIT] {
        // SAFETY: ignoring a signal runs no code, and no other test of this file sends one to this process.
        unsafe { signal(stop, SigHandler::SigIgn) }.unwrap();
    }
    for stop in [Signal::SIGTERM, Signal::SIGQUIT, Signal::SIGINT] {
        let variant =
            change(server(free_port().unwrap(), 1, "plain", 1), |service| Service { stop, ..service });
        run(&variant).unwrap();
    }
}

#[test]
fn a_line_can_tell_that_a_server_is_ready() {
    let variant = change(server(free_port().unwrap(), 1, "plain", 2), |mut service| {
        service.ready = Ready::Line("ready to serve".into());
        service
    });
    assert_eq!(run(&variant).unwrap().sample.metrics["requests"], 2.0);
}

#[test]
fn a_socket_in_the_file_system_can_tell_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let service = Service::new(Ready::Unix(path.clone()), Variant::new("client", "true"));
    let server = Variant::new("unix", program("serve")).arg(&path).args(["1", "plain"]);
    let variant = Variant { service: Some(service), ..server };
    assert!(run(&variant).unwrap().sample.metrics.contains_key("ready_seconds"));
}

#[test]
fn workers_count_when_they_are_asked_for() {
    let sample = |with_children: bool| {
        let variant = change(server(free_port().unwrap(), 30, "worker", 1), |service| Service {
            with_children,
            idle: Some(Duration::from_millis(20)),
            ..service
        });
        run(&variant).unwrap().sample
    };
    let (alone, together) = (sample(false), sample(true));
    assert!(alone.peak_bytes.unwrap() < 8 * MIB, "{alone:?}");
    assert!((31 * MIB..44 * MIB).contains(&together.peak_bytes.unwrap()), "{together:?}");
    assert!(together.metrics["idle_bytes"] < 8.0 * MIB as f64, "{together:?}");
}

#[test]
fn sessions_compare_what_clients_print() {
    let (one, two) = (free_port().unwrap(), free_port().unwrap());
    let mut session = Session::new(2);
    session.conditions.timeline = Some(Duration::from_millis(1));
    let mut variants = [server(one, 4, "plain", 2), server(two, 4, "polite", 2)];
    let outcome = session.run(&variants).unwrap();
    assert!(outcome.measured.iter().all(|measured| measured.samples.len() == 2));
    assert!(outcome.measured.iter().all(|measured| !measured.samples[0].timeline.is_empty()));
    variants[1] = server(two, 4, "polite", 3);
    let error = session.run(&variants).unwrap_err();
    assert!(matches!(error, Error::OutputDiffers { line: 1, .. }), "{error}");
}

#[test]
fn every_failure_of_a_server_has_its_own_message() {
    let message = |variant: &Variant| run(variant).unwrap_err().to_string();
    let port = free_port().unwrap();
    assert_eq!(
        message(&server(port, 1, "refuse", 1)),
        "variant `refuse` ended with status 7, expected status 0; it wrote:\nno configuration"
    );
    assert_eq!(
        message(&server(port, 1, "crash", 1)),
        "variant `crash` ended with signal SIGABRT, expected status 0",
        "the server's end explains the client's"
    );
    let silent = change(server(port, 1, "silent", 1), |mut service| {
        service.ready_limit = Duration::from_millis(100);
        service
    });
    assert_eq!(message(&silent), format!("variant `silent` was not ready within 100ms (127.0.0.1:{port})"));
    let deaf = change(server(port, 1, "deaf", 1), |mut service| {
        service.stop_limit = Duration::from_millis(100);
        service
    });
    assert_eq!(message(&deaf), "variant `deaf` did not end within 100ms after SIGTERM");
    let lost = change(server(port, 1, "plain", 1), |mut service| {
        service.client = Box::new(Variant::new("client", program("serve")).args(["client", "1", "1"]));
        service
    });
    let text = message(&lost);
    assert!(text.ends_with("of variant `plain` ended with status 1; it wrote:\nno answer"), "{text}");

    // Whatever failed, nothing is left: the port is free again.
    let holder = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let error = run(&server(port, 1, "plain", 1)).unwrap_err();
    assert!(
        error.to_string().starts_with(&format!("something already accepts connections at 127.0.0.1:{port}"))
    );
    assert!(error.hint().is_some());
    drop(holder);
}

#[test]
fn an_interrupt_kills_server_and_client() {
    let port = free_port().unwrap();
    let silent = server(port, 1, "silent", 1);
    let conditions = Conditions {
        interrupt: Some(std::sync::Arc::new(true.into())),
        ..Conditions::new(Duration::from_secs(30))
    };
    assert!(matches!(probe::run_under(&silent, &conditions), Err(Error::Interrupted)));
}
