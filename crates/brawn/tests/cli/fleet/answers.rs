//! `brawn fleet`: from logs to an answer.

use brawn_collect::block::{self, Block, BlockRun, Outcome};
use brawn_measure::Sample;

use crate::common::{Sandbox, fails, ok};
use crate::image::tls;

const FLEET: &str = r#"{
    "schema": 1, "brawn": "0.1.0", "blocks": [], "lost": [],
    "plan": {
        "id": "f", "created": "2026-11-25T20:00:00Z", "program": "server", "goal": "time", "reference": "now",
        "candidates": [
            { "name": "now", "image_path": "/now", "digest": "0" },
            { "name": "small", "image_path": "/small", "digest": "1", "knobs": { "BRAWN_ARENAS": "2" } }
        ],
        "pools": [{ "name": "east", "blocks": 9, "replicas": 4, "cores": 2, "memory": 1073741824 }],
        "seed": 1, "image": "registry.example/server@sha256:00"
    }
}"#;

fn log(index: u32) -> String {
    let run = |candidate: &str, seconds: f64| BlockRun {
        candidate: candidate.into(),
        outcome: Outcome::Sample(Sample {
            wall_seconds: seconds * (1.0 + 0.001 * f64::from(index)),
            peak_bytes: Some(1 << 25),
            ..Sample::default()
        }),
    };
    block::write(&Block {
        fleet: "f".into(),
        pool: "east".into(),
        index,
        runs: vec![run("now", 1.0), run("small", 0.8 + 0.001 * f64::from(index % 3))],
        ..Block::default()
    })
}

fn collected() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("fleet.json", FLEET);
    for index in 0..8 {
        sandbox.write(&format!("logs/{index}.log"), format!("begins\n{}", log(index)));
    }
    let last = log(8);
    sandbox.write("logs/8.log", &last[..last.len() / 2]);
    sandbox
}

