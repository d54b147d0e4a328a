//! The built-in load on a server, and reading what other load generators print.
//!
//! The load is closed: so many connections stay open, and each sends its next request when it has its answer. The
//! libraries that generate load (goose, rlt, httpress and others) are whole frameworks with an asynchronous runtime and a TLS
//! stack, several times as large as the rest of `brawn`; so this is a loop around a plain HTTP client.

use std::collections::BTreeMap;
use std::io::Read;
use std::time::{Duration, Instant};

use brawn_measure::service::Signal;

use crate::Error;
use crate::goal::{LATENCY, RATE};

/// Share of the latencies that lies below each percentile that is told.
const PERCENTILES: [(&str, f64); 4] = [
    ("latency_p50_seconds", 0.50),
    ("latency_p90_seconds", 0.90),
    (LATENCY, 0.99),
    ("latency_p999_seconds", 0.999),
];

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Puts load on a server for this time, by so many connections that stay open, each in a thread of its own. Gives the figures, by
/// the names that [`crate::goal`] knows.
///
/// # Errors
/// [`Error::Load`] when a request fails or is answered by a status that does not mean success: the load is then not the
/// one that was asked for.
pub fn run(url: &str, connections: usize, time: Duration) -> Result<BTreeMap<String, f64>, Error> {
    let start = Instant::now();
    let each: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..connections.max(1)).map(|_| scope.spawn(|| connection(url, start + time))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a connection does not panic")).collect()
    });
    let seconds = start.elapsed().as_secs_f64();
    let mut latencies = each.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    latencies.sort_by(f64::total_cmp);
    let rate = (RATE.to_owned(), latencies.len() as f64 / seconds);
    let latency = |(name, share): (&str, f64)| Some((name.to_owned(), percentile(&latencies, share)?));
    Ok(PERCENTILES.into_iter().filter_map(latency).chain([rate]).collect())
}

/// One connection that stays open: the latencies of its answers, in seconds.
fn connection(url: &str, until: Instant) -> Result<Vec<f64>, Error> {
    let failed = |what: String| Error::Load { url: url.to_owned(), what };
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .max_redirects(0)
        .http_status_as_error(false)
        .max_idle_connections(1)
        .max_idle_connections_per_host(1)
        .build()
        .into();
    let mut latencies = Vec::new();
    let mut sink = vec![0; 64 << 10];
    while Instant::now() < until {
        let begun = Instant::now();
        let mut answer = agent.get(url).call().map_err(|error| failed(error.to_string()))?;
        if !answer.status().is_success() {
            return Err(failed(format!("the answer is {}", answer.status())));
        }
        // Only a connection whose answer was read to its end is used again.
        let mut body = answer.body_mut().as_reader();
        while body.read(&mut sink).map_err(|error| failed(error.to_string()))? > 0 {}
        latencies.push(begun.elapsed().as_secs_f64());
    }
    Ok(latencies)
}

