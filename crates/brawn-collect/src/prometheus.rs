//! Answers of Prometheus to range queries, saved or asked for.

use std::collections::BTreeMap;
use std::time::Duration;

use brawn_base::text::shown;
use serde::Deserialize;

use crate::Error;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Most bytes of an answer: a day at a second's step takes 3 MB.
const LONGEST: u64 = 64 << 20;

/// A figure over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Where it comes from, for messages.
    pub place: String,
    /// Values by the time, in milliseconds since 1970. What is no number is left out.
    pub points: BTreeMap<i64, f64>,
}

/// A server that is asked.
#[derive(Clone, Debug)]
pub struct Server {
    /// Its URL.
    pub url: String,
    /// How it is spoken to with TLS; none for plain http.
    pub tls: Option<ureq::tls::TlsConfig>,
    /// What it is shown as the right to ask.
    pub token: Option<String>,
}

/// The time that is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Its begin, in seconds since 1970.
    pub start: f64,
    /// Its end, likewise.
    pub end: f64,
    /// From point to point, in seconds.
    pub step: f64,
}

#[derive(Deserialize)]
#[serde(tag = "status", rename_all = "camelCase")]
enum Response {
    Success {
        data: Data,
    },
    #[serde(rename_all = "camelCase")]
    Error {
        error_type: String,
        error: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    result_type: String,
    result: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Matrix {
    values: Vec<(f64, String)>,
}

impl Series {
    /// Reads an answer to `/api/v1/query_range`; `place` is its name for messages.
    ///
    /// # Errors
    /// [`Error`]: it is no such answer, an error, of another kind, empty, or of several series.
    pub fn parse(place: &str, text: &str) -> Result<Self, Error> {
        let wrong = |what: String| Error::NotPrometheus { place: place.to_owned(), what };
        let data = match serde_json::from_str(text).map_err(|error| wrong(error.to_string()))? {
            Response::Success { data } => data,
            Response::Error { error_type, error } => {
                return Err(Error::Refused {
                    place: place.to_owned(),
                    what: format!("{error_type}: {error}"),
                });
            }
        };
        if data.result_type != "matrix" {
            return Err(wrong(format!("it is a {}, and no matrix of a range", data.result_type)));
        }
        let one = match &data.result[..] {
            [] => return Err(Error::NoSeries { place: place.to_owned() }),
            [one] => one,
            many => return Err(Error::ManySeries { place: place.to_owned(), count: many.len() }),
        };
        let matrix = Matrix::deserialize(one).map_err(|error| wrong(error.to_string()))?;
        let point = |(time, value): &(f64, String)| {
            let value: f64 = value.parse().map_err(|_| wrong(format!("`{}` is no number", shown(value))))?;
            Ok(((time * 1000.0).round() as i64, value))
        };
        let points = matrix.values.iter().map(point).collect::<Result<BTreeMap<_, _>, Error>>()?;
        let points: BTreeMap<_, _> = points.into_iter().filter(|(_, value)| value.is_finite()).collect();
        match points.is_empty() {
            true => Err(Error::NoSeries { place: place.to_owned() }),
            false => Ok(Self { place: place.to_owned(), points }),
        }
    }

    /// Asks a server.
    ///
    /// # Errors
    /// [`Error`]: it cannot be reached, refuses, or what [`Series::parse`] says of its answer.
    pub fn ask(server: &Server, query: &str, range: Range) -> Result<Self, Error> {
        let Server { url, tls, token } = server;
        let place = format!("{url}: `{query}`");
        let refused = |what: String| Error::Refused { place: place.clone(), what };
        let config = ureq::Agent::config_builder().timeout_global(Some(TIMEOUT)).http_status_as_error(false);
        // A login that answers in its place has no figures, and is not to be shown the token.
        let config = config.max_redirects(0).tls_config(tls.clone().unwrap_or_default());
        let agent: ureq::Agent = config.build().into();
        let mut request = agent.get(format!("{}/api/v1/query_range", url.trim_end_matches('/')));
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let request = request
            .query("query", query)
            .query("start", range.start.to_string())
            .query("end", range.end.to_string())
            .query("step", range.step.to_string());
        let mut answer = request.call().map_err(|error| refused(error.to_string()))?;
        let body = answer.body_mut().with_config().limit(LONGEST).read_to_string();
        let body = body.map_err(|error| refused(error.to_string()))?;
        let status = answer.status();
        // What is wrong with a query is said in the form of an answer.
        match Self::parse(&place, &body) {
            Err(Error::NotPrometheus { .. }) if !status.is_success() => {
                Err(refused(format!("status {status}")))
            }
            result => result,
        }
    }

    /// Milliseconds from point to point: the smallest that there are.
    pub(crate) fn step(&self) -> i64 {
        let times: Vec<i64> = self.points.keys().copied().collect();
        times.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(0)
    }
}