#[test]
fn logs_become_an_answer() {
    let sandbox = collected();
    let collect = ["fleet", "collect", "fleet.json", "--from", "logs"];
    let said = ok(&mut sandbox.brawn(&collect));
    assert_eq!(
        said,
        "fleet.json: 8 of 9 blocks, 8 of them new\n  east: 1 missing\n  block 8 of east was lost: 0 of its 1 lines are whole\n"
    );
    assert!(ok(&mut sandbox.brawn(&collect)).starts_with("fleet.json: 8 of 9 blocks, 0 of them new\n"));
    let report = |more: &[&str]| ok(&mut sandbox.brawn(&[&["fleet", "report", "fleet.json"], more].concat()));
    let text = report(&[]);
    assert!(text.starts_with("server: take `small`\n8 of 9 blocks were measured; 1 were lost.\n"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&report(&["--json"])).unwrap();
    assert_eq!((&json["pools"][0]["pick"], &json["yearly"]), (&"small".into(), &serde_json::Value::Null));
    assert!(report(&["--markdown"]).starts_with("## server: take `small`"));
    assert!(report(&["--html"]).contains("<title>brawn fleet, 2026-11-25</title>"));
    sandbox.write("prices.toml", "currency = \"EUR\"\npools.east = { gib_hour = 0.01, core_hour = 0.05 }\n");
    assert!(report(&["--prices", "prices.toml"]).contains("4 replicas with 1.00 GiB and 2 cores each"));
    let patch: serde_json::Value = serde_json::from_str(&report(&["--apply", "--container", "web"])).unwrap();
    let container = &patch["spec"]["template"]["spec"]["containers"][0];
    assert_eq!((&container["name"], &container["command"][0]), (&"web".into(), &"/small".into()));
    assert_eq!(report(&["--apply=east", "--container", "web"]), report(&["--apply", "--container", "web"]));
}

/// An answer of Prometheus about 100 moments, each so many times the first figure.
fn answer(times: f64) -> String {
    let values: Vec<_> = (0..100)
        .map(|at| {
            serde_json::json!([
                1_760_000_000 + 30 * at,
                (times * (1.0 + 0.01 * f64::from(at * 7 % 5))).to_string()
            ])
        })
        .collect();
    serde_json::json!({ "status": "success", "data": {
        "resultType": "matrix", "result": [{ "metric": {}, "values": values }],
    } })
    .to_string()
}

#[test]
fn a_canary_is_judged_by_saved_answers() {
    let sandbox = Sandbox::new();
    sandbox.write("base.json", answer(100.0));
    sandbox.write("less.json", answer(80.0));
    sandbox.write("more.json", answer(110.0));
    let said = ok(&mut sandbox.brawn(&["fleet", "canary", "--response", "memory=base.json,less.json"]));
    insta::assert_snapshot!(said, @r"
    the candidate does better; with 95 % all intervals hold together
    metric          candidate over baseline  moments  of which count
    memory  better    0.800x [0.800, 0.800]      100             100
    ");
    let both = [
        "fleet",
        "canary",
        "--response",
        "memory=base.json,less.json",
        "--response",
        "cpu=base.json,more.json",
    ];
    let output = sandbox.brawn(&both).output().unwrap();
    assert_eq!(output.status.code(), Some(6));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("the candidate does worse;"));
    let json =
        ok(&mut sandbox.brawn(&["fleet", "canary", "--json", "--response", "cpu=base.json,base.json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["verdict"], "undecided");
    let message = |text: &str, code| {
        sandbox.write("other.json", text);
        fails(&mut sandbox.brawn(&["fleet", "canary", "--response", "cpu=base.json,other.json"]), code)
    };
    let empty = r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#;
    let error = r#"{"status":"error","errorType":"bad_data","error":"parse error"}"#;
    insta::assert_snapshot!(message("{", 3), @r"
    error: other.json is no answer of Prometheus to a range query: EOF while parsing an object at line 1 column 1
    hint: give what /api/v1/query_range answered
    ");
    insta::assert_snapshot!(message(empty, 3), @r"
    error: other.json has no figures
    hint: were the pods there at that time, and is the query right?
    ");
    insta::assert_snapshot!(message(error, 9), @r"
    error: other.json: Prometheus refused: bad_data: parse error
    hint: is the address right (`kubectl port-forward` makes one), the query one that Prometheus knows, and the token good?
    ");
    insta::assert_snapshot!(message(&answer(1.0).replace("17600", "17601"), 3), @r"
    error: `cpu` is of different times: the baseline of 1760000000 to 1760002970, every 30 s, the candidate of 1760100000 to 1760102970, every 30 s
    hint: ask for both with the same start, end and step
    ");
    insta::assert_snapshot!(message(&empty.replace("matrix", "vector"), 3), @r"
    error: other.json is no answer of Prometheus to a range query: it is a vector, and no matrix of a range
    hint: give what /api/v1/query_range answered
    ");
}

/// A server that answers every request with this.
fn server(status: &'static str, body: String) -> String {
    use std::io::{BufRead as _, BufReader, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let head =
                BufReader::new(&connection).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
            assert!(head.count() > 0);
            let length = body.len();
            let _ = write!(
                connection,
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
        }
    });
    url
}

/// A server behind TLS that answers who shows this token; its URL, and the authority.
fn secure(token: &'static str, body: String) -> (String, String) {
    use std::io::{BufRead as _, BufReader, Write as _};
    let (config, authority) = tls::server();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let serve = move |socket| -> std::io::Result<()> {
        let connection = rustls::ServerConnection::new(config.clone()).map_err(std::io::Error::other)?;
        let mut reader = BufReader::new(rustls::StreamOwned::new(connection, socket));
        let mut head = String::new();
        while reader.read_line(&mut head)? > 2 {}
        let known = head.to_lowercase().contains(&format!("authorization: bearer {token}\r\n"));
        let (status, body) = if known { (200, &*body) } else { (401, "no") };
        let length = body.len();
        let stream = reader.get_mut();
        write!(stream, "HTTP/1.1 {status} x\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")?;
        stream.conn.send_close_notify();
        stream.flush()
    };
    std::thread::spawn(move || listener.incoming().flatten().for_each(|socket| drop(serve(socket))));
    (url, authority)
}

const CANARY: &str = "name = 'web'\nbaseline = 'r/web@sha256:aa'\ncandidate = 'r/web@sha256:bb'\ncontainer = 'web'\nminutes = 60\n\
                      [metrics]\nmemory = 'max(bytes{pod=~\"$replicaset-.*\"})'\n";

#[test]
fn prometheus_behind_tls_sees_a_token_and_no_one_else_does() {
    let sandbox = Sandbox::new();
    sandbox.write("canary.toml", CANARY);
    sandbox.write("token", "sesame\n");
    let (url, authority) = secure("sesame", answer(3.0));
    let authority = sandbox.write("authority.pem", authority);
    let ask = |url: &str, more: &[&str]| {
        let mut command =
            sandbox.brawn(&["fleet", "canary", "canary.toml", "--replicasets", "a,b", "--prometheus", url]);
        command.args(more).env("SSL_CERT_FILE", &authority);
        command
    };
    let token = ["--token-file", "token"];
    assert!(ok(&mut ask(&url, &token)).contains("does not differ significantly"));
    assert!(fails(&mut ask(&url, &[]), 9).contains("Prometheus refused: status 401"));
    assert!(fails(ask(&url, &token).env_remove("SSL_CERT_FILE"), 9).contains("Prometheus refused: "));
    insta::assert_snapshot!(fails(&mut ask("http://192.0.2.1:9090", &token), 2), @r"
    error: the token would be sent to http://192.0.2.1:9090 without encryption
    hint: give an address that begins with https://, or one of this machine
    ");
    insta::assert_snapshot!(fails(&mut ask("192.0.2.1:9090", &[]), 2), @r"
    error: 192.0.2.1:9090 is no URL: relative URL without a base
    hint: give an address such as https://prometheus.example, or http://127.0.0.1:9090 of a `kubectl port-forward`
    ");
}

#[test]
fn prometheus_is_asked_and_may_refuse() {
    let sandbox = Sandbox::new();
    sandbox.write("canary.toml", CANARY);
    let url = server("200 OK", answer(3.0));
    let ask = |url: &str| {
        sandbox.brawn(&["fleet", "canary", "canary.toml", "--replicasets", "a,b", "--prometheus", url])
    };
    assert!(ok(&mut ask(&url)).starts_with("the candidate does not differ significantly from the baseline;"));
    let refusing =
        server("400 Bad Request", r#"{"status":"error","errorType":"bad_data","error":"x"}"#.into());
    assert!(fails(&mut ask(&refusing), 9).contains("Prometheus refused: bad_data: x"));
    assert!(fails(&mut ask(&server("502 Bad Gateway", "<html>".into())), 9).contains("status 502"));
    assert!(fails(&mut ask("http://127.0.0.1:1"), 9).contains("Prometheus refused"));
    sandbox
        .write("web.json", r#"{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"old"}]}}}}"#);
    let render =
        ["fleet", "canary", "canary.toml", "--prometheus", "http://prometheus:9090", "--render", "web.json"];
    let list: serde_json::Value = serde_json::from_str(&ok(&mut sandbox.brawn(&render))).unwrap();
    let kinds: Vec<_> =
        list["items"].as_array().unwrap().iter().map(|item| item["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["AnalysisTemplate", "Experiment"]);
}

#[test]
fn what_is_wrong_is_told() {
    let sandbox = collected();
    let message = |args: &[&str], code| fails(&mut sandbox.brawn(&[&["fleet"], args].concat()), code);
    insta::assert_snapshot!(message(&["report", "fleet.json", "--apply"], 8), @r"
    error: there is no answer for all pools
    hint: `brawn fleet report` without --apply says why
    ");
    insta::assert_snapshot!(message(&["report", "fleet.json", "--apply=west"], 2), @r"
    error: the fleet has no pool `west`
    hint: did you mean 'east'?
    ");
    sandbox.write("other.json", "{}");
    insta::assert_snapshot!(message(&["report", "other.json"], 3), @r"
    error: other.json holds no measurements of a fleet
      caused by: missing field `schema` at line 1 column 2
    hint: give the folder that `brawn fleet run` made, or the file fleet.json in it
    ");
    sandbox.write("prices.toml", "currency = \"EUR\"\npools.west = { gib_hour = 1, core_hour = 1 }\n");
    insta::assert_snapshot!(message(&["report", "fleet.json", "--prices", "prices.toml"], 3), @r##"
    error: prices.toml is no price list of this fleet: the fleet has no pool `west`; it has: east
    hint: it has `currency`, and for each pool `[pools.NAME]` with gib_hour and core_hour, or with node_hour, nodes and filled_by ("memory" or "cores")
    "##);
    message(&["collect", "fleet.json", "--from", "nowhere"], 5);
}