/// The smallest value that at least this share of the sorted values does not exceed.
fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// Finds throughput and latencies in what a load generator printed: `wrk`, `ab`, `hey`, `oha`, or lines
/// `metric NAME VALUE` of a program of the user's own.
///
/// # Errors
/// None: a client that prints nothing known is judged by its time.
pub fn read_metrics(stdout: &str, _stderr: &str) -> Result<BTreeMap<String, f64>, String> {
    let mut found = BTreeMap::new();
    for line in stdout.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |word: Option<&&str>| word.and_then(|word| word.parse::<f64>().ok());
        match words.as_slice() {
            // wrk and oha; hey; ab.
            ["Requests/sec:", rest @ ..] | ["Requests", "per", "second:", rest @ ..] => {
                found.extend(number(rest.first()).map(|rate| (RATE.to_owned(), rate)));
            }
            // wrk --latency, without "in"; ab, in milliseconds.
            [share, value] if share.ends_with('%') => {
                found.extend(latency(
                    share,
                    duration(value).or_else(|| Some(value.parse::<f64>().ok()? / 1e3)),
                ));
            }
            // hey: `99% in 0.0123 secs`; oha: `99.00% in 0.0123 secs` or `in 12.3 ms`.
            [share, "in", value, unit, ..] if share.ends_with('%') => {
                found.extend(latency(share, duration(&format!("{value}{unit}"))));
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The metric behind a percentile such as `99%` or `99.00%`.
fn latency(share: &str, seconds: Option<f64>) -> Option<(String, f64)> {
    let share = share.trim_end_matches('%').parse::<f64>().ok()? / 100.0;
    let (name, _) = PERCENTILES.iter().find(|(_, known)| (known - share).abs() < 1e-6)?;
    Some(((*name).to_owned(), seconds?))
}

/// A time as load generators write it, in seconds.
fn duration(text: &str) -> Option<f64> {
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(at);
    let scale = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" | "sec" | "secs" => 1.0,
        "m" => 60.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * scale)
}

/// The signal by its name: `TERM`, `INT` or `QUIT`.
///
/// # Errors
/// The names that there are.
pub fn stop_signal(name: &str) -> Result<Signal, String> {
    match name.to_uppercase().trim_start_matches("SIG") {
        "TERM" => Ok(Signal::SIGTERM),
        "INT" => Ok(Signal::SIGINT),
        "QUIT" => Ok(Signal::SIGQUIT),
        _ => Err("there are: TERM, INT, QUIT".into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    use super::*;

    /// A server that answers every request on every connection with this, until the connections end.
    fn server(answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                std::thread::spawn(move || {
                    let mut reader = BufReader::new(connection.try_clone().unwrap());
                    let mut line = String::new();
                    while reader.read_line(&mut line).is_ok_and(|length| length > 0) {
                        if line == "\r\n" && connection.write_all(answer.as_bytes()).is_err() {
                            return;
                        }
                        line.clear();
                    }
                });
            }
        });
        url
    }

    #[test]
    fn every_answer_has_its_latency() {
        let url = server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
        let metrics = run(&url, 2, Duration::from_millis(50)).unwrap();
        assert!(metrics[RATE] > 0.0 && metrics["latency_p50_seconds"] <= metrics[LATENCY]);
    }

    #[test]
    fn a_wrong_answer_ends_the_load() {
        let url = server("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
        let error = run(&url, 1, Duration::from_secs(5)).unwrap_err();
        assert!(error.to_string().contains("503"), "{error}");
        let absent = run("http://127.0.0.1:1/", 1, Duration::from_secs(5));
        assert!(matches!(absent, Err(Error::Load { .. })));
    }

    #[test]
    fn percentiles_are_of_whole_samples() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!((percentile(&values, 0.5), percentile(&values, 0.99)), (Some(50.0), Some(99.0)));
        assert_eq!((percentile(&[7.0], 0.999), percentile(&[], 0.5)), (Some(7.0), None));
    }

    #[test]
    fn what_load_generators_print_is_understood() {
        let read = |text: &str| read_metrics(text, "").unwrap();
        let wrk = read(
            "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n  Latency Distribution\n     50%  635.91us\n     \
             90%    1.29ms\n     99%    2.50ms\n  73 requests in 1.00s, 1MB read\nRequests/sec: 31234.56\n",
        );
        assert_eq!((wrk[RATE], wrk[LATENCY]), (31234.56, 0.0025));
        assert!((wrk["latency_p50_seconds"] - 635.91e-6).abs() < 1e-12);
        let ab = read(
            "Requests per second:    8123.45 [#/sec] (mean)\n  50%      3\n  99%     12\n 100%     40 (longest)\n",
        );
        assert_eq!((ab[RATE], ab[LATENCY]), (8123.45, 0.012));
        let hey = read("  Requests/sec:\t501.25\n  50% in 0.0010 secs\n  99% in 0.0123 secs\n");
        assert_eq!((hey[RATE], hey[LATENCY]), (501.25, 0.0123));
        let oha = read("  Requests/sec: 1000.5\n  99.00% in 12.5 ms\n  99.90% in 0.02 sec\n");
        assert_eq!((oha[LATENCY], oha["latency_p999_seconds"]), (0.0125, 0.02));
        assert!(read("nothing of the kind 99 % of the time\n").is_empty());
    }
}
