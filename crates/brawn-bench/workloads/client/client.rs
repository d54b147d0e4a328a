//! Uses a server, checks what it answers, and says how fast it was.
//!
//!     client pages PORT PATH FILE wrk [ARGUMENTS…]       an HTTP server of files, under the load of wrk
//!     client redis PORT REQUESTS redis-benchmark [ARGUMENTS…]
//!     client scrape PORT CONNECTIONS SECONDS             an exporter, under load of our own
//!
//! Standard output says what was right about the answers, the same for every server. Standard error has lines
//! `metric NAME VALUE`. The load generators are programs of others; their reports are read here.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Command, exit};
use std::time::{Duration, Instant};

const USAGE: &str =
    "client pages PORT PATH FILE WRK… | redis PORT REQUESTS BENCHMARK… | scrape PORT CONNECTIONS SECONDS";

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["pages", port, path, file, load @ ..] if !load.is_empty() => pages(port, path, file, load),
        ["redis", port, requests, load @ ..] if !load.is_empty() => redis(port, requests, load),
        ["scrape", port, connections, seconds] => scrape(port, connections, seconds),
        _ => {
            eprintln!("usage: {USAGE}");
            exit(2)
        }
    };
    match done {
        Ok(answer) => println!("{answer}"),
        Err(error) => {
            eprintln!("error: {error}");
            exit(1)
        }
    }
}

fn metric(name: &str, value: f64) {
    eprintln!("metric {name} {value}");
}

// --- a server of files -----------------------------------------------------------------------------------------

fn pages(port: &str, path: &str, file: &str, load: &[&str]) -> Result<String, Failure> {
    let page = std::fs::read(file)?;
    let check = || -> Result<(), Failure> {
        let answer = Connection::open(port)?.get(path)?;
        if answer != page {
            return Err(format!("{path} is not the page that the server was given").into());
        }
        Ok(())
    };
    check()?;
    let report = wrk_report(&run(load)?)?;
    check()?;
    metric("requests_per_second", report.requests_per_second);
    if let Some(bytes) = report.bytes_per_request {
        // A server that answers with less would seem fast. Headers come on top of the page; wrk rounds.
        if bytes < page.len() as f64 * 0.98 {
            return Err(format!("{bytes:.0} bytes an answer, and the page alone has {}", page.len()).into());
        }
    }
    Ok(format!("{} bytes, every answer whole", page.len()))
}

/// What wrk says.
#[derive(Debug, PartialEq)]
struct WrkReport {
    requests_per_second: f64,
    bytes_per_request: Option<f64>,
}

/// Reads wrk's report. Answers that failed are an error: they cost a server nothing.
fn wrk_report(text: &str) -> Result<WrkReport, Failure> {
    let bad = |line: &str| line.starts_with("Socket errors:") || line.starts_with("Non-2xx");
    if let Some(line) = text.lines().map(str::trim).find(|line| bad(line)) {
        return Err(format!("wrk: {line}").into());
    }
    let after = |name: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(name))?;
        Some(line.trim().to_owned())
    };
    let rate = after("Requests/sec:").and_then(|text| text.parse().ok());
    let requests_per_second: f64 = rate.ok_or_else(|| format!("wrk gave no rate:\n{text}"))?;
    let transfer = after("Transfer/sec:").and_then(|text| size(&text));
    let bytes_per_request = transfer.map(|bytes| bytes / requests_per_second);
    Ok(WrkReport { requests_per_second, bytes_per_request })
}

