//! A Prometheus exporter as one runs on every node of a cluster: a pool of threads waits for scrapes, and each scrape
//! makes all figures anew from what the exporter knows of the node's pods.
//!
//!     brawn-exporter PORT THREADS PODS
//!
//! It listens on this machine only, and runs until it is told to stop.

mod collect;

use std::net::{Ipv4Addr, TcpListener};
use std::process::exit;
use std::sync::Arc;
use std::time::Instant;

use prometheus::{Encoder, HistogramVec, IntCounter, Opts, Registry, TextEncoder};
use tiny_http::{Header, Response, Server};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() {
    if let Err(error) = serve() {
        eprintln!("error: {error}");
        exit(1);
    }
}

/// What all threads share.
struct Exporter {
    registry: Registry,
    scrapes: IntCounter,
    seconds: HistogramVec,
}

fn serve() -> Result<(), Failure> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let [port, threads, pods] = numbers[..] else {
        return Err("usage: brawn-exporter PORT THREADS PODS".into());
    };
    let exporter = Arc::new(Exporter::new(threads, pods)?);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, u16::try_from(port)?))?;
    // Connections take this over. Without it each answer, which is sent in two parts, waits 40 ms for the other side to say
    // that it has the first.
    socket2::SockRef::from(&listener).set_tcp_nodelay(true)?;
    let server = Arc::new(Server::from_listener(listener, None)?);
    let pool: Vec<_> = (0..threads)
        .map(|number| {
            let (server, exporter) = (Arc::clone(&server), Arc::clone(&exporter));
            std::thread::spawn(move || work(&server, &exporter, number))
        })
        .collect();
    for thread in pool {
        thread.join().expect("a panic ends the process")?;
    }
    Ok(())
}

fn work(server: &Server, exporter: &Exporter, number: usize) -> Result<(), Failure> {
    let thread = number.to_string();
    let text = Header::from_bytes("Content-Type", "text/plain; version=0.0.4").expect("a valid header");
    loop {
        let request = server.recv()?;
        if request.url() != "/metrics" {
            // Anyone who asked may have gone already, here and below; that is no reason to end.
            let _ = request.respond(Response::empty(404));
            continue;
        }
        let start = Instant::now();
        let body = exporter.scrape()?;
        exporter.seconds.with_label_values(&[&thread]).observe(start.elapsed().as_secs_f64());
        // With its length, not in chunks, however long it is.
        let answer = Response::from_data(body).with_header(text.clone()).with_chunked_threshold(usize::MAX);
        let _ = request.respond(answer);
    }
}

impl Exporter {
    fn new(threads: usize, pods: usize) -> Result<Exporter, Failure> {
        let registry = Registry::new();
        let scrapes = IntCounter::new("exporter_scrapes_total", "Scrapes answered, this one included")?;
        let seconds = HistogramVec::new(
            Opts::new("exporter_scrape_seconds", "Time for collecting and encoding, by thread").into(),
            &["thread"],
        )?;
        // All of them from the start, so that every scrape has the same figures.
        for number in 0..threads {
            seconds.with_label_values(&[&number.to_string()]);
        }
        registry.register(Box::new(scrapes.clone()))?;
        registry.register(Box::new(seconds.clone()))?;
        registry.register(Box::new(collect::Node::new(pods)))?;
        Ok(Exporter { registry, scrapes, seconds })
    }

    fn scrape(&self) -> Result<Vec<u8>, Failure> {
        self.scrapes.inc();
        let mut body = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut body)?;
        Ok(body)
    }
}