/// A size as wrk writes it: `38.60MB`.
fn size(text: &str) -> Option<f64> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[number.len()..] {
        "B" => 1.0,
        "KB" => 1024.0,
        "MB" => 1024.0 * 1024.0,
        "GB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

// --- redis -----------------------------------------------------------------------------------------------------

/// Keys of our own that must survive the load.
const KEPT: usize = 2_000;

fn redis(port: &str, requests: &str, load: &[&str]) -> Result<String, Failure> {
    let requests: u64 = requests.parse()?;
    let mut server = Redis { connection: Connection::open(port)? };
    for key in 0..KEPT {
        let (name, value) = (format!("kept:{key}"), kept(key));
        if server.ask(&[b"SET", name.as_bytes(), &value])? != b"OK" {
            return Err(format!("{name} was not set").into());
        }
    }
    let rates = benchmark_report(&run(load)?)?;
    for key in 0..KEPT {
        let name = format!("kept:{key}");
        if server.ask(&[b"GET", name.as_bytes()])? != kept(key) {
            return Err(format!("{name} is not what was set").into());
        }
    }
    // Every push goes to one list, so its length is the number of pushes that were served.
    let length = server.ask(&[b"LLEN", b"mylist"])?;
    let pushes = rates.keys().filter(|name| name.starts_with("lpush")).count() as u64 * requests;
    if length != pushes.to_string().as_bytes() {
        let length = String::from_utf8_lossy(&length).into_owned();
        return Err(format!("the list has {length} entries after {pushes} pushes").into());
    }
    // The time for as many of each command, so that no fast one hides a slow one.
    let seconds: f64 = rates.values().map(|rate| 1.0 / rate).sum();
    metric("operations_per_second", rates.len() as f64 / seconds);
    for (name, rate) in &rates {
        metric(&format!("{name}_per_second"), *rate);
    }
    Ok(format!("{KEPT} keys as they were set, {length} entries pushed", length = pushes))
}

/// Lengths from 1 to 4,000 bytes, and contents that differ.
fn kept(key: usize) -> Vec<u8> {
    format!("{key} ").bytes().cycle().take(key * 7919 % 4000 + 1).collect()
}

/// Reads what `redis-benchmark --csv` prints: requests per second by the first word of the test's name, in lower case.
/// The second run of a command, with which a test prepares its data, is distinguished by a number.
fn benchmark_report(text: &str) -> Result<BTreeMap<String, f64>, Failure> {
    let mut rates = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with('"') && !line.starts_with("\"test\"")) {
        let mut cells = line.trim_matches('"').split("\",\"");
        let (name, rate) = (cells.next(), cells.next().and_then(|cell| cell.parse::<f64>().ok()));
        let (Some(name), Some(rate)) = (name, rate.filter(|rate| *rate > 0.0)) else {
            return Err(format!("redis-benchmark wrote a line that is no result: {line}").into());
        };
        let word = name.split_whitespace().next().unwrap_or(name).to_lowercase();
        let taken = (2..).map(|number| format!("{word}_{number}"));
        let free = std::iter::once(word.clone()).chain(taken).find(|name| !rates.contains_key(name));
        rates.insert(free.unwrap_or(word), rate);
    }
    if rates.is_empty() {
        return Err(format!("redis-benchmark gave no result:\n{text}").into());
    }
    Ok(rates)
}

struct Redis {
    connection: Connection,
}

impl Redis {
    /// Sends a command and takes its answer, which is a word, a number or a string.
    fn ask(&mut self, words: &[&[u8]]) -> Result<Vec<u8>, Failure> {
        let mut message = format!("*{}\r\n", words.len()).into_bytes();
        for word in words {
            message.extend(format!("${}\r\n", word.len()).into_bytes());
            message.extend_from_slice(word);
            message.extend_from_slice(b"\r\n");
        }
        self.connection.stream.write_all(&message)?;
        let line = self.connection.line()?;
        match line.split_at_checked(1) {
            Some(("+" | ":", rest)) => Ok(rest.into()),
            Some(("$", length)) => {
                let mut bytes = self.connection.bytes(length.parse::<usize>()? + 2)?;
                bytes.truncate(bytes.len() - 2);
                Ok(bytes)
            }
            _ => Err(format!("redis answered: {line}").into()),
        }
    }
}

// --- an exporter -----------------------------------------------------------------------------------------------

fn scrape(port: &str, connections: &str, seconds: &str) -> Result<String, Failure> {
    let connections: usize = connections.parse()?;
    let until = Duration::from_secs_f64(seconds.parse()?);
    let first = Exposition::read(&Connection::open(port)?.get("/metrics")?)?;
    let start = Instant::now();
    let counts: Vec<Result<u64, Failure>> = std::thread::scope(|scope| {
        let one = || -> Result<u64, Failure> {
            let mut connection = Connection::open(port)?;
            let mut count = 0;
            while start.elapsed() < until {
                let answer = Exposition::read(&connection.get("/metrics")?)?;
                if answer.samples != first.samples {
                    return Err(format!("{} samples, not {}", answer.samples, first.samples).into());
                }
                count += 1;
            }
            Ok(count)
        };
        let threads: Vec<_> = (0..connections).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    let elapsed = start.elapsed().as_secs_f64();
    let mut requests = 0;
    for count in counts {
        requests += count?;
    }
    // The server counts what it answered, this last time included.
    let last = Exposition::read(&Connection::open(port)?.get("/metrics")?)?;
    let counted = last.scrapes.saturating_sub(first.scrapes + 1);
    if counted != requests {
        return Err(format!("the server counts {counted} scrapes, and we {requests}").into());
    }
    metric("requests_per_second", requests as f64 / elapsed);
    Ok(format!("{} samples in every answer, every answer counted", first.samples))
}

/// What of an exporter's answer can be checked.
#[derive(Debug, PartialEq)]
struct Exposition {
    /// Lines that hold a figure.
    samples: usize,
    /// How often the server was asked, this time included.
    scrapes: u64,
}

impl Exposition {
    /// Reads an answer in Prometheus' text format, and checks that each line of it is one.
    fn read(bytes: &[u8]) -> Result<Exposition, Failure> {
        let text = std::str::from_utf8(bytes)?;
        let mut found = Exposition { samples: 0, scrapes: 0 };
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, value) = line.rsplit_once(' ').ok_or_else(|| format!("no sample: {line}"))?;
            let value: f64 = value.parse().map_err(|_| format!("no figure in: {line}"))?;
            found.samples += 1;
            if name == "exporter_scrapes_total" {
                found.scrapes = value as u64;
            }
        }
        Ok(found)
    }
}

// --- common ----------------------------------------------------------------------------------------------------

/// Runs a load generator to its end and gives what it printed.
fn run(load: &[&str]) -> Result<String, Failure> {
    let output =
        Command::new(load[0]).args(&load[1..]).output().map_err(|error| format!("{}: {error}", load[0]))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} ended with {}\n{text}{errors}", load[0], output.status).into());
    }
    Ok(text)
}

/// A connection to a server on this machine, kept open between requests.
struct Connection {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Connection {
    fn open(port: &str) -> Result<Connection, Failure> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port.parse::<u16>()?))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(Connection { reader: BufReader::new(stream.try_clone()?), stream })
    }

    /// The body at `path`, which must come with status 200 and its length.
    fn get(&mut self, path: &str) -> Result<Vec<u8>, Failure> {
        write!(self.stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        let status = self.line()?;
        if status.split(' ').nth(1) != Some("200") {
            return Err(format!("{path}: {status}").into());
        }
        let mut length = None;
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = Some(value.trim().parse::<usize>()?);
            }
        }
        self.bytes(length.ok_or_else(|| format!("{path}: an answer without its length"))?)
    }

    fn line(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err("the server closed the connection".into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }

    fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Failure> {
        let mut bytes = vec![0; count];
        self.reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRK: &str = "Running 1s test @ http://127.0.0.1:8080/index.html\n  1 threads and 20 connections\n  \
        Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   396.23us   77.39us   2.39ms   87.16%\n  \
        50000 requests in 1.00s, 40.00MB read\nRequests/sec:  50000.00\nTransfer/sec:     40.00MB\n";

    #[test]
    fn a_report_of_wrk_is_read() {
        let report = wrk_report(WRK).unwrap();
        assert_eq!(report.requests_per_second, 50_000.0);
        assert!((report.bytes_per_request.unwrap() - 838.9).abs() < 0.1);
        assert_eq!(size("612.00B"), Some(612.0));
        assert_eq!(size("1.50GB"), Some(1.5 * 1024.0 * 1024.0 * 1024.0));
        assert_eq!(size("many"), None);
    }

    #[test]
    fn failed_answers_and_other_texts_are_no_report() {
        let failing = format!("{WRK}  Non-2xx or 3xx responses: 7\n");
        assert_eq!(wrk_report(&failing).unwrap_err().to_string(), "wrk: Non-2xx or 3xx responses: 7");
        let broken = format!("{WRK}  Socket errors: connect 0, read 9, write 0, timeout 0\n");
        assert!(wrk_report(&broken).unwrap_err().to_string().starts_with("wrk: Socket errors"));
        assert!(wrk_report("unable to connect").unwrap_err().to_string().starts_with("wrk gave no rate"));
    }

    #[test]
    fn a_report_of_the_redis_benchmark_is_read() {
        let text = "\"test\",\"rps\",\"avg_latency_ms\"\n\"SET\",\"312500.00\",\"2.276\"\n\
            \"LPUSH\",\"200000.00\",\"2.4\"\n\"LPUSH (needed to benchmark LRANGE)\",\"250000.00\",\"2.1\"\n\
            \"LRANGE_100 (first 100 elements)\",\"29985.01\",\"14.018\"\n";
        let rates = benchmark_report(text).unwrap();
        let names: Vec<&str> = rates.keys().map(String::as_str).collect();
        assert_eq!(names, ["lpush", "lpush_2", "lrange_100", "set"]);
        assert_eq!(rates["lpush_2"], 250_000.0);
        assert!(benchmark_report("").is_err());
        assert!(benchmark_report("\"SET\",\"fast\"\n").is_err());
        assert!(benchmark_report("\"SET\",\"0.00\"\n").is_err());
    }

    #[test]
    fn an_exposition_is_read_and_checked() {
        let text = "# HELP a b\n# TYPE a gauge\na{pod=\"x y\"} 7\nexporter_scrapes_total 3\n";
        assert_eq!(Exposition::read(text.as_bytes()).unwrap(), Exposition { samples: 2, scrapes: 3 });
        assert!(Exposition::read(b"a{pod=\"x\"} cut").is_err());
        assert!(Exposition::read(b"a").is_err());
    }

    #[test]
    fn kept_values_have_all_sizes_and_differ() {
        let lengths: Vec<usize> = (0..KEPT).map(|key| kept(key).len()).collect();
        assert_eq!(
            (lengths.iter().min(), lengths.iter().max().map(|&most| most > 3_900)),
            (Some(&1), Some(true))
        );
        assert_ne!(kept(1_001), kept(1_002));
    }
}
